"""Ranks, centralities, cores, triangles, independent sets, and subgraphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import algorithms
from ..exceptions import NotConvergedError
from .answers import by_node, column, distances, need_weights, number_of_nodes, selected, store_of
from .dispatch import has, is_directed, is_multigraph, is_store, refuses
from .graphs import ConvertedGraph, converted, subgraph

_MANY_SEARCHES = 20_000
"""Number of vertices above which betweenness needs a sample."""


@refuses(
    has("nstart", "dangling"),
    lambda given: None if 0 <= given["alpha"] < 1 else "outcrop needs 0 <= alpha < 1",
)
def pagerank(
    G: Any,
    alpha: float = 0.85,
    personalization: Any = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Any = None,
    weight: Any = "weight",
    dangling: Any = None,
) -> Any:
    """See :func:`networkx.pagerank`."""
    import networkx

    need_weights(G, 0)
    if max_iter < 1 or tol <= 0:
        raise networkx.PowerIterationFailedConvergence(max_iter)
    jumps = _personalization(G, personalization)
    counted: Any = None if weight is None else "weight"
    try:
        found = algorithms.pagerank(store_of(G), alpha, jumps, max_iter, tol * number_of_nodes(G), weight=counted)
    except NotConvergedError as error:
        raise networkx.PowerIterationFailedConvergence(max_iter) from error
    return by_node(G, found)


def _personalization(G: Any, given: Any) -> Any:
    """Personalization by store ID; nodes outside the graph are ignored."""
    if given is None:
        return None
    if isinstance(G, ConvertedGraph):
        given = {G.places[node]: value for node, value in given.items() if node in G.places}
    if not sum(given.values()):
        raise ZeroDivisionError
    if any(value < 0 for value in given.values()):
        raise NotImplementedError("outcrop does not support negative vertex weights")
    return {node: value for node, value in given.items() if value}


@refuses(is_directed)
def core_number(G: Any) -> Any:
    """See :func:`networkx.core_number`; self-loops of a store are ignored."""
    import networkx

    if isinstance(G, ConvertedGraph) and G.loops:
        raise networkx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return by_node(G, algorithms.core_number(store_of(G)))


@refuses(is_multigraph)
def triangles(G: Any, nodes: Any = None) -> Any:
    """See :func:`networkx.triangles`."""
    return selected(G, by_node(G, algorithms.triangles(store_of(G))), nodes)


@refuses(is_directed, is_multigraph)
def clustering(G: Any, nodes: Any = None, weight: Any = None) -> Any:
    """See :func:`networkx.clustering`."""
    need_weights(G, 0)
    counted: Any = "weight" if weight is not None and store_of(G).weighted else None
    return selected(G, by_node(G, algorithms.clustering(store_of(G), weight=counted)), nodes)


@refuses(is_directed, is_multigraph)
def average_clustering(G: Any, nodes: Any = None, weight: Any = None, count_zeros: bool = True) -> Any:
    """See :func:`networkx.average_clustering`."""
    values = list(clustering(G, nodes, weight).values())
    values = values if count_zeros else [value for value in values if abs(value) > 0]
    return sum(values) / len(values)


@refuses(
    is_directed,
    is_multigraph,
    is_store,
)
def transitivity(G: Any) -> Any:
    """See :func:`networkx.transitivity`."""
    degrees = G.degrees_without_loops
    closed = 2 * int(algorithms.triangles(G.graph).to_numpy("triangles").sum())
    return closed / int((degrees * (degrees - 1)).sum()) if closed else 0


@refuses(
    has("weight", "nodes"),
    lambda given: "other degrees" if given["G"].is_directed() and (given["x"], given["y"]) != ("out", "in") else None,
)
def degree_assortativity_coefficient(
    G: Any, x: str = "out", y: str = "in", weight: Any = None, nodes: Any = None
) -> Any:
    """See :func:`networkx.degree_assortativity_coefficient`."""
    found = algorithms.assortativity(store_of(G)).stats["values"]["assortativity"]
    return float("nan") if found is None else found


@refuses(
    has("endpoints"),
    lambda given: (
        f"graphs of more than {_MANY_SEARCHES:,} vertices need k"
        if given["k"] is None and number_of_nodes(given["G"]) > _MANY_SEARCHES
        else None
    ),
)
def betweenness_centrality(
    G: Any, k: int | None = None, normalized: bool = True, weight: Any = None, endpoints: bool = False, seed: Any = None
) -> Any:
    """See :func:`networkx.betweenness_centrality`."""
    graph = store_of(G)
    counted: Any = "weight" if weight is not None and graph.weighted else None
    chosen: dict[str, Any] = {}
    if k == 0:
        raise ZeroDivisionError("the graph has no nodes")
    if k is not None and k != number_of_nodes(G):
        sampled = isinstance(G, ConvertedGraph)
        chosen = {"source": seed.sample(range(len(G)), k)} if sampled else {"k": k, "seed": seed.randint(1, 2**31)}
    if counted:
        need_weights(G, 0, above=True)
    found = algorithms.betweenness_centrality(graph, normalized=normalized, weight=counted, **chosen)
    return by_node(G, found)


@refuses(has("nodes"))
def maximal_independent_set(G: Any, nodes: Any = None, seed: Any = None) -> Any:
    """See :func:`networkx.maximal_independent_set`."""
    names, members = column(G, algorithms.maximal_independent_set(store_of(G), seed=seed.randint(0, 2**31)))
    return [names[place] for place in members.nonzero()[0].tolist()]


@refuses(is_directed, preserves=True)
def k_core(G: Any, k: Any = None, core_number: Any = None) -> Any:
    """See :func:`networkx.k_core`."""
    return _by_core(G, core_number, lambda core, most: core >= (most if k is None else k))


@refuses(is_directed, preserves=True)
def k_shell(G: Any, k: Any = None, core_number: Any = None) -> Any:
    """See :func:`networkx.k_shell`."""
    return _by_core(G, core_number, lambda core, most: core == (most if k is None else k))


@refuses(is_directed, preserves=True)
def k_crust(G: Any, k: Any = None, core_number: Any = None) -> Any:
    """See :func:`networkx.k_crust`."""
    return _by_core(G, core_number, lambda core, most: core <= (most - 1 if k is None else k))


def _by_core(G: Any, numbers: Any, keep: Callable[[Any, Any], bool]) -> Any:
    """Return the graph induced by the nodes whose core number, compared with the largest, is to be kept."""
    cores = core_number(converted(G)) if numbers is None else numbers
    most = max(cores.values())
    return subgraph(G, [node for node, core in cores.items() if keep(core, most)])


@refuses(
    lambda given: (
        "outcrop follows edges in their direction" if given["undirected"] and given["G"].is_directed() else None
    ),
    preserves=True,
)
def ego_graph(
    G: Any, n: Any, radius: Any = 1, center: bool = True, undirected: bool = False, distance: Any = None
) -> Any:
    """See :func:`networkx.ego_graph`."""
    around = subgraph(G, distances(converted(G, distance), [n], radius, distance))
    if not center:
        around.remove_node(n)
    return around
