"""Shortest paths, eccentricities, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import algorithms
from .answers import column, distances, number_of_nodes, number_of_parts, route, route_from, several, store_of
from .dispatch import has, is_store, only_forward, refuses
from .graphs import ConvertedGraph


@refuses()
def single_source_shortest_path_length(G: Any, source: Any, cutoff: float | None = None) -> Any:
    """See :func:`networkx.single_source_shortest_path_length`."""
    return distances(G, [source], cutoff)


@refuses(only_forward)
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


@refuses(only_forward)
def shortest_path_length(
    G: Any, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """See :func:`networkx.shortest_path_length`."""
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    if source is not None and target is not None:
        return (route if weight is None else route_from)(G, source, target, weight)[0]
    if source is None and target is None:
        return ((node, distances(G, [node], None, weight)) for node in G)
    return distances(G, [target if source is None else source], None, weight)


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


_BATCH = 64
"""Number of sources that are searched from at once."""


def _from_each(G: Any) -> Iterator[tuple[Any, Any]]:
    """Return each node with its distances in edges to all nodes; -1 if there is no path."""
    for start in range(0, number_of_nodes(G), _BATCH):
        places = list(range(start, min(start + _BATCH, number_of_nodes(G))))
        found = algorithms.multi_source_distances(G.graph, places)
        yield from ((G.nodes[place], found.to_numpy(f"distance_{place}")) for place in places)


_ALONE = (has("weight"), is_store)


@refuses(has("method"), *_ALONE)
def average_shortest_path_length(G: Any, weight: Any = None, method: Any = None) -> Any:
    """See :func:`networkx.average_shortest_path_length`."""
    import networkx

    nodes = len(G)
    if nodes == 1:
        return 0
    try:
        _need_connected(G)
    except networkx.NetworkXError as error:
        raise networkx.NetworkXError(f"Graph is not {'strongly ' * G.is_directed()}connected.") from error
    return _sum(G) / (nodes * (nodes - 1))


def _sum(G: Any) -> int:
    return sum(int(found.sum()) for _, found in _from_each(G))


@refuses(*_ALONE)
def wiener_index(G: Any, weight: Any = None) -> Any:
    """See :func:`networkx.wiener_index`."""
    import networkx

    try:
        _need_connected(G)
    except networkx.NetworkXError:
        return float("inf")
    return _sum(G) if G.is_directed() else _sum(G) / 2


@refuses(has("attr", "sp"), *_ALONE)
def barycenter(G: Any, weight: Any = None, attr: Any = None, sp: Any = None) -> Any:
    """See :func:`networkx.barycenter`."""
    import networkx

    sums = {}
    for node, found in _from_each(G):
        if (found < 0).any():
            raise networkx.NetworkXNoPath(f"{node} does not reach every node, so sums of distances are infinite.")
        sums[node] = int(found.sum())
    least = min(sums.values())
    return [node for node, distance in sums.items() if distance == least]


@refuses(is_store)
def global_efficiency(G: Any) -> Any:
    """See :func:`networkx.global_efficiency`."""
    pairs = len(G) * (len(G) - 1)
    return sum(float((1 / found[found > 0]).sum()) for _, found in _from_each(G)) / pairs if pairs else 0


@refuses()
def efficiency(G: Any, u: Any, v: Any) -> Any:
    """See :func:`networkx.efficiency`."""
    import networkx

    try:
        return 1 / route(G, u, v)[0]
    except networkx.NetworkXNoPath:
        return 0
