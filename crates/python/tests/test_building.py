"""Edges of all kinds into stores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse

import outcrop as oc

Build = Callable[..., oc.Graph]
ROWS = [(3, 5), (5, 9), (9, 3)]


def test_files_of_all_kinds(build: Build, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("src,dst,km\n3,5,1\n5,9,2\n")
    (tmp_path / "b.csv").write_text("dst,src,km\n3,9,4\n")
    one = build(str(tmp_path / "a.csv"), weight="km")
    assert (one.num_edges, one.weighted) == (2, True)
    both = build([tmp_path / "a.csv", tmp_path / "b.csv"], source="src", target="dst")
    assert oc.bfs(both, 3).to_dict() == {3: 0, 5: 1, 9: 2}


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i8", object])
def test_arrays_of_whole_numbers(build: Build, dtype: Any) -> None:
    assert oc.bfs(build(np.array(ROWS, dtype=dtype)), 3).to_dict() == {3: 0, 5: 1, 9: 2}


def test_arrays_that_are_not_contiguous(build: Build) -> None:
    wide = np.array([(3, 0, 5), (5, 0, 9), (9, 0, 3)])
    for edges in (wide[:, ::2], np.asfortranarray(ROWS), np.array(ROWS)[::-1]):
        assert oc.bfs(build(edges), 3).to_dict() == {3: 0, 5: 1, 9: 2}


def test_arrays_larger_than_a_piece(build: Build) -> None:
    steps = np.arange(200_001)
    graph = build(np.column_stack([steps[:-1], steps[1:]]))
    assert (graph.num_vertices, graph.num_edges) == (200_001, 200_000)
    graph.check()


@pytest.mark.parametrize(
    ("edges", "error", "message"),
    [
        (np.array([(1.0, 2.0)]), TypeError, "float64"),
        (np.array([(True, False)]), TypeError, "bool"),
        (np.array([1, 2]), ValueError, "two columns"),
        (np.array([(1, 2, 3)]), ValueError, "two columns"),
        (np.array([(1, 2), (3, -1)]), oc.BadInputError, "row 1"),
        ([(1, 2), (3, -1)], oc.BadInputError, "row 1"),
        ([(1, 2), (3, 2**64)], oc.BadInputError, "row 1"),
        ([(1, 2), (3,)], TypeError, "row 1"),
        ([(1, 2), (3, "x")], TypeError, "row 1"),
        ([("a", "b"), ("c", 1)], TypeError, "row 1"),
        ([("a", "b"), ("c", "d\ne")], oc.BadInputError, "row 1"),
        ([("a", "")], oc.BadInputError, "row 0"),
        ([(1.5, 2)], TypeError, "an integer"),
        (17, TypeError, "int"),
        (pa.table({"source": [1.5], "target": [2.5]}), TypeError, "source"),
        (pa.table({"source": [1], "target": ["x"]}), TypeError, "one type"),
        (pa.table({"source": [1, 2], "target": [1, -1]}), oc.BadInputError, "row 1"),
        (pa.table({"source": [1, None], "target": [1, 1]}), oc.BadInputError, "row 1"),
        (pa.table({"source": [1]}), oc.BadInputError, "found only source"),
    ],
)
def test_edges_that_are_refused(build: Build, tmp_path: Path, edges: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        build(edges)
    assert list(tmp_path.iterdir()) == []


def test_ids_above_num_vertices_are_refused(build: Build) -> None:
    for edges in (np.array(ROWS), pl.DataFrame(ROWS, schema=["a", "b"], orient="row")):
        with pytest.raises(oc.BadInputError, match="from 0 to 8"):
            build(edges, ids="dense", num_vertices=9)
        assert build(edges, ids="dense", num_vertices=12).num_vertices == 12


@pytest.mark.parametrize("weights", [[1, 2, 4], np.array([1, 2, 4]), np.array([1.0, 2.0, 4.0])])
def test_weights_in_arrays(build: Build, weights: Any) -> None:
    assert oc.sssp(build(ROWS, weight=weights), 3).to_dict() == {3: 0, 5: 1, 9: 3}


@pytest.mark.parametrize("kind", ["list", "array", "table"])
def test_weights_that_are_rounded_are_noted(build: Build, tmp_path: Path, kind: str) -> None:
    weights = [1.0, 0.1, 16777217.0]
    table = pa.table({"a": [3, 5, 3], "b": [5, 9, 9], "w": weights})
    given: dict[str, tuple[Any, Any]] = {
        "list": (ROWS, weights),
        "array": (np.array(ROWS), np.array(weights)),
        "table": (table, "w"),
    }
    edges, weight = given[kind]
    with pytest.warns(UserWarning, match="2 weights were rounded, the first at the edges: row 1;"):
        graph = build(edges, weight=weight, weight_type="f32")
    rounding = graph.info()["weight_rounding"]
    assert (rounding["count"], rounding["largest_absolute"]) == (2, 1.0)
    graph.close()
    store = tmp_path / "0.outcrop"
    for further, count in [((3, 9), 3), ((3, 12), 4)]:
        with pytest.warns(UserWarning, match="1 weight was rounded"):
            oc.update(store, add=[further], weight=[0.3])
        assert oc.info(store)["weight_rounding"]["count"] == count


@pytest.mark.parametrize(
    ("weights", "kind"),
    [
        ([1, 2, 255], "u8"),
        ([1, 2, 65535], "u16"),
        ([1, 2, 16777217], "u32"),
        ([0.5, 2, 4], "f32"),
        ([0.1, 2, 1e39], "f64"),
    ],
)
def test_weights_keep_their_type(build: Build, tmp_path: Path, weights: Any, kind: str) -> None:
    graph = build(ROWS, weight=weights)
    assert (graph.info()["weight_type"], graph.info().get("weight_rounding")) == (kind, None)
    assert oc.sssp(graph, 3).to_dict() == {3: 0, 5: weights[0], 9: min(weights[0] + weights[1], weights[2])}
    graph.close()
    if kind.startswith("u"):
        with pytest.raises(oc.BadInputError, match="the weight 0.1.*weight_type"):
            oc.update(tmp_path / "0.outcrop", add=[(3, 9)], weight=[0.1])


def test_types_of_weights_are_asked_for(build: Build) -> None:
    assert build(ROWS, weight=[1, 2, 4], weight_type="f64").info()["weight_type"] == "f64"
    with pytest.raises(oc.BadInputError, match="row 1: found the weight 256, expected an integer from 0 to 255"):
        build(ROWS, weight=[1, 256, 4], weight_type="u8")
    with pytest.raises(oc.UsageError, match="expected auto"):
        build(ROWS, weight=[1, 2, 4], weight_type="i8")


def test_weights_that_are_refused(build: Build) -> None:
    for weights, error in [
        ([1.0], ValueError),
        (np.array(["a"] * 3), TypeError),
        ([1.0, 2.0, np.nan], oc.BadInputError),
    ]:
        with pytest.raises(error):
            build(np.array(ROWS), weight=weights)
    with pytest.raises(oc.UsageError, match="pass weights as an array"):
        build(np.array(ROWS), weight=True)
    with pytest.raises(oc.BadInputError, match="negative|at least 0"):
        oc.sssp(build(ROWS, weight=[1, -1, 1]), 3)


@pytest.mark.parametrize("library", [pa.table, pl.DataFrame, pd.DataFrame])
def test_tables(build: Build, library: Any) -> None:
    columns = {"km": [1.0, 2.0, 4.0], "to": [5, 9, 3], "from": [3, 5, 9]}
    graph = build(library(columns), weight="km")
    assert oc.sssp(graph, 3).to_dict() == {3: 0, 5: 1, 9: 3}
    assert oc.bfs(build(library({"x": ["a", "b"], "y": ["b", "c"]})), "a").to_dict() == {"a": 0, "b": 1, "c": 2}


def test_tables_of_dictionaries(build: Build) -> None:
    columns = {"source": ["a", "b", "a"], "target": ["b", "c", "c"]}
    table = pa.table({name: pa.array(values).dictionary_encode() for name, values in columns.items()})
    assert oc.bfs(build(table), "a").to_dict() == {"a": 0, "b": 1, "c": 1}
    numbers = pa.table({name: pa.array([3, 5, 3]).dictionary_encode() for name in columns})
    assert build(numbers).num_vertices == 2
    with pytest.raises(oc.BadInputError, match="row 1: found null"):
        build(pa.table({"source": [1, 2], "target": pa.array([1, None]).dictionary_encode()}))


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrows"])
def test_files_of_tables(build: Build, tmp_path: Path, suffix: str) -> None:
    names = [f"user-{number:05d}" for number in range(1000)]
    for part in range(3):
        rows = [(names[k], names[k + 1], k / 2) for k in range(part, 999, 3)]
        source, target, km = zip(*rows, strict=True)
        table = pa.table({"km": km, "to": target, "from": pa.array(source).dictionary_encode(), "note": target})
        path = tmp_path / f"part-{part}{suffix}"
        if suffix == ".parquet":
            pyarrow.parquet.write_table(table, path, row_group_size=100, compression="zstd", write_page_checksum=True)
        elif suffix == ".feather":
            pyarrow.feather.write_feather(table, str(path), chunksize=100)
        else:
            with pa.ipc.new_stream(path, table.schema) as stream:
                stream.write_table(table, max_chunksize=100)
    graph = build(sorted(tmp_path.glob(f"*{suffix}")), weight="km", memory="64MiB")
    assert (graph.num_vertices, graph.num_edges, graph.weighted) == (1000, 999, True)
    assert oc.bfs(graph, names[0]).to_dict() == {name: hops for hops, name in enumerate(names)}
    with pytest.raises(oc.BadInputError, match="part-0.*no column nobody"):
        build(sorted(tmp_path.glob(f"*{suffix}")), source="nobody")


def test_results_are_tables_too(build: Build) -> None:
    ranks = oc.bfs(build([(1, 2), (1, 3)]), 1, columns="all").to_polars().drop_nulls()
    assert build(ranks, source="predecessor", target="node").num_edges == 2


def test_options(build: Build, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("77\n")
    graph = build(
        [(1, 2), (1, 2), (2, 2)], dedup="first", self_loops="drop", order="degree", vertices=tmp_path / "more.txt"
    )
    info = graph.info()
    assert (info["edges"], info["vertices"], info["order"]) == (1, 3, "degree")
    with pytest.raises(oc.UsageError, match='"keep", "drop"'):
        build(ROWS, self_loops="maybe")
    for verify in (False, True):
        events: list[dict[str, Any]] = []
        build(ROWS, verify=verify, progress=events.append)
        assert ("verifying files" in [event.get("name") for event in events]) == verify


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ({"order": "random"}, {"seed": 1}),
        ({"order": "random", "order_seed": 9}, {"seed": 9}),
        ({"order": "pagerank"}, None),
        ({"order": "norder"}, {"depth": 2}),
    ],
)
def test_orders(build: Build, options: dict[str, Any], parameters: dict[str, int] | None) -> None:
    graph = build([(7, 1), (1, 2), (2, 9)], **options)
    graph.check()
    assert (graph.info()["order"], graph.info().get("order_parameters")) == (options["order"], parameters)
    assert oc.bfs(graph, 7).to_dict() == {1: 1, 2: 2, 7: 0, 9: 3}


def test_auto_takes_an_order_that_there_is(build: Build) -> None:
    assert build(ROWS, order="auto").info()["order"] in ("original", "degree")


@pytest.mark.parametrize("options", [{"order_seed": 3}, {"order": "norder", "order_seed": 3}, {"order": "nonsense"}])
def test_options_of_other_orders(build: Build, options: dict[str, Any]) -> None:
    with pytest.raises(oc.UsageError):
        build(ROWS, **options)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ("chunked", "runs", "compact")),
        ({"codec": "packed"}, ("chunked", "packed", "compact")),
        ({"layout": "chunked", "codec": "raw32"}, ("chunked", "raw32", "compact")),
        ({"codec": "alternating"}, ("chunked", "alternating", "compact")),
        ({"layout": "compact"}, ("compact", "runs", None)),
        ({"layout": "compact", "codec": "alternating"}, ("compact", "alternating", None)),
        ({"layout": "csr"}, ("csr", None, None)),
        ({"layout": "csr", "page_size": "8KiB"}, ("csr", None, None)),
        ({"layout": "csr", "page_size": 512}, ("csr", None, None)),
        ({"layout": "sliding"}, ("sliding", None, None)),
        ({"layout": "sliding", "intervals": 9}, ("sliding", None, None)),
    ],
)
def test_layouts(build: Build, options: dict[str, Any], expected: tuple[str, str | None, str | None]) -> None:
    star = [(0, leaf) for leaf in range(1, 3000)]
    graph = build(star, **options)
    graph.check()
    assert oc.bfs(graph, 0).to_dict() == {0: 0} | dict.fromkeys(range(1, 3000), 1)
    for layout in graph.info()["layouts"]:
        settings = layout.get("chunks", {}).get("settings", {})
        codec = settings.get("codec", layout.get("codec"))
        assert (layout["layout"], codec, settings.get("index")) == expected
        page = {None: 4096, "8KiB": 8192, 512: 512}[options.get("page_size")]
        assert layout.get("page_bytes") == (page if expected[0] == "csr" else None)


def test_layouts_that_are_refused(build: Build) -> None:
    wrong = ({"layout": "pages"}, {"codec": "zip"}, {"layout": "csr", "codec": "packed"})
    compact = ({"layout": "compact", "codec": "raw32"},)
    pages = ({"page_size": 4096}, {"layout": "csr", "page_size": 100}, {"layout": "csr", "page_size": "x"})
    shards = ({"intervals": 5}, {"layout": "sliding", "intervals": 0}, {"layout": "sliding", "codec": "packed"})
    for options in (*wrong, *compact, *pages, *shards):
        with pytest.raises(oc.UsageError, match="|".join([*options, "512 to 65536", "size"])):
            build(ROWS, **options)


def test_generated_graphs(build: Build, tmp_path: Path) -> None:
    assert oc.generate("uniform", tmp_path / "u.bin", vertices=50, edges=400, weights="1..9") == 400
    assert build(tmp_path / "u.bin", weight=True).num_edges == 400
    assert oc.generate("grid", tmp_path / "g.el", rows=3, columns=4) == 17
    with pytest.raises(oc.UsageError, match="scale"):
        oc.generate("kronecker", tmp_path / "k.bin")
    with pytest.raises(oc.AlreadyExistsError):
        oc.generate("grid", tmp_path / "g.el", rows=3, columns=4)


def test_files_state_their_direction(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "a.dat"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n3 2\n")
    graph = build(path, format="matrix-market")
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (4, 2, False)
    assert build(path, directed=True).num_edges == 4
    with pytest.raises(oc.UsageError, match="unknown format"):
        build(path, format="gml")


def test_a_file_without_edges_is_a_graph_only_where_that_is_allowed(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("# nothing\n")
    with pytest.raises(oc.BadInputError, match="found no edges"):
        oc.build(str(empty), tmp_path / "g.outcrop")
    graph = oc.build(str(empty), tmp_path / "g.outcrop", allow_empty=True)
    assert (graph.num_vertices, graph.num_edges) == (0, 0)
    assert "input" in graph.info() and "input" not in oc.open(tmp_path / "g.outcrop").info()


def test_a_tab_can_be_named_as_separator(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("a b\tc\nc\td\n")
    for separator in ("tab", "\\t", "\t"):
        with oc.build(tmp_path / "edges.txt", separator=separator) as graph:
            assert graph.num_vertices == 3, separator


@pytest.mark.parametrize("weight", [np.array([3.0, 4.0]), [3.0], 0, 1.5])
def test_weights_of_tables_and_files_are_columns(build: Build, tmp_path: Path, weight: Any) -> None:
    columns = {"source": [1, 2], "target": [2, 3], "weight": [9.0, 8.0]}
    (tmp_path / "a.csv").write_text("source,target,weight\n1,2,9\n2,3,8\n")
    graph = build([(1, 2, 1.0)])
    for edges in (
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        pl.LazyFrame(columns),
        pa.table(columns),
        tmp_path / "a.csv",
    ):
        with pytest.raises(TypeError, match="one of its columns"):
            build(edges, weight=weight)
        with pytest.raises(TypeError, match="one of its columns"):
            graph.update(add=edges, weight=weight)


def test_row_numbers_and_times_are_no_weights(build: Build, tmp_path: Path) -> None:
    frame = pd.DataFrame({"source": [1, 2, 3], "target": [2, 3, 4]})
    frame.to_csv(tmp_path / "index.csv")
    numbered = pl.DataFrame(frame)
    tables = [frame[::-1], frame[frame["source"] != 2], numbered.with_row_index("id"), numbered.with_row_index("index")]
    for edges in [*tables, tmp_path / "index.csv", frame.assign(timestamp=[7, 8, 9])]:
        with pytest.raises(oc.BadInputError, match="no weight column, but|found only source, target, expected .* weight"):
            build(edges, weight=True)
    graph = build(frame.assign(timestamp=[7, 8, 9]), weight="timestamp")
    assert graph.edges(weights=True).to_arrow()["weight"].to_pylist() == [7, 8, 9]


def test_options_that_the_edges_cannot_have_are_refused(build: Build) -> None:
    with pytest.raises(oc.UsageError, match="time_unit='s' needs time"):
        build(pa.table({"source": [1], "target": [2], "time": [3]}), time_unit="s")
    with pytest.raises(oc.UsageError, match="names of columns"):
        build([(1, 2)], source="a")
    with build(pa.table({"a": [1], "b": [2]}), source="b", target="a") as graph:
        table = pa.table({"a": [1], "b": [5]})
        assert graph.update(add=table, remove=[(2, 1)], source="b", target="a")["removed"] == 1
        with pytest.raises(oc.UsageError, match="names of columns"):
            graph.update(add=[(2, 1)], source="b")
    with pytest.raises(oc.UsageError, match="the vertices of a matrix are its rows"):
        build(scipy.sparse.eye_array(3).tocsr(), ids="integer")
    with pytest.raises(TypeError, match="no Arrow form.*astype.'uint64'"):
        build(pd.DataFrame({"source": pd.Series([1, 2**63 + 1], dtype=object), "target": [2, 3]}))
    with pytest.raises(TypeError, match="returned NoneType"):
        build(type("Table", (), {"__arrow_c_stream__": lambda *_, **__: None})())


def test_a_hint_of_a_length_is_no_length(build: Build) -> None:
    class Rows:
        def __iter__(self) -> Any:
            return iter([(1, 2)])

        def __length_hint__(self) -> int:
            return 10**18

    assert build(Rows()).num_edges == 1
