"""Names, arguments and displays that people try first."""

from __future__ import annotations

import re
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path

import outcrop as oc
import pytest

EDGES = [(1, 2), (2, 3), (3, 1), (7, 8)]


@pytest.fixture
def store(tmp_path: Path) -> str:
    """The path of a small store."""
    path = str(tmp_path / "g<&>.outcrop")
    with oc.build(EDGES, path):
        return path


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda store: oc.connected_components, "use outcrop.weakly_connected_components"),
        (lambda store: oc.shortest_path, r"use outcrop.sssp \(distances by weight\) or outcrop.bfs \(dist"),
        (lambda store: oc.louvain, r"use outcrop.label_propagation \(communities by label propagation\)"),
        (lambda store: oc.wcc, "use outcrop.weakly_connected_components"),
        (lambda store: oc.pagernk, "no attribute 'pagernk'; use outcrop.pagerank"),
        (lambda store: oc.from_networkx, "use outcrop.build, which takes files, tables, arrays and graphs"),
        (lambda store: oc.zzz, "no attribute 'zzz'$"),
        (lambda store: oc.__path, "no attribute '__path'$"),
        (lambda store: oc.pagerank(EDGES), "graph must be an outcrop.Graph or the path of a store, not list;"),
        (lambda store: oc.pagerank(store + "x"), "gone.outcropx does not exist; a store is a folder created by"),
        (lambda store: oc.open(store).between(1, 2), "choose their column when building, with time=COLUMN"),
        (lambda store: oc.open(store).neighbors(1.5), "found the ID 1.5, expected an integer or a string"),
        (lambda store: oc.open(store).neighbors("2e3"), 'the graph has no vertex "2e3"; its IDs are integers'),
        (lambda store: oc.bfs(store, "a"), 'the graph has no vertex "a"; its IDs are integers'),
        (lambda store: oc.build("SELECT * FROM x"), r"is a query, not a file; .* DuckDB relation: duckdb.sql\(...\)"),
    ],
)
def test_errors_say_what_to_use(call: Callable[[str], object], message: str, store: str) -> None:
    with pytest.raises((AttributeError, TypeError, oc.OutcropError)) as caught:
        call(store)
    assert re.search(message.replace("gone.outcropx", re.escape(store) + "x"), str(caught.value)), caught.value


def test_paths_are_graphs(store: str) -> None:
    with oc.open(store) as g:
        expected = oc.pagerank(g).to_dict()
        needs = oc.estimate(g, "pagerank")["minimum"]
    assert oc.pagerank(Path(store)).to_dict() == expected
    assert oc.estimate(store, "pagerank")["minimum"] == needs
    # The run has closed the store.
    oc.build(EDGES, store, overwrite=True).close()


def test_a_build_without_doubts_warns_of_nothing(tmp_path: Path) -> None:
    numbers = range(70_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g = oc.from_edges(numbers, [number * 7919 % 70_000 for number in numbers], store=tmp_path / "g.outcrop")
    assert g.info()["order"] == "degree"


def test_notebooks_show_graphs_tables_and_streams(store: str) -> None:
    g = oc.open(store)
    faces = [thing._repr_html_() for thing in (g, g.neighbors([1, 7]), g.edges(), g.degree(), oc.bfs(g, 1))]
    for face in faces:
        assert len(face) < 2000 and "g<&>" not in face, face
        assert face.count("<tr>") == face.count("</tr>"), face
    assert "g&lt;&amp;&gt;.outcrop" in faces[0] and "<td>vertices</td><td>5</td>" in faces[0]
    assert "Table: 2 rows of node, neighbor" in faces[1] and "<td>7</td><td>8</td>" in faces[1]
    stream = "Stream of source, target: iterate over its batches, or convert it with to_pandas()"
    assert stream in faces[2] and repr(g.edges()) == f"<outcrop.{stream}>"


def test_notebooks_show_bars_where_tqdm_is(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[str, int, str]] = []

    class Bar:
        total = 100

        def __init__(self, *, desc: str, **_: object) -> None:
            self.desc, self.n = desc, 0

        def set_postfix_str(self, text: str) -> None:
            shown.append((self.desc, self.n, text))

        def close(self) -> None:
            shown.append((self.desc, self.n, "closed"))

        write = staticmethod(lambda text, file: shown.append((text, 0, "")))

    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    oc.build([(1, 2), (1, 2)], progress=True).close()
    assert ('outcrop: note: 1 of 2 edges are duplicates; use dedup="first" to keep one of each', 0, "") in shown
    closed = [desc for desc, n, text in shown if (n, text) == (100, "closed")]
    assert "reading edges" in closed and "writing lists" in closed
