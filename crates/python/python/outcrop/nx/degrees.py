"""What follows from the degrees and the neighbors of nodes."""

from __future__ import annotations

from typing import Any

from .. import algorithms
from ..exceptions import UsageError
from .answers import is_one_part, places_of, several
from .dispatch import has, is_multigraph, is_store, refuses
from .graphs import ConvertedGraph


def _degrees(G: Any) -> tuple[list[Any], Any]:
    if isinstance(G, ConvertedGraph):
        return G.nodes, G.degrees
    table = G.degree().to_numpy()
    return table["node"].tolist(), table["degree"]


@refuses()
def isolates(G: Any) -> Any:
    """See :func:`networkx.isolates`."""
    nodes, degrees = _degrees(G)
    return (nodes[place] for place in (degrees == 0).nonzero()[0].tolist())


@refuses()
def number_of_isolates(G: Any) -> Any:
    """See :func:`networkx.number_of_isolates`."""
    return int((_degrees(G)[1] == 0).sum())


@refuses(lambda given: None if _is_node(given["G"], given["n"]) else "n is not a node")
def is_isolate(G: Any, n: Any) -> Any:
    """See :func:`networkx.is_isolate`."""
    return not (G.degrees[G.places[n]] if isinstance(G, ConvertedGraph) else G.degree(n))


def _is_node(G: Any, node: Any) -> bool:
    try:
        return node in G
    except (TypeError, UsageError):
        return False


@refuses(is_store)
def number_of_selfloops(G: Any) -> Any:
    """See :func:`networkx.number_of_selfloops`."""
    return G.loops


@refuses(is_store)
def is_regular(G: Any) -> Any:
    """See :func:`networkx.is_regular`."""
    counts = (G.in_degrees, G.out_degrees) if G.is_directed() else (G.degrees,)
    return all(bool((degrees == degrees[0]).all()) for degrees in counts)


@refuses(is_store)
def is_k_regular(G: Any, k: Any) -> Any:
    """See :func:`networkx.is_k_regular`."""
    return bool((G.degrees == k).all())


@refuses(is_store)
def is_eulerian(G: Any) -> Any:
    """See :func:`networkx.is_eulerian`."""
    if G.is_directed():
        balanced = bool((G.in_degrees == G.out_degrees).all())
        return balanced and is_one_part(G, algorithms.strongly_connected_components)
    return not (G.degrees % 2).any() and is_one_part(G, algorithms.weakly_connected_components)


@refuses(is_store)
def is_semieulerian(G: Any) -> Any:
    """See :func:`networkx.is_semieulerian`."""
    return has_eulerian_path(G) and not is_eulerian(G)


@refuses(is_store, has("source"))
def has_eulerian_path(G: Any, source: Any = None) -> Any:
    """See :func:`networkx.has_eulerian_path`."""
    if is_eulerian(G):
        return True
    if G.is_directed():
        more = G.in_degrees - G.out_degrees
        balanced = bool((abs(more) <= 1).all()) and (more == 1).sum() <= 1 and (more == -1).sum() <= 1
    else:
        balanced = (G.degrees % 2).sum() == 2
    return bool(balanced) and is_one_part(G, algorithms.weakly_connected_components)


def _is_undirected(given: dict[str, Any]) -> str | None:
    return None if given["G"].is_directed() else "only directed graphs have edges in both directions"


@refuses(is_store, is_multigraph, _is_undirected)
def reciprocity(G: Any, nodes: Any = None) -> Any:
    """See :func:`networkx.reciprocity`."""
    import networkx

    if nodes is None:
        return overall_reciprocity(G)
    try:
        (place,) = places_of(G, [nodes])
    except networkx.NodeNotFound:
        return {node: _reciprocity(G, G.places[node]) for node in several(nodes) if node in G}
    found = _reciprocity(G, place)
    if found is None:
        raise networkx.NetworkXError("Not defined for isolated nodes.")
    return found


def _reciprocity(G: Any, place: int) -> float | None:
    """Return the fraction of edges of a node that are in both directions; ``None`` without edges."""
    before, after = set(G.graph.in_neighbors(place)), set(G.graph.neighbors(place))
    edges = len(before) + len(after)
    return 2 * len(before & after) / edges if edges else None


@refuses(is_store, is_multigraph, _is_undirected)
def overall_reciprocity(G: Any) -> Any:
    """See :func:`networkx.overall_reciprocity`."""
    import networkx

    if not G.graph.num_edges:
        raise networkx.NetworkXError("Not defined for empty graphs")
    both = 0
    for batch in G.graph.edges():
        source, target = (column.tolist() for column in batch.to_numpy().values())
        both += sum(G.graph.has_edge(target, source))
    return (both - G.loops) / G.graph.num_edges
