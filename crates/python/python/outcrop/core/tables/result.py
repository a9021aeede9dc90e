"""Results as tables."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from ... import _outcrop
from ...exceptions import NotConvergedError, UsageError
from ..parameters import Path
from ..temporary import TemporaryFolder
from . import looking
from .table import SHOWN, Table, cells, html_table


class Result(Table):
    """A table with one row per vertex in ascending original ID order: the column ``node``, then the values.

    Random walks have one row per step: ``walk``, ``step`` and ``node``; a path has ``step`` and ``node``.

    It supports the Arrow PyCapsule interface: ``polars.DataFrame(result)`` and ``pyarrow.table(result)`` accept it.
    Conversions are lazy, and each one reads the IDs from the store again.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (5, 1)], "small.outcrop")
    >>> oc.bfs(g, 1, columns="all")
    <outcrop.Result of bfs: 4 rows; largest by distance>
    node  distance  predecessor
       3         2            2
       2         1            1
       1         0
    >>> oc.bfs(g, 1)["distance"], oc.bfs(g, 1)[1]
    (array([ 0,  1,  2, -1]), {'node': 2, 'distance': 1})
    """

    _folder: TemporaryFolder | None = None
    """Folder of a temporary store, removed with the graph and its results."""

    def __init__(self, handle: _outcrop.ResultHandle) -> None:
        """Wrap a result of the extension (internal)."""
        self._handle = handle

    def _check_converged(self) -> None:
        try:
            self._handle.check_converged()
        except NotConvergedError as error:
            error.result = self
            raise

    def _read(self) -> _outcrop.Batches:
        return self._handle.read()

    def _rows(self, start: int, stop: int) -> _outcrop.Batches:
        return self._handle.read(start, stop)

    def _column(self, name: str) -> tuple[_outcrop.Batches, int]:
        index = self._index(name)
        return (self._handle.read(column=index), 0) if self._has_a_row_a_node else (self._read(), index)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterate over the rows as dictionaries, with ``None`` for null."""
        # Steps of walks are not found by their numbers.
        return super().__iter__() if self._has_a_row_a_node else iter(Table(self._read()))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._handle)

    @cached_property
    def columns(self) -> list[str]:
        """Column names, ``node`` first; for random walks ``walk``, ``step`` and ``node``."""
        return self._handle.names()

    @cached_property
    def stats(self) -> dict[str, Any]:
        """The run record: ``iterations``, ``seconds``, ``bytes_read``, ``iterations_detail`` and more."""
        record: dict[str, Any] = json.loads(self._handle.record())
        return record

    @property
    def value(self) -> int | None:
        """The result for the whole graph, such as the diameter.

        ``None`` if it does not exist, or if only bounds are known, which are in ``stats["values"]``.

        Raises
        ------
        AttributeError
            If the algorithm has no such result.
        """
        name, values = self.stats["algorithm"], self.stats["values"]
        if name not in values:
            others = f"; those in stats['values'] are {', '.join(values)}" if values else ", only values per vertex"
            raise AttributeError(f"{name} has no value for the whole graph{others}")
        number: int | None = self.stats["values"][name]
        return number

    def __int__(self) -> int:
        """Return :attr:`value`."""
        try:
            value = self.value
        except AttributeError as error:
            raise TypeError(str(error)) from None
        if value is None:
            bounds = [self.stats["values"].get(name) for name in ("lower", "upper")]
            if None not in bounds:
                raise ValueError(f"the value is between {bounds[0]} and {bounds[1]}; use exact=True to compute it")
            raise ValueError("a graph without vertices has no value")
        return value

    def top(self, k: int = SHOWN) -> list[dict[str, Any]]:
        """Return the rows with the largest values in the first value column, largest first.

        For components and labels, these are the largest groups with their numbers of vertices.

        Parameters
        ----------
        k : int
            Number of rows.

        Returns
        -------
        list of dict
            Ties are in ascending ID order; rows with null are omitted. For components and labels: rows with
            ``component`` or ``label`` and ``vertices``. For random walks: the first rows.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2), (2, 3)], "path.outcrop"), 1).top(1)
        [{'node': 3, 'distance': 2}]
        >>> oc.weakly_connected_components(oc.build([(1, 2), (7, 8), (8, 9)], "parts.outcrop")).top(1)
        [{'component': 7, 'vertices': 3}]
        """
        if k < 0:
            raise ValueError(f"k must be at least 0, not {k}")
        return self._dicts(self._handle.top(k))

    def to_dict(self, column: str | None = None) -> dict[int | str, Any]:
        """Return a dictionary from nodes to values, as NetworkX does.

        Parameters
        ----------
        column : str, optional
            Value column. Default: the first one after ``node``.

        Returns
        -------
        dict
            Values by node; ``None`` for null.

        Raises
        ------
        UsageError
            If the column does not exist, or rows are steps (random walks and paths).

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2), (2, 3)], "path.outcrop"), 2, columns="all").to_dict("predecessor")
        {1: None, 2: None, 3: 2}
        """
        index = 1 if column is None else self._index(column)
        if not self._has_a_row_a_node:
            raise UsageError("this result has one row per step; use to_numpy, to_pandas, to_polars or to_arrow")
        batches = self._read()
        return dict(zip(batches.values(0), batches.values(index), strict=True))

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write all rows to a file in bounded memory; the extension defines the format.

        Parameters
        ----------
        path : path
            ``.parquet``, ``.csv``, ``.tsv``, ``.jsonl`` or ``.npy``. The file is created completely or not at all.
        overwrite : bool
            Overwrite an existing file.

        Raises
        ------
        AlreadyExistsError, DiskFullError, OutcropIOError, UsageError

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2), (2, 3)], "path.outcrop"), 2).write("distances.csv")
        >>> print(open("distances.csv").read().strip())
        node,distance
        1,
        2,0
        3,1
        """
        self._handle.write(os.fspath(path), overwrite)

    def join(self, frame: Any, on: str = "node") -> Any:
        """Return the rows of a data frame with the values of their vertices as further columns.

        Parameters
        ----------
        frame : pandas.DataFrame or polars.DataFrame
            Rows with original vertex IDs. They keep their order and index.
        on : str
            Column of the frame with the IDs.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Null for rows whose ID is not in the graph.

        Raises
        ------
        UsageError
            If the frame has no column ``on``, or already has a column with the name of a value.

        Examples
        --------
        >>> import outcrop as oc
        >>> import pandas as pd
        >>> g = oc.build([("ann", "bob"), ("bob", "cid")], "people.outcrop")
        >>> people = pd.DataFrame({"name": ["cid", "ann"], "city": ["Rome", "Oslo"]})
        >>> oc.bfs(g, "ann").join(people, on="name")["distance"].tolist()
        [2, 0]
        """
        return looking.join(self, frame, on)

    def plot(self, ax: Any = None) -> Any:
        """Draw the distribution of the first value over the vertices with matplotlib; sizes for components.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on. Default: new ones.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        UsageError
            If all vertices have the same value.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2), (2, 3)], "path.outcrop"), 1).plot().get_xlabel()
        'distance'
        """
        return looking.plot(self.stats.get("histogram"), self.stats["algorithm"], ax)

    def report(self, path: Path, *, overwrite: bool = False) -> None:
        """Write an HTML report of the run: :attr:`stats` as charts in one file.

        Parameters
        ----------
        path : path
            Output file, for example ``report.html``. It is created completely or not at all and needs no network.
        overwrite : bool
            Overwrite an existing file.

        Raises
        ------
        AlreadyExistsError, DiskFullError, OutcropIOError, UsageError

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2)], "pair.outcrop"), 1).report("search.html")
        """
        self._handle.report(os.fspath(path), overwrite)

    def to_parquet(self, path: Path, *, overwrite: bool = False) -> None:
        """Write a Parquet file (extension ``.parquet``). See :meth:`write`.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2)], "pair.outcrop"), 1).to_parquet("distances.parquet")
        """
        self._write_as(".parquet", path, overwrite)

    def to_csv(self, path: Path, *, overwrite: bool = False) -> None:
        """Write a CSV file (extension ``.csv``). See :meth:`write`.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2)], "pair.outcrop"), 1).to_csv("distances.csv")
        """
        self._write_as(".csv", path, overwrite)

    def _write_as(self, ending: str, path: Path, overwrite: bool) -> None:
        if not os.fspath(path).lower().endswith(ending):
            raise UsageError(f"{os.fspath(path)} must have the extension {ending}")
        self.write(path, overwrite=overwrite)

    def __repr__(self) -> str:
        """Show the largest rows."""
        title, *rows = self._shown
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)).rstrip() for row in rows]
        return "\n".join([f"<outcrop.Result {title[0]}>", *lines])

    def _repr_html_(self) -> str:
        """Show the largest rows in a notebook."""
        title, names, *rows = self._shown
        return html_table(f"outcrop.Result {title[0]}", names, rows)

    @property
    def _has_a_row_a_node(self) -> bool:
        return self.columns[0] == "node"

    @cached_property
    def _shown(self) -> list[list[str]]:
        """Title, column names, and the cells of the top rows, which are ordered by their second column."""
        top = self._handle.top(SHOWN)
        names = top.names()
        values = "".join(f"{name} {value}; " for name, value in self.stats["values"].items())
        order = f"; largest by {names[1]}" if len(names) > 1 else ""
        order = order if self._has_a_row_a_node else "; first rows"
        title = f"of {self.stats['algorithm']}: {values}{len(self):,} rows{order}"
        return [[title], cells(names), *(cells(row.values()) for row in self._dicts(top))]
