"""Folders that are there for a while."""

from __future__ import annotations

import os
import tempfile

from . import _outcrop
from .exceptions import UsageError
from .parameters import Path


class TemporaryFolder:
    """A folder that goes with this object, or at the end of the process that made it; not of one that was forked.

    A process that is killed leaves it until the next one makes a temporary folder in the same place.
    """

    def __init__(self, parent: Path | None = None) -> None:
        """Make the folder in ``parent``, else where the system has such."""
        # Workers of pools end without the functions of `atexit`, but not without these.
        from multiprocessing.util import Finalize

        handle = _outcrop.TemporaryHandle(tempfile.gettempdir() if parent is None else os.fspath(parent))
        self.path = os.fspath(handle.path)
        Finalize(self, handle.remove, exitpriority=0)


def require_checkpoint(checkpoint: Path | None, resume: bool, store: Path | None) -> None:
    """Refuse to go on without a folder, and to save what is made for a store that goes with its graph."""
    if resume and checkpoint is None:
        raise UsageError("resume goes with checkpoint: the folder in which the work was saved")
    if checkpoint is not None and store is None:
        raise UsageError("checkpoint goes with store: another process cannot go on with a store without a name")
