"""Open graphs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from .. import _outcrop
from ..exceptions import BadInputError, NotFoundError, UsageError
from ..interop import conversions
from ..interop.values import ids, is_one, shown
from ..progress import Progress, listener
from . import updating
from .engine import Engine
from .hints import missing_of_graph
from .parameters import Node, Path, arguments
from .tables.result import Result
from .tables.table import Stream, Table, html_table
from .temporary import TemporaryFolder, require_checkpoint

if TYPE_CHECKING:
    from datetime import date

    from pyspark.sql import SparkSession

Direction = Literal["out", "in", "both"]
"""Edges of a vertex: out-edges, in-edges, or both."""


class Graph:
    """An open store, returned by :func:`outcrop.open` and :func:`outcrop.build`.

    Threads and cached lists are kept for the next run, within ``memory``, so that it reads less. Only one run at a time
    is active; others wait.

    A graph is a context manager. While it is open, the store cannot be replaced or updated. Results stay usable after
    it is closed and do not block the store. Graphs do not survive a fork: open them again in the child process.

    Examples
    --------
    >>> import outcrop as oc
    >>> with oc.build([("a", "b"), ("b", "c")], "letters.outcrop") as g:
    ...     g.num_vertices, g.num_edges, g.directed, g.weighted
    (3, 2, True, False)
    """

    __networkx_backend__ = "outcrop"

    _folder: TemporaryFolder | None = None
    """Folder of a temporary store, removed with the graph and its results."""

    _input: dict[str, Any] | None = None
    """Summary of the input of a graph that was just built."""

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
        self._name = os.fspath(store)
        self._path = os.path.abspath(self._name)
        self._progress = listener(progress)
        self._settings: dict[str, Any] = {
            "memory": memory,
            "threads": threads,
            "io": io,
            "page_cache": page_cache,
            "static_cache": static_cache,
            "tmp_dir": None if tmp_dir is None else os.path.abspath(tmp_dir),
            "options": options,
        }
        self._handle = self._opened()

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

    @cached_property
    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = json.loads(self._handle.info())
        return info

    def info(self) -> dict[str, Any]:
        """Return the size, types and layout of the store.

        Returns
        -------
        dict
            ``store``, ``uuid``, ``format_version``, ``vertices``, ``edges``, ``directed``, ``weighted``, ``ids``,
            ``order``, ``dedup``, ``self_loops``, ``bytes`` on disk, ``layouts`` and ``static_cache`` (lists of
            dictionaries), and ``order_parameters`` (a dictionary) if the order has any. For the object returned
            by :func:`outcrop.build` also ``input``, the summary of the input as in ``outcrop build --json``: a dictionary
            with ``files``, ``ids``, ``direction``, ``notes`` and the numbers of edges, self-loops and merged edges.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2)], "pair.outcrop").info()["vertices"]
        2
        """
        return dict(self._info) if self._input is None else self._info | {"input": self._input}

    def runs(self) -> list[dict[str, Any]]:
        """Return the run history of the store, oldest run first.

        Every run writes a small file to the folder ``runs`` of the store, unless the environment variable
        ``OUTCROP_NO_HISTORY`` was set when the graph was opened; the latest 1,000 are kept. ``outcrop runs STORE RUN``
        shows more about a run.

        Returns
        -------
        list of dict
            ``id``, ``started`` in seconds since 1970, ``algorithm``, given ``parameters``, ``exit`` (``ok``,
            ``not_converged``, ``cancelled`` or ``failed``), ``uuid`` and ``generation`` of the store, ``seconds``,
            and ``iterations``, ``bytes_read`` and ``memory_peak``, which are ``None`` for unfinished runs;
            ``error`` for failed runs. pandas and Polars can convert the list to a data frame.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2)], "pair.outcrop")
        >>> ranks = oc.pagerank(g, iterations=3)
        >>> [(run["algorithm"], run["iterations"]) for run in g.runs()]
        [('pagerank', 3)]
        """
        runs: list[dict[str, Any]] = json.loads(self._handle.runs())
        return runs

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return int(self._info["vertices"])

    @property
    def num_edges(self) -> int:
        """Number of edges; an undirected edge counts once."""
        return int(self._info["edges"])

    @property
    def directed(self) -> bool:
        """Whether edges are directed."""
        return bool(self._info["directed"])

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return bool(self._info["weighted"])

    def check(self) -> None:
        """Verify the checksums and the structure of the store.

        Raises
        ------
        CorruptStoreError
            If the store is damaged; names the first error.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2)], "pair.outcrop").check()
        """
        self._handle.check(self._progress)

    def cache(
        self,
        size: int | str = "20%",
        *,
        select: str = "observed",
        rounds: int | None = None,
        seed: int | None = None,
    ) -> dict[str, Any]:
        """Choose adjacency lists to pin in memory, and save the selection in the store.

        Parameters
        ----------
        size
            Total size of the pinned lists: a percentage of the lists per direction, or a size such as ``"200MiB"``.
        select
            ``"observed"``: lists on pages of which sample searches use little else; ``"gvs"``: greedy choice by the cost
            model of BASC (USENIX ATC 2019), without searches; ``"random"``, ``"high-degree"`` and ``"low-degree"`` for
            comparison.
        rounds
            Rounds of ``"gvs"``. Default: one round per list.
        seed
            Random seed of ``"observed"`` and ``"random"``.

        Returns
        -------
        dict
            The selection record, with the keys of ``outcrop cache --json``.

        Raises
        ------
        BudgetError
            If the memory budget is too small.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(i, 7 * i % 50) for i in range(50)] * 4, "wheel.outcrop")
        >>> [selection["direction"] for selection in g.cache("50%")["selections"]]
        ['out', 'in']
        """
        record: dict[str, Any] = json.loads(self._handle.select(str(size), select, rounds, seed, self._progress))
        self.__dict__.pop("_info", None)
        return record

    def remove_cache(self) -> None:
        """Remove the pinned lists chosen by :meth:`cache`, if there are any.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2)], "pair.outcrop").remove_cache()
        """
        self._handle.forget_selections(self._progress)
        self.__dict__.pop("_info", None)

    def export(self, path: Path, *, format: str | None = None, weights: bool = True, overwrite: bool = False) -> int:  # noqa: A002
        """Export the edges to a file, with original IDs and weights, if the graph has them.

        Parameters
        ----------
        path
            Output file.
        format
            ``"edge-list"``, ``"outcrop"``, ``"parquet"``, ``"sg"`` or ``"wsg"``. Default: by extension.
        weights
            Whether to write weights.
        overwrite
            Overwrite an existing file.

        Returns
        -------
        int
            Number of written edges; for ``"sg"`` and ``"wsg"`` the number of list entries.

        Raises
        ------
        AlreadyExistsError
            If the file exists.
        UsageError
            If the format does not support the graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(2, 1), (1, 2)], "pair.outcrop").export("pair.csv")
        2
        """
        return self._handle.export(path, format, weights, overwrite, self._progress)

    def convert(
        self,
        store: Path | None = None,
        *,
        layout: Literal["chunked", "compact", "csr", "sliding"] = "chunked",
        order: Literal["original", "degree", "random", "pagerank", "gorder", "norder", "auto"] | None = None,
        order_seed: int | None = None,
        window: int | None = None,
        page_size: int | str | None = None,
        intervals: int | None = None,
        codec: Literal["packed", "alternating", "raw32"] | None = None,
        index: Literal["compact", "direct"] | None = None,
        weight_type: str | None = None,
        overwrite: bool = False,
        verify: bool = False,
        checkpoint: Path | None = None,
        resume: bool = False,
    ) -> Graph:
        """Copy the store with another layout, vertex order or weight type, and open the copy.

        Parameters
        ----------
        store : path, optional
            Folder of the new store, as for :func:`outcrop.build`.
        layout, order_seed, window, page_size, intervals, codec, index, overwrite, verify, checkpoint, resume
            As for :func:`outcrop.build`.
        order : str, optional
            As for :func:`outcrop.build`. Default: unchanged.
        weight_type : str, optional
            As for :func:`outcrop.build`. Default: unchanged.

        Returns
        -------
        Graph

        Raises
        ------
        AlreadyExistsError, BudgetError, DiskFullError, CorruptStoreError, UsageError

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop")
        >>> g.convert("small.outcrop", layout="compact", order="degree").info()["order"]
        'degree'
        """
        require_checkpoint(checkpoint, resume, store)
        folder = TemporaryFolder(self._settings["tmp_dir"]) if store is None else None
        target = os.path.join(folder.path, "graph.outcrop") if folder is not None else os.fspath(store or "")
        arguments = {
            "store": target,
            "order": order,
            "order_seed": order_seed,
            "window": window,
            "layout": layout,
            "page_size": None if page_size is None else str(page_size),
            "intervals": intervals,
            "codec": codec,
            "index": index,
            "weight_type": weight_type,
            "memory": str(self._settings["memory"]),
            "threads": self._settings["threads"],
            "tmp_dir": self._settings["tmp_dir"] if checkpoint is None else None,
            "overwrite": overwrite,
            "verify": verify,
            "checkpoint": checkpoint,
            "resume": resume,
        }
        _outcrop.convert(self._path, arguments, self._progress)
        return self._made(target, folder)

    def _made(self, store: str, folder: TemporaryFolder | None) -> Graph:
        """Open a copy of this store with the same settings; a temporary copy owns its folder."""
        graph = Graph(store, **self._settings)
        graph._progress, graph._folder = self._progress, folder
        return graph

    def between(self, start: str | int | date, end: str | int | date) -> Graph:
        """Build the graph of the edges with start <= time < end, and open it.

        Its vertices are those with an edge in the window. The graph owns a temporary store.

        Parameters
        ----------
        start, end : str, int or date
            Numbers, dates of Python or pandas, or dates such as ``"2024-01-31"`` and ``"2024-01-31T12:00:00Z"``.

        Returns
        -------
        Graph

        Raises
        ------
        UsageError
            If the edges have no timestamps, or none is in the window.

        Examples
        --------
        >>> import outcrop as oc
        >>> import polars as pl
        >>> mails = pl.DataFrame({"source": [1, 2, 3], "target": [2, 3, 1], "time": [10, 20, 30]})
        >>> oc.build(mails, "mails.outcrop", time=True).between(10, 25).num_edges
        2
        """
        graph = self._window((str(start), str(end)))
        if graph is None:
            raise UsageError(f"the graph has no edges with {start} <= time < {end}")
        return graph

    def windows(self, length: str | int, *, step: str | int | None = None) -> Iterator[tuple[str, Graph]]:
        """Iterate over the graphs of a series of time windows, each with its start; empty windows are skipped.

        The first window starts at the beginning of the unit of the step that contains the first edge: days at midnight
        (UTC), weeks on Monday, months on the first day. For numeric timestamps it starts at the first edge.

        Parameters
        ----------
        length : str or int
            Length of a window: an integer and a unit (s, min, h, d, w, month or year), such as ``"30d"`` or
            ``"1month"``; for numeric timestamps a number.
        step : str or int, optional
            Time between the starts of two windows. Default: the length.

        Raises
        ------
        UsageError
            If the edges have no timestamps, or a length is invalid.

        Examples
        --------
        >>> import outcrop as oc
        >>> import polars as pl
        >>> mails = pl.DataFrame({"source": [1, 2, 3], "target": [2, 3, 1], "time": [10, 20, 30]})
        >>> g = oc.build(mails, "by_time.outcrop", time=True)
        >>> [(start, window.num_edges) for start, window in g.windows(20, step=10)]
        [('10', 2), ('20', 2), ('30', 1)]
        """
        for window in _outcrop.windows(self._path, str(length), str(length if step is None else step)):
            graph = self._window(window)
            if graph is not None:
                yield window[0], graph

    def _window(self, window: tuple[str, str]) -> Graph | None:
        folder = TemporaryFolder(self._settings["tmp_dir"])
        target = os.path.join(folder.path, "window.outcrop")
        arguments = {
            "store": target,
            "memory": str(self._settings["memory"]),
            "threads": self._settings["threads"],
            "tmp_dir": self._settings["tmp_dir"],
        }
        if not _outcrop.build_window(self._path, window, arguments, self._progress):
            return None
        return self._made(target, folder)

    def update(self, *, add: Any = None, remove: Any = None, weight: Any = None, **options: Any) -> dict[str, Any]:
        """Insert and delete edges as :func:`outcrop.update` does; the graph is closed during the update and reopened.

        Parameters
        ----------
        add, remove, weight
            As for :func:`outcrop.update`.
        **options
            Further options; ``memory``, ``threads`` and ``tmp_dir`` default to those of this graph.

        Returns
        -------
        dict
            The update record, with the keys of ``outcrop update --json``.

        Raises
        ------
        StoreInUseError
            If another graph has the store open.
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
        self._handle.close()
        try:
            return updating.update(self._path, add=add, remove=remove, weight=weight, **settings)
        finally:
            self.__dict__.pop("_info", None)
            self._handle = self._opened()

    if not TYPE_CHECKING:
        __getattr__ = missing_of_graph

    def __len__(self) -> int:
        """Return the number of vertices."""
        return self.num_vertices

    def __contains__(self, node: object) -> bool:
        """Return whether the graph has a vertex with this ID."""
        try:
            return is_one(node) and self._handle.contains(ids(node))[0]
        except (TypeError, BadInputError):
            return False

    def __iter__(self) -> Iterator[Node]:
        """Iterate over the vertex IDs in ascending order."""
        for batch in self.nodes():
            yield from batch._read().values(0)

    @overload
    def neighbors(self, nodes: Node, *, weights: Literal[False] = False) -> list[Node]: ...  # type: ignore[overload-overlap]
    @overload
    def neighbors(self, nodes: Node | Iterable[Node], *, weights: bool = False) -> Table: ...
    def neighbors(self, nodes: Node | Iterable[Node], *, weights: bool = False) -> list[Node] | Table:
        """Return the out-neighbors of one vertex, or of many vertices at once.

        The lists of many vertices are read together, each page once: pass all vertices in one call.

        Parameters
        ----------
        nodes : int, str or iterable
            An ID, or a list or array of IDs.
        weights : bool
            Include edge weights. The result is then a table even for one ID.

        Returns
        -------
        list or Table
            The neighbors of one ID in ascending order; for several IDs a table with ``node``, ``neighbor`` and, with
            ``weights``, ``weight``: one row per edge, in the order of the IDs, including repeated edges.

        Raises
        ------
        UsageError
            If an ID is not in the graph, or ``weights`` is set for an unweighted graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "small.outcrop")
        >>> g.neighbors(1)
        [2, 3]
        >>> g.neighbors([2, 1]).to_numpy("neighbor").tolist()
        [3, 2, 3]
        """
        return self._neighbors(nodes, "out", weights)

    @overload
    def in_neighbors(self, nodes: Node, *, weights: Literal[False] = False) -> list[Node]: ...  # type: ignore[overload-overlap]
    @overload
    def in_neighbors(self, nodes: Node | Iterable[Node], *, weights: bool = False) -> Table: ...
    def in_neighbors(self, nodes: Node | Iterable[Node], *, weights: bool = False) -> list[Node] | Table:
        """Return the in-neighbors of one vertex, or of many vertices at once, as :meth:`neighbors` does.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 3), (2, 3)], "small.outcrop").in_neighbors(3)
        [1, 2]
        """
        return self._neighbors(nodes, "in", weights)

    def _neighbors(self, nodes: Node | Iterable[Node], direction: str, weights: bool) -> list[Node] | Table:
        one = is_one(nodes)
        batches = self._handle.neighbors(ids(nodes), direction, weights)
        return batches.values(1) if one and not weights else Table(batches)

    @overload
    def degree(self, nodes: Node, *, direction: Direction = "both") -> int: ...  # type: ignore[overload-overlap]
    @overload
    def degree(self, nodes: Iterable[Node] | None = None, *, direction: Direction = "both") -> Table: ...
    def degree(self, nodes: Node | Iterable[Node] | None = None, *, direction: Direction = "both") -> int | Table:
        """Return the degree of one vertex, of many, or of all.

        Parameters
        ----------
        nodes : int, str or iterable, optional
            An ID, or IDs. Default: all vertices.
        direction : {"both", "out", "in"}
            Edges to count in a directed graph. A self-loop of an undirected graph counts once.

        Returns
        -------
        int or Table
            The degree of one ID; otherwise a table with ``node`` and ``degree``, in the order of the IDs, or ascending.

        Raises
        ------
        UsageError
            If an ID is not in the graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "small.outcrop")
        >>> g.degree(2), g.degree(2, direction="in")
        (2, 1)
        >>> g.degree().to_numpy("degree").tolist()
        [2, 2, 2]
        """
        if nodes is None:
            return Table(self._handle.degrees(None, direction))
        batches = self._handle.degrees(ids(nodes), direction)
        return int(batches.values(1)[0]) if is_one(nodes) else Table(batches)

    @overload
    def has_edge(self, source: Node, target: Node) -> bool: ...  # type: ignore[overload-overlap]
    @overload
    def has_edge(self, source: Iterable[Node], target: Iterable[Node]) -> list[bool]: ...
    def has_edge(self, source: Any, target: Any) -> bool | list[bool]:
        """Return whether there is an edge between two vertices, or between each pair of two lists.

        Parameters
        ----------
        source, target : int, str or iterable
            Two IDs, or two lists of equal length.

        Returns
        -------
        bool or list of bool

        Raises
        ------
        UsageError
            If an ID is not in the graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop")
        >>> g.has_edge(1, 2), g.has_edge([1, 1], [2, 3])
        (True, [True, False])
        """
        found = self._handle.has_edges(ids(source), ids(target))
        return found[0] if is_one(source) and is_one(target) else found

    def nodes(self) -> Stream:
        """Return the IDs of all vertices in ascending order, as batches with a column ``node``.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (2, 3)], "path.outcrop").nodes().to_arrow()["node"].to_pylist()
        [1, 2, 3]
        """
        return Stream(lambda: self._handle.nodes(), ["node"])

    def edges(self, *, weights: bool = False, batch_size: int = 32768) -> Stream:
        """Return all edges in ascending ID order, in batches of ``source``, ``target`` and optionally ``weight``.

        An undirected edge appears once, with the smaller ID first. Edges are sorted within the ``memory`` of the graph,
        or in temporary files if they do not fit; an open stream uses up to half of ``memory`` until it ends.

        Parameters
        ----------
        weights : bool
            Include edge weights.
        batch_size : int
            Maximum number of rows per batch.

        Raises
        ------
        UsageError
            If ``weights`` is set for an unweighted graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "small.outcrop")
        >>> for batch in g.edges(batch_size=2):
        ...     print(batch.to_numpy("target").tolist())
        [2, 3]
        [3]
        """
        if batch_size < 1:
            raise UsageError(f"batch_size must be a positive number of rows, not {batch_size}")
        return Stream(lambda: self._handle.edges(weights, batch_size, self._progress), _edge_columns(weights))

    def subgraph(self, nodes: Iterable[Node], *, weights: bool = False) -> Stream:
        """Return the edges among the given vertices, as :meth:`edges` does; :func:`outcrop.build` accepts them.

        Parameters
        ----------
        nodes : iterable
            IDs.
        weights : bool
            Include edge weights.

        Raises
        ------
        UsageError
            If an ID is not in the graph, or ``weights`` is set for an unweighted graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (1, 3), (3, 4), (3, 1)], "small.outcrop")
        >>> oc.build(g.subgraph([1, 3, 4]), "among.outcrop").num_edges
        3
        """
        return self._subgraph(nodes, 0, "out", weights)

    def ego(
        self,
        nodes: Node | Iterable[Node],
        radius: int = 1,
        *,
        direction: Direction = "out",
        weights: bool = False,
    ) -> Stream:
        """Return the edges among all vertices within ``radius`` of the given ones, as :meth:`edges` does.

        Parameters
        ----------
        nodes : int, str or iterable
            An ID, or IDs.
        radius : int
            Maximum distance.
        direction : {"out", "in", "both"}
            Edges of a directed graph to follow.
        weights : bool
            Include edge weights.

        Raises
        ------
        UsageError
            If an ID is not in the graph, or ``weights`` is set for an unweighted graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (2, 3), (3, 4), (3, 1)], "small.outcrop")
        >>> g.ego(1, 2).to_arrow()["source"].to_pylist()
        [1, 2, 3]
        """
        if radius < 0:
            raise UsageError(f"radius must be at least 0, not {radius}")
        return self._subgraph(nodes, radius, direction, weights)

    def _subgraph(self, nodes: Node | Iterable[Node], radius: int, direction: str, weights: bool) -> Stream:
        named = ids(nodes)
        return Stream(lambda: self._handle.subgraph(named, radius, direction, weights), _edge_columns(weights))

    def sample_neighbors(
        self,
        seeds: Node | Iterable[Node],
        fanouts: Sequence[int] = (15, 10),
        *,
        direction: Direction = "out",
        replace: bool = False,
        weighted: bool = False,
        seed: int = 0,
    ) -> Table:
        """Sample neighbors layer by layer, for graph neural networks.

        Layer 0 samples neighbors of ``seeds``; every further layer samples neighbors of the vertices first reached in
        the previous one. The lists of a layer are read once, for any number of seeds.

        Parameters
        ----------
        seeds : int, str or iterable
            An ID, or IDs; duplicates count once.
        fanouts : sequence of int
            Neighbors to sample per vertex, one number per layer; vertices with fewer neighbors use all.
        direction : {"out", "in", "both"}
            Edges of a directed graph to sample from; ``"both"`` samples this number from each side.
        replace : bool
            Sample with replacement.
        weighted : bool
            Sample in proportion to edge weights; edges without a positive weight are never sampled.
        seed : int
            Random seed. Samples of a vertex depend only on the seed and the vertex order of the store.

        Returns
        -------
        Table
            ``layer``, ``source`` and ``neighbor``, one row per sample, in ascending order.

        Raises
        ------
        UsageError
            If an ID is not in the graph, or ``weighted`` is set for an unweighted graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (1, 3), (1, 4), (2, 5)], "small.outcrop")
        >>> sample = g.sample_neighbors([1], fanouts=[2, 1], seed=7)
        >>> sample.to_numpy("layer").tolist()[:2]
        [0, 0]
        """
        if is_one(fanouts):
            raise TypeError(f"fanouts must be a list of integers, one per layer, not {shown(fanouts)}")
        draws = (replace, weighted)
        return Table(self._handle.sample(ids(seeds), [int(fanout) for fanout in fanouts], direction, draws, seed))

    def to_networkx(self, limit: float = conversions.LIMIT) -> Any:
        """Convert to a NetworkX graph in memory; repeated edges become one edge.

        Parameters
        ----------
        limit : int
            Maximum number of edges and of vertices to convert.

        Raises
        ------
        UsageError
            If the graph is larger.

        Examples
        --------
        >>> import outcrop as oc
        >>> list(oc.build([(1, 2, 0.5)]).to_networkx().edges(data=True))
        [(1, 2, {'weight': 0.5})]
        """
        return conversions.to_networkx(self, limit)

    def to_scipy(self, limit: float = conversions.LIMIT) -> Any:
        """Convert to a SciPy ``csr_array``: rows and columns in ascending original ID order, as in results.

        Entries are weights, or ones without weights; repeated edges are summed. The matrix of an undirected graph is
        symmetric.

        Parameters
        ----------
        limit : int
            Maximum number of edges and of vertices to convert.

        Raises
        ------
        UsageError
            If the graph is larger.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 3)]).to_scipy().toarray().tolist()
        [[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        """
        return conversions.to_scipy(self, limit)

    def to_igraph(self, limit: float = conversions.LIMIT) -> Any:
        """Convert to an igraph graph in memory; IDs are the vertex attribute ``id``, or ``name`` for strings.

        Parameters
        ----------
        limit : int
            Maximum number of edges and of vertices to convert.

        Raises
        ------
        UsageError
            If the graph is larger.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 3)]).to_igraph().vs["id"]  # doctest: +SKIP
        [1, 2, 3]
        """
        return conversions.to_igraph(self, limit)

    def to_pyg(self, limit: float = conversions.LIMIT) -> Any:
        """Convert to PyG ``Data`` in memory; nodes are in ascending original ID order, as in results.

        Undirected edges appear in both directions. ``node_id`` contains the IDs (a list for strings), ``edge_weight``
        the weights in single precision, if the graph has any.

        Parameters
        ----------
        limit : int
            Maximum number of edges and of vertices to convert.

        Raises
        ------
        UsageError
            If the graph is larger.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 3)]).to_pyg()  # doctest: +SKIP
        Data(edge_index=[2, 2], num_nodes=3, node_id=[3])
        """
        return conversions.to_pyg(self, limit)

    def is_directed(self) -> bool:
        """Return :attr:`directed`; the name used by NetworkX.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2)]).is_directed()
        True
        """
        return self.directed

    def is_multigraph(self) -> bool:
        """Return False, for NetworkX; each algorithm defines how repeated edges count.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 2)]).is_multigraph()
        False
        """
        return False

    def close(self) -> None:
        """Close the store and release its memory; existing results stay usable.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2)], "pair.outcrop")
        >>> g.close()
        >>> oc.bfs(g, 1)
        Traceback (most recent call last):
        ValueError: the graph is closed
        """
        self._handle.close()
        self._folder = None

    def __enter__(self) -> Graph:
        """Return the graph."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the graph."""
        self.close()

    def __repr__(self) -> str:
        """Describe the graph."""
        direction = "directed" if self.directed else "undirected"
        weighted = ", weighted" if self.weighted else ""
        counts = ((self.num_vertices, "vertex", "vertices"), (self.num_edges, "edge", "edges"))
        size = ", ".join(f"{count:,} {one if count == 1 else several}" for count, one, several in counts)
        return f"<outcrop.Graph {self._name!r}: {size}, {direction}{weighted}>"

    def _repr_html_(self) -> str:
        """Show the size and the kind of the graph in a notebook."""
        info = self._info
        rows = [
            ["vertices", f"{self.num_vertices:,}"],
            ["edges", f"{self.num_edges:,}, {'directed' if self.directed else 'undirected'}"],
            ["weights", info["weight_type"] if self.weighted else "none"],
            ["IDs", info["ids"]],
            ["order", info["order"]],
            ["size on disk", f"{info['bytes'] / 2**20:,.1f} MiB"],
        ]
        return html_table(f"outcrop.Graph {self._name}", [], rows)

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
        from ..spark import run

        return run(algorithm, self, spark, **given)


