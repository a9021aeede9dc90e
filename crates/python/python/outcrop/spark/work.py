"""Work of a run: frames kept between steps, and the run record."""

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
    """A running algorithm.

    Frames between steps are stored as Parquet in a shared folder. This cuts their lineage, survives lost executors, and
    gives the planner exact sizes.
    """

    def __init__(self, edges: Edges, folder: Folder) -> None:
        """Begin."""
        self.edges, self.folder = edges, folder
        self.iterations: list[dict[str, Any]] = []
        self.convergence: tuple[float, float] | None = None
        """Change of the last iteration and the tolerance, if any."""
        self._places = itertools.count()

    def place(self) -> str:
        """Return an unused name in the folder."""
        return str(next(self._places))

    def keep(self, frame: DataFrame, place: str | None = None, **counted: Column) -> tuple[DataFrame, dict[str, Any]]:
        """Compute a frame in one job; return the stored frame and its aggregates."""
        path = f"{self.folder.path}/{place or self.place()}"
        seen = Observation()
        if counted:
            frame = frame.observe(seen, *(column.alias(name) for name, column in counted.items()))
        frame.write.mode("overwrite").parquet(path)
        return self.edges.spark.read.schema(frame.schema).parquet(path), seen.get if counted else {}


class Loop:
    """Vertex state between steps; its path alternates, so that at most two states are on disk."""

    def __init__(self, work: Work, state: DataFrame) -> None:
        """Start with a state that the first step computes."""
        self._work, self.state = work, state
        self._places = itertools.cycle([work.place(), work.place()])
        self._began = time.perf_counter()

    def step(self, state: DataFrame, **counted: Column) -> dict[str, Any]:
        """Compute the next state and return its aggregates; ``change`` goes to the record."""
        self.state, found = self._work.keep(state, next(self._places), **counted)
        now = time.perf_counter()
        record = {"iteration": len(self._work.iterations) + 1, "seconds": now - self._began}
        self._work.iterations.append(record | {"change": found.get("change")})
        self._began = now
        return found
