"""Building stores from edges."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from .. import _outcrop
from ..exceptions import UsageError
from ..interop.edge_arrays import Columns
from ..interop.sources import given_edges, require_columns
from ..interop.values import is_array, is_one, shown
from ..progress import Progress, listener, tell
from .graph import Graph
from .parameters import Path
from .temporary import TemporaryFolder, require_checkpoint


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
    layout: str = "chunked",
    page_size: int | str | None = None,
    intervals: int | None = None,
    codec: str | None = None,
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
    r"""Build a store from edges and open it.

    Parameters
    ----------
    edges : paths, table, arrays, rows, matrix, or graph
        One of:

        - edge files: text (also ``.gz`` and ``.zst``), Parquet, Arrow, or binary from :func:`outcrop.generate`; a list
          of files, a folder or a pattern; also URLs as strings (``s3://bucket/name``, ``gs://``, ``https://``)
        - a table of any library with the Arrow PyCapsule interface (Polars, PyArrow, pandas, DuckDB), a PyArrow reader
          or dataset, or a Polars ``LazyFrame``
        - a NumPy array with two columns, or a tuple of a source and a target array or list
        - rows of two or three values, in a list or from a generator (read in batches)
        - a square SciPy sparse matrix, whose vertices are the row numbers
        - a NetworkX or igraph graph, with its direction and its isolated vertices; the IDs of an igraph graph are its
          vertex attribute ``name`` or ``id``, otherwise its vertex numbers

        IDs are integers or strings.
    store : path, optional
        Folder of the new store, created completely or not at all. Default: a temporary store in ``tmp_dir`` or the
        temporary folder of the system, removed together with the graph and its results.
    source, target : str, optional
        Column names. Default: detected from the usual names, otherwise the first and the second column.
    weight : str, True, False, or array, optional
        For files and tables: the weight column; ``True`` for the column ``weight`` or the third one. Default: no
        weights. For arrays and pairs: the weights, one per edge. Rows of three, matrices and graphs have weights unless
        this is ``False``: the third value, the entries other than booleans, and the attribute of this name (default
        ``"weight"``; NetworkX edges without it have weight 1).
    weight_type : {"auto", "f64", "f32", "u8", "u16", "u32"}
        Stored weight type; ``"auto"`` is the smallest type without loss. ``"f32"`` rounds, with a warning; integer
        types refuse other values.
    time : str or True, optional
        For files and tables: the column of timestamps, numbers or dates; ``True`` for the column after the endpoints
        (and the weight). See :meth:`Graph.between`.
    time_unit : {"s", "ms", "us", "ns"}, optional
        Unit of integer timestamps since 1970. Default: timestamps are plain numbers.
    directed : bool, optional
        Whether edges are directed. Default: as stated in the files or by the graph, otherwise directed. List every
        undirected edge once. With ``directed=True``, an undirected file or graph gives each edge in both directions.
    format : str, optional
        Format of all files, see ``docs/input.md``. Default: detected per file from its content or extension.
    ids : {"auto", "dense", "integer", "string"}
        Type of the IDs: detected from the first edge; 0..max or 0..``num_vertices``-1; integers, quoted or unquoted,
        or strings of digits in arrays, rows and graphs; strings.
    num_vertices : int, optional
        Number of vertices for ``ids="dense"``.
    vertices : path, optional
        File of additional vertices, one ID per line.
    order : {"original", "degree", "random", "pagerank", "norder", "auto"}
        Vertex order of the store: ascending ID; descending degree; random; descending PageRank; neighbors of high
        in-degree vertices next to each other; ``"original"`` or ``"degree"``, chosen from a sample.
    order_seed : int, optional
        Random seed of ``order="random"``. Default: 1.
    layout : {"chunked", "compact", "csr", "sliding"}
        Layout of the adjacency lists on disk: chunks of several sizes; consecutive encoded lists; consecutive lists
        with 4 bytes per neighbor; or shards, blocks of edges between two intervals of vertices.
    page_size : int or str, optional
        Page size of ``layout="csr"``, the unit of reads and of the cache: a power of two from 512 to 65536
        (``"64KiB"``). Default: 4096.
    intervals : int, optional
        Maximum number of intervals of ``layout="sliding"``, 1 to 1024. Default: by the number of edges.
    codec : {"runs", "packed", "alternating", "raw32"}, optional
        Neighbor encoding of ``layout="chunked"`` and ``"compact"``: differences in packed bits, with runs of
        consecutive neighbors where these are shorter (``"runs"``, the default) or not at all (``"packed"``), or in
        bytes of seven bits; for chunks also 4 bytes each.
    dedup : {"keep", "first", "sum", "min", "max"}
        Repeated edges: keep all of them, or merge them into one with the first, sum, minimum or maximum weight.
    self_loops : {"keep", "drop"}
        Edges from a vertex to itself.
    memory : int or str
        Memory budget of the build and of the opened graph, as in :func:`outcrop.open`.
    threads : int, optional
        Number of threads. Default: one per core.
    tmp_dir : path, optional
        Folder for temporary files. Default: next to the store; edges in memory that have to be written first go to the
        temporary folder of the system.
    overwrite : bool
        Overwrite an existing store.
    allow_empty : bool
        Build an empty graph from input without edges and vertices, which is otherwise an error.
    verify : bool
        Verify the new store before it becomes visible.
    checkpoint : path, optional
        Folder for checkpoints, written between phases and, while edges are read, every ten minutes; removed at the end.
        For edges in files.
    resume : bool
        Resume from the checkpoint in that folder, if there is one.
    on_error : {"stop", "skip"}
        Action for lines that cannot be parsed.
    max_errors : int
        Maximum number of lines that ``on_error="skip"`` skips.
    separator : str, optional
        Field separator: one character, or "tab". Default: detected from the first lines.
    header : {"auto", "yes", "no"}
        Whether the first line contains column names.
    comments : str
        Characters that start a comment line.
    progress : None, True or callable
        See :data:`outcrop.progress.Progress`.

    Returns
    -------
    Graph

    Raises
    ------
    BadInputError
        If the input is invalid; with file, line and column. A failed build leaves no files behind.
    AlreadyExistsError, BudgetError, DiskFullError, UsageError
    TypeError
        If the edges in memory have an unsupported type.

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
    if time_unit is not None and (time is None or time is False):
        raise UsageError(f"time_unit={time_unit!r} needs time, the column of timestamps")
    named = source is not None or target is not None
    given = given_edges(edges, weight, tmp_dir, directed=directed, named=named)
    if named:
        require_columns(given)
    if ids in ("integer", "dense"):
        given = given.with_integers()
    if not allow_empty and vertices is None and not num_vertices:
        given.require_edges(consumed=hasattr(edges, "__next__"))
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
        "layout": layout,
        "page_size": None if page_size is None else str(page_size),
        "intervals": intervals,
        "codec": codec,
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
        raise UsageError("vertices cannot be combined with a graph with isolated vertices; add them to the graph")
    # Isolated vertices of a graph are in a file of ours, whose syntax the options of the user do not describe.
    syntax = ("separator", "comments", "header")
    unsaid = {"ids": "auto"}
    for name, implied in given.options.items():
        if name in syntax or arguments[name] == unsaid.get(name):
            arguments[name] = implied
    if "num_vertices" in given.options and arguments["ids"] != "dense":
        raise UsageError(f"the vertices of a matrix are its rows; leave out ids={ids!r}")
    told = listener(progress)
    account = json.loads(_outcrop.build(given.edges, arguments, told))
    graph = Graph(store, memory=memory, threads=threads, progress=progress)
    graph._folder, graph._input = folder, account["input"]
    tell(told, [*account["notes"], *given.notes])
    return graph


def from_edges(source: Any, target: Any, weight: Any = None, store: Path | None = None, **options: Any) -> Graph:
    """Build a store from two columns of IDs and open it.

    Parameters
    ----------
    source, target : array, list, column, or iterable
        The endpoints of the edges: NumPy arrays, lists, iterables, or pandas, Polars or PyArrow columns.
    weight : array, list, column, or iterable, optional
        Weights, one per edge. Default: no weights.
    store : path, optional
        As in :func:`outcrop.build`.
    **options
        Further options of :func:`outcrop.build`.

    Returns
    -------
    Graph

    Raises
    ------
    ValueError
        If the columns differ in length.
    BadInputError, AlreadyExistsError, BudgetError, DiskFullError, UsageError, TypeError
        As for :func:`outcrop.build`.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.bfs(oc.from_edges(["a", "b"], ["b", "c"]), "a").to_dict()
    {'a': 0, 'b': 1, 'c': 2}
    """
    for name, values in (("source", source), ("target", target), ("weight", weight)):
        if is_one(values) and values is not None:
            raise TypeError(f"{name} must be a list, an array or a column, not {shown(values)}")
    columns = [values for values in (source, target, weight) if values is not None]
    if all(is_array(values) or isinstance(values, Sequence) for values in columns):
        return build(Columns(*columns), store, **options)
    return build(zip(*columns, strict=True), store, weight=None if weight is None else True, **options)
