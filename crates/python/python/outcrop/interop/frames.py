"""Checks of tables whose content contradicts how the extension would read them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import chain
from typing import Any

from ..exceptions import OutcropError, UsageError


def is_a(value: Any, library: str, name: str) -> bool:
    """Whether the value is of a class of a library, if the library is imported."""
    module = sys.modules.get(library)
    return module is not None and isinstance(value, getattr(module, name))


def arrow_stream(table: Any) -> Any:
    """Return the Arrow stream of a table.

    Raises
    ------
    TypeError
        If this is a single column, or the library cannot convert a column to Arrow.
    """
    if type(table).__name__ == "Series" and "struct" not in str(table.dtype).lower():
        raise TypeError(
            "edges must be a table with a source and a target column, not one column; use from_edges(source, target)"
        )
    try:
        stream = table.__arrow_c_stream__()
    except OutcropError:
        raise
    except OverflowError as error:
        advice = "cast the column of IDs with astype('uint64')"
        raise TypeError(f"the table has no Arrow form: {error}; {advice}") from error
    except (TypeError, ValueError, NotImplementedError) as error:
        raise TypeError(
            f"the table has no Arrow form: {error}; give columns unique names, and endpoints one type: integers or "
            "strings"
        ) from error
    if type(stream).__name__ != "PyCapsule":
        raise TypeError(f"the table has no Arrow form: __arrow_c_stream__ returned {type(stream).__name__}")
    return stream


def without_peeked(table: Any) -> tuple[Any, bool]:
    """Return a table and whether it is empty; reads the first batches of a PyArrow reader."""
    if is_a(table, "pyarrow", "RecordBatchReader"):
        batches = (batch for batch in table if batch.num_rows)
        first = next(batches, None)
        rest = [] if first is None else chain([first], batches)
        return type(table).from_batches(table.schema, rest), first is None
    return table, _in_memory(table) and len(table) == 0


def table_notes(table: Any) -> list[str]:
    """Return notes on a table whose endpoint columns are not given.

    Raises
    ------
    UsageError
        If the table is an adjacency matrix or a cross table.
    """
    names = _names(table)
    if _in_memory(table) and _is_matrix(table, names):
        raise UsageError(
            "the table is an adjacency matrix: its rows and columns have the same names; pass a sparse matrix "
            "(scipy.sparse.csr_array) of its values, or a table with a source and a target column"
        )
    if _is_cross_table(table):
        raise UsageError(
            f"the table is a cross table of {table.index.name!r} and {table.columns.name!r}; pass rows, for example "
            "table.stack().reset_index(), or choose two of its columns with source= and target="
        )
    return _headerless(names)


def _names(table: Any) -> Sequence[Any]:
    """Return column names; empty if unknown."""
    places = ((table, "column_names"), (table, "columns"), (getattr(table, "schema", None), "names"))
    found = next((getattr(place, name) for place, name in places if hasattr(place, name)), ())
    return [] if callable(found) else list(found)


def _in_memory(table: Any) -> bool:
    return type(table).__module__.partition(".")[0] in ("pandas", "polars", "pyarrow") and hasattr(table, "__len__")


def _headerless(names: Sequence[Any]) -> list[str]:
    """Note on numeric column names, which may be a first edge read as the header."""
    if len(names) < 2 or not all(isinstance(name, str) and name.replace(".", "", 1).isdecimal() for name in names):
        return []
    shown = " and ".join(map(repr, names[:2]))
    return [
        f"the columns are called {shown}; if these are the first edge of a file without a header, read the file with "
        "header=None (pandas) or has_header=False (Polars)"
    ]


def _is_matrix(table: Any, names: Sequence[Any]) -> bool:
    """Whether the labels of the rows, in the index or the first column, are the names of the other columns."""
    if is_a(table, "pandas", "DataFrame"):
        numbered = is_a(table.columns, "pandas", "RangeIndex")
        if len(table) == len(names) > 1 and set(table.index) == set(names):
            return len(names) > 3 or not numbered
        if numbered:
            return False
    if len(table) < 2 or len(table) != len(names) - 1 or len(set(names)) < len(names):
        return False
    return sorted(_texts(table[names[0]])) == sorted(str(name) for name in names[1:])


def _is_cross_table(table: Any) -> bool:
    """Whether this is a pivot table of pandas, whose rows and columns are groups of two named columns."""
    return is_a(table, "pandas", "DataFrame") and None not in (table.index.name, table.columns.name)


def _texts(column: Any) -> list[str]:
    return [str(value) for value in (column.to_pylist() if hasattr(column, "to_pylist") else column)]
