"""Adjacency lists as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ...exceptions import UsageError
from ...interop.values import Place, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy

    from ... import _outcrop
    from ..graph import Graph

    Array = numpy.ndarray[Any, numpy.dtype[Any]]
    Rows = Array | Sequence[int]

_VERTICES = Place("the vertices")


class Lists(NamedTuple):
    """Neighbors of a batch of vertices, as NumPy arrays.

    Vertex numbers are row numbers of results: positions in ascending ID order.
    """

    vertices: Array
    """Vertices, of shape ``(lists,)``."""

    offsets: Array
    """Offsets of the lists in ``neighbors`` and ``weights``, of shape ``(lists + 1,)`` and type ``int64``."""

    neighbors: Array
    """Neighbors of all lists, in store order."""

    weights: Array | None
    """Edge weights, if requested."""


def sweep(
    graph: Graph,
    direction: Literal["in", "out"] = "in",
    *,
    weights: bool = False,
    vertices: Rows | None = None,
    batch_size: int | None = 1 << 20,
) -> Iterator[Lists]:
    """Iterate over all adjacency lists, or those of some vertices, in disk order.

    All threads read a batch together, and its arrays are not copied. The memory of a batch is reserved from the
    ``memory`` of the graph, plus 4 bytes per vertex if the store is not in original order, and a bit per vertex for
    ``vertices``.

    Parameters
    ----------
    graph : Graph
        Graph to read.
    direction : {"in", "out"}
        In-lists or out-lists.
    weights : bool
        Include edge weights.
    vertices : numpy.ndarray, optional
        Vertices whose lists are read: a boolean per vertex, or row numbers. Other lists are read only if that takes
        less time. Default: all.
    batch_size : int or None
        Maximum number of lists and of list entries per batch; a longer list is a batch of its own. ``None``: the number
        that fits in an eighth of the memory.

    Yields
    ------
    Lists
        ``vertices``, ``offsets``, ``neighbors`` and ``weights``. Every requested vertex appears once.

    Raises
    ------
    UsageError
        If ``weights`` is set for an unweighted graph, or ``vertices`` are not those of the graph.
    BudgetError
        If the memory budget is too small; ``minimum`` is the smallest sufficient budget. Use a smaller ``batch_size``.

    Examples
    --------
    >>> import numpy as np
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "lists.outcrop")
    >>> rank, sums = np.array([1.0, 2.0, 4.0]), np.zeros(len(g))
    >>> for some in oc.sweep(g):
    ...     numbers = np.append(rank[some.neighbors], 0)
    ...     sums[some.vertices] = np.add.reduceat(numbers, some.offsets[:-1]) * (np.diff(some.offsets) > 0)
    >>> sums
    array([0., 1., 3.])
    >>> [some.neighbors.tolist() for some in oc.sweep(g, "out", vertices=[0])]
    [[1, 2]]
    """
    rows = None if vertices is None else rows_of(graph, vertices, _VERTICES)
    handle = graph._handle
    yield from batches(graph, handle.sweep((direction, direction), weights, checked(batch_size), rows))


def batches(graph: Graph, lists: _outcrop.Sweep) -> Iterator[Lists]:
    """Iterate over the batches of a sweep that was started."""
    while (arrays := graph._handle.next_lists(lists)) is not None:
        vertices, offsets, neighbors, of_edges = arrays
        # NumPy takes no unsigned numbers as positions (`reduceat`) or counts (`repeat`).
        yield Lists(vertices, offsets.view("i8"), neighbors, of_edges)


def checked(batch_size: int | None) -> int | None:
    """Return the batch size if it is valid."""
    if batch_size is not None and batch_size < 1:
        raise UsageError(f"batch_size must be a positive number of list entries, not {batch_size}")
    return batch_size


def rows_of(graph: Graph, vertices: Rows, place: Place) -> Array:
    """Return row numbers from a boolean per vertex or from row numbers."""
    import numpy

    found, count = whole(vertices, place), len(graph)
    if found.dtype == bool:
        if found.shape != (count,):
            raise UsageError(
                f"{place.name} must be one boolean per vertex ({count}), not an array of shape {found.shape}"
            )
        return numpy.flatnonzero(found).astype("u4")
    if found.ndim != 1 or (found.dtype.kind not in "iu" and found.size > 0):
        raise UsageError(f"{place.name} must be booleans or row numbers, not {found.dtype} of shape {found.shape}")
    if found.size > 0 and (found.min() < 0 or found.max() >= count):
        wrong = next(row for row in found.tolist() if not 0 <= row < count)
        raise UsageError(f"{place.name} must be row numbers from 0 to {count - 1}, not {wrong}")
    return numpy.ascontiguousarray(found, dtype="u4")


def require(name: str, given: str, choices: Iterable[str]) -> None:
    """Refuse a parameter that is not one of the choices."""
    if given not in choices:
        raise UsageError(f"{name} must be one of {', '.join(map(repr, choices))}, not {given!r}")
