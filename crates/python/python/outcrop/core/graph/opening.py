"""Opening of stores, and runs on graphs or paths."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from ...progress import Progress
from ..engine import Engine
from ..parameters import Path
from ..tables.result import Result
from .any_graph import AnyGraph
from .store import Graph

G = TypeVar("G", bound=AnyGraph)


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


def opened(graph: G | Path) -> AbstractContextManager[G | Graph]:
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


def run_on(graph: AnyGraph | Path, algorithm: str, **parameters: Any) -> Result:
    """Run an algorithm on a graph, or on the store with this path."""
    with opened(graph) as own:
        return own._run(algorithm, **parameters)
