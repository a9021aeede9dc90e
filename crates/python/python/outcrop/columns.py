"""Columns of results as arrays."""

from __future__ import annotations

from typing import Any

from . import _outcrop
from .exceptions import UsageError

def array(batches: _outcrop.Batches, index: int, name: str) -> Any:
    """Return a column as a NumPy array: null is NaN or -1."""
    import numpy

    numbers = batches.numbers(index)
    if numbers is None:
        return numpy.array(batches.values(index), dtype=object)
    values, nulls = numbers
    if not len(nulls):
        return values
    if values.dtype.kind == "f":
        values[nulls] = numpy.nan
        return values
    if (values[~nulls] > numpy.iinfo(numpy.int64).max).any():
        raise UsageError(f"column {name} holds ids above 2**63-1, more than int64 does; use to_arrow or to_pandas")
    values = values.astype(numpy.int64)
    values[nulls] = -1
    return values


def series(batches: _outcrop.Batches, index: int) -> Any:
    """Return a column as pandas takes it."""
    import numpy
    import pandas

    numbers = batches.numbers(index)
    if numbers is None:
        return batches.values(index)
    values, nulls = numbers
    if not len(nulls):
        return values
    if values.dtype.kind == "f":
        return numpy.where(nulls, numpy.nan, values)
    return pandas.arrays.IntegerArray(values, nulls)
