"""Edges in memory, as columns or rows, split into batches for the extension."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from numbers import Integral
from typing import Any, NamedTuple

from ..exceptions import UsageError
from .values import Ids, Place, column, ids, integers, numbers, shown, texts

Piece = tuple[Ids, Ids, bytes]
"""Source IDs, target IDs, and optional weights in double precision."""

_ROWS = 1 << 16
_SAMPLE = 1000
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
    notes: Sequence[str] = ()


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
    _require_rows(edges)
    apart = is_given(weight) and weight is not True
    if apart and not hasattr(edges, "__len__"):
        raise UsageError("weights of edges from an iterator must be the third value of each row")
    count = len(edges) if hasattr(edges, "__len__") else 0
    weights = _weights(weight, count) if apart else None
    rows = iter(edges)
    first = list(islice(rows, _SAMPLE))
    width = 3 if first and not apart and _width(first[0]) == 3 else 2
    if weight is True and first and width == 2:
        raise UsageError("the rows have no weights; pass rows of three values, or weights as an array")
    third = width == 3 and weight is not False
    _require_weights(edges, first, third, third and weight is None)
    notes = [_INTEGERS] if third and weight is None and all(map(_ends_in_integer, first)) else []
    given = chain(first, rows)

    def cut() -> Iterator[Piece]:
        start = 0
        while piece := [_row(row, start + number, width) for number, row in enumerate(islice(given, _ROWS))]:
            source, target, *rest = map(list, zip(*piece, strict=True))
            own = rest[0] if third else None if weights is None else weights[start : start + len(piece)]
            yield _piece(start, source, target, own)
            start += len(piece)

    return _pieces(cut(), count, apart or third or weight is True)._replace(notes=notes)


_INTEGERS = (
    "the third values of the rows are integers and were read as weights; use weight=True if they are, or weight=False "
    "if they are not, such as the keys of a multigraph"
)


def _require_rows(edges: Any) -> None:
    """Refuse edges that are not rows, and views of a graph."""
    name, advice = type(edges).__name__, ""
    if type(edges).__module__.startswith("networkx.") and isinstance(edges, Mapping):
        advice = "; pass the graph, with its direction and its isolated vertices"
    elif isinstance(edges, Mapping):
        advice = "; pass rows, such as [(source, target), ...], or a data frame of columns"
    elif hasattr(edges, "read"):
        advice = "; pass the path of the file"
    elif isinstance(edges, Iterable) and not isinstance(edges, str | bytes | bytearray):
        return
    raise TypeError(f"edges must be paths, arrays, rows, a table, a matrix or a graph, not {name}{advice}")


def _require_weights(edges: Any, rows: Sequence[Any], third: bool, assumed: bool) -> None:
    """Refuse rows whose ``third`` value is not a weight, and ``assumed`` weights of rows that may be columns."""
    if rows and getattr(rows[0], "_fields", ())[:1] == ("Index",):
        raise TypeError("rows begin with the index of a data frame; pass the data frame, or itertuples(index=False)")
    if third and isinstance(rows[0][2], Mapping | str):
        advice = "weight=False to ignore it"
        if isinstance(rows[0][2], Mapping):
            advice = f"the graph with the weight attribute as weight, or {advice}"
        raise TypeError(f"{_EDGES.at(0)} has {shown(rows[0][2])} as its third value, expected a weight; pass {advice}")
    few = isinstance(edges, list | tuple) and len(edges) in (2, 3)
    if assumed and few and not (isinstance(edges, list) and isinstance(edges[0], tuple)):
        if all(_width(row) == 3 and all(isinstance(value, Integral) for value in row) for row in edges):
            raise TypeError(
                f"edges can be {len(edges)} rows with weights, or columns; use from_edges(source, target) for columns, "
                "or weight=True for rows"
            )


def _ends_in_integer(row: Any) -> bool:
    return _width(row) == 3 and isinstance(row[2], Integral)


def _pieces(pieces: Iterator[Piece], count: int, weighted: bool) -> Pieces:
    first = next(pieces, None)
    if first is None:
        return Pieces(pieces, None, count, weighted)
    return Pieces(chain([first], pieces), isinstance(first[0], list), count, weighted)


def _piece(start: int, source: Any, target: Any, weights: Any) -> Piece:
    place = _EDGES._replace(start=start)
    return ids(source, place), ids(target, place), b"" if weights is None else numbers(weights, place, "weight")


def as_integers(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces of edges with strings of digits as integer IDs."""
    start = 0
    for source, target, weights in pieces:
        place = _EDGES._replace(start=start)
        start += len(texts(source))
        yield integers(source, place), integers(target, place), weights


def _width(row: Any) -> int | None:
    ordered = hasattr(row, "__len__") and hasattr(row, "__getitem__") and not isinstance(row, str | bytes | Mapping)
    return len(row) if ordered else None


def _row(row: Any, number: int, width: int) -> Any:
    if _width(row) != width:
        expected = "a pair of IDs" if width == 2 else "two IDs and a weight"
        raise TypeError(f"{_EDGES.at(number)} is {shown(row)}, expected {expected}")
    return row


def is_given(weight: Any) -> bool:
    """Return whether weights are requested."""
    return weight is not None and weight is not False


def _weights(weight: Any, count: int) -> Any:
    """Return a column of ``count`` weights, or None without weights."""
    if not is_given(weight):
        return None
    if isinstance(weight, str) or weight is True:
        raise UsageError("an array of edges has no weight column; pass weights as an array")
    weights = column(weight, Place("the weights", "row"))
    if len(weights) != count:
        raise ValueError(f"{count} edges need {count} weights, not {len(weights)}")
    return weights
