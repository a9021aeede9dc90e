"""Connected components."""

from __future__ import annotations

from typing import Any

from .. import algorithms
from .answers import column, component_sets, distances, is_one_part, number_of_nodes, number_of_parts, store_of
from .dispatch import has, is_multigraph, refuses
from .graphs import ConvertedGraph


@refuses()
def connected_components(G: Any) -> Any:
    """See :func:`networkx.connected_components`."""
    return component_sets(G, algorithms.weakly_connected_components(store_of(G)))


@refuses()
def number_connected_components(G: Any) -> Any:
    """See :func:`networkx.number_connected_components`."""
    return number_of_parts(G, algorithms.weakly_connected_components(store_of(G)))


@refuses()
def is_connected(G: Any) -> Any:
    """See :func:`networkx.is_connected`."""
    return is_one_part(G, algorithms.weakly_connected_components)


@refuses()
def node_connected_component(G: Any, n: Any) -> Any:
    """See :func:`networkx.node_connected_component`."""
    return set(distances(G, [n]))


@refuses()
def weakly_connected_components(G: Any) -> Any:
    """See :func:`networkx.weakly_connected_components`."""
    return component_sets(G, algorithms.weakly_connected_components(store_of(G)))


@refuses()
def number_weakly_connected_components(G: Any) -> Any:
    """See :func:`networkx.number_weakly_connected_components`."""
    return number_of_parts(G, algorithms.weakly_connected_components(store_of(G)))


@refuses()
def is_weakly_connected(G: Any) -> Any:
    """See :func:`networkx.is_weakly_connected`."""
    return is_one_part(G, algorithms.weakly_connected_components)


@refuses()
def strongly_connected_components(G: Any) -> Any:
    """See :func:`networkx.strongly_connected_components`; the order of the components differs."""
    return component_sets(G, algorithms.strongly_connected_components(store_of(G)))


@refuses()
def number_strongly_connected_components(G: Any) -> Any:
    """See :func:`networkx.number_strongly_connected_components`."""
    return number_of_parts(G, algorithms.strongly_connected_components(store_of(G)))


@refuses()
def is_strongly_connected(G: Any) -> Any:
    """See :func:`networkx.is_strongly_connected`."""
    return is_one_part(G, algorithms.strongly_connected_components)


@refuses(has("root"), is_multigraph)
def bridges(G: Any, root: Any = None) -> Any:
    """See :func:`networkx.bridges`."""
    import numpy

    nodes, ends = column(G, algorithms.bridges(store_of(G)), "bridge")
    if not isinstance(G, ConvertedGraph):
        return ((node, end) for node, end in zip(nodes, ends.tolist(), strict=True) if end not in (None, -1))
    places = numpy.flatnonzero(ends >= 0)
    pairs = sorted((min(pair), max(pair)) for pair in zip(places.tolist(), ends[places].tolist(), strict=True))
    return ((nodes[first], nodes[second]) for first, second in pairs)


@refuses(has("root"), is_multigraph)
def has_bridges(G: Any, root: Any = None) -> Any:
    """See :func:`networkx.has_bridges`."""
    return algorithms.bridges(store_of(G)).stats["values"]["bridges"] > 0


@refuses()
def articulation_points(G: Any) -> Any:
    """See :func:`networkx.articulation_points`."""
    nodes, points = column(G, algorithms.bridges(store_of(G)), "articulation_point")
    return (nodes[place] for place in points.nonzero()[0].tolist())


@refuses()
def is_biconnected(G: Any) -> Any:
    """See :func:`networkx.is_biconnected`."""
    store = store_of(G)
    if number_of_nodes(G) < 2 or algorithms.bridges(store).stats["values"]["articulation_points"]:
        return False
    return is_one_part(G, algorithms.weakly_connected_components)


@refuses()
def is_bipartite(G: Any) -> Any:
    """See :func:`networkx.is_bipartite`."""
    return bool(algorithms.bipartite_sides(store_of(G)).stats["values"]["bipartite"])
