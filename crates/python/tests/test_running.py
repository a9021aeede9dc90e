"""Ctrl-C, threads, forks and progress."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outcrop as oc

SCRIPT = """
import os, signal, sys, time
import outcrop as oc
edges, store, work = sys.argv[1:]
sent = None

def interrupt(event):
    global sent
    if sent is None and event["event"] == ("phase" if work == "build" else "iteration"):
        sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

try:
    if work == "build":
        oc.build(edges, store, memory="64MiB", progress=interrupt)
    else:
        oc.pagerank(graph := oc.open(store, threads=1, progress=interrupt), iterations=1_000_000)
    print("finished")
except KeyboardInterrupt:
    print(time.monotonic() - sent)
    if work == "run":
        print(len(oc.bfs(graph, oc.pagerank(graph).top(1)[0]["node"])))
"""


@pytest.fixture(scope="session")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough edges for a build to take a while."""
    path = tmp_path_factory.mktemp("large") / "edges.bin"
    oc.generate("kronecker", path, scale=19, edge_factor=16)
    return path


def interrupted(edges: Path, store: Path, work: str) -> list[str]:
    """Do the work in a process that interrupts itself once it is under way; the seconds that stopping took, and the rest of what
    it said."""
    command = [sys.executable, "-c", SCRIPT, str(edges), str(store), work]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=300)
    return done.stdout.split()


def test_a_schedule_is_forced_and_told(tmp_path: Path) -> None:
    oc.build([(number, number + 1) for number in range(50)], tmp_path / "path.outcrop").close()
    found = {}
    for schedule in ["auto", "select", "sweep"]:
        result = oc.bfs(oc.open(tmp_path / "path.outcrop", schedule=schedule), 0)
        assert result.stats["schedule"] == schedule
        found[schedule] = result.to_dict()
    assert found["select"] == found["auto"] == found["sweep"]
    with pytest.raises(ValueError, match="schedule is one of"):
        oc.open(tmp_path / "path.outcrop", schedule="both")


def test_ctrl_c_stops_a_build_and_leaves_nothing(edges: Path, tmp_path: Path) -> None:
    [seconds] = interrupted(edges, tmp_path / "large.outcrop", "build")
    assert float(seconds) < 1
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_stops_a_run_and_the_graph_stays_usable(tmp_path: Path) -> None:
    oc.generate("kronecker", tmp_path / "edges.bin", scale=14)
    graph = oc.build(tmp_path / "edges.bin", tmp_path / "k.outcrop")
    seconds, nodes = interrupted(tmp_path / "edges.bin", tmp_path / "k.outcrop", "run")
    assert float(seconds) < 1
    assert int(nodes) == graph.num_vertices
    graph.check()


def test_other_threads_run_meanwhile(edges: Path, tmp_path: Path) -> None:
    worker = threading.Thread(target=oc.build, args=(edges, tmp_path / "large.outcrop"))
    worker.start()
    steps = 0
    while worker.is_alive():
        time.sleep(0.001)
        steps += 1
    assert steps > 100


def test_threads_share_a_graph(build: Callable[..., oc.Graph]) -> None:
    graph = build([(node, node + 1) for node in range(500)])
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(oc.bfs(graph, 0).top(1)[0]["node"])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [500] * 4


def test_progress_tells_what_happens(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = []
    graph = oc.build([(1, 2), (2, 1)], tmp_path / "a.outcrop", progress=events.append)
    assert "reading edges" in [event["name"] for event in events if event["event"] == "phase"]
    events.clear()
    oc.pagerank(graph, iterations=3)
    records = [event["record"]["iteration"] for event in events if event["event"] == "iteration"]
    assert records == [1, 2, 3]


def test_without_progress_only_notes_come_to_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[dict[str, Any]] = []
    monkeypatch.setattr("outcrop.progress._warn", events.append)
    graph = oc.build([(1, 2), (2, 3)], tmp_path / "a.outcrop", weight=np.array([0.5, 4.0]))
    oc.label_propagation(graph, 3)
    assert [event["event"] for event in events] == ["note"]
    assert "does not use the weights" in events[0]["message"]


def test_an_exception_in_progress_stops_the_work(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def progress(event: dict[str, Any]) -> None:
        raise Enough

    with pytest.raises(Enough):
        oc.build([(1, 2)], tmp_path / "a.outcrop", progress=progress)
    oc.build([(1, 2)], tmp_path / "b.outcrop")
    graph = oc.open(tmp_path / "b.outcrop", progress=progress)
    with pytest.raises(Enough):
        oc.pagerank(graph)
    with pytest.raises(TypeError):
        oc.open(tmp_path / "b.outcrop", progress=3)  # type: ignore[arg-type]


def test_progress_in_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    oc.build([(1, 2)], tmp_path / "a.outcrop", progress=True)
    assert "outcrop: reading edges" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_graphs_do_not_survive_a_fork(build: Callable[..., oc.Graph], tmp_path: Path) -> None:
    graph = build([(1, 2)])
    result = oc.bfs(graph, 1)
    if (child := os.fork()) == 0:
        refused = 0
        for call in (lambda: oc.bfs(graph, 1), result.to_dict, graph.check):
            try:
                call()
            except RuntimeError as error:
                refused += "fork" in str(error)
        fresh = oc.bfs(oc.open(tmp_path / "0.outcrop"), 1).to_dict() == {1: 0, 2: 1}
        os._exit(0 if refused == 3 and fresh else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert len(oc.bfs(graph, 1)) == 2
