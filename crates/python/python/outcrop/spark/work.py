"""Work of a run: frames that are kept between its steps, and what it tells of itself."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any

from pyspark.sql import Observation

from .edges import Edges
from .folder import Folder

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


class Work:
    """A run under way.

    Frames between steps are kept as Parquet in a folder that all executors see. That ends their lineage, survives
    executors that are lost, and tells the planner how large they are.
    """

    def __init__(self, edges: Edges, folder: Folder) -> None:
        """Begin."""
        self.edges, self.folder = edges, folder
        self.iterations: list[dict[str, Any]] = []
        self.convergence: tuple[float, float] | None = None
        """Change of the last iteration and the tolerance, where there is one."""
        self._places = itertools.count()

    def place(self) -> str:
        """Return a name in the folder that nothing has yet."""
        return str(next(self._places))

    def keep(self, frame: DataFrame, place: str | None = None, **counted: Column) -> tuple[DataFrame, dict[str, Any]]:
        """Compute a frame in one job; the frame as it lies on disk, and aggregates of it."""
        path = f"{self.folder.path}/{place or self.place()}"
        seen = Observation()
        if counted:
            frame = frame.observe(seen, *(column.alias(name) for name, column in counted.items()))
        frame.write.mode("overwrite").parquet(path)
        return self.edges.spark.read.schema(frame.schema).parquet(path), seen.get if counted else {}


class Loop:
    """State of vertices that goes round; its place alternates, so that two states are on disk at most."""

    def __init__(self, work: Work, state: DataFrame) -> None:
        """Begin with a state, which is computed in the first step."""
        self._work, self.state = work, state
        self._places = itertools.cycle([work.place(), work.place()])
        self._began = time.perf_counter()

    def step(self, state: DataFrame, **counted: Column) -> dict[str, Any]:
        """Compute the next state; aggregates of it, of which ``change`` goes to the record."""
        self.state, found = self._work.keep(state, next(self._places), **counted)
        now = time.perf_counter()
        record = {"iteration": len(self._work.iterations) + 1, "seconds": now - self._began}
        self._work.iterations.append(record | {"change": found.get("change")})
        self._began = now
        return found
