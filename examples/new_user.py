"""First steps with outcrop: build from Parquet, rank, use NetworkX, export.

pip install outcrop[networkx] polars
python new_user.py folder-of-parquet
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import polars as pl

import outcrop as oc


def write_edges(folder: Path) -> None:
    """Write a follower graph with a skewed degree distribution to two files."""
    people, numbers = [f"user-{number:04d}" for number in range(2_000)], random.Random(1)
    followed = [people[int(len(people) * numbers.random() ** 3)] for _ in range(3 * len(people))]
    rows = [(people[row % len(people)], name, 1 + row % 5) for row, name in enumerate(followed)]
    frame = pl.DataFrame(rows, schema=["follower", "followed", "messages"], orient="row")
    for part in range(2):
        frame.gather_every(2, part).write_parquet(folder / f"follows-{part}.parquet")


def main(folder: Path) -> None:
    # The store is a folder next to the edges; without a path, it would be temporary.
    graph = oc.build(
        folder / "follows-*.parquet",
        folder / "follows.outcrop",
        source="follower",
        target="followed",
        weight="messages",
        dedup="sum",
        self_loops="drop",
        memory="256MiB",
        overwrite=True,
    )
    print(graph)

    ranks = oc.pagerank(graph, tol=1e-10)
    print(ranks)
    ranks.to_parquet(folder / "ranks.parquet", overwrite=True)
    print(ranks.to_polars().sort("pagerank", descending=True).head(3))

    # NetworkX's functions accept the graph and run on the store.
    network: Any = graph
    hops = nx.single_source_shortest_path_length(network, "user-0001")
    components = nx.number_strongly_connected_components(network)
    print(
        f"user-0001 reaches {len(hops):,} people in up to {max(hops.values())} hops; {components:,} strong components"
    )

    # For algorithms that outcrop does not have, convert the graph to NetworkX.
    plain = graph.to_networkx(limit=10_000)
    print(f"reciprocity {nx.overall_reciprocity(plain):.4f}")

    print(f"{graph.export(folder / 'follows.csv', overwrite=True):,} edges exported")
    graph.close()


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.mkdir(parents=True, exist_ok=True)
    if not any(place.glob("follows-*.parquet")):
        write_edges(place)
    main(place)
