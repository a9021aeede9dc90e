"""Interface of NetworkX to backends: which calls outcrop accepts."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ..core.graph import Graph
from .graphs import ConvertedGraph, PreservedGraph, converted

_SMALL = 10_000
"""Number of edges below which NetworkX is faster than the conversion."""

_ALL_PAIRS = {"betweenness_centrality", "closeness_centrality", "harmonic_centrality"}
_ALL_PAIRS |= {"eccentricity", "diameter", "radius", "center", "periphery"}
_ALL_PAIRS |= {"average_shortest_path_length", "barycenter", "global_efficiency", "wiener_index"}
"""Functions that search from many vertices, for which the conversion always pays off."""

_NEEDS_STORE = {"is_isolate", "isolates", "number_of_isolates", "number_of_selfloops", "reciprocity"}
_NEEDS_STORE |= {"is_k_regular", "is_regular"}
"""Functions that read less than the conversion, for which it never pays off."""

_OTHER_COMMUNITIES = "vertices move in another order, which finds other communities of similar modularity"
_OTHER_TREE = "another spanning tree gives cycles of the same weight that start at other nodes"
_DIFFERENT_TESTS = {
    "test_cycles.test_gh6787_and_edge_attribute_names": _OTHER_TREE,
    "test_cycles.test_petersen_graph": _OTHER_TREE,
    "test_cycles.test_unweighted_diamond": _OTHER_TREE,
    "test_cycles.test_weighted_diamond": _OTHER_TREE,
    "test_dag.test_topological_sort6": "a graph that changes during the iteration is not noticed",
    "test_mis.test_random_seed": "a seed gives a different maximal set",
    "test_strongly_connected.test_condensation_mapping_and_members": "the order of the components differs",
    "test_louvain.test_karate_club_partition": _OTHER_COMMUNITIES,
    "test_louvain.test_max_level": _OTHER_COMMUNITIES,
    "test_louvain.test_multigraph": _OTHER_COMMUNITIES,
    "test_louvain.test_none_weight_param": _OTHER_COMMUNITIES,
    "test_louvain.test_undirected_selfloops": _OTHER_COMMUNITIES,
}
"""NetworkX tests that do not apply, by module and name, with reasons."""

Reason = Callable[[dict[str, Any]], str | None]
"""Returns the reason to refuse a call with these arguments, if there is one."""

_FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Reason, ...]]] = {}
"""Functions of the backend by name, with the reasons for which each refuses a call."""


def get_info() -> dict[str, Any]:
    """Return the backend information for NetworkX."""
    return {
        "backend_name": "outcrop",
        "project": "outcrop",
        "package": "outcrop",
        "short_summary": "Graphs larger than memory, from disk, on one machine.",
        "functions": {name: {} for name in _FUNCTIONS},
        "default_config": {"memory": "auto", "tmp_dir": None},
    }


def can_run(name: str, args: Any, kwargs: dict[str, Any]) -> bool | str:
    """Return whether outcrop computes the same as NetworkX, or the reason why not."""
    function, refusals = _FUNCTIONS[name]
    try:
        given = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    given.apply_defaults()
    reasons = (reason(given.arguments) for reason in (_weight_is_a_function, *refusals))
    return next((reason for reason in reasons if reason), True)


def should_run(name: str, args: Any, kwargs: dict[str, Any]) -> bool | str:
    """Return whether converting a NetworkX graph pays off."""
    graph = args[0] if args else kwargs["G"]
    if name in _ALL_PAIRS or isinstance(graph, Graph | ConvertedGraph | PreservedGraph):
        return True
    if name in _NEEDS_STORE:
        return "NetworkX is faster than the conversion"
    if graph.number_of_edges() >= _SMALL:
        return True
    return f"NetworkX is faster than the conversion below {_SMALL:,} edges"


def on_start_tests(items: Iterable[Any]) -> None:
    """Mark NetworkX tests that are expected to fail with this backend."""
    import pytest

    for item in items:
        name = f"{item.module.__name__.rpartition('.')[2]}.{item.name}" if getattr(item, "module", None) else ""
        if reason := _DIFFERENT_TESTS.get(name):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def refuses(*reasons: Reason, preserves: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Turn a function into a backend function that is refused for any of these reasons.

    Only functions that preserve attributes receive preserved graphs. NetworkX keeps such a graph for all later calls,
    so the others receive it converted, with the edge attribute in their argument ``weight`` or ``distance``.
    """

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        _FUNCTIONS[function.__name__] = function, reasons
        if preserves:
            return function
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if isinstance(args[0] if args else kwargs.get("G"), PreservedGraph):
                given = signature.bind(*args, **kwargs)
                given.apply_defaults()
                named = [given.arguments.get(name) for name in ("weight", "distance")]
                weight = next((name for name in named if name is not None), None)
                given.arguments["G"] = converted(given.arguments["G"], weight)
                args, kwargs = given.args, given.kwargs
            return function(*args, **kwargs)

        return call

    return add


def _weight_is_a_function(given: dict[str, Any]) -> str | None:
    functions = any(callable(given.get(name)) for name in ("weight", "distance", "data"))
    return "weights must be an edge attribute, not a function" if functions else None


def is_directed(given: dict[str, Any]) -> str | None:
    """Refuse directed graphs."""
    return "outcrop uses another definition for directed graphs" if given["G"].is_directed() else None


def is_multigraph(given: dict[str, Any]) -> str | None:
    """Refuse multigraphs."""
    return "outcrop counts repeated edges once" if given["G"].is_multigraph() else None


def only_forward(given: dict[str, Any]) -> str | None:
    """Refuse searches from a target alone in directed graphs."""
    backwards = given.get("source") is None and given["target"] is not None
    return "outcrop does not search a directed graph backwards" if backwards and given["G"].is_directed() else None


def is_store(given: dict[str, Any]) -> str | None:
    """Refuse stores, which can have repeated edges and self-loops that NetworkX counts in another way."""
    return "edges of a store are not counted as in NetworkX" if isinstance(given["G"], Graph) else None


def has(*names: str) -> Reason:
    """Refuse calls in which one of these arguments is given or true."""
    reasons = {name: f"outcrop does not support {name}" for name in names}
    return lambda given: next((reasons[name] for name in names if given[name] not in (None, False)), None)
