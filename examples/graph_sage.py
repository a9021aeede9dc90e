"""GraphSAGE (Hamilton, Ying and Leskovec, NIPS 2017) on a graph and features that stay on disk.

The label of a vertex depends on the features of its in-neighbors, so the model must use the graph.
Without PyG, the example samples mini-batches but does not train.

pip install outcrop[learning]
python graph_sage.py folder --scale 20 --memory 32MiB
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from pathlib import Path
from typing import Any

import numpy as np

import outcrop as oc

Array = np.ndarray[Any, np.dtype[Any]]

CLASSES = 4
FANOUTS = [15, 10]


def open_graph(folder: Path, scale: int, memory: str) -> oc.Graph:
    """Open the graph in the folder; build it if it does not exist."""
    store = folder / "graph.outcrop"
    if not store.exists():
        edges = folder / "edges.bin"
        oc.generate("kronecker", edges, scale=scale, overwrite=True)
        oc.build(edges, store, dedup="first", self_loops="drop", order="degree", memory="1GiB").close()
    return oc.open(store, memory=memory)


def make_features(file: Path, count: int, width: int) -> None:
    """Write random features in blocks."""
    numbers = np.random.default_rng(1)
    rows = np.lib.format.open_memmap(file, "w+", "f4", (count, width))
    for begin in range(0, count, 1 << 16):
        rows[begin : begin + (1 << 16)] = numbers.standard_normal((min(1 << 16, count - begin), width), "f4")


def make_labels(graph: oc.Graph, rows: oc.learning.Features) -> Array:
    """Return labels: the class that best matches the features of a vertex and the mean of its in-neighbors."""
    directions = np.random.default_rng(2).standard_normal((rows.rows.shape[1], CLASSES)).astype("f4")
    degree = np.maximum(graph.degree(direction="in").to_numpy("degree"), 1)
    best, labels = np.full(len(graph), -np.inf), np.zeros(len(graph), "i8")
    for kind in range(CLASSES):
        own = rows.rows @ directions[:, kind]
        score = own / 2 + oc.gather(graph, own, edge="first") / np.sqrt(degree)
        labels[score > best] = kind
        best = np.maximum(best, score)
    return labels


def train(graph: oc.Graph, rows: oc.learning.Features, labels: Array, seeds: tuple[Array, Array], epochs: int) -> float:
    """Train two layers and return the accuracy on seeds that were not used for training."""
    import torch
    from torch_geometric.nn import GraphSAGE

    from outcrop.pyg import NeighborLoader

    torch.manual_seed(1)
    model = GraphSAGE(rows.rows.shape[1], 64, len(FANOUTS), CLASSES)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    known: Any = {"features": rows, "labels": labels, "batch_size": 512}
    loader = NeighborLoader(graph, FANOUTS, seeds[0], shuffle=True, **known)
    tests = NeighborLoader(graph, FANOUTS, seeds[1], **known)

    def right(batch: Any) -> int:
        with torch.no_grad():
            guess = model(batch.x, batch.edge_index)[: batch.batch_size].argmax(1)
        return int((guess == batch.y[: batch.batch_size]).sum())

    accuracy = 0.0
    for epoch in range(epochs):
        begin, training = time.perf_counter(), 0.0
        for batch in loader:
            drawn = time.perf_counter()
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(
                model(batch.x, batch.edge_index)[: batch.batch_size], batch.y[: batch.batch_size]
            )
            loss.backward()
            optimizer.step()
            training += time.perf_counter() - drawn
        seconds = time.perf_counter() - begin
        accuracy = sum(map(right, tests)) / len(seeds[1])
        print(f"epoch {epoch}: batches {seconds - training:.2f} s, training {training:.2f} s, {accuracy:.1%} accuracy")
    return accuracy


def draw(graph: oc.Graph, rows: oc.learning.Features, labels: Array, seeds: Array) -> None:
    """Iterate over the mini-batches once."""
    begin, vertices, edges = time.perf_counter(), 0, 0
    ids = oc.learning.NeighborSampler(graph, []).nodes(seeds)
    for batch in oc.learning.batches(graph, ids, FANOUTS, shuffle=True, features=rows, labels=labels):
        assert batch.features is not None and batch.labels is not None
        assert len(batch.features) == len(batch.nodes) and len(batch.labels) == batch.num_seeds
        vertices, edges = vertices + len(batch.nodes), edges + batch.edge_index.shape[1]
    seconds = time.perf_counter() - begin
    print(f"{len(seeds):,} seeds in {seconds:.2f} s: {vertices:,} vertices with features, {edges:,} edges")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=int, default=12, help="up to 2^scale vertices, 16 edges each")
    parser.add_argument("--width", type=int, default=16, help="features per vertex")
    parser.add_argument("--seeds", type=int, default=2048, help="number of training vertices")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--memory", default="64MiB", help="memory budget of the graph")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)

    graph = open_graph(given.folder, given.scale, given.memory)
    if not (given.folder / "x.npy").exists():
        make_features(given.folder / "x.npy", len(graph), given.width)
    rows = oc.learning.features(given.folder / "x.npy", graph)
    labels = make_labels(graph, rows)
    seeds = np.random.default_rng(3).permutation(len(graph))
    chosen, tests = seeds[: given.seeds], seeds[given.seeds :][:10_000]
    mebibytes = graph.info()["bytes"] >> 20, rows.rows.nbytes >> 20
    print(f"{graph}: {mebibytes[0]} MiB on disk, {mebibytes[1]} MiB of features; memory budget {given.memory}")

    draw(graph, rows, labels, chosen)
    if importlib.util.find_spec("torch_geometric"):
        accuracy = train(graph, rows, labels, (chosen, tests), given.epochs)
        assert accuracy > 1.5 / CLASSES, "not better than random guessing"


if __name__ == "__main__":
    main()
