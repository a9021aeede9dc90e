"""Centralities by degree, by distance, and by vectors of the adjacency matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import algorithms
from ..core.tables.result import Result
from ..exceptions import NotConvergedError
from .answers import by_node, column, distances, need_weights, number_of_nodes, places_of, selected, store_of
from .dispatch import Reason, has, refuses


def _not_above_zero(*names: str) -> Reason:
    """Refuse calls in which one of these arguments is not a number above 0."""

    def reason(given: dict[str, Any]) -> str | None:
        wrong = [name for name in names if not isinstance(given[name], int | float) or not given[name] > 0]
        return f"outcrop needs a number above 0 as {wrong[0]}" if wrong else None

    return reason


def _degrees(G: Any, direction: Any) -> dict[Any, Any]:
    others = number_of_nodes(G) - 1
    found = by_node(G, algorithms.degrees(store_of(G), direction=direction))
    return {node: degree * (1 / others) for node, degree in found.items()} if others else dict.fromkeys(found, 1)


@refuses()
def degree_centrality(G: Any) -> Any:
    """See :func:`networkx.degree_centrality`."""
    return _degrees(G, "both")


@refuses()
def in_degree_centrality(G: Any) -> Any:
    """See :func:`networkx.in_degree_centrality`."""
    return _degrees(G, "in")


@refuses()
def out_degree_centrality(G: Any) -> Any:
    """See :func:`networkx.out_degree_centrality`."""
    return _degrees(G, "out")


@refuses(has("distance"))
def closeness_centrality(G: Any, u: Any = None, distance: Any = None, wf_improved: bool = True) -> Any:
    """See :func:`networkx.closeness_centrality`."""
    if u is None:
        return by_node(G, algorithms.closeness_centrality(store_of(G), exact=True, wf_improved=wf_improved))
    if G.is_directed():
        # Distances to the node count, not those from it.
        places_of(G, [u])
        return closeness_centrality(G, wf_improved=wf_improved)[u]
    reached = distances(G, [u])
    others, total = len(reached) - 1, sum(reached.values())
    scale = others / (number_of_nodes(G) - 1) if wf_improved and others else 1
    return others / total * scale if total else 0.0


@refuses(has("distance", "sources"))
def harmonic_centrality(G: Any, nbunch: Any = None, distance: Any = None, sources: Any = None) -> Any:
    """See :func:`networkx.harmonic_centrality`."""
    found = selected(G, by_node(G, algorithms.harmonic_centrality(store_of(G), exact=True)), nbunch)
    return found if isinstance(found, dict) else {nbunch: found}


def _iterated(algorithm: Callable[..., Result], G: Any, max_iter: int, tol: float, **options: Any) -> Result:
    """Run an algorithm that may not converge."""
    import networkx

    if max_iter < 1 or tol <= 0:
        raise networkx.PowerIterationFailedConvergence(max_iter)
    try:
        return algorithm(store_of(G), max_iter=max_iter, tol=tol, **options)
    except NotConvergedError as error:
        raise networkx.PowerIterationFailedConvergence(max_iter) from error


def _counted(G: Any, weight: Any) -> Any:
    return "weight" if weight is not None and store_of(G).weighted else None


@refuses(has("nstart"))
def eigenvector_centrality(
    G: Any, max_iter: int = 100, tol: float = 1.0e-6, nstart: Any = None, weight: Any = None
) -> Any:
    """See :func:`networkx.eigenvector_centrality`."""
    if weight is not None:
        need_weights(G, 0)
    tol *= number_of_nodes(G)
    return by_node(G, _iterated(algorithms.eigenvector_centrality, G, max_iter, tol, weight=_counted(G, weight)))


@refuses(has("nstart"), _not_above_zero("alpha", "beta"))
def katz_centrality(
    G: Any,
    alpha: float = 0.1,
    beta: Any = 1.0,
    max_iter: int = 1000,
    tol: float = 1.0e-6,
    nstart: Any = None,
    normalized: bool = True,
    weight: Any = None,
) -> Any:
    """See :func:`networkx.katz_centrality`."""
    options = {"alpha": alpha, "beta": beta, "normalized": normalized, "weight": _counted(G, weight)}
    return by_node(G, _iterated(algorithms.katz_centrality, G, max_iter, tol, **options))


@refuses(
    has("nstart"),
    _not_above_zero("tol"),
    lambda given: None if given["normalized"] else "outcrop needs normalized",
)
def hits(G: Any, max_iter: int = 100, tol: float = 1.0e-8, nstart: Any = None, normalized: bool = True) -> Any:
    """See :func:`networkx.hits`; the tolerance is that of a power iteration."""
    need_weights(G, 0)
    if number_of_nodes(G) < 2 or not store_of(G).num_edges:
        raise NotImplementedError("NetworkX does not define hubs and authorities of one node or without edges")
    found = _iterated(algorithms.hits, G, max_iter, tol)
    nodes, authorities = column(G, found, "authority")
    return by_node(G, found), dict(zip(nodes, authorities.tolist(), strict=True))
