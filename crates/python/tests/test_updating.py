"""Edges in and out of stores that are there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import outcrop as oc



def distances(store: Path, source: int | str) -> dict[int | str, int | None]:
    with oc.open(store) as graph:
        graph.check()
        return oc.bfs(graph, source=source).to_dict()


def test_edges_of_all_kinds(tmp_path: Path) -> None:
    store = tmp_path / "g.outcrop"
    oc.build([(1, 2), (2, 3), (3, 4)], store).close()
    (tmp_path / "add.csv").write_text("src,dst\n4,1\n")
    record = oc.update(store, add=tmp_path / "add.csv", remove=np.array([(3, 4), (4, 3)]), merge_above="never")
    assert (record["added"], record["removed"], record["absent"], record["merged"]) == (1, 1, 1, False)
    assert record["updates"]["generation"] == 1
    assert distances(store, 4) == {1: 1, 2: 2, 3: 3, 4: 0}
    oc.update(store, add=pl.DataFrame({"source": [3], "target": [4]}), remove=[(2, 3)], merge=True)
    assert distances(store, 1) == {1: 0, 2: 1, 3: None, 4: None}
    with oc.open(store) as graph:
        assert "updates" not in graph.info()


def test_weights_and_new_vertices(tmp_path: Path) -> None:
    store = tmp_path / "g.outcrop"
    oc.build([("a", "b"), ("b", "c")], store, weight=[1.0, 2.0], weight_type="f64", dedup="sum").close()
    record = oc.update(store, add=[("a", "b"), ("c", "d")], weight=np.array([0.5, 4.0]))
    assert (record["added"], record["reweighted"], record["new_vertices"], record["merged"]) == (1, 1, 1, True)
    with oc.open(store) as graph:
        assert oc.sssp(graph, source="a").to_dict() == {"a": 0.0, "b": 1.5, "c": 3.5, "d": 7.5}
    with pytest.raises(oc.UsageError, match="weights"):
        oc.update(store, add=[("a", "b")])


def test_an_open_store_is_not_updated(tmp_path: Path) -> None:
    with oc.build([(1, 2)], tmp_path / "g.outcrop"), pytest.raises(oc.StoreInUseError):
        oc.update(tmp_path / "g.outcrop", add=[(2, 1)])
    with pytest.raises(oc.UsageError, match="share"):
        oc.update(tmp_path / "g.outcrop", add=[(2, 1)], merge_above="much")
    assert distances(tmp_path / "g.outcrop", 2) == {1: None, 2: 0}
