"""Charts of results, and results joined to data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...exceptions import UsageError

if TYPE_CHECKING:
    from .result import Result

_KEY = "__outcrop_node"
"""Column of IDs in joined frames."""

_EXACT = 2**53
"""Largest number up to which all integers are floats."""

_SPREAD = 64
"""Ratio of the largest to the smallest number from which an axis is logarithmic."""


def plot(histogram: dict[str, Any] | None, title: str, ax: Any = None) -> Any:
    """Draw a histogram of a run record; return the axes of matplotlib."""
    from matplotlib import pyplot

    if histogram is None:
        raise UsageError(f"{title} has no distribution to plot: its values are vertex IDs, all the same, or missing")
    axes = pyplot.subplots()[1] if ax is None else ax
    starts = [bin["from"] for bin in histogram["bins"]]
    counts = [bin["vertices"] for bin in histogram["bins"]]
    if histogram["whole"] and starts[-1] - starts[0] == len(starts) - 1:
        axes.bar(starts, counts, width=0.9)
    else:
        axes.stairs(counts, [*starts, histogram["to"]], fill=True)
        if starts[0] == 0 and not _even(starts):
            axes.set_xscale("symlog", linthresh=starts[1])
        elif starts[0] > 0 and not _even(starts):
            axes.set_xscale("log")
    if max(counts) > _SPREAD * min(count for count in counts if count):
        axes.set_yscale("log")
    axes.set(title=title, xlabel=histogram["column"].replace("_", " "), ylabel="vertices")
    return axes


def _even(starts: list[float]) -> bool:
    """Return whether the ranges have the same width."""
    first, last = starts[1] - starts[0], starts[-1] - starts[-2]
    return abs(first - last) <= 1e-6 * abs(last)


def join(result: Result, frame: Any, on: str) -> Any:
    """Return the rows of a pandas or Polars data frame with the values of their vertices."""
    library = type(frame).__module__.partition(".")[0]
    if library not in ("pandas", "polars") or type(frame).__name__ == "LazyFrame" or not hasattr(frame, "columns"):
        advice = "; collect it first" if type(frame).__name__ == "LazyFrame" else ""
        raise UsageError(f"frame must be a DataFrame of pandas or Polars, not a {type(frame).__name__}{advice}")
    if result.columns[0] != "node":
        raise UsageError(f"a result of {result.stats['algorithm']} has one row per step; it cannot be joined by vertex")
    if on not in frame.columns:
        raise UsageError(f"the frame has no column {on!r}; pass the column of vertex IDs as `on`")
    if list(frame.columns).count(on) > 1 or getattr(frame.columns, "nlevels", 1) > 1:
        raise UsageError(f"the frame has several columns {on!r}; give them unique names of one level")
    if clash := sorted(set(result.columns[1:]) & set(frame.columns)):
        raise UsageError(f"the frame already has a column {clash[0]!r}; rename or drop it")
    keys = (_polars_keys if library == "polars" else _pandas_keys)(frame[on])
    if keys is None:
        raise UsageError(f"column {on!r} is of type {frame[on].dtype}; vertex IDs are integers or strings")
    if library == "polars":
        values = result.to_polars(ids="unsigned" if keys.dtype.is_integer() else "string").rename({"node": _KEY})
        _check_type(on, keys.dtype.is_integer(), values.schema[_KEY].is_integer())
        return frame.with_columns(keys.alias(_KEY)).join(values, how="left", on=_KEY).drop(_KEY)
    integers = keys.dtype == "UInt64"
    values = result.to_pandas(ids="unsigned" if integers else "string").rename(columns={"node": _KEY})
    _check_type(on, integers, values[_KEY].dtype.kind == "u")
    values = values.astype({_KEY: keys.dtype})
    return frame.assign(**{_KEY: keys}).merge(values, how="left", on=_KEY).drop(columns=_KEY).set_axis(frame.index)


def _check_type(on: str, integers: bool, has_integers: bool) -> None:
    if integers and not has_integers:
        raise UsageError(f"column {on!r} has integers, but the vertex IDs of the graph are strings")


def _polars_keys(column: Any) -> Any:
    """Return IDs as unsigned integers or strings, null for those that no vertex can have; None for another type."""
    import polars

    if column.dtype.is_float():
        whole = column.is_nan().fill_null(True) | ((column == column.round()) & (column.abs() <= _EXACT))
        return column.fill_nan(None).cast(polars.UInt64, strict=False) if whole.all() else None
    if column.dtype.is_integer():
        return column.cast(polars.UInt64, strict=False)
    texts = column.dtype in (polars.String, polars.Categorical, polars.Enum, polars.Null)
    return column.cast(polars.String) if texts else None


def _pandas_keys(column: Any) -> Any:
    """Return IDs as unsigned integers or strings, null for those that no vertex can have; None for another type."""
    import pandas

    kind = pandas.api.types.infer_dtype(column, skipna=True)
    if kind == "categorical":
        return _pandas_keys(column.astype(column.cat.categories.dtype))
    if kind in ("string", "empty"):
        return column.astype("string")
    if kind == "floating":
        known = column.dropna()
        kind = "integer" if ((known % 1 == 0) & (known.abs() <= _EXACT)).all() else kind
    if kind != "integer":
        return None
    import numpy

    # No vertex has other IDs. From a list, pandas would make an array of floats, which round large integers.
    missing = [bool(pandas.isna(value)) or not 0 <= value < 1 << 64 for value in column]
    known = [0 if unknown else int(value) for value, unknown in zip(column, missing, strict=True)]
    values = pandas.arrays.IntegerArray(numpy.array(known, "u8"), numpy.array(missing, "?"))
    return pandas.Series(values, index=column.index)
