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
        return G.nodes, result.to_numpy(column)
    table = result.to_numpy()
    return table["node"].tolist(), table[column]


def by_node(G: Any, result: Result) -> dict[Any, Any]:
    """Return the values of the first column by node."""
    nodes, values = column(G, result)
    return dict(zip(nodes, values.tolist(), strict=True))


def places_of(G: Any, nodes: Iterable[Any], end: str = "Source") -> list[Any]:
    """Return the IDs of nodes in the store; raise NetworkX's exception if one is not a node."""
    import networkx

    known = list(nodes)
    try:
        if all(node in G for node in known):
            return [G.places[node] for node in known] if isinstance(G, ConvertedGraph) else known
    except (TypeError, UsageError):
        pass
    raise networkx.NodeNotFound(f"{end} {', '.join(map(str, known))} is not in G")


class Search:
    """Result of a search from some nodes."""

    def __init__(
        self,
        G: Any,
        sources: Iterable[Any],
        cutoff: float | None = None,
        weight: Any = None,
        end: str = "Source",
        columns: Any = "distance",
    ) -> None:
        """Search by the number of edges, or by weight."""
        import numpy

        if weight is not None:
            need_weights(G, 0)
        algorithm = algorithms.bfs if weight is None else algorithms.sssp
        self._result = algorithm(store_of(G), places_of(G, sources, end), columns=columns)
        self._graph = G
        self._nodes, values = column(G, self._result)
        reached = numpy.isfinite(values) & (values >= 0) & (values <= (numpy.inf if cutoff is None else cutoff))
        if weight is not None and are_whole(G):
            values = numpy.where(reached, values, 0).astype(int)
        places = numpy.flatnonzero(reached)
        self._places = places[numpy.argsort(values[places], kind="stable")]
        self._values = values

    def distances(self) -> dict[Any, Any]:
        """Return the distances of reached nodes, nearest first."""
        return {
            self._nodes[place]: value
            for place, value in zip(self._places.tolist(), self._values[self._places].tolist(), strict=True)
        }

    def paths(self) -> dict[Any, list[Any]]:
        """Return a shortest path to each reached node, nearest first."""
        names = self._nodes if isinstance(self._graph, ConvertedGraph) else None
        before = column(self._graph, self._result, "predecessor")[1].tolist()
        steps: dict[Any, Any] = {}
        for place in self._places.tolist():
            last = before[place]
            steps[self._nodes[place]] = None if last is None or last == -1 else last if names is None else names[last]
        paths: dict[Any, list[Any]] = {}
        for node in steps:
            # Edges of weight 0 can lead from a later node.
            chain = [node]
            while chain[-1] not in paths and steps[chain[-1]] is not None:
                chain.append(steps[chain[-1]])
            for last in reversed(chain):
                if last not in paths:
                    paths[last] = [*paths.get(steps[last], ()), last]
        return {node: paths[node] for node in steps}


def distances(
    G: Any, sources: Iterable[Any], cutoff: float | None = None, weight: Any = None, end: str = "Source"
) -> dict[Any, Any]:
    """Return the distances of reached nodes, nearest first."""
    return Search(G, sources, cutoff, weight, end).distances()


def route(G: Any, source: Any, target: Any, weight: Any = None) -> tuple[Any, list[Any]]:
    """Return the length of a shortest path, and its nodes; raise NetworkX's exception if there is none."""
    import networkx

    (start,), (end,) = places_of(G, [source]), places_of(G, [target], "Target")
    if weight is not None:
        need_weights(G, 0)
    counted: Any = "weight" if weight is not None and store_of(G).weighted else None
    found = algorithms.shortest_path(store_of(G), start, end, weight=counted)
    length = found.stats["values"]["distance"]
    if length is None:
        raise networkx.NetworkXNoPath(f"No path between {source} and {target}.")
    nodes = found.to_numpy("node").tolist()
    path = [G.nodes[node] for node in nodes] if isinstance(G, ConvertedGraph) else nodes
    return (length if weight is None else int(length) if are_whole(G) else float(length)), path


def route_from(G: Any, source: Any, target: Any, weight: Any = None) -> tuple[Any, list[Any]]:
    """Return the same as :func:`route`; a target outside the graph is unreachable."""
    import networkx

    places_of(G, [source])
    try:
        return (0, [source]) if source == target else route(G, source, target, weight)
    except networkx.NodeNotFound as error:
        raise networkx.NetworkXNoPath(f"No path to {target}.") from error


def are_whole(G: Any) -> bool:
    """Return whether all weights are integers."""
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
