"""Triangles and degrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ...exceptions import UsageError
from ..work import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def triangles(work: Work) -> DataFrame:
    """Triangles from pairs of neighbors of the vertex with the lowest degree (Suri and Vassilvitskii, WWW 2011)."""
    pairs = work.edges.both.where("source < target").select("source", "target").distinct()
    arcs, _ = work.keep(_upwards(pairs))
    first = arcs.select("near", F.col("far").alias("one"), F.col("rank").alias("rank_of_one"))
    second = arcs.select("near", F.col("far").alias("other"), F.col("rank").alias("rank_of_other"))
    wedges = first.join(second, "near").where("rank_of_one < rank_of_other").select("near", "one", "other")
    closing = arcs.select(F.col("near").alias("one"), F.col("far").alias("other"))
    found = wedges.join(closing, ["one", "other"]).select(F.explode(F.array("near", "one", "other")).alias("node"))
    return _counted(work, found, "triangles")


def _upwards(pairs: DataFrame) -> DataFrame:
    """``near``, ``far`` and the ``rank`` of ``far``: pairs from the end of lower rank, by degree and then by ID."""
    ends = pairs.select(F.explode(F.array("source", "target")).alias("node"))
    ranks = ends.groupBy("node").agg(F.count(F.lit(1)).alias("degree"))
    ranks = ranks.select("node", F.struct("degree", "node").alias("rank"))
    one = ranks.select(F.col("node").alias("source"), F.col("rank").alias("one"))
    other = ranks.select(F.col("node").alias("target"), F.col("rank").alias("other"))
    low, high = F.least("one", "other"), F.greatest("one", "other")
    ranked = pairs.join(one, "source").join(other, "target")
    return ranked.select(low["node"].alias("near"), high["node"].alias("far"), high.alias("rank"))


def degree(work: Work, *, direction: str = "both") -> DataFrame:
    """Degree of each vertex; a self-loop of an undirected graph counts once."""
    ends = {"out": ["source"], "in": ["target"], "both": ["source", "target"]}.get(direction)
    if ends is None:
        raise UsageError(f"direction must be 'out', 'in' or 'both', not {direction!r}")
    if not work.edges.directed:
        ends = ["source"]
    found = work.edges.arcs.select(F.explode(F.array(*ends)).alias("node"))
    return _counted(work, found, "degree")


def _counted(work: Work, found: DataFrame, name: str) -> DataFrame:
    """Number of occurrences of each vertex."""
    counts = found.groupBy("node").agg(F.count(F.lit(1)).alias(name))
    return work.edges.nodes.join(counts, "node", "left").fillna(0, [name])