def _edge_columns(weights: bool) -> list[str]:
    return ["source", "target", "weight"] if weights else ["source", "target"]


def opened(graph: Graph | Path) -> AbstractContextManager[Graph]:
    """Return a context of the graph, which is opened and closed if its path is given.

    Raises
    ------
    TypeError
        If this is neither a graph nor a path.
    """
    if isinstance(graph, str | os.PathLike):
        return Graph(graph)
    if not hasattr(graph, "_run"):
        advice = "build one with outcrop.build(edges), or open a store with outcrop.open(path)"
        raise TypeError(f"graph must be an outcrop.Graph or the path of a store, not {type(graph).__name__}; {advice}")
    return nullcontext(graph)


def run_on(graph: Graph | Path, algorithm: str, **parameters: Any) -> Result:
    """Run an algorithm on a graph, or on the store with this path."""
    with opened(graph) as own:
        return own._run(algorithm, **parameters)


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


def open(  # noqa: A001
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
) -> Graph:
    """Open a store.

    Parameters
    ----------
    store : path
        Path of the store.
    memory : int or str
        Memory budget of runs, including data cached between runs: bytes, ``"4GiB"``, ``"500MB"``, ``"50%"`` of the
        machine, or ``"auto"`` for half of it. A run that does not fit is refused before it starts; algorithms with
        several models try values on disk first. Tables converted to memory afterwards are not included.
    threads : int, optional
        Number of threads per run. Default: one per core.
    io : {"auto", "uring", "pread", "buffered", "mmap"}
        I/O backend.
    page_cache : int or str
        Size of the page cache within ``memory``: bytes, ``"1GiB"``, ``"30%"`` of ``memory``, or ``"auto"`` for the
        rest.
    static_cache : str
        Share of the page cache for the pinned lists chosen by ``outcrop cache``: ``"80%"``, ``"0%"`` for none, or
        ``"auto"`` for 80% if the algorithm follows frontiers and not all lists fit in memory.
    tmp_dir : path, optional
        Folder for temporary files. Default: next to the store.
    options : Engine, optional
        Default execution options of runs.
    progress : None, True or callable
        See :data:`outcrop.progress.Progress`.

    Returns
    -------
    Graph

    Raises
    ------
    NotFoundError, CorruptStoreError, FormatVersionError, StoreInUseError

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.build([(1, 2)], "pair.outcrop").close()
    >>> oc.open("pair.outcrop", memory="1GiB")
    <outcrop.Graph 'pair.outcrop': 2 vertices, 1 edge, directed>
    """
    return Graph(
        store,
        memory=memory,
        threads=threads,
        io=io,
        page_cache=page_cache,
        static_cache=static_cache,
        tmp_dir=tmp_dir,
        options=options,
        progress=progress,
    )


def info(store: Path) -> dict[str, Any]:
    """Return the size, types and layout of a store, as :meth:`Graph.info` does.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.build([(1, 2)], "pair.outcrop").close()
    >>> oc.info("pair.outcrop")["edges"]
    1
    """
    with Graph(store) as graph:
        return graph.info()
