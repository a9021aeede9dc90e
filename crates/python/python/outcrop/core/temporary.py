"""Temporary folders."""

from __future__ import annotations

import os
import tempfile

from .. import _outcrop
from ..exceptions import UsageError
from .parameters import Path


class TemporaryFolder:
    """A folder that is removed with this object, or at the end of the process that created it (not of a forked one).

    The folder of a killed process is removed when a process next creates a temporary folder in the same place.
    """

    def __init__(self, parent: Path | None = None) -> None:
        """Create the folder in ``parent`` or in the temporary folder of the system."""
        # Workers of pools end without the functions of `atexit`, but not without these.
        from multiprocessing.util import Finalize

        handle = _outcrop.TemporaryHandle(tempfile.gettempdir() if parent is None else os.fspath(parent))
        self.path = os.fspath(handle.path)
        Finalize(self, handle.remove, exitpriority=0)


def require_checkpoint(checkpoint: Path | None, resume: bool, store: Path | None) -> None:
    """Refuse to resume without a folder, and to write checkpoints for a temporary store."""
    if resume and checkpoint is None:
        raise UsageError("resume needs checkpoint, the folder of the checkpoint")
    if checkpoint is not None and store is None:
        raise UsageError("checkpoint needs store: a temporary store cannot be resumed")
