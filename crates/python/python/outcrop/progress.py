"""Progress display."""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from .exceptions import OutcropWarning

Progress = bool | Callable[[dict[str, Any]], object] | None
"""``None`` for notes only, as warnings of the class :class:`outcrop.OutcropWarning`; ``False`` for no output; ``True``
for lines on stderr, or in a notebook for bars of tqdm if it is installed; or a function that is called with each event.

Events are dictionaries: ``{"event": "phase", "name", "unit", "total"}``, ``{"event": "progress", "phase", "unit",
"done", "total", "at_most", "share", "seconds", "seconds_left", "per_second"}`` (a few per second; for a run also
``iterations``, ``iteration_share``, ``change``, ``tolerance``, ``edges_per_second``, ``bytes_read`` and
``bytes_read_per_second``), ``{"event": "iteration", "record"}`` and ``{"event": "note", "message"}``. They have the
fields of ``--progress json``. The function is called on the calling thread; an exception in it stops the work and is
propagated.
"""


Listener = tuple[Callable[[str], object], bool] | None
"""Callback for events as JSON, and whether it receives notes only."""


def listener(progress: Progress) -> Listener:
    """Return the callback of the extension, and whether it receives notes only."""
    if progress is False:
        return None
    take = _warn if progress is None else _display() if progress is True else progress
    if not callable(take):
        raise TypeError(f"progress must be None, a bool or a function, not {type(progress).__name__}")
    return lambda event: take(json.loads(event)), progress is None


def tell(listener: Listener, notes: Iterable[str]) -> None:
    """Pass notes to the callback of :func:`listener`."""
    for note in notes if listener else ():
        listener[0](json.dumps({"event": "note", "message": note}))  # type: ignore[index]


def _warn(note: dict[str, Any]) -> None:
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(note["message"], OutcropWarning, stacklevel=level)


def _display() -> Callable[[dict[str, Any]], object]:
    """Return bars of tqdm in a notebook, otherwise lines."""
    if "ipykernel" in sys.modules:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            pass
        else:
            return _Bars(tqdm)
    return _Lines()


class _Bars:
    """Shows one bar of tqdm per phase, with the numbers of :class:`_Lines`."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None

    def __call__(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "phase":
            self._finish()
            layout = "{desc} {percentage:3.0f}% {bar} {postfix}"
            self._bar = self._tqdm(total=100, desc=event["name"], bar_format=layout)
        elif kind == "note":
            self._tqdm.write(f"outcrop: note: {event['message']}", file=sys.stderr)
        elif kind == "progress" and self._bar is not None:
            self._bar.n = int(100 * (event["share"] or 0))
            self._bar.set_postfix_str(_in_words(event))

    def _finish(self) -> None:
        if self._bar is not None:
            self._bar.n = self._bar.total
            self._bar.close()

    def __del__(self) -> None:
        self._finish()


class _Lines:
    """Writes one line per phase and note, and a bar with total, rate and time left on terminals and in notebooks."""

    _WIDTH = 20

    def __init__(self) -> None:
        self._length = 0
        self._redraws = sys.stderr.isatty() or "ipykernel" in sys.modules

    def __call__(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "phase":
            self._write(f"outcrop: {event['name']}", end="\n")
        elif kind == "note":
            self._write(f"outcrop: note: {event['message']}", end="\n")
        elif kind == "progress" and self._redraws:
            self._write(f"outcrop: {event['phase']} {self._bar(event)}{_in_words(event)}", end="\r")

    def _bar(self, event: dict[str, Any]) -> str:
        share = event["share"]
        return "" if share is None else f"{int(100 * share):3}% |{'#' * int(self._WIDTH * share):{self._WIDTH}}| "

    def _write(self, line: str, end: str) -> None:
        # What is longer than the line is covered by blanks.
        print(line.ljust(self._length), end=end, file=sys.stderr, flush=True)
        self._length = len(line) if end == "\r" else 0


def _in_words(event: dict[str, Any]) -> str:
    """Format the state of a phase or a run."""
    unit, total = event["unit"], event["total"]
    of = "" if total is None else f" of {'at most ' if event['at_most'] else ''}{_short(total, unit)}"
    amount = _short(event["done"], unit) + of if unit == "bytes" else f"{_short(event['done'], unit)}{of} {unit}"
    left = [] if event["seconds_left"] is None else [f"{event['seconds_left']:.0f} s left"]
    rest = _of_run(event) if "iterations" in event else [f"{_short(event['per_second'], unit)}/s"]
    return ", ".join([amount, *left, *rest])


def _of_run(event: dict[str, Any]) -> list[str]:
    share, change, tolerance = event["iteration_share"], event["change"], event["tolerance"]
    words = [] if share is None else [f"{100 * share:.0f}% of iteration {event['iterations'] + 1}"]
    if change is not None:
        words.append(f"change {change:.1e}" + ("" if tolerance is None else f" (to {tolerance:.1e})"))
    words.append(f"{_short(event['edges_per_second'], 'edges')} edges/s")
    if event["bytes_read_per_second"] >= 1:
        words.append(f"{_short(event['bytes_read_per_second'], 'bytes')}/s")
    return words


def _short(number: float, unit: str) -> str:
    """Format a number with few digits; bytes with a binary unit."""
    step, ends = (1024, ("B", "KiB", "MiB", "GiB", "TiB")) if unit == "bytes" else (1000, ("", "k", "M", "G", "T"))
    end = ends[0]
    for following in ends[1:]:
        if abs(number) < step:
            break
        end, number = following, number / step
    return f"{number:.3g}{end}" if number < 1000 else f"{number:.0f}{end}"
