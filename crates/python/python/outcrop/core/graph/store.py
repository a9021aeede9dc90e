"""Graphs in stores on this machine."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from ... import _outcrop
from ...exceptions import NotFoundError, UsageError
from ...progress import Progress, listener
from .. import updating
from ..engine import Engine
from ..parameters import Path, arguments
from ..tables.result import Result
from ..tables.table import Stream
from ..temporary import TemporaryFolder
from .any_graph import AnyGraph
from .copies import Copies

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Graph(AnyGraph, Copies):
    """An open store, returned by :func:`outcrop.open` and :func:`outcrop.build`.

    Threads and cached lists are kept for the next run, within ``memory``, so that it reads less. Only one run at a time
    is active; others wait.

    A graph is a context manager. While it is open, the store cannot be replaced, and updates of it have no effect on
    the graph. Results stay usable after it is closed and do not block the store. Graphs do not survive a fork: open
    them again in the child process.

    Examples
    --------
    >>> import outcrop as oc
    >>> with oc.build([("a", "b"), ("b", "c")], "letters.outcrop") as g:
    ...     g.num_vertices, g.num_edges, g.directed, g.weighted
    (3, 2, True, False)
    """

    def __init__(
        self,
        store: Path,
        *,
        memory: int | str = "auto",
        threads: int | None = None,
        io: str = "auto",
        page_cache: int | str = "auto",
        static_cache: str = "auto",
        tmp_dir: Path | None = None,
        options: Engine | None = None,
        progress: Progress = None,
    ) -> None:
        """Open the store; see :func:`outcrop.open`."""
        self._name, self._path = os.fspath(store), os.path.abspath(store)
        self._settings: dict[str, Any] = {
            "memory": memory,
            "threads": threads,
            "io": io,
            "page_cache": page_cache,
            "static_cache": static_cache,
            "tmp_dir": None if tmp_dir is None else os.path.abspath(tmp_dir),
            "options": options,
        }
        told = listener(progress)
        super().__init__(self._name, self._opened(), told)

    def _opened(self) -> _outcrop.GraphHandle:
        memory, threads, io, page_cache, static_cache, tmp_dir, _ = self._settings.values()
        caches = (str(page_cache), static_cache)
        try:
            return _outcrop.GraphHandle(self._path, str(memory), threads, io, caches, tmp_dir)
        except NotFoundError as error:
            if os.path.isdir(self._path):
                message = f"{self._name} is a folder, but not a store; outcrop.build creates stores"
                raise NotFoundError(message, path=error.path, errno=error.errno) from None
            raise

    def __reduce__(self) -> Any:
        """Return a recipe that opens the same store in another process, with the same settings but without progress."""
        return partial(Graph, self._path, **self._settings), ()

    def _made(self, store: str, folder: TemporaryFolder | None) -> Graph:
        graph = Graph(store, **self._settings)
        graph._progress, graph._folder = self._progress, folder
        return graph

    def update(self, *, add: Any = None, remove: Any = None, weight: Any = None, **options: Any) -> dict[str, Any]:
        """Insert and delete edges as :func:`outcrop.update` does; the graph is closed during the update and reopened.

        Parameters
        ----------
        add, remove, weight
            As for :func:`outcrop.update`. A :class:`Stream`, such as a subgraph, is read into memory first.
        **options
            Further options; ``memory``, ``threads`` and ``tmp_dir`` default to those of this graph.

        Returns
        -------
        dict
            The update record, with the keys of ``outcrop update --json``.

        Raises
        ------
        StoreInUseError
            If another update runs or, with ``merge``, another graph has the store open, for longer than ``wait``.
        BadInputError, NotFoundError, BudgetError, DiskFullError, CorruptStoreError, UsageError
            The store is unchanged after each of these.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (2, 3)], "growing.outcrop")
        >>> g.update(add=[(3, 1)])["added"], g.num_edges
        (1, 3)
        """
        settings = {name: self._settings[name] for name in ("memory", "threads", "tmp_dir")} | options
        add, remove = (edges.to_arrow() if isinstance(edges, Stream) else edges for edges in (add, remove))
        self._handle.close()
        try:
            return updating.update(self._path, add=add, remove=remove, weight=weight, **settings)
        finally:
            self._forget_info()
            self._handle = self._opened()

    def _arguments(self, algorithm: str, options: Engine | None, parameters: dict[str, Any]) -> dict[str, Any]:
        return arguments(algorithm, vars(options or self._settings["options"] or Engine()) | parameters)

    def _run(
        self,
        algorithm: str,
        *,
        options: Engine | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
        incremental: Path | None = None,
        engine: str | None = None,
        spark: SparkSession | None = None,
        **parameters: Any,
    ) -> Result:
        if on_spark(engine, spark):
            return self._spread(algorithm, spark, options=options, checkpoint=checkpoint, resume=resume, **parameters)
        given = self._arguments(algorithm, options, parameters)
        if resume and checkpoint is None:
            raise UsageError("resume needs checkpoint, the folder of the checkpoint")
        checkpoints, last = [
            None if folder is None else os.path.abspath(folder) for folder in (checkpoint, incremental)
        ]
        result = Result(self._handle.run(algorithm, given, (checkpoints, resume, last), self._progress))
        result._folder = self._folder
        result._check_converged()
        return result

    def _spread(self, algorithm: str, spark: SparkSession | None, **given: Any) -> Result:
        """Run once on Spark."""
        if spark is None:
            raise UsageError("engine='spark' needs spark=session, for example SparkSession.builder.getOrCreate()")
        from ...spark import run

        return run(algorithm, self, spark, **given)


def on_spark(engine: str | None, spark: SparkSession | None) -> bool:
    """Return whether a run uses Spark.

    Raises
    ------
    UsageError
        If the engine is unknown, or a session is given without an engine.
    """
    if engine not in (None, "outcrop", "spark"):
        raise UsageError(f"engine must be 'outcrop' or 'spark', not {engine!r}")
    if engine is None and spark is not None:
        raise UsageError("spark=session needs engine='spark'")
    return engine == "spark"
