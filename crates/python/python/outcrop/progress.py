"""How progress is shown."""

from __future__ import annotations

import inspect
import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

Progress = bool | Callable[[dict[str, Any]], object] | None
"""``None`` for silence but for notes, which are warnings, ``False`` for silence, ``True`` for lines on stderr, or a
function that is called with each event.

Events are dictionaries: ``{"event": "phase", "name", "unit", "total"}``, ``{"event": "progress", "done"}`` (a few a
second), ``{"event": "iteration", "record"}`` and ``{"event": "note", "message"}``. They arrive on the thread that
made the call; an exception raised by the function stops the work and is passed on.
"""


def listener(progress: Progress) -> tuple[Callable[[str], object], bool] | None:
    """Return what the extension calls with events as JSON, and whether with notes only."""
    if progress is False:
        return None
    take = _warn if progress is None else _Lines() if progress is True else progress
    if not callable(take):
        raise TypeError(f"progress is None, True or a function, not {type(progress).__name__}")
    return lambda event: take(json.loads(event)), progress is None


def _warn(note: dict[str, Any]) -> None:
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(note["message"], stacklevel=level)


class _Lines:
    """Writes a line a phase and a note, and on a terminal or in a notebook a bar with total, rate and time left."""

    _WIDTH = 20

    def __init__(self) -> None:
        self._phase: dict[str, Any] = {}
        self._began = time.monotonic()
        self._redraws = sys.stderr.isatty() or "ipykernel" in sys.modules

    def __call__(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "phase":
            self._phase, self._began = event, time.monotonic()
            self._write(f"outcrop: {event['name']}", end="\n")
        elif kind == "note":
            self._write(f"outcrop: note: {event['message']}", end="\n")
        elif self._redraws:
            done = event["record"]["iteration"] if kind == "iteration" else event["done"]
            self._write(f"outcrop: {self._phase.get('name', '')} {self._how_far(done)}", end="\r")

    def _how_far(self, done: int) -> str:
        total, unit = self._phase.get("total"), self._phase.get("unit", "")
        seconds = max(time.monotonic() - self._began, 1e-9)
        rate = f"{_short(done / seconds, unit)}/s"
        if not total:
            return f"{_short(done, unit)} {rate}"
        bar = "#" * (self._WIDTH * done // total)
        left = f"{seconds * max(total - done, 0) / done:.0f} s left" if done else ""
        return f"{100 * done // total:3}% |{bar:{self._WIDTH}}| {_short(done, unit)}/{_short(total, unit)} {rate} {left}"

    def _write(self, line: str, end: str) -> None:
        print(line.ljust(78), end=end, file=sys.stderr, flush=True)


def _short(number: float, unit: str) -> str:
    """Write a number with its unit, in binary steps if of bytes."""
    step, ends = (1024, ("B", "KiB", "MiB", "GiB", "TiB")) if unit == "bytes" else (1000, ("", "k", "M", "G", "T"))
    for end in ends[:-1]:
        if abs(number) < step:
            break
        number /= step
    else:
        end = ends[-1]
    text = f"{number:.3g}{end}" if number < 1000 else f"{number:.0f}{end}"
    return text if unit == "bytes" else f"{text} {unit}"
