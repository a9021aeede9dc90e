"""Programs on whole arrays, beside SciPy and NetworkX."""

from __future__ import annotations

import importlib.util
import itertools
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
    found = oc.gather(graph, values, combine=combine, edge=edge, direction=direction, frontier=frontier)
    np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("edge", ["times", "plus", "first"])
@pytest.mark.parametrize("combine", ["plus", "min", "max", "or", np.multiply, np.maximum])
@pytest.mark.parametrize("direction", ["in", "out"])
def test_small_frontiers_give_what_masks_give(
    random_graph: tuple[oc.Graph, Any], combine: Any, edge: Any, direction: Any
) -> None:
    graph, reference = random_graph
    weights = _dense(reference, np.nan)
    weights = weights if direction == "in" else weights.T
    values = 1 + np.sin(np.arange(len(graph)))
    rows = [40, 7, 7]
    terms = {"times": weights * values[:, None], "plus": weights + values[:, None]}.get(
        edge if combine != "or" else "first", np.where(np.isnan(weights), np.nan, 1.0) * values[:, None]
    )[np.unique(rows)]
    ufunc = {"plus": np.add, "min": np.minimum, "max": np.maximum, "or": np.logical_or}.get(combine, combine)
    nothing = None if isinstance(combine, str) else -1.0
    absent = {"plus": 0, "min": np.inf, "max": -np.inf, "or": False}.get(combine, -1.0)
    columns = [terms[~np.isnan(terms[:, column]), column] for column in range(len(graph))]
    expected = [ufunc.reduce(column) if len(column) else absent for column in columns]
    found = oc.gather(graph, values, combine=combine, edge=edge, direction=direction, frontier=rows, nothing=nothing)
    np.testing.assert_allclose(found.astype(float), np.array(expected, dtype=float), rtol=1e-12)
    mask = np.isin(np.arange(len(graph)), rows)
    again = oc.gather(graph, values, combine=combine, edge=edge, direction=direction, frontier=mask, nothing=nothing)
    assert np.array_equal(found, again)


def test_what_makes_no_sense_is_refused(random_graph: tuple[oc.Graph, Any]) -> None:
    graph, _ = random_graph
    ones = np.ones(len(graph))
    with pytest.raises(oc.UsageError, match="combine must be one of"):
        oc.gather(graph, ones, combine="mean")  # type: ignore[arg-type]
    with pytest.raises(oc.UsageError, match="direction must be one of"):
        oc.gather(graph, ones, direction="up")  # type: ignore[arg-type]
    with pytest.raises(oc.UsageError, match="the frontier must be one boolean per vertex"):
        oc.gather(graph, ones, frontier=ones[1:] > 0)
    with pytest.raises(oc.UsageError, match="the frontier must be row numbers from 0 to"):
        oc.gather(graph, ones, frontier=[0, len(graph)])
    with pytest.raises(oc.UsageError, match="the frontier must be booleans or row numbers"):
        oc.gather(graph, ones, frontier=ones)
    with pytest.raises(oc.BadInputError, match="position 1 of the values is nan"):
        oc.gather(graph, np.where(np.arange(len(graph)) == 1, np.nan, ones), frontier=[1])
    with pytest.raises(oc.BadInputError, match="the values: found"):
        oc.gather(graph, ones[1:], frontier=[1])
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


def test_spins_of_a_tree_are_exact() -> None:
    edges = [(0, 1, 0.7), (1, 2, -0.4), (1, 3, 0.2), (3, 4, 1.1)]
    fields = np.array([0.5, 0.0, -0.3, 0.1, 0.2])
    spins = np.array(list(itertools.product([-1, 1], repeat=5)))
    energy = spins @ fields + sum(weight * spins[:, one] * spins[:, other] for one, other, weight in edges)
    expected = np.exp(energy) @ spins / np.exp(energy).sum()
    graph = oc.build(edges, weight=True, directed=False)
    np.testing.assert_allclose(_examples().mean_spins(graph, fields), expected, rtol=1e-9)


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
    assert oc.gather(graph, given, combine=np.add, edge="plus", frontier=shown, nothing=0).tolist() == [0, 11.5, 0, 0]
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


