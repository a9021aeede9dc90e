"""Tables that convert to other libraries."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from ... import _outcrop
from ...exceptions import UsageError
from ..hints import missing_of_table
from .columns import IdType, array, series, with_ids

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_PIECE = 4096
"""Rows per batch while iterating."""

SHOWN = 10
"""Rows of a table in a notebook."""

_SHOWN_COLUMNS = 12


class Table:
    """Rows with named columns and the Arrow PyCapsule interface.

    ``polars.DataFrame(table)`` and ``pyarrow.table(table)`` accept it.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "small.outcrop")
    >>> g.neighbors([2, 1])
    <outcrop.Table: 3 rows of node, neighbor>
    >>> [row["neighbor"] for row in g.neighbors([2, 1])]
    [3, 2, 3]
    >>> g.neighbors([2, 1])[0], g.neighbors([2, 1])["node"].tolist()
    ({'node': 2, 'neighbor': 3}, [2, 1, 1])
    """

    def __init__(self, batches: _outcrop.Batches) -> None:
        """Wrap a table of the extension (internal)."""
        self._batches = batches

    if not TYPE_CHECKING:
        __getattr__ = missing_of_table

    def _read(self) -> _outcrop.Batches:
        return self._batches

    def _rows(self, start: int, stop: int) -> _outcrop.Batches:
        return self._batches.slice(start, stop)

    def _column(self, name: str) -> tuple[_outcrop.Batches, int]:
        """Rows with this column, and its position among theirs."""
        return self._batches, self._index(name)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._batches)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterate over the rows as dictionaries, with ``None`` for null."""
        for start in range(0, len(self), _PIECE):
            yield from self._dicts(self._rows(start, start + _PIECE))

    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice) -> list[dict[str, Any]]: ...
    @overload
    def __getitem__(self, key: str) -> Any: ...
    def __getitem__(self, key: int | slice | str) -> Any:
        """Return a row by its number, rows by a slice, or a column by its name as :meth:`to_numpy` does."""
        if isinstance(key, str):
            return self.to_numpy(key)
        places = range(len(self))[key]
        if isinstance(places, int):
            return self._dicts(self._rows(places, places + 1))[0]
        if not places:
            return []
        first = min(places)
        rows = self._dicts(self._rows(first, max(places) + 1))
        return [rows[place - first] for place in places]

    def _dicts(self, batches: _outcrop.Batches) -> list[dict[str, Any]]:
        names = batches.names()
        columns = [batches.values(index) for index in range(len(names))]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def __reduce__(self) -> Any:
        """Refuse pickling; convert the rows for other processes."""
        raise TypeError("tables cannot be pickled; pass to_arrow(), to_pandas() or to_numpy(), or the path of a file")

    @cached_property
    def columns(self) -> list[str]:
        """Column names."""
        return self._batches.names()

    def __repr__(self) -> str:
        """Describe the table."""
        return f"<outcrop.{self._title}>"

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook."""
        rows = [cells(row.values()) for row in self[:SHOWN]]
        first = "; first rows" if len(self) > SHOWN else ""
        return html_table(f"outcrop.{self._title}{first}", cells(self.columns), rows)

    @property
    def _title(self) -> str:
        return f"Table: {len(self):,} {'row' if len(self) == 1 else 'rows'} of {', '.join(self.columns)}"

    def to_numpy(self, column: str | None = None, *, ids: IdType = "unsigned") -> Any:
        """Return columns as NumPy arrays.

        Parameters
        ----------
        column : str, optional
            Name of a single column.
        ids : {"unsigned", "signed", "string"}
            See :meth:`to_pandas`.

        Returns
        -------
        dict of str to numpy.ndarray, or numpy.ndarray
            Null is NaN in float columns and -1 in integer columns, which are ``int64`` if they can contain null;
            strings are objects.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2), (2, 3)], "path.outcrop"), 2).to_numpy("distance")
        array([-1,  0,  1])
        """
        if column is not None:
            batches, index = self._column(column)
            return array(with_ids(batches, ids), index, column)
        batches = with_ids(self._read(), ids)
        return {name: array(batches, index, name) for index, name in enumerate(self.columns)}

    def to_pandas(self, *, ids: IdType = "unsigned") -> pandas.DataFrame:
        """Return a pandas DataFrame; nullable integers use the nullable types of pandas.

        Parameters
        ----------
        ids : {"unsigned", "signed", "string"}
            Type of integer IDs. pandas and NumPy convert a mix of unsigned and signed integers to floats, which round
            IDs above 2**53: pass ``"signed"`` for IDs below 2**63, or ``"string"``.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2), (2, 3)], "path.outcrop"), 2).to_pandas()["distance"].tolist()
        [<NA>, 0, 1]
        """
        import pandas

        batches = with_ids(self._read(), ids)
        return pandas.DataFrame({name: series(batches, index) for index, name in enumerate(self.columns)})

    def to_polars(self, *, ids: IdType = "unsigned") -> polars.DataFrame:
        """Return a Polars DataFrame; see :meth:`to_pandas` for ``ids``.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2), (2, 3)], "path.outcrop"), 2).to_polars().shape
        (3, 2)
        """
        import polars

        return polars.DataFrame(with_ids(self._read(), ids))

    def to_arrow(self, *, ids: IdType = "unsigned") -> pyarrow.Table:
        """Return a PyArrow table; see :meth:`to_pandas` for ``ids``.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.bfs(oc.build([(1, 2), (2, 3)], "path.outcrop"), 2).to_arrow()["distance"].to_pylist()
        [None, 0, 1]
        """
        import pyarrow

        return pyarrow.table(with_ids(self._read(), ids))

    def __arrow_c_schema__(self) -> object:
        """Return the schema in a capsule of the Arrow C data interface."""
        return self._read().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return all rows in a capsule of the Arrow C stream interface."""
        return self._read().__arrow_c_stream__(requested_schema)

    def _index(self, column: str) -> int:
        if column not in self.columns:
            raise UsageError(f"unknown column {column!r}; expected one of {', '.join(self.columns)}")
        return self.columns.index(column)


