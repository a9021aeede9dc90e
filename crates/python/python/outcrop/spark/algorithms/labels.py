"""Label propagation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ...exceptions import UsageError
from ..work import Loop, Work
from .ranks import SUMMAND_RANGE, SUMMANDS, refuse_weights

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def cdlp(
    work: Work, *, max_iter: int | None = None, iterations: int | None = None, weight: str | bool = False
) -> DataFrame:
    """Label propagation of LDBC Graphalytics (Iosup et al., PVLDB 2016): one join and two aggregates per step.

    Weights of a label are summed smallest first, as in all of outcrop, so that sums are bit-identical.
    """
    if max_iter is not None and iterations is not None:
        raise UsageError("max_iter cannot be combined with iterations")
    if weight and not work.edges.weighted:
        raise UsageError('weight="weight" needs edge weights, and the graph has none')
    if weight:
        refuse_weights(work.edges.edges, SUMMANDS, f"label propagation by weight needs {SUMMAND_RANGE}")
    most = max_iter if max_iter is not None else 10 if iterations is None else iterations
    nodes = work.edges.nodes
    loop, changed = Loop(work, nodes.select("node", F.col("node").alias("label"))), 1
    for _ in range(most):
        if changed:
            state = _step(work, loop.state, bool(weight))
            changed = loop.step(state, change=F.count_if(F.col("label") != F.col("before")))["change"]
    return loop.state.select("node", "label")


def _step(work: Work, state: DataFrame, weighted: bool) -> DataFrame:
    labels = work.edges.both.join(state.select(F.col("node").alias("source"), "label"), "source")
    votes = labels.groupBy(F.col("target").alias("node"), "label")
    if weighted:
        ascending = F.sort_array(F.collect_list("weight"))
        counted = votes.agg(F.aggregate(ascending, F.lit(0.0), lambda total, weight: total + weight).alias("votes"))
    else:
        counted = votes.agg(F.count(F.lit(1)).alias("votes"))
    best = counted.groupBy("node").agg(F.min(F.struct(-F.col("votes"), "label")).alias("best"))
    label = F.coalesce(F.col("best.label"), F.col("label")).alias("label")
    return state.join(best, "node", "left").select("node", label, F.col("label").alias("before"))
