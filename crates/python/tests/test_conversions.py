"""Graphs as other libraries have them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import outcrop as oc

Build = Callable[..., oc.Graph]


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_to_networkx_and_back(kind: Any, texts: bool, weighted: bool) -> None:
    theirs = kind([(3, 5), (5, 9), (9, 9), (9, 3), (9, 3), (3, 9)])
    theirs.add_node(1)
    if weighted:
        theirs = nx.from_edgelist([(*edge[:2], {"weight": n + 0.5}) for n, edge in enumerate(theirs.edges)], kind)
        theirs.add_node(1)
    if texts:
        theirs = nx.relabel_nodes(theirs, {node: f"n{node}" for node in theirs})

    def row(edge: Any) -> Any:
        ends = edge[:2] if theirs.is_directed() else sorted(edge[:2])
        return (*ends, edge[2])

    found = oc.build(theirs).to_networkx()
    assert type(found) is kind
    assert set(found) == set(theirs)
    rows = [sorted(map(row, graph.edges(data="weight"))) for graph in (found, theirs)]
    assert rows[0] == rows[1]


def test_to_scipy(random_graph: tuple[oc.Graph, Any]) -> None:
    ours, theirs = random_graph
    expected = nx.to_scipy_sparse_array(theirs, nodelist=sorted(theirs))
    assert (ours.to_scipy() != expected).nnz == 0
    vector = np.arange(ours.num_vertices, dtype=float)
    assert np.allclose(oc.spmv(ours, vector).to_numpy("value"), ours.to_scipy().T @ vector)


def test_to_igraph(build: Build) -> None:
    pytest.importorskip("igraph")
    graph = build([("a", "b", 0.5), ("b", "c", 2.0)]).to_igraph()
    assert (graph.vs["name"], graph.get_edgelist(), graph.es["weight"]) == (
        ["a", "b", "c"],
        [(0, 1), (1, 2)],
        [0.5, 2.0],
    )
    graph = build([(7, 3)], directed=False).to_igraph()
    assert (graph.vs["id"], graph.is_directed(), graph.es.attributes()) == ([3, 7], False, [])


def test_limits_are_told(build: Build) -> None:
    graph = build([(1, 2), (2, 3)])
    for convert in (graph.to_networkx, graph.to_scipy, graph.to_igraph):
        with pytest.raises(oc.UsageError, match="3 vertices, .* pass limit=3"):
            convert(2)
        with pytest.raises(oc.UsageError, match="2 edges, .* pass limit=2"):
            convert(limit=1)
    assert graph.to_networkx(3).number_of_nodes() == 3


def test_graphs_without_edges(build: Build) -> None:
    graph = build(np.zeros((0, 2), dtype=int), ids="dense", num_vertices=3)
    assert sorted(graph.to_networkx()) == [0, 1, 2]
    assert graph.to_scipy().shape == (3, 3)


def test_exports_in_store_order_rename_nodes(tmp_path: Path) -> None:
    edges = [("a", "b", 1.0), ("b", "hub", 2.0), ("hub", "c", 3.0), ("hub", "hub", 4.0)]
    graph = oc.build(edges, tmp_path / "g.outcrop", order="degree")
    assert graph.export(tmp_path / "store.csv", order="store") == 4
    found = sorted(tuple(map(float, line.split(","))) for line in (tmp_path / "store.csv").read_text().split())
    position = {"hub": 0, "b": 1, "a": 2, "c": 3}
    assert found == sorted((position[source], position[target], weight) for source, target, weight in edges)
    with pytest.raises(oc.UsageError, match="order must be id or store"):
        graph.export(tmp_path / "store.el", order="degree")  # type: ignore[arg-type]
