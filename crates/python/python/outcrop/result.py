"""Results as tables."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from . import _outcrop
from .exceptions import NotConvergedError, UsageError
from .parameters import Path
from .table import Table
from .temporary import TemporaryFolder

_SHOWN = 10
_SHOWN_COLUMNS = 12


class Result(Table):
    """A table with a row a vertex in ascending original id: the column ``node``, then the algorithm's values.

    Of random walks it has a row a step instead: ``walk``, ``step`` and ``node``.

    It speaks the Arrow PyCapsule interface: ``polars.DataFrame(result)`` and ``pyarrow.table(result)`` take it as
    it is. Nothing is converted before you ask for it, and each conversion reads the ids from the store again.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (5, 1)], "small.outcrop")
    >>> oc.bfs(g, 1)
    <outcrop.Result of bfs: 4 rows; the largest by distance>
    node  distance  predecessor
       3         2            2
       2         1            1
       1         0
    >>> oc.bfs(g, 1)["distance"], oc.bfs(g, 1)[1]
    (array([ 0,  1,  2, -1]), {'node': 2, 'distance': 1, 'predecessor': 1})
    """

    _folder: TemporaryFolder | None = None
    """What the store lies in, whose ids are read, where it goes with the graph and its results."""

    def __init__(self, handle: _outcrop.ResultHandle) -> None:
        """Wrap what the extension returned; not for use from outside."""
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
        """Go through the rows: the values by the names of their columns, ``None`` for null."""
        # Steps of walks are not found by their numbers.
        return super().__iter__() if self._has_a_row_a_node else iter(Table(self._read()))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._handle)

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns, ``node`` first; of random walks ``walk``, ``step`` and ``node``."""
        return self._handle.names()

    @cached_property
    def stats(self) -> dict[str, Any]:
        """What the run did and cost: ``iterations``, ``seconds``, ``bytes_read``, ``iterations_detail`` and more."""
        record: dict[str, Any] = json.loads(self._handle.record())
        return record

    @property
    def value(self) -> int | None:
        """The number that the run gives for the whole graph, such as the diameter; ``None`` where the graph has none, or where
        only bounds of it are known, which are in ``stats["values"]``.

        Raises
        ------
        AttributeError
            The algorithm gives no such number.
        """
        name = self.stats["algorithm"]
        if name not in self.stats["values"]:
            raise AttributeError(f"{name} gives no number for the whole graph, but one a vertex")
        number: int | None = self.stats["values"][name]
        return number

    def __int__(self) -> int:
        """Return :attr:`value` where there is one."""
        try:
            value = self.value
        except AttributeError as error:
            raise TypeError(str(error)) from None
        if value is None:
            bounds = [self.stats["values"].get(name) for name in ("lower", "upper")]
            if None not in bounds:
                raise ValueError(f"it lies between {bounds[0]} and {bounds[1]}: exact=True finds it")
            raise ValueError("a graph without vertices has no such number")
        return value

    def top(self, k: int = _SHOWN) -> list[dict[str, Any]]:
        """Return the rows with the largest values in the first value column, largest first; of components and labels the
        largest, each with the number of its vertices.

        Parameters
        ----------
        k : int
            How many.

        Returns
        -------
        list of dict
            Of equal values the smaller id first; rows without a value are left out. Of components and labels rows of
            ``component`` or ``label`` and ``vertices``. Of random walks the first rows.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2), (2, 3)], "path.outcrop"), 1).top(1)
        [{'node': 3, 'distance': 2, 'predecessor': 2}]
        >>> oc.weakly_connected_components(oc.build([(1, 2), (7, 8), (8, 9)], "parts.outcrop")).top(1)
        [{'component': 7, 'vertices': 3}]
        """
        if k < 0:
            raise ValueError(f"k is a number of rows, not {k}")
        return self._dicts(self._handle.top(k))

    def to_dict(self, column: str | None = None) -> dict[int | str, Any]:
        """Return a value a node, as NetworkX does.

        Parameters
        ----------
        column : str, optional
            Which values; those of the first column behind ``node`` if not given.

        Returns
        -------
        dict
            ``None`` for null.

        Raises
        ------
        UsageError
            There is no such column, or nodes have more than one row: those of random walks.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2), (2, 3)], "path.outcrop"), 2).to_dict("predecessor")
        {1: None, 2: None, 3: 2}
        """
        index = 1 if column is None else self._index(column)
        if not self._has_a_row_a_node:
            raise UsageError("a node has any number of rows here; use to_numpy, to_pandas, to_polars or to_arrow")
        batches = self._read()
        return dict(zip(batches.values(0), batches.values(index), strict=True))

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write all rows to a file, in the format that its name ends in, in bounded memory.

        Parameters
        ----------
        path : path
            ``.parquet``, ``.csv``, ``.tsv``, ``.jsonl`` or ``.npy``. The file appears whole or not at all.
        overwrite : bool
            Replace a file that stands there.

        Raises
        ------
        AlreadyExistsError, DiskFullError, OutcropIOError, UsageError

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2), (2, 3)], "path.outcrop"), 2).write("distances.csv")
        >>> print(open("distances.csv").read().strip())
        node,distance,predecessor
        1,,
        2,0,
        3,1,2
        """
        self._handle.write(os.fspath(path), overwrite)

    def report(self, path: Path, *, overwrite: bool = False) -> None:
        """Write a page that shows what the run did and cost: :attr:`stats` as charts, in one HTML file.

        Parameters
        ----------
        path : path
            By custom it ends in ``.html``. The file appears whole or not at all, and needs no network to be shown.
        overwrite : bool
            Replace a file that stands there.

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
        """Write a Parquet file; the name ends in ``.parquet``. See :meth:`write`.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2)], "pair.outcrop"), 1).to_parquet("distances.parquet")
        """
        self._write_as(".parquet", path, overwrite)

    def to_csv(self, path: Path, *, overwrite: bool = False) -> None:
        """Write a CSV file; the name ends in ``.csv``. See :meth:`write`.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2)], "pair.outcrop"), 1).to_csv("distances.csv")
        """
        self._write_as(".csv", path, overwrite)

    def _write_as(self, ending: str, path: Path, overwrite: bool) -> None:
        if not os.fspath(path).lower().endswith(ending):
            raise UsageError(f"{os.fspath(path)} does not end in {ending}")
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
        lines = [_html_row("th", names), *(_html_row("td", row) for row in rows)]
        return f"<p>outcrop.Result {html.escape(title[0])}</p><table>{''.join(lines)}</table>"

    @property
    def _has_a_row_a_node(self) -> bool:
        return self.columns[0] == "node"

    @cached_property
    def _shown(self) -> list[list[str]]:
        """The title, the names of columns, and the cells of the top rows, which are ordered by their second column."""
        top = self._handle.top(_SHOWN)
        names = top.names()
        values = "".join(f"{name} {value}; " for name, value in self.stats["values"].items())
        order = f"; the largest by {names[1]}" if len(names) > 1 else ""
        order = order if self._has_a_row_a_node else "; the first"
        title = f"of {self.stats['algorithm']}: {values}{len(self):,} rows{order}"
        rows = [[_cell(value) for value in row.values()] for row in self._dicts(top)]
        return [[title], *map(_narrowed, [names, *rows])]


def _narrowed(cells: list[str]) -> list[str]:
    """Cells of a row, some left out where there are many."""
    return cells if len(cells) <= _SHOWN_COLUMNS else [*cells[: _SHOWN_COLUMNS - 2], "...", cells[-1]]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _html_row(tag: str, cells: list[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
