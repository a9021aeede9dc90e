"""Real graphs: the same answers as NetworkX and igraph, all ten with OUTCROP_PROOF=1."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("networkx", minversion="3.6")

SMALL = ["w-netscience.wel", "email-Eu-core.el"]
LARGE = [
    "p2p-Gnutella05.el",
    "wiki-Vote.el",
    "fb-MIT8.el",
    "w-Sydney.wel",
    "email-Enron.el",
    "road-NY.el",
    "cit-HepPh.el",
    "mesh-wave.el",
]
DIRECTED = {"email-Eu-core", "p2p-Gnutella05", "wiki-Vote", "w-Sydney", "cit-HepPh"}


@pytest.fixture(params=SMALL + (LARGE if "OUTCROP_PROOF" in os.environ else []))
def real(request: pytest.FixtureRequest, data: Path) -> Any:
    """A graph of NetworkX; where it has no weights, each edge has one that is made of its ends."""
    name = request.param
    rows = np.loadtxt(data / "graphs" / f"{name}.gz")
    ends = rows[:, :2].astype(int)
    weights = rows[:, 2] if rows.shape[1] > 2 else 1 + (ends.min(1) * 73856093 ^ ends.max(1) * 19349663) % 1000
    made = nx.DiGraph() if name.partition(".")[0] in DIRECTED else nx.Graph()
    for source, target, weight in zip(*ends.T.tolist(), weights.tolist(), strict=True):
        made.add_edge(source, target, weight=weight)
    return made


def same(name: str, graph: Any, *args: Any, **options: Any) -> None:
    function = getattr(nx, name)
    expected = function(graph, *args, **options, backend="networkx")
    found = function(graph, *args, **options, backend="outcrop")
    assert found == (expected if isinstance(expected, int) else pytest.approx(expected, rel=1e-9, abs=1e-12)), name


def test_answers_of_networkx(real: Any) -> None:
    with nx.config(warnings_to_ignore={"cache"}):
        source = max(real, key=real.degree)
        for weight in ("weight", None):
            same("pagerank", real, tol=1e-14, max_iter=2000, weight=weight)
            same("single_source_dijkstra_path_length", real, source, weight=weight)
            same("betweenness_centrality", real, k=3, weight=weight, seed=7)
        same("single_source_shortest_path_length", real, source)
        kinds = ["weakly_", "strongly_"] if real.is_directed() else [""]
        for kind in kinds:
            name = f"{kind}connected_components"
            found = set(map(frozenset, getattr(nx, name)(real, backend="outcrop")))
            assert found == set(map(frozenset, getattr(nx, name)(real, backend="networkx")))
        simple = nx.Graph(real)
        simple.remove_edges_from(list(nx.selfloop_edges(simple)))
        for name in ("core_number", "triangles", "clustering", "transitivity", "average_clustering"):
            same(name, simple)
        same("clustering", simple, weight="weight")


def test_answers_of_igraph(real: Any) -> None:
    igraph = pytest.importorskip("igraph")
    theirs = igraph.Graph.from_networkx(real)
    nodes = theirs.vs["_nx_name"]
    with nx.config(warnings_to_ignore={"cache"}):
        ranks = nx.pagerank(real, tol=1e-17, max_iter=2000, backend="outcrop")
        expected = theirs.pagerank(weights="weight")
        assert ranks == pytest.approx(dict(zip(nodes, expected, strict=True)), rel=1e-9, abs=1e-12)
        place = max(range(len(nodes)), key=theirs.degree)
        reached = zip(nodes, theirs.distances(place, weights="weight")[0], strict=True)
        found = nx.single_source_dijkstra_path_length(real, nodes[place], backend="outcrop")
        assert found == pytest.approx({node: far for node, far in reached if np.isfinite(far)}, rel=1e-9)
        simple = theirs.as_undirected().simplify()
        plain = nx.Graph(real)
        plain.remove_edges_from(list(nx.selfloop_edges(plain)))
        assert nx.core_number(plain, backend="outcrop") == dict(zip(nodes, simple.coreness(), strict=True))
