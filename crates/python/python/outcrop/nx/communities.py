"""Communities."""

from __future__ import annotations

from typing import Any

from .. import algorithms
from ..core.tables.result import Result
from .answers import component_sets, need_weights, number_of_nodes, store_of
from .dispatch import has, is_directed, refuses
from .graphs import ConvertedGraph


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


@refuses(lambda given: None if given["resolution"] > 0 else "outcrop needs a resolution above 0")
def modularity(G: Any, communities: Any, weight: Any = "weight", resolution: float = 1) -> Any:
    """See :func:`networkx.community.modularity`."""
    from networkx.algorithms.community.quality import NotAPartition

    sets = communities if isinstance(communities, list) else list(communities)
    numbers = {node: number for number, members in enumerate(sets) for node in members}
    whole = sum(len(members) for members in sets) == len(numbers) == number_of_nodes(G)
    if not whole or any(node not in G for node in numbers):
        raise NotAPartition(G, sets)
    need_weights(G, 0)
    labels: Any = [numbers[node] for node in G.nodes] if isinstance(G, ConvertedGraph) else numbers
    counted: Any = None if weight is None else "weight"
    found = algorithms.modularity(store_of(G), communities=labels, resolution=resolution, weight=counted)
    if (value := found.stats["values"]["modularity"]) is None:
        raise ZeroDivisionError("the weights of all edges sum to 0")
    return value


def _choices(G: Any, weight: Any, seed: Any) -> dict[str, Any]:
    """Arguments that both algorithms share."""
    if weight is not None:
        need_weights(G, 0)
    return {"weight": None if weight is None else "weight", "seed": seed.randint(0, 2**31)}


def _sets(G: Any, result: Result) -> list[set[Any]]:
    """Return the nodes of each community."""
    return list(component_sets(G, result))
