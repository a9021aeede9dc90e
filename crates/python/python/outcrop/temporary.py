"""Folders that are there for a while."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref

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
