"""Open graphs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _outcrop, conversions
from .engine import Engine
from .exceptions import BadInputError, UsageError
from .parameters import Node, Path, arguments
from .progress import Progress, listener
from .result import Result
from .table import Stream, Table
from .temporary import TemporaryFolder, require_checkpoint
from .updating import update
from .values import ids, is_one

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Direction = Literal["out", "in", "both"]
"""Edges of a vertex: from it, to it, or both."""


class Graph:
    """A store that is open for reading; made by :func:`outcrop.open` and :func:`outcrop.build`.

    Its threads, and the lists that a run has read, stay for the next run as far as ``memory`` holds them, so that it
    reads less. One runs at a time; others wait for it.

    It is also a context manager that closes itself. An open graph keeps the store from being replaced and updated; its
    results do not, and stay usable when it is closed. Graphs do not survive a fork: open them again in the new process.

    Examples
    --------
    >>> import outcrop as oc
    >>> with oc.build([("a", "b"), ("b", "c")], "letters.outcrop") as g:
    ...     g.num_vertices, g.num_edges, g.directed, g.weighted
    (3, 2, True, False)
    """

    __networkx_backend__ = "outcrop"

    _folder: TemporaryFolder | None = None
    """What the store lies in where it goes with the graph and its results."""

    _input: dict[str, Any] | None = None
    """Account of the input, where the graph was just built."""

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
        return _outcrop.GraphHandle(self._path, str(memory), threads, io, (str(page_cache), static_cache), tmp_dir)

    def __reduce__(self) -> Any:
        """Return what opens the same store in another process, with the same settings; progress is not shown there."""
        return partial(Graph, self._path, **self._settings), ()

    @cached_property
    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = json.loads(self._handle.info())
        return info

    def info(self) -> dict[str, Any]:
        """Return what the store holds.

        Returns
        -------
        dict
            ``store``, ``uuid``, ``format_version``, ``vertices``, ``edges``, ``directed``, ``weighted``, ``ids``,
            ``order``, ``dedup``, ``self_loops``, ``bytes`` on disk, and ``layouts`` and ``static_cache``, lists of
            dictionaries; and ``order_parameters``, a dictionary, where the order has any. Of the object that
            :func:`outcrop.build` returned, not of a graph that was opened later, also ``input``, the account of what was read, as ``outcrop build --json`` has
            it: a dictionary with ``files``, ``ids``, ``direction``, ``notes`` and counts of edges, loops and merged
            edges.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2)], "pair.outcrop").info()["vertices"]
        2
        """
        return dict(self._info) if self._input is None else self._info | {"input": self._input}

    def runs(self) -> list[dict[str, Any]]:
        """Return the runs that were made on the store, the oldest first.

        Every run leaves a small file in the folder ``runs`` of the store, unless the variable ``OUTCROP_NO_HISTORY`` was
        set when the graph was opened; the newest 1,000 stay. What ``outcrop runs STORE RUN`` shows of one is more.

        Returns
        -------
        list of dict
            ``id``, ``started`` in seconds since 1970, ``algorithm``, ``parameters`` that were given, ``exit`` (``ok``,
            ``not_converged``, ``cancelled`` or ``failed``), ``uuid`` and ``generation`` of the store, ``seconds``,
            and ``iterations``, ``bytes_read`` and ``memory_peak``, which are ``None`` where it did not come to its end;
            ``error`` where it failed. Tables of pandas and polars take it as it is.

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
        """Whether edges have a direction."""
        return bool(self._info["directed"])

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return bool(self._info["weighted"])

    def check(self) -> None:
        """Verify every byte of the store, and that its parts agree.

        Raises
        ------
        CorruptStoreError
            Naming the first thing found.

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
        """Select lists that runs hold in memory from their beginning, and keep the selection in the store.

        Parameters
        ----------
        size
            How much to select: a percentage of the lists of each direction, or a size such as ``"200MiB"``.
        select
            ``"observed"``: lists whose pages a few breadth-first searches read for little else; ``"gvs"``: the same by the
            model of BASC (USENIX ATC 2019), without searches; or, to compare with, ``"random"``,
            ``"high-degree"``, ``"low-degree"``.
        rounds
            With ``"gvs"``: how often lists are weighed anew; after each list where this is None.
        seed
            With ``"observed"`` and ``"random"``: the same seed draws the same vertices.

        Returns
        -------
        dict
            What was selected, and what that took; the keys of ``outcrop cache --json``.

        Raises
        ------
        BudgetError
            Naming what takes how much.

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
        """Remove the selection that :meth:`cache` made; it is no error if there is none.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2)], "pair.outcrop").remove_cache()
        """
        self._handle.forget_selections(self._progress)
        self.__dict__.pop("_info", None)

    def export(self, path: Path, *, format: str | None = None, weights: bool = True, overwrite: bool = False) -> int:  # noqa: A002
        """Write the edges to a file, with their original ids, and with their weights where the graph has them.

        Parameters
        ----------
        path
            The file.
        format
            ``"edge-list"``, ``"outcrop"``, ``"parquet"``, ``"sg"`` or ``"wsg"``; what the name ends in where this is None.
        weights
            Whether weights are written.
        overwrite
            Replace a file that exists.

        Returns
        -------
        int
            The number of edges written; of ``"sg"`` and ``"wsg"`` that of list entries.

        Raises
        ------
        AlreadyExistsError
            The file exists.
        UsageError
            The format does not hold the graph.

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
        """Make a store of the same graph whose lists are laid out, or whose vertices are ordered, in another way; open it.

        Parameters
        ----------
        store : path, optional
            The folder to make, as for :func:`outcrop.build`.
        layout, order_seed, window, page_size, intervals, codec, index, overwrite, verify, checkpoint, resume
            As for :func:`outcrop.build`.
        order : str, optional
            As for :func:`outcrop.build`; that of this store if not given.
        weight_type : str, optional
            As for :func:`outcrop.build`; that of this store if not given.

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
        """Open a store that was made of this one, as this one is open; a temporary one goes with its folder."""
        graph = Graph(store, **self._settings)
        graph._progress, graph._folder = self._progress, folder
        return graph

    def between(self, start: str | int, end: str | int) -> Graph:
        """Build the graph of the edges from one time on and before another, and open it.

        Its vertices are those with an edge in that time. The store that it lies in goes with it.

        Parameters
        ----------
        start, end : str or int
            Times: numbers, or dates such as ``"2024-01-31"`` and ``"2024-01-31T12:00:00Z"``.

        Returns
        -------
        Graph

        Raises
        ------
        UsageError
            The edges have no times, or none is in that time.

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
            raise UsageError(f"the graph has no edges from {start} to {end}")
        return graph

    def windows(self, length: str | int, *, step: str | int | None = None) -> Iterator[tuple[str, Graph]]:
        """Go through the graphs of a series of windows of time, each with its start; those without edges are left out.

        The first window begins where the unit of the step begins in which the first edge is: steps of days at midnight of universal time,
        of weeks on Monday, of months on the first; of times that are numbers, at the first edge.

        Parameters
        ----------
        length : str or int
            Of a window: a number of s, min, h, d, w, month or year, such as ``"30d"`` or ``"1month"``; of times that are numbers, a
            number.
        step : str or int, optional
            From the start of a window to the next; the length if not given.

        Raises
        ------
        UsageError
            The edges have no times, or the lengths are none.

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
        """Add edges and remove edges, as :func:`outcrop.update` does, with this graph closed meanwhile and open again after.

        Parameters
        ----------
        add, remove, weight
            As for :func:`outcrop.update`.
        **options
            The others of it; ``memory``, ``threads`` and ``tmp_dir`` are those of this graph if not given.

        Returns
        -------
        dict
            What was done; the keys of ``outcrop update --json``.

        Raises
        ------
        StoreInUseError
            Another graph has the store open.
        BadInputError, NotFoundError, BudgetError, DiskFullError, CorruptStoreError, UsageError
            The store is then as it was.

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
            return update(self._path, add=add, remove=remove, weight=weight, **settings)
        finally:
            self.__dict__.pop("_info", None)
            self._handle = self._opened()

    def __len__(self) -> int:
        """Return the number of vertices."""
        return self.num_vertices

    def __contains__(self, node: object) -> bool:
        """Say whether the graph has a vertex with this id."""
        try:
            return is_one(node) and self._handle.contains(ids(node))[0]
        except (TypeError, BadInputError):
            return False

    def __iter__(self) -> Iterator[Node]:
        """Go through the ids of the vertices, ascending."""
        for batch in self.nodes():
            yield from batch._read().values(0)

    @overload
    def neighbors(self, nodes: Node, *, weights: Literal[False] = False) -> list[Node]: ...  # type: ignore[overload-overlap]
    @overload
    def neighbors(self, nodes: Node | Iterable[Node], *, weights: bool = False) -> Table: ...
    def neighbors(self, nodes: Node | Iterable[Node], *, weights: bool = False) -> list[Node] | Table:
        """Return the vertices that edges lead to from one vertex, or from many at once.

        The lists of many vertices are read together, each page once: ask for all that you need in one call.

        Parameters
        ----------
        nodes : int, str or iterable
            An id, or ids: a list, an array.
        weights : bool
            Add the weights of the edges. This makes a table of the answer for one id too.

        Returns
        -------
        list or Table
            The neighbours of one id, ascending; of several a table with ``node``, ``neighbor`` and, with ``weights``,
            ``weight``: a row an edge, in the order of the ids. Repeated edges come as often as the graph has them.

        Raises
        ------
        UsageError
            Naming an id that the graph does not have; ``weights`` of a graph without any.

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
        """Return the vertices that edges come from to one vertex, or to many at once, as :meth:`neighbors` does.

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
        """Return the number of edges of one vertex, of many, or of all.

        Parameters
        ----------
        nodes : int, str or iterable, optional
            An id, or ids; all if not given.
        direction : {"both", "out", "in"}
            Which edges of a directed graph count. A loop of an undirected graph counts once.

        Returns
        -------
        int or Table
            The degree of one id; else a table with ``node`` and ``degree``, in the order of the ids, or ascending.

        Raises
        ------
        UsageError
            Naming an id that the graph does not have.

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
        """Say whether there is an edge from one vertex to another, or of each pair of two lists at once.

        Parameters
        ----------
        source, target : int, str or iterable
            An id each; or as many sources as targets.

        Returns
        -------
        bool or list of bool

        Raises
        ------
        UsageError
            Naming an id that the graph does not have.

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
        """Return the ids of all vertices, ascending: a column ``node``, in batches.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (2, 3)], "path.outcrop").nodes().to_arrow()["node"].to_pylist()
        [1, 2, 3]
        """
        return Stream(lambda: self._handle.nodes())

    def edges(self, *, weights: bool = False, batch_size: int = 32768) -> Stream:
        """Return all edges: ``source``, ``target`` and, with ``weights``, ``weight``, in batches, by ascending ids.

        An undirected edge comes once, with the smaller id first. Edges are sorted within the graph's ``memory``, and
        beyond it in temporary files; a stream that is read keeps up to half of it until its end.

        Parameters
        ----------
        weights : bool
            Add the weights of the edges.
        batch_size : int
            Rows of a batch at the most.

        Raises
        ------
        UsageError
            ``weights`` of a graph without any.

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
            raise UsageError(f"batch_size is a number of rows, not {batch_size}")
        return Stream(lambda: self._handle.edges(weights, batch_size, self._progress))

    def subgraph(self, nodes: Iterable[Node], *, weights: bool = False) -> Stream:
        """Return the edges among some vertices, as :meth:`edges` does; :func:`outcrop.build` makes a store of them.

        Parameters
        ----------
        nodes : iterable
            Ids.
        weights : bool
            Add the weights of the edges.

        Raises
        ------
        UsageError
            Naming an id that the graph does not have; ``weights`` of a graph without any.

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
        """Return the edges among some vertices and all that are within some steps of them, as :meth:`edges` does.

        Parameters
        ----------
        nodes : int, str or iterable
            An id, or ids.
        radius : int
            Steps at the most.
        direction : {"out", "in", "both"}
            Which edges of a directed graph the steps follow.
        weights : bool
            Add the weights of the edges.

        Raises
        ------
        UsageError
            Naming an id that the graph does not have; ``weights`` of a graph without any.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (2, 3), (3, 4), (3, 1)], "small.outcrop")
        >>> g.ego(1, 2).to_arrow()["source"].to_pylist()
        [1, 2, 3]
        """
        if radius < 0:
            raise UsageError(f"radius is a number of steps, not {radius}")
        return self._subgraph(nodes, radius, direction, weights)

    def _subgraph(self, nodes: Node | Iterable[Node], radius: int, direction: str, weights: bool) -> Stream:
        named = ids(nodes)
        return Stream(lambda: self._handle.subgraph(named, radius, direction, weights))

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
        """Draw neighbours of vertices layer by layer, as graph networks learn from them.

        Layer 0 draws neighbours of ``seeds``; each further one those of the vertices that the layer before has come to
        first. One read of all lists of a layer, whatever the number of seeds.

        Parameters
        ----------
        seeds : int, str or iterable
            An id, or ids; repeats count once.
        fanouts : sequence of int
            Neighbours to draw of each vertex, layer by layer; all where it has no more.
        direction : {"out", "in", "both"}
            Which edges of a directed graph are drawn from; with ``"both"`` so many of either side.
        replace : bool
            Draw a neighbour any number of times.
        weighted : bool
            Draw by the weights of edges; those without a positive weight are not drawn.
        seed : int
            The same seed draws the same, whatever else is asked for, in stores of the same order.

        Returns
        -------
        Table
            ``layer``, ``source`` and ``neighbor``, a row a draw, ascending.

        Raises
        ------
        UsageError
            Naming an id that the graph does not have; ``weighted`` of a graph without weights.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (1, 3), (1, 4), (2, 5)], "small.outcrop")
        >>> drawn = g.sample_neighbors([1], fanouts=[2, 1], seed=7)
        >>> drawn.to_numpy("layer").tolist()[:2]
        [0, 0]
        """
        draws = (replace, weighted)
        return Table(self._handle.sample(ids(seeds), [int(fanout) for fanout in fanouts], direction, draws, seed))

    def to_networkx(self, limit: int = conversions.LIMIT) -> Any:
        """Return the graph as NetworkX has it, whole in memory; one of several edges where there are repeated ones.

        Parameters
        ----------
        limit : int
            The most edges and vertices that are converted.

        Raises
        ------
        UsageError
            There are more.

        Examples
        --------
        >>> import outcrop as oc
        >>> list(oc.build([(1, 2, 0.5)]).to_networkx().edges(data=True))
        [(1, 2, {'weight': 0.5})]
        """
        return conversions.to_networkx(self, limit)

    def to_scipy(self, limit: int = conversions.LIMIT) -> Any:
        """Return the adjacency matrix as a ``csr_array`` of SciPy: rows and columns in ascending original id, as in results.

        Entries are weights, else ones; those of repeated edges are added up. It is symmetric in undirected graphs.

        Parameters
        ----------
        limit : int
            The most edges and vertices that are converted.

        Raises
        ------
        UsageError
            There are more.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 3)]).to_scipy().toarray().tolist()
        [[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        """
        return conversions.to_scipy(self, limit)

    def to_igraph(self, limit: int = conversions.LIMIT) -> Any:
        """Return the graph as igraph has it, whole in memory: ids are the attribute ``id`` of vertices, or ``name`` if texts.

        Parameters
        ----------
        limit : int
            The most edges and vertices that are converted.

        Raises
        ------
        UsageError
            There are more.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 3)]).to_igraph().vs["id"]  # doctest: +SKIP
        [1, 2, 3]
        """
        return conversions.to_igraph(self, limit)

    def to_pyg(self, limit: int = conversions.LIMIT) -> Any:
        """Return the graph as ``Data`` of PyG, whole in memory: nodes in ascending original id, as in results.

        An edge of an undirected graph is there in both directions. ``node_id`` has the ids, as a list if they are
        texts; ``edge_weight`` the weights in single precision, where there are any.

        Parameters
        ----------
        limit : int
            The most edges and vertices that are converted.

        Raises
        ------
        UsageError
            There are more.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 3)]).to_pyg()  # doctest: +SKIP
        Data(edge_index=[2, 2], num_nodes=3, node_id=[3])
        """
        return conversions.to_pyg(self, limit)

    def is_directed(self) -> bool:
        """Return :attr:`directed`, by the name that NetworkX has for it.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2)]).is_directed()
        True
        """
        return self.directed

    def is_multigraph(self) -> bool:
        """Return False, to NetworkX: repeated edges count here as each algorithm says.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 2)]).is_multigraph()
        False
        """
        return False

    def close(self) -> None:
        """Let go of the store, and of the memory that is kept for the next run; results that were made stay usable.

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
        """Say what the graph is."""
        direction = "directed" if self.directed else "undirected"
        weighted = ", weighted" if self.weighted else ""
        size = f"{self.num_vertices:,} vertices, {self.num_edges:,} edges"
        return f"<outcrop.Graph {self._name!r}: {size}, {direction}{weighted}>"

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
            raise UsageError("resume goes with checkpoint: the folder in which the state of the run was saved")
        checkpoints, last = [None if folder is None else os.path.abspath(folder) for folder in (checkpoint, incremental)]
        result = Result(self._handle.run(algorithm, given, (checkpoints, resume, last), self._progress))
        result._folder = self._folder
        result._check_converged()
        return result

    def _spread(self, algorithm: str, spark: SparkSession | None, **given: Any) -> Result:
        """Run once on Spark."""
        if spark is None:
            raise UsageError("engine='spark' goes with spark=session, such as SparkSession.builder.getOrCreate()")
        from .spark import run

        return run(algorithm, self, spark, **given)


