"""Custom programs: five algorithms that the package does not have, and shortest paths, on NumPy arrays.

An array has one value per vertex in ascending ID; ``oc.gather`` is one pass over all edges, in memory or on disk;
``oc.edge_map`` follows the edges of a frontier; ``oc.gas`` keeps values on edges.

python own_programs.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

import outcrop as oc

Array = np.ndarray[Any, np.dtype[Any]]


def hits(graph: oc.Graph, iterations: int = 100) -> tuple[Array, Array]:
    """Hubs and authorities, each with sum 1 (Kleinberg, JACM 1999)."""
    hubs = authorities = np.ones(len(graph))
    for _ in range(iterations):
        authorities = oc.gather(graph, hubs, edge="first")
        hubs = oc.gather(graph, authorities, edge="first", direction="out")
        hubs /= hubs.sum()
    return hubs, authorities / authorities.sum()


def simrank(graph: oc.Graph, one: int, other: int, decay: float = 0.8, steps: int = 10) -> float:
    """SimRank of two vertices by reverse walks (linear form of Maehara, Kusumi and Kawarabayashi, 2014)."""
    degree = np.maximum(graph.degree(direction="in").to_numpy("degree"), 1)
    nodes = graph.nodes().to_numpy("node")
    walks: list[Array] = [(nodes == vertex).astype(float) for vertex in (one, other)]
    similarity = 0.0
    for step in range(steps):
        similarity += (1 - decay) * decay**step * float(walks[0] @ walks[1])
        walks = [oc.gather(graph, walk / degree, edge="first", direction="out") for walk in walks]
    return similarity


def spread_labels(graph: oc.Graph, labels: Array, alpha: float = 0.9, iterations: int = 50) -> Array:
    """Label of each vertex, spread from a few labels, -1 for unknown (Zhou et al., NIPS 2003); undirected graphs."""
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
    """Probability that a message reaches each vertex along the most probable path; weights are edge probabilities."""

    def hear(known: Array, heard: Array) -> Array | None:
        better = np.maximum(known, heard)
        return None if np.array_equal(better, known) else better

    reached: Array = oc.pregel(graph, seeds.astype(float), lambda known: known, "max", hear, edge="times")
    return reached


def shortest_paths(graph: oc.Graph, source: int) -> Array:
    """Sum of the weights on the shortest path from a vertex to each (Bellman, 1958; Ford, 1956)."""
    distance = np.full(len(graph), np.inf)
    distance[source] = 0
    frontier: Array = np.array([source])

    def relax(sources: Array, targets: Array, weights: Array | None) -> Array:
        found = distance[sources] + weights
        nearer: Array = found < distance[targets]
        np.minimum.at(distance, targets, found)
        return nearer

    while len(frontier):
        frontier = oc.edge_map(graph, frontier, relax, weights=True)
    return distance


def mean_spins(graph: oc.Graph, fields: Array) -> Array:
    """Mean spin of each vertex in an Ising model whose couplings are edge weights; exact in forests (Pearl, 1982)."""

    def send(field: Array, edges: oc.EdgeBatch) -> Array:
        assert edges.weights is not None
        # A message excludes the message of its receiver.
        sent: Array = np.arctanh(np.tanh(edges.weights) * np.tanh(field - edges.reverse))
        return sent

    def hear(_: Array, heard: Array, rows: Array) -> Array:
        field: Array = fields[rows] + heard
        return field

    return np.tanh(oc.gas(graph, fields, apply=hear, scatter=send, reverse=True, tol=1e-12))


def main() -> None:
    """Run each program on a ring with some chords."""
    ring = [(number, (number + step) % 60) for number in range(60) for step in (1, 2, 7)]
    graph = oc.build(ring, directed=False)
    hubs, _ = hits(graph)
    print(f"largest hub score: {hubs.max():.4f}")
    print(f"SimRank of 0 and 1: {simrank(graph, 0, 1):.4f}, of 0 and 30: {simrank(graph, 0, 30):.4f}")
    labels = np.full(len(graph), -1)
    labels[[0, 30]] = [0, 1]
    print(f"vertices with the label of 0: {(spread_labels(graph, labels) == 0).sum()} of {len(graph)}")
    chances = oc.build([(source, target, 0.5) for source, target in ring], weight=True)
    print(f"sum of the probabilities to be reached from 0: {influence(chances, labels == 0).sum():.2f}")
    print(f"longest of the shortest paths from 0: {shortest_paths(chances, 0).max():.1f}")
    chain = oc.build([(number, number + 1, 0.8) for number in range(59)], weight=True, directed=False)
    print(f"mean spin at the other end of a chain: {mean_spins(chain, 2.0 * (np.arange(60) == 0))[-1]:.2e}")


if __name__ == "__main__":
    main()
