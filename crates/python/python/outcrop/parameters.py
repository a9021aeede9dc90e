"""What runs are given."""

from __future__ import annotations

import operator
import os
from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _outcrop

Node = int | str
"""An original id: whole numbers and texts, as they were in the input."""

Path = str | os.PathLike[str]

Weights = Mapping[Node, float] | Path
"""Weights of vertices, by id or in a file."""

Vector = Mapping[Node, float] | tuple[Any, Any] | Iterable[float] | Path
"""Numbers of vertices: by id, as ids and their numbers, one a vertex in ascending id, or in a file."""


def arguments(algorithm: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run's arguments as the extension takes them, vertices by ids in text, without those that are None.

    That no ``weight`` is to count is False.
    """
    named = _outcrop.vertex_arguments(algorithm)
    given = {name: False if value is None and named.get(name) == "weight" else value for name, value in given.items()}
    return {name: _CONVERSIONS[named.get(name)](value) for name, value in given.items() if value is not None}


def _personalization(given: Weights) -> list[tuple[str, float]] | str:
    if isinstance(given, Mapping):
        return [(_name(node), float(weight)) for node, weight in given.items()]
    return os.fspath(given)


def _vector(given: Vector) -> list[tuple[str, float]] | bytes | str:
    if isinstance(given, str | os.PathLike):
        return os.fspath(given)
    if isinstance(given, Mapping):
        return [(_name(node), float(value)) for node, value in given.items()]
    return _entries(given) if isinstance(given, tuple) else _values(given)


def _entries(given: tuple[Any, ...]) -> list[tuple[str, float]]:
    if len(given) != 2 or not all(hasattr(part, "__len__") for part in given):
        raise TypeError("a tuple for a vector has two parts, ids and their values; pass one value a vertex as a list")
    ids, values = given
    if len(ids) != len(values):
        raise ValueError(f"{len(ids)} ids need {len(ids)} values, not {len(values)}")
    return [(_name(node), float(value)) for node, value in zip(ids, values, strict=True)]


def _values(given: Any) -> bytes:
    if not (hasattr(given, "dtype") and hasattr(given, "shape")):
        return array("d", given).tobytes()
    if given.dtype.kind not in "iuf" or len(given.shape) != 1:
        found = f"{given.dtype} of shape {tuple(given.shape)}"
        raise TypeError(f"a vector is an array of numbers with one dimension, not {found}")
    return bytes(given.astype("=f8").tobytes())


def _names(source: Node | Iterable[Node]) -> list[str]:
    if isinstance(source, str) or not isinstance(source, Iterable):
        return [_name(source)]
    return [_name(node) for node in source]


def ids(nodes: Any) -> bytes | list[str]:
    """Return ids as the extension takes them: numbers of eight bytes where all are such, else texts."""
    if hasattr(nodes, "dtype") and hasattr(nodes, "astype"):
        kind = nodes.dtype.kind
        if kind == "u" or (kind == "i" and not (nodes < 0).any()):
            return bytes(nodes.astype("=u8").tobytes())
    named: list[Any] = list(nodes)
    try:
        return array("Q", named).tobytes()
    except (TypeError, OverflowError):
        return [_name(node) for node in named]


def is_one(nodes: Any) -> bool:
    """Say whether that is one id, and not several."""
    return isinstance(nodes, str) or not isinstance(nodes, Iterable)


def _name(node: Node) -> str:
    if isinstance(node, str):
        return node
    try:
        return str(operator.index(node))
    except TypeError:
        raise TypeError(f"a vertex is named by an int or a str, not by {type(node).__name__}") from None


def _as_it_is(given: Any) -> Any:
    return given


_CONVERSIONS: dict[str | None, Callable[[Any], Any]] = {
    None: _as_it_is,
    "ids": _names,
    "weights": _personalization,
    "vector": _vector,
    "weight": _as_it_is,
}
