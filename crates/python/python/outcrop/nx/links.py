"""Link prediction for given pairs of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from math import log
from typing import Any

from .answers import places_of, store_of
from .dispatch import refuses

Neighbors = Callable[[Any], frozenset[Any]]
"""Returns the neighbors of a node of the store."""


def _needs_pairs(given: dict[str, Any]) -> str | None:
    return "outcrop scores given pairs, not all pairs without an edge" if given["ebunch"] is None else None


@refuses(_needs_pairs)
def jaccard_coefficient(G: Any, ebunch: Any = None) -> Any:
    """See :func:`networkx.jaccard_coefficient`."""

    def score(neighbors: Neighbors, u: Any, v: Any) -> float:
        union = len(neighbors(u) | neighbors(v))
        return len(_common(neighbors, u, v)) / union if union else 0

    return _scores(G, ebunch, score)


@refuses(_needs_pairs)
def adamic_adar_index(G: Any, ebunch: Any = None) -> Any:
    """See :func:`networkx.adamic_adar_index`."""
    return _scores(G, ebunch, lambda of, u, v: sum(1 / log(_degree(of, node)) for node in _common(of, u, v)))


@refuses(_needs_pairs)
def resource_allocation_index(G: Any, ebunch: Any = None) -> Any:
    """See :func:`networkx.resource_allocation_index`."""
    return _scores(G, ebunch, lambda of, u, v: sum(1 / _degree(of, node) for node in _common(of, u, v)))


@refuses(_needs_pairs)
def preferential_attachment(G: Any, ebunch: Any = None) -> Any:
    """See :func:`networkx.preferential_attachment`."""
    return _scores(G, ebunch, lambda of, u, v: _degree(of, u) * _degree(of, v))


def _scores(G: Any, pairs: Iterable[Any], score: Callable[[Neighbors, Any, Any], float]) -> Iterator[Any]:
    """Return the pairs with their scores; refuse unknown nodes at once, as NetworkX does."""
    neighbors, given = _neighbors(G), list(pairs)
    places = [[_place(G, node) for node in pair] for pair in given]
    return ((u, v, score(neighbors, *found)) for (u, v), found in zip(given, places, strict=True))


def _place(G: Any, node: Any) -> Any:
    import networkx

    try:
        return places_of(G, [node])[0]
    except networkx.NodeNotFound as error:
        raise networkx.NodeNotFound(f"Node {node} not in G.") from error


def _neighbors(G: Any) -> Neighbors:
    store = store_of(G)

    @lru_cache(maxsize=4096)
    def of(place: Any) -> frozenset[Any]:
        return frozenset(store.neighbors(place))

    return of


def _common(neighbors: Neighbors, u: Any, v: Any) -> set[Any]:
    return set(neighbors(u) & neighbors(v)) - {u, v}


def _degree(neighbors: Neighbors, node: Any) -> int:
    """Return the number of edges, in which a self-loop counts twice."""
    return len(neighbors(node)) + (node in neighbors(node))
