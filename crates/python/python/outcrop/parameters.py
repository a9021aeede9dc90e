"""What runs are given."""

from __future__ import annotations

import operator
import os
from array import array
from collections.abc import Iterable, Mapping
from typing import Any

Node = int | str
"""An original id: whole numbers and texts, as they were in the input."""

Path = str | os.PathLike[str]


def arguments(
    algorithm: str,
    *,
    source: Node | Iterable[Node] | None = None,
    alpha: float | None = None,
    tol: float | None = None,
    max_iter: int | None = None,
    iterations: int | None = None,
    exact: bool | None = None,
    personalization: Mapping[Node, float] | Path | None = None,
    precision: str | None = None,
    sources: int | None = None,
    samples: int | None = None,
    seed: int | None = None,
    batch: int | None = None,
    normalized: bool | None = None,
    delta: float | None = None,
    k: int | None = None,
    method: str | None = None,
    bucket_width: float | None = None,
    vector: Any = None,
    transpose: bool | None = None,
    weighted: bool | None = None,
    length: int | None = None,
    every: int | None = None,
    restart: float | None = None,
    p: float | None = None,
    q: float | None = None,
    model: str | None = None,
    values: str | None = None,
    delivery: str | None = None,
    coupling: float | None = None,
    damping: float | None = None,
    rate: float | None = None,
    shards: str | None = None,
    updated_share: float | str | None = None,
    delay_buffer: int | str | None = None,
) -> dict[str, Any]:
    """Return a run's parameters as the extension takes them."""
    weights, file = _personalization(personalization)
    return {
        "algorithm": algorithm,
        "sources": [] if source is None else _names(source),
        "alpha": alpha,
        "tol": tol,
        "max_iter": _count("max_iter", max_iter),
        "iterations": _count("iterations", iterations),
        "exact": exact,
        "personalization": weights,
        "personalization_file": file,
        "precision": precision,
        "source_count": _count("sources", sources, "vertices"),
        "samples": _count("the sample", samples, "vertices"),
        "seed": seed,
        "batch": _count("batch", batch, "vertices"),
        "normalized": normalized,
        "delta": delta,
        "k": _count("k", k, "neighbours"),
        "method": method,
        "bucket_width": bucket_width,
        "transpose": transpose,
        **_vector(vector),
        "weighted": weighted,
        "length": _count("length", length, "steps"),
        "every": _count("every", every, "vertices"),
        "restart": restart,
        "p": p,
        "q": q,
        "model": model,
        "values": values,
        "delivery": delivery,
        "coupling": coupling,
        "damping": damping,
        "rate": rate,
        "shards": shards,
        "updated_share": None if updated_share is None else str(updated_share),
        "delay_buffer": None if delay_buffer is None else str(delay_buffer),
    }


def _personalization(given: Mapping[Node, float] | Path | None) -> tuple[list[tuple[str, float]] | None, str | None]:
    if given is None:
        return None, None
    if isinstance(given, Mapping):
        return [(_name(node), float(weight)) for node, weight in given.items()], None
    return None, os.fspath(given)


def _vector(given: Any) -> dict[str, Any]:
    file, values, entries = None, None, None
    if isinstance(given, str | os.PathLike):
        file = os.fspath(given)
    elif isinstance(given, Mapping):
        entries = [(_name(node), float(value)) for node, value in given.items()]
    elif isinstance(given, tuple):
        entries = _entries(given)
    elif given is not None:
        values = _values(given)
    return {"vector_file": file, "vector_values": values, "vector_entries": entries}


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


def _name(node: Node) -> str:
    if isinstance(node, str):
        return node
    try:
        return str(operator.index(node))
    except TypeError:
        raise TypeError(f"a vertex is named by an int or a str, not by {type(node).__name__}") from None


def _count(name: str, value: int | None, of: str = "iterations") -> int | None:
    if value is not None and not 0 <= operator.index(value) < 1 << 32:
        raise ValueError(f"{name} is a number of {of}, not {value}")
    return value
