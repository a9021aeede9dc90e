"""Programs of one's own on whole arrays: a number a vertex, combined along all edges at the speed of the built-in algorithms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

from .exceptions import UsageError
from .graph import Graph

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, numpy.dtype[Any]]

Combine = Literal["plus", "min", "max", "or"]
Edge = Literal["times", "plus", "first"]

_NOTHING = {"plus": 0.0, "min": float("inf"), "max": float("-inf"), "or": 0.0}


def gather(
    graph: Graph,
    values: Array,
    *,
    combine: Combine = "plus",
    edge: Edge = "times",
    direction: Literal["in", "out"] = "in",
    frontier: Array | None = None,
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
    combine : {"plus", "min", "max", "or"}
        How the terms of a vertex come together.
    edge : {"times", "plus", "first"}
        Term of an edge: its weight (1 in a graph without) times or plus the number of the neighbour, or that number alone.
    direction : {"in", "out"}
        The edges of a vertex whose other ends count: those that lead to it, or those that leave it.
    frontier : numpy.ndarray of bool, optional
        Vertices whose numbers count; all where not given.
    precision : {"f64", "f32"}, default "f64"
        Precision of numbers during the pass; single precision takes half the memory.

    Returns
    -------
    numpy.ndarray
        A number a vertex in ascending id. Without terms: 0 for ``"plus"``, infinity for ``"min"``, minus infinity for
        ``"max"``, and False for ``"or"``.

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
    """
    import numpy

    _require("combine", combine, _NOTHING)
    _require("direction", direction, ("in", "out"))
    numbers = numpy.asarray(values).astype("f8", copy=False)
    if frontier is not None:
        if combine == "plus" and edge == "plus":
            raise UsageError("sums of weights plus numbers have no frontier: there is no number that adds nothing")
        numbers = numpy.where(frontier, numbers, _NOTHING[combine])
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
    combine : {"plus", "min", "max", "or"}
        As for :func:`gather`.
    apply : callable
        From the state and what arrived, a number a vertex, to the next state; ``None`` ends the program and keeps the
        state.
    edge : {"first", "times", "plus"}
        As for :func:`gather`: the number as it is, or with the weight of the edge.
    direction : {"in", "out", "both"}
        Edges along which messages arrive: ``"in"`` sends from sources to targets.
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
        arrived = _arrived(graph, sent, combine, edge, direction)
        following = apply(state, arrived)
        if following is None:
            break
        state = following
    return state


def _arrived(
    graph: Graph, sent: Array, combine: Combine, edge: Edge, direction: Literal["in", "out", "both"]
) -> Array:
    import numpy

    _require("direction", direction, ("in", "out", "both"))
    if direction == "both" and not graph.directed:
        direction = "in"
    if direction != "both":
        return gather(graph, sent, combine=combine, edge=edge, direction=direction)
    one, other = (gather(graph, sent, combine=combine, edge=edge, direction=way) for way in ("in", "out"))
    joined = {"plus": numpy.add, "min": numpy.minimum, "max": numpy.maximum, "or": numpy.logical_or}[combine]
    return joined(one, other)


def _require(name: str, given: str, choices: Iterable[str]) -> None:
    if given not in choices:
        raise UsageError(f"{name} is one of {', '.join(map(repr, choices))}, not {given!r}")
