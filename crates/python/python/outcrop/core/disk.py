"""Measurement of the disk."""

from __future__ import annotations

import json
import os
from typing import Any

from .. import _outcrop
from ..progress import Progress, listener
from .parameters import Path


def calibrate(folder: Path = ".", *, size: int | str = "1GiB", progress: Progress = None) -> dict[str, Any]:
    """Measure the disk of a folder and save the result, which outcrop uses to plan reads.

    Parameters
    ----------
    folder : path
        Folder for the temporary file.
    size : int or str
        Size of the temporary file.
    progress : None, True or callable
        See :data:`outcrop.progress.Progress`.

    Returns
    -------
    dict
        ``device``; ``sequential_read`` in bytes per second; ``random_read``, pairs of block size and bytes per second;
        ``random_read_depth_1`` in reads per second.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.calibrate("/mnt/ssd")["sequential_read"]  # doctest: +SKIP
    2412000000.0
    """
    figures: dict[str, Any] = json.loads(_outcrop.calibrate(os.fspath(folder), str(size), listener(progress)))
    return figures
