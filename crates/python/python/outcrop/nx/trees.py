"""Spanning trees, and what is a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import algorithms
from .answers import column, number_of_nodes, number_of_parts, store_of
from .dispatch import is_directed, is_multigraph, is_store, refuses
from .graphs import ConvertedGraph, PreservedGraph, converted


@refuses(is_directed, is_multigraph, preserves=True)
def minimum_spanning_edges(
    G: Any,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: Any = True,
    ignore_nan: bool = False,
) -> Any:
    """See :func:`networkx.minimum_spanning_edges`."""
    return _edges(G, algorithm, weight, data, maximum=False)


@refuses(is_directed, is_multigraph, preserves=True)
def maximum_spanning_edges(
    G: Any,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: Any = True,
    ignore_nan: bool = False,
) -> Any:
    """See :func:`networkx.maximum_spanning_edges`."""
    return _edges(G, algorithm, weight, data, maximum=True)


def _edges(G: Any, algorithm: str, weight: Any, data: Any, maximum: bool) -> Iterator[tuple[Any, ...]]:
    """Return the edges of a spanning forest, the first of the order of weights first."""
    if algorithm not in ("kruskal", "prim", "boruvka", "borůvka"):
        raise ValueError(f"{algorithm} is not a valid choice for an algorithm.")
    edges = _lightest(converted(G, weight), weight, maximum)
    if not data:
        return ((source, target) for _, source, target in edges)
    if isinstance(G, PreservedGraph):
        return ((source, target, G.original[source][target]) for _, source, target in edges)
    # A store has no other attribute.
    weighted = store_of(G).weighted
    return ((source, target, {"weight": found} if weighted else {}) for found, source, target in edges)


def _lightest(G: Any, weight: Any, maximum: bool) -> list[tuple[Any, Any, Any]]:
    found = algorithms.spanning_forest(store_of(G), maximum=maximum, weight=None if weight is None else "weight")
    nodes, parents = column(G, found, "parent")
    names = nodes if isinstance(G, ConvertedGraph) else None
    edges = [
        (weight, parent if names is None else names[parent], node)
        for node, parent, weight in zip(nodes, parents.tolist(), found.to_numpy("weight").tolist(), strict=True)
        if parent is not None and parent != -1
    ]
    return sorted(edges, key=lambda edge: edge[0], reverse=maximum)


@refuses(is_directed, is_multigraph, is_store, preserves=True)
def minimum_spanning_tree(G: Any, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False) -> Any:
    """See :func:`networkx.minimum_spanning_tree`."""
    return _tree(G, _edges(G, algorithm, weight, True, maximum=False))


@refuses(is_directed, is_multigraph, is_store, preserves=True)
def maximum_spanning_tree(G: Any, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False) -> Any:
    """See :func:`networkx.maximum_spanning_tree`."""
    return _tree(G, _edges(G, algorithm, weight, True, maximum=True))


def _tree(G: Any, edges: Iterator[tuple[Any, ...]]) -> Any:
    tree = G.original.__class__()
    tree.graph.update(G.original.graph)
    tree.add_nodes_from(G.original.nodes.items())
    tree.add_edges_from(edges)
    return tree


@refuses(is_store)
def is_tree(G: Any) -> Any:
    """See :func:`networkx.is_tree`."""
    return store_of(G).num_edges == number_of_nodes(G) - 1 and _components(G) == 1


@refuses(is_store)
def is_forest(G: Any) -> Any:
    """See :func:`networkx.is_forest`."""
    return store_of(G).num_edges == number_of_nodes(G) - _components(G)


def _components(G: Any) -> int:
    return number_of_parts(G, algorithms.weakly_connected_components(store_of(G)))


@refuses(is_store)
def is_arborescence(G: Any) -> Any:
    """See :func:`networkx.is_arborescence`."""
    return int(G.in_degrees.max()) <= 1 and is_tree(G)


@refuses(is_store)
def is_branching(G: Any) -> Any:
    """See :func:`networkx.is_branching`."""
    return int(G.in_degrees.max()) <= 1 and is_forest(G)
