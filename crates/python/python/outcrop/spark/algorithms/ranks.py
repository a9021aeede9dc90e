"""PageRank."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ...exceptions import BadInputError, UsageError
from ..work import Loop, Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Numbers = Sequence[tuple[str, float]]

# Weights that can be added up, as a condition and for messages.
SUMMANDS = "weight = 0 or weight between 1e-280 and 1e270"
SUMMAND_RANGE = "weights of 0 or from 1e-280 to 1e270"


def pagerank(
    work: Work,
    *,
    alpha: float = 0.85,
    personalization: Numbers | str | None = None,
    max_iter: int | None = None,
    tol: float | None = None,
    iterations: int | None = None,
    weight: str | bool = "weight",
) -> DataFrame:
    """Power iteration from equal ranks (Page, Brin, Motwani and Winograd, 1999): one join and two aggregates per step.

    The order of sums depends on Spark, so ranks agree to a relative error of about 1e-12.
    """
    if not 0 <= alpha < 1:
        raise UsageError(f"alpha must be a number at least 0 and below 1, not {alpha}")
    tolerance, most = _stop(max_iter, tol, iterations)
    loop, jumps = Loop(work, _start(work, personalization, bool(weight))), 1 - alpha
    lost = F.coalesce(F.sum(F.when(F.col("links").isNull(), F.col("rank"))), F.lit(0.0))
    dangling = float(loop.step(loop.state, lost=lost)["lost"])
    work.iterations.clear()
    change, done = float("inf"), 0
    while done < most and change >= tolerance:
        state = _step(work, loop.state, alpha, jumps + alpha * dangling, bool(weight))
        moved = F.coalesce(F.sum(F.abs(F.col("rank") - F.col("before"))), F.lit(0.0))
        found = loop.step(state, change=moved, lost=lost)
        change, dangling, done = float(found["change"]), float(found["lost"]), done + 1
    if iterations is None:
        work.convergence = (change, tolerance)
    return loop.state.select("node", F.col("rank").alias("pagerank"))


def _stop(max_iter: int | None, tol: float | None, iterations: int | None) -> tuple[float, int]:
    """Return the tolerance and the maximum number of iterations."""
    if iterations is not None:
        for name, value in (("tol", tol), ("max_iter", max_iter)):
            if value is not None:
                raise UsageError(f"{name} cannot be combined with iterations")
        return 0.0, iterations
    if tol is not None and not tol > 0:
        raise UsageError(f"tol must be a number above 0, not {tol}")
    return 1e-6 if tol is None else tol, 100 if max_iter is None else max_iter


def _start(work: Work, personalization: Numbers | str | None, weighted: bool) -> DataFrame:
    """``node``; ``links``, the weight of the out-edges or null; ``jump``, the jump probability; ``rank``."""
    edges = work.edges
    out = edges.arcs.groupBy(F.col("source").alias("node")).agg(F.sum(edges.weights(weighted)).alias("links"))
    if edges.weighted and weighted:
        refuse_weights(edges.arcs, SUMMANDS, f"weighted ranks need {SUMMAND_RANGE}")
    links = F.when(F.col("links") > 0, F.col("links"))
    state = edges.nodes.join(out, "node", "left").select("node", links.alias("links"))
    equal = 1.0 / max(edges.num_vertices, 1)
    if personalization is None:
        jumps = state.withColumn("jump", F.lit(equal))
    else:
        jumps = state.join(_jumps(work, personalization), "node", "left").fillna(0.0, ["jump"])
    return jumps.select("node", "links", "jump", F.lit(equal).alias("rank"), F.lit(equal).alias("before"))


def _jumps(work: Work, personalization: Numbers | str) -> DataFrame:
    numbers = _read(personalization) if isinstance(personalization, str) else personalization
    total = sum(number for _, number in numbers)
    if not 0 < total < float("inf") or any(number < 0 for _, number in numbers):
        message = "the personalization: weights must be at least 0, with a positive and finite sum"
        raise BadInputError(message, file="the personalization")
    given = work.edges.named(numbers)
    return given.groupBy("node").agg((F.sum("number") / total).alias("jump"))


def _read(path: str) -> list[tuple[str, float]]:
    """Rows of ID and weight; a first row without a number is a header."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = [row[:2] for row in csv.reader(file, delimiter="\t" if path.endswith(".tsv") else ",") if row]
    try:
        float(rows[0][1])
    except (ValueError, IndexError):
        rows = rows[1:]
    try:
        return [(name, float(number)) for name, number in rows]
    except ValueError as error:
        raise BadInputError(f"{path}: expected an ID and a weight per line: {error}", file=path) from None


def _step(work: Work, state: DataFrame, alpha: float, jumps: float, weighted: bool) -> DataFrame:
    share = (F.col("rank") / F.col("links")).alias("share")
    shares = state.where("links is not null").select(F.col("node").alias("source"), share)
    arrived = work.edges.arcs.join(shares, "source").groupBy(F.col("target").alias("node"))
    heard = arrived.agg(F.sum(F.col("share") * work.edges.weights(weighted)).alias("heard"))
    rank = jumps * F.col("jump") + alpha * F.coalesce("heard", F.lit(0.0))
    return state.join(heard, "node", "left").select(
        "node", "links", "jump", rank.alias("rank"), F.col("rank").alias("before")
    )


def refuse_weights(arcs: DataFrame, allowed: str, need: str) -> None:
    """Refuse weights unless they are allowed; the error names the edge with the smallest ends and the requirement."""
    for row in arcs.where(f"not ({allowed})").orderBy("source", "target").take(1):
        edge = f"the edge from {row.source} to {row.target}"
        raise BadInputError(f"{edge} has the weight {row.weight:g}; {need}", file="the edges")
