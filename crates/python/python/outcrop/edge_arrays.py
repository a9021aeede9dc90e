"""Edges as users give them: files, streams, and arrays and lists, which are cut into pieces of bytes for the extension."""

from __future__ import annotations

import operator
import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Any

from .exceptions import BadInputError, UsageError

Piece = tuple[bytes, bytes, bytes]
"""Ids as u64, or the bytes of texts; where each text ends, as u64; weights as f64."""

_ROWS = 1 << 16


def given_edges(edges: Any, weight: Any) -> Any:
    """Return files, an Arrow stream, or (pieces of arrays, true if ids are texts, number of edges)."""
    if isinstance(edges, str | os.PathLike):
        return [os.fspath(edges)]
    if isinstance(edges, Sequence) and edges and all(isinstance(path, str | os.PathLike) for path in edges):
        return [os.fspath(path) for path in edges]
    if hasattr(edges, "__arrow_c_stream__"):
        return edges.__arrow_c_stream__()
    return _in_memory(edges, weight)


def _in_memory(edges: Any, weight: Any) -> tuple[Iterator[Piece], bool, int]:
    """Return the edges of an array with two columns or of a list of pairs, with their weights where there are any."""
    if isinstance(weight, str) or weight is True:
        raise UsageError("edges in an array have no columns of weights; pass the weights themselves, one an edge")
    if _is_array(edges):
        texts, ids = _array_ids(edges)
    else:
        edges = _pairs(edges)
        texts, ids = _list_ids(edges)
    weights = _weights(weight, len(edges))
    starts = range(0, len(edges), _ROWS)
    pieces = ((*ids(start, start + _ROWS), weights(start, start + _ROWS)) for start in starts)
    return pieces, texts, len(edges)


def _is_array(values: Any) -> bool:
    return hasattr(values, "dtype") and hasattr(values, "shape")


def _array_ids(edges: Any) -> tuple[bool, Callable[[int, int], tuple[bytes, bytes]]]:
    if len(edges.shape) != 2 or edges.shape[1] != 2:
        raise ValueError(f"edges are an array with two columns, not one of shape {tuple(edges.shape)}")
    if edges.dtype.kind in "UOT" and len(edges):
        texts, _ = _list_ids(edges[:1].tolist())
        return texts, lambda start, end: _ids(edges[start:end].tolist(), texts, start)
    if edges.dtype.kind not in "iuUOT":
        raise TypeError(f"ids are whole numbers or texts, and this array holds {edges.dtype}; convert it first")
    return False, lambda start, end: (_unsigned(edges[start:end], start), b"")


def _unsigned(rows: Any, start: int) -> bytes:
    negative = (rows < 0).any(axis=1)
    if negative.any():
        raise _bad_row(start + int(negative.argmax()), "found a negative id, expected one of at least 0")
    return bytes(rows.astype("=u8").tobytes())


def _pairs(edges: Any) -> Sequence[Any]:
    if isinstance(edges, bytes | bytearray) or not hasattr(edges, "__iter__"):
        raise TypeError(f"edges are paths, an array, a list of pairs, or a table, not {type(edges).__name__}")
    return edges if isinstance(edges, list | tuple) else list(edges)


def _list_ids(edges: Sequence[Any]) -> tuple[bool, Callable[[int, int], tuple[bytes, bytes]]]:
    texts = len(edges) > 0 and any(isinstance(end, str) for end in _pair(edges[0], 0))
    return texts, lambda start, end: _ids(edges[start:end], texts, start)


def _ids(rows: Sequence[Any], texts: bool, start: int) -> tuple[bytes, bytes]:
    ends = chain.from_iterable(_pair(row, start + number) for number, row in enumerate(rows))
    check = _text if texts else _integer
    names = [check(end, start + number // 2) for number, end in enumerate(ends)]
    if not texts:
        return array("Q", names).tobytes(), b""
    return b"".join(names), array("Q", accumulate(map(len, names))).tobytes()


def _pair(row: Any, number: int) -> Sequence[Any]:
    if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 2:
        raise TypeError(f"row {number} of the edges is {row!r}, expected a pair of ids")
    return row  # type: ignore[no-any-return]


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


def _weights(weight: Any, count: int) -> Callable[[int, int], bytes]:
    if weight is None or weight is False:
        return lambda start, end: b""
    if not hasattr(weight, "__len__") or len(weight) != count:
        found = f"{len(weight)}" if hasattr(weight, "__len__") else f"{weight!r}"
        raise ValueError(f"{count} edges need {count} weights, not {found}")
    if not _is_array(weight):
        return lambda start, end: array("d", weight[start:end]).tobytes()
    if weight.dtype.kind not in "iuf" or len(weight.shape) != 1:
        found = f"{weight.dtype} of shape {tuple(weight.shape)}"
        raise TypeError(f"weights are an array of numbers with one dimension, not {found}")
    return lambda start, end: bytes(weight[start:end].astype("=f8").tobytes())
