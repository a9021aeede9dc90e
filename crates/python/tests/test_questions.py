"""Questions about vertices, beside NetworkX."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import outcrop as oc

Build = Callable[..., oc.Graph]


def _pairs(table: Any, *columns: str) -> list[tuple[Any, ...]]:
    arrow = table.to_arrow()
    return list(zip(*(arrow[column].to_pylist() for column in columns), strict=True))


def test_neighbours_and_degrees_are_those_of_networkx(random_graph: tuple[oc.Graph, Any]) -> None:
    graph, reference = random_graph
    nodes = sorted(reference.nodes)
    assert len(graph) == len(reference) and list(graph) == nodes
    assert all(node in graph for node in nodes)
    assert 10**6 not in graph and -1 not in graph and "x" not in graph and None not in graph
    for node in nodes[:10]:
        assert graph.neighbors(node) == sorted(reference[node])
        sources = reference.predecessors(node) if graph.directed else reference[node]
        assert graph.in_neighbors(node) == sorted(sources)
        loop = 0 if graph.directed else int(reference.has_edge(node, node))
        assert graph.degree(node) == reference.degree[node] - loop
    asked = [*nodes[::-3], nodes[0], nodes[0]]
    expected = [(node, to, float(reference[node][to]["weight"])) for node in asked for to in sorted(reference[node])]
    for given in (asked, np.array(asked), iter(asked), [str(node) for node in asked]):
        assert _pairs(graph.neighbors(given, weights=True), "node", "neighbor", "weight") == expected
    degrees = graph.degree(asked, direction="out").to_numpy("degree")
    assert degrees.tolist() == [len(reference[node]) for node in asked]
    assert _pairs(graph.degree(), "node") == [(node,) for node in nodes]


def test_edges_and_pairs_are_those_of_networkx(random_graph: tuple[oc.Graph, Any]) -> None:
    graph, reference = random_graph
    turned = [(u, v) if graph.directed or u <= v else (v, u) for u, v in reference.edges]
    edges = graph.edges(weights=True, batch_size=7)
    assert _pairs(edges, "source", "target") == sorted(turned)
    assert [len(batch) for batch in edges][:-1] == [7] * (len(turned) // 7 - (len(turned) % 7 == 0))
    assert edges.to_pandas()["weight"].sum() == sum(w for *_, w in reference.edges(data="weight"))
    assert edges.to_polars().shape == (len(turned), 3)
    assert pa.RecordBatchReader.from_stream(edges).read_next_batch().num_rows == 7
    nodes = sorted(reference.nodes)
    sources, targets = nodes * len(nodes), [node for node in nodes for _ in nodes]
    found = graph.has_edge(sources, targets)
    assert found == [reference.has_edge(*pair) for pair in zip(sources, targets, strict=True)]
    assert graph.has_edge(nodes[0], nodes[1]) is reference.has_edge(nodes[0], nodes[1])


def test_subgraphs_are_those_of_networkx(random_graph: tuple[oc.Graph, Any], build: Build) -> None:
    import networkx as nx

    graph, reference = random_graph

    def sorted_edges(of: Any) -> list[tuple[int, int]]:
        return sorted((u, v) if graph.directed or u <= v else (v, u) for u, v in of.edges)

    nodes = sorted(reference.nodes)[::2]
    stream = graph.subgraph(nodes)
    assert _pairs(stream, "source", "target") == sorted_edges(reference.subgraph(nodes))
    if len(_pairs(stream, "source")):
        assert build(stream, directed=graph.directed).num_edges == len(_pairs(stream, "source"))
    around = nx.ego_graph(reference, nodes[0], radius=2)
    assert _pairs(graph.ego(nodes[0], 2), "source", "target") == sorted_edges(around)


def test_samples_come_from_neighbours_and_repeat(random_graph: tuple[oc.Graph, Any]) -> None:
    graph, reference = random_graph
    seeds = sorted(reference.nodes)[:5]
    drawn = _pairs(graph.sample_neighbors(seeds, [3, 2], seed=5), "layer", "source", "neighbor")
    assert drawn == _pairs(graph.sample_neighbors(np.array(seeds), [3, 2], seed=5), "layer", "source", "neighbor")
    assert all(reference.has_edge(source, to) for _, source, to in drawn)
    for node in seeds:
        count = sum(1 for layer, source, _ in drawn if (layer, source) == (0, node))
        assert count == min(3, len(reference[node]))
    again = graph.sample_neighbors(seeds, [3], replace=True, weighted=True)
    assert len(again) == 3 * sum(1 for node in seeds if len(reference[node]))


def test_texts_and_what_is_refused(build: Build) -> None:
    graph = build([("a", "b"), ("b", "c"), ("a", "5")])
    assert graph.neighbors("a") == ["5", "b"] and 5 in graph and "d" not in graph
    assert graph.degree(5) == 1 and graph.neighbors(["c", "b"]).to_numpy("neighbor").tolist() == ["c"]
    with pytest.raises(oc.UsageError, match='no vertex "d"'):
        graph.neighbors(["a", "d"])
    for call in (
        lambda: graph.neighbors("a", weights=True),
        lambda: graph.has_edge(["a"], ["a", "b"]),
        lambda: graph.edges(batch_size=0),
        lambda: graph.ego("a", -1),
        lambda: graph.degree("a", direction="up"),  # type: ignore[call-overload]
        lambda: graph.sample_neighbors(["a"], [1], weighted=True),
    ):
        with pytest.raises(oc.UsageError):
            call()
    with pytest.raises(TypeError, match="an integer or a string"):
        graph.neighbors([1.5])  # type: ignore[list-item]
    assert len(graph.neighbors([])) == 0 and graph.has_edge([], []) == []


def test_a_stream_may_be_left_and_outlives_its_graph(build: Build) -> None:
    graph = build([(number, number + 1) for number in range(200_000)])
    for batch in graph.edges(batch_size=10):
        assert len(batch) == 10
        break
    reader = pa.RecordBatchReader.from_stream(graph.edges())
    assert reader.read_next_batch().num_rows == 32768
    graph.close()
    assert reader.read_all().num_rows == 200_000 - 32768
    del reader
    gc.collect()
    with pytest.raises(ValueError, match="closed"):
        list(graph.edges())
