"""From edges to a store."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from . import _outcrop
from .edge_arrays import Columns
from .exceptions import UsageError
from .graph import Graph
from .parameters import Path
from .progress import Progress, listener, tell
from .sources import given_edges
from .temporary import TemporaryFolder, require_checkpoint
from .values import is_array


def build(
    edges: Any,
    store: Path | None = None,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: Any = None,
    weight_type: str = "auto",
    time: str | bool | None = None,
    time_unit: str | None = None,
    directed: bool | None = None,
    format: str | None = None,
    ids: str = "auto",
    num_vertices: int | None = None,
    vertices: Path | None = None,
    order: str = "auto",
    order_seed: int | None = None,
    window: int | None = None,
    layout: str = "chunked",
    page_size: int | str | None = None,
    intervals: int | None = None,
    codec: str | None = None,
    index: str | None = None,
    dedup: str = "keep",
    self_loops: str = "keep",
    memory: int | str = "auto",
    threads: int | None = None,
    tmp_dir: Path | None = None,
    overwrite: bool = False,
    allow_empty: bool = False,
    verify: bool = False,
    checkpoint: Path | None = None,
    resume: bool = False,
    on_error: str = "stop",
    max_errors: int = 1000,
    separator: str | None = None,
    header: str = "auto",
    comments: str = "#%",
    progress: Progress = None,
) -> Graph:
    r"""Build a store from edges, and open it.

    Parameters
    ----------
    edges : paths, table, arrays, rows, matrix, or graph
        Files of edges (text, also ``.gz`` and ``.zst``, Parquet and Arrow, or binary from :func:`outcrop.generate`), one
        after the other, where a folder or a pattern stands for the files in it, also as addresses (``s3://bucket/name``,
        ``gs://``, ``https://``; strings, not paths); a table of any library that speaks the
        Arrow PyCapsule interface (Polars, PyArrow, pandas, DuckDB), a reader or dataset of PyArrow, a ``LazyFrame`` of
        Polars; a NumPy array with two columns, or a pair of arrays; rows of two or three, in a list or from a generator,
        of which no more than a piece is held at once; a square sparse matrix of SciPy, whose vertices are its row
        numbers; a graph of NetworkX or igraph, with its direction and its vertices without edges. Ids are whole numbers
        or texts.
    store : path, optional
        The folder to make. It appears whole or not at all. If not given: one in ``tmp_dir``, else where the system has
        temporary files, which goes when the graph and all results of it are gone.
    source, target : str, optional
        Columns by name; else by their usual names, else the first and second.
    weight : str, True, False, or array, optional
        Of files and tables the column of weights; ``True`` for the column ``weight``, else the third; without it, none.
        Of arrays and pairs the weights themselves, one an edge. Rows of three, matrices and graphs have weights
        unless it is ``False``: the third, the entries that are not true or false, and the attribute of this name
        (``"weight"`` if not given; 1 where NetworkX has none).
    weight_type : {"auto", "f64", "f32", "u8", "u16", "u32"}
        How weights are stored: in the narrowest of these that holds all of them exactly, or in this one. ``"f32"``
        rounds, with a warning; whole numbers refuse what they do not hold.
    time : str or True, optional
        Of files and tables the column of times, numbers or dates; ``True`` for the column behind those that are read.
        :meth:`Graph.between` then gives the graph of a stretch of time.
    time_unit : {"s", "ms", "us", "ns"}, optional
        Times that are whole numbers count from 1970 in this unit; if not given, they are numbers.
    directed : bool, optional
        Whether edges have a direction; if not given, what the files or the graph state, else that they have. List undirected edges
        once: where a file lists them so and ``directed`` is true, each comes in both directions.
    format : str, optional
        The format of all files; by the first bytes or the extension of each if not given. See ``docs/cli.md``.
    ids : {"auto", "dense", "integer", "string"}
        Whole numbers or texts, as the first edge shows; the vertices are 0..max, or 0..``num_vertices``-1; whole numbers, in quotes or not; texts.
    num_vertices : int, optional
        With ``ids="dense"``.
    vertices : path, optional
        A file of further vertices, one id a line.
    order : {"original", "degree", "random", "pagerank", "gorder", "norder", "auto"}
        Which vertices lie beside which on disk: by id; by descending degree or PageRank; at random; those that have
        much in common (slow); neighbours of vertices that many edges lead to; or by id or degree, as a sample of the
        lists suggests.
    order_seed : int, optional
        With ``order="random"``: the same seed gives the same order; 1 if not given.
    window : int, optional
        With ``order="gorder"``: how many vertices to look back at; the average number of lists in 4 KiB if not given.
    layout : {"chunked", "compact", "csr", "sliding"}
        How lists lie on disk: in chunks of several sizes; one after the other in as few bytes as their codec needs;
        one after the other, 4 bytes a neighbour; or as shards, blocks of edges from an interval of vertices to another.
    page_size : int or str, optional
        With ``layout="csr"``: bytes of a page, which is what is read and cached as a whole: a power of two from 512 to
        65536 (``"64KiB"``); 4096 if not given.
    intervals : int, optional
        With ``layout="sliding"``: into how many intervals vertices are split at the most, 1 to 1024; by the number of
        edges if not given.
    codec : {"packed", "alternating", "raw32"}, optional
        With ``layout="chunked"`` or ``"compact"``: neighbours as differences in few bits, which is the default, or in
        bytes of seven bits; or, in chunks only, in 4 bytes each.
    index : {"compact", "direct"}, optional
        With ``layout="chunked"``: what finds a list in memory takes about a byte a vertex, which is the default, or
        12 bytes.
    dedup : {"keep", "first", "sum", "min", "max"}
        What becomes of edges that occur more than once.
    self_loops : {"keep", "drop"}
        What becomes of edges from a vertex to itself.
    memory : int or str
        As in :func:`outcrop.open`, for the build and for the graph that is opened.
    threads : int, optional
        Threads; one a core if not given.
    tmp_dir : path, optional
        Where temporary files go; beside the store if not given, and what is written of edges beforehand where the system
        has temporary files.
    overwrite : bool
        Replace a store that stands there.
    allow_empty : bool
        Build a graph without vertices from files without edges, which is an error otherwise. Edges in memory may always be none.
    verify : bool
        Read the whole store back and check it before it appears.
    checkpoint : path, optional
        A folder in which what is done is saved between the phases of the build, and every ten minutes while edges are
        read, so that it can go on where it was stopped; it is removed when the build ends. For edges in files.
    resume : bool
        Go on from what is saved in that folder; from the beginning where there is nothing.
    on_error : {"stop", "skip"}
        What to do at a line that cannot be understood.
    max_errors : int
        With ``on_error="skip"``: give up after so many lines.
    separator : str, optional
        The character between fields; found from the first line if not given.
    header : {"auto", "yes", "no"}
        Whether the first line names the columns.
    comments : str
        Lines that begin with one of these characters are comments.
    progress : None, True or callable
        See :data:`outcrop.progress.Progress`.

    Returns
    -------
    Graph

    Raises
    ------
    BadInputError
        With file, line and column. As after every failure, nothing is left behind.
    AlreadyExistsError, BudgetError, DiskFullError, UsageError
    TypeError
        Edges in memory of another type than ids have.

    Examples
    --------
    >>> import outcrop as oc
    >>> with open("edges.csv", "w") as file:
    ...     _ = file.write("src,dst,km\nA,B,2.5\nB,C,1\n")
    >>> oc.build("edges.csv", "roads.outcrop", weight="km", directed=False)
    <outcrop.Graph 'roads.outcrop': 3 vertices, 2 edges, undirected, weighted>
    """
    folder = None
    require_checkpoint(checkpoint, resume, store)
    if store is None:
        folder = TemporaryFolder(tmp_dir)
        store = os.path.join(folder.path, "graph.outcrop")
    given = given_edges(edges, weight, tmp_dir)
    arguments = {
        "store": os.fspath(store),
        "source": source,
        "target": target,
        "weight": weight if isinstance(weight, str) else None,
        "weighted": given.weighted,
        "weight_type": weight_type,
        "time": time if isinstance(time, str) else None,
        "timed": time is not None and time is not False,
        "time_unit": time_unit,
        "directed": directed,
        "format": format,
        "ids": ids,
        "num_vertices": num_vertices,
        "vertices": vertices,
        "order": order,
        "order_seed": order_seed,
        "window": window,
        "layout": layout,
        "page_size": None if page_size is None else str(page_size),
        "intervals": intervals,
        "codec": codec,
        "index": index,
        "dedup": dedup,
        "self_loops": self_loops,
        "memory": str(memory),
        "threads": threads,
        "tmp_dir": tmp_dir,
        "overwrite": overwrite,
        "allow_empty": allow_empty,
        "verify": verify,
        "checkpoint": checkpoint,
        "resume": resume,
        "on_error": on_error,
        "max_errors": max_errors,
        "separator": separator,
        "header": header,
        "comments": comments,
    }
    if vertices is not None and "vertices" in given.options:
        raise UsageError("the graph has vertices without edges of its own: add those of the file to it instead")
    unsaid = {"ids": "auto", "comments": "#%", "header": "auto"}
    arguments.update({name: told for name, told in given.options.items() if arguments[name] == unsaid.get(name)})
    told = listener(progress)
    account = json.loads(_outcrop.build(given.edges, arguments, told))
    graph = Graph(store, memory=memory, threads=threads, progress=progress)
    graph._folder, graph._input = folder, account["input"]
    tell(told, account["notes"])
    return graph


def from_edges(source: Any, target: Any, weight: Any = None, store: Path | None = None, **options: Any) -> Graph:
    """Build a store from columns of ids, and open it.

    Parameters
    ----------
    source, target : array, list, column, or iterable
        The ids of the ends of each edge: NumPy arrays, lists, columns of pandas, Polars and PyArrow, or what yields them.
    weight : array, list, column, or iterable, optional
        Weights, one an edge. Without them, none.
    store : path, optional
        As in :func:`outcrop.build`.
    **options
        The others of :func:`outcrop.build`.

    Returns
    -------
    Graph

    Raises
    ------
    ValueError
        The columns are not of the same length.
    BadInputError, AlreadyExistsError, BudgetError, DiskFullError, UsageError, TypeError
        As :func:`outcrop.build` does.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.bfs(oc.from_edges(["a", "b"], ["b", "c"]), "a").to_dict()
    {'a': 0, 'b': 1, 'c': 2}
    """
    columns = [values for values in (source, target, weight) if values is not None]
    if all(is_array(values) or isinstance(values, Sequence) for values in columns):
        return build(Columns(*columns), store, **options)
    return build(zip(*columns, strict=True), store, **options)
