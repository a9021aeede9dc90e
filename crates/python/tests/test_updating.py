"""Edges in and out of stores that are there."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
import pytest

import outcrop as oc


def distances(store: Path, source: int | str) -> dict[int | str, int | None]:
    with oc.open(store) as graph:
        graph.check()
        return oc.bfs(graph, source=source).to_dict()


def test_edges_of_all_kinds(tmp_path: Path) -> None:
    store = tmp_path / "g.outcrop"
    oc.build([(1, 2), (2, 3), (3, 4)], store).close()
    (tmp_path / "add.csv").write_text("src,dst\n4,1\n")
    record = oc.update(store, add=tmp_path / "add.csv", remove=np.array([(3, 4), (4, 3)]), merge_above="never")
    assert (record["added"], record["removed"], record["absent"], record["merged"]) == (1, 1, 1, False)
    assert record["updates"]["generation"] == 1
    assert distances(store, 4) == {1: 1, 2: 2, 3: 3, 4: 0}
    oc.update(store, add=pl.DataFrame({"source": [3], "target": [4]}), remove=[(2, 3)], merge=True)
    assert distances(store, 1) == {1: 0, 2: 1, 3: None, 4: None}
    with oc.open(store) as graph:
        assert "updates" not in graph.info()
    for merge_above, merged in (("95%", False), (0.95, False), (0.01, True)):
        assert oc.update(store, add=[(1, 4)], merge_above=merge_above)["merged"] == merged


def test_weights_and_new_vertices(tmp_path: Path) -> None:
    store = tmp_path / "g.outcrop"
    oc.build([("a", "b"), ("b", "c")], store, weight=[1.0, 2.0], weight_type="f64", dedup="sum").close()
    record = oc.update(store, add=[("a", "b"), ("c", "d")], weight=np.array([0.5, 4.0]))
    assert (record["added"], record["reweighted"], record["new_vertices"], record["merged"]) == (1, 1, 1, True)
    with oc.open(store) as graph:
        assert oc.sssp(graph, source="a").to_dict() == {"a": 0.0, "b": 1.5, "c": 3.5, "d": 7.5}
    with pytest.raises(oc.UsageError, match="weights"):
        oc.update(store, add=[("a", "b")])


@pytest.mark.parametrize("options", [{}, {"order": "degree", "layout": "csr"}, {"layout": "compact", "directed": False}])
def test_pending_new_vertices_are_in_every_answer(tmp_path: Path, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(7)
    edges = rng.integers(0, 100, (500, 2)) * 10
    steps = [[(15, 20), (15, 5005), (5005, 3)], [(3, 15), (1, 5005), (777, 777)]]
    graph = oc.build(edges, tmp_path / "g.outcrop", **options)
    # IDs and lists of earlier queries stay in memory.
    assert graph.neighbors(10) and 15 not in graph and len(graph) == 100
    for number, added in enumerate(steps):
        record = graph.update(add=added, merge_above="never")
        assert record["new_vertices"] == 3 - number and not record["merged"]
        edges = np.concatenate([edges, added])
        with oc.build(edges, tmp_path / f"fresh{number}.outcrop", **options) as fresh:
            nodes = list(fresh)

            def answers(graph: oc.Graph, nodes: list[Any] = nodes) -> list[Any]:
                graph.check()
                tables: list[Any] = [
                    graph.neighbors(nodes),
                    graph.in_neighbors(nodes[::-7]),
                    graph.degree(),
                    graph.edges(),
                    graph.subgraph(nodes[::2]),
                ]
                pairs = graph.has_edge(nodes * 2, nodes[::-1] + nodes[3:] + nodes[:3])
                single = [(graph.neighbors(node), graph.in_neighbors(node), graph.degree(node)) for node in nodes[:20]]
                last = [graph.neighbors(node) for node in (3, 15, 5005)]
                ranked = np.arange(len(graph), dtype=float)
                return [
                    list(graph),
                    *(table.to_arrow().to_pydict() for table in tables),
                    pairs,
                    single,
                    last,
                    oc.spmv(graph, ranked).to_dict(),
                    oc.gather(graph, ranked, combine=np.maximum, nothing=-1.0).tolist(),
                    oc.weakly_connected_components(graph).to_dict(),
                ]

            for found, expected in zip(answers(graph), answers(fresh), strict=True):
                assert found == expected
    graph.close()


def test_weights_that_are_not_stored_are_noted(tmp_path: Path) -> None:
    store = tmp_path / "g.outcrop"
    oc.build([(1, 2), (2, 3)], store).close()
    frame = pl.DataFrame({"source": [3], "target": [2], "weight": [2.5]})
    for edges, weight in (([(3, 1, 2.5)], None), (frame, "weight")):
        with pytest.warns(oc.OutcropWarning, match="weights of the inserted edges were not stored"):
            assert oc.update(store, add=edges, weight=weight)["added"] == 1
    isolated = nx.Graph([(1, 2)])
    isolated.add_node(7)
    with pytest.warns(oc.OutcropWarning, match="isolated vertices of the graph were not inserted"):
        assert oc.update(store, add=isolated)["vertices"] == 3


def test_the_format_of_files_can_be_given(tmp_path: Path) -> None:
    store, file = tmp_path / "g.outcrop", tmp_path / "edges"
    oc.build([(1, 2), (2, 3)], store).close()
    file.write_text("3 2\n2\n1 3\n2\n")
    assert oc.update(store, add=[os.fspath(file)], format="metis")["added"] == 4
    with pytest.raises(oc.UsageError, match="format"):
        oc.update(store, add=[os.fspath(file)], format="metric")


def test_an_open_graph_keeps_its_generation(tmp_path: Path) -> None:
    with oc.build([(1, 2)], tmp_path / "g.outcrop") as graph:
        assert not oc.update(tmp_path / "g.outcrop", add=[(2, 1), (2, 3)])["merged"]
        assert oc.bfs(graph, 2).to_dict() == {1: None, 2: 0} and graph.neighbors([2]).to_pandas().empty
        with pytest.raises(oc.StoreInUseError):
            oc.update(tmp_path / "g.outcrop", add=[(2, 1)], merge=True)
    with pytest.raises(oc.UsageError, match="fraction"):
        oc.update(tmp_path / "g.outcrop", add=[(2, 1)], merge_above="much")
    assert distances(tmp_path / "g.outcrop", 2) == {1: 1, 2: 0, 3: 1}


def test_a_graph_updates_itself_and_stays_open(tmp_path: Path) -> None:
    graph = oc.build([(1, 2), (2, 3)], tmp_path / "g.outcrop", memory="64MiB")
    assert graph.update(add=[(3, 4)], remove=[(1, 2)])["vertices"] == 4
    assert graph.num_edges == 2 and oc.bfs(graph, 2).to_dict() == {1: None, 2: 0, 3: 1, 4: 2}
    with oc.open(tmp_path / "g.outcrop") as other:
        graph.update(add=[(4, 1)])
        assert other.num_edges == 2
    assert oc.bfs(graph, 2).to_dict()[1] == 3 and graph.num_edges == 3


def test_a_graph_is_converted(tmp_path: Path) -> None:
    graph = oc.build([(number, number * 7 % 50) for number in range(50)], tmp_path / "g.outcrop", order="original")
    other = graph.convert(tmp_path / "other.outcrop", layout="csr", page_size="1KiB", order="degree", verify=True)
    assert [layout["layout"] for layout in other.info()["layouts"]][0] == "csr" and other.info()["order"] == "degree"
    assert oc.bfs(other, 3).to_dict("distance") == oc.bfs(graph, 3).to_dict("distance")
    assert graph.convert().info()["order"] == "original"
    with pytest.raises(oc.AlreadyExistsError):
        graph.convert(tmp_path / "other.outcrop")
    with pytest.raises(oc.UsageError, match="intervals needs"):
        graph.convert(layout="csr", intervals=3)


def test_a_merge_waits_for_a_graph_that_is_open(tmp_path: Path) -> None:
    store = tmp_path / "g.outcrop"
    with oc.build([(1, 2)], store), pytest.raises(oc.StoreInUseError, match="in use"):
        oc.update(store, add=[(2, 1)], wait=0.05, merge=True)
    graph = oc.open(store)
    closing = threading.Timer(0.2, graph.close)
    closing.start()
    assert oc.update(store, add=[(2, 1)], wait=300, merge=True)["edges"] == 2
    closing.join()


def test_updates_that_would_change_nothing(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    graph, rows = oc.build([(1, 2), (2, 3)], tmp_path / "g.outcrop"), iter([(1, 2)])
    with pytest.raises(oc.UsageError, match="needs add=edges, remove=edges or merge=True"):
        graph.update()
    with pytest.raises(oc.UsageError, match="add and remove are the same iterator"):
        graph.update(add=rows, remove=rows)
    assert graph.update(merge=True)["edges"] == 2
    assert graph.update(add=[(3, 1)], id="monday")["added"] == 1 and not recwarn
    with pytest.warns(oc.OutcropWarning, match="the ID 'monday' was applied before, as generation 1; nothing was changed"):
        assert graph.update(add=[(3, 2)], id="monday")["added"] == 0


def test_a_graph_is_updated_with_a_part_of_itself(tmp_path: Path) -> None:
    graph = oc.build([(1, 2), (2, 3), (3, 4)], tmp_path / "a.outcrop")
    graph.update(remove=graph.subgraph([1, 2, 3]))
    assert graph.edges().to_arrow().to_pydict() == {"source": [3], "target": [4]}
    graph.update(add=oc.build([(5, 6)], tmp_path / "b.outcrop").edges())
    assert graph.has_edge(5, 6)


def test_no_edges_change_nothing_with_and_without_weights() -> None:
    for edges in ([(1, 2)], [(1, 2, 0.5)]):
        graph = oc.build(edges)
        for nothing in ([], iter([]), ([], [])):
            with pytest.warns(oc.OutcropWarning, match="no edges"):
                assert graph.update(add=nothing)["added"] == 0
