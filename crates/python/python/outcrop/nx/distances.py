"""Shortest paths, eccentricities, and what follows from them."""

from __future__ import annotations

from typing import Any

from .. import algorithms
from .answers import column, distances, number_of_nodes, number_of_parts, several, store_of
from .dispatch import has, is_directed, refuses
from .graphs import ConvertedGraph


@refuses()
def single_source_shortest_path_length(G: Any, source: Any, cutoff: float | None = None) -> Any:
    """See :func:`networkx.single_source_shortest_path_length`."""
    return distances(G, [source], cutoff)


@refuses(is_directed)
def single_target_shortest_path_length(G: Any, target: Any, cutoff: float | None = None) -> Any:
    """See :func:`networkx.single_target_shortest_path_length`."""
    return distances(G, [target], cutoff, end="Target")


@refuses()
def single_source_dijkstra_path_length(G: Any, source: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    """See :func:`networkx.single_source_dijkstra_path_length`."""
    return distances(G, [source], cutoff, weight)


@refuses()
def multi_source_dijkstra_path_length(G: Any, sources: Any, cutoff: float | None = None, weight: Any = "weight") -> Any:
    """See :func:`networkx.multi_source_dijkstra_path_length`."""
    if not sources:
        raise ValueError("sources must not be empty")
    return distances(G, sources, cutoff, weight)


@refuses()
def single_source_bellman_ford_path_length(G: Any, source: Any, weight: Any = "weight") -> Any:
    """See :func:`networkx.single_source_bellman_ford_path_length`."""
    return distances(G, [source], None, weight)


@refuses(lambda given: None if given["source"] is not None else "source is required", has("target"))
def shortest_path_length(
    G: Any, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """See :func:`networkx.shortest_path_length`."""
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return distances(G, [source], None, weight)


@refuses()
def descendants(G: Any, source: Any) -> Any:
    """See :func:`networkx.descendants`."""
    import networkx

    try:
        return distances(G, [source]).keys() - {source}
    except networkx.NodeNotFound as error:
        raise networkx.NetworkXError(f"The node {source} is not in the graph.") from error


@refuses(has("sp", "weight"))
def eccentricity(G: Any, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    """See :func:`networkx.eccentricity`."""
    if v is None:
        return _eccentricities(G)
    one = _is_node(G, v)
    found = {}
    for node in [v] if one else several(v):
        if one or _is_node(G, node):
            reached = distances(G, [node])
            _need_all(G, len(reached) == number_of_nodes(G))
            found[node] = max(reached.values())
    return found[v] if one else found


def _is_node(G: Any, node: Any) -> bool:
    if not isinstance(G, ConvertedGraph):
        return isinstance(node, int | str)
    try:
        return node in G.places
    except TypeError:
        return False


def _need_all(G: Any, reached: bool) -> None:
    import networkx

    if not reached:
        why = "digraph is not strongly connected" if G.is_directed() else "graph is not connected"
        raise networkx.NetworkXError(f"Found infinite path length because the {why}")


def _eccentricities(G: Any) -> dict[Any, int]:
    nodes, values = column(G, algorithms.eccentricity(store_of(G)))
    _need_all(G, bool((values >= 0).all()))
    return dict(zip(nodes, values.tolist(), strict=True))


def _need_connected(G: Any) -> None:
    find = algorithms.strongly_connected_components if G.is_directed() else algorithms.weakly_connected_components
    _need_all(G, number_of_parts(G, find(store_of(G))) == 1)


@refuses(has("e", "weight"))
def diameter(G: Any, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """See :func:`networkx.diameter`."""
    _need_connected(G)
    return algorithms.diameter(store_of(G), exact=True).value


@refuses(has("e", "weight"))
def radius(G: Any, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """See :func:`networkx.radius`."""
    _need_connected(G)
    return algorithms.radius(store_of(G)).value


@refuses(has("e", "weight"))
def center(G: Any, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """See :func:`networkx.center`."""
    found = _eccentricities(G)
    least = min(found.values())
    return [node for node, value in found.items() if value == least]


@refuses(has("e", "weight"))
def periphery(G: Any, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """See :func:`networkx.periphery`."""
    found = _eccentricities(G)
    most = max(found.values())
    return [node for node, value in found.items() if value == most]
