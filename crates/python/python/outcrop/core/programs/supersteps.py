"""Vertex programs in supersteps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from .gathers import Combine, Edge, folded, gather, ufunc_of
from .lists import require

if TYPE_CHECKING:
    from ..graph import Graph
    from .lists import Array


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
    require("direction", direction, ("in", "out", "both"))
    combine, edge = rules
    if direction == "both" and not graph.directed:
        direction = "in"
    if direction != "both":
        return gather(graph, sent, combine=combine, edge=edge, direction=direction, nothing=nothing)
    if callable(combine) or callable(edge) or nothing is not None:
        return folded(graph, sent, rules, ("in", "out"), None, nothing)
    one, other = (gather(graph, sent, combine=combine, edge=edge, direction=way) for way in ("in", "out"))
    joined: Array = ufunc_of(combine, one)(one, other)
    return joined
