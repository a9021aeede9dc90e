"""Result columns as arrays."""

from __future__ import annotations

from typing import Any, Literal

from ... import _outcrop
from ...exceptions import UsageError

IdType = Literal["unsigned", "signed", "string"]
"""Type of integer IDs: ``uint64``; ``int64``, which then also applies to 64-bit counts; or strings."""

ID_COLUMNS = ["node", "neighbor", "source", "target", "predecessor", "component", "label"]
"""ID columns of tables and results."""


def with_ids(batches: _outcrop.Batches, ids: IdType) -> _outcrop.Batches:
    """Return rows with IDs of a type."""
    if ids == "unsigned":
        return batches
    try:
        return batches.with_ids(ids, ID_COLUMNS)
    except ValueError as error:
        raise UsageError(str(error)) from None


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
        raise UsageError(f"column {name} has IDs above 2**63-1, which do not fit int64; pass ids='string'")
    values = values.astype(numpy.int64)
    values[nulls] = -1
    return values


def series(batches: _outcrop.Batches, index: int) -> Any:
    """Return a column for pandas."""
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
