"""Results by node of the given graph, in the forms of NetworkX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .. import algorithms
from ..core.graph import Graph
from ..core.tables.result import Result
from ..exceptions import UsageError
from .graphs import ConvertedGraph


def store_of(G: Any) -> Graph:
    """Return the store of a given or converted graph."""
    return G.graph if isinstance(G, ConvertedGraph) else G


def number_of_nodes(G: Any) -> int:
    """Return the number of nodes."""
    return G.num_vertices if isinstance(G, Graph) else len(G)


def column(G: Any, result: Result, column: str | None = None) -> tuple[list[Any], Any]:
    """Return the nodes and their values in a column; by default the first one."""
    column = result.columns[1] if column is None else column
    if isinstance(G, ConvertedGraph):
        return list(G.places), result.to_numpy(column)
    table = result.to_numpy()
    return table["node"].tolist(), table[column]


def by_node(G: Any, result: Result) -> dict[Any, Any]:
    """Return the values of the first column by node."""
    nodes, values = column(G, result)
    return dict(zip(nodes, values.tolist(), strict=True))


def _from(G: Any, algorithm: Callable[..., Result], sources: Iterable[Any], end: str) -> Result:
    import networkx

    try:
        return algorithm(store_of(G), [G.places[node] if isinstance(G, ConvertedGraph) else node for node in sources])
    except (KeyError, TypeError, UsageError) as error:
        raise networkx.NodeNotFound(f"{end} {', '.join(map(str, sources))} is not in G") from error


def distances(
    G: Any, sources: Iterable[Any], cutoff: float | None = None, weight: Any = None, end: str = "Source"
) -> dict[Any, Any]:
    """Return the distances of reached nodes, nearest first."""
    import numpy

    if weight is not None:
        need_weights(G, 0)
    nodes, values = column(G, _from(G, algorithms.bfs if weight is None else algorithms.sssp, sources, end))
    reached = numpy.isfinite(values) & (values >= 0) & (values <= (numpy.inf if cutoff is None else cutoff))
    if weight is not None and _whole(G):
        values = numpy.where(reached, values, 0).astype(int)
    places = numpy.flatnonzero(reached)
    places = places[numpy.argsort(values[places], kind="stable")]
    return {nodes[place]: value for place, value in zip(places.tolist(), values[places].tolist(), strict=True)}


def _whole(G: Any) -> bool:
    if isinstance(G, ConvertedGraph):
        return G.whole_weights
    return not G.weighted or str(G.info()["weight_type"]).startswith("u")


def need_weights(G: Any, least: float, above: bool = False) -> None:
    """Refuse unsupported weights; for a store the algorithm does so itself."""
    if isinstance(G, ConvertedGraph) and (G.smallest_weight < least or above and G.smallest_weight == least):
        raise NotImplementedError(f"weights must be {'above' if above else 'at least'} {least}")


def selected(G: Any, values: dict[Any, Any], nodes: Any) -> Any:
    """Return the values of all nodes, of one node, or of the known ones of several, as NetworkX selects."""
    if nodes is None:
        return values
    try:
        if nodes in values:
            return values[nodes]
    except TypeError:
        pass
    return {node: values[node] for node in several(nodes) if node in values}


def several(nodes: Any) -> Iterable[Any]:
    """Return an iterable of nodes unchanged; refuse anything else."""
    import networkx

    if not isinstance(nodes, Iterable):
        raise networkx.NetworkXError(f"Node {nodes} is not in the graph, nor a sequence of nodes.")
    return nodes


def component_sets(G: Any, result: Result) -> Iterator[set[Any]]:
    """Return the nodes of each component, starting with the component of the first node."""
    import numpy

    nodes, labels = column(G, result)
    _, numbers, counts = numpy.unique(labels, return_inverse=True, return_counts=True)
    places = numpy.split(numpy.argsort(numbers, kind="stable"), numpy.cumsum(counts)[:-1])
    return ({nodes[place] for place in part.tolist()} for part in places)


def number_of_parts(G: Any, result: Result) -> int:
    """Return the number of components."""
    import numpy

    return len(numpy.unique(column(G, result)[1]))


def is_one_part(G: Any, find: Callable[[Graph], Result]) -> bool:
    """Return whether there is one component."""
    import networkx

    if not number_of_nodes(G):
        raise networkx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return number_of_parts(G, find(store_of(G))) == 1
