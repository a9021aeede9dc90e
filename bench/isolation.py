"""The same circumstances for every run: a memory cgroup of its own, an empty page cache, one read-ahead. Needs root on Linux."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn


def fail(message: str) -> NoReturn:
    sys.exit(f"compare.py: {message}")


class MemoryGroup:
    """A cgroup with a memory limit, of either version."""

    def __init__(self, limit: int) -> None:
        first, second = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
        self.version = 1 if (first / "memory.limit_in_bytes").exists() else 2
        root = first if self.version == 1 else second
        if self.version == 2 and not (second / "cgroup.controllers").exists():
            fail("there is no memory cgroup, neither v1 at /sys/fs/cgroup/memory nor v2 at /sys/fs/cgroup")
        self.folder = root / f"outcrop-bench-{os.getpid()}"
        try:
            if self.version == 2:
                (root / "cgroup.subtree_control").write_text("+memory")
            self.folder.mkdir()
        except OSError as error:
            fail(f"cannot make a memory cgroup ({error}); run as root, outside of containers without cgroups")
        self.set_limit(limit)

    def set_limit(self, limit: int) -> None:
        name = "memory.limit_in_bytes" if self.version == 1 else "memory.max"
        (self.folder / name).write_text(str(limit))
        # Swap would be memory beyond the limit. Where a kernel cannot swap, the files are missing.
        for name, value in (("memory.memsw.limit_in_bytes", limit), ("memory.swap.max", 0)):
            if (self.folder / name).exists():
                (self.folder / name).write_text(str(value))

    def command(self, command: list[str]) -> list[str]:
        """The command, begun inside."""
        return ["/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', str(self.folder / "cgroup.procs"), *command]

    def peak(self) -> int | None:
        name = "memory.max_usage_in_bytes" if self.version == 1 else "memory.peak"
        file = self.folder / name
        return int(file.read_text()) if file.exists() else None

    def __enter__(self) -> MemoryGroup:
        return self

    def __exit__(self, *_: object) -> None:
        self.folder.rmdir()


def drop_page_cache() -> None:
    os.sync()
    try:
        Path("/proc/sys/vm/drop_caches").write_text("3")
    except OSError as error:
        fail(f"cannot drop the page cache ({error}); run as root")


def read_ahead_file(folder: Path) -> Path:
    """Where the read-ahead of the disk under a folder is set."""
    number = folder.stat().st_dev
    device = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not device.exists():
        fail(f"{folder} lies on no block device; choose a folder on a local disk")
    device = device.resolve()
    for candidate in (device, device.parent):
        if (candidate / "queue/read_ahead_kb").exists():
            return candidate / "queue/read_ahead_kb"
    fail(f"the disk of {folder} has no read_ahead_kb")


@contextlib.contextmanager
def read_ahead(folder: Path, kib: int) -> Iterator[int]:
    """Sets the read-ahead and puts it back; gives what it was."""
    file = read_ahead_file(folder)
    before = int(file.read_text())
    # A polite end has to put the value back as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        file.write_text(str(kib))
    except OSError as error:
        fail(f"cannot set the read-ahead of the disk ({error}); run as root")
    try:
        yield before
    finally:
        file.write_text(str(before))