@pytest.mark.parametrize("mode", ["auto", "push", "pull"])
@pytest.mark.parametrize("batch_size", [1, 7, None])
@pytest.mark.parametrize("direction", ["in", "out"])
def test_edge_maps_search_breadth_first(
    random_graph: tuple[oc.Graph, Any], mode: Any, batch_size: int | None, direction: Any
) -> None:
    graph, reference = random_graph
    nodes = sorted(reference)
    turned = reference.reverse() if direction == "out" and reference.is_directed() else reference
    expected = nx.single_source_shortest_path_length(turned, nodes[0])
    distance, level, frontier = np.full(len(graph), -1), 0, np.array([0])
    distance[0] = 0
    options: dict[str, Any] = {"mode": mode, "batch_size": batch_size, "direction": direction}
    while len(frontier):
        level += 1
        before = distance.copy()
        found = oc.edge_map(graph, frontier, lambda *_: None, before < 0, first=True, **options)
        again = oc.edge_map(graph, frontier, lambda *_: None, lambda rows, known=before: known[rows] < 0, **options)
        assert np.array_equal(found, again)
        frontier = np.isin(np.arange(len(graph)), found)
        distance[found] = level
        frontier = found if level % 2 else frontier if frontier.any() else found
    assert distance.tolist() == [expected.get(node, -1) for node in nodes]


@pytest.mark.parametrize("order", ["original", "degree"])
@pytest.mark.parametrize("mode", ["auto", "push", "pull"])
@pytest.mark.parametrize("layout", ["chunked", "compact", "csr", "sliding"])
def test_edge_maps_pass_each_edge_of_the_frontier_once(order: str, mode: Any, layout: str) -> None:
    rng = np.random.default_rng(6)
    source, target = rng.integers(0, 80, 600), rng.integers(0, 80, 600) ** 2 % 83
    graph = oc.build((source, target), weight=np.arange(600.0), order=order, layout=layout)
    ids = graph.nodes().to_arrow()["node"].to_numpy()
    frontier, wanted = np.arange(len(graph)) % 3 == 0, np.arange(len(graph)) % 2 == 0
    rows = np.searchsorted(ids, source), np.searchsorted(ids, target)
    expected = {
        (int(one), int(other), weight)
        for one, other, weight in zip(*rows, np.arange(600.0), strict=True)
        if frontier[one] and wanted[other]
    }
    seen: list[tuple[int, int, float]] = []
    per_target: dict[int, list[int]] = {}

    def update(sources: Any, targets: Any, weights: Any) -> Any:
        seen.extend(zip(sources.tolist(), targets.tolist(), weights.tolist(), strict=True))
        for one, other in zip(sources.tolist(), targets.tolist(), strict=True):
            per_target.setdefault(other, []).append(one)
        return weights > 300

    active = oc.edge_map(graph, frontier, update, wanted, weights=True, mode=mode, batch_size=50)
    assert len(seen) == len(expected) and set(seen) == expected
    assert active.tolist() == sorted({other for _, other, weight in expected if weight > 300})
    other_way: dict[int, list[int]] = {}

    def note(sources: Any, targets: Any, _: Any) -> None:
        for one, other in zip(sources.tolist(), targets.tolist(), strict=True):
            other_way.setdefault(other, []).append(one)

    oc.edge_map(graph, frontier, note, wanted, mode="pull" if mode == "push" else "push")
    assert other_way == per_target
    for weights, size in [(False, None), (True, 9)]:
        other_way.clear()
        active = oc.edge_map(graph, frontier, note, wanted, first=True, mode=mode, weights=weights, batch_size=size)
        assert other_way == {target: sources[:1] for target, sources in per_target.items()}
        assert active.tolist() == sorted(per_target)


def test_shortest_paths_by_edge_maps(random_graph: tuple[oc.Graph, Any]) -> None:
    graph, reference = random_graph
    nodes = sorted(reference)
    expected = nx.single_source_dijkstra_path_length(reference, nodes[0])
    assert _examples().shortest_paths(graph, 0).tolist() == [expected.get(node, np.inf) for node in nodes]


