"""Interface of all graphs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ..tables.result import Result
from .exports import Exports
from .neighborhoods import Neighborhoods
from .upkeep import Upkeep

if TYPE_CHECKING:
    from ..engine import Engine


class AnyGraph(Upkeep, Exports, Neighborhoods, ABC):
    """A graph on this machine or on Spark, which all algorithms accept."""

    @abstractmethod
    def _run(self, algorithm: str, *, options: Engine | None = None, **parameters: Any) -> Result:
        """Run an algorithm."""
