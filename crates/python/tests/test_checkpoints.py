"""Runs that go on where they were stopped."""

from __future__ import annotations

import subprocess
import time
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
    with pytest.raises(oc.UsageError, match="resume goes with checkpoint"):
        oc.pagerank(graph, resume=True)
    with pytest.raises(oc.OutcropError):
        oc.pagerank(graph, checkpoint=tmp_path / "absent" / "state")


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not built")
def test_a_run_that_the_command_began_goes_on_in_python(tmp_path: Path) -> None:
    graph = graph_in(tmp_path)
    given = ["run", "pagerank", str(tmp_path / "g.outcrop"), "--iterations", "20000", "--json"]
    saving = ["--checkpoint-dir", str(tmp_path / "state"), "--checkpoint-every", "0s"]
    run = subprocess.Popen([COMMAND, *given, *saving], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (tmp_path / "state").exists() or len(list((tmp_path / "state").iterdir())) < 2:
        assert run.poll() is None
        time.sleep(0.05)
    time.sleep(0.3)
    run.kill()
    run.wait()
    records: list[dict[str, object]] = []
    graph = oc.open(tmp_path / "g.outcrop", progress=lambda event: records.append(event))
    with pytest.raises(oc.OutcropError, match="resume"):
        oc.pagerank(graph, iterations=20_000, checkpoint=tmp_path / "state")
    with pytest.raises(oc.OutcropError, match="iterations"):
        oc.pagerank(graph, iterations=10_000, checkpoint=tmp_path / "state", resume=True)
    found = oc.pagerank(graph, iterations=20_000, checkpoint=tmp_path / "state", resume=True)
    told = found.stats["checkpoints"]
    assert 0 < told["resumed_after"] < 20_000 and (told["saved"], told["seconds"]) == (0, 0.0), told
    assert found.stats["iterations"] == 20_000 > len([event for event in records if event["event"] == "iteration"])
    assert found.to_dict() == oc.pagerank(graph, iterations=20_000).to_dict()
