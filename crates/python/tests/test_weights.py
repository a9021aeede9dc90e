"""Weights of edges against NetworkX: repeated edges, loops, weights of 0, vertices whose out-edges have none."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import networkx as nx
import numpy as np
import pytest

import outcrop as oc

Build = Callable[..., oc.Graph]
Both = tuple[oc.Graph, Any]

EXACTLY = {"tol": 1e-13, "max_iter": 2000}


def expected_ranks(reference: Any, **given: Any) -> dict[int, float]:
    """Ranks of NetworkX, to the last digits."""
    ranks: dict[int, float] = nx.pagerank(reference, tol=1e-15, max_iter=5000, **given)
    return ranks


@pytest.fixture(params=["directed", "undirected", "multigraph", "undirected multigraph"])
def both(request: pytest.FixtureRequest, build: Build) -> Both:
    """A graph with weights from 0 on, here and in NetworkX."""
    directed, repeated = "undirected" not in request.param, "multigraph" in request.param
    random = np.random.default_rng(len(request.param))
    edges = random.integers(0, 50, (180, 2))
    edges = edges[edges[:, 0] % 7 > 0]
    if not repeated:
        edges = np.unique(edges if directed else np.sort(edges, axis=1), axis=0)
    weights = random.integers(1, 90, len(edges)) / 8.0
    # Some edges, and all those of some vertices, have no weight.
    weights[(edges[:, 0] % 5 == 0) | (np.arange(len(edges)) % 11 == 0)] = 0.0
    kinds = {(True, False): nx.DiGraph, (False, False): nx.Graph, (True, True): nx.MultiDiGraph}
    reference: Any = kinds.get((directed, repeated), nx.MultiGraph)()
    rows = zip(edges.tolist(), weights.tolist(), strict=True)
    reference.add_weighted_edges_from((source, target, weight) for (source, target), weight in rows)
    return build(edges, weight=weights, directed=directed), reference


@pytest.mark.parametrize(
    ("way", "delta"),
    [
        (oc.Engine(model="edge_map"), None),
        (oc.Engine(model="interval", values="memory"), None),
        (oc.Engine(model="interval", values="disk"), None),
        (oc.Engine(model="messages"), None),
        (oc.Engine(model="edge_map"), 0.0),
        (oc.Engine(model="messages"), 0.0),
    ],
    ids=str,
)
def test_ranks_by_weight(both: Both, way: oc.Engine, delta: float | None) -> None:
    graph, reference = both
    result = oc.pagerank(graph, **EXACTLY, delta=delta, options=way)
    assert result.to_dict() == pytest.approx(expected_ranks(reference), abs=1e-9)
    assert result.stats["weighted"] and result.stats["model"] == way.model
    plain = oc.pagerank(graph, weight=None, **EXACTLY, delta=delta, options=way)
    assert plain.to_dict() == pytest.approx(expected_ranks(reference, weight=None), abs=1e-9)
    assert not plain.stats["weighted"]
    assert plain.to_dict() != pytest.approx(result.to_dict(), abs=1e-4)


def test_ranks_by_weight_with_personalization(both: Both) -> None:
    graph, reference = both
    jumps = {node: 1.0 + node % 3 for node in list(reference)[:5]}
    models: list[Literal["edge_map", "interval", "messages"]] = ["edge_map", "interval", "messages"]
    for model in models:
        found = oc.pagerank(graph, 0.7, jumps, **EXACTLY, options=oc.Engine(model=model)).to_dict()
        assert found == pytest.approx(expected_ranks(reference, alpha=0.7, personalization=jumps), abs=1e-9)


def test_ranks_of_one_source_by_weight(both: Both) -> None:
    graph, reference = both
    for source in (1, 6, 5):
        for weight in ("weight", None):
            found = oc.personalized_pagerank(graph, source, tol=1e-12, weight=weight)  # type: ignore[arg-type]
            expected = expected_ranks(reference, personalization={source: 1}, weight=weight)
            assert found.to_dict() == pytest.approx(expected, abs=1e-9)
            assert found.stats["weighted"] == (weight is not None)


def test_ranks_of_one_source_are_within_their_bound(both: Both) -> None:
    graph, reference = both
    found = oc.personalized_pagerank(graph, 1, tol=1e-4).to_dict()
    expected = expected_ranks(reference, personalization={1: 1})
    errors = {node: expected[node] - found[node] for node in expected}
    assert min(errors.values()) > -1e-12 and sum(errors.values()) <= 1e-4 * max(found.values()) + 1e-12


def test_shortest_paths_by_weight(both: Both) -> None:
    graph, reference = both
    for source in (1, 6):
        expected = nx.single_source_dijkstra_path_length(reference, source)
        found = oc.sssp(graph, source).to_dict()
        assert {node: distance for node, distance in found.items() if distance is not None} == pytest.approx(expected)


def test_weights_that_ranks_cannot_have_are_refused(build: Build) -> None:
    graph = build([("a", "b"), ("b", "c"), ("b", "a")], weight=[1.0, 2.0, -0.5])
    for run in (
        lambda: oc.pagerank(graph),
        lambda: oc.pagerank(graph, options=oc.Engine(model="interval", values="disk")),
        lambda: oc.pagerank(graph, options=oc.Engine(model="messages")),
        lambda: oc.pagerank(graph, options=oc.Engine(model="messages"), delta=0.1),
        lambda: oc.personalized_pagerank(graph, "a"),
        lambda: oc.label_propagation(graph, weight="weight"),
    ):
        with pytest.raises(oc.BadInputError, match="the edge from b to a has the weight -0.5"):
            run()
    assert sum(oc.pagerank(graph, weight=None).to_dict().values()) == pytest.approx(1)
    with pytest.raises(oc.UsageError, match="use weight=None"):
        oc.pagerank(graph, options=oc.Engine(model="gas"))
    assert oc.pagerank(graph, options=oc.Engine(model="gas"), weight=None).stats["model"] == "gas"


def test_weight_is_the_one_of_the_store_or_none(build: Build) -> None:
    graph = build([(1, 2), (2, 3)])
    assert oc.pagerank(graph).to_dict() == oc.pagerank(graph, weight=None).to_dict()
    with pytest.raises(oc.UsageError, match='weight must be "weight"'):
        oc.pagerank(graph, weight="length")  # type: ignore[arg-type]
    with pytest.raises(oc.UsageError, match="the store has none"):
        oc.label_propagation(graph, weight="weight")


def test_ranks_of_a_real_graph_by_weight(data: Path, build: Build) -> None:
    file = data / "graphs" / "w-netscience.wel.gz"
    if not file.exists():
        pytest.skip(f"{file} is missing")
    with gzip.open(file, "rt") as lines:
        rows = [(int(source), int(target), float(weight)) for source, target, weight in map(str.split, lines)]
    reference: Any = nx.Graph()
    reference.add_weighted_edges_from(rows)
    graph = build([row[:2] for row in rows], weight=[row[2] for row in rows], directed=False)
    assert oc.pagerank(graph, **EXACTLY).to_dict() == pytest.approx(expected_ranks(reference), abs=1e-9)
