"""PyG (``torch_geometric``) mini-batches from graphs and features on disk.

Nodes are numbered as in PyG: from 0 in ascending ID order, which is the order of results and features.
"""

from .learning.pyg import FeatureStore, GraphStore, NeighborLoader, NeighborSampler

__all__ = ["FeatureStore", "GraphStore", "NeighborLoader", "NeighborSampler"]
