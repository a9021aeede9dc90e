"""Runs that go on where they were stopped."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import outcrop as oc

COMMAND = Path(__file__).resolve().parents[3] / "target" / "debug" / "outcrop"


def graph_in(folder: Path) -> oc.Graph:
    rng = np.random.default_rng(3)
    return oc.build((rng.integers(0, 3000, 30_000), rng.integers(0, 3000, 30_000)), folder / "g.outcrop")


def test_a_run_with_checkpoints_gives_the_same_and_leaves_nothing(tmp_path: Path) -> None:
    graph = graph_in(tmp_path)
    plain = oc.pagerank(graph, tol=1e-12, max_iter=1000).to_dict()
    for resume in (False, True):
        saved = oc.pagerank(graph, tol=1e-12, max_iter=1000, checkpoint=tmp_path / "state", resume=resume)
        assert saved.to_dict() == plain and not list(tmp_path.glob("state/*.checkpoint*"))
    with pytest.raises(oc.UsageError, match="resume needs checkpoint"):
        oc.pagerank(graph, resume=True)
    with pytest.raises(oc.OutcropError):
        oc.pagerank(graph, checkpoint=tmp_path / "absent" / "state")


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not built")
def test_a_run_that_the_command_began_goes_on_in_python(tmp_path: Path) -> None:
    graph = graph_in(tmp_path)
    given = ["run", "pagerank", str(tmp_path / "g.outcrop"), "--iterations", "2000", "--json"]
    saving = ["--checkpoint-dir", str(tmp_path / "state"), "--checkpoint-every", "0s"]
    run = subprocess.Popen([COMMAND, *given, *saving], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # The first is of the begin.
    while not [path for path in tmp_path.glob("state/checkpoint-*") if path.name != "checkpoint-0"]:
        assert run.poll() is None
        time.sleep(0.01)
    run.kill()
    run.wait()
    records: list[dict[str, object]] = []
    graph = oc.open(tmp_path / "g.outcrop", progress=lambda event: records.append(event))
    with pytest.raises(oc.OutcropError, match="resume"):
        oc.pagerank(graph, iterations=2_000, checkpoint=tmp_path / "state")
    with pytest.raises(oc.OutcropError, match="iterations"):
        oc.pagerank(graph, iterations=1_000, checkpoint=tmp_path / "state", resume=True)
    found = oc.pagerank(graph, iterations=2_000, checkpoint=tmp_path / "state", resume=True)
    told = found.stats["checkpoints"]
    assert 0 < told["resumed_after"] < 2_000 and (told["saved"], told["seconds"]) == (0, 0.0), told
    assert found.stats["iterations"] == 2_000 > len([event for event in records if event["event"] == "iteration"])
    assert found.to_dict() == oc.pagerank(graph, iterations=2_000).to_dict()


def test_a_build_and_a_conversion_with_checkpoints_give_the_same_and_leave_nothing(tmp_path: Path) -> None:
    edges = tmp_path / "edges.csv"
    edges.write_text("".join(f"v{number % 97},w{number * number % 101}\n" for number in range(5000)))
    plain, state = oc.build(edges, tmp_path / "plain.outcrop"), tmp_path / "state"
    for resume in (False, True):
        saved = oc.build(edges, tmp_path / f"{resume}.outcrop", checkpoint=state, resume=resume)
        other = saved.convert(tmp_path / f"{resume}.csr", layout="csr", checkpoint=state, resume=resume)
        assert not state.exists()
        for graph in (saved, other):
            assert oc.pagerank(graph).to_dict() == oc.pagerank(plain).to_dict()
    with pytest.raises(oc.UsageError, match="resume needs checkpoint"):
        oc.build(edges, tmp_path / "g.outcrop", resume=True)
    with pytest.raises(oc.UsageError, match="checkpoint needs store"):
        oc.build(edges, checkpoint=state)
    with pytest.raises(oc.UsageError, match="read only once"):
        oc.build([(1, 2)], tmp_path / "g.outcrop", checkpoint=state)


def test_a_build_goes_on_behind_a_failure(tmp_path: Path) -> None:
    edges, more, state = tmp_path / "edges.csv", tmp_path / "more.csv", tmp_path / "state"
    edges.write_text("1,2\n" * 1000)
    more.write_text("alone\n")
    with pytest.raises(oc.BadInputError):
        oc.build(edges, tmp_path / "g.outcrop", vertices=more, checkpoint=state)
    assert oc.build(edges, tmp_path / "g.outcrop", checkpoint=state, resume=True).num_edges == 1000


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not built")
def test_a_checkpoint_stays_until_the_result_is_collected(tmp_path: Path) -> None:
    graph, killed = graph_in(tmp_path), tmp_path / "killed"
    given = ["run", "pagerank", str(tmp_path / "g.outcrop"), "--iterations", "200", "--json"]
    saving = ["--checkpoint-dir", str(killed), "--checkpoint-every", "0s"]
    # A run that ends before it is killed is begun once more.
    while not list(killed.glob("checkpoint-*")):
        run = subprocess.Popen([COMMAND, *given, *saving], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while run.poll() is None and not list(killed.glob("checkpoint-*")):
            time.sleep(0.001)
        run.kill()
        run.wait()
    (tmp_path / "there.csv").write_text("")
    collections: dict[str, Callable[[oc.Result], object]] = {
        "write": lambda result: result.write(tmp_path / "ranks.csv"),
        "to_dict": oc.Result.to_dict,
        "column": lambda result: result["pagerank"],
        "rows": list,
    }
    for name, collect in collections.items():
        state = tmp_path / name
        shutil.copytree(killed, state)
        result = oc.pagerank(graph, iterations=200, checkpoint=state, resume=True)
        assert result.top(3) and repr(result) and len(result["node"]) and result[0] and result[1]
        with pytest.raises(oc.AlreadyExistsError):
            result.write(tmp_path / "there.csv")
        assert list(state.glob("checkpoint-*")), name
        collect(result)
        assert not state.exists(), name
        assert len(result.to_dict()) == len(graph)


def test_a_folder_with_files_of_others_is_refused(tmp_path: Path) -> None:
    graph, mine = graph_in(tmp_path), tmp_path / "mine"
    mine.mkdir()
    (mine / "result-1").write_text("a")
    (mine / "checkpoint-2").write_text("b")
    for given in ({"incremental": mine}, {"checkpoint": mine}):
        with pytest.raises(oc.UsageError, match="use an empty or a new folder"):
            oc.weakly_connected_components(graph, **given)
    assert sorted(path.read_text() for path in mine.iterdir()) == ["a", "b"]


def test_nothing_is_written_into_a_store(tmp_path: Path) -> None:
    graph, inside = graph_in(tmp_path), tmp_path / "g.outcrop" / "more"
    result = oc.pagerank(graph, iterations=2)
    before = sorted((tmp_path / "g.outcrop").rglob("*"))
    edges = tmp_path / "edges.csv"
    edges.write_text("1,2\n")
    for write in (
        lambda: oc.pagerank(graph, iterations=2, checkpoint=inside),
        lambda: oc.weakly_connected_components(graph, incremental=inside),
        lambda: oc.open(tmp_path / "g.outcrop", tmp_dir=inside.parent),
        lambda: oc.build(edges, inside),
        lambda: oc.build(edges, tmp_path / "h.outcrop", tmp_dir=inside.parent),
        lambda: oc.build(edges, tmp_path / "h.outcrop", checkpoint=inside),
        lambda: graph.convert(inside, layout="csr"),
        lambda: graph.export(inside.with_suffix(".csv")),
        lambda: result.write(inside.with_suffix(".csv")),
        lambda: result.report(inside.with_suffix(".html")),
        lambda: oc.calibrate(inside.parent),
    ):
        with pytest.raises(oc.UsageError, match="is inside the store"):
            write()
    assert sorted((tmp_path / "g.outcrop").rglob("*")) == before
