"""Ids and numbers of every kind in every function that takes them: the same answer, or a typed error with the position."""

from __future__ import annotations

import array
import decimal
import fractions
import re
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import outcrop as oc

Build = Callable[..., oc.Graph]
ROWS = [(1, 2), (2, 3), (3, 1), (3, 4)]


def label(value: object) -> str:
    """Names a case in every process alike, where tests run in several: without the addresses that stand in texts of arrays."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


class Tensor:
    """What other libraries have as an array: no NumPy array, and nothing but the protocol."""

    def __init__(self, values: Any) -> None:
        self._values = np.array(values)

    def __array__(self, *arguments: Any, **options: Any) -> Any:
        return self._values


class Exchanged:
    """An array that is handed over by DLPack alone."""

    def __init__(self, values: Any) -> None:
        self._values = np.array(values)

    def __dlpack__(self, **options: Any) -> Any:
        return self._values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._values.__dlpack_device__()


SEVERAL: dict[str, Callable[[list[int]], Any]] = {
    "list": list,
    "tuple": tuple,
    "iterator": iter,
    "array of numpy": np.array,
    "unsigned": lambda ids: np.array(ids, "u4"),
    "objects": lambda ids: np.array(ids, object),
    "not masked": np.ma.array,
    "array": lambda ids: array.array("q", ids),
    "buffer": lambda ids: memoryview(array.array("q", ids)),
    "numpy integers": lambda ids: [np.int16(node) for node in ids],
    "series": pd.Series,
    "index": pd.Index,
    "nullable": lambda ids: pd.Series(ids, dtype="Int64"),
    "polars": pl.Series,
    "arrow": pa.array,
    "chunks": lambda ids: pa.chunked_array([ids[:1], ids[1:]]),
    "scalars of arrow": lambda ids: list(pa.array(ids)),
    "tensor": Tensor,
    "dlpack": Exchanged,
}
ONE = [1, np.int64(1), np.uint32(1), np.array(1), np.ma.array(1), pa.scalar(1), "1"]
REFUSED: list[tuple[Any, type[Exception]]] = [
    ([1, True], TypeError),
    ([1, np.True_], TypeError),
    ([1, 1.0], TypeError),
    ([1, 1.5], TypeError),
    ([1, decimal.Decimal(1)], TypeError),
    ([1, None], TypeError),
    ([1, float("nan")], TypeError),
    ([1, pd.NaT], TypeError),
    ([1, pd.NA], TypeError),
    ([1, b"1"], TypeError),
    ([1, "a"], TypeError),
    (["a", 1], TypeError),
    ([1, (2,)], TypeError),
    ([1, -1], oc.BadInputError),
    ([1, 2**64], oc.BadInputError),
    (["a", "\ud800"], oc.BadInputError),
    (np.array([1, -1]), oc.BadInputError),
    (np.ma.array([1, 2], mask=[0, 1]), oc.BadInputError),
    (np.ma.array([1.0, 2.0], mask=[0, 1]), oc.BadInputError),
    (np.array([1, np.nan]), TypeError),
    (pd.Series([1, None]), TypeError),
    (pd.Series([1, None], dtype="Int64"), TypeError),
    (pl.Series([1, None]), TypeError),
    (pa.array([1, None]), TypeError),
    (pa.array(["a", None]), TypeError),
]
REFUSED_WHOLE = [
    np.array([1.0, 2.0]),
    np.array([True, False]),
    np.array([1, 2], "M8[s]"),
    np.array([b"a", b"b"]),
    np.array([1j, 2j]),
    np.array([[1, 2], [3, 4]]),
    Tensor([1.5, 2.5]),
    b"12",
    1.5,
]


def functions(graph: oc.Graph) -> Iterator[Callable[[Any], Any]]:
    """Return what takes ids."""
    yield lambda ids: graph.neighbors(ids).to_numpy("neighbor").tolist()
    yield lambda ids: graph.in_neighbors(ids).to_numpy("node").tolist()
    yield lambda ids: graph.degree(ids).to_numpy("degree").tolist()
    yield lambda ids: graph.subgraph(ids).to_numpy("source").tolist()
    yield lambda ids: graph.ego(ids).to_numpy("target").tolist()
    yield lambda ids: graph.sample_neighbors(ids, [2]).to_numpy("neighbor").tolist()
    yield lambda ids: graph.has_edge(ids, [2, 3])
    yield lambda ids: graph.has_edge([1, 2], ids)
    yield lambda ids: oc.multi_source_distances(graph, ids).to_numpy()
    yield lambda ids: oc.random_walks(graph, ids, seed=3).to_numpy("node").tolist()
    yield lambda ids: oc.spmv(graph, (ids, [0.5, 2])).to_dict()
    yield lambda ids: oc.estimate(graph, "bfs", source=ids) and None
    yield lambda ids: [batch.nodes.tolist() for batch in oc.learning.batches(graph, ids, [2])]
    yield lambda ids: oc.from_edges(ids, [2, 3]).edges().to_numpy("source").tolist()
    yield lambda ids: oc.from_edges([2, 3], ids).edges().to_numpy("target").tolist()


@pytest.fixture(scope="module")
def graph() -> oc.Graph:
    return oc.build(ROWS)


@pytest.mark.parametrize("kind", SEVERAL)
def test_ids_of_every_kind(graph: oc.Graph, kind: str) -> None:
    for function in functions(graph):
        assert str(function(SEVERAL[kind]([1, 2]))) == str(function([1, 2]))


def test_one_id_of_every_kind(graph: oc.Graph) -> None:
    for one in ONE:
        assert one in graph and graph.neighbors(one) == [2] and graph.degree(one) == 2, repr(one)
        assert graph.has_edge(one, np.int8(2)) is True
        assert oc.bfs(graph, one).to_dict() == {1: 0, 2: 1, 3: 2, 4: 3}
        assert graph.ego(one).to_numpy("target").tolist() == [2]
    for other in (9, -1, 2**64, True, 1.0, None, b"1", [1], (1, 2), np.array([1]), np.nan, pd.NA, "x", "\ud800"):
        assert other not in graph, repr(other)


@pytest.mark.parametrize(("ids", "error"), REFUSED, ids=label)
def test_ids_that_are_refused_with_their_position(graph: oc.Graph, ids: Any, error: type[Exception]) -> None:
    for function in functions(graph):
        with pytest.raises(error, match=r"(position|row) 1 of "):
            function(ids)
    if isinstance(ids, list):
        names = {"a" if ids[0] == "a" else 7: 1, ids[1]: 1}
        with pytest.raises(error, match="position 1 of the personalization"):
            oc.pagerank(graph, personalization=names)


@pytest.mark.parametrize("ids", REFUSED_WHOLE, ids=label)
def test_what_holds_no_ids(graph: oc.Graph, ids: Any) -> None:
    for function in functions(graph):
        with pytest.raises(TypeError):
            function(ids)


NUMBERS: list[Callable[[list[float]], Any]] = [
    list,
    np.array,
    lambda values: np.array(values, "f4"),
    lambda values: np.array(values, object),
    lambda values: array.array("d", values),
    lambda values: [decimal.Decimal(value) for value in values],
    lambda values: [np.float32(value) for value in values],
    pd.Series,
    pl.Series,
    pa.array,
    Tensor,
    Exchanged,
]
REFUSED_NUMBERS: list[tuple[Any, type[Exception]]] = [
    ([1, None, 3, 4], TypeError),
    ([1, "2", 3, 4], TypeError),
    ([1, True, 3, 4], TypeError),
    ([1, 2j, 3, 4], TypeError),
    ([1, pd.NA, 3, 4], TypeError),
    ([1, 2**53 + 1, 3, 4], oc.BadInputError),
    ([1, 2**2000, 3, 4], oc.BadInputError),
    ([1, decimal.Decimal("1e-400"), 3, 4], oc.BadInputError),
    ([1, fractions.Fraction(1, 10**400), 3, 4], oc.BadInputError),
    (np.array([1, 2**53 + 1, 3, 4]), oc.BadInputError),
    (np.array(["1", "1e-4000", "3", "4"], np.longdouble), oc.BadInputError),
    (np.array([1, 2**64 - 1, 3, 4], "u8"), oc.BadInputError),
    (np.ma.array([1.0, 2.0, 3.0, 4.0], mask=[0, 1, 0, 0]), oc.BadInputError),
    (np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 0]), oc.BadInputError),
    ([1, float("nan"), 3, 4], oc.BadInputError),
    (pd.Series([1, None, 3, 4]), oc.BadInputError),
    (pl.Series([1, None, 3, 4]), oc.BadInputError),
    (pa.array([1.5, None, 3, 4]), oc.BadInputError),
]


def takes_numbers(graph: oc.Graph) -> Iterator[Callable[[Any], Any]]:
    """Return what takes a number an edge or a vertex, of which there are four each."""
    yield lambda values: oc.build(np.array(ROWS), weight=values).edges(weights=True).to_numpy("weight").tolist()
    yield lambda values: oc.build(ROWS, weight=values).edges(weights=True).to_numpy("weight").tolist()
    yield lambda values: oc.from_edges(*zip(*ROWS, strict=True), values).edges(weights=True).to_numpy("weight").tolist()
    yield lambda values: oc.spmv(graph, values).to_dict()
    yield lambda values: oc.spmv(graph, ([1, 2, 3, 4], values)).to_dict()


def test_numbers_of_every_kind(graph: oc.Graph) -> None:
    given = [0.5, 2.0, 4.0, 8.0]
    for function in takes_numbers(graph):
        expected = function(given)
        for kind in NUMBERS:
            assert function(kind(given)) == expected
    assert oc.gather(graph, Tensor(given)).tolist() == [4.0, 0.5, 2.0, 4.0]  # type: ignore[arg-type]


@pytest.mark.parametrize(("values", "error"), REFUSED_NUMBERS, ids=label)
def test_numbers_that_are_refused_with_their_position(graph: oc.Graph, values: Any, error: type[Exception]) -> None:
    for function in takes_numbers(graph):
        with pytest.raises(error, match=r"(position|row|value|entry) (1|2)\b|value of 2 "):
            function(values)


def test_masks_are_missing_values(graph: oc.Graph) -> None:
    rows = np.ma.array([[1, 2], [2, 3], [7, 8]], mask=[[0, 0], [0, 0], [0, 1]])
    values = np.ma.array([1.0, 2.0, 3.0, 4.0], mask=[0, 0, 0, 1])
    for call in (
        lambda: oc.build(rows),
        lambda: oc.build((rows[:, 0], rows[:, 1])),
        lambda: oc.gather(graph, values),
        lambda: oc.gather(graph, values, combine=np.add),
        lambda: oc.gather(graph, np.ones(4), frontier=values > 1),
        lambda: oc.learning.features(values, graph),
        lambda: oc.learning.batches(graph, [1], labels=values),
    ):
        with pytest.raises(oc.BadInputError, match="(row|position) [23] of .* is masked"):
            call()
    assert oc.build(rows[:2]).num_edges == 2


def test_vectors_by_the_index_of_a_series(graph: oc.Graph) -> None:
    expected = oc.spmv(graph, {3: 0.5, 1: 2}).to_dict()
    assert oc.spmv(graph, pd.Series([0.5, 2], index=[3, 1])).to_dict() == expected
    ranks = oc.pagerank(graph, personalization=pd.Series([1.0], index=[3])).to_dict()
    assert ranks == oc.pagerank(graph, personalization={3: 1}).to_dict()
    with pytest.raises(ValueError, match="1 IDs need 1 values, not 2"):
        oc.spmv(graph, ([3], [1, 2]))


GIVEN: list[Callable[[list[Any]], Any]] = [
    list,
    iter,
    lambda rows: (row for row in rows),
    lambda rows: map(tuple, rows),
    lambda rows: zip(*zip(*rows, strict=True), strict=True),
    lambda rows: dict.fromkeys(rows).keys(),
    nx.DiGraph,
]


@pytest.mark.parametrize("given", GIVEN)
def test_no_edge_vanishes_whatever_the_ids(given: Callable[[list[Any]], Any]) -> None:
    numbers, names = [(number, number + 1) for number in range(5)], [(f"a{n}", f"a{n + 1}") for n in range(5)]
    assert oc.build(given(numbers)).num_edges == 5
    for ids in ("auto", "string"):
        assert oc.build(given(names), ids=ids).num_edges == 5
    with pytest.raises(TypeError, match="needs strings"):
        oc.build(given(numbers), ids="string")
    assert oc.build(given([]), ids="string", allow_empty=True).num_edges == 0


@pytest.mark.parametrize("edges", [[(1, "a")], [(1, 2)] * 70_000 + [("a", "b")], [(1, 2)] * 70_000 + [(1, "b")]])
def test_ids_of_two_kinds_in_any_piece(edges: list[Any]) -> None:
    with pytest.raises(TypeError, match="row (0|65536|70000)|from row|sources are integers, but targets are strings"):
        oc.build(iter(edges))


def test_graphs_with_nodes_of_two_kinds() -> None:
    theirs = nx.Graph([(1, 2), (2, 3)])
    theirs.add_node("root")
    first = nx.Graph()
    first.add_nodes_from(["root"])
    first.add_edges_from([(1, 2)])
    for graph in (theirs, first, nx.Graph([("a", "b"), (1, 2)]), nx.Graph([(1, 2), (3, 4.5)])):
        with pytest.raises(TypeError, match="of the nodes of the graph: found the ID"):
            oc.build(graph)


def test_rows_that_are_no_pairs() -> None:
    for edges in ({(1, 2): 0.5}, {1: 2}, "ab", b"ab", [{1, 2}], [frozenset((1, 2))], [{1: 2, 3: 4}], 5, np.int64(5)):
        with pytest.raises((TypeError, ValueError, oc.NotFoundError)):
            oc.build(edges)


def test_an_attribute_that_is_misspelled() -> None:
    igraph = pytest.importorskip("igraph")
    theirs = nx.Graph([(1, 2, {"weight": 2.0, "cost": 3})])
    other = igraph.Graph(2, [(0, 1)])
    other.es["weight"], other.es["cost"] = [2.0], [3]
    for graph in (theirs, other):
        with pytest.raises(oc.UsageError, match="no attribute 'wieght'.* 'weight', 'cost'"):
            oc.build(graph, weight="wieght")
        assert oc.build(graph, weight="cost").edges(weights=True).to_numpy("weight").tolist() == [3]
    with pytest.raises(oc.UsageError, match="no attribute 'weight'.*none"):
        oc.build(nx.path_graph(3), weight=True)
    theirs.add_edge(2, 3)
    with pytest.warns(oc.OutcropWarning, match="1 of 2 edges have no attribute 'weight'; using weight 1"):
        assert oc.build(theirs).num_edges == 2
    other.add_vertices(1)
    other.vs["name"] = ["a", "b", "a"]
    with pytest.raises(oc.BadInputError, match="are not unique"):
        oc.build(other)


@pytest.mark.parametrize("kind", [scipy.sparse.coo_matrix, scipy.sparse.coo_array, scipy.sparse.csr_array])
def test_repeated_entries_of_a_matrix_are_summed(kind: Any) -> None:
    matrix = kind((np.array([100, 100, 1], "i1"), ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    if kind is scipy.sparse.csr_array:
        matrix = kind((np.array([100, 100, 1], "i1"), [1, 1, 2], [0, 2, 3, 3]), shape=(3, 3))
    with pytest.warns(oc.OutcropWarning, match="1 duplicate entries of the matrix were summed"):
        graph = oc.build(matrix)
    assert graph.edges(weights=True).to_numpy("weight").tolist() == [200, 1] and matrix.nnz == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert oc.build(scipy.sparse.eye_array(3)).num_edges == 3
    with pytest.raises(TypeError, match="complex"):
        oc.build(kind(np.eye(2) * 1j))


def broken(kind: str) -> pa.Array:
    """Arrow data that is not as its type says."""
    if kind == "dictionary":
        return pa.DictionaryArray.from_arrays(pa.array([0, 1, 9999999]), ["a", "b"], safe=False)
    if kind == "utf8":
        return pa.Array.from_buffers(pa.string(), 3, [None, pa.array([0, 1, 2, 3], pa.int32()).buffers()[1], pa.py_buffer(b"a\xffc")])
    ends = pa.array([0, 2, 1, 3], pa.int32()).buffers()[1]
    return pa.Array.from_buffers(pa.string(), 3, [None, ends, pa.py_buffer(b"abc")])


@pytest.mark.parametrize("kind", ["dictionary", "utf8", "offsets"])
def test_damaged_arrow_data_is_refused(kind: str, tmp_path: Path) -> None:
    column, right = broken(kind), pa.array(["x", "y", "z"])
    table = pa.table({"source": column, "target": right})
    given = [table, table.to_reader(), pa.table({"source": right, "target": column})]
    for edges in given:
        with pytest.raises(oc.BadInputError, match='column "(source|target)"'):
            oc.build(edges, tmp_path / "g")
    for call in (lambda: oc.from_edges(column, right), lambda: oc.build([("a", "b")]).neighbors(column)):
        with pytest.raises(oc.BadInputError):
            call()
    assert list(tmp_path.iterdir()) == []


def test_types_of_arrow_that_are_read_or_refused() -> None:
    def read(column: Any) -> list[Any]:
        edges = oc.build(pa.table({"source": column, "target": column})).edges()
        return edges.to_arrow()["source"].to_pylist()  # type: ignore[no-any-return]

    texts, numbers = ["a", "b"], pa.array([1, 2])
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.large_string())):
        assert read(pa.array(texts, kind)) == texts
    assert read(pa.chunked_array([["a"], ["b"]])) == texts
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [numbers, numbers])
    lists = [pa.array([[1], [2]], kind) for kind in (pa.list_(pa.int64()), pa.large_list(pa.int64()), pa.list_(pa.int64(), 1))]
    encoded = pa.RunEndEncodedArray.from_arrays([1, 2], numbers)
    extended = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1], pa.int8()))
    structs = pa.StructArray.from_arrays([numbers], ["x"])
    for column in (union, *lists, encoded, extended, structs, pa.array(texts, pa.binary()), pa.nulls(2)):
        with pytest.raises(TypeError, match="source"):
            read(column)
    rows = pa.StructArray.from_arrays([numbers, numbers], ["source", "target"], mask=pa.array([False, True]))
    with pytest.raises(oc.BadInputError, match="row 1: found null"):
        oc.build(pa.chunked_array([rows]))
    with pytest.raises(TypeError, match="not one column"):
        oc.build(pl.Series([1, 2]))


def test_bad_rows_of_a_table_are_skipped_where_that_is_asked_for() -> None:
    frame = pl.DataFrame({"source": [1, None, 3], "target": [2, 2, 4]})
    with pytest.warns(oc.OutcropWarning, match="the edges: skipped 1 line or row, the first: row 1: found null"):
        graph = oc.build(frame, on_error="skip")
    assert graph.num_edges == 2 and graph.info()["input"]["files"][0]["skipped"] == 1
    with pytest.raises(oc.BadInputError, match="no edges: all 1"):
        oc.build(frame[1:2], on_error="skip")


def test_components_and_labels_are_shown_by_their_sizes() -> None:
    graph = oc.build([(1, 2), (2, 3), (3, 1), (7, 8), (9, 10)], directed=False)
    found: Any
    for function, name in [
        (oc.weakly_connected_components, "component"),
        (oc.strongly_connected_components, "component"),
        (oc.label_propagation, "label"),
    ]:
        found = function(graph)  # type: ignore[operator]
        top = found.top(2)
        assert [list(row) for row in top] == [[name, "vertices"]] * 2 and top[0]["vertices"] == 3
        shown = repr(found).splitlines()
        assert shown[0].endswith("rows; largest by vertices>")
        assert [shown[1].split(), shown[2].split()] == [[name, "vertices"], [str(top[0][name]), "3"]]
        assert f"<th>{name}</th><th>vertices</th></tr><tr><td>{top[0][name]}</td><td>3</td>" in found._repr_html_()
        assert list(found[0]) == ["node", name]


def test_ids_of_results_are_signed_or_texts_where_that_is_asked_for() -> None:
    large = 2**53 + 1
    graph = oc.build([(large, 2), (2, large + 1)])
    for table in (oc.bfs(graph, large), graph.degree(), graph.neighbors([2, large]), graph.edges(), graph.nodes()):
        for kind, dtype in (("unsigned", "uint64"), ("signed", "int64"), ("string", "string")):
            first: str = table.to_arrow().column_names[0]
            found = table.to_arrow(ids=kind)[first].to_pylist()  # type: ignore[arg-type]
            assert str(table.to_arrow(ids=kind).schema.field(first).type).removeprefix("large_") == dtype  # type: ignore[arg-type]
            for columns in (table.to_pandas(ids=kind), table.to_polars(ids=kind), table.to_numpy(ids=kind)):  # type: ignore[arg-type]
                assert list(map(str, list(columns[first]))) == list(map(str, found))
    frame = oc.bfs(graph, large, columns="all").to_pandas(ids="signed")
    assert (frame["node"] - 1).tolist() == [1, large - 1, large] and str(frame["predecessor"].dtype) == "Int64"
    assert frame["predecessor"].tolist() == [large, pd.NA, 2]
    huge = oc.build([(2**64 - 1, 1)])
    assert oc.pagerank(huge).to_pandas(ids="string")["node"].tolist() == ["1", str(2**64 - 1)]
    for call in (lambda: huge.nodes().to_numpy(ids="signed"), lambda: huge.nodes().to_numpy(ids="odd")):  # type: ignore[arg-type]
        with pytest.raises(oc.UsageError, match="2\\*\\*63-1|must be"):
            call()


def edges_of_every_kind(columns: dict[str, Any], tmp_path: Path) -> Iterator[Any]:
    """Return a table in every form that has names of columns."""
    frame = pl.DataFrame(columns)
    frame.write_csv(tmp_path / "e.csv")
    frame.write_parquet(tmp_path / "e.parquet")
    yield from (frame, frame.to_arrow(), frame.to_pandas(), frame.lazy(), tmp_path / "e.csv", tmp_path / "e.parquet")


def test_every_build_says_what_it_took(tmp_path: Path) -> None:
    columns = {"when": [7, 8, 9], "a": [1, 2, 3], "weight": [0.5, 2.0, 4.0]}
    for edges in edges_of_every_kind(columns, tmp_path):
        with pytest.warns(oc.OutcropWarning) as told:
            graph = oc.build(edges)
        assert {warning.filename for warning in told} == {__file__}
        words = "\n".join(str(warning.message) for warning in told)
        assert "weight=True" in words and "not read" in words and "--" not in words
        account = graph.info()["input"]
        assert account["edges"] == 3 and account["files"][0]["columns"][:2] == ["when", "a"]
        assert len(told) == len(account["files"][0]["notes"]) and "input" not in oc.open(graph._path).info()
        events: list[dict[str, Any]] = []
        oc.build(edges, progress=events.append)
        assert any("not read" in event.get("message", "") for event in events)
        if not isinstance(edges, Path) or edges.suffix != ".csv":
            assert '"when") was read as the source; use source= for another one' in words
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            oc.build(edges, progress=False)
            oc.build(edges, source="when", target="a", weight="weight")


def test_repeated_edges_are_counted() -> None:
    for edges in ([(1, 2), (2, 1), (3, 3), (3, 3), (1, 2)], np.array([(1, 2), (2, 1), (3, 3), (3, 3), (1, 2)])):
        with pytest.warns(oc.OutcropWarning, match='2 of 5 edges are duplicates; use dedup="first" to keep one of each'):
            assert oc.build(edges).info()["input"]["duplicates"] == 2
        with pytest.warns(oc.OutcropWarning, match="3 of 5 edges are duplicates"):
            assert oc.build(edges, directed=False).info()["input"]["duplicates"] == 3
        account = oc.build(edges, dedup="first").info()["input"]
        assert (account["duplicates"], account["duplicates_merged"]) == (2, 2)
    with pytest.warns(oc.OutcropWarning, match="every edge is listed in both directions and counts twice"):
        assert oc.build([(1, 2), (2, 1)], directed=False).info()["input"]["both_directions"]


def test_an_update_says_what_it_took(tmp_path: Path) -> None:
    store = tmp_path / "g.outcrop"
    oc.build([(1, 2), (2, 3)], store).close()
    frame = pl.DataFrame({"when": [2], "a": [1], "c": [3]})
    with pytest.warns(oc.OutcropWarning, match='"when".*was read as the source') as told:
        oc.update(store, add=frame, merge_above="never")
    assert {warning.filename for warning in told} == {__file__}


@pytest.mark.parametrize("ids", ["integer", "dense"])
@pytest.mark.parametrize("given", [*GIVEN, np.array], ids=label)
def test_strings_of_digits_become_integers_on_request(given: Callable[[list[Any]], Any], ids: str) -> None:
    info = oc.build(given([("0", "1"), ("1", "2")]), ids=ids).info()
    assert (info["ids"], info["vertices"], info["edges"]) == (ids, 3, 2)
    for wrong in ("a", "", "-1", "1.0", str(2**64), "\u00b2"):
        with pytest.raises(oc.BadInputError, match="(row|position) 1 of the (edges|nodes).* expected an integer"):
            oc.build(given([("0", "1"), ("1", wrong)]), ids=ids)


def test_the_position_of_a_string_behind_the_first_batch() -> None:
    rows = chain(((str(number), "1") for number in range(70_000)), [("x", "1")])
    with pytest.raises(oc.BadInputError, match="row 70000 of the edges: found the ID 'x'"):
        oc.build(rows, ids="integer")


@pytest.mark.parametrize("ids", ["integer", "dense"])
@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame, pa.table, lambda columns: pl.DataFrame(columns).lazy()])
def test_columns_of_strings_are_no_integers(table: Callable[[dict[str, list[str]]], Any], ids: str) -> None:
    with pytest.raises((TypeError, ValueError), match="integer"):
        oc.build(table({"source": ["0"], "target": ["1"]}), ids=ids)


def test_series_go_by_their_index_unless_it_only_numbers_the_rows(build: Callable[..., oc.Graph]) -> None:
    graph = build([(0, 1), (1, 2), (2, 0)])
    series = pd.Series([1.0, 2.0, 4.0])
    by_id = oc.spmv(graph, dict(series)).to_dict()
    for same in (series, series[::-1], series.sample(frac=1, random_state=3), series.to_list()):
        assert oc.spmv(graph, same).to_dict() == by_id
    assert oc.spmv(graph, series[1:]).to_dict() == oc.spmv(graph, dict(series[1:])).to_dict()
    with pytest.raises(oc.BadInputError, match="no vertex 3"):
        oc.spmv(graph, pd.Series([1.0, 2.0, 4.0], index=range(1, 4)))


def test_tables_are_no_ids(build: Callable[..., oc.Graph]) -> None:
    graph, table = build([(1, 2)]), pa.table({"n": [1]})
    for call in (graph.neighbors, graph.degree, lambda ids: oc.bfs(graph, source=ids), lambda ids: graph.subgraph(ids)):
        for given in (table, table.to_batches()[0]):
            with pytest.raises(TypeError, match="must be one column, not a .*; choose one of 'n'"):
                call(given)


@pytest.mark.parametrize("fanouts", [[-1], [2**40], [1.5], ["a"]])
def test_numbers_of_neighbors_that_are_refused(build: Callable[..., oc.Graph], fanouts: Any) -> None:
    with pytest.raises(oc.UsageError, match="fanouts must be integers from 0"):
        build([(1, 2)]).sample_neighbors([1], fanouts=fanouts)
