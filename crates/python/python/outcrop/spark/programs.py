"""Custom programs on columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from pyspark.sql import functions as F  # noqa: N812

from ..core.programs import CombineName, EdgeName
from ..exceptions import UsageError
from .edges import Edges, turned
from .graph import Graph
from .result import Result
from .work import Loop, Work

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_COMBINE: Mapping[str, Callable[[str], Column]] = {"plus": F.sum, "min": F.min, "max": F.max, "or": F.bool_or}
_EDGE: Mapping[str, Callable[[Column, Column], Column]] = {
    "first": lambda sent, weight: sent,
    "times": lambda sent, weight: sent * weight,
    "plus": lambda sent, weight: sent + weight,
}


def pregel(
    graph: Graph,
    init: Any,
    message: Callable[[Column], Column],
    combine: CombineName,
    apply: Callable[[Column, Column], Column],
    *,
    edge: EdgeName = "first",
    direction: Literal["in", "out", "both"] = "in",
    max_supersteps: int = 1000,
) -> Result:
    """Run a vertex program in supersteps, with functions on columns.

    It is :func:`outcrop.pregel` with columns in place of arrays: states and messages are distributed over the
    executors. A column cannot be ``None``, so there are two differences: the program ends when no state changes, and
    null means no message, both for the sender and for the receiver.

    Parameters
    ----------
    graph : Graph
        Graph on Spark.
    init : Column or value
        Initial state; a column can use ``node``, the ID. States with several parts are structs.
    message : callable
        Returns the message column from the state column; messages are sent along the edges of their vertices.
    combine : {"plus", "min", "max", "or"}
        Operator that combines the messages of a vertex.
    apply : callable
        Returns the next states, of the same type, from the states and the combined messages.
    edge : {"first", "times", "plus"}
        The message alone, or times or plus the edge weight (1 in unweighted graphs).
    direction : {"in", "out", "both"}
        Edges on which messages arrive: ``"in"`` sends from sources to targets.
    max_supersteps : int
        Maximum number of supersteps.

    Returns
    -------
    Result
        Column ``state``.

    Examples
    --------
    >>> from pyspark.sql import functions as F  # doctest: +SKIP
    >>> lower = lambda label, heard: F.least(label, heard)  # doctest: +SKIP
    >>> oc.spark.pregel(g, F.col("node"), lambda label: label, "min", lower, direction="both")  # doctest: +SKIP
    """
    for name, given, choices in (("combine", combine, _COMBINE), ("edge", edge, _EDGE)):
        if given not in choices:
            raise UsageError(f"{name} must be one of {', '.join(map(repr, choices))}, not {given!r}")
    arcs = _arcs(graph.edges_in_spark, direction)

    def program(work: Work) -> DataFrame:
        loop, changed = Loop(work, work.edges.nodes.select("node", F.lit(init).alias("state"))), 1
        for _ in range(max_supersteps):
            if changed:
                sent = loop.state.select(F.col("node").alias("source"), message(F.col("state")).alias("sent"))
                term = _EDGE[edge](F.col("sent"), work.edges.weights(True)).alias("term")
                terms = arcs.join(sent.where("sent is not null"), "source").select(F.col("target").alias("node"), term)
                heard = terms.groupBy("node").agg(_COMBINE[combine]("term").alias("heard"))
                following = apply(F.col("state"), F.col("heard")).alias("state")
                state = loop.state.join(heard, "node", "left").select("node", following, F.col("state").alias("before"))
                changed = loop.step(state, change=F.count_if(~F.col("state").eqNullSafe(F.col("before"))))["change"]
        return loop.state.select("node", "state")

    return graph.finish("pregel", program)


def _arcs(edges: Edges, direction: str) -> DataFrame:
    """Arcs that carry messages."""
    if direction not in ("in", "out", "both"):
        raise UsageError(f"direction must be 'in', 'out' or 'both', not {direction!r}")
    if not edges.directed or direction == "in":
        return edges.arcs
    return turned(edges.arcs) if direction == "out" else edges.arcs.unionByName(turned(edges.arcs))
