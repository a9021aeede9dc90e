"""Custom programs on arrays: one number per vertex, combined along all edges or those of a frontier."""

from .edge_maps import edge_map
from .edge_values import EdgeBatch, gas
from .gathers import CombineName, EdgeName, gather
from .lists import Lists, sweep
from .supersteps import pregel

__all__ = ["CombineName", "EdgeBatch", "EdgeName", "Lists", "edge_map", "gas", "gather", "pregel", "sweep"]
