"""Folders that executors write and read, and that go when they are no longer needed."""

from __future__ import annotations

import shutil
import tempfile
import uuid
import weakref
from pathlib import Path as LocalPath
from typing import TYPE_CHECKING, Any

from ..exceptions import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Folder:
    """A folder of its own in a parent; it goes with this object, or at the end of the process."""

    def __init__(self, spark: SparkSession, parent: str) -> None:
        """Name the folder; Spark makes it when it writes there."""
        self.path = f"{parent.rstrip('/')}/outcrop-{uuid.uuid4().hex}"
        self.remove = weakref.finalize(self, _remove, spark, self.path)

    def local(self) -> LocalPath:
        """Return and make the folder on the file system of this process.

        Raises
        ------
        UsageError
            It lies elsewhere.
        """
        if not self.path.startswith("file:"):
            raise UsageError(
                f"{self.path} is no folder of this machine; give a tmp_dir as file:/mnt/shared that executors see too, "
                "or write the edges yourself: g.export('edges.parquet')"
            )
        path = LocalPath(self.path.removeprefix("file:"))
        path.mkdir(parents=True, exist_ok=True)
        return path


def parent_of(spark: SparkSession, tmp_dir: str | None) -> str:
    """Return where folders go: the one that was named, that of checkpoints, or on one machine the system's.

    Raises
    ------
    UsageError
        There is a cluster, and none of them.
    """
    if tmp_dir is not None:
        return tmp_dir
    if (spark.conf.get("spark.master", None) or "").startswith("local"):
        return f"file:{tempfile.gettempdir()}"
    checkpoints: str | None = spark.sparkContext.getCheckpointDir()
    if checkpoints is None:
        raise UsageError(
            "on a cluster the state of runs is kept in files: name a folder that the driver and all executors write, "
            "such as tmp_dir='hdfs:///tmp'"
        )
    return checkpoints


def exists(spark: SparkSession, path: str) -> bool:
    """Say whether something stands there."""
    place, system = _place(spark, path)
    return bool(system.exists(place))


def _place(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """Return a path and its file system as Hadoop has them, which knows all that Spark writes to."""
    place = spark._jvm.org.apache.hadoop.fs.Path(path)  # type: ignore[union-attr, unused-ignore]
    return place, place.getFileSystem(spark._jsc.hadoopConfiguration())  # type: ignore[attr-defined, unused-ignore]


def _remove(spark: SparkSession, path: str) -> None:
    """Remove a folder; without a session, what lies here."""
    try:
        place, system = _place(spark, path)
        system.delete(place, True)
    except Exception:  # The session may have ended, or be one of Spark Connect.
        if path.startswith("file:"):
            shutil.rmtree(path.removeprefix("file:"), ignore_errors=True)
