"""Sampled neighborhoods of many mini-batches at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.graph import Direction, Graph
from ..exceptions import UsageError
from ..interop.values import Place, ids, texts, whole_numbers
from .vertex_features import Features, vertex_ids

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, numpy.dtype[Any]]


@dataclasses.dataclass(frozen=True, eq=False)
class Batch:
    """A mini-batch: seeds, sampled edges, features and labels.

    Attributes
    ----------
    nodes : numpy.ndarray
        IDs: the seeds, then the vertices first reached in each layer.
    positions : numpy.ndarray of int64
        Positions of these vertices in ascending ID order: their rows in features and results.
    edge_index : numpy.ndarray of int64
        Two rows of positions in ``nodes``: a neighbor, and the vertex that it was sampled for; layer by layer.
    nodes_by_layer, edges_by_layer : list of int
        Numbers of vertices (seeds first) and of edges added by each layer.
    features : numpy.ndarray or None
        One row per vertex of ``nodes``.
    labels : numpy.ndarray or None
        One label per seed.
    """

    nodes: Array
    positions: Array
    edge_index: Array
    nodes_by_layer: list[int]
    edges_by_layer: list[int]
    features: Array | None = None
    labels: Array | None = None

    @property
    def num_seeds(self) -> int:
        """Number of seeds, which come first in ``nodes``."""
        return self.nodes_by_layer[0]


class NeighborSampler:
    """Samples neighbors of many mini-batches at once; the lists of a layer are read once.

    Within a call of :meth:`sample`, a vertex has one sampled neighborhood per layer, shared by its mini-batches. The
    distribution of a single mini-batch does not depend on the others.

    Parameters
    ----------
    graph : Graph
        Graph to sample from.
    fanouts : sequence of int
        Neighbors to sample per vertex, one number per layer; vertices with fewer neighbors use all.
    direction : {"in", "out", "both"}
        Edges of a directed graph to sample from: in-edges, out-edges, or this number from each side.
    replace : bool
        Sample with replacement.
    weighted : bool
        Sample in proportion to edge weights; edges without a positive weight are never sampled.
    seed : int
        Random seed.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(2, 1), (3, 1), (4, 2), (1, 4)])
    >>> sampler = oc.learning.NeighborSampler(g, fanouts=[2, 2])
    >>> one, other = sampler.sample([[1], [4, 2]])
    >>> one.nodes.tolist(), one.edge_index.tolist()
    ([1, 2, 3, 4], [[1, 2, 3], [0, 0, 1]])
    """

    def __init__(
        self,
        graph: Graph,
        fanouts: Sequence[int] = (15, 10),
        *,
        direction: Direction = "in",
        replace: bool = False,
        weighted: bool = False,
        seed: int = 0,
    ) -> None:
        """Read the IDs of all vertices."""
        import numpy

        self.graph = graph
        self.fanouts = whole_numbers(fanouts, "fanouts")
        self._how: dict[str, Any] = {"direction": direction, "replace": replace, "weighted": weighted}
        self.seed = seed
        nodes = vertex_ids(graph)
        self._dtype = nodes.dtype
        dense = nodes.dtype.kind == "u" and (len(nodes) == 0 or int(nodes[-1]) + 1 == len(nodes))
        self._ids = numpy.arange(0) if dense else nodes
        self._dense = dense

    def positions(self, nodes: Any) -> Array:
        """Return the positions of IDs of the graph in ascending ID order.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.learning.NeighborSampler(oc.build([(10, 30), (20, 30)])).positions([30, 10]).tolist()
        [2, 0]
        """
        import numpy

        asked = self._array(nodes)
        return asked.astype("i8") if self._dense else numpy.searchsorted(self._ids, asked)

    def nodes(self, positions: Any) -> Array:
        """Return the IDs at positions in ascending ID order.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.learning.NeighborSampler(oc.build([(10, 30), (20, 30)])).nodes([2, 0]).tolist()
        [30, 10]
        """
        import numpy

        places = numpy.asarray(positions)
        return places.astype(self._dtype) if self._dense else self._ids[places]

    def sample(
        self, seeds: Iterable[Any], *, draw: Sequence[int] = (0,), hold: Features | None = None
    ) -> Iterator[Batch]:
        """Sample mini-batches.

        All samples are in memory: 4 bytes each (30 while sampling), plus 20 bytes per sampled vertex and 8 bytes per
        vertex and layer; data shared by mini-batches is stored once.

        Parameters
        ----------
        seeds : iterable
            Seed IDs of each mini-batch, without duplicates.
        draw : sequence of int
            Number of this sample; every number gives another sample.
        hold : Features, optional
            Features to read into memory in one pass for all these mini-batches.

        Returns
        -------
        iterator of Batch
            Mini-batches without features and labels.

        Raises
        ------
        UsageError
            If a vertex is not in the graph, or is duplicate in a mini-batch.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(2, 1), (3, 1)])
        >>> [batch.nodes.tolist() for batch in oc.learning.NeighborSampler(g, [5]).sample([[1], [2]])]
        [[1, 2, 3], [2]]
        """
        groups = [self._array(group) for group in seeds]
        if any(len(distinct(group)) < len(group) for group in groups):
            raise UsageError("the seeds of a mini-batch contain a vertex twice")
        return self._sample(groups, draw, hold) if groups else iter(())

    def _sample(self, groups: list[Array], draw: Sequence[int], hold: Features | None) -> Iterator[Batch]:
        import numpy

        members, layers = self._draw(distinct(numpy.concatenate(groups)), draw)
        positions = self.positions(members)
        if hold is not None:
            hold.hold(positions)
        place = numpy.full(len(members), -1, "i4")
        for group in groups:
            drawn = _around(numpy.searchsorted(members, group), layers, place)
            yield Batch(members[drawn.nodes], positions[drawn.nodes], *drawn[1:])

    def _draw(self, frontier: Array, draw: Sequence[int]) -> tuple[Array, list[_Layer]]:
        """Sample each layer for all vertices of the previous one: the sorted vertices, and the layers."""
        import numpy

        seeds = numpy.random.SeedSequence([self.seed, *draw]).generate_state(len(self.fanouts), "u8")
        sources, drawn = [], [frontier]
        for fanout, seed in zip(self.fanouts, seeds.tolist(), strict=True):
            table = self.graph.sample_neighbors(distinct(drawn[-1]), [fanout], seed=seed, **self._how)
            sources.append(table.to_numpy("source"))
            drawn.append(table.to_numpy("neighbor"))
        members, places = _numbered(numpy.concatenate(drawn))
        ends = numpy.cumsum([len(column) for column in drawn])
        offsets = [numpy.append(numpy.searchsorted(source, members), len(source)) for source in sources]
        return members, list(map(_Layer, offsets, numpy.split(places, ends)[1:]))

    def _array(self, nodes: Any) -> Array:
        import numpy

        named = ids(nodes, Place("the nodes"))
        if isinstance(named, bytes) and self._dtype.kind == "u":
            return numpy.frombuffer(named, "u8")
        try:
            return numpy.array(texts(named), dtype=object).astype(self._dtype)
        except (ValueError, OverflowError) as error:
            raise UsageError(f"the graph has integer IDs: {error}") from None


def distinct(values: Array) -> Array:
    """Sorted unique values, in half the time of the NumPy function."""
    import numpy

    ordered: Array = numpy.sort(values)
    distinct: Array = ordered[numpy.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return distinct


def _numbered(values: Array) -> tuple[Array, Array]:
    """Sorted unique values and the position of each value, in about half the time of the NumPy function."""
    import numpy

    order = numpy.argsort(values)
    ordered = values[order]
    first = numpy.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    places = numpy.empty(len(values), "i4")
    places[order] = numpy.cumsum(first, dtype="i4") - 1
    return ordered[first], places


class _Layer(NamedTuple):
    """Neighbors grouped by the vertex they were sampled for, and the offsets of the groups."""

    offsets: Array
    neighbors: Array


class _Drawn(NamedTuple):
    """Content of a batch, as member numbers of its group."""

    nodes: Array
    edge_index: Array
    nodes_by_layer: list[int]
    edges_by_layer: list[int]


def _around(seeds: Array, layers: list[_Layer], place: Array) -> _Drawn:
    """Follow the layers from the seeds; ``place`` is -1 for all members, before and after."""
    import numpy

    reached, edges, count = [seeds], [numpy.zeros((2, 0), "i8")], len(seeds)
    place[seeds] = numpy.arange(count)
    for offsets, neighbors in layers:
        begin, length = offsets[reached[-1]], offsets[reached[-1] + 1] - offsets[reached[-1]]
        targets = numpy.repeat(numpy.arange(count - len(begin), count), length)
        skipped = numpy.repeat(begin - (numpy.cumsum(length) - length), length)
        drawn = neighbors[numpy.arange(len(targets)) + skipped]
        reached.append(distinct(drawn[place[drawn] < 0]))
        place[reached[-1]] = numpy.arange(count, count + len(reached[-1]))
        count += len(reached[-1])
        edges.append(numpy.stack((place[drawn], targets)))
    nodes = numpy.concatenate(reached)
    place[nodes] = -1
    sizes = [len(layer) for layer in reached], [layer.shape[1] for layer in edges[1:]]
    return _Drawn(nodes, numpy.concatenate(edges, axis=1), *sizes)
