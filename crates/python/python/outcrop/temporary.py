"""Folders that are there for a while."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref

from .exceptions import UsageError
from .parameters import Path


class TemporaryFolder:
    """A folder that goes with this object, or at the end of the process that made it; not of one that was forked."""

    def __init__(self, parent: Path | None = None) -> None:
        """Make the folder in ``parent``, else where the system has such."""
        self.path = tempfile.mkdtemp(prefix="outcrop-", dir=parent)
        weakref.finalize(self, _remove, self.path, os.getpid())


def _remove(path: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)


def require_checkpoint(checkpoint: Path | None, resume: bool, store: Path | None) -> None:
    """Refuse to go on without a folder, and to save what is made for a store that goes with its graph."""
    if resume and checkpoint is None:
        raise UsageError("resume goes with checkpoint: the folder in which the work was saved")
    if checkpoint is not None and store is None:
        raise UsageError("checkpoint goes with store: another process cannot go on with a store without a name")
