"""NetworkX backend ``"outcrop"``: NetworkX algorithms, with their names, arguments and definitions, on outcrop graphs.

NetworkX graphs are converted to a temporary store, which NetworkX caches; a :class:`outcrop.Graph` is used directly.
Results use the nodes of the given graph. :func:`can_run` refuses calls that outcrop defines differently, with a reason.
"""

from .communities import leiden_communities, louvain_communities
from .components import (
    connected_components,
    is_connected,
    is_strongly_connected,
    is_weakly_connected,
    node_connected_component,
    number_connected_components,
    number_strongly_connected_components,
    number_weakly_connected_components,
    strongly_connected_components,
    weakly_connected_components,
)
from .dispatch import can_run, get_info, on_start_tests, should_run
from .distances import (
    center,
    descendants,
    diameter,
    eccentricity,
    multi_source_dijkstra_path_length,
    periphery,
    radius,
    shortest_path_length,
    single_source_bellman_ford_path_length,
    single_source_dijkstra_path_length,
    single_source_shortest_path_length,
    single_target_shortest_path_length,
)
from .graphs import ConvertedGraph, convert_from_nx, convert_to_nx
from .links import (
    adamic_adar_index,
    common_neighbors,
    jaccard_coefficient,
    preferential_attachment,
    resource_allocation_index,
)
from .measures import (
    average_clustering,
    betweenness_centrality,
    clustering,
    core_number,
    maximal_independent_set,
    pagerank,
    transitivity,
    triangles,
)

__all__ = [
    "ConvertedGraph",
    "adamic_adar_index",
    "average_clustering",
    "betweenness_centrality",
    "can_run",
    "center",
    "clustering",
    "common_neighbors",
    "connected_components",
    "convert_from_nx",
    "convert_to_nx",
    "core_number",
    "descendants",
    "diameter",
    "eccentricity",
    "get_info",
    "is_connected",
    "is_strongly_connected",
    "is_weakly_connected",
    "jaccard_coefficient",
    "leiden_communities",
    "louvain_communities",
    "maximal_independent_set",
    "multi_source_dijkstra_path_length",
    "node_connected_component",
    "number_connected_components",
    "number_strongly_connected_components",
    "number_weakly_connected_components",
    "on_start_tests",
    "pagerank",
    "periphery",
    "preferential_attachment",
    "radius",
    "resource_allocation_index",
    "shortest_path_length",
    "should_run",
    "single_source_bellman_ford_path_length",
    "single_source_dijkstra_path_length",
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
    "strongly_connected_components",
    "transitivity",
    "triangles",
    "weakly_connected_components",
]
