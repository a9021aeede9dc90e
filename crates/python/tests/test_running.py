"""Ctrl-C, threads, forks and progress."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outcrop as oc

SCRIPT = """
import os, signal, sys
import outcrop as oc
edges, store, work = sys.argv[1:]
sent = False

def interrupt(event):
    global sent
    if not sent and event["event"] == ("phase" if work == "build" else "iteration"):
        sent = True
        os.kill(os.getpid(), signal.SIGINT)

try:
    if work == "build":
        oc.build(edges, store, memory="64MiB", progress=interrupt)
    else:
        oc.pagerank(graph := oc.open(store, threads=1, progress=interrupt), iterations=1_000_000)
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
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
    """Do the work in a process that interrupts itself once it is under way, long before its end; return what it said."""
    return said_by(SCRIPT, str(edges), str(store), work)


def said_by(script: str, *arguments: str) -> list[str]:
    """Run a script; where it hangs, that is an error."""
    done = subprocess.run([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, text=True, check=True, timeout=300)
    return done.stdout.split()


def test_a_schedule_is_forced_and_told(tmp_path: Path) -> None:
    oc.build([(number, number + 1) for number in range(50)], tmp_path / "path.outcrop").close()
    found = {}
    for schedule in ["auto", "select", "sweep"]:
        result = oc.bfs(oc.open(tmp_path / "path.outcrop", options=oc.Engine(schedule=schedule)), 0)
        assert result.stats["schedule"] == schedule
        found[schedule] = result.to_dict()
    assert found["select"] == found["auto"] == found["sweep"]
    with pytest.raises(ValueError, match="schedule must be one of"):
        oc.bfs(oc.open(tmp_path / "path.outcrop"), 0, options=oc.Engine(schedule="both"))  # type: ignore[arg-type]


def test_ctrl_c_stops_a_build_and_leaves_nothing(edges: Path, tmp_path: Path) -> None:
    assert interrupted(edges, tmp_path / "large.outcrop", "build") == ["interrupted"]
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_stops_a_run_and_the_graph_stays_usable(tmp_path: Path) -> None:
    oc.generate("kronecker", tmp_path / "edges.bin", scale=14)
    graph = oc.build(tmp_path / "edges.bin", tmp_path / "k.outcrop")
    assert interrupted(tmp_path / "edges.bin", tmp_path / "k.outcrop", "run") == ["interrupted", str(graph.num_vertices)]
    graph.check()


FED = """
import os, sys, threading
import outcrop as oc
pipe, store = sys.argv[1:]
os.mkfifo(pipe)
worker = threading.Thread(target=oc.build, args=(pipe, store))
worker.start()
with open(pipe, "w") as edges:
    edges.writelines(f"{number} {number + 1}\\n" for number in range(100_000))
worker.join()
print(oc.open(store).num_edges)
"""


def test_other_threads_run_meanwhile(tmp_path: Path) -> None:
    # The build waits for what another thread writes: if it kept that from running, neither would end.
    assert said_by(FED, str(tmp_path / "edges.txt"), str(tmp_path / "g.outcrop")) == ["100000"]


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
    last = [event for event in events if event["event"] == "progress"][-1]
    told = {key: last[key] for key in ("phase", "unit", "done", "total", "share", "seconds_left")}
    assert told == {"phase": "pagerank", "unit": "iterations", "done": 3, "total": 3, "share": 1.0, "seconds_left": 0.0}
    assert last["change"] == 0 and last["tolerance"] is None


def test_without_progress_only_notes_come_to_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[dict[str, Any]] = []
    monkeypatch.setattr("outcrop.progress._warn", events.append)
    graph = oc.build([(1, 2), (2, 3)], tmp_path / "a.outcrop", weight=np.array([0.5, 4.0]))
    oc.label_propagation(graph, 3)
    assert [event["event"] for event in events] == ["note"]
    assert "ignores the edge weights" in events[0]["message"]


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


def test_progress_in_a_notebook(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    graph = oc.build([(1, 2), (2, 3), (3, 1), (1, 3)], tmp_path / "a.outcrop", progress=True)
    oc.pagerank(graph, tol=1e-6)
    last = capsys.readouterr().err.replace("\n", "\r").split("\r")[-2].rstrip()
    assert last.startswith("outcrop: pagerank 100% |####################| "), last
    assert "iterations, 0 s left, change " in last and "(to 1.0e-06)" in last and last.endswith("edges/s"), last


def test_runs_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = oc.build([(1, 2), (2, 3)], tmp_path / "a.outcrop")
    oc.bfs(graph, 1)
    with pytest.raises(oc.UsageError):
        oc.bfs(graph, 77)
    with pytest.raises(oc.NotConvergedError):
        oc.pagerank(graph, tol=1e-15, max_iter=2)
    first, second = graph.runs()
    assert (first["algorithm"], first["parameters"], first["exit"]) == ("bfs", {"columns": "distance", "source": ["1"]}, "ok")
    assert (second["exit"], second["iterations"], second["uuid"]) == ("not_converged", 2, graph.info()["uuid"])
    assert "record" not in first and first["seconds"] > 0
    monkeypatch.setenv("OUTCROP_NO_HISTORY", "1")
    oc.bfs(oc.open(tmp_path / "a.outcrop"), 1)
    assert len(graph.runs()) == 2


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


def large(tmp_path: Path) -> Path:
    """A store whose lists take several pages."""
    random = np.random.default_rng(1)
    oc.build(random.integers(0, 3000, (60_000, 2)), tmp_path / "large.outcrop").close()
    return tmp_path / "large.outcrop"


def test_a_graph_stays_warm(tmp_path: Path) -> None:
    store = large(tmp_path)
    graph = oc.open(store)
    first, second = oc.pagerank(graph, iterations=3), oc.pagerank(graph, iterations=3)
    assert first.stats["bytes_read"] > 0 and second.stats["bytes_read"] == second.stats["requests"] == 0
    assert first.to_dict() == second.to_dict()
    for search in (oc.bfs, oc.sssp, oc.bfs):
        assert search(graph, 1).to_dict() == search(oc.open(store), 1).to_dict()
    graph.cache("50%", keep=True)
    graph.check()
    assert oc.pagerank(graph, iterations=3).to_dict() == first.to_dict()


def test_a_graph_stays_within_its_memory(tmp_path: Path) -> None:
    store = large(tmp_path)
    with oc.open(store) as ample:
        least = oc.estimate(ample, "apsp", samples=500)["minimum"]
        expected = oc.multi_source_distances(ample, samples=500).to_dict()
    graph = oc.open(store, memory=least)
    for _ in range(2):
        assert oc.bfs(graph, 1).stats["memory_peak"] <= least
        distances = oc.multi_source_distances(graph, samples=500)
        assert distances.stats["memory_peak"] <= least
        assert distances.to_dict() == expected


def test_a_result_outlives_a_store_that_is_replaced(tmp_path: Path) -> None:
    store = tmp_path / "letters.outcrop"
    graph = oc.build([("a", "b"), ("b", "c")], store, order="degree")
    result = oc.bfs(graph, "a")
    with pytest.raises(oc.StoreInUseError):
        oc.build([(1, 2)], store, overwrite=True)
    graph.close()
    replaced = oc.build([(1, 2)], store, overwrite=True)
    assert result.to_dict() == {"a": 0, "b": 1, "c": 2}
    assert [row["node"] for row in result.top(1)] == ["c"]
    assert oc.bfs(replaced, 1).to_dict() == {1: 0, 2: 1}
    with pytest.raises(ValueError, match="closed"):
        oc.bfs(graph, "a")


def test_calls_in_a_listener_wait_for_the_run(tmp_path: Path) -> None:
    store = large(tmp_path)
    found: list[int] = []

    def progress(event: dict[str, Any]) -> None:
        if event["event"] == "iteration" and not found:
            found.append(graph.info()["vertices"])
            found.append(len(oc.bfs(graph, 1)))

    graph = oc.open(store, progress=progress)
    assert len(oc.pagerank(graph, iterations=3)) == 3000
    assert found == [3000, 3000]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("io", ["auto", "pread"])
def test_a_warm_graph_that_was_forked_is_dropped(tmp_path: Path, io: str) -> None:
    graph = oc.open(large(tmp_path), io=io)
    oc.pagerank(graph, iterations=3)
    if (child := os.fork()) == 0:
        del graph
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert oc.pagerank(graph, iterations=3).stats["bytes_read"] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_rows_that_were_begun_before_a_fork_are_refused_behind_it(tmp_path: Path) -> None:
    import pyarrow

    graph = oc.open(large(tmp_path))
    edges, nodes = graph.edges(), graph.nodes()
    taken = pyarrow.RecordBatchReader.from_stream(graph.edges(batch_size=10))
    iterator, begun = iter(graph.edges(batch_size=10)), iter(graph.edges(batch_size=10))
    next(begun)
    if (child := os.fork()) == 0:
        signal.alarm(60)
        refused = 0
        rows = (lambda: list(edges), lambda: pyarrow.table(nodes), lambda: list(iterator), lambda: next(begun))
        calls = (*rows, taken.read_all)
        for call in calls:
            try:
                call()
            except Exception as error:
                refused += "before the process forked" in str(error)
        del edges, nodes, taken, iterator, begun, call, calls, rows
        os._exit(refused)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 5
    assert sum(len(batch) for batch in edges) == graph.num_edges


STORES = """
import multiprocessing, os, signal, sys
import outcrop as oc

def work(number):
    global kept
    kept = oc.build([(number, 2)])
    return len(kept)

way = sys.argv[1]
graph = oc.build([(1, 2), (2, 3)])
print(len([name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("outcrop-tmp-")]), flush=True)
if way == "pool":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(work, range(3, 7)) == [2] * 4
elif way == "workers":
    worker = multiprocessing.get_context("fork").Process(target=work, args=(1,))
    worker.start()
    worker.join()
    assert len(os.listdir(os.environ["TMPDIR"])) == 2
elif way == "fork":
    if (child := os.fork()) == 0:
        kept = work(1)
        os._exit(0)
    os.waitpid(child, 0)
elif way == "exit":
    os._exit(1)
elif way != "end":
    os.kill(os.getpid(), signal.Signals[way])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_temporary_stores_of_processes_that_are_gone_go_with_the_next(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    mine = tmp_path / "outcrop-tests"
    mine.mkdir()
    for way in ("exit", "SIGKILL", "SIGTERM", "fork", "pool", "workers", "end"):
        command = [sys.executable, "-W", "ignore", "-c", STORES, way]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert ran.stdout == "1\n", (way, ran)
    assert ran.returncode == 0, ran
    assert list(tmp_path.iterdir()) == [mine]
