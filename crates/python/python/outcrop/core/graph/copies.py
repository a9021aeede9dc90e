"""Copies of a store in another form, and graphs of time windows."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from ... import _outcrop
from ...exceptions import UsageError
from ..parameters import Path
from ..temporary import TemporaryFolder, require_checkpoint
from .facts import Facts

if TYPE_CHECKING:
    from datetime import date

    from .store import Graph


class Copies(Facts, ABC):
    """Copies of a store in another form, and graphs of time windows."""

    _path: str
    _settings: dict[str, Any]

    @abstractmethod
    def _made(self, store: str, folder: TemporaryFolder | None) -> Graph:
        """Open a copy of this store with the same settings; a temporary copy owns its folder."""

    def convert(
        self,
        store: Path | None = None,
        *,
        layout: Literal["chunked", "compact", "csr", "sliding"] = "chunked",
        order: Literal["original", "degree", "random", "pagerank", "norder", "auto"] | None = None,
        order_seed: int | None = None,
        page_size: int | str | None = None,
        intervals: int | None = None,
        codec: Literal["runs", "packed", "alternating", "raw32"] | None = None,
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
        layout, order_seed, page_size, intervals, codec, overwrite, verify, checkpoint, resume
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
            "layout": layout,
            "page_size": None if page_size is None else str(page_size),
            "intervals": intervals,
            "codec": codec,
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
