"""Programs on whole arrays, beside SciPy and NetworkX."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import networkx as nx
import numpy as np
import pytest

import outcrop as oc

Build = Callable[..., oc.Graph]


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
    with pytest.raises(oc.UsageError, match="combine must be one of"):
        oc.gather(graph, ones, combine="mean")  # type: ignore[arg-type]
    with pytest.raises(oc.UsageError, match="direction must be one of"):
        oc.gather(graph, ones, direction="up")  # type: ignore[arg-type]
    with pytest.raises(oc.UsageError, match="frontier"):
        oc.gather(graph, ones, edge="plus", frontier=ones > 0)
    with pytest.raises(oc.BadInputError, match="values, expected"):
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


@pytest.mark.parametrize("order", ["original", "degree"])
@pytest.mark.parametrize("batch_size", [1, 7, 1 << 20])
@pytest.mark.parametrize("layout", ["chunked", "compact", "csr"])
def test_a_sweep_brings_every_list_once(order: str, batch_size: int, layout: str) -> None:
    rng = np.random.default_rng(5)
    source, target = rng.integers(0, 60, 500), rng.integers(0, 60, 500) ** 2 % 61
    weight = rng.integers(1, 9, 500).astype(float)
    graph = oc.build((source, target), weight=weight, order=order, layout=layout)
    matrix = np.zeros((len(graph), len(graph)))
    ids = graph.nodes().to_arrow()["node"].to_numpy()
    np.add.at(matrix, (np.searchsorted(ids, source), np.searchsorted(ids, target)), weight)
    directions: list[Literal["in", "out"]] = ["in", "out"]
    for direction in directions:
        found, seen = np.zeros_like(matrix), []
        for some in oc.sweep(graph, direction, weights=True, batch_size=batch_size):
            assert some.weights is not None and len(some.offsets) == len(some.vertices) + 1
            assert some.offsets[-1] == len(some.neighbors) == len(some.weights)
            assert len(some.vertices) <= max(1, batch_size)
            assert len(some.neighbors) <= batch_size or len(some.vertices) == 1
            seen += some.vertices.tolist()
            owners = np.repeat(some.vertices, np.diff(some.offsets))
            ends = (some.neighbors, owners) if direction == "in" else (owners, some.neighbors)
            np.add.at(found, ends, some.weights)
        assert sorted(seen) == list(range(len(graph)))
        assert np.array_equal(found, matrix)


def test_a_sweep_outlives_its_arrays_and_sees_updates(build: Build) -> None:
    graph = build([(1, 2), (1, 3), (2, 3)])
    [some] = list(oc.sweep(graph, "out"))
    assert some.weights is None
    graph.update(add=[(3, 1)], merge_above="never")
    [later] = list(oc.sweep(graph, "out"))
    assert some.neighbors.tolist() == [1, 2, 2] and later.neighbors.tolist() == [1, 2, 2, 0]
    with pytest.raises(oc.UsageError, match="no weights"):
        next(oc.sweep(graph, weights=True))
    with pytest.raises(oc.UsageError, match="batch_size"):
        next(oc.sweep(graph, batch_size=0))
    graph.close()
    with pytest.raises(ValueError, match="closed"):
        next(oc.sweep(graph))


def test_a_sweep_takes_its_memory_from_the_budget(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    oc.build((rng.integers(0, 1000, 20_000), rng.integers(0, 1000, 20_000)), tmp_path / "g.outcrop").close()
    with oc.open(tmp_path / "g.outcrop", memory="32MiB") as graph:
        assert sum(len(some.neighbors) for some in oc.sweep(graph, batch_size=1000)) == 20_000
        with pytest.raises(oc.BudgetError) as refused:
            next(oc.sweep(graph, batch_size=1 << 22))
        assert (refused.value.minimum or 0) > 32 << 20


def test_any_ufunc_and_function_combines(build: Build) -> None:
    graph = build([(1, 2), (3, 2), (2, 4)], weight=[0.5, 4.0, 2.0])
    given = np.array([2.0, 3.0, 5.0, 7.0])
    assert oc.gather(graph, given, combine=np.multiply).tolist() == [1.0, 20.0, 1.0, 6.0]
    assert oc.gather(graph, given, combine=np.maximum, edge="first", nothing=-1).tolist() == [-1, 5, -1, 3]
    shown = np.array([True, False, True, True])
    assert oc.gather(graph, given, combine=np.add, edge="plus", frontier=shown, nothing=0).tolist() == [0, 11.5, 0, 2.0]
    assert oc.gather(graph, given, combine="min", edge=lambda number, weight: number**weight).tolist()[1] == 2**0.5
    assert oc.gather(graph, given.astype(int), combine=np.bitwise_or, edge="first").tolist() == [0, 7, 0, 3]
    with pytest.raises(oc.UsageError, match="no identity"):
        oc.gather(graph, given, combine=np.maximum)
    with pytest.raises(oc.UsageError, match="a known name, a NumPy ufunc"):
        oc.gather(graph, given, combine=max)
    with pytest.raises(oc.UsageError, match="one number per vertex"):
        oc.gather(graph, given[1:], combine=np.multiply)
    heard: list[list[float]] = []
    oc.pregel(graph, given, lambda state: state, np.multiply, lambda _, arrived: heard.append(arrived.tolist()),
              direction="both")  # fmt: skip
    assert heard == [[3.0, 2.0 * 5.0 * 7.0, 3.0, 3.0]]


def test_functions_that_numba_has_compiled_combine(build: Build) -> None:
    numba = pytest.importorskip("numba")
    graph = build([(1, 2), (3, 2), (2, 4)])
    given = np.array([2.0, 3.0, 5.0, 7.0])

    def farther(one: float, other: float) -> float:
        return (one * one + other * other) ** 0.5

    expected = [0, 29**0.5, 0, 3]
    compiled = [numba.njit(farther), numba.vectorize(farther), numba.cfunc("f8(f8, f8)")(farther)]
    for function in compiled:
        assert oc.gather(graph, given, combine=function, nothing=0).tolist() == pytest.approx(expected)
