"""Runs that go on from the last result after updates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import outcrop as oc

RUNS: dict[str, Callable[..., oc.Result]] = {
    "wcc": oc.weakly_connected_components,
    "bfs": lambda graph, **given: oc.bfs(graph, 0, **given),
    "sssp": lambda graph, **given: oc.sssp(graph, 0, **given),
    "pagerank": lambda graph, **given: oc.pagerank(graph, tol=1e-9, max_iter=1000, **given),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_after_an_update_goes_on_to_the_same_answer(tmp_path: Path, name: str) -> None:
    run, rng = RUNS[name], np.random.default_rng(3)
    ends = rng.permutation(3000), rng.integers(0, 3000, 3000), rng.integers(0, 3000, 3000)
    sources, targets = np.concatenate([ends[0], ends[1]]), np.concatenate([ends[1], ends[2]])
    with oc.build((sources, targets), tmp_path / "g.outcrop") as graph:
        first = run(graph, incremental=tmp_path / "state").stats["incremental"]
        assert "no previous result" in first["fresh"]
    oc.update(tmp_path / "g.outcrop", remove=(sources[:5], targets[:5]), add=(targets[9:12], sources[3:6]))
    with oc.open(tmp_path / "g.outcrop") as graph:
        found, fresh = run(graph, incremental=tmp_path / "state"), run(graph)
        told = found.stats["incremental"]
        assert "fresh" not in told and told["from_generation"] == 0 and 0 < told["added"] <= 3 and told["removed"] == 5
        if name == "pagerank":
            assert found.stats["iterations"] < fresh.stats["iterations"]
            assert found.to_dict() == pytest.approx(fresh.to_dict(), abs=1e-8)
        else:
            assert found.to_dict() == fresh.to_dict()
            assert told["touched"] < 1500


def test_what_cannot_go_on_says_so(tmp_path: Path) -> None:
    graph = oc.build([(1, 2), (2, 3)], tmp_path / "g.outcrop")
    oc.weakly_connected_components(graph, incremental=tmp_path / "state")
    with pytest.raises(oc.UsageError, match="the algorithm was"):
        oc.bfs(graph, 1, incremental=tmp_path / "state")
    with pytest.raises(oc.UsageError, match="use tol"):
        oc.pagerank(graph, iterations=3, incremental=tmp_path / "ranks")
