"""Programs of one's own on whole arrays: a number a vertex, combined along all edges at the speed of the built-in algorithms."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .exceptions import UsageError
from .graph import Graph
from .values import Place, whole

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
    """Neighbours of some vertices, as arrays of NumPy.

    Numbers of vertices are their rows in results: places in ascending id.
    """

    vertices: Array
    """The vertices, of shape ``(lists,)``."""

    offsets: Array
    """Places at which the lists begin in the next two, and the end of the last: of shape ``(lists + 1,)``."""

    neighbors: Array
    """The neighbours, list after list, in the order of the store."""

    weights: Array | None
    """The weights of their edges, where they are asked for."""


def sweep(
    graph: Graph,
    direction: Literal["in", "out"] = "in",
    *,
    weights: bool = False,
    batch_size: int = 1 << 20,
) -> Iterator[Lists]:
    """Go through all lists of neighbours, in the order of the disk.

    All threads read a batch; its arrays are the memory that they have written, without copies. What a batch needs is
    reserved of the graph's ``memory``, with 4 bytes a vertex where the store's order is another than that of ids.

    Parameters
    ----------
    graph : Graph
        The graph.
    direction : {"in", "out"}
        Lists of the sources of edges to each vertex, or of the targets of edges from it.
    weights : bool
        Bring the weights of edges too.
    batch_size : int
        Lists of a batch, and entries of a batch, at the most; a longer list comes alone.

    Yields
    ------
    Lists
        ``vertices``, ``offsets``, ``neighbors`` and ``weights``. Each vertex comes once.

    Raises
    ------
    UsageError
        ``weights`` of a graph without any.
    BudgetError
        With the least budget that is enough as ``minimum``; a smaller ``batch_size`` needs less.

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
        raise UsageError(f"batch_size is a number of list entries, not {batch_size}")
    handle = graph._handle
    lists = handle.sweep(direction, weights, batch_size)
    while (arrays := handle.next_lists(lists)) is not None:
        yield Lists(*arrays)


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
    """Combine, for each vertex, the numbers of its neighbours: a product of the adjacency matrix in a semiring.

    One pass over the lists, from memory or from disk, by all threads; what it reads stays for the next call.

    Parameters
    ----------
    graph : Graph
        The graph.
    values : numpy.ndarray
        A number a vertex in ascending id, of shape ``(len(graph),)``; with ``"or"`` a bool.
    combine : {"plus", "min", "max", "or"}, ufunc, or function of Numba
        How the terms of a vertex come together: by kernels of the engine; by any ufunc of NumPy; or by a function of two
        numbers that ``numba.cfunc``, ``njit`` or ``vectorize`` has compiled.
    edge : {"times", "plus", "first"}, or callable
        Term of an edge: its weight (1 in a graph without) times or plus the number of the neighbour, or that number alone;
        or what a function makes of an array of such numbers and one of weights (None in a graph without).
    direction : {"in", "out"}
        The edges of a vertex whose other ends count: those that lead to it, or those that leave it.
    frontier : numpy.ndarray of bool, optional
        Vertices whose numbers count; all where not given.
    nothing : float, optional
        The number of a vertex without terms; with ``frontier`` it has to change nothing that it is combined with.
    precision : {"f64", "f32"}, default "f64"
        Precision of numbers during the pass; single precision takes half the memory.

    Returns
    -------
    numpy.ndarray
        A number a vertex in ascending id. Without terms: ``nothing``, or 0 for ``"plus"``, infinity for ``"min"``, minus
        infinity for ``"max"``, False for ``"or"``, and the identity of a ufunc.

    Raises
    ------
    BadInputError
        The numbers are not one a vertex, or are not numbers.
    BudgetError
        With the least budget that is enough as ``minimum``.

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
            raise UsageError("sums of weights plus numbers have no frontier: there is no number that adds nothing")
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
    """Run a vertex program whose functions work on whole arrays, superstep by superstep.

    In each, ``message`` gives a number a vertex, which goes along its edges; what arrives at a vertex is combined; and
    ``apply`` makes the next state of it. (Malewicz et al.: Pregel, SIGMOD 2010, with a combiner for all messages.)

    Parameters
    ----------
    graph : Graph
        The graph.
    init
        The state at first: an array, or whatever the two functions understand.
    message : callable
        From the state to a number a vertex in ascending id; ``None`` ends the program.
    combine : {"plus", "min", "max", "or"}, ufunc, or function of Numba
        As for :func:`gather`.
    apply : callable
        From the state and what arrived, a number a vertex, to the next state; ``None`` ends the program and keeps the
        state.
    edge : {"first", "times", "plus"}, or callable
        As for :func:`gather`: the number as it is, or with the weight of the edge.
    direction : {"in", "out", "both"}
        Edges along which messages arrive: ``"in"`` sends from sources to targets.
    nothing : float, optional
        As for :func:`gather`: what arrives at a vertex where no message does.
    max_supersteps : int
        At most so many.

    Returns
    -------
    The last state.

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
    """Return what :func:`gather` does, of lists that are combined as arrays."""
    import numpy

    numbers = whole(values, _VALUES)
    if numbers.shape != (len(graph),):
        raise UsageError(f"values are one number a vertex, {len(graph)}, not an array of shape {numbers.shape}")
    combine, edge = _ufunc(rules[0], numbers), _terms(rules[1])
    empty = nothing
    if nothing is None:
        empty = _NOTHING[rules[0]] if isinstance(rules[0], str) else combine.identity
    if empty is None:
        raise UsageError("combine has no identity: say as nothing what a vertex without terms has")
    if frontier is not None:
        numbers = numpy.where(whole(frontier, _FRONTIER), numbers, empty)
    found = numpy.full(len(graph), empty, dtype=numpy.result_type(numbers, type(empty)))
    heard = numpy.zeros(len(graph), dtype=bool)
    for direction in directions:
        for some in sweep(graph, direction, weights=graph.weighted and rules[1] != "first"):
            full = numpy.diff(some.offsets) > 0
            if full.any():
                vertices, terms = some.vertices[full], edge(numbers[some.neighbors], some.weights)
                sums = combine.reduceat(terms, some.offsets[:-1][full].astype("i8"))
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
        raise UsageError("combine is a word, a ufunc of NumPy, or a function that Numba has compiled")
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
        raise UsageError(f"{name} is one of {', '.join(map(repr, choices))}, not {given!r}")
