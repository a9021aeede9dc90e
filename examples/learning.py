# %% [markdown]
# # Learning beyond memory
#
# A classifier on sampled neighborhoods. Graph and features stay on disk, and memory holds one group of mini-batches.
# The model is a softmax regression on the features of a vertex and the mean of its neighbors, in NumPy; `graph_sage.py`
# has the same with PyTorch.

# %%
import sys
from pathlib import Path
from typing import Any

import numpy as np

import outcrop as oc
from outcrop.learning import Batch, batches, features

Array = np.ndarray[Any, np.dtype[Any]]
CLASSES, WIDTH = 3, 8

folder = Path(sys.argv[1]) if len(sys.argv) == 2 else Path("work")
folder.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## Graph, features and labels
#
# Features are a `.npy` file with one row per vertex, in ascending ID. The label of a vertex depends on its
# in-neighbors, so the model has to use the graph. `oc.gather` sums over in-neighbors in one pass over the edges.

# %%
oc.generate("web", folder / "edges.parquet", vertices=5_000, edges=60_000, overwrite=True)
g = oc.build(folder / "edges.parquet", folder / "graph.outcrop", dedup="first", memory="64MiB", overwrite=True)
random = np.random.default_rng(1)
np.save(folder / "features.npy", random.standard_normal((len(g), WIDTH), dtype="f4"))
x = features(folder / "features.npy", g)
directions = random.standard_normal((WIDTH, CLASSES))
scores = [oc.gather(g, x.rows @ directions[:, kind], edge="first") for kind in range(CLASSES)]
labels = np.argmax(scores, axis=0)
print(g, np.bincount(labels))

# %% [markdown]
# ## Model
#
# The inputs of a seed are its own features and the mean over its sampled in-neighbors.


# %%
def inputs(batch: Batch) -> Array:
    seeds, neighbors, own = batch.num_seeds, batch.edge_index, np.asarray(batch.features)
    sums = np.zeros((seeds, WIDTH))
    np.add.at(sums, neighbors[1], own[neighbors[0]])
    counts = np.maximum(np.bincount(neighbors[1], minlength=seeds), 1)[:, None]
    return np.hstack((own[:seeds], sums / counts, np.ones((seeds, 1))))


def probabilities(rows: Array, weights: Array) -> Array:
    powers = np.exp(rows @ weights - (rows @ weights).max(axis=1, keepdims=True))
    result: Array = powers / powers.sum(axis=1, keepdims=True)
    return result


# %% [markdown]
# ## Training
#
# Each epoch samples new neighbors. `ahead` mini-batches are read together, in disk order.

# %%
shuffled = random.permutation(len(g))
train, test = shuffled[:4_000], shuffled[4_000:]
weights = np.zeros((2 * WIDTH + 1, CLASSES))
nodes = g.nodes().to_numpy("node")
for epoch in range(5):
    for batch in batches(g, nodes[train], [10], batch_size=256, shuffle=True, features=x, labels=labels, seed=epoch):
        rows = inputs(batch)
        errors = probabilities(rows, weights) - np.eye(CLASSES)[batch.labels]
        weights -= 2.0 * rows.T @ errors / len(rows)
    found = [
        probabilities(inputs(batch), weights).argmax(axis=1) == batch.labels
        for batch in batches(g, nodes[test], [10], features=x, labels=labels)
    ]
    print(f"epoch {epoch + 1}: accuracy on other vertices {np.concatenate(found).mean():.2f}")
