"""Matrix-vector products in a semiring: values combined along edges."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from ...exceptions import BadInputError, UsageError
from ...interop.values import Place, whole
from .lists import require, rows_of, sweep

if TYPE_CHECKING:
    from ..graph import Graph
    from .lists import Array, Rows

CombineName = Literal["plus", "min", "max", "or"]
EdgeName = Literal["times", "plus", "first"]
Combine = CombineName | Callable[..., Any]
Edge = EdgeName | Callable[[Any, Any], Any]

OPPOSITE: dict[Literal["in", "out"], Literal["in", "out"]] = {"in": "out", "out": "in"}

_VALUES, _FRONTIER = Place("the values"), Place("the frontier")
_NOTHING = {"plus": 0.0, "min": float("inf"), "max": float("-inf"), "or": 0.0}
_EDGES = ("times", "plus", "first")
_FEW = 16
"""Reciprocal of the share of vertices up to which the lists of a frontier are read instead of all lists."""


def gather(
    graph: Graph,
    values: Array,
    *,
    combine: Combine = "plus",
    edge: Edge = "times",
    direction: Literal["in", "out"] = "in",
    frontier: Rows | None = None,
    nothing: float | None = None,
    precision: Literal["f64", "f32"] = "f64",
) -> Array:
    """Combine the values of the neighbors of every vertex: a matrix-vector product in a semiring.

    All threads read the lists once, from memory or from disk; the cache is kept for the next call. With a small
    ``frontier``, only the lists of its vertices in the opposite direction are read.

    Parameters
    ----------
    graph : Graph
        Graph to read.
    values : numpy.ndarray
        One number per vertex in ascending ID order, of shape ``(len(graph),)``; for ``"or"`` booleans.
    combine : {"plus", "min", "max", "or"}, ufunc, or function of Numba
        Operator that combines the terms of a vertex: a built-in operator, a NumPy ufunc, or a function of two
        numbers compiled by ``numba.cfunc``, ``njit`` or ``vectorize``.
    edge : {"times", "plus", "first"}, or callable
        Term of an edge: weight times value, weight plus value, or the value of the neighbor alone (the weight of an
        unweighted edge is 1); or a function of an array of values and an array of weights (None without weights).
    direction : {"in", "out"}
        Neighbors to combine: those of the in-edges or of the out-edges.
    frontier : numpy.ndarray, optional
        Vertices whose values are used: a boolean per vertex, or row numbers. Default: all.
    nothing : float, optional
        Value of a vertex without terms.
    precision : {"f64", "f32"}, default "f64"
        Precision of values; ``"f32"`` halves the memory.

    Returns
    -------
    numpy.ndarray
        One number per vertex in ascending ID order. Without terms: ``nothing``, by default 0 for ``"plus"``, infinity
        for ``"min"``, minus infinity for ``"max"``, False for ``"or"``, and the identity of a ufunc.

    Raises
    ------
    BadInputError
        If the values are not one number per vertex.
    BudgetError
        If the memory budget is too small; ``minimum`` is the smallest sufficient budget.

    Examples
    --------
    >>> import numpy as np
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "sums.outcrop", weight=[0.5, 2.0, 1.0])
    >>> oc.gather(g, np.array([10.0, 20.0, 30.0]))
    array([ 0.,  5., 40.])
    >>> oc.gather(g, np.array([0.0, np.inf, np.inf]), combine="min", edge="plus")
    array([inf, 0.5, 2. ])
    >>> oc.gather(g, np.array([10.0, 20.0, 30.0]), frontier=[1])
    array([ 0.,  0., 20.])
    >>> oc.gather(g, np.array([0.5, 0.2, 0.1]), combine=np.multiply, edge=lambda chance, weight: 1 - chance)
    array([1. , 0.5, 0.4])
    """
    import numpy

    require("direction", direction, ("in", "out"))
    rows = None if frontier is None else rows_of(graph, frontier, _FRONTIER)
    if callable(combine) or callable(edge) or nothing is not None:
        return folded(graph, values, (combine, edge), (direction,), rows, nothing)
    require("combine", combine, _NOTHING)
    require("edge", edge, _EDGES)
    edge = "first" if combine == "or" else edge
    numbers = whole(values, _VALUES).astype("f8", copy=False)
    # A sum of weights plus values has no number that adds nothing. The rule must not depend on memory or disk, because
    # sums are rounded in the order in which they are added.
    if rows is not None and (len(rows) <= len(graph) // _FEW or combine == edge == "plus"):
        return _pushed(graph, numbers, (combine, edge), direction, rows, precision)
    if rows is not None:
        masked = numpy.full_like(numbers, _NOTHING[combine])
        masked[rows] = _one_each(graph, numbers)[rows]
        numbers = masked
    result = graph._run(
        "spmv",
        vector=numbers,
        transpose=direction == "out",
        combine="max" if combine == "or" else combine,
        edge=edge,
        precision=precision,
    )
    found: Array = result.to_numpy("value")
    if combine == "or":
        return found > 0
    if combine == "plus":
        return found
    found = found.astype("f8", copy=False)
    found[numpy.isnan(found)] = _NOTHING[combine]
    return found


def _pushed(
    graph: Graph,
    numbers: Array,
    rules: tuple[CombineName, EdgeName],
    direction: Literal["in", "out"],
    rows: Array,
    precision: Literal["f64", "f32"],
) -> Array:
    """Return the result of :func:`gather` along the lists of a frontier."""
    import numpy

    sent = _one_each(graph, numbers)[rows]
    bad = ~numpy.isfinite(sent) if rules[0] == "plus" else numpy.isnan(sent)
    if bad.any():
        row = int(rows[bad.argmax()])
        raise BadInputError(f"{_VALUES.at(row)} is {numbers[row]}, which is not a finite number", file=_VALUES.name)
    require("precision", precision, ("f64", "f32"))
    if rules[0] == "or":
        return folded(graph, numbers > 0, rules, (direction,), rows, None).astype(bool)
    if precision == "f32":
        numbers = numbers.astype("f4").astype("f8")
    found = folded(graph, numbers, rules, (direction,), rows, None)
    if precision == "f32":
        found = found.astype("f4")
    if rules[0] == "plus":
        found[~numpy.isfinite(found)] = numpy.nan
        return found
    return found.astype("f8", copy=False)


def _one_each(graph: Graph, numbers: Array) -> Array:
    if numbers.shape != (len(graph),):
        message = (
            f"{_VALUES.name}: found an array of shape {numbers.shape}, expected {len(graph)} values, one per vertex"
        )
        raise BadInputError(message, file=_VALUES.name)
    return numbers


def folded(
    graph: Graph,
    values: Array,
    rules: tuple[Combine, Edge],
    directions: tuple[Literal["in", "out"], ...],
    rows: Array | None,
    nothing: float | None,
) -> Array:
    """Return the result of :func:`gather` for lists that are combined as arrays; ``rows`` are the frontier."""
    import numpy

    numbers = whole(values, _VALUES)
    if numbers.shape != (len(graph),):
        raise UsageError(f"values must be one number per vertex ({len(graph)}), not an array of shape {numbers.shape}")
    combine, edge = ufunc_of(rules[0], numbers), _terms(rules[1])
    empty = nothing
    if nothing is None:
        empty = _NOTHING[rules[0]] if isinstance(rules[0], str) else combine.identity
    if empty is None:
        raise UsageError("combine has no identity; set nothing, the value of a vertex without terms")
    sums = _Sums(combine, numpy.full(len(graph), empty, dtype=numpy.result_type(numbers, type(empty))))
    weighted = graph.weighted and rules[1] != "first"
    for direction in directions:
        if rows is not None:
            for some in sweep(graph, OPPOSITE[direction], weights=weighted, vertices=rows, batch_size=None):
                sources = numpy.repeat(some.vertices, numpy.diff(some.offsets))
                sums.scatter(some.neighbors, edge(numbers[sources], some.weights))
            continue
        for some in sweep(graph, direction, weights=weighted):
            full = numpy.diff(some.offsets) > 0
            if full.any():
                terms = edge(numbers[some.neighbors], some.weights)
                sums.join(some.vertices[full], combine.reduceat(terms, some.offsets[:-1][full]))
    return sums.found


class _Sums:
    """Combined terms of each vertex; its first term replaces the value of a vertex without terms."""

    def __init__(self, combine: Any, found: Array) -> None:
        import numpy

        self.combine, self.found = combine, found
        self._heard = numpy.zeros(len(found), dtype=bool)
        self._first: Array | None = None

    def join(self, vertices: Array, terms: Array) -> None:
        """Combine a term of each of some distinct vertices."""
        import numpy

        known = self.found[vertices]
        self.found[vertices] = numpy.where(self._heard[vertices], self.combine(known, terms), terms)
        self._heard[vertices] = True

    def scatter(self, targets: Array, terms: Array) -> None:
        """Combine terms of targets, which may repeat, in their order."""
        import numpy

        if self.combine in (numpy.logical_or, numpy.logical_and, numpy.logical_xor):
            terms = terms != 0
        if self._first is None:
            self._first = numpy.empty(len(self.found), dtype="i8")
        places = numpy.arange(len(targets))
        # Of repeated positions, an assignment keeps the last one: reversed, the first.
        self._first[targets[::-1]] = places[::-1]
        begins = (self._first[targets] == places) & ~self._heard[targets]
        self.found[targets[begins]] = terms[begins]
        self._heard[targets] = True
        self.combine.at(self.found, targets[~begins], terms[~begins])


def ufunc_of(combine: Combine, numbers: Array) -> Any:
    """Return the ufunc that combines numbers."""
    import numpy

    if isinstance(combine, str):
        require("combine", combine, _NOTHING)
        names = {"plus": numpy.add, "min": numpy.minimum, "max": numpy.maximum, "or": numpy.logical_or}
        return names[combine]
    if isinstance(combine, numpy.ufunc):
        return combine
    function = getattr(combine, "py_func", getattr(combine, "__wrapped__", None))
    if function is None:
        raise UsageError("combine must be a known name, a NumPy ufunc, or a function compiled by Numba")
    numba: Any = importlib.import_module("numba")
    kind = numba.from_dtype(numbers.dtype)
    return numba.vectorize([kind(kind, kind)])(function)


def _terms(edge: Edge) -> Callable[[Array, Array | None], Array]:
    if callable(edge):
        return edge
    require("edge", edge, _EDGES)
    if edge == "first":
        return lambda numbers, weights: numbers
    if edge == "times":
        return lambda numbers, weights: numbers if weights is None else numbers * weights
    return lambda numbers, weights: numbers + (1 if weights is None else weights)
