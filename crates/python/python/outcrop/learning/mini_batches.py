"""Mini-batches of sampled neighbors, with features and labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..core.graph import Direction, Graph
from ..core.parameters import Node
from ..exceptions import UsageError
from ..interop.values import Place, whole
from .sampling import Batch, NeighborSampler, distinct
from .vertex_features import Features, features

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, numpy.dtype[Any]]


def batches(
    graph: Graph,
    seeds: Iterable[Node],
    fanouts: Sequence[int] = (15, 10),
    *,
    batch_size: int = 1024,
    shuffle: bool = False,
    ahead: int = 64,
    features: Features | Any = None,
    labels: Any = None,
    direction: Direction = "in",
    replace: bool = False,
    weighted: bool = False,
    seed: int = 0,
) -> Batches:
    """Return mini-batches of sampled neighbors, to iterate over once per epoch.

    Parameters
    ----------
    graph : Graph
        Graph to sample from.
    seeds : iterable
        IDs without duplicates.
    fanouts : sequence of int
        Neighbors to sample per vertex, one number per layer; vertices with fewer neighbors use all.
    batch_size : int
        Seeds per mini-batch; the last one can be smaller.
    shuffle : bool
        Shuffle the seeds in each epoch.
    ahead : int
        Mini-batches sampled together: the lists of a layer and the features are read once for all of them, and a
        vertex in several of them has the same samples; 1 samples every mini-batch separately. Memory: see
        :meth:`NeighborSampler.sample`, plus one feature row per sampled vertex.
    features : Features or array, optional
        One row per vertex in ascending ID order; see :func:`features` for data on disk.
    labels : array, optional
        One label per vertex in ascending ID order.
    direction, replace, weighted, seed
        See :class:`NeighborSampler`.

    Returns
    -------
    Batches

    Raises
    ------
    UsageError
        If a seed is duplicate, the number of rows differs from the number of vertices, or a size is below 1; as for
        :meth:`outcrop.Graph.sample_neighbors`.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(2, 1), (3, 1), (4, 2), (1, 4)])
    >>> for batch in oc.learning.batches(g, [1, 2, 4], [2], batch_size=2, labels=[0, 1, 0, 1]):
    ...     print(batch.nodes.tolist(), batch.edge_index.tolist(), batch.labels.tolist())
    [1, 2, 3, 4] [[1, 2, 3], [0, 0, 1]] [0, 1]
    [4, 1] [[1], [0]] [1]
    """
    sampler = NeighborSampler(graph, fanouts, direction=direction, replace=replace, weighted=weighted, seed=seed)
    return Batches(sampler, seeds, (batch_size, ahead, shuffle), (features, labels))


class Batches:
    """Mini-batches, sampled again by each ``for`` loop; created by :func:`batches`.

    The same arguments and the same number of loops give the same batches.

    Examples
    --------
    >>> import outcrop as oc
    >>> len(oc.learning.batches(oc.build([(2, 1), (3, 1)]), [1, 2, 3], batch_size=2))
    2
    """

    def __init__(
        self, sampler: NeighborSampler, seeds: Iterable[Node], sizes: tuple[int, int, bool], known: tuple[Any, Any]
    ) -> None:
        """Store the arguments of :func:`batches` (internal)."""
        self._sampler = sampler
        self._seeds = sampler._array(seeds)
        if len(distinct(self._seeds)) < len(self._seeds):
            raise UsageError("the seeds contain a vertex twice")
        self._order = Order(len(self._seeds), *sizes, sampler.seed)
        given, labels = known
        taken = given is None or isinstance(given, Features)
        self._features = given if taken else features(given)
        self._labels = None if labels is None else whole(labels, Place("the labels", "row"))
        for rows in (self._features, self._labels):
            if rows is not None and len(rows) != len(sampler.graph):
                raise UsageError(f"expected one row per vertex: {len(rows):,} rows for {len(sampler.graph):,} vertices")

    def __len__(self) -> int:
        """Return the number of mini-batches of an epoch."""
        return len(self._order)

    def __iter__(self) -> Iterator[Batch]:
        """Iterate over the mini-batches of the next epoch."""
        for draw, group in self._order.groups():
            seeds = [self._seeds[places] for places in group]
            for batch in self._sampler.sample(seeds, draw=draw, hold=self._features):
                rows = None if self._features is None else self._features.take(batch.positions)
                labels = None if self._labels is None else self._labels[batch.positions[: batch.num_seeds]]
                yield dataclasses.replace(batch, features=rows, labels=labels)


class Order:
    """Order of the seeds: mini-batches of positions, in groups that are sampled together; differs per epoch."""

    def __init__(self, count: int, batch_size: int, ahead: int, shuffle: bool, seed: int) -> None:
        """Store the sizes."""
        if batch_size < 1 or ahead < 1:
            raise UsageError(f"batch_size and ahead must be at least 1, not {batch_size} and {ahead}")
        self._count, self._batch, self._ahead = count, batch_size, ahead
        self._shuffle, self._seed, self._epoch = shuffle, seed, 0

    def __len__(self) -> int:
        """Return the number of mini-batches of an epoch."""
        return -(-self._count // self._batch)

    def groups(self) -> Iterator[tuple[tuple[int, int], list[Array]]]:
        """Iterate over the groups of the next epoch: numbers for :meth:`NeighborSampler.sample`, and mini-batches."""
        import numpy

        epoch, self._epoch = self._epoch, self._epoch + 1
        order = numpy.arange(self._count)
        if self._shuffle:
            numpy.random.default_rng([self._seed, epoch]).shuffle(order)
        step = self._batch * self._ahead
        for number, begin in enumerate(range(0, self._count, step)):
            group = order[begin : begin + step]
            yield (epoch, number), [group[at : at + self._batch] for at in range(0, len(group), self._batch)]
