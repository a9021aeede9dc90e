"""Graphs and runs on Spark."""

from __future__ import annotations

import inspect
import json
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ..core import graph as machine
from ..core.parameters import arguments
from ..exceptions import UsageError
from .algorithms import bfs, cdlp, degree, pagerank, scc, sssp, triangles, wcc
from .edges import Edges
from .folder import Folder, parent_of
from .result import Result
from .work import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..core.engine import Engine

ALGORITHMS: dict[str, Callable[..., DataFrame]] = {
    function.__name__: function for function in (pagerank, wcc, scc, bfs, sssp, cdlp, triangles, degree)
}
OTHER_NAMES = {
    "pr": "pagerank",
    "cc": "wcc",
    "connected-components": "wcc",
    "weakly-connected-components": "wcc",
    "strongly-connected-components": "scc",
    "shortest-paths": "sssp",
    "label-propagation": "cdlp",
}
_DEFAULTS = (None, False, "auto", "f64")
"""Values of local execution options that have no effect."""


class Graph(machine.AnyGraph):
    """A graph on Spark for the functions of :mod:`outcrop`; created by :func:`outcrop.spark.open`.

    Its edges are cached on the executors until it is closed. It does not support queries of single vertices.
    """

    def __init__(self, name: str, edges: Edges, parent: str, held: Folder | None = None) -> None:
        """Wrap edges in Spark; ``held`` is the temporary source of the edges, if any."""
        handle: Any = _Handle(self)
        super().__init__(name, handle, None)
        self.edges_in_spark, self._parent, self._held = edges, parent, held

    @property
    def written_to(self) -> str | None:
        """Temporary folder with the exported edges of a store; None for other graphs."""
        return None if self._held is None else self._held.path

    def finish(self, algorithm: str, function: Callable[..., DataFrame], **parameters: Any) -> Result:
        """Run a function with a :class:`Work` and keep the rows that it returns."""
        began = time.perf_counter()
        work = Work(self.edges_in_spark, Folder(self.edges_in_spark.spark, self._parent))
        folder = Folder(self.edges_in_spark.spark, self._parent)
        rows, _ = Work(self.edges_in_spark, folder).keep(function(work, **parameters))
        work.folder.remove()
        change, tolerance = work.convergence or (None, None)
        stats = _sizes(self.edges_in_spark) | {
            "algorithm": algorithm,
            "engine": "spark",
            "parameters": parameters,
            "values": {},
            "rows": self.num_vertices,
            "iterations": len(work.iterations),
            "converged": None if change is None or tolerance is None else change < tolerance,
            "change": change,
            "tolerance": tolerance,
            "seconds": time.perf_counter() - began,
            "iterations_detail": work.iterations,
        }
        return Result(rows, folder, stats)

    def update(self, **_: Any) -> NoReturn:
        """Refuse: the edges are in a DataFrame."""
        raise _unsupported("update")

    def convert(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: there is no store."""
        raise _unsupported("convert")

    def between(self, *_: Any) -> NoReturn:
        """Refuse: edges on Spark have no timestamps."""
        raise _unsupported("between")

    def windows(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: edges on Spark have no timestamps."""
        raise _unsupported("windows")

    def __reduce__(self) -> Any:
        """Refuse: a Spark session cannot be sent to other processes."""
        raise TypeError("graphs on Spark cannot be pickled, because their session belongs to this process")

    def _run(
        self,
        algorithm: str,
        *,
        options: Engine | None = None,
        engine: str | None = None,
        spark: SparkSession | None = None,
        **parameters: Any,
    ) -> Result:
        name = _name(algorithm)
        if not machine.on_spark(engine, spark) and engine is not None:
            raise UsageError("a graph on Spark does not support engine='outcrop'; build a store from its edges")
        if parameters.pop("checkpoint", None) is not None or parameters.pop("resume", False):
            raise UsageError("runs on Spark do not support checkpoint and resume")
        if parameters.pop("incremental", None) is not None:
            raise UsageError("runs on Spark do not support incremental")
        if options is not None:
            raise UsageError("runs on Spark do not support execution options")
        function = ALGORITHMS[name]
        known = [parameter for parameter in inspect.signature(function).parameters if parameter != "work"]
        given = arguments(name, parameters) if name != "degree" else parameters
        for parameter, value in list(given.items()):
            if parameter not in known:
                if value not in _DEFAULTS:
                    has = f"supported: {', '.join(known)}" if known else "it has no parameters"
                    raise UsageError(f"{name} on Spark does not support {parameter}; {has}")
                del given[parameter]
        result = self.finish(name, function, **given)
        result._check_converged()
        return result

    def __repr__(self) -> str:
        """Describe the graph."""
        return super().__repr__().replace("outcrop.Graph", "outcrop.spark.Graph", 1)


class _Handle:
    """The part of the interface of an open store that Spark supports."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def info(self) -> str:
        edges = self._graph.edges_in_spark
        ids = "string" if edges.id_type == "string" else "integer"
        return json.dumps({"store": self._graph._name, "engine": "spark", "ids": ids} | _sizes(edges))

    def degrees(self, ids: object, direction: str) -> Any:
        if ids is not None:
            raise UsageError("a graph on Spark supports degrees of all vertices only")
        return self._graph._run("degree", direction=direction)._read()

    def close(self) -> None:
        self._graph.edges_in_spark.close()

    def __getattr__(self, name: str) -> Any:
        raise _unsupported(name)


# An `outcrop.Graph` by `isinstance`, without its store.
machine.Graph.register(Graph)


def _unsupported(name: str) -> UsageError:
    return UsageError(f"a graph on Spark does not support {name}; supported: {', '.join(ALGORITHMS)} and pregel")


def _sizes(edges: Edges) -> dict[str, Any]:
    return {
        "vertices": edges.num_vertices,
        "edges": edges.num_edges,
        "directed": edges.directed,
        "weighted": edges.weighted,
    }


def open(  # noqa: A001
    edges: Any,
    spark: SparkSession,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: str | bool | None = None,
    directed: bool | None = None,
    vertices: Any = None,
    tmp_dir: str | None = None,
) -> Graph:
    """Open edges for runs on Spark.

    Parameters
    ----------
    edges : DataFrame, path, paths, or outcrop.Graph
        A Spark DataFrame; Parquet files or folders that Spark can read; or a graph or a store, whose edges are exported
        to ``tmp_dir``, which must then be on this machine.
    spark : SparkSession
        Session. Its settings are not changed; ``spark.sql.shuffle.partitions`` is the maximum number of partitions.
    source, target : str, optional
        Column names. Default: detected from the usual names, otherwise the first and the second column.
    weight : str or True, optional
        Weight column; ``True`` for the column ``weight`` or the third one. Default: no weights. A graph uses its own
        weights.
    directed : bool, optional
        Whether edges are directed. Default: True, or as in the graph.
    vertices : DataFrame or path, optional
        Additional vertices, in the first column.
    tmp_dir : str, optional
        Folder for the state and results of runs, writable by the driver and all executors: ``hdfs:///tmp``,
        ``s3a://bucket/tmp``. Default: the checkpoint folder of the session, or on one machine that of the system.

    Returns
    -------
    Graph

    Raises
    ------
    BadInputError
        If rows are invalid; IDs must be strings or integers from 0 to 2^63-1, weights finite numbers.
    UsageError
        If ``tmp_dir`` is missing on a cluster.

    Examples
    --------
    >>> import outcrop as oc
    >>> import outcrop.spark
    >>> frame = session.createDataFrame([(1, 2), (2, 3)], "source long, target long")  # doctest: +SKIP
    >>> oc.bfs(oc.spark.open(frame, session), 1).to_dict()  # doctest: +SKIP
    {1: 0, 2: 1, 3: 2}
    """
    parent = parent_of(spark, tmp_dir)
    if isinstance(edges, str | os.PathLike) and os.path.isfile(os.path.join(edges, "manifest.json")):
        with machine.open(edges) as store:
            return open(store, spark, tmp_dir=tmp_dir)
    if isinstance(edges, machine.Graph):
        folder = Folder(spark, parent)
        frames = _written(edges, spark, folder)
        weighted = edges.weighted or None
        return Graph(edges._name, Edges(spark, *frames, directed=edges.directed, weight=weighted), parent, folder)
    frame, name = _frame(spark, edges)
    others = None if vertices is None else _frame(spark, vertices)[0]
    made = Edges(spark, frame, others, directed=directed is not False, source=source, target=target, weight=weight)
    return Graph(name, made, parent)


def run(algorithm: str, edges: Any, spark: SparkSession, *, tmp_dir: str | None = None, **parameters: Any) -> Result:
    """Run an algorithm once, on edges as for :func:`open` or on a graph.

    Parameters
    ----------
    algorithm : str
        Name in :mod:`outcrop` or on the command line; or ``"degree"``, with ``direction``.
    edges
        See :func:`open`.
    spark : SparkSession
        Session.
    tmp_dir : str, optional
        See :func:`open`.
    **parameters
        Parameters of the algorithm.

    Returns
    -------
    Result

    Examples
    --------
    >>> oc.spark.run("triangles", "hdfs:///edges", session, tmp_dir="hdfs:///tmp")  # doctest: +SKIP
    """
    if isinstance(edges, Graph):
        return edges._run(algorithm, **parameters)
    _name(algorithm)
    graph = open(edges, spark, tmp_dir=tmp_dir)
    with graph:
        return graph._run(algorithm, **parameters)


def _name(algorithm: str) -> str:
    given = algorithm.replace("_", "-")
    name = OTHER_NAMES.get(given, given)
    if name not in ALGORITHMS:
        raise UsageError(f"{algorithm} does not run on Spark; supported: {', '.join(ALGORITHMS)} and pregel")
    return name


def _frame(spark: SparkSession, given: Any) -> tuple[DataFrame, str]:
    """Return the rows and their names."""
    if isinstance(given, str | os.PathLike):
        return spark.read.parquet(os.fspath(given)), os.fspath(given)
    if isinstance(given, Sequence):
        return spark.read.parquet(*map(os.fspath, given)), f"{len(given)} files"
    return given, "a DataFrame"


def _written(graph: machine.Graph, spark: SparkSession, folder: Folder) -> tuple[DataFrame, DataFrame]:
    """Export edges and vertices of a graph for Spark."""
    import pyarrow.parquet

    place = folder.local()
    graph.export(place / "edges.parquet")
    nodes = pyarrow.RecordBatchReader.from_stream(graph.nodes())
    with pyarrow.parquet.ParquetWriter(place / "nodes.parquet", nodes.schema) as writer:
        for batch in nodes:
            writer.write_batch(batch)
    edges, vertices = (spark.read.parquet(f"{folder.path}/{name}.parquet") for name in ("edges", "nodes"))
    return edges, vertices
