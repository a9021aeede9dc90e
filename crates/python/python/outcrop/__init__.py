"""Graph analytics on graphs larger than memory, on one machine with an SSD.

Build a graph once into a *store* (a folder), then open the store for every analysis. Algorithms are named as in
NetworkX and return a :class:`Result`: a table with one row per vertex, with your original IDs.

Examples
--------
>>> import outcrop as oc
>>> g = oc.build([(1, 2), (2, 3), (3, 1), (4, 1)], "small.outcrop")
>>> g
<outcrop.Graph 'small.outcrop': 4 vertices, 4 edges, directed>
>>> oc.bfs(g, source=4).to_dict()
{1: 1, 2: 2, 3: 3, 4: 0}
"""

from typing import TYPE_CHECKING

from . import learning
from ._outcrop import __version__
from .algorithms import (
    assortativity,
    belief_propagation,
    betweenness_centrality,
    bfs,
    bipartite_sides,
    bridges,
    closeness_centrality,
    clustering,
    core_number,
    degrees,
    densest_subgraph,
    diameter,
    eccentricity,
    eigenvector_centrality,
    fastrp,
    greedy_color,
    harmonic_centrality,
    heat_simulation,
    hits,
    k_shortest_paths,
    katz_centrality,
    label_propagation,
    leiden,
    louvain,
    maximal_independent_set,
    modularity,
    most_similar,
    multi_source_distances,
    pagerank,
    personalized_pagerank,
    radii,
    radius,
    random_walks,
    shortest_path,
    similarity,
    spanning_forest,
    spmv,
    sssp,
    strongly_connected_components,
    topological_sort,
    triangles,
    weakly_connected_components,
)
from .core.building import build, from_edges
from .core.capacity import estimate
from .core.disk import calibrate
from .core.engine import Engine
from .core.generators import generate
from .core.graph import Graph, info, open
from .core.hints import check_calls, functions_for
from .core.programs import EdgeBatch, Lists, edge_map, gas, gather, pregel, sweep
from .core.tables.result import Result
from .core.tables.table import Stream, Table
from .core.updating import update
from .exceptions import (
    AlreadyExistsError,
    BadInputError,
    BudgetError,
    CorruptStoreError,
    DiskFullError,
    FormatVersionError,
    GenerationError,
    InternalError,
    NotConvergedError,
    NotFoundError,
    OutcropError,
    OutcropIOError,
    OutcropWarning,
    OutOfMemoryError,
    StoreInUseError,
    UsageError,
)

__all__ = [
    "AlreadyExistsError",
    "BadInputError",
    "BudgetError",
    "CorruptStoreError",
    "DiskFullError",
    "EdgeBatch",
    "Engine",
    "FormatVersionError",
    "GenerationError",
    "Graph",
    "InternalError",
    "Lists",
    "NotConvergedError",
    "NotFoundError",
    "OutOfMemoryError",
    "OutcropError",
    "OutcropIOError",
    "OutcropWarning",
    "Result",
    "StoreInUseError",
    "Stream",
    "Table",
    "UsageError",
    "__version__",
    "assortativity",
    "belief_propagation",
    "betweenness_centrality",
    "bfs",
    "bipartite_sides",
    "bridges",
    "build",
    "calibrate",
    "closeness_centrality",
    "clustering",
    "core_number",
    "degrees",
    "densest_subgraph",
    "diameter",
    "eccentricity",
    "edge_map",
    "eigenvector_centrality",
    "estimate",
    "fastrp",
    "from_edges",
    "gas",
    "gather",
    "generate",
    "greedy_color",
    "harmonic_centrality",
    "heat_simulation",
    "hits",
    "info",
    "k_shortest_paths",
    "katz_centrality",
    "label_propagation",
    "learning",
    "leiden",
    "louvain",
    "maximal_independent_set",
    "modularity",
    "most_similar",
    "multi_source_distances",
    "open",
    "pagerank",
    "personalized_pagerank",
    "pregel",
    "radii",
    "radius",
    "random_walks",
    "shortest_path",
    "similarity",
    "spanning_forest",
    "spmv",
    "sssp",
    "strongly_connected_components",
    "sweep",
    "topological_sort",
    "triangles",
    "update",
    "weakly_connected_components",
]

if not TYPE_CHECKING:
    check_calls(globals(), __all__)

    def __dir__() -> list[str]:
        """Return the public names, with the subpackages that were imported."""
        return sorted({*__all__, *(globals().keys() & {"nx", "pyg", "spark"})})

    def __getattr__(name: str) -> object:
        """Name what a missing attribute is called here: ``outcrop.dijkstra`` is not a function of this package."""
        message = f"module 'outcrop' has no attribute {name!r}"
        if name.startswith("_"):
            raise AttributeError(message)
        nearest = functions_for(name, __all__)
        if name.startswith(("from_", "read_")):
            nearest = ["outcrop.build, which takes files, tables, arrays and graphs"]
        raise AttributeError(message + (f"; use {' or '.join(nearest)}" if nearest else ""))
