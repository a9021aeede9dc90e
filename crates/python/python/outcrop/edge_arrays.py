"""Edges in memory, as columns and as rows, which are cut into pieces of bytes for the extension."""

from __future__ import annotations

import operator
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice
from typing import Any, NamedTuple

from .exceptions import BadInputError, UsageError

Piece = tuple[bytes, bytes, bytes]
"""Ids as u64, or the bytes of texts; where each text ends, as u64; weights as f64."""

_ROWS = 1 << 16


class Pieces(NamedTuple):
    """Edges in pieces, true if ids are texts, their number (0 where it is not known), true if there are weights."""

    pieces: Iterator[Piece]
    texts: bool
    num_edges: int
    weighted: bool


def is_array(values: Any) -> bool:
    """Return whether these are an array as NumPy has them."""
    return hasattr(values, "dtype") and hasattr(values, "shape")


def of_columns(source: Any, target: Any, weight: Any) -> Pieces:
    """Return the edges between the ids of two arrays, with weights where there are any."""
    for column in (source, target):
        if len(column.shape) != 1 or column.dtype.kind not in "iuUOT":
            found = f"{column.dtype} of shape {tuple(column.shape)}"
            raise TypeError(f"ids are whole numbers or texts, and this array holds {found}; convert it first")
    count = len(source)
    if len(target) != count:
        raise ValueError(f"{count} sources need {count} targets, not {len(target)}")
    weighted, weights = _is_given(weight), _weights(weight, count)
    if source.dtype.kind + target.dtype.kind in ("ii", "iu", "ui", "uu"):
        texts, ids = False, _unsigned
    else:
        texts = count > 0 and any(isinstance(end, str) for end in (source[0], target[0]))

        def ids(source: Any, target: Any, start: int) -> tuple[bytes, bytes]:
            return _ids(list(zip(source.tolist(), target.tolist(), strict=True)), texts, start)

    spans = ((start, start + _ROWS) for start in range(0, count, _ROWS))
    pieces = ((*ids(source[start:end], target[start:end], start), weights(start, end)) for start, end in spans)
    return Pieces(pieces, texts, count, weighted)


def _unsigned(source: Any, target: Any, start: int) -> tuple[bytes, bytes]:
    import numpy

    rows = numpy.empty((len(source), 2), dtype="=u8")
    for number, column in enumerate((source, target)):
        if (column < 0).any():
            row = start + int((column < 0).argmax())
            raise _bad_row(row, "found a negative id, expected one of at least 0")
        rows[:, number] = column
    return rows.tobytes(), b""


def of_rows(edges: Iterable[Any], weight: Any) -> Pieces:
    """Return edges that come one after the other: pairs of ids, or triples, whose weight ``weight=False`` ignores."""
    if isinstance(edges, bytes | bytearray) or not isinstance(edges, Iterable):
        raise TypeError(f"edges are paths, arrays, rows, a table, a matrix or a graph, not {type(edges).__name__}")
    apart = _is_given(weight) and weight is not True
    if apart and not hasattr(edges, "__len__"):
        raise UsageError("edges without a length bring their weights along, as the third of each row")
    count = operator.length_hint(edges)
    own = _weights(weight if apart else None, count)
    rows = iter(edges)
    first = list(islice(rows, 1))
    width = 3 if first and not apart and _width(first[0]) == 3 else 2
    if weight is True and first and width == 2:
        raise UsageError("these rows have no weights: give rows of three, or the weights themselves, one an edge")
    texts = bool(first) and any(isinstance(end, str) for end in _row(first[0], 0, width)[:2])
    third = width == 3 and weight is not False
    pieces = _cut(
        chain(first, rows), width, texts, _third if third else lambda rows, start: own(start, start + len(rows))
    )
    return Pieces(pieces, texts, count, apart or third or weight is True)


def _cut(
    rows: Iterator[Any], width: int, texts: bool, weights: Callable[[Sequence[Any], int], bytes]
) -> Iterator[Piece]:
    start = 0
    while piece := [_row(row, start + number, width) for number, row in enumerate(islice(rows, _ROWS))]:
        yield (*_ids(piece, texts, start), weights(piece, start))
        start += len(piece)


def _width(row: Any) -> int | None:
    return None if isinstance(row, str) or not hasattr(row, "__len__") else len(row)


def _row(row: Any, number: int, width: int) -> Any:
    if _width(row) != width:
        expected = "a pair of ids" if width == 2 else "two ids and a weight"
        raise TypeError(f"row {number} of the edges is {row!r}, expected {expected}")
    return row


def _ids(rows: Sequence[Any], texts: bool, start: int) -> tuple[bytes, bytes]:
    ends = chain.from_iterable(row[:2] for row in rows)
    check = _text if texts else _integer
    names = [check(end, start + number // 2) for number, end in enumerate(ends)]
    if not texts:
        return array("Q", names).tobytes(), b""
    return b"".join(names), array("Q", accumulate(map(len, names))).tobytes()


def _text(end: Any, row: int) -> Any:
    if not isinstance(end, str):
        raise TypeError(f"row {row} of the edges holds {end!r}, expected a text like the ids of the first row")
    return end.encode()


def _integer(end: Any, row: int) -> Any:
    try:
        number = operator.index(end)
    except TypeError:
        raise TypeError(f"row {row} of the edges holds {end!r}, expected a whole number") from None
    if not 0 <= number < 1 << 64:
        raise _bad_row(row, f"found the id {number}, expected one from 0 to 2**64-1")
    return number


def _bad_row(row: int, message: str) -> BadInputError:
    return BadInputError(f"the edges: row {row}: {message}", file="the edges")


def _third(rows: Sequence[Any], start: int) -> bytes:
    try:
        return array("d", [row[2] for row in rows]).tobytes()
    except TypeError:
        row = next(row for row, values in enumerate(rows) if not hasattr(values[2], "__float__"))
        raise TypeError(f"row {start + row} of the edges has the weight {rows[row][2]!r}, expected a number") from None


def _is_given(weight: Any) -> bool:
    return weight is not None and weight is not False


def _weights(weight: Any, count: int) -> Callable[[int, int], bytes]:
    if not _is_given(weight):
        return lambda start, end: b""
    if isinstance(weight, str) or weight is True:
        raise UsageError("edges in an array have no columns of weights; pass the weights themselves, one an edge")
    if not hasattr(weight, "__len__") or len(weight) != count:
        found = f"{len(weight)}" if hasattr(weight, "__len__") else f"{weight!r}"
        raise ValueError(f"{count} edges need {count} weights, not {found}")
    if not is_array(weight):
        return lambda start, end: array("d", weight[start:end]).tobytes()
    if weight.dtype.kind not in "iuf" or len(weight.shape) != 1:
        found = f"{weight.dtype} of shape {tuple(weight.shape)}"
        raise TypeError(f"weights are an array of numbers with one dimension, not {found}")
    return lambda start, end: bytes(weight[start:end].astype("=f8").tobytes())
