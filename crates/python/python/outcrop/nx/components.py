"""Connected components."""

from __future__ import annotations

from typing import Any

from .. import algorithms
from .answers import component_sets, distances, is_one_part, number_of_parts, store_of
from .dispatch import refuses


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
