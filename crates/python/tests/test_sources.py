"""Edges of all kinds into stores: what other libraries hold, what is yielded, and stores that go with their graph."""

from __future__ import annotations

import enum
import gc
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
import scipy.sparse

import outcrop as oc

Build = Callable[..., oc.Graph]
COLUMNS = {"source": [3, 5, 9], "target": [5, 9, 3], "weight": [1.0, 2.0, 4.0]}
PAIRS = list(zip(COLUMNS["source"], COLUMNS["target"], strict=True))
TRIPLES = list(zip(*COLUMNS.values(), strict=True))
DISTANCES = {3: 0, 5: 1, 9: 3}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def tables(tmp_path: Path) -> Iterator[Any]:
    table = pa.table(COLUMNS)
    pyarrow.parquet.write_table(table.slice(0, 2), tmp_path / "a.parquet")
    pyarrow.parquet.write_table(table.slice(2), tmp_path / "b.parquet")
    yield from (table, table.to_batches()[0], table.to_reader(), pyarrow.dataset.dataset(table))
    yield from (pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pl.LazyFrame(COLUMNS))
    yield pl.scan_parquet(tmp_path / "*.parquet").filter(pl.col("weight") < 8)
    yield from (tmp_path / "*.parquet", [tmp_path / "a.parquet", str(tmp_path / "b.parquet")])


def test_tables_and_files_of_tables(build: Build, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for edges in [*tables(tmp_path / "parts"), tmp_path / "parts"]:
        assert oc.sssp(build(edges, weight="weight"), 3).to_dict() == DISTANCES, edges
        if not isinstance(edges, pa.RecordBatchReader):
            assert oc.sssp(build(edges), 3).to_dict() == {3: 0, 5: 1, 9: 2}


def test_columns_that_contradict_a_table_of_edges(build: Build, recwarn: pytest.WarningsRecorder) -> None:
    headerless = {"1": [2, 3], "2": [3, 4]}
    typed = {"Source": [1, 2], "Target": [2, 3], "Type": ["Undirected", "Undirected"]}
    triples = {"h": ["a", "b"], "r": ["x", "x"], "t": ["b", "c"]}
    matrix = {"": ["a", "b"], "a": [0, 1], "b": [1, 0]}
    for kind in (pd.DataFrame, pl.DataFrame, pa.table, pl.LazyFrame):
        with pytest.warns(oc.OutcropWarning, match="columns are called '1' and '2'; .*header=None"):
            build(kind(headerless))
        assert build(kind(triples)).neighbors("a") == ["b"]
        with pytest.warns(oc.OutcropWarning, match="Type was not read; if it marks edges as undirected, .* directed=False"):
            build(kind(typed))
        if kind is pl.LazyFrame:
            continue
        with pytest.raises(oc.UsageError, match="the table is an adjacency matrix"):
            build(kind(matrix))
        recwarn.clear()
        build(kind(typed), directed=True)
        build(kind(headerless), source="1", target="2")
        notes = " ".join(str(warning.message) for warning in recwarn)
        assert "called" not in notes and "'Type' marks" not in notes
    for frame in (nx.to_pandas_adjacency(nx.path_graph(3)), pd.DataFrame(np.eye(4, dtype=int))):
        with pytest.raises(oc.UsageError, match="the table is an adjacency matrix"):
            build(frame)
    for rows in ([(1, 2), (2, 3)], [(1, 2, 0.5), (2, 3, 0.7)]):
        assert build(pd.DataFrame(rows)).num_edges == 2
    integers = pd.DataFrame([(1, 2, 3), (2, 3, 1)])
    with pytest.raises(oc.BadInputError, match="the columns 0, 1, 2, which do not identify .* use source=COLUMN"):
        build(integers)
    assert build(integers, source="0", target="1").num_edges == 2


def test_cross_tables_are_refused() -> None:
    def crossed(source: list[Any], target: list[Any]) -> Any:
        return pd.crosstab(pd.Series(source, name="from"), pd.Series(target, name="to"))

    for labels in (["a", "b"], [1, 2, 3], [0, 1]):
        table = crossed(labels, labels[::-1])
        for matrix in (table, table[table.columns[::-1]], table.reset_index()):
            with pytest.raises(oc.UsageError, match="the table is an adjacency matrix"):
                oc.build(matrix)
    with pytest.raises(oc.UsageError, match="is a cross table of 'from' and 'to'; .*reset_index"):
        oc.build(crossed(["a", "b"], ["x", "y"]))
    assert oc.build(crossed(["a", "b"], ["x", "y"]), source="x", target="y").num_edges == 2


NO_EDGES: list[tuple[Any, type[Exception], str]] = [
    (nx.Graph(PAIRS).edges, TypeError, "not EdgeView; pass the graph"),
    (nx.MultiGraph(PAIRS).edges(keys=True), TypeError, "not MultiEdgeView; pass the graph"),
    (nx.Graph(PAIRS).edges(data=True), TypeError, "has {} as its third value.* pass the graph .* weight=False"),
    ([("a", "b", "knows")], TypeError, "has 'knows' as its third value, expected a weight; pass weight=False"),
    (nx.to_numpy_array(nx.path_graph(3)), ValueError, "shape .3, 3.; pass .* scipy.sparse.coo_array"),
    ({"source": [1], "target": [2]}, TypeError, "not dict; pass rows"),
    (io.StringIO("1 2"), TypeError, "not StringIO; pass the path"),
    (np.array([(1, 2)], dtype=[("a", "i8"), ("b", "i8")]), ValueError, "fields a, b; .* from_edges"),
    (np.array([[1, 2, 3], [2, 3, 4]]), ValueError, "shape .2, 3.; pass .* from_edges"),
    (scipy.sparse.coo_array(([1.0], ([1],)), shape=(3,)), ValueError, "must be square, not of shape .3,."),
    (pd.Series([1, 2]), TypeError, "not one column; use from_edges"),
    (pd.DataFrame({"source": [1, "a"], "target": ["b", "c"]}), TypeError, "no Arrow form: .* one type"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), TypeError, "no Arrow form: .* unique names"),
    ((pd.Series([1, None], dtype=object), pd.Series([1, 2])), TypeError, "row 1 .*; fill in the missing ID or remove"),
    ([(1, 2), (float("nan"), 2)], TypeError, "row 1 .*nan, .*; fill in the missing ID"),
    ([(1, 2), (1.0, 2)], TypeError, "row 1 .*1.0, .*; convert it with int"),
    ((pa.array([True, False]), pa.array([1, 2])), TypeError, "an array of bool, expected integers or strings as IDs$"),
    (pd.DataFrame({"s": [1], "t": [2]}).iterrows(), TypeError, "row 0 .*found the ID s 1 t 2 Name: 0"),
]


