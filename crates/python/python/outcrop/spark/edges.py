"""Edges in Spark, in the form for all algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import DecimalType, IntegralType, StringType

from ..exceptions import BadInputError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_SOURCES = ("source", "src", "from", "node1", ":start_id")
_TARGETS = ("target", "dst", "dest", "to", "node2", ":end_id")
_WEIGHTS = ("weight", "w", "value", "wgt")
_EDGES_OF_A_PARTITION = 1 << 18


class Edges:
    """A graph in two DataFrames cached on the executors: ``nodes`` and ``arcs``."""

    def __init__(
        self,
        spark: SparkSession,
        edges: DataFrame,
        vertices: DataFrame | None = None,
        *,
        directed: bool = True,
        source: str | None = None,
        target: str | None = None,
        weight: str | bool | None = None,
    ) -> None:
        """Validate the edges and build the DataFrames."""
        self.spark, self.directed, self.weighted = spark, directed, bool(weight)
        source, target = _column(edges, source, _SOURCES, 0), _column(edges, target, _TARGETS, 1)
        columns = [_ids(edges, source).alias("source"), _ids(edges, target).alias("target")]
        if self.weighted:
            name = _column(edges, None if weight is True else str(weight), _WEIGHTS, 2)
            columns.append(edges[name].cast("double").alias("weight"))
        self.edges = edges.select(columns)
        self.id_type = self.edges.schema["source"].dataType.simpleString()
        if self.edges.schema["target"].dataType.simpleString() != self.id_type:
            raise BadInputError(f"{source} and {target} have IDs of different types", file="the edges")
        self.num_edges = _count(self.edges, "the edges")
        self._vertices = vertices
        self.num_vertices = self.nodes.count()

    @cached_property
    def arcs(self) -> DataFrame:
        """``source``, ``target`` and optional ``weight``; undirected edges in both directions."""
        return self._laid(self.edges if self.directed else self.edges.unionByName(turned(self._no_loops())))

    @cached_property
    def both(self) -> DataFrame:
        """Arcs in both directions, without self-loops."""
        edges = self._no_loops()
        return self._laid(edges.unionByName(turned(edges)))

    @cached_property
    def nodes(self) -> DataFrame:
        """``node``, the IDs of all vertices."""
        ends = [self.arcs.select(F.col(end).alias("node")) for end in ("source", "target")]
        nodes = ends[0].union(ends[1]) if self.directed else ends[0]
        if self._vertices is not None:
            nodes = nodes.union(self._vertices.select(_ids(self._vertices, self._vertices.columns[0])))
        return nodes.distinct().persist()

    def weights(self, counted: bool) -> Column:
        """Return the weight column of the arcs; 1 if weights are ignored."""
        return F.col("weight") if counted and self.weighted else F.lit(1.0)

    def named(self, numbers: Sequence[tuple[str, float]]) -> DataFrame:
        """Return ``node`` and ``number`` of the vertices with these IDs.

        Raises
        ------
        UsageError
            If an ID is not in the graph.
        """
        rows = [(self._id(name), number) for name, number in numbers]
        given = self.spark.createDataFrame(rows, f"node {self.id_type}, number double")
        for row in given.join(self.nodes, "node", "left_anti").take(1):
            raise self._unknown(row.node)
        return given

    def close(self) -> None:
        """Release the executor memory."""
        for name in ("arcs", "both", "nodes"):
            frame = self.__dict__.pop(name, None)
            if frame is not None:
                frame.unpersist()

    def _no_loops(self) -> DataFrame:
        return self.edges.where("source != target")

    def _laid(self, arcs: DataFrame) -> DataFrame:
        """Sort by source in a suitable number of partitions, so that joins on the source need no shuffle."""
        most = int(self.spark.conf.get("spark.sql.shuffle.partitions") or 200)
        partitions = min(most, 1 + self.num_edges // _EDGES_OF_A_PARTITION)
        return arcs.repartition(partitions, "source").sortWithinPartitions("source").persist()

    def _id(self, name: str) -> Any:
        if self.id_type == "string":
            return name
        if not name.isdecimal() or int(name) >= 1 << 63:
            raise self._unknown(name)
        return int(name)

    def _unknown(self, name: Any) -> UsageError:
        shown = name if self.id_type != "string" and str(name).isdecimal() else f'"{name}"'
        return UsageError(f"the graph has no vertex {shown}")


def turned(arcs: DataFrame) -> DataFrame:
    """Return the reversed arcs."""
    ends = [F.col("target").alias("source"), F.col("source").alias("target")]
    return arcs.select(*ends, *(F.col(name) for name in arcs.columns[2:]))


def _column(edges: DataFrame, named: str | None, usual: Sequence[str], place: int) -> str:
    """Choose a column: the given one, one of the usual names, or by position."""
    if named is not None:
        if named not in edges.columns:
            raise BadInputError(f"no column {named!r} among {', '.join(edges.columns)}", file="the edges")
        return named
    found = [column for column in edges.columns if column.lower() in usual]
    if not found and len(edges.columns) <= place:
        raise BadInputError(f"no {usual[0]} column among {', '.join(edges.columns)}", file="the edges")
    return found[0] if found else edges.columns[place]


def _ids(frame: DataFrame, name: str) -> Column:
    """Integers as 64-bit integers (null if invalid); strings unchanged."""
    kind = frame.schema[name].dataType
    if isinstance(kind, StringType):
        return frame[name]
    if isinstance(kind, IntegralType) or (isinstance(kind, DecimalType) and kind.scale == 0):
        number = frame[name].try_cast("bigint")
        return F.when(number >= 0, number)
    raise BadInputError(f"IDs must be integers or strings, but {name} is {kind.simpleString()}", file="the edges")


def _count(edges: DataFrame, name: str) -> int:
    """Count the edge rows; refuse invalid ones."""
    bad = F.lit(False)
    for column in edges.columns:
        bad = bad | F.col(column).isNull()
    if "weight" in edges.columns:
        bad = bad | F.isnan("weight") | (F.abs("weight") == float("inf"))
    row = edges.agg(F.count(F.lit(1)).alias("rows"), F.count_if(bad).alias("bad")).first()
    assert row is not None
    if row.bad:
        raise BadInputError(
            f"{row.bad} of {row.rows} rows are invalid; IDs must be strings or integers from 0 to 2^63-1, and weights "
            "finite numbers",
            file=name,
        )
    return int(row.rows)
