"""Mini-batches of sampled neighbours, as graph networks learn from them: plain NumPy arrays.

The graph and the features of its vertices stay on disk. Many mini-batches are drawn with one read of the lists of a
layer. :mod:`outcrop.pyg` makes data of PyG of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .exceptions import UsageError
from .features import Features, features, vertex_ids
from .graph import Direction, Graph
from .parameters import Node
from .values import Place, ids, texts, whole

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, numpy.dtype[Any]]

__all__ = ["Batch", "Batches", "Features", "NeighborSampler", "batches", "features"]


@dataclasses.dataclass(frozen=True, eq=False)
class Batch:
    """A mini-batch: seeds, what was drawn around them, and what is known of these vertices.

    Attributes
    ----------
    nodes : numpy.ndarray
        Ids: the seeds, then the vertices that each layer comes to first.
    positions : numpy.ndarray of int64
        Places of these vertices among all in ascending id: their rows in features and results.
    edge_index : numpy.ndarray of int64
        Two rows of places in ``nodes``: a neighbour, and the vertex that it was drawn for; layer by layer.
    nodes_by_layer, edges_by_layer : list of int
        Numbers of vertices, those of seeds first, and of edges that each layer adds.
    features : numpy.ndarray or None
        A row for each of ``nodes``.
    labels : numpy.ndarray or None
        One for each seed.
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
        """Number of seeds, which are the first of ``nodes``."""
        return self.nodes_by_layer[0]


