"""NetworkX graphs in temporary stores, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from ..core.building import build
from ..core.graph import Graph
from ..interop.conversions import empty_networkx


class ConvertedGraph:
    """A NetworkX graph in a store; IDs are positions of nodes."""

    __networkx_backend__ = "outcrop"

    def __init__(self, graph: Graph, places: dict[Any, int], ends: Any, weights: Any, multigraph: bool) -> None:
        """Store facts about the edges; ``ends`` are their two columns, ``weights`` can be None."""
        self.graph = graph
        self.places = places
        self._multigraph = multigraph
        loops = ends[:, 0] == ends[:, 1]
        self.loops = int(loops.sum())
        self.smallest_weight = 1 if weights is None or not len(weights) else weights.min()
        self.whole_weights = weights is None or weights.dtype.kind in "iub"
        self.out_degrees, self.in_degrees = (_counts(column, len(places)) for column in ends.T)
        self._loops_at = _counts(ends[loops, 0], len(places)) if self.loops else 0

    @property
    def degrees(self) -> Any:
        """Number of edges of each node; self-loops count twice."""
        return self.out_degrees + self.in_degrees

    @property
    def degrees_without_loops(self) -> Any:
        """Number of edges of each node to others."""
        return self.degrees - 2 * self._loops_at

    @cached_property
    def nodes(self) -> list[Any]:
        """Nodes by position."""
        return list(self.places)

    def is_directed(self) -> bool:
        """Return whether edges are directed."""
        return self.graph.directed

    def is_multigraph(self) -> bool:
        """Return whether the graph is a multigraph."""
        return self._multigraph

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.places)

    def __contains__(self, node: Any) -> bool:
        """Return whether this is a node of the graph."""
        return node in self.places

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the nodes."""
        return iter(self.places)

    def __deepcopy__(self, memo: Any) -> ConvertedGraph:
        """Return the graph itself, which is immutable."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Omit the store from pickles of the original graph, which is then converted again."""
        return type(None), ()


class PreservedGraph:
    """A NetworkX graph for functions that return parts of it with all attributes."""

    __networkx_backend__ = "outcrop"

    def __init__(self, original: Any) -> None:
        """Keep the graph, which is converted when needed, once for each edge attribute."""
        self.original = original
        self._converted: dict[Any, Any] = {}

    def converted(self, weight: Any) -> Any:
        """Return the store with this edge attribute as weight."""
        if weight not in self._converted:
            attributes = None if weight is None else {weight: 1}
            self._converted[weight] = convert_from_nx(self.original, edge_attrs=attributes)
        return self._converted[weight]

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the graph."""
        return getattr(self.original, name)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.original)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the nodes."""
        return iter(self.original)

    def __contains__(self, node: Any) -> bool:
        """Return whether this is a node of the graph."""
        return node in self.original

    def __reduce__(self) -> tuple[Any, ...]:
        """Omit the graph from pickles of itself."""
        return type(None), ()

    def __deepcopy__(self, memo: Any) -> None:
        """Omit the graph from copies of itself, which are preserved again."""


def converted(G: Any, weight: Any = None) -> Any:
    """Return the store of a preserved graph, with this edge attribute as weight; any other graph unchanged."""
    return G.converted(weight) if isinstance(G, PreservedGraph) else G


def subgraph(G: Any, nodes: Iterable[Any]) -> Any:
    """Return the NetworkX graph induced by some nodes of a preserved graph or a store."""
    if isinstance(G, PreservedGraph):
        return G.original.subgraph(nodes).copy()
    kept = list(nodes)
    theirs = empty_networkx(G.directed, False)
    theirs.add_nodes_from(kept)
    for batch in G.subgraph(kept, weights=G.weighted):
        columns = [column.tolist() for column in batch.to_numpy().values()]
        theirs.add_weighted_edges_from(zip(*columns, strict=True)) if G.weighted else theirs.add_edges_from(
            zip(*columns, strict=True)
        )
    return theirs


def _counts(places: Any, size: int) -> Any:
    import numpy

    return numpy.bincount(places, minlength=size)


def convert_from_nx(
    graph: Any,
    edge_attrs: dict[str, Any] | None = None,
    node_attrs: dict[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> Graph | ConvertedGraph | PreservedGraph:
    """Convert a NetworkX graph to a store, with at most one edge attribute, the weight; or preserve all attributes.

    Raises
    ------
    NotImplementedError
        If there are no nodes, several attributes, or weights that are not finite numbers.
    """
    import numpy

    if isinstance(graph, Graph | ConvertedGraph | PreservedGraph):
        return graph
    if preserve_edge_attrs and len(graph):
        return PreservedGraph(graph)
    if not len(graph) or len(edge_attrs or ()) > 1:
        raise NotImplementedError("outcrop needs at least one node and supports one edge attribute")
    places = {node: place for place, node in enumerate(graph)}
    edges = (
        graph.edges(data=next(iter(edge_attrs)), default=next(iter(edge_attrs.values())))
        if edge_attrs
        else graph.edges()
    )
    columns = list(zip(*edges, strict=True)) or [(), ()]
    flat = [numpy.fromiter((places[node] for node in column), "i8", len(column)) for column in columns[:2]]
    ends, weights = numpy.stack(flat, axis=1), _numbers(columns[2]) if len(columns) > 2 else None
    stored = None if weights is None or (weights == 1).all() else weights.astype("f8")
    config = _config()
    built = build(
        ends,
        weight=stored,
        directed=graph.is_directed(),
        ids="dense",
        num_vertices=len(places),
        memory=config.memory,
        tmp_dir=config.tmp_dir,
        progress=_ignore,
    )
    return ConvertedGraph(built, places, ends, weights, graph.is_multigraph())


def _ignore(event: dict[str, Any]) -> None:
    """Suppress notes on ignored weights for graphs that were converted with weights."""


def _config() -> Any:
    import networkx

    backends: Any = networkx.config.backends
    return backends.outcrop


def _numbers(values: tuple[Any, ...]) -> Any:
    import numpy

    if any(isinstance(value, str) for value in values):
        raise NotImplementedError("weights must be numbers")
    weights = numpy.asarray(values) if all(map(numpy.isscalar, values)) else numpy.empty(1, object)
    if weights.dtype.kind not in "iufb" or not numpy.isfinite(weights).all():
        raise NotImplementedError("weights must be finite numbers in double precision")
    if weights.dtype.kind in "iu" and (abs(weights) > 2**53).any():
        raise NotImplementedError("weights must be exact in double precision; some integers are too large")
    return weights


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Convert a graph to NetworkX; return anything else unchanged."""
    if isinstance(result, Graph):
        return result.to_networkx()
    if isinstance(result, PreservedGraph):
        return result.original
    if not isinstance(result, ConvertedGraph):
        return result
    plain, nodes = result.graph.to_networkx(limit=max(len(result), result.graph.num_edges)), list(result.places)
    theirs = empty_networkx(result.is_directed(), result.is_multigraph())
    theirs.add_nodes_from(nodes)
    theirs.add_edges_from((nodes[source], nodes[target], data) for source, target, data in plain.edges(data=True))
    return theirs
