"""Directed graphs without cycles, and what leads to and from a node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from .. import algorithms
from ..core.tables.result import Result
from .answers import are_whole, column, distances, places_of, store_of
from .dispatch import refuses
from .graphs import ConvertedGraph


@refuses()
def descendants(G: Any, source: Any) -> Any:
    """See :func:`networkx.descendants`."""
    return _distances(G, source).keys() - {source}


def _distances(G: Any, source: Any) -> dict[Any, Any]:
    import networkx

    try:
        return distances(G, [source])
    except networkx.NodeNotFound as error:
        raise networkx.NetworkXError(f"The node {source} is not in the graph.") from error


@refuses()
def ancestors(G: Any, source: Any) -> Any:
    """See :func:`networkx.ancestors`."""
    import networkx

    if not G.is_directed():
        return descendants(G, source)
    try:
        (start,) = places_of(G, [source])
    except networkx.NodeNotFound as error:
        raise networkx.NetworkXError(f"The node {source} is not in the graph.") from error
    graph, found = store_of(G), set()
    for batch in graph.ego(start, graph.num_vertices, direction="in"):
        found.update(batch.to_numpy("source").tolist())
    return ({G.nodes[place] for place in found} if isinstance(G, ConvertedGraph) else found) - {source}


@refuses()
def descendants_at_distance(G: Any, source: Any, distance: Any) -> Any:
    """See :func:`networkx.descendants_at_distance`."""
    return {node for node, edges in _distances(G, source).items() if edges == distance}


@refuses()
def is_directed_acyclic_graph(G: Any) -> Any:
    """See :func:`networkx.is_directed_acyclic_graph`."""
    return G.is_directed() and _sorted(G).stats["values"]["acyclic"]


def _sorted(G: Any, weight: Literal["weight"] | None = None) -> Result:
    return algorithms.topological_sort(store_of(G), weight=weight)


def _cycle() -> Any:
    import networkx

    return networkx.NetworkXUnfeasible("Graph contains a cycle.")


@refuses()
def topological_generations(G: Any) -> Any:
    """See :func:`networkx.topological_generations`."""
    import networkx
    import numpy

    if not G.is_directed():
        raise networkx.NetworkXError("Topological sort not defined on undirected graphs.")
    found = _sorted(G)
    nodes, levels = column(G, found)
    places = numpy.argsort(levels, kind="stable")[numpy.count_nonzero(levels < 0) :]
    for generation in numpy.split(places, numpy.flatnonzero(numpy.diff(levels[places])) + 1):
        if len(generation):
            yield [nodes[place] for place in generation.tolist()]
    if not found.stats["values"]["acyclic"]:
        raise _cycle()


@refuses()
def topological_sort(G: Any) -> Iterator[Any]:
    """See :func:`networkx.topological_sort`."""
    for generation in topological_generations(G):
        yield from generation


@refuses()
def dag_longest_path_length(G: Any, weight: Any = "weight", default_weight: Any = 1) -> Any:
    """See :func:`networkx.dag_longest_path_length`."""
    weighted = store_of(G).weighted
    found = _sorted(G, "weight" if weighted else None)
    if not found.stats["values"]["acyclic"]:
        raise _cycle()
    if not weighted:
        return found.stats["values"]["levels"] - 1
    longest = column(G, found, "longest")[1].max(initial=0).item()
    return int(longest) if are_whole(G) else longest
