"""Updates of existing stores."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import timedelta
from functools import cache, partial
from typing import Any

from .. import _outcrop
from ..exceptions import UsageError
from ..interop.sources import Given, given_edges, is_undirected, require_columns
from ..progress import Progress, listener, tell
from .parameters import Path


def update(
    store: Path,
    *,
    add: Any = None,
    remove: Any = None,
    weight: Any = None,
    time: str | bool | None = None,
    time_unit: str | None = None,
    id: str | None = None,
    if_generation: int | None = None,
    wait: float = 0,
    merge: bool = False,
    merge_above: str | float = "1%",
    source: str | None = None,
    target: str | None = None,
    format: str | None = None,
    memory: int | str = "auto",
    threads: int | None = None,
    tmp_dir: Path | None = None,
    on_error: str = "stop",
    max_errors: int = 1000,
    separator: str | None = None,
    header: str = "auto",
    comments: str = "#%",
    progress: Progress = None,
) -> dict[str, Any]:
    """Insert and delete edges of a store.

    Changes are stored as pending updates next to the adjacency lists; every run applies them. An update is atomic. A
    :class:`Graph` that has the store open keeps the graph as it was; open it again to see the update.

    Parameters
    ----------
    store : path
        Path of the store.
    add, remove : paths, table, arrays, rows, matrix, or graph, optional
        Edges as for :func:`outcrop.build`, with IDs of the type of the store. Deletions are applied first and delete
        all copies of an edge. The ``dedup`` rule of the store applies to edges that already exist. Edges may have new
        vertices.
    weight : str, True, False, or array, optional
        Weights of the added edges, as for :func:`outcrop.build`. Required if the store has weights, unless the edges
        are files (default: the third column) or include weights.
    time : str or True, optional
        Timestamps of the added edges, as for :func:`outcrop.build`. Required if the store has timestamps and the edges
        are not files.
    time_unit : {"s", "ms", "us", "ns"}, optional
        As for :func:`outcrop.build`. Default: the unit of the store.
    id : str, optional
        Idempotency key: skip the update if one with this ID was applied.
    if_generation : int, optional
        Apply the update only if the store has this generation (number of updates).
    wait : float
        Seconds to wait for other updates, and with ``merge`` for processes and graphs that have the store open.
    merge : bool
        Merge all pending updates, which rewrites the store.
    merge_above : str or float
        Merge if pending updates exceed this fraction of the list entries, or new vertices exceed it of the vertices:
        ``"1%"``, ``0.01``, or ``"never"``.
    source, target : str, optional
        Column names. Default: detected from the usual names, otherwise the first and the second column.
    format : str, optional
        File format, as for :func:`outcrop.build`. Default: detected per file.
    memory : int or str
        As in :func:`outcrop.open`.
    threads : int, optional
        Number of threads. Default: one per core.
    tmp_dir : path, optional
        Folder for the temporary files of a merge. Default: next to the store.
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
    dict
        The update record, with the keys of ``outcrop update --json``.

    Raises
    ------
    StoreInUseError
        If another update runs or, with ``merge``, a graph or process has the store open, for longer than ``wait``.
    GenerationError
        If the generation of the store is not ``if_generation``.
    BadInputError, NotFoundError, BudgetError, DiskFullError, CorruptStoreError, UsageError
        The store is unchanged after each of these.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.build([(1, 2), (2, 3)], "growing.outcrop").close()
    >>> record = oc.update("growing.outcrop", add=[(3, 1)], remove=[(1, 2)], merge_above="never")
    >>> record["added"], record["removed"], record["edges"]
    (1, 1, 2)
    >>> with oc.open("growing.outcrop") as g:
    ...     oc.bfs(g, source=2).to_dict()
    {1: 2, 2: 0, 3: 1}
    """
    if add is remove is None and not merge:
        raise UsageError("an update needs add=edges, remove=edges or merge=True")
    if wait < 0:
        raise UsageError(f"wait must be at least 0 seconds, not {wait}")
    if add is remove and hasattr(add, "__next__"):
        raise UsageError("add and remove are the same iterator, which can be read only once; pass lists")
    stored = cache(partial(_stored, store, memory, threads))
    named = source is not None or target is not None
    directed = stored()["directed"] if is_undirected(add) or is_undirected(remove) else None
    removed = None if remove is None else given_edges(remove, False, tmp_dir, directed=directed, named=named)
    added = None if add is None else given_edges(add, weight, tmp_dir, directed=directed, named=named)
    if named:
        require_columns(removed, added)
    notes = [note for given in (removed, added) if given is not None for note in _notes(given, stored)]
    arguments = {
        "store": os.fspath(store),
        "source": source,
        "target": target,
        "format": format,
        "weight": weight if isinstance(weight, str) else None,
        # No edges have no weights to miss.
        "weighted": added is not None and (added.weighted or added.empty and stored()["weighted"]),
        "time": time if isinstance(time, str) else None,
        "timed": time is not None and time is not False,
        "time_unit": time_unit,
        "id": id,
        "if_generation": if_generation,
        "wait": timedelta(seconds=wait),
        "merge": merge,
        "merge_above": str(merge_above),
        "memory": str(memory),
        "threads": threads,
        "tmp_dir": tmp_dir,
        "on_error": on_error,
        "max_errors": max_errors,
        "separator": separator,
        "header": header,
        "comments": comments,
    }
    removing, adding = (None if edges is None else edges.edges for edges in (removed, added))
    told = listener(progress)
    try:
        done = json.loads(_outcrop.update(removing, adding, arguments, told))
    except UsageError as error:
        in_memory = added is not None and not isinstance(added.edges, list)
        if added is not None and in_memory and not added.weighted and stored()["weighted"]:
            raise UsageError(f"{error}; pass weight=True for the weight column of a table, or weight=array") from None
        raise
    record: dict[str, Any] = done["record"]
    if "made_before" in record:
        applied = f"was applied before, as generation {record['made_before']}"
        notes = [f"an update with the ID {id!r} {applied}; nothing was changed"]
    else:
        notes = [*done["notes"], *notes]
    tell(told, notes)
    return record


def _stored(store: Path, memory: int | str, threads: int | None) -> dict[str, Any]:
    """Return the facts of a store."""
    handle = _outcrop.GraphHandle(os.fspath(store), str(memory), threads, "auto", ("auto", "auto"), None)
    try:
        info: dict[str, Any] = json.loads(handle.info())
    finally:
        handle.close()
    return info


def _notes(given: Given, stored: Callable[[], dict[str, Any]]) -> list[str]:
    """Return notes on edges that the extension does not make."""
    notes, in_files = list(given.notes), isinstance(given.edges, list)
    if given.weighted and not in_files and not stored()["weighted"]:
        notes.append("the weights of the inserted edges were not stored: the store has no weights")
    if "vertices" in given.options:
        notes.append("the isolated vertices of the graph were not inserted")
    return notes
