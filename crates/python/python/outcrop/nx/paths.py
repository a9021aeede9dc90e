"""Shortest paths between nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .answers import Search, distances, route, route_from
from .dispatch import has, only_forward, refuses


@refuses(only_forward)
def shortest_path(G: Any, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra") -> Any:
    """See :func:`networkx.shortest_path`."""
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    if source is not None and target is not None:
        bellman_ford = weight is not None and method == "bellman-ford"
        return (route_from if bellman_ford else route)(G, source, target, weight)[1]
    if source is None and target is None:
        return _each(G, lambda node: _paths(G, node, weight=weight))
    if source is not None:
        return _paths(G, source, weight=weight)
    return {node: path[::-1] for node, path in _paths(G, target, weight=weight).items()}


def _paths(G: Any, source: Any, cutoff: float | None = None, weight: Any = None) -> Any:
    return Search(G, [source], cutoff, weight, columns="all").paths()


def _each(G: Any, answer: Callable[[Any], Any]) -> Iterator[tuple[Any, Any]]:
    return ((node, answer(node)) for node in G)


def _both(G: Any, sources: Any, cutoff: float | None, weight: Any) -> tuple[Any, Any]:
    search = Search(G, sources, cutoff, weight, columns="all")
    return search.distances(), search.paths()


@refuses()
def has_path(G: Any, source: Any, target: Any) -> Any:
    """See :func:`networkx.has_path`."""
    import networkx

    try:
        route(G, source, target)
    except networkx.NetworkXNoPath:
        return False
    return True


@refuses()
def bidirectional_shortest_path(G: Any, source: Any, target: Any) -> Any:
    """See :func:`networkx.bidirectional_shortest_path`."""
    return route(G, source, target)[1]


@refuses()
def bidirectional_dijkstra(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    """See :func:`networkx.bidirectional_dijkstra`."""
    found = route(G, source, target, weight)
    return (0, [source]) if source == target else found


@refuses()
def single_source_shortest_path(G: Any, source: Any, cutoff: float | None = None) -> Any:
    """See :func:`networkx.single_source_shortest_path`."""
    return _unweighted_paths(G, source, cutoff, "Source")


def _unweighted_paths(G: Any, node: Any, cutoff: float | None, end: str) -> Any:
    import networkx

    try:
        return _paths(G, node, cutoff)
    except networkx.NodeNotFound as error:
        raise networkx.NodeNotFound(f"{end} {node} not in G") from error


@refuses(only_forward)
def single_target_shortest_path(G: Any, target: Any, cutoff: float | None = None) -> Any:
    """See :func:`networkx.single_target_shortest_path`."""
    return {node: path[::-1] for node, path in _unweighted_paths(G, target, cutoff, "Target").items()}


@refuses()
def single_source_dijkstra_path(G: Any, source: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    """See :func:`networkx.single_source_dijkstra_path`."""
    return _paths(G, source, cutoff, weight)


@refuses(lambda given: "outcrop does not support cutoff" if None not in (given["target"], given["cutoff"]) else None)
def single_source_dijkstra(
    G: Any, source: Any, target: Any = None, cutoff: float | None = None, weight: Any = "weight"
) -> Any:
    """See :func:`networkx.single_source_dijkstra`."""
    return _both(G, [source], cutoff, weight) if target is None else route_from(G, source, target, weight)


@refuses(has("target"))
def multi_source_dijkstra(
    G: Any, sources: Any, target: Any = None, cutoff: float | None = None, weight: Any = "weight"
) -> Any:
    """See :func:`networkx.multi_source_dijkstra`."""
    if not sources:
        raise ValueError("sources must not be empty")
    return _both(G, sources, cutoff, weight)


@refuses()
def multi_source_dijkstra_path(G: Any, sources: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    """See :func:`networkx.multi_source_dijkstra_path`."""
    return multi_source_dijkstra(G, sources, None, cutoff, weight)[1]


@refuses()
def dijkstra_path(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    """See :func:`networkx.dijkstra_path`."""
    return route_from(G, source, target, weight)[1]


@refuses()
def dijkstra_path_length(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    """See :func:`networkx.dijkstra_path_length`."""
    return route_from(G, source, target, weight)[0]


@refuses()
def bellman_ford_path(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    """See :func:`networkx.bellman_ford_path`."""
    return route_from(G, source, target, weight)[1]


@refuses()
def bellman_ford_path_length(G: Any, source: Any, target: Any, weight: Any = "weight") -> Any:
    """See :func:`networkx.bellman_ford_path_length`."""
    return route_from(G, source, target, weight)[0]


@refuses()
def single_source_bellman_ford(G: Any, source: Any, target: Any = None, weight: Any = "weight") -> Any:
    """See :func:`networkx.single_source_bellman_ford`."""
    return _both(G, [source], None, weight) if target is None else route_from(G, source, target, weight)


@refuses()
def single_source_bellman_ford_path(G: Any, source: Any, weight: Any = "weight") -> Any:
    """See :func:`networkx.single_source_bellman_ford_path`."""
    return _paths(G, source, None, weight)


@refuses()
def all_pairs_shortest_path(G: Any, cutoff: float | None = None) -> Any:
    """See :func:`networkx.all_pairs_shortest_path`."""
    return _each(G, lambda node: _paths(G, node, cutoff))


@refuses()
def all_pairs_shortest_path_length(G: Any, cutoff: float | None = None) -> Any:
    """See :func:`networkx.all_pairs_shortest_path_length`."""
    return _each(G, lambda node: distances(G, [node], cutoff))


@refuses()
def all_pairs_dijkstra(G: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    """See :func:`networkx.all_pairs_dijkstra`."""
    return _each(G, lambda node: _both(G, [node], cutoff, weight))


@refuses()
def all_pairs_dijkstra_path(G: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    """See :func:`networkx.all_pairs_dijkstra_path`."""
    return _each(G, lambda node: _paths(G, node, cutoff, weight))


@refuses()
def all_pairs_dijkstra_path_length(G: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    """See :func:`networkx.all_pairs_dijkstra_path_length`."""
    return _each(G, lambda node: distances(G, [node], cutoff, weight))


@refuses()
def all_pairs_bellman_ford_path(G: Any, weight: Any = "weight") -> Any:
    """See :func:`networkx.all_pairs_bellman_ford_path`."""
    return _each(G, lambda node: _paths(G, node, None, weight))


@refuses()
def all_pairs_bellman_ford_path_length(G: Any, weight: Any = "weight") -> Any:
    """See :func:`networkx.all_pairs_bellman_ford_path_length`."""
    return _each(G, lambda node: distances(G, [node], None, weight))
