"""Edge maps over frontiers: the interface of Ligra (Shun and Blelloch, PPoPP 2013) on arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...exceptions import UsageError
from ...interop.values import Place, whole
from .gathers import OPPOSITE
from .lists import batches, checked, require, rows_of

if TYPE_CHECKING:
    from ..._outcrop import Sweep
    from ..graph import Graph
    from .lists import Array, Rows

    Update = Callable[[Array, Array, Array | None], Array | None]
    Condition = Array | Callable[[Array], Array]

_FRONTIER, _COND = Place("the frontier"), Place("cond")
_SCANNED = 8
"""Number of vertices that are examined in the time of one list entry."""
_BLOCK = 1 << 20
"""Number of vertices for which a function is asked at once."""


class _Edges(NamedTuple):
    sources: Array
    targets: Array
    weights: Array | None

    def only(self, keep: Array) -> _Edges:
        weights = None if self.weights is None else self.weights[keep]
        return _Edges(self.sources[keep], self.targets[keep], weights)


def edge_map(
    graph: Graph,
    frontier: Rows,
    update: Update,
    cond: Condition | None = None,
    *,
    direction: Literal["in", "out"] = "in",
    first: bool = False,
    weights: bool = False,
    mode: Literal["auto", "push", "pull"] = "auto",
    batch_size: int | None = None,
) -> Array:
    """Apply a function to the edges that leave a frontier, and return the vertices that became active.

    Only the lists of the vertices in the frontier are read, or only the opposite lists of the vertices that ``cond``
    admits if that takes less time. (Shun and Blelloch: Ligra, PPoPP 2013, on arrays.)

    Parameters
    ----------
    graph : Graph
        Graph to read.
    frontier : numpy.ndarray
        Active vertices: a boolean per vertex, or row numbers.
    update : callable
        Called with the edges of each batch as arrays of row numbers of sources and targets, and of weights (None
        without ``weights``). It may change arrays of the caller, and returns a boolean per edge, True if its target
        becomes active; ``None`` means that all do. Targets may repeat, within a call and between calls: combine values
        with functions such as ``numpy.minimum.at``.
    cond : numpy.ndarray of bool, or callable, optional
        Targets to visit: a boolean per vertex, or a function that returns a boolean per row number of an array. It is
        evaluated again for each batch, so that ``update`` may exclude targets. Default: all.
    direction : {"in", "out"}
        Edges to follow: ``"in"`` from sources to targets, as values flow in :func:`gather`; ``"out"`` against their
        direction.
    first : bool
        Pass only the first edge of each target, in the order of the store. A pull then reads lists only up to that
        edge, as searches do.
    weights : bool
        Pass edge weights to ``update``.
    mode : {"auto", "push", "pull"}
        Read the lists of the frontier (push) or of the admitted targets (pull); auto is the cheaper one, which may
        depend on the memory and the disk.
    batch_size : int, optional
        Maximum number of lists and of list entries per batch, as for :func:`sweep`. Default: the number that
        fits in an eighth of the memory.

    Returns
    -------
    numpy.ndarray of int64
        Row numbers of the vertices that became active, ascending: the next frontier.

    Raises
    ------
    UsageError
        If an array is not one value per vertex or edge, or ``weights`` is set for an unweighted graph.
    BudgetError
        If the memory budget is too small; ``minimum`` is the smallest sufficient budget. Use a smaller ``batch_size``.

    Notes
    -----
    Batches are in the order of the store, and the edges of a target arrive in the same order in both modes and for any
    number of threads. Only the boundaries of batches, and the order of edges of different targets, depend on the mode.
    An ``update`` that reads values which it changes sees those of earlier batches.

    Examples
    --------
    Breadth-first search:

    >>> import numpy as np
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2, 5.0), (1, 3, 1.0), (3, 2, 1.0), (7, 1, 1.0)], "levels.outcrop")
    >>> distance, level, frontier = np.array([0, -1, -1, -1]), 0, np.array([0])
    >>> while len(frontier):
    ...     level += 1
    ...     frontier = oc.edge_map(g, frontier, lambda *edges: None, distance < 0, first=True)
    ...     distance[frontier] = level
    >>> distance
    array([ 0,  1,  1, -1])

    Shortest paths:

    >>> length, frontier = np.array([0, np.inf, np.inf, np.inf]), np.array([0])
    >>> def relax(sources, targets, weights):
    ...     found = length[sources] + weights
    ...     nearer = found < length[targets]
    ...     np.minimum.at(length, targets, found)
    ...     return nearer
    >>> while len(frontier):
    ...     frontier = oc.edge_map(g, frontier, relax, weights=True)
    >>> length
    array([ 0.,  2.,  1., inf])
    """
    import numpy

    require("direction", direction, OPPOSITE)
    require("mode", mode, ("auto", "push", "pull"))
    rows = rows_of(graph, frontier, _FRONTIER)
    active = numpy.zeros(len(graph), dtype=bool)
    active[rows] = True
    reached = numpy.zeros(len(graph), dtype=bool)
    admits = _condition(graph, cond)
    passed = numpy.zeros(len(graph), dtype=bool)
    lists = graph._handle.sweep((OPPOSITE[direction], "both"), weights, checked(batch_size), rows)
    large = mode == "auto" and (first or admits is not None) and lists.entries * _SCANNED > len(graph)
    pulls = (mode == "pull" or large) and graph._handle.sweep_instead(
        lists, direction, _open(graph, admits), first, mode == "pull"
    )
    for edges in _edges(graph, lists, active if pulls else None, admits):
        if first:
            edges = edges.only(_first(edges.targets, passed))
        if len(edges.targets) == 0:
            continue
        found = update(*edges)
        if found is not None and numpy.shape(found) != edges.targets.shape:
            message = f"update must return one boolean per edge {edges.targets.shape}, not {numpy.shape(found)}"
            raise UsageError(message)
        reached[edges.targets if found is None else edges.targets[numpy.asarray(found, dtype=bool)]] = True
    return numpy.flatnonzero(reached)


def _edges(
    graph: Graph, lists: Sweep, pulled: Array | None, admits: Callable[[Array], Array] | None
) -> Iterator[_Edges]:
    """Iterate over the edges to admitted vertices, from the lists of sources or, from those ``pulled``, of targets."""
    import numpy

    for some in batches(graph, lists):
        owners = numpy.repeat(some.vertices, numpy.diff(some.offsets))
        if pulled is None:
            edges = _Edges(owners, some.neighbors, some.weights)
        else:
            edges = _Edges(some.neighbors, owners, some.weights)
            edges = edges.only(pulled[edges.sources])
        yield edges if admits is None else edges.only(admits(edges.targets))


def _first(targets: Array, passed: Array) -> Array:
    """Return the positions of the first edges of targets that were not ``passed``, and mark these."""
    import numpy

    fresh = numpy.flatnonzero(~passed[targets])
    _, places = numpy.unique(targets[fresh], return_index=True)
    kept: Array = fresh[numpy.sort(places)]
    passed[targets[kept]] = True
    return kept


def _condition(graph: Graph, cond: Condition | None) -> Callable[[Array], Array] | None:
    """Return the condition as a function of row numbers."""
    import numpy

    if cond is None:
        return None
    if callable(cond):
        function = cond

        def asked(vertices: Array) -> Array:
            found = numpy.asarray(function(vertices), dtype=bool)
            if found.shape != vertices.shape:
                raise UsageError(f"cond must return one boolean per row {vertices.shape}, not {found.shape}")
            return found

        return asked
    known = whole(cond, _COND)
    if known.shape != (len(graph),) or known.dtype != bool:
        message = f"cond must be one boolean per vertex ({len(graph)}), not {known.dtype} of shape {known.shape}"
        raise UsageError(message)
    return lambda vertices: known[vertices]


def _open(graph: Graph, admits: Callable[[Array], Array] | None) -> Array:
    """Return the row numbers of admitted vertices."""
    import numpy

    every = numpy.arange(len(graph), dtype="u4")
    if admits is None:
        return every
    blocks = [every[start : start + _BLOCK] for start in range(0, len(every), _BLOCK)]
    return numpy.concatenate([every[:0], *(block[admits(block)] for block in blocks)])
