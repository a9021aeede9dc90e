"""Parameters of runs."""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .. import _outcrop
from ..interop.values import Place, column, ids, is_one, numbers, shown, texts

Node = int | str
"""Original ID: an integer or a string, as in the input."""

Path = str | os.PathLike[str]

Weights = Mapping[Node, float] | Path
"""Vertex weights: a mapping by ID (or a pandas Series with IDs as its index), or a file."""

Vector = Mapping[Node, float] | tuple[Any, Any] | Iterable[float] | Path
"""Numbers per vertex: a mapping by ID (or a pandas Series with IDs as its index), a pair of IDs and numbers, one number
per vertex in ascending ID order (or a pandas Series without an index of its own), or a file."""


def arguments(algorithm: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a run in the form of the extension, without those that are None.

    ``weight=None`` becomes False.
    """
    named = _outcrop.vertex_arguments(algorithm)
    given = {name: False if value is None and named.get(name) == "weight" else value for name, value in given.items()}
    return {name: _CONVERSIONS[named.get(name)](value) for name, value in given.items() if value is not None}


def _entries(given: Any, place: Place) -> list[tuple[str, float]]:
    """Return IDs and their numbers from a mapping, a pandas Series or two columns."""
    if isinstance(given, Mapping):
        given = list(given), list(given.values())
    elif is_series(given):
        given = given.index, given
    nodes, values = (column(part, place) for part in given)
    if len(nodes) != len(values):
        raise ValueError(f"{len(nodes)} IDs need {len(nodes)} values, not {len(values)}")
    return list(zip(texts(ids(nodes, place)), array("d", numbers(values, place)), strict=True))


def is_series(given: Any) -> bool:
    """Return whether this is a pandas Series."""
    module = sys.modules.get("pandas")
    return module is not None and isinstance(given, module.Series)


def _personalization(given: Weights) -> list[tuple[str, float]] | str:
    if isinstance(given, Mapping) or is_series(given):
        return _entries(given, Place("the personalization"))
    if not isinstance(given, str | os.PathLike):
        expected = "a mapping of IDs to weights, a pandas Series or the path of a file"
        raise TypeError(f"personalization must be {expected}, not {shown(given)}")
    return os.fspath(given)


def _vector(given: Any) -> list[tuple[str, float]] | bytes | str:
    place = Place("the vector")
    if isinstance(given, str | os.PathLike):
        return os.fspath(given)
    if isinstance(given, tuple) and (len(given) != 2 or any(map(is_one, given))):
        raise TypeError("a tuple must contain IDs and their values; pass one value per vertex as a list")
    named = is_series(given) and not _is_in_order(given.index)
    return _entries(given, place) if named or isinstance(given, Mapping | tuple) else numbers(given, place)


def _is_in_order(index: Any) -> bool:
    """Return whether this index of pandas numbers the rows, so that they are not named."""
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


def _as_it_is(given: Any) -> Any:
    return given


_CONVERSIONS: dict[str | None, Callable[[Any], Any]] = {
    None: _as_it_is,
    "ids": lambda given: texts(ids(given)),
    "weights": _personalization,
    "vector": _vector,
    "weight": _as_it_is,
}
