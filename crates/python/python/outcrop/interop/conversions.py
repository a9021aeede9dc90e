"""Conversion to in-memory graphs of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..exceptions import UsageError

if TYPE_CHECKING:
    from ..core.graph.queries import Queries

LIMIT = 1_000_000
"""Default limit of edges and vertices for conversions."""


class Edges(NamedTuple):
    """Edges by the positions of their ends in the sorted ``nodes``, with optional weights."""

    nodes: Any
    source: Any
    target: Any
    weight: Any


def to_networkx(graph: Queries, limit: float) -> Any:
    """See :meth:`outcrop.Graph.to_networkx`."""
    import numpy

    edges = edge_table(graph, limit)
    ends = numpy.stack((edges.source, edges.target), axis=1)
    alike = len(numpy.unique(ends if graph.directed else numpy.sort(ends, axis=1), axis=0)) < len(ends)
    theirs = empty_networkx(graph.directed, alike)
    nodes = edges.nodes.tolist()
    theirs.add_nodes_from(nodes)
    pairs = ((nodes[source], nodes[target]) for source, target in ends.tolist())
    if edges.weight is None:
        theirs.add_edges_from(pairs)
    else:
        theirs.add_weighted_edges_from(
            (*pair, weight) for pair, weight in zip(pairs, edges.weight.tolist(), strict=True)
        )
    return theirs


def empty_networkx(directed: bool, multigraph: bool) -> Any:
    """Return a NetworkX graph without nodes."""
    import networkx

    kinds = [[networkx.Graph, networkx.MultiGraph], [networkx.DiGraph, networkx.MultiDiGraph]]
    return kinds[directed][multigraph]()


def to_scipy(graph: Queries, limit: float) -> Any:
    """See :meth:`outcrop.Graph.to_scipy`."""
    import numpy
    import scipy.sparse

    nodes, source, target, weight = edge_table(graph, limit)
    entries = numpy.ones(len(source)) if weight is None else weight
    if not graph.directed:
        back = source != target
        source, target = numpy.append(source, target[back]), numpy.append(target, source[back])
        entries = numpy.append(entries, entries[back])
    return scipy.sparse.coo_array((entries, (source, target)), shape=(len(nodes), len(nodes))).tocsr()


def to_igraph(graph: Queries, limit: float) -> Any:
    """See :meth:`outcrop.Graph.to_igraph`."""
    nodes, source, target, weight = edge_table(graph, limit)
    import igraph

    pairs = zip(source.tolist(), target.tolist(), strict=True)
    theirs = igraph.Graph(len(nodes), list(pairs), directed=graph.directed)
    theirs.vs["name" if nodes.dtype.kind == "O" else "id"] = nodes.tolist()
    if weight is not None:
        theirs.es["weight"] = weight.tolist()
    return theirs


def to_pyg(graph: Queries, limit: float) -> Any:
    """See :meth:`outcrop.Graph.to_pyg`."""
    import numpy

    nodes, source, target, weight = edge_table(graph, limit)
    import torch
    from torch_geometric.data import Data

    edges = numpy.stack((source, target))
    back = numpy.zeros(0, "i8") if graph.directed else numpy.flatnonzero(source != target)
    theirs = Data(
        edge_index=torch.from_numpy(numpy.concatenate((edges, edges[::-1, back]), axis=1)), num_nodes=len(nodes)
    )
    if weight is not None:
        theirs.edge_weight = torch.from_numpy(numpy.append(weight, weight[back]).astype("f4"))
    # PyTorch has no unsigned integers of all sizes.
    fit = nodes.dtype.kind != "O" and (len(nodes) == 0 or nodes[-1] < 1 << 63)
    theirs.node_id = torch.from_numpy(nodes.astype("i8")) if fit else nodes.tolist()
    return theirs


def edge_table(graph: Queries, limit: float) -> Edges:
    """Return the edges of a graph, each once.

    Raises
    ------
    UsageError
        If there are more edges or vertices than ``limit``.
    """
    import numpy

    for count, name in ((graph.num_edges, "edges"), (graph.num_vertices, "vertices")):
        if count > limit:
            raise UsageError(
                f"the graph has {count:,} {name}, more than the limit of {limit:,}; "
                f"pass limit={count} if they fit in memory"
            )
    nodes = graph.nodes().to_arrow()["node"].to_numpy()
    columns = [column.to_numpy() for column in graph.edges(weights=graph.weighted).to_arrow().columns]
    source, target = (numpy.searchsorted(nodes, ids) for ids in columns[:2])
    return Edges(nodes, source, target, columns[2] if graph.weighted else None)
