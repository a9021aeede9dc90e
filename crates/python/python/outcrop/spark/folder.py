"""Temporary folders shared by the executors."""

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
    """A folder that is removed with this object, or at the end of the process."""

    def __init__(self, spark: SparkSession, parent: str) -> None:
        """Name the folder; Spark creates it on the first write."""
        self.path = f"{parent.rstrip('/')}/outcrop-{uuid.uuid4().hex}"
        self.remove = weakref.finalize(self, _remove, spark, self.path)

    def local(self) -> LocalPath:
        """Create the folder on the local file system and return it.

        Raises
        ------
        UsageError
            If it is not on the local file system.
        """
        if not self.path.startswith("file:"):
            raise UsageError(
                f"{self.path} is not a local folder; use a shared tmp_dir such as file:/mnt/shared, "
                "or export the edges first: g.export('edges.parquet')"
            )
        path = LocalPath(self.path.removeprefix("file:"))
        path.mkdir(parents=True, exist_ok=True)
        return path


def parent_of(spark: SparkSession, tmp_dir: str | None) -> str:
    """Return the parent folder: the given one, the checkpoint folder, or on one machine the system default.

    Raises
    ------
    UsageError    If the session uses a cluster and no folder is given.
    """
    if tmp_dir is not None:
        return tmp_dir
    if (spark.conf.get("spark.master", None) or "").startswith("local"):
        return f"file:{tempfile.gettempdir()}"
    checkpoints: str | None = spark.sparkContext.getCheckpointDir()
    if checkpoints is None:
        raise UsageError(
            "a cluster needs a folder that the driver and all executors can write to; pass one, "
            "such as tmp_dir='hdfs:///tmp'"
        )
    return checkpoints


def exists(spark: SparkSession, path: str) -> bool:
    """Return whether the path exists."""
    place, system = _place(spark, path)
    return bool(system.exists(place))


def _place(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """Return the Hadoop path and file system, which support all Spark targets."""
    place = spark._jvm.org.apache.hadoop.fs.Path(path)  # type: ignore[union-attr, unused-ignore]
    return place, place.getFileSystem(spark._jsc.hadoopConfiguration())  # type: ignore[attr-defined, unused-ignore]


def _remove(spark: SparkSession, path: str) -> None:
    """Remove a folder; without a session, only a local one."""
    try:
        place, system = _place(spark, path)
        system.delete(place, True)
    except Exception:  # The session may have ended, or be one of Spark Connect.
        if path.startswith("file:"):
            shutil.rmtree(path.removeprefix("file:"), ignore_errors=True)
