"""Algorithms on DataFrames, by their names in the command line."""

from .components import scc, wcc
from .counts import degree, triangles
from .labels import cdlp
from .paths import bfs, sssp
from .ranks import pagerank

__all__ = ["bfs", "cdlp", "degree", "pagerank", "scc", "sssp", "triangles", "wcc"]
