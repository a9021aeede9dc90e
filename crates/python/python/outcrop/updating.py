"""Edges in and out of a store that is there."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from typing import Any

from . import _outcrop
from .parameters import Path
from .progress import Progress, listener, tell
from .sources import given_edges


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
    merge_above: str = "1%",
    source: str | None = None,
    target: str | None = None,
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
    """Add edges to a store and remove edges from it.

    What changes lies beside the lists of the store, and every run has it in. The store is as before or as after the
    update, whatever ends it. No :class:`Graph` may have it open meanwhile.

    Parameters
    ----------
    store : path
        The store.
    add, remove : paths, table, arrays, rows, matrix, or graph, optional
        Edges as :func:`outcrop.build` takes them, with ids of the kind that the store has. Removals come first, each with
        all copies of the edge. An edge that is there already is treated as the store's ``dedup`` says; one with a vertex
        that the store does not have brings it in, which writes the store anew.
    weight : str, True, False, or array, optional
        Weights of the edges to add, as for :func:`outcrop.build`; needed where the store has weights and the edges are not
        in files, of which the third column is taken, nor bring them along.
    time : str or True, optional
        Times of the edges to add, as for :func:`outcrop.build`; needed where the edges of the store have times and those
        to add are not in files.
    time_unit : {"s", "ms", "us", "ns"}, optional
        As for :func:`outcrop.build`; that of the store if not given.
    id : str, optional
        Name of the update: one that was made already, by this name, is not made again.
    if_generation : int, optional
        Make the update only if so many were made before.
    wait : float
        Seconds to wait until no other process or graph has the store open; readers that begin meanwhile come after the update.
    merge : bool
        Write all changes into the lists, which rewrites the store.
    merge_above : str
        Do so where there are changes of more than this share of the list entries: ``"1%"``, or ``"never"``.
    source, target : str, optional
        Columns by name; else by their usual names, else the first and second.
    memory : int or str
        As in :func:`outcrop.open`.
    threads : int, optional
        Threads; one a core if not given.
    tmp_dir : path, optional
        Where temporary files of a merge go; beside the store if not given.
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
    dict
        What was done; the keys of ``outcrop update --json``.

    Raises
    ------
    StoreInUseError
        A graph has the store open.
    GenerationError
        The graph has had another number of updates than ``if_generation``.
    BadInputError, NotFoundError, BudgetError, DiskFullError, CorruptStoreError, UsageError
        The store is then as it was.

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
    removed = None if remove is None else given_edges(remove, False, tmp_dir)
    added = None if add is None else given_edges(add, weight, tmp_dir)
    arguments = {
        "store": os.fspath(store),
        "source": source,
        "target": target,
        "weight": weight if isinstance(weight, str) else None,
        "weighted": added is not None and added.weighted,
        "time": time if isinstance(time, str) else None,
        "timed": time is not None and time is not False,
        "time_unit": time_unit,
        "id": id,
        "if_generation": if_generation,
        "wait": timedelta(seconds=wait),
        "merge": merge,
        "merge_above": merge_above,
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
    done = json.loads(_outcrop.update(removing, adding, arguments, told))
    tell(told, done["notes"])
    record: dict[str, Any] = done["record"]
    return record
