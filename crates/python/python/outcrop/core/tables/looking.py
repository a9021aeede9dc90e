"""Charts of results, and results joined to data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...exceptions import UsageError

if TYPE_CHECKING:
    from .result import Result

_SPREAD = 64
"""Ratio of the largest to the smallest number from which an axis is logarithmic."""


def plot(histogram: dict[str, Any] | None, title: str, ax: Any = None) -> Any:
    """Draw a histogram of a run record; return the axes of matplotlib."""
    from matplotlib import pyplot

    if histogram is None:
        raise UsageError(f"{title} has no distribution to plot: its values are all the same, or missing")
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
    if library not in ("pandas", "polars") or not hasattr(frame, "columns"):
        raise UsageError(f"frame must be a DataFrame of pandas or Polars, not a {type(frame).__name__}")
    if result.columns[0] != "node":
        raise UsageError("a result of random walks has one row per step; it cannot be joined by vertex")
    if on not in frame.columns:
        raise UsageError(f"the frame has no column {on!r}; pass the column of vertex IDs as `on`")
    if clash := sorted(set(result.columns[1:]) & set(frame.columns)):
        raise UsageError(f"the frame already has a column {clash[0]!r}; rename or drop it")
    key = "__outcrop_node"
    if library == "polars":
        import polars

        kind = frame.schema[on]
        values = result.to_polars(ids=_ids(kind.is_signed_integer(), not kind.is_numeric())).rename({"node": key})
        values = values.with_columns(polars.col(key).cast(kind, strict=False))
        return frame.join(values, how="left", left_on=on, right_on=key)
    kind = frame[on].dtype.kind
    values = result.to_pandas(ids=_ids(kind == "i", kind not in "iu")).rename(columns={"node": key})
    return frame.merge(values, how="left", left_on=on, right_on=key).drop(columns=key).set_axis(frame.index)


def _ids(signed: bool, text: bool) -> Any:
    """Return the type of integer IDs that matches a column: other libraries round a mix of types."""
    return "signed" if signed else "string" if text else "unsigned"