def on_spark(engine: str | None, spark: SparkSession | None) -> bool:
    """Say whether a run is for Spark by its keywords.

    Raises
    ------
    UsageError
        There is no such engine, or a session without one.
    """
    if engine not in (None, "outcrop", "spark"):
        raise UsageError(f"engine is 'outcrop' or 'spark', not {engine!r}")
    if engine is None and spark is not None:
        raise UsageError("spark=session goes with engine='spark'")
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
        The folder that :func:`outcrop.build` made.
    memory : int or str
        What a run may use, with what is kept of the run before: bytes, ``"4GiB"``, ``"500MB"``, ``"50%"`` of the
        machine's, or ``"auto"`` for half of it. A run that does not fit is refused before it starts. (Algorithms with a
        ``model`` then first try to keep the values of vertices on disk.) Tables that you ask for in memory afterwards
        come on top.
    threads : int, optional
        Threads of a run; one a core if not given.
    io : {"auto", "uring", "pread", "buffered", "mmap"}
        The way to read.
    page_cache : int or str
        Memory of the page cache within ``memory``: bytes, ``"1GiB"``, ``"30%"`` of ``memory``, or ``"auto"`` for
        what nothing else needs.
    static_cache : str
        What part of that memory holds the lists that ``outcrop cache`` selected: ``"80%"``, ``"0%"`` for none, or
        ``"auto"`` for 80% where the algorithm follows frontiers and not all lists fit.
    tmp_dir : path, optional
        Where messages and values of vertices go that are kept on disk; beside the store if not given.
    options : Engine, optional
        Options of the engines for runs that are given none.
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
    <outcrop.Graph 'pair.outcrop': 2 vertices, 1 edges, directed>
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
    """Return what a store holds, as :meth:`Graph.info` does.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.build([(1, 2)], "pair.outcrop").close()
    >>> oc.info("pair.outcrop")["edges"]
    1
    """
    with Graph(store) as graph:
        return graph.info()
