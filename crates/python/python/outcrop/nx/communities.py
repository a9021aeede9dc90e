"""Communities."""

from __future__ import annotations

from typing import Any

from .. import algorithms
from ..core.tables.result import Result
from .answers import component_sets, need_weights, store_of
from .dispatch import has, is_directed, refuses


@refuses(is_directed)
def louvain_communities(
    G: Any,
    weight: Any = "weight",
    resolution: float = 1,
    threshold: float = 0.0000001,
    max_level: int | None = None,
    seed: Any = None,
) -> Any:
    """See :func:`networkx.community.louvain_communities`; each level ends only if no move increases the modularity."""
    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")
    found = algorithms.louvain(store_of(G), resolution=resolution, max_levels=max_level, **_choices(G, weight, seed))
    return _sets(G, found)


@refuses(is_directed, has("max_level"))
def leiden_communities(
    G: Any, weight: Any = "weight", resolution: float = 1, max_level: int | None = None, seed: Any = None
) -> Any:
    """See :func:`networkx.community.leiden_communities`."""
    return _sets(G, algorithms.leiden(store_of(G), resolution=resolution, **_choices(G, weight, seed)))


def _choices(G: Any, weight: Any, seed: Any) -> dict[str, Any]:
    """Arguments that both algorithms share."""
    if weight is not None:
        need_weights(G, 0)
    return {"weight": None if weight is None else "weight", "seed": seed.randint(0, 2**31)}


def _sets(G: Any, result: Result) -> list[set[Any]]:
    """Return the nodes of each community."""
    return list(component_sets(G, result))
