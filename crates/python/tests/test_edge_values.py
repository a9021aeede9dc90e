"""Gather-apply-scatter programs on arrays, beside a simulation with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import outcrop as oc

Build = Callable[..., oc.Graph]
Apply = Callable[[Any, Any, Any], Any]
Scatter = Callable[[Any, oc.EdgeBatch], Any]

_UFUNCS = {"plus": np.add, "times": np.multiply, "min": np.minimum, "max": np.maximum}
_NOTHING = {"plus": 0.0, "times": 1.0, "min": np.inf, "max": -np.inf}


def _arcs(reference: Any, direction: str) -> tuple[Any, Any, Any]:
    """Sources, targets and weights of the edges that values follow, by rows."""
    row = {node: number for number, node in enumerate(sorted(reference))}
    arcs = {}
    for source, target, weight in reference.edges(data="weight", default=1.0):
        if direction != "out" or not reference.is_directed():
            arcs[row[source], row[target]] = weight
        if direction != "in" or not reference.is_directed():
            arcs[row[target], row[source]] = weight
        if direction == "both" and source == target:
            del arcs[row[source], row[target]]
    ends = np.array(sorted(arcs))
    return ends[:, 0], ends[:, 1], np.array([arcs[source, target] for source, target in sorted(arcs)])


def _simulated(
    arcs: tuple[Any, Any, Any], init: Any, gather: str, apply: Apply, scatter: Scatter, *, iterations: int = 1000
) -> Any:
    """Values after a run, with one call per function and iteration."""
    sources, targets, weights = arcs
    place = {(source, target): at for at, (source, target) in enumerate(zip(sources, targets, strict=True))}
    back = np.array([place.get((target, source), -1) for source, target in place])
    values, edges = init.astype(float), np.zeros(len(sources))
    changed = np.ones(len(values), dtype=bool)
    for iteration in range(iterations + 1):
        if iteration > 0:
            gathered = np.full(len(values), _NOTHING[gather])
            _UFUNCS[gather].at(gathered, targets, edges)
            heard = np.zeros(len(values), dtype=bool)
            heard[targets[changed[sources]]] = True
            rows = np.flatnonzero(heard | (iteration == 1))
            new = values.copy()
            new[rows] = apply(values[rows], gathered[rows], rows)
            changed, values = new != values, new
        if not changed.any():
            break
        sent = changed[sources]
        reverse = np.where(back >= 0, edges[back], np.nan)
        batch = oc.EdgeBatch(sources[sent], targets[sent], weights[sent], edges[sent], reverse[sent])
        following = edges.copy()
        following[sent] = scatter(values[sources[sent]], batch)
        edges = following
    return values


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("direction", ["in", "out", "both"])
@pytest.mark.parametrize("gather", ["plus", "times", "min", "max"])
def test_programs_give_what_numpy_gives(
    random_graph: tuple[oc.Graph, Any], gather: Any, direction: Any, reverse: bool
) -> None:
    graph, reference = random_graph
    init = np.sin(np.arange(len(graph)))

    def apply(old: Any, gathered: Any, rows: Any) -> Any:
        # A third of the values settle, so that their edges keep values.
        heard = np.where(np.isfinite(gathered), np.tanh(gathered), 1.0)
        return np.where(rows % 3 == 0, np.round(0.5 * old + heard, 1), 0.5 * old + 0.5 * heard)

    def scatter(values: Any, edges: oc.EdgeBatch) -> Any:
        weights = 1.0 if edges.weights is None or direction == "both" else edges.weights
        sent = values * weights + 0.25 * edges.previous + 0.01 * edges.sources - 0.02 * edges.targets
        assert (edges.reverse is not None) == reverse
        return sent if edges.reverse is None else sent - 0.125 * np.nan_to_num(edges.reverse)

    def simulated_scatter(values: Any, edges: oc.EdgeBatch) -> Any:
        return scatter(values, edges if reverse else edges._replace(reverse=None))

    arcs = _arcs(reference, direction)
    expected = _simulated(arcs, init, gather, apply, simulated_scatter, iterations=9)
    found = oc.gas(
        graph,
        init,
        gather=gather,
        apply=apply,
        scatter=scatter,
        direction=direction,
        reverse=reverse,
        iterations=9,
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_paths_and_ranks_are_those_of_the_package(random_graph: tuple[oc.Graph, Any]) -> None:
    graph, reference = random_graph
    source = sorted(reference)[0]
    init = np.where(np.arange(len(graph)) == 0, 0.0, np.inf)
    lengths = oc.gas(
        graph,
        init,
        gather="min",
        apply=lambda old, gathered, rows: np.minimum(old, gathered),
        scatter=lambda values, edges: values + (1 if edges.weights is None else edges.weights),
    )
    expected = oc.sssp(graph, source).to_numpy("distance")
    np.testing.assert_allclose(lengths, np.where(np.isnan(expected), np.inf, expected), rtol=1e-12)
    degree = np.maximum(graph.degree(direction="out").to_numpy("degree"), 1)
    dangling = graph.degree(direction="out").to_numpy("degree") == 0
    if dangling.any():
        return
    ranks = oc.gas(
        graph,
        np.full(len(graph), 1 / len(graph)),
        apply=lambda old, gathered, rows: 0.15 / len(graph) + 0.85 * gathered,
        scatter=lambda values, edges: values / degree[edges.sources],
        tol=1e-15,
    )
    np.testing.assert_allclose(ranks, oc.pagerank(graph, weight=None, tol=1e-13).to_numpy("pagerank"), rtol=1e-9)


def test_a_run_stops_at_the_tolerance_or_the_limit(build: Build) -> None:
    graph = build([(0, 1), (1, 2), (2, 0)])
    calls = []

    def apply(old: Any, gathered: Any, rows: Any) -> Any:
        calls.append(len(rows))
        return gathered / 2

    def run(**end: Any) -> Any:
        calls.clear()
        return oc.gas(graph, np.ones(3), apply=apply, scatter=lambda values, edges: values, **end)

    assert run(iterations=0).tolist() == [1, 1, 1] and calls == []
    assert run(iterations=3).tolist() == [1 / 8] * 3 and calls == [3, 3, 3]
    # The third iteration changes values by 1/8.
    assert run(tol=0.125).tolist() == [1 / 8] * 3 and calls == [3, 3, 3]


def test_vertices_without_edges_combine_nothing(build: Build) -> None:
    graph = build([(0, 1)])
    nothing = [float(oc.gas(graph, [2.0, 3.0], gather=name, apply=_heard, scatter=_sent)[0]) for name in _UFUNCS]
    assert nothing == [0.0, 1.0, np.inf, -np.inf]


@pytest.mark.parametrize("reverse", [False, True])
def test_results_do_not_depend_on_threads_memory_or_order(tmp_path: Path, reverse: bool) -> None:
    draws = np.random.default_rng(1)
    ends = draws.integers(0, 40_000, (2, 300_000))
    path = tmp_path / "draws.outcrop"
    found = []
    for order in ("original", "degree"):
        oc.build((ends[0], ends[1]), path, directed=False, order=order, dedup="first", overwrite=True).close()
        for threads, memory in ((1, "1GiB"), (4, "1GiB"), (3, "20MiB")):
            with oc.open(path, threads=threads, memory=memory) as graph:
                values = oc.gas(
                    graph,
                    np.cos(np.arange(len(graph))),
                    apply=lambda old, gathered, rows: 0.3 * old + 0.05 * gathered,
                    scatter=lambda values, edges: values
                    + 0.5 * edges.previous
                    - (0 if edges.reverse is None else 0.1 * edges.reverse),
                    reverse=reverse,
                    iterations=5,
                )
                found.append(values)
                written = graph.runs()[-1]
        assert written is not None
    # Sums are in the order of the store.
    for values in found[1:3]:
        assert np.array_equal(values, found[0])
    for values in found[4:]:
        assert np.array_equal(values, found[3])
    np.testing.assert_allclose(found[3], found[0], rtol=1e-9, atol=1e-12)


def test_too_little_memory_is_refused_with_the_minimum(tmp_path: Path) -> None:
    path = tmp_path / "draws.outcrop"
    oc.build([(number, (number * 7) % 5000) for number in range(5000)], path).close()
    with oc.open(path, memory="1MiB") as graph, pytest.raises(oc.BudgetError) as caught:
        oc.gas(graph, np.ones(len(graph)), apply=lambda old, heard, rows: heard, scatter=lambda values, _: values)
    assert caught.value.minimum > 1 << 20


def _sent(values: Any, _: oc.EdgeBatch) -> Any:
    return values


def _heard(_: Any, gathered: Any, __: Any) -> Any:
    return gathered


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"init": np.ones(2)}, r"init must be one number per vertex, an array of shape \(3,\), not .* \(2,\)"),
        ({"init": ["a", "b", "c"]}, r"init must be one number per vertex"),
        ({"init": np.array([1, np.nan, 1])}, r"init must be numbers, not NaN \(at position 1\)"),
        ({"gather": "sum"}, "gather must be one of 'plus', 'times', 'min', 'max', not 'sum'"),
        ({"direction": "back"}, "direction must be one of"),
        ({"iterations": -1}, "iterations must be an integer of at least 0, not -1"),
        ({"tol": -1.0}, "tol must be"),
        ({"tol": float("nan")}, "tol must be a number of at least 0"),
        ({"apply": lambda old, heard, rows: heard[:1]}, r"apply must return one number per vertex, .*\(3,\), not .*\(1,\)"),
        ({"apply": lambda old, heard, rows: None}, "apply must return one number per vertex"),
        ({"apply": lambda old, heard, rows: heard * 1j}, "apply must return one number per vertex, .* complex128"),
        ({"apply": lambda old, heard, rows: heard * np.nan}, "apply must return numbers, not NaN"),
        ({"scatter": lambda values, edges: 1.0}, r"scatter must return one number per edge, .*\(.,\), not .* \(\)"),
        ({"scatter": lambda values, edges: values.astype(str)}, "scatter must return one number per edge"),
    ],
)
def test_wrong_arguments_and_arrays_are_refused(build: Build, given: dict[str, Any], message: str) -> None:
    graph = build([(0, 1), (1, 2), (2, 0)])
    arguments: dict[str, Any] = {"init": np.ones(3), "apply": _heard, "scatter": _sent}
    with pytest.raises(oc.UsageError, match=message):
        oc.gas(graph, **(arguments | given))


@pytest.mark.parametrize("place", ["apply", "scatter"])
def test_exceptions_of_functions_reach_the_caller(build: Build, place: Literal["apply", "scatter"]) -> None:
    graph = build([(0, 1), (1, 2), (2, 0)])

    def fails(*_: Any) -> Any:
        raise LookupError("of mine")

    with pytest.raises(LookupError, match="of mine"):
        oc.gas(graph, np.ones(3), **({"apply": _heard, "scatter": _sent} | {place: fails}))
    # The graph is still usable.
    assert oc.gas(graph, np.ones(3), apply=_heard, scatter=_sent).tolist() == [1, 1, 1]
