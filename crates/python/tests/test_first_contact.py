"""Names, arguments and displays that people try first."""

from __future__ import annotations

import inspect
import pickle
import re
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import outcrop as oc

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
        (lambda store: oc.dijkstra_path, r"use outcrop.sssp \(distances by weight\) or outcrop.bfs \(dist"),
        (lambda store: oc.lpa, r"use outcrop.label_propagation \(communities by label propagation\)"),
        (lambda store: oc.wcc, "use outcrop.weakly_connected_components"),
        (lambda store: oc.pagernk, "no attribute 'pagernk'; use outcrop.pagerank"),
        (lambda store: oc.from_networkx, "use outcrop.build, which takes files, tables, arrays and graphs"),
        (lambda store: oc.Features, "no attribute 'Features'; use outcrop.learning.Features$"),
        (lambda store: oc.features, "no attribute 'features'; use outcrop.learning$"),
        (lambda store: oc.opne, "no attribute 'opne'; use outcrop.open$"),
        (lambda store: oc.zzz, "no attribute 'zzz'$"),
        (lambda store: oc.__path, "no attribute '__path'$"),
        (lambda store: oc.pagerank(EDGES), "graph must be an outcrop.Graph or the path of a store, not list;"),
        (lambda store: oc.pagerank(store + "x"), "gone.outcropx does not exist; a store is a folder created by"),
        (lambda store: oc.open(store).between(1, 2), "choose their column when building, with time=COLUMN"),
        (lambda store: oc.open(store).neighbors(1.5), "found the ID 1.5, expected an integer or a string"),
        (lambda store: oc.open(store).neighbors("2e3"), 'the graph has no vertex "2e3"; its IDs are integers'),
        (lambda store: oc.bfs(store, "a"), 'the graph has no vertex "a"; its IDs are integers'),
        (lambda store: oc.pagerank(store, damping=0.8), r"pagerank\(\) got .* argument 'damping'; use alpha$"),
        (lambda store: oc.pagerank(store, maxiterations=3), "use max_iter$"),
        (lambda store: oc.pagerank(store, memory="1GiB"), r"use outcrop.open\(store, memory=...\)"),
        (lambda store: oc.pagerank(store, model="gas"), r"use options=outcrop.Engine\(model=...\)"),
        (lambda store: oc.pagerank(store, zzz=1), r"help\(outcrop.pagerank\) lists the arguments"),
        (lambda store: oc.bfs(store, sources=[1]), "use source$"),
        (lambda store: oc.bfs(store, 1, predecessors=True), 'use columns="all"$'),
        (lambda store: oc.build(EDGES, weighted=True), "use weight=True$"),
        (lambda store: oc.build(EDGES, undirected=True), "use directed=False$"),
        (lambda store: oc.build(EDGES, chunk_sizes=[4096]), "argument 'chunk_sizes'; only outcrop-bench has it$"),
        (lambda store: oc.build(EDGES, sep=","), "use separator$"),
        (lambda store: oc.from_edges([1], [2], src="a"), "use source$"),
        (lambda store: oc.open(store).update(add=EDGES, weights=True), "use weight$"),
        (lambda store: oc.open(store).convert(layouts="csr"), r"Graph.convert\(\) got .* use layout$"),
        (lambda store: oc.open(store).runs(5), r"^Graph.runs\(\) takes 1 positional argument but 2 were given$"),
        (lambda store: oc.open(store).neighbors(), r"^Graph.neighbors\(\) missing .*'nodes'$"),
        (lambda store: oc.open(store).windows(), r"^Graph.windows\(\) missing .*'length'$"),
        (lambda store: oc.open(store).export(), r"^Graph.export\(\) missing .*'path'$"),
        (lambda store: oc.Engine(modle="gas"), r"Engine\(\) got .* use model$"),
        (lambda store: oc.build(EDGES, directed="no"), "^directed must be True or False, not 'no'$"),
        (lambda store: oc.build(EDGES, source=0), "^source must be a string, not 0$"),
        (lambda store: oc.build(EDGES, dedup=True), "^dedup must be a string, not True$"),
        (lambda store: oc.build(EDGES, b"g"), "^store must be a string or a pathlib.Path, not b'g'$"),
        (lambda store: oc.build(EDGES, separator="ab"), "^separator must be one character, not 'ab'$"),
        (lambda store: oc.build(EDGES, threads=-1), "^threads must be an integer of at least 0, not -1$"),
        (lambda store: oc.update(store, add=EDGES, wait=-1), "^wait must be at least 0 seconds, not -1$"),
        (lambda store: oc.open(store, threads="2"), "^threads must be an integer, not '2'$"),
        (lambda store: oc.open(store, options={"model": "gas"}), "^options must be an outcrop.Engine, not {'model'"),
        (lambda store: oc.pagerank(store, precision=3), "^precision must be a string, not 3$"),
        (lambda store: oc.pagerank(store, personalization=[0, 1]), "^personalization must be a mapping .* not .0, 1.$"),
        (lambda store: oc.open(store).convert(layout=3), "^layout must be a string, not 3$"),
        (lambda store: oc.open(store).sample_neighbors([1], 2), "^fanouts must be a list of integers.* not 2$"),
        (lambda store: oc.bfs(store, 1).top("a"), "^k must be an integer, not 'a'$"),
        (lambda store: oc.open(oc.open(store)), "^store must be .* not <outcrop.Graph .*; this is an open graph$"),
        (lambda store: oc.update(oc.open(store), add=EDGES), r"^store must be .*; use graph.update\(\)$"),
        (lambda store: oc.info(oc.open(store)), r"^store must be .*; use graph.info\(\)$"),
        (lambda store: oc.Graph(EDGES), r"^store must be .*; outcrop.build\(edges\) builds a graph$"),
        (lambda store: oc.open(Path(store).parent), "is a folder, but not a store; outcrop.build creates stores"),
        (lambda store: oc.build(oc.open(store)), "the edges are an outcrop.Graph already"),
        (lambda store: oc.from_edges(1, 2), "^source must be a list, an array or a column, not 1$"),
        (lambda store: oc.build([]), "found no edges; an empty graph needs allow_empty=True"),
        (lambda store: oc.build(iter([])), "found no edges; pass an iterator that was not consumed before"),
        (lambda store: oc.build(([1, 2], [2, 3], [0.5, 0.7])), r"are three columns; use from_edges\(source, target, weight"),
        (lambda store: oc.build([np.arange(4)] * 3), r"are three columns; use from_edges\(source, target, weight"),
        (lambda store: oc.open(store).neighbors(oc.bfs(store, 1)), r"one column, not a Result; choose one, such as table\['node'\]"),
        (lambda store: oc.open(store).number_of_nodes, "'Graph' object has no attribute 'number_of_nodes'; use num_vertices$"),
        (lambda store: oc.open(store).pagerank, "use outcrop.pagerank$"),
        (lambda store: oc.open(store).neighbours, "use neighbors$"),
        (lambda store: oc.open(store).history(), r"no attribute 'history'; use runs\(\)$"),
        (lambda store: oc.open(store).nope, "no attribute 'nope'$"),
        (lambda store: oc.open(store).zzz, "no attribute 'zzz'$"),
        (lambda store: oc.bfs(store, 1).head, r"use \[:10\] for the first rows, or to_pandas\(\)"),
        (lambda store: oc.open(store).edges().sum, r"use to_pandas\(\), to_polars\(\) or to_arrow\(\) to convert it"),
        (lambda store: oc.bfs(store, 1).value, "^bfs has no value for the whole graph"),
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


