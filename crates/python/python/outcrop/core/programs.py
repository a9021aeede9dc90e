"""Custom programs on arrays: one number per vertex, combined along all edges by the engine."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..exceptions import UsageError
from ..interop.values import Place, whole
from .graph import Graph

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, numpy.dtype[Any]]

CombineName = Literal["plus", "min", "max", "or"]
EdgeName = Literal["times", "plus", "first"]
Combine = CombineName | Callable[..., Any]
Edge = EdgeName | Callable[[Any, Any], Any]

_VALUES, _FRONTIER = Place("the values"), Place("the frontier")
_NOTHING = {"plus": 0.0, "min": float("inf"), "max": float("-inf"), "or": 0.0}


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
    batch_size: int = 1 << 20,
) -> Iterator[Lists]:
    """Iterate over all adjacency lists in disk order.

    All threads read a batch together, and its arrays are not copied. The memory of a batch is reserved from the
    ``memory`` of the graph, plus 4 bytes per vertex if the store is not in original order.

    Parameters
    ----------
    graph : Graph
        Graph to read.
    direction : {"in", "out"}
        In-lists or out-lists.
    weights : bool
        Include edge weights.
    batch_size : int
        Maximum number of lists and of list entries per batch; a longer list is a batch of its own.

    Yields
    ------
    Lists
        ``vertices``, ``offsets``, ``neighbors`` and ``weights``. Every vertex appears once.

    Raises
    ------
    UsageError
        If ``weights`` is set for an unweighted graph.
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
    """
    if batch_size < 1:
        raise UsageError(f"batch_size must be a positive number of list entries, not {batch_size}")
    handle = graph._handle
    lists = handle.sweep(direction, weights, batch_size)
    while (arrays := handle.next_lists(lists)) is not None:
        vertices, offsets, neighbors, of_edges = arrays
        # NumPy takes no unsigned numbers as positions (`reduceat`) or counts (`repeat`).
        yield Lists(vertices, offsets.view("i8"), neighbors, of_edges)


def gather(
    graph: Graph,
    values: Array,
    *,
    combine: Combine = "plus",
    edge: Edge = "times",
    direction: Literal["in", "out"] = "in",
    frontier: Array | None = None,
    nothing: float | None = None,
    precision: Literal["f64", "f32"] = "f64",
) -> Array:
    """Combine the values of the neighbors of every vertex: a matrix-vector product in a semiring.

    All threads read the lists once, from memory or from disk; the cache is kept for the next call.

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
    frontier : numpy.ndarray of bool, optional
        Vertices whose values are used. Default: all.
    nothing : float, optional
        Value of a vertex without terms; with ``frontier`` it must be the identity of ``combine``.
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
    >>> oc.gather(g, np.array([0.5, 0.2, 0.1]), combine=np.multiply, edge=lambda chance, weight: 1 - chance)
    array([1. , 0.5, 0.4])
    """
    import numpy

    _require("direction", direction, ("in", "out"))
    if callable(combine) or callable(edge) or nothing is not None:
        return _folded(graph, values, (combine, edge), (direction,), frontier, nothing)
    _require("combine", combine, _NOTHING)
    numbers = whole(values, _VALUES).astype("f8", copy=False)
    if frontier is not None:
        if combine == "plus" and edge == "plus":
            raise UsageError("combine='plus' with edge='plus' does not support frontier, because it has no identity")
        numbers = numpy.where(whole(frontier, _FRONTIER), numbers, _NOTHING[combine])
    result = graph._run(
        "spmv",
        vector=numbers,
        transpose=direction == "out",
        combine="max" if combine == "or" else combine,
        edge="first" if combine == "or" else edge,
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


def pregel(
    graph: Graph,
    init: Any,
    message: Callable[[Any], Array | None],
    combine: Combine,
    apply: Callable[[Any, Array], Any],
    *,
    edge: Edge = "first",
    direction: Literal["in", "out", "both"] = "in",
    nothing: float | None = None,
    max_supersteps: int = 1000,
) -> Any:
    """Run a vertex program in supersteps, with functions on whole arrays.

    In every superstep, ``message`` returns one number per vertex, which is sent along its edges; the messages of a
    vertex are combined, and ``apply`` computes the next state. (Malewicz et al.: Pregel, SIGMOD 2010, with a combiner.)

    Parameters
    ----------
    graph : Graph
        Graph to read.
    init
        Initial state: an array, or any value that the two functions accept.
    message : callable
        Returns one number per vertex in ascending ID order from the state; ``None`` ends the program.
    combine : {"plus", "min", "max", "or"}, ufunc, or function of Numba
        As for :func:`gather`.
    apply : callable
        Returns the next state from the state and the combined messages, one number per vertex; ``None`` ends the
        program and keeps the state.
    edge : {"first", "times", "plus"}, or callable
        As for :func:`gather`.
    direction : {"in", "out", "both"}
        Edges on which messages arrive: ``"in"`` sends from sources to targets.
    nothing : float, optional
        As for :func:`gather`: the value of a vertex without messages.
    max_supersteps : int
        Maximum number of supersteps.

    Returns
    -------
    The final state.

    Examples
    --------
    >>> import numpy as np
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (7, 8)], "parts.outcrop")
    >>> lower = lambda label, heard: None if np.all(heard >= label) else np.minimum(label, heard)
    >>> oc.pregel(g, np.arange(len(g)), lambda label: label, "min", lower, direction="both")
    array([0., 0., 0., 3., 3.])
    """
    state = init
    for _ in range(max_supersteps):
        sent = message(state)
        if sent is None:
            break
        arrived = _arrived(graph, sent, (combine, edge), direction, nothing)
        following = apply(state, arrived)
        if following is None:
            break
        state = following
    return state


def _arrived(
    graph: Graph,
    sent: Array,
    rules: tuple[Combine, Edge],
    direction: Literal["in", "out", "both"],
    nothing: float | None,
) -> Array:
    _require("direction", direction, ("in", "out", "both"))
    combine, edge = rules
    if direction == "both" and not graph.directed:
        direction = "in"
    if direction != "both":
        return gather(graph, sent, combine=combine, edge=edge, direction=direction, nothing=nothing)
    if callable(combine) or callable(edge) or nothing is not None:
        return _folded(graph, sent, rules, ("in", "out"), None, nothing)
    one, other = (gather(graph, sent, combine=combine, edge=edge, direction=way) for way in ("in", "out"))
    joined: Array = _ufunc(combine, one)(one, other)
    return joined


def _folded(
    graph: Graph,
    values: Array,
    rules: tuple[Combine, Edge],
    directions: tuple[Literal["in", "out"], ...],
    frontier: Array | None,
    nothing: float | None,
) -> Array:
    """Return the result of :func:`gather` for lists that are combined as arrays."""
    import numpy

    numbers = whole(values, _VALUES)
    if numbers.shape != (len(graph),):
        raise UsageError(f"values must be one number per vertex ({len(graph)}), not an array of shape {numbers.shape}")
    combine, edge = _ufunc(rules[0], numbers), _terms(rules[1])
    empty = nothing
    if nothing is None:
        empty = _NOTHING[rules[0]] if isinstance(rules[0], str) else combine.identity
    if empty is None:
        raise UsageError("combine has no identity; set nothing, the value of a vertex without terms")
    if frontier is not None:
        numbers = numpy.where(whole(frontier, _FRONTIER), numbers, empty)
    found = numpy.full(len(graph), empty, dtype=numpy.result_type(numbers, type(empty)))
    heard = numpy.zeros(len(graph), dtype=bool)
    for direction in directions:
        for some in sweep(graph, direction, weights=graph.weighted and rules[1] != "first"):
            full = numpy.diff(some.offsets) > 0
            if full.any():
                vertices, terms = some.vertices[full], edge(numbers[some.neighbors], some.weights)
                sums = combine.reduceat(terms, some.offsets[:-1][full])
                found[vertices] = numpy.where(heard[vertices], combine(found[vertices], sums), sums)
                heard[vertices] = True
    return found


def _ufunc(combine: Combine, numbers: Array) -> Any:
    import numpy

    if isinstance(combine, str):
        _require("combine", combine, _NOTHING)
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
    _require("edge", edge, ("times", "plus", "first"))
    if edge == "first":
        return lambda numbers, weights: numbers
    if edge == "times":
        return lambda numbers, weights: numbers if weights is None else numbers * weights
    return lambda numbers, weights: numbers + (1 if weights is None else weights)


def _require(name: str, given: str, choices: Iterable[str]) -> None:
    if given not in choices:
        raise UsageError(f"{name} must be one of {', '.join(map(repr, choices))}, not {given!r}")
