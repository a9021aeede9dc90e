"""How progress is shown."""

from __future__ import annotations

import inspect
import json
import sys
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
    """Writes a line a phase and a note, and keeps the last one up to date on a terminal."""

    def __init__(self) -> None:
        self._phase: dict[str, Any] = {}

    def __call__(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "phase":
            self._phase = event
            self._write(f"outcrop: {event['name']}", end="\n")
        elif kind == "note":
            self._write(f"outcrop: note: {event['message']}", end="\n")
        elif sys.stderr.isatty():
            self._write(f"outcrop: {self._phase.get('name', '')} {self._how_far(event)}", end="\r")

    def _how_far(self, event: dict[str, Any]) -> str:
        if event["event"] == "iteration":
            return f"iteration {event['record']['iteration']}"
        total = self._phase.get("total")
        share = f" ({100 * event['done'] / total:.0f}%)" if total else ""
        return f"{event['done']:,} {self._phase.get('unit', '')}{share}"

    def _write(self, line: str, end: str) -> None:
        print(line.ljust(78), end=end, file=sys.stderr, flush=True)
