"""Programs of one's own: four that the package does not have, on whole arrays, from memory or from disk.

Arrays have a number a vertex in ascending id; ``oc.gather`` goes once over all edges.

python own_programs.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

import outcrop as oc

Array = np.ndarray[Any, np.dtype[Any]]


def hits(graph: oc.Graph, iterations: int = 100) -> tuple[Array, Array]:
    """Hubs and authorities, each of sum 1 (Kleinberg, JACM 1999)."""
    hubs = authorities = np.ones(len(graph))
    for _ in range(iterations):
        authorities = oc.gather(graph, hubs, edge="first")
        hubs = oc.gather(graph, authorities, edge="first", direction="out")
        hubs /= hubs.sum()
    return hubs, authorities / authorities.sum()


def simrank(graph: oc.Graph, one: int, other: int, decay: float = 0.8, steps: int = 10) -> float:
    """Similarity of two vertices by walks back along edges (linear form of Maehara, Kusumi and Kawarabayashi, 2014)."""
    degree = np.maximum(graph.degree(direction="in").to_numpy("degree"), 1)
    nodes = graph.nodes().to_numpy("node")
    walks: list[Array] = [(nodes == vertex).astype(float) for vertex in (one, other)]
    similarity = 0.0
    for step in range(steps):
        similarity += (1 - decay) * decay**step * float(walks[0] @ walks[1])
        walks = [oc.gather(graph, walk / degree, edge="first", direction="out") for walk in walks]
    return similarity


def spread_labels(graph: oc.Graph, labels: Array, alpha: float = 0.9, iterations: int = 50) -> Array:
    """The label of each vertex, from those of a few, -1 for unknown (Zhou et al., NIPS 2003); undirected graphs."""
    scale = 1 / np.sqrt(np.maximum(oc.gather(graph, np.ones(len(graph))), 1e-300))
    kinds = np.unique(labels[labels >= 0])
    scores: list[Array] = []
    for kind in kinds:
        given = (labels == kind).astype(float)
        score = given
        for _ in range(iterations):
            score = alpha * scale * oc.gather(graph, scale * score) + (1 - alpha) * given
        scores.append(score)
    spread: Array = kinds[np.argmax(scores, axis=0)]
    return spread


def influence(graph: oc.Graph, seeds: Array) -> Array:
    """The chance that a message reaches each vertex along the likeliest path; weights are the chances of edges."""

    def hear(known: Array, heard: Array) -> Array | None:
        better = np.maximum(known, heard)
        return None if np.array_equal(better, known) else better

    reached: Array = oc.pregel(graph, seeds.astype(float), lambda known: known, "max", hear, edge="times")
    return reached


def main() -> None:
    """Run each on a ring of friends with some chords."""
    ring = [(number, (number + step) % 60) for number in range(60) for step in (1, 2, 7)]
    graph = oc.build(ring, directed=False)
    hubs, _ = hits(graph)
    print(f"the greatest hub has {hubs.max():.4f} of all")
    print(f"0 and 1 are similar by {simrank(graph, 0, 1):.4f}, 0 and 30 by {simrank(graph, 0, 30):.4f}")
    labels = np.full(len(graph), -1)
    labels[[0, 30]] = [0, 1]
    print(f"{(spread_labels(graph, labels) == 0).sum()} of {len(graph)} take the label of 0")
    chances = oc.build([(source, target, 0.5) for source, target in ring], weight=True)
    print(f"the chances to hear of 0 add up to {influence(chances, labels == 0).sum():.2f}")


if __name__ == "__main__":
    main()
