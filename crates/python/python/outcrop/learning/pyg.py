"""The classes of :mod:`outcrop.pyg`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy
import torch
from torch_geometric import data, loader, sampler

from ..core.graph import Direction, Graph
from ..exceptions import UsageError
from ..interop import conversions
from ..interop.values import Place, whole
from . import sampling
from .mini_batches import Order
from .vertex_features import Features
from .vertex_features import features as vertex_features

__all__ = ["FeatureStore", "GraphStore", "NeighborLoader", "NeighborSampler"]


class GraphStore(data.GraphStore):
    """PyG graph store: reads all edges into memory, up to a limit.

    Parameters
    ----------
    graph : Graph
        Graph to read.
    limit : int
        Maximum number of edges and of vertices to read into memory.

    Examples
    --------
    >>> import outcrop as oc
    >>> from outcrop.pyg import GraphStore
    >>> GraphStore(oc.build([(1, 2), (1, 3)])).get_edge_index(None, "coo")
    (tensor([0, 0]), tensor([1, 2]))
    """

    def __init__(self, graph: Graph, limit: int = conversions.LIMIT) -> None:
        """Store the graph."""
        super().__init__()
        self.graph, self.limit = graph, limit

    def get_all_edge_attrs(self) -> list[Any]:
        """Return the single edge type."""
        size = (len(self.graph), len(self.graph))
        return [data.EdgeAttr(edge_type=None, layout="coo", size=size)]

    def _get_edge_index(self, edge_attr: Any) -> Any:
        return tuple(self.graph.to_pyg(self.limit).edge_index) if edge_attr.layout.value == "coo" else None

    def _put_edge_index(self, edge_index: Any, edge_attr: Any) -> bool:
        raise UsageError("the graph store is read-only; use outcrop.build and outcrop.update")

    def _remove_edge_index(self, edge_attr: Any) -> bool:
        return bool(self._put_edge_index(None, edge_attr))


class FeatureStore(data.FeatureStore):
    """PyG feature store: vertex rows in memory or on disk.

    Parameters
    ----------
    **tensors : Features or array
        Named tensors, for example ``x`` and ``y``, with one row per vertex in ascending ID order.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from outcrop.pyg import FeatureStore
    >>> FeatureStore(y=np.array([3, 4, 5])).get_tensor(None, "y", torch.tensor([2, 0]))
    tensor([5, 3])
    """

    def __init__(self, **tensors: Any) -> None:
        """Store the rows."""
        super().__init__()
        given = tensors.items()
        rows = {name: rows if isinstance(rows, Features) else vertex_features(rows) for name, rows in given}
        self.__dict__["rows"] = rows

    def get_all_tensor_attrs(self) -> list[Any]:
        """Return the attributes."""
        return [data.TensorAttr(group_name=None, attr_name=name) for name in self.rows]

    def _get_tensor(self, attr: Any) -> Any:
        rows = self.rows[attr.attr_name]
        index = slice(None) if attr.index is None else attr.index
        chosen = numpy.arange(len(rows))[index] if isinstance(index, slice) else numpy.asarray(index).reshape(-1)
        return torch.from_numpy(rows.take(chosen))

    def _get_tensor_size(self, attr: Any) -> tuple[int, ...]:
        return tuple(self.rows[attr.attr_name].rows.shape)

    def _put_tensor(self, tensor: Any, attr: Any) -> bool:
        raise UsageError("the feature store is read-only; pass features to its constructor")

    def _remove_tensor(self, attr: Any) -> bool:
        return self.rows.pop(attr.attr_name, None) is not None


class NeighborSampler(sampler.BaseSampler):
    """Neighbor sampler on disk for PyG loaders, which request one mini-batch at a time.

    Parameters
    ----------
    drawn : outcrop.learning.NeighborSampler
        Sampler of the graph.

    Examples
    --------
    >>> import torch
    >>> import outcrop as oc
    >>> from outcrop.pyg import FeatureStore, GraphStore, NeighborSampler
    >>> from torch_geometric.loader import NodeLoader
    >>> g = oc.build([(1, 0), (2, 0), (0, 2)])
    >>> stores = FeatureStore(x=[[0.0], [0.1], [0.2]]), GraphStore(g)
    >>> sampler = NeighborSampler(oc.learning.NeighborSampler(g, [5, 5]))
    >>> batch = next(iter(NodeLoader(stores, sampler, input_nodes=torch.tensor([0]))))
    >>> batch.n_id.tolist(), batch.edge_index.tolist(), batch.num_sampled_edges
    ([0, 1, 2], [[1, 2, 0], [0, 0, 2]], [2, 1])
    """

    def __init__(self, drawn: sampling.NeighborSampler) -> None:
        """Store the sampler."""
        self._drawn = drawn
        self._draws = 0
        self._planned: Iterator[sampling.Batch] = iter(())
        self._seeds: list[Any] = []

    def plan(self, groups: Sequence[Any], draw: Sequence[int], hold: Features | None) -> None:
        """Sample the next mini-batches, in this order, at once.

        Parameters
        ----------
        groups : sequence of array
            Seed numbers of each mini-batch.
        draw, hold
            See :meth:`outcrop.learning.NeighborSampler.sample`.

        Examples
        --------
        >>> import outcrop as oc
        >>> from outcrop.pyg import NeighborSampler
        >>> NeighborSampler(oc.learning.NeighborSampler(oc.build([(1, 0)]))).plan([[0], [1]], (0,), None)
        """
        self._planned = self._drawn.sample(map(self._drawn.nodes, groups), draw=draw, hold=hold)
        self._seeds = list(groups)

    def sample_from_nodes(self, index: Any, **_: Any) -> Any:
        """Return the next planned mini-batch, or sample a new one."""
        seeds = index.node.numpy()
        if self._seeds and numpy.array_equal(self._seeds[0], seeds):
            del self._seeds[0]
            batch = next(self._planned)
        else:
            self._draws += 1
            (batch,) = self._drawn.sample([self._drawn.nodes(seeds)], draw=(self._draws,))
        row, col = torch.from_numpy(batch.edge_index)
        return sampler.SamplerOutput(
            node=torch.from_numpy(batch.positions),
            row=row,
            col=col,
            edge=None,
            num_sampled_nodes=batch.nodes_by_layer,
            num_sampled_edges=batch.edges_by_layer,
            metadata=(index.input_id, index.time),
        )

    def sample_from_edges(self, index: Any, neg_sampling: Any = None) -> Any:
        """Refuse: mini-batches are sampled around vertices."""
        raise UsageError("mini-batches are sampled around vertices, not around edges")


class NeighborLoader(loader.NodeLoader):
    """Mini-batches like those of the PyG loader of the same name, from a graph and features on disk.

    Batches have ``edge_index``, ``x``, ``y``, ``n_id``, ``batch_size``, ``input_id``, ``num_sampled_nodes`` and
    ``num_sampled_edges``; the first ``batch_size`` nodes are the seeds. Each ``for`` loop samples again.

    Parameters
    ----------
    graph : Graph
        Graph to read.
    num_neighbors : sequence of int
        Neighbors to sample per vertex, one number per layer.
    input_nodes : tensor or array, optional
        Node numbers of the seeds, or one boolean per vertex. Default: all vertices.
    features, labels : Features, path or array, optional
        ``x`` and ``y``: one row per vertex in ascending ID order; see :func:`outcrop.learning.features`.
    batch_size, shuffle, ahead
        See :func:`outcrop.learning.batches`.
    direction, replace, weighted, seed
        See :class:`outcrop.learning.NeighborSampler`.
    transform : callable, optional
        Applied to each batch.

    Raises
    ------
    UsageError
        As for :func:`outcrop.learning.batches`.

    Examples
    --------
    >>> import outcrop as oc
    >>> from outcrop.pyg import NeighborLoader
    >>> g = oc.build([(20, 10), (30, 10), (10, 30)])
    >>> for batch in NeighborLoader(g, [2, 2], input_nodes=[0, 2], labels=[0, 1, 1], batch_size=2):
    ...     print(batch.n_id.tolist(), batch.edge_index.tolist(), batch.y.tolist(), batch.batch_size)
    [0, 2, 1] [[2, 1, 0], [0, 0, 1]] [0, 1, 1] 2
    """

    def __init__(
        self,
        graph: Graph,
        num_neighbors: Sequence[int] = (15, 10),
        input_nodes: Any = None,
        *,
        features: Any = None,
        labels: Any = None,
        batch_size: int = 1024,
        shuffle: bool = False,
        ahead: int = 64,
        direction: Direction = "in",
        replace: bool = False,
        weighted: bool = False,
        seed: int = 0,
        transform: Any = None,
    ) -> None:
        """Read the IDs of all vertices."""
        drawn = sampling.NeighborSampler(
            graph, num_neighbors, direction=direction, replace=replace, weighted=weighted, seed=seed
        )
        nodes = numpy.arange(len(graph)) if input_nodes is None else whole(input_nodes, Place("input_nodes"))
        nodes = numpy.flatnonzero(nodes) if nodes.dtype == bool else nodes.astype("i8")
        if len(nodes) and not 0 <= nodes.min() <= nodes.max() < len(graph):
            raise UsageError(f"input_nodes must be node numbers from 0 to {len(graph) - 1}")
        tensors = {name: rows for name, rows in (("x", features), ("y", labels)) if rows is not None}
        opened = {name: _opened(rows, graph) for name, rows in tensors.items()}
        own = NeighborSampler(drawn)
        plan = _Plan(own, nodes, Order(len(nodes), batch_size, ahead, shuffle, seed), opened.get("x"))
        stores = FeatureStore(**opened), GraphStore(graph)
        super().__init__(stores, own, torch.from_numpy(nodes), transform=transform, batch_sampler=plan)


def _opened(rows: Any, graph: Graph) -> Features:
    if not isinstance(rows, Features):
        return vertex_features(rows, graph)
    if len(rows) != len(graph):
        raise UsageError(f"expected one row per vertex: {len(rows):,} rows for {len(graph):,} vertices")
    return rows


class _Plan(torch.utils.data.Sampler[list[int]]):
    """Seeds of mini-batches in order; samples are planned one group ahead."""

    def __init__(self, own: NeighborSampler, nodes: Any, order: Order, features: Features | None) -> None:
        self._own, self._nodes, self._order, self._features = own, nodes, order, features

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[list[int]]:
        for draw, groups in self._order.groups():
            self._own.plan([self._nodes[places] for places in groups], draw, self._features)
            yield from (places.tolist() for places in groups)