@pytest.mark.parametrize(("edges", "error", "message"), NO_EDGES, ids=range(len(NO_EDGES)))
def test_errors_say_what_to_pass(build: Build, edges: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        build(edges)


def test_relations_of_duckdb(build: Build) -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = "(VALUES (3, 5, 1), (5, 9, 2), (9, 3, 4)) AS edges(source, target, weight)"
    relation = duckdb.sql(f"SELECT source, target, weight::DOUBLE AS weight FROM {rows}")
    assert oc.sssp(build(relation, weight="weight"), 3).to_dict() == DISTANCES


def test_categories(build: Build) -> None:
    columns = {"source": ["a", "b", "a"], "target": ["b", "c", "c"]}
    frames = [pd.DataFrame(columns).astype("category"), pl.DataFrame(columns).cast(pl.Categorical)]
    for frame in [*frames, frames[1].lazy()]:
        assert oc.bfs(build(frame), "a").to_dict() == {"a": 0, "b": 1, "c": 1}
    graph = oc.from_edges(frames[0]["source"], frames[0]["target"])
    assert oc.bfs(graph, "a").to_dict() == {"a": 0, "b": 1, "c": 1}


def test_rows_that_are_yielded(build: Build) -> None:
    for rows in (TRIPLES, iter(TRIPLES), (row for row in TRIPLES), np.array(TRIPLES, dtype=object).tolist()):
        assert oc.sssp(build(rows), 3).to_dict() == DISTANCES
    assert not build(iter(TRIPLES), weight=False).weighted
    assert not build(iter(PAIRS)).weighted
    assert oc.sssp(build(zip("abc", "bcd", [1, 2, 3], strict=True)), "a").to_dict() == {"a": 0, "b": 1, "c": 3, "d": 6}


def test_rows_are_taken_in_pieces(build: Build) -> None:
    most = 0

    class Row(tuple[int, int]):
        alive = 0

        def __new__(cls, row: tuple[int, int]) -> Row:
            nonlocal most
            cls.alive += 1
            most = max(most, cls.alive)
            return super().__new__(cls, row)

        def __del__(self) -> None:
            type(self).alive -= 1

    graph = build(Row((number, number + 1)) for number in range(400_000))
    assert (graph.num_edges, most < 200_000) == (400_000, True)


@pytest.mark.parametrize(
    ("rows", "weight", "error", "message"),
    [
        ([(1, 2, 0.5), (1, 2)], None, TypeError, "row 1 .*two IDs and a weight"),
        ([(1, 2, 0.5), (1, 2, None)], None, TypeError, "row 1 .* weight None"),
        ([(1, 2, 0.5), (1, 2, "x")], True, TypeError, "row 1 .* weight 'x'"),
        ([(1, 2, 0.5), (1, "a", 2)], None, TypeError, "row 1 .*an integer"),
        ([(1, 2), (1, 2)], True, oc.UsageError, "no weights"),
        ([(1, 2), (None, 2)], None, TypeError, "row 1 .*None"),
    ],
)
def test_rows_that_are_refused(
    build: Build, tmp_path: Path, rows: Any, weight: Any, error: type[Exception], message: str
) -> None:
    for given in (rows, iter(rows)):
        with pytest.raises(error, match=message):
            build(given, weight=weight)
    with pytest.raises(oc.UsageError, match="must be the third value of each row"):
        build(iter(rows), weight=[1, 2])
    assert list(tmp_path.iterdir()) == []


def test_what_a_generator_raises_is_raised(build: Build) -> None:
    def rows() -> Iterator[tuple[int, int]]:
        yield 1, 2
        raise LookupError("no more of them")

    with pytest.raises(LookupError, match="no more"):
        build(rows())


KINDS = [list, np.array, pd.Series, pl.Series, pa.array, lambda ids: pa.chunked_array([ids]), iter]


@pytest.mark.parametrize("kind", KINDS)
def test_columns(kind: Any) -> None:
    source, target, weight = map(list, COLUMNS.values())
    assert oc.sssp(oc.from_edges(kind(source), kind(target), kind(weight)), 3).to_dict() == DISTANCES
    graph = oc.from_edges(kind(["a", "b"]), kind(["b", "c"]), directed=False)
    assert (oc.bfs(graph, "c").to_dict(), graph.weighted) == ({"a": 2, "b": 1, "c": 0}, False)


def test_columns_that_are_refused() -> None:
    for source, target, error in [
        (np.array([1, 2]), np.array([1]), ValueError),
        ([1, 2], [1], ValueError),
        (np.array([1.5]), np.array([1]), TypeError),
        (pd.Series([1, None]), pd.Series([1, 2]), TypeError),
        (np.array([1, 2]), np.array([3, -1]), oc.BadInputError),
    ]:
        with pytest.raises(error):
            oc.from_edges(source, target)
    with pytest.raises(ValueError, match="3 weights"):
        oc.from_edges(np.arange(3), np.arange(3), np.arange(4))


def test_pairs_of_arrays(build: Build) -> None:
    source, target, weight = map(np.array, COLUMNS.values())
    assert oc.sssp(build((source, target.astype("u8")), weight=weight), 3).to_dict() == DISTANCES
    assert build(((1, 2), (3, 4))).num_edges == 2
    for kind in (list, np.array, pd.Series, lambda ids: range(ids[0], ids[-1] + 1)):
        for count in (1, 2, 3, 4):
            pair = (kind(list(range(count))), kind(list(range(1, count + 1))))
            assert build(pair).edges().to_numpy("target").tolist() == list(range(1, count + 1))
    with pytest.raises(ValueError, match="2 sources, 3 targets"):
        build(([1, 2], [3, 4, 5]))


@pytest.mark.parametrize("rows", [2, 3])
def test_rows_that_can_be_columns_are_refused(build: Build, rows: int) -> None:
    values = [[1, 2, 3], [2, 3, 4], [3, 4, 5]][:rows]
    columns = tuple(map(tuple, values))
    ambiguous: list[Any] = [values, columns, list(map(np.array, values)), [range(row[0], row[-1] + 1) for row in values]]
    for edges in [*ambiguous, *([tuple(values)] if rows == 3 else [])]:
        with pytest.raises(TypeError, match=f"can be {rows} rows with weights, or columns; use from_edges"):
            build(edges)
        if rows == 3:
            assert build(edges, weight=True).num_edges == 3
    assert build(list(columns)).num_edges == rows
    assert build(tuple((*row[:2], 0.5) for row in values)).weighted


def test_third_values_that_may_not_be_weights_are_noted(build: Build, recwarn: pytest.WarningsRecorder) -> None:
    keys = list(nx.MultiGraph([(1, 2), (1, 2), (2, 3)]).edges)
    frame = pd.DataFrame({"s": [10, 20, 30, 40], "t": [20, 30, 40, 50]})
    for rows in (keys, iter(keys), frame.itertuples(name=None)):
        with pytest.warns(oc.OutcropWarning, match="third values .* integers and were read as weights; use"):
            assert build(rows).weighted
    with pytest.raises(TypeError, match="begin with the index of a data frame"):
        build(frame.itertuples())
    recwarn.clear()
    oc.from_edges(iter([1, 2]), iter([2, 3]), iter([1, 2]))
    build(nx.DiGraph(PAIRS).edges(data=True), weight=False)
    for rows, weight in ((frame.itertuples(index=False), None), (TRIPLES, None), (keys[::2], True), (keys[::2], False)):
        build(rows, weight=weight)
    assert [str(warning.message) for warning in recwarn] == []


class Foreign:
    """An Arrow stream of a library that says nothing else of it."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(schema)


def nothing() -> Iterator[Any]:
    reader = pa.table(COLUMNS).to_reader()
    reader.read_all()
    none = {"source": np.array([], int), "target": np.array([], int)}
    yield from ([], (), iter([]), (row for row in PAIRS[:0]), np.zeros((0, 2), int), ([], []), nx.Graph(), reader)
    yield from (scipy.sparse.csr_array(np.zeros((0, 0))), pd.DataFrame(none), pl.DataFrame(none), pa.table(none))
    yield Foreign(pa.table(none))


def test_nothing_does_not_replace_a_store(tmp_path: Path) -> None:
    store = tmp_path / "g.outcrop"
    oc.build(PAIRS, store).close()
    for edges in nothing():
        with pytest.raises(oc.BadInputError, match="found no edges.* allow_empty"):
            oc.build(edges, store, overwrite=True)
    with oc.open(store) as graph:
        assert graph.num_edges == 3
    for edges in nothing():
        with pytest.warns(oc.OutcropWarning, match="the update has no edges"):
            assert oc.update(store, add=edges)["added"] == 0
        assert oc.build(edges, allow_empty=True).num_vertices == 0
    assert oc.build([], ids="dense", num_vertices=2).num_vertices == 2
    for edges in (nx.empty_graph(2), scipy.sparse.csr_array((2, 2))):
        assert oc.build(edges).num_vertices == 2


@pytest.mark.parametrize("kind", [scipy.sparse.coo_array, scipy.sparse.csr_matrix, scipy.sparse.csc_array])
def test_matrices(build: Build, kind: Any) -> None:
    matrix = kind(([1.0, 2.0, 4.0], ([0, 1, 3], [1, 3, 0])), shape=(6, 6))
    graph = build(matrix)
    assert (graph.num_vertices, graph.weighted, graph.directed) == (6, True, True)
    assert oc.sssp(graph, 0).to_dict() == {0: 0, 1: 1, 2: None, 3: 3, 4: None, 5: None}
    vector = np.arange(6.0)
    assert oc.spmv(graph, vector, transpose=True).to_numpy("value").tolist() == (matrix @ vector).tolist()
    assert not build(matrix, weight=False).weighted
    assert not build(matrix != 0).weighted
    with pytest.raises(ValueError, match="must be square"):
        build(kind(([1.0], ([0], [1])), shape=(2, 3)))


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_graphs_of_networkx(build: Build, kind: Any) -> None:
    theirs = kind(PAIRS)
    theirs.add_node(77)
    assert not build(theirs).weighted
    theirs.add_edge(3, 5, weight=0.25, cost=8)
    graph = build(theirs)
    expected = (theirs.number_of_nodes(), theirs.number_of_edges(), theirs.is_directed(), True)
    assert (graph.num_vertices, graph.num_edges, graph.directed, graph.weighted) == expected
    for source in theirs:
        distances = nx.single_source_dijkstra_path_length(theirs, source)
        assert oc.sssp(graph, source).to_dict() == {node: distances.get(node) for node in theirs}
        distances = nx.single_source_dijkstra_path_length(theirs, source, weight="cost")
        assert oc.sssp(build(theirs, weight="cost"), source).to_dict() == {n: distances.get(n) for n in theirs}
    assert not build(theirs, weight=False).weighted
    letters = nx.relabel_nodes(theirs, {node: f"n{node}" for node in theirs})
    assert oc.bfs(build(letters), "n3").to_dict()["n77"] is None
    assert build(kind([("a", "b")])).num_edges == 1


def test_graphs_of_networkx_that_are_refused(build: Build) -> None:
    with pytest.raises(TypeError, match="an integer"):
        build(nx.grid_2d_graph(2, 2))
    with pytest.raises(TypeError, match="row 0 .* weight None"):
        build(nx.Graph([(1, 2, {"weight": None})]))
    lonely = nx.Graph()
    with pytest.raises(oc.UsageError, match="add them to the graph"):
        build(nx.empty_graph(2), vertices="more.txt")
    lonely.add_node("alone")
    assert oc.pagerank(build(lonely)).to_dict() == {"alone": 1.0}


def undirected() -> Iterator[Any]:
    theirs = nx.Graph([(1, 2), (2, 3), (3, 3)])
    yield from (theirs, nx.MultiGraph(theirs), theirs.edges(data="weight", default=0.5))
    igraph = pytest.importorskip("igraph")
    yield igraph.Graph(4, [(1, 2), (2, 3), (3, 3)])


def test_undirected_graphs_keep_both_directions(build: Build, tmp_path: Path) -> None:
    arcs = [(1, 2), (2, 1), (2, 3), (3, 2), (3, 3)]
    for theirs in undirected():
        graph = build(theirs)
        assert (graph.num_edges, graph.directed) == (3, False)
        with pytest.warns(oc.OutcropWarning, match="each edge of the undirected graph was read in both directions"):
            edges = build(theirs, directed=True).edges()
        assert list(zip(edges.to_numpy("source"), edges.to_numpy("target"), strict=True)) == arcs
        for directed, count in ((True, 5), (False, 3)):
            store = build([(1, 3)], directed=directed)
            assert store.update(add=theirs)["added"] == count
            assert store.update(remove=theirs)["removed"] == count
            store.close()


def test_attributes_that_are_not_read_are_noted(build: Build, recwarn: pytest.WarningsRecorder) -> None:
    igraph = pytest.importorskip("igraph")
    theirs, other = nx.Graph([(1, 2, {"length": 3, "label": "x"})]), igraph.Graph(2, [(0, 1)])
    other.es["length"], other.es["label"] = [3], ["x"]
    for graph in (theirs, other):
        with pytest.warns(oc.OutcropWarning, match="edge attribute 'length' not read; use weight='length'"):
            assert not build(graph).weighted
        recwarn.clear()
        assert build(graph, weight="length").weighted and not build(graph, weight=False).weighted
        assert [str(warning.message) for warning in recwarn] == []


def test_names_of_vertices_without_edges(build: Build) -> None:
    names = [
        "#x",
        "%x",
        "a b",
        "a,b",
        '"q"',
        "a\tb",
        "a;b",
        "é",
        "a|b",
        "node",
        "12",
        '"',
        'a"b',
        " lead",
        "trail ",
        "a\x85b",
    ]
    theirs = nx.Graph([("k", "l")])
    theirs.add_nodes_from(names)
    assert sorted(oc.pagerank(build(theirs)).to_dict()) == sorted([*names, "k", "l"])
    for name in ("", "a\nb", "a\rb"):
        theirs = nx.Graph([("k", "l")])
        theirs.add_node(name)
        with pytest.raises(oc.BadInputError, match="not empty and has no line breaks"):
            build(theirs)


def test_graphs_of_igraph(build: Build) -> None:
    igraph = pytest.importorskip("igraph")
    theirs = igraph.Graph(4, [(0, 1), (1, 2)], directed=True)
    graph = build(theirs)
    assert (graph.num_vertices, graph.directed, graph.weighted) == (4, True, False)
    theirs.es["weight"] = [1.5, 2.0]
    assert oc.sssp(build(theirs), 0).to_dict() == {0: 0, 1: 1.5, 2: 3.5, 3: None}
    theirs.vs["name"] = list("abcd")
    assert oc.bfs(build(theirs, weight=False), "a").to_dict() == {"a": 0, "b": 1, "c": 2, "d": None}


def test_a_store_goes_with_its_graph_and_results(folder: Path) -> None:
    graph = oc.build(PAIRS)
    assert len(list(folder.iterdir())) == 1
    result = oc.bfs(graph, 3)
    graph.close()
    assert result.to_dict() == {3: 0, 5: 1, 9: 2}
    del graph
    gc.collect()
    assert result.to_dict() == {3: 0, 5: 1, 9: 2}
    del result
    gc.collect()
    assert list(folder.iterdir()) == []
    oc.build(PAIRS).close()
    with pytest.raises(TypeError):
        oc.build([(1, 2), (1,)])
    gc.collect()
    assert list(folder.iterdir()) == []


def test_a_store_goes_with_its_process_and_not_with_one_that_was_forked(folder: Path) -> None:
    script = "import os, sys, time, outcrop as oc; g = oc.build([(1, 2)]); print(len(os.listdir(sys.argv[1])))"
    script += "\nif os.fork() == 0: sys.exit()\nos.wait(); print(len(os.listdir(sys.argv[1])), len(oc.pagerank(g)))"
    environment = {**os.environ, "TMPDIR": str(folder)}
    command = [sys.executable, "-c", script, str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    assert done.stdout.split()[-3:] == ["1", "1", "2"]
    assert list(folder.iterdir()) == []


def test_isolated_nodes_are_kept_whatever_the_options(build: Build) -> None:
    graph = nx.Graph([("a", "b")])
    graph.add_nodes_from(["p", "#q", '"r'])
    for options in ({}, {"header": "yes"}, {"comments": "#"}, {"separator": "p"}, {"on_error": "skip"}):
        assert sorted(build(graph, **options)) == sorted(graph)
    graph.add_node("s\0")
    with pytest.raises(oc.BadInputError, match="isolated vertex 's.x00'"):
        build(graph, on_error="skip")


def test_members_of_enums_are_their_values(build: Build) -> None:
    class Color(str, enum.Enum):
        RED, BLUE = "red", "blue"

    class Size(enum.IntEnum):
        SMALL, LARGE = 3, 5

    for edges in (nx.DiGraph([(Color.RED, Color.BLUE)]), [(Color.RED, Color.BLUE)], ([Color.RED], [Color.BLUE])):
        assert build(edges).neighbors("red") == ["blue"]
    assert build([(Size.SMALL, Size.LARGE)]).neighbors(3) == [5]


@pytest.mark.parametrize("edges", [[(100, 200)], [("a", "b")]])
def test_ids_come_back_from_igraph(build: Build, edges: Any, tmp_path: Path) -> None:
    theirs = build(edges).to_igraph()
    assert list(build(theirs)) == list(edges[0])
    # From GML, igraph reads integers as floats.
    if edges[0][0] == 100:
        theirs.write_gml(str(tmp_path / "a.gml"))
        assert list(build(type(theirs).Read_GML(str(tmp_path / "a.gml")))) == [100, 200]
