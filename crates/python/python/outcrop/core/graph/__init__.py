"""Open graphs."""

from .any_graph import AnyGraph
from .opening import info, open, opened, run_on
from .queries import Direction
from .store import Graph, on_spark

__all__ = ["AnyGraph", "Direction", "Graph", "info", "on_spark", "open", "opened", "run_on"]
