"""Programs on whole arrays, beside SciPy and NetworkX."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import outcrop as oc


def _examples() -> Any:
    path = Path(__file__).parents[3] / "examples" / "own_programs.py"
    spec = importlib.util.spec_from_file_location("own_programs", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _dense(reference: Any, absent: float) -> Any:
    """Weights of edges, from a row to a column."""
    nodes = sorted(reference)
    matrix = np.full((len(nodes), len(nodes)), absent)
    for source, target, weight in reference.edges(data="weight", default=1.0):
        matrix[nodes.index(source), nodes.index(target)] = weight
        if not reference.is_directed():
            matrix[nodes.index(target), nodes.index(source)] = weight
    return matrix


@pytest.mark.parametrize("edge", ["times", "plus", "first"])
@pytest.mark.parametrize("combine", ["plus", "min", "max", "or"])
@pytest.mark.parametrize("direction", ["in", "out"])
def test_gathers_are_products(random_graph: tuple[oc.Graph, Any], combine: Any, edge: Any, direction: Any) -> None:
    graph, reference = random_graph
    weights = _dense(reference, np.nan)
    weights = weights if direction == "in" else weights.T
    values = np.sin(np.arange(len(graph))) if combine != "or" else np.arange(len(graph)) % 5 == 0
    frontier = np.arange(len(graph)) % 3 != 1
    terms = {"times": weights * values[:, None], "plus": weights + values[:, None]}.get(
        edge, np.where(np.isnan(weights), np.nan, 1.0) * values[:, None]
    )
    if combine == "or":
        terms = np.where(np.isnan(weights), np.nan, values[:, None])
    terms = np.where(frontier[:, None], terms, np.nan)
    expected = {
        "plus": lambda: np.nansum(terms, axis=0),
        "min": lambda: np.nanmin(terms, axis=0, initial=np.inf),
        "max": lambda: np.nanmax(terms, axis=0, initial=-np.inf),
        "or": lambda: np.nansum(terms, axis=0) > 0,
    }[combine]()
    if (combine, edge) == ("plus", "plus"):
        return  # A frontier of sums gives weights all the same: what is refused is tested below.
    found = oc.gather(graph, values, combine=combine, edge=edge, direction=direction, frontier=frontier)
    np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=1e-9, atol=1e-12)


def test_what_makes_no_sense_is_refused(random_graph: tuple[oc.Graph, Any]) -> None:
    graph, _ = random_graph
    ones = np.ones(len(graph))
    with pytest.raises(oc.UsageError, match="combine is one of"):
        oc.gather(graph, ones, combine="mean")  # type: ignore[arg-type]
    with pytest.raises(oc.UsageError, match="direction is one of"):
        oc.gather(graph, ones, direction="up")  # type: ignore[arg-type]
    with pytest.raises(oc.UsageError, match="frontier"):
        oc.gather(graph, ones, edge="plus", frontier=ones > 0)
    with pytest.raises(oc.BadInputError, match="values where the graph has"):
        oc.gather(graph, ones[1:])
    with pytest.raises(oc.BadInputError, match="not a finite number"):
        oc.gather(graph, ones * np.inf)


def test_pagerank_by_products_and_by_supersteps(random_graph: tuple[oc.Graph, Any]) -> None:
    graph, _ = random_graph
    degree = graph.degree(direction="out").to_numpy("degree")
    built_in = oc.pagerank(graph, iterations=20, weight=None).to_numpy("pagerank")

    def share(rank: Any) -> Any:
        return rank / np.maximum(degree, 1)

    def jump(rank: Any, heard: Any) -> Any:
        return (0.15 + 0.85 * rank[degree == 0].sum()) / len(graph) + 0.85 * heard

    rank = oc.pregel(graph, np.full(len(graph), 1 / len(graph)), share, "plus", jump, max_supersteps=20)
    np.testing.assert_allclose(rank, built_in, rtol=1e-9)


def test_examples_give_what_others_give() -> None:
    examples = _examples()
    reference = nx.gnp_random_graph(60, 0.1, seed=4, directed=True)
    graph = oc.build(list(reference.edges), num_vertices=60, ids="dense")
    hubs, authorities = examples.hits(graph, 200)
    for found, expected in zip((hubs, authorities), nx.hits(reference), strict=True):
        np.testing.assert_allclose(found, [expected[node] for node in range(60)], atol=1e-8)
    assert examples.simrank(graph, 3, 3) > examples.simrank(graph, 3, 4) >= 0

    friends = nx.karate_club_graph()
    club = oc.build([(one, other) for one, other in friends.edges], directed=False)
    labels = np.full(len(club), -1)
    labels[[0, 33]] = [0, 1]
    spread = examples.spread_labels(club, labels)
    truth = [int(friends.nodes[node]["club"] != "Mr. Hi") for node in range(34)]
    assert np.mean(spread == truth) > 0.85

    chances = oc.build([(0, 1, 0.5), (1, 2, 0.5), (0, 2, 0.1), (3, 0, 1.0)], weight=True)
    np.testing.assert_allclose(examples.influence(chances, np.array([1, 0, 0, 0])), [1, 0.5, 0.25, 0])