def test_edge_maps_see_updates_and_what_a_condition_excludes(build: Build) -> None:
    graph = build([(1, 2), (1, 3), (2, 3), (3, 1)])
    graph.update(add=[(1, 1), (2, 9)], merge_above="never")
    heard: list[list[int]] = []
    oc.edge_map(graph, [0, 1], lambda sources, targets, _: heard.append([*sources, *targets]))
    assert heard == [[0, 0, 0, 1, 1, 0, 1, 2, 2, 3]]
    once, visits = np.ones(len(graph), dtype=bool), []

    def visit(sources: Any, targets: Any, _: Any) -> None:
        visits.extend(targets.tolist())
        once[targets] = False

    assert oc.edge_map(graph, [0, 1], visit, once, batch_size=1).tolist() == [0, 1, 2, 3]
    assert sorted(visits) == [0, 1, 2, 3]
    assert oc.edge_map(graph, [], visit).tolist() == []
    assert oc.edge_map(graph, np.zeros(len(graph), dtype=bool), visit, mode="pull").tolist() == []


def test_wrong_arguments_of_edge_maps_are_refused(random_graph: tuple[oc.Graph, Any]) -> None:
    graph, _ = random_graph
    every = np.arange(len(graph))
    with pytest.raises(oc.UsageError, match="mode must be one of"):
        oc.edge_map(graph, every, lambda *_: None, mode="both")  # type: ignore[arg-type]
    with pytest.raises(oc.UsageError, match="cond must be one boolean per vertex"):
        oc.edge_map(graph, every, lambda *_: None, every)
    with pytest.raises(oc.UsageError, match="cond must return one boolean per row"):
        oc.edge_map(graph, every, lambda *_: None, lambda _: np.array([True]))
    with pytest.raises(oc.UsageError, match="update must return one boolean per edge"):
        oc.edge_map(graph, every, lambda *_: np.ones(1, dtype=bool))
    with pytest.raises(oc.UsageError, match="batch_size"):
        oc.edge_map(graph, every, lambda *_: None, batch_size=0)


@pytest.mark.parametrize("batch_size", [1, 7, 1 << 20])
@pytest.mark.parametrize("layout", ["chunked", "compact", "csr", "sliding"])
def test_a_selection_brings_the_lists_of_its_vertices(build: Build, batch_size: int, layout: str) -> None:
    rng = np.random.default_rng(8)
    source, target = rng.integers(0, 90, 700), rng.integers(0, 90, 700)
    graph = build((source, target), weight=np.arange(700.0), layout=layout, order="degree")
    every = {row: lists for row, *lists in _lists(oc.sweep(graph, "out", weights=True))}
    chosen = np.array([3, 80, 41, 3])
    found = list(_lists(oc.sweep(graph, "out", weights=True, vertices=chosen, batch_size=batch_size)))
    assert {row: lists for row, *lists in found} == {row: every[row] for row in chosen.tolist()} and len(found) == 3


def _lists(batches: Any) -> Any:
    for some in batches:
        for place, row in enumerate(some.vertices.tolist()):
            part = slice(some.offsets[place], some.offsets[place + 1])
            yield row, some.neighbors[part].tolist(), some.weights[part].tolist()


def test_a_small_frontier_reads_little(tmp_path: Path) -> None:
    count = 200_000
    rng = np.random.default_rng(2)
    oc.build((rng.integers(0, count, 2 * count), rng.integers(0, count, 2 * count)), tmp_path / "g.outcrop").close()
    values = np.ones(count)

    def read(frontier: Any) -> int:
        with oc.open(tmp_path / "g.outcrop", memory="32MiB", io="pread") as graph:
            before = _bytes_read()
            oc.gather(graph, values[: len(graph)], edge="first", frontier=frontier)
            return _bytes_read() - before

    with oc.open(tmp_path / "g.outcrop") as graph:
        every = np.ones(len(graph), dtype=bool)
    assert 2 * read([0]) < read(every)


def _bytes_read() -> int:
    try:
        lines = Path("/proc/self/io").read_text().splitlines()
    except OSError:
        pytest.skip("the system does not count what a process reads")
    return int(lines[0].removeprefix("rchar: "))
