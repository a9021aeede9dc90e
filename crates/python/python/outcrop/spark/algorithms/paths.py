"""Shortest paths by number of edges and by weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ...exceptions import UsageError
from ..work import Loop, Work
from .ranks import refuse_weights

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def bfs(work: Work, *, source: Sequence[str], columns: str = "distance") -> DataFrame:
    """Breadth-first search, one step per level. The predecessor is the smallest ID."""
    _check_columns(columns)
    state = _sources(work, source).select("node", "distance", F.lit(None).cast(work.edges.id_type).alias("predecessor"))
    loop, reached = Loop(work, state.withColumn("distance", F.col("distance").cast("int"))), 1
    loop.step(loop.state)
    work.iterations.clear()
    level = 0
    while reached:
        last = loop.state.where(F.col("distance") == level).select(F.col("node").alias("source"))
        arrived = work.edges.arcs.join(last, "source").groupBy(F.col("target").alias("node"))
        state = loop.state.join(arrived.agg(F.min("source").alias("from")), "node", "left")
        new = F.col("distance").isNull() & F.col("from").isNotNull()
        level += 1
        state = state.select(
            "node",
            F.when(new, level).otherwise(F.col("distance")).alias("distance"),
            F.when(new, F.col("from")).otherwise(F.col("predecessor")).alias("predecessor"),
        )
        reached = loop.step(state, change=F.count_if(F.col("distance") == level))["change"]
    return loop.state.drop("predecessor") if columns == "distance" else loop.state


def sssp(work: Work, *, source: Sequence[str], columns: str = "distance") -> DataFrame:
    """Shortest paths by weight: in each step all improved vertices propagate (Bellman-Ford)."""
    _check_columns(columns)
    sources = _sources(work, source)
    loop = Loop(work, sources.withColumn("nearer", F.col("distance").isNotNull()))
    loop.step(loop.state)
    work.iterations.clear()
    nearer, lightest = 1, 0.0
    while nearer:
        found = loop.step(_relaxed(work, loop.state), change=F.count_if("nearer"), lightest=F.min("lightest"))
        nearer, lightest = found["change"], found["lightest"]
        if lightest is not None and lightest < 0:
            refuse_weights(_leaving(work, loop.state), "weight >= 0", "shortest paths need weights of at least 0")
    distances = loop.state.select("node", "distance")
    return distances if columns == "distance" else _predecessors(work, distances, sources)


def _check_columns(columns: str) -> None:
    if columns not in ("distance", "all"):
        raise UsageError(f"columns must be 'distance' or 'all', not {columns!r}")


def _sources(work: Work, source: Sequence[str]) -> DataFrame:
    """``node`` and ``distance``: 0 for sources, otherwise null."""
    if not source:
        raise UsageError("source is required")
    given = work.edges.named([(name, 0.0) for name in source]).distinct()
    return work.edges.nodes.join(given.withColumnRenamed("number", "distance"), "node", "left")


def _relaxed(work: Work, state: DataFrame) -> DataFrame:
    weight = work.edges.weights(True)
    near = state.where("nearer").select(F.col("node").alias("source"), "distance")
    arrived = work.edges.arcs.join(near, "source").groupBy(F.col("target").alias("node"))
    heard = arrived.agg(F.min(F.col("distance") + weight).alias("heard"), F.min(weight).alias("lightest"))
    nearer = F.col("heard").isNotNull() & (F.col("distance").isNull() | (F.col("heard") < F.col("distance")))
    met = state.select("node", "distance").join(heard, "node", "left")
    return met.select("node", F.least("distance", "heard").alias("distance"), nearer.alias("nearer"), "lightest")


def _leaving(work: Work, state: DataFrame) -> DataFrame:
    """Out-arcs of reached vertices."""
    return work.edges.arcs.join(state.where("distance is not null").select(F.col("node").alias("source")), "source")


def _predecessors(work: Work, distances: DataFrame, sources: DataFrame) -> DataFrame:
    """Distances with the smallest predecessor on a shortest path; edges of weight 0 are processed in rounds."""
    tight, _ = work.keep(_tight(work, distances))
    first = tight.where("near < far").groupBy(F.col("target").alias("node")).agg(F.min("source").alias("predecessor"))
    is_source = sources.select("node", F.col("distance").isNotNull().alias("settled"))
    state = distances.join(is_source, "node").join(first, "node", "left")
    settled = F.col("settled") | F.col("predecessor").isNotNull() | F.col("distance").isNull()
    loop = Loop(work, state.withColumn("settled", settled))
    rest = loop.step(loop.state, change=F.count_if(~F.col("settled")))["change"]
    while rest:
        last = loop.state.where("settled").select(F.col("node").alias("source"))
        arrived = tight.where("near = far").join(last, "source").groupBy(F.col("target").alias("node"))
        state = loop.state.join(arrived.agg(F.min("source").alias("from")), "node", "left")
        chosen = F.when(F.col("settled"), F.col("predecessor")).otherwise(F.col("from"))
        settled = F.col("settled") | F.col("from").isNotNull()
        state = state.select("node", "distance", chosen.alias("predecessor"), settled.alias("settled"))
        rest = loop.step(state, change=F.count_if(~F.col("settled")))["change"]
    return loop.state.select("node", "distance", "predecessor")


def _tight(work: Work, distances: DataFrame) -> DataFrame:
    """Arcs on shortest paths."""
    reached = distances.where("distance is not null")
    near = reached.select(F.col("node").alias("source"), F.col("distance").alias("near"))
    far = reached.select(F.col("node").alias("target"), F.col("distance").alias("far"))
    ends = work.edges.arcs.join(near, "source").join(far, "target")
    exact: Column = F.col("near") + work.edges.weights(True) == F.col("far")
    return ends.where(exact).select("source", "target", "near", "far")