class NeighborSampler:
    """Draws neighbours of many mini-batches at once, each layer with one read of the lists.

    Within a call of :meth:`sample` a vertex has one drawn neighbourhood a layer, which its mini-batches share; each
    mini-batch alone is drawn as if there were no others.

    Parameters
    ----------
    graph : Graph
        The graph.
    fanouts : sequence of int
        Neighbours to draw of each vertex, layer by layer; all where it has no more.
    direction : {"in", "out", "both"}
        Which edges of a directed graph are drawn from: those that lead to a vertex, those that leave it, or so many of
        either.
    replace : bool
        Draw a neighbour any number of times.
    weighted : bool
        Draw by the weights of edges; those without a positive one are not drawn.
    seed : int
        The same seed draws the same in the same calls.

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
        """Read the ids of all vertices."""
        import numpy

        self.graph = graph
        self.fanouts = [int(fanout) for fanout in fanouts]
        self._how: dict[str, Any] = {"direction": direction, "replace": replace, "weighted": weighted}
        self.seed = seed
        nodes = vertex_ids(graph)
        self._dtype = nodes.dtype
        dense = nodes.dtype.kind == "u" and (len(nodes) == 0 or int(nodes[-1]) + 1 == len(nodes))
        self._ids = numpy.arange(0) if dense else nodes
        self._dense = dense

    def positions(self, nodes: Any) -> Array:
        """Return the places of ids among those of all vertices in ascending order; of ids of the graph alone.

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
        """Return the ids at places among those of all vertices in ascending order.

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
        """Draw mini-batches.

        All draws are held in memory: 4 bytes each (30 while they are made), and 20 and 8 a layer for each vertex that
        is drawn; what mini-batches share is there once.

        Parameters
        ----------
        seeds : iterable
            Ids of the seeds of each mini-batch, each once in it.
        draw : sequence of int
            The number of this draw; another number draws others.
        hold : Features, optional
            Features whose rows of all these mini-batches are read into memory in one pass.

        Returns
        -------
        iterator of Batch
            Without features and labels.

        Raises
        ------
        UsageError
            A vertex that the graph does not have; one that is twice in a mini-batch.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(2, 1), (3, 1)])
        >>> [batch.nodes.tolist() for batch in oc.learning.NeighborSampler(g, [5]).sample([[1], [2]])]
        [[1, 2, 3], [2]]
        """
        groups = [self._array(group) for group in seeds]
        if any(len(_distinct(group)) < len(group) for group in groups):
            raise UsageError("a vertex is twice among the seeds of a mini-batch")
        return self._sample(groups, draw, hold) if groups else iter(())

    def _sample(self, groups: list[Array], draw: Sequence[int], hold: Features | None) -> Iterator[Batch]:
        import numpy

        members, layers = self._draw(_distinct(numpy.concatenate(groups)), draw)
        positions = self.positions(members)
        if hold is not None:
            hold.hold(positions)
        place = numpy.full(len(members), -1, "i4")
        for group in groups:
            drawn = _around(numpy.searchsorted(members, group), layers, place)
            yield Batch(members[drawn.nodes], positions[drawn.nodes], *drawn[1:])

    def _draw(self, frontier: Array, draw: Sequence[int]) -> tuple[Array, list[_Layer]]:
        """Draw each layer for all that the one before has drawn: the vertices there are, ascending, and the layers."""
        import numpy

        seeds = numpy.random.SeedSequence([self.seed, *draw]).generate_state(len(self.fanouts), "u8")
        sources, drawn = [], [frontier]
        for fanout, seed in zip(self.fanouts, seeds.tolist(), strict=True):
            table = self.graph.sample_neighbors(_distinct(drawn[-1]), [fanout], seed=seed, **self._how)
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
            raise UsageError(f"the graph has whole numbers as ids: {error}") from None


def _distinct(values: Array) -> Array:
    """Values ascending, each once; NumPy's own function takes twice as long for it."""
    import numpy

    ordered: Array = numpy.sort(values)
    distinct: Array = ordered[numpy.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return distinct


def _numbered(values: Array) -> tuple[Array, Array]:
    """Values ascending, each once, and where each value is among them; in about half the time of NumPy's own."""
    import numpy

    order = numpy.argsort(values)
    ordered = values[order]
    first = numpy.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    places = numpy.empty(len(values), "i4")
    places[order] = numpy.cumsum(first, dtype="i4") - 1
    return ordered[first], places


class _Layer(NamedTuple):
    """Neighbours by the number of what they were drawn for, as numbers, and where those of each begin."""

    offsets: Array
    neighbors: Array


class _Drawn(NamedTuple):
    """Contents of a batch, by numbers of members of its group."""

    nodes: Array
    edge_index: Array
    nodes_by_layer: list[int]
    edges_by_layer: list[int]


def _around(seeds: Array, layers: list[_Layer], place: Array) -> _Drawn:
    """Go from seeds through the layers; ``place`` is -1 for all members, before and after."""
    import numpy

    reached, edges, count = [seeds], [numpy.zeros((2, 0), "i8")], len(seeds)
    place[seeds] = numpy.arange(count)
    for offsets, neighbors in layers:
        begin, length = offsets[reached[-1]], offsets[reached[-1] + 1] - offsets[reached[-1]]
        targets = numpy.repeat(numpy.arange(count - len(begin), count), length)
        skipped = numpy.repeat(begin - (numpy.cumsum(length) - length), length)
        drawn = neighbors[numpy.arange(len(targets)) + skipped]
        reached.append(_distinct(drawn[place[drawn] < 0]))
        place[reached[-1]] = numpy.arange(count, count + len(reached[-1]))
        count += len(reached[-1])
        edges.append(numpy.stack((place[drawn], targets)))
    nodes = numpy.concatenate(reached)
    place[nodes] = -1
    sizes = [len(layer) for layer in reached], [layer.shape[1] for layer in edges[1:]]
    return _Drawn(nodes, numpy.concatenate(edges, axis=1), *sizes)


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
    """Return mini-batches of sampled neighbours, to go through once an epoch.

    Parameters
    ----------
    graph : Graph
        The graph.
    seeds : iterable
        Ids, each once.
    fanouts : sequence of int
        Neighbours to draw of each vertex, layer by layer; all where it has no more.
    batch_size : int
        Seeds of a mini-batch; the last has what is left.
    shuffle : bool
        Bring the seeds into another order in each epoch.
    ahead : int
        Mini-batches that are drawn with one read of the lists of a layer, and whose features are read in one pass. They
        share the draws of vertices that they share; 1 draws each on its own. Memory holds what
        :meth:`NeighborSampler.sample` says, and a row of features for each vertex that is drawn.
    features : Features or array, optional
        A row a vertex in ascending id; what :func:`features` returns for what lies on disk.
    labels : array, optional
        A label a vertex in ascending id.
    direction, replace, weighted, seed
        See :class:`NeighborSampler`.

    Returns
    -------
    Batches

    Raises
    ------
    UsageError
        A seed that is there twice; not a row a vertex; sizes below 1; what :meth:`outcrop.Graph.sample_neighbors`
        refuses.

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
    """Mini-batches, which each ``for`` loop draws anew; made by :func:`batches`.

    The same loops of the same arguments give the same batches.

    Examples
    --------
    >>> import outcrop as oc
    >>> len(oc.learning.batches(oc.build([(2, 1), (3, 1)]), [1, 2, 3], batch_size=2))
    2
    """

    def __init__(
        self, sampler: NeighborSampler, seeds: Iterable[Node], sizes: tuple[int, int, bool], known: tuple[Any, Any]
    ) -> None:
        """Take what :func:`batches` was given; not for use from outside."""
        import numpy

        self._sampler = sampler
        self._seeds = sampler._array(seeds)
        if len(_distinct(self._seeds)) < len(self._seeds):
            raise UsageError("a vertex is twice among the seeds")
        self._order = Order(len(self._seeds), *sizes, sampler.seed)
        given, labels = known
        taken = given is None or isinstance(given, Features)
        self._features = given if taken else features(given)
        self._labels = None if labels is None else whole(labels, Place("the labels", "row"))
        for rows in (self._features, self._labels):
            if rows is not None and len(rows) != len(sampler.graph):
                raise UsageError(f"{len(rows):,} rows are not one a vertex: the graph has {len(sampler.graph):,}")

    def __len__(self) -> int:
        """Return the number of mini-batches of an epoch."""
        return len(self._order)

    def __iter__(self) -> Iterator[Batch]:
        """Go through the mini-batches of the next epoch."""
        for draw, group in self._order.groups():
            seeds = [self._seeds[places] for places in group]
            for batch in self._sampler.sample(seeds, draw=draw, hold=self._features):
                rows = None if self._features is None else self._features.take(batch.positions)
                labels = None if self._labels is None else self._labels[batch.positions[: batch.num_seeds]]
                yield dataclasses.replace(batch, features=rows, labels=labels)


class Order:
    """Order of seeds: mini-batches of their places, in groups that are drawn at once; another in each epoch."""

    def __init__(self, count: int, batch_size: int, ahead: int, shuffle: bool, seed: int) -> None:
        """Note the sizes."""
        if batch_size < 1 or ahead < 1:
            raise UsageError(f"batch_size and ahead are numbers of 1 and more, not {batch_size} and {ahead}")
        self._count, self._batch, self._ahead = count, batch_size, ahead
        self._shuffle, self._seed, self._epoch = shuffle, seed, 0

    def __len__(self) -> int:
        """Return the number of mini-batches of an epoch."""
        return -(-self._count // self._batch)

    def groups(self) -> Iterator[tuple[tuple[int, int], list[Array]]]:
        """Go through the groups of the next epoch: numbers for :meth:`NeighborSampler.sample`, and its mini-batches."""
        import numpy

        epoch, self._epoch = self._epoch, self._epoch + 1
        order = numpy.arange(self._count)
        if self._shuffle:
            numpy.random.default_rng([self._seed, epoch]).shuffle(order)
        step = self._batch * self._ahead
        for number, begin in enumerate(range(0, self._count, step)):
            group = order[begin : begin + step]
            yield (epoch, number), [group[at : at + self._batch] for at in range(0, len(group), self._batch)]