def test_methods_are_named_after_public_classes() -> None:
    classes = [thing for name in oc.__all__ if isinstance(thing := getattr(oc, name), type)]
    for owner in [one for one in classes if not issubclass(one, (Exception, tuple))]:
        public = {base.__name__ for base in owner.__mro__ if base in classes}
        for name in [name for name in dir(owner) if not name.startswith("_")]:
            method = inspect.getattr_static(owner, name)
            if isinstance(method, types.FunctionType):
                for function in (method, inspect.unwrap(method)):
                    assert function.__qualname__ in {f"{one}.{name}" for one in public}, function
                # `help` shows inherited methods under the name of the class that they are from.
                assert any(name in vars(base) for base in owner.__mro__ if base in classes), name


def test_the_package_lists_public_names_only() -> None:
    assert set(oc.__all__) <= set(dir(oc)) <= {*oc.__all__, "nx", "pyg", "spark"}
    assert all(hasattr(oc, name) for name in dir(oc))


def test_checked_functions_keep_their_signatures() -> None:
    parameters = inspect.signature(oc.pagerank).parameters
    assert list(parameters)[:2] == ["graph", "alpha"] and parameters["alpha"].default == 0.85
    assert parameters["resume"].default is False and parameters["options"].annotation == "Engine | None"
    assert "**" not in str(parameters) and not parameters.keys() ^ oc.pagerank.__annotations__.keys() ^ {"return"}
    for name in parameters:
        assert f"\n{name} : " in (inspect.getdoc(oc.pagerank) or ""), name
    assert "checkpoint" in inspect.signature(oc.radius).parameters and "spark" not in inspect.signature(oc.radius).parameters
    assert pickle.loads(pickle.dumps(oc.pagerank)) is oc.pagerank is oc.algorithms.pagerank


def test_weights_of_tables_are_chosen(tmp_path: Path) -> None:
    oc.build([(1, 2, 0.5)], tmp_path / "g.outcrop").close()
    with pytest.raises(oc.UsageError, match="the inserted edges have none; pass weight=True"):
        oc.update(tmp_path / "g.outcrop", add=pl.DataFrame({"source": [2], "target": [1], "weight": [0.5]}))


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
