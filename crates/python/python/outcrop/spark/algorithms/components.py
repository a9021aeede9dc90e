"""Weakly and strongly connected components."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from ..edges import turned
from ..work import Loop, Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def wcc(work: Work) -> DataFrame:
    """Weakly connected components in O(log diameter) steps (FastSV: Zhang, Azad and Hu, 2020)."""
    return _lowest(work, work.edges.nodes, work.edges.both, hook=True).withColumnRenamed("low", "component")


def scc(work: Work) -> DataFrame:
    """Strongly connected components from two labels: the smallest IDs that reach a vertex and that it reaches.

    If both labels are equal, they name the component. Only edges between vertices with the same two IDs are kept for
    the next round: coloring (Slota, Rajamanickam and Madduri, IPDPS 2014) in both directions.
    """
    if not work.edges.directed:
        return wcc(work)
    nodes, found = work.edges.nodes, []
    arcs = work.edges.arcs.where("source != target").select("source", "target")
    left = work.edges.num_vertices
    while left:
        before = _lowest(work, nodes, arcs).withColumnRenamed("low", "before")
        after = _lowest(work, nodes, turned(arcs)).withColumnRenamed("low", "after")
        ends, counted = work.keep(before.join(after, "node"), left=F.count_if(F.col("before") != F.col("after")))
        found.append(ends.where("before = after").select("node", F.col("before").alias("component")))
        rest, left = ends.where("before != after"), counted["left"]
        if left:
            nodes, (arcs, _) = rest.select("node"), work.keep(_among(arcs, rest))
    return _union(found, work.edges.nodes)


def _union(found: list[DataFrame], nodes: DataFrame) -> DataFrame:
    components = nodes.select("node", F.col("node").alias("component")).limit(0)
    for frame in found:
        components = components.union(frame)
    return components


def _among(arcs: DataFrame, rest: DataFrame) -> DataFrame:
    """Arcs between vertices with the same two IDs."""
    sources = rest.select(F.col("node").alias("source"), "before", "after")
    targets = rest.select(F.col("node").alias("target"), "before", "after")
    return arcs.join(sources, "source").join(targets, ["target", "before", "after"]).select("source", "target")


def _lowest(work: Work, nodes: DataFrame, arcs: DataFrame, hook: bool = False) -> DataFrame:
    """``node`` and ``low``, the smallest ID that reaches the node.

    In each step a vertex takes the minimum of the labels of its neighbors and of the labels of those labels. With
    ``hook`` it also updates the latter, which is valid if all arcs are bidirectional.
    """
    loop, changed = Loop(work, nodes.select("node", F.col("node").alias("low"))), 1
    while changed:
        known = loop.state.join(loop.state.select(F.col("node").alias("low"), F.col("low").alias("lower")), "low")
        told = arcs.join(known.select(F.col("node").alias("source"), F.col("lower").alias("heard")), "source")
        heard = told.groupBy(F.col("target").alias("node")).agg(F.min("heard").alias("heard"))
        lowest = F.least("low", "lower", "heard").alias("lowest")
        state = known.join(heard, "node", "left").select("node", "low", lowest)
        if hook:
            hooked = state.groupBy(F.col("low").alias("node")).agg(F.min("lowest").alias("hooked"))
            state = state.join(hooked, "node", "left").withColumn("lowest", F.least("lowest", "hooked"))
        state = state.select("node", F.col("lowest").alias("low"), F.col("low").alias("before"))
        changed = loop.step(state, change=F.count_if(F.col("low") != F.col("before")))["change"]
    return loop.state.select("node", "low")
