"""Edges in memory, as columns or rows, split into batches for the extension."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, NamedTuple

from .exceptions import UsageError
from .values import Ids, Place, column, ids, numbers

Piece = tuple[Ids, Ids, bytes]
"""Source IDs, target IDs, and optional weights in double precision."""

_ROWS = 1 << 16
_EDGES = Place("the edges", "row")


class Columns(NamedTuple):
    """Edges as source column, target column and optional weight column."""

    source: Any
    target: Any
    weight: Any = None


class Pieces(NamedTuple):
    """Batches of edges, whether IDs are strings, their number (0 if unknown), whether there are weights."""

    pieces: Iterator[Piece]
    texts: bool | None
    """None without edges."""
    num_edges: int
    weighted: bool


def of_columns(source: Any, target: Any, weight: Any) -> Pieces:
    """Return the edges between two ID columns, with optional weights."""
    source, target = column(source, _EDGES), column(target, _EDGES)
    count = len(source)
    if len(target) != count:
        raise ValueError(f"expected one target per source: {count} sources, {len(target)} targets")
    weights = _weights(weight, count)

    def cut() -> Iterator[Piece]:
        for start in range(0, count, _ROWS):
            rows = slice(start, start + _ROWS)
            yield _piece(start, source[rows], target[rows], None if weights is None else weights[rows])

    return _pieces(cut(), count, weights is not None)


def of_rows(edges: Any, weight: Any) -> Pieces:
    """Return edges from rows: pairs of IDs, or triples, whose weight ``weight=False`` ignores."""
    if isinstance(edges, str | bytes | bytearray | Mapping) or not isinstance(edges, Iterable):
        raise TypeError(f"edges must be paths, arrays, rows, a table, a matrix or a graph, not {type(edges).__name__}")
    apart = _is_given(weight) and weight is not True
    if apart and not hasattr(edges, "__len__"):
        raise UsageError("weights of edges from an iterator must be the third value of each row")
    count = operator.length_hint(edges)
    weights = _weights(weight, count) if apart else None
    rows = iter(edges)
    first = list(islice(rows, 1))
    width = 3 if first and not apart and _width(first[0]) == 3 else 2
    if weight is True and first and width == 2:
        raise UsageError("the rows have no weights; pass rows of three values, or weights as an array")
    third = width == 3 and weight is not False
    given = chain(first, rows)

    def cut() -> Iterator[Piece]:
        start = 0
        while piece := [_row(row, start + number, width) for number, row in enumerate(islice(given, _ROWS))]:
            source, target, *rest = map(list, zip(*piece, strict=True))
            own = rest[0] if third else None if weights is None else weights[start : start + len(piece)]
            yield _piece(start, source, target, own)
            start += len(piece)

    return _pieces(cut(), count, apart or third or weight is True)


def _pieces(pieces: Iterator[Piece], count: int, weighted: bool) -> Pieces:
    first = next(pieces, None)
    if first is None:
        return Pieces(pieces, None, count, weighted)
    return Pieces(chain([first], pieces), isinstance(first[0], list), count, weighted)


def _piece(start: int, source: Any, target: Any, weights: Any) -> Piece:
    place = _EDGES._replace(start=start)
    return ids(source, place), ids(target, place), b"" if weights is None else numbers(weights, place, "weight")


def _width(row: Any) -> int | None:
    ordered = hasattr(row, "__len__") and hasattr(row, "__getitem__") and not isinstance(row, str | bytes | Mapping)
    return len(row) if ordered else None


def _row(row: Any, number: int, width: int) -> Any:
    if _width(row) != width:
        expected = "a pair of IDs" if width == 2 else "two IDs and a weight"
        raise TypeError(f"{_EDGES.at(number)} is {row!r}, expected {expected}")
    return row


def _is_given(weight: Any) -> bool:
    return weight is not None and weight is not False


def _weights(weight: Any, count: int) -> Any:
    """Return a column of ``count`` weights, or None without weights."""
    if not _is_given(weight):
        return None
    if isinstance(weight, str) or weight is True:
        raise UsageError("an array of edges has no weight column; pass weights as an array")
    weights = column(weight, Place("the weights", "row"))
    if len(weights) != count:
        raise ValueError(f"{count} edges need {count} weights, not {len(weights)}")
    return weights