class Stream:
    """Rows in batches, for data larger than memory, such as the edges of a graph.

    Each ``for`` loop and each conversion queries the graph again. It supports the Arrow PyCapsule interface:
    ``pyarrow.RecordBatchReader.from_stream(stream)`` reads batch by batch, ``polars.DataFrame(stream)`` reads
    everything.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "small.outcrop")
    >>> [len(batch) for batch in g.edges(batch_size=2)]
    [2, 1]
    """

    def __init__(self, ask: Callable[[], _outcrop.AnswerStream], columns: Sequence[str]) -> None:
        """Wrap a query of the extension (internal)."""
        self._ask, self._columns = ask, columns

    if not TYPE_CHECKING:
        __getattr__ = missing_of_table

    def __repr__(self) -> str:
        """Describe the stream without reading it."""
        return f"<outcrop.{self._title}>"

    def _repr_html_(self) -> str:
        """Describe the stream in a notebook without reading it."""
        return html_table(f"outcrop.{self._title}", [], [])

    @property
    def _title(self) -> str:
        return f"Stream of {', '.join(self._columns)}: iterate over its batches, or convert it with to_pandas()"

    def __iter__(self) -> Iterator[Table]:
        """Iterate over the batches."""
        answer = self._ask()
        while (batch := answer.next()) is not None:
            yield Table(batch)

    def to_numpy(self, column: str | None = None, *, ids: IdType = "unsigned") -> Any:
        """Return columns of all rows as NumPy arrays, as :meth:`Table.to_numpy` does.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (2, 3)], "path.outcrop").nodes().to_numpy("node").tolist()
        [1, 2, 3]
        """
        return self._table().to_numpy(column, ids=ids)

    def _table(self) -> Table:
        return Table(self._ask().read())

    def to_arrow(self, *, ids: IdType = "unsigned") -> pyarrow.Table:
        """Return all rows as a PyArrow table; see :meth:`Table.to_pandas` for ``ids``.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (2, 3)], "path.outcrop").edges().to_arrow().column_names
        ['source', 'target']
        """
        return self._table().to_arrow(ids=ids)

    def to_pandas(self, *, ids: IdType = "unsigned") -> pandas.DataFrame:
        """Return all rows as a pandas DataFrame, as :meth:`Table.to_pandas` does.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (2, 3)], "path.outcrop").edges().to_pandas().shape
        (2, 2)
        """
        return self._table().to_pandas(ids=ids)

    def to_polars(self, *, ids: IdType = "unsigned") -> polars.DataFrame:
        """Return all rows as a Polars DataFrame; see :meth:`Table.to_pandas` for ``ids``.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (2, 3)], "path.outcrop").nodes().to_polars().shape
        (3, 1)
        """
        return self._table().to_polars(ids=ids)

    def __arrow_c_schema__(self) -> object:
        """Return the schema in a capsule of the Arrow C data interface."""
        return self._ask().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return all rows in a capsule of the Arrow C stream interface."""
        return self._ask().__arrow_c_stream__(requested_schema)


def cells(values: Iterable[Any]) -> list[str]:
    """Return the values of a row as short texts; wide rows are shortened."""
    texts = ["" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value) for value in values]
    return texts if len(texts) <= _SHOWN_COLUMNS else [*texts[: _SHOWN_COLUMNS - 2], "...", texts[-1]]


def html_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a titled table for a notebook.

    Examples
    --------
    >>> html_table("A & B", ["node"], [["<1>"]])
    '<p>A &amp; B</p><table><tr><th>node</th></tr><tr><td>&lt;1&gt;</td></tr></table>'
    """
    lines = [_html_row("th", header)] if header else []
    lines += [_html_row("td", row) for row in rows]
    table = f"<table>{''.join(lines)}</table>" if lines else ""
    return f"<p>{html.escape(title)}</p>{table}"


def _html_row(tag: str, row: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"
