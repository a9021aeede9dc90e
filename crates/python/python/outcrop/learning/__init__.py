"""Mini-batches of sampled neighbors for graph neural networks, as NumPy arrays.

The graph and the vertex features stay on disk. The lists of a layer are read once for many mini-batches.
:mod:`outcrop.pyg` converts mini-batches to PyG data.
"""

from .mini_batches import Batches, batches
from .sampling import Batch, NeighborSampler
from .vertex_features import Features, features

__all__ = ["Batch", "Batches", "Features", "NeighborSampler", "batches", "features"]
