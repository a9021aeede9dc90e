"""Gather-apply-scatter programs with values on edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ...exceptions import UsageError
from ...interop.values import Place, whole
from ..tables.result import Result
from .lists import require

if TYPE_CHECKING:
    from ..graph import Graph
    from .lists import Array

_GATHER = ("plus", "times", "min", "max")
_MOST = (1 << 32) - 2
"""Maximum number of iterations."""


class EdgeBatch(NamedTuple):
    """Some edges of a :func:`gas` program, as arrays with one entry per edge."""

    sources: Array
    """Row numbers of the vertices that values come from."""
    targets: Array
    """Row numbers of the vertices that gather the values."""
    weights: Array | None
    """Weights; None if the graph has none."""
    previous: Array
    """Current values of the edges, 0 at first."""
    reverse: Array | None
    """Values of the edges from targets to sources, NaN if there is none; None without ``reverse=True``."""


def gas(
    graph: Graph,
    init: Array,
    *,
    gather: Literal["plus", "times", "min", "max"] = "plus",
    apply: Callable[[Array, Array, Array], Array],
    scatter: Callable[[Array, EdgeBatch], Array],
    direction: Literal["in", "out", "both"] = "in",
    reverse: bool = False,
    iterations: int = 1000,
    tol: float = 0.0,
) -> Array:
    """Run a gather-apply-scatter program on values of vertices and of edges, with functions on arrays.

    Every edge keeps its value until its source changes. First, all vertices scatter their initial values.
    In every iteration, the values of the in-edges of a vertex are combined, ``apply`` computes its new value, and if it
    differs from the old one, ``scatter`` computes new values of its out-edges. Values on edges are in temporary files
    if they exceed the memory of the graph. (Gonzalez et al.: PowerGraph, OSDI 2012.)

    Parameters
    ----------
    graph : Graph
        Graph to read.
    init : numpy.ndarray
        Initial value per vertex in ascending ID order.
    gather : {"plus", "times", "min", "max"}
        Operator that combines the values of the edges of a vertex.
    apply : callable
        Called with arrays of the values of some vertices, of their combined edge values, and of their row numbers;
        returns their new values. Without edges, the combined value is 0 for ``"plus"``, 1 for ``"times"``, and infinity
        or minus infinity for ``"min"`` or ``"max"``. In the first iteration it is called for all vertices, later for
        those with an edge whose source changed.
    scatter : callable
        Called with an array of the values of the sources of some edges, and with these edges as an
        :class:`EdgeBatch`; returns the new values of the edges.
    direction : {"in", "out", "both"}
        Edges whose values a vertex combines: ``"in"`` passes values from sources to targets. ``"both"`` has a value
        for each direction of an edge, and ignores self-loops and repeated edges (the smallest weight counts).
    reverse : bool
        Pass the values of reverse edges to ``scatter``. Only graphs in which edges have reverse edges need this:
        undirected ones, or any with ``direction="both"``.
    iterations : int
        Maximum number of iterations.
    tol : float
        Stop after an iteration in which no value changed by more than this.

    Returns
    -------
    numpy.ndarray of float64
        Value per vertex in ascending ID order.

    Raises
    ------
    UsageError
        If a function returns something else than one number per vertex or edge.
    BudgetError
        If the memory budget is too small; ``minimum`` is the smallest sufficient budget.

    Notes
    -----
    Functions are called with up to 16,384 vertices or edges at once, in any order and from several threads, which take
    turns. The result is the same for any number of threads if they depend on nothing but their arguments. They cannot
    use ``graph``, which is busy.

    Examples
    --------
    Beliefs in a tree, as log-odds: a message excludes what its receiver sent.

    >>> import numpy as np
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "beliefs.outcrop", directed=False)
    >>> prior = np.array([2.0, 0.0, 0.0])
    >>> def message(odds, edges):
    ...     return 2 * np.arctanh(0.5 * np.tanh((odds - edges.reverse) / 2))
    >>> odds = oc.gas(g, prior, apply=lambda old, heard, rows: prior[rows] + heard, scatter=message, reverse=True)
    >>> (1 / (1 + np.exp(-odds))).round(3)
    array([0.881, 0.69 , 0.595])
    """
    import numpy

    require("gather", gather, _GATHER)
    require("direction", direction, ("in", "out", "both"))
    if not tol >= 0:
        raise UsageError(f"tol must be a number of at least 0, not {tol}")
    initial = _numbers(whole(init, Place("init")), (len(graph),), "init must be", "vertex")

    def applied(old: Array, gathered: Array, rows: Array) -> Array:
        return _numbers(apply(old, gathered, rows), rows.shape, "apply must return", "vertex")

    def scattered(values: Array, *edges: Any) -> Array:
        return _numbers(scatter(values, EdgeBatch(*edges)), values.shape, "scatter must return", "edge")

    result = Result(
        graph._handle.gas(
            initial, (gather, applied, scattered), (direction, reverse), (min(iterations, _MOST), tol), graph._progress
        )
    )
    found: Array = result.to_numpy("value")
    # In results, infinity is null, and minus infinity is the smallest finite number.
    found[numpy.isnan(found)] = numpy.inf
    found[found == numpy.finfo("f8").min] = -numpy.inf
    return found


def _numbers(found: Any, shape: tuple[int, ...], what: str, unit: str) -> Array:
    """Return an array of numbers if it has one per vertex or edge."""
    import numpy

    numbers = numpy.asarray(found)
    if numbers.shape != shape or numbers.dtype.kind not in "buif":
        wanted = f"{what} one number per {unit}, an array of shape {shape}"
        raise UsageError(f"{wanted}, not {numbers.dtype} of shape {numbers.shape}")
    numbers = numpy.ascontiguousarray(numbers, dtype="f8")
    if numpy.isnan(numbers).any():
        raise UsageError(f"{what} numbers, not NaN (at position {int(numpy.isnan(numbers).argmax())})")
    return numbers
