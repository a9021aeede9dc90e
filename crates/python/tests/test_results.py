"""Results in other libraries and in files."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import outcrop as oc

DISTANCES = [None, 0, 1]


@pytest.fixture
def result(build: Callable[..., oc.Graph]) -> oc.Result:
    return oc.bfs(build([(1, 2), (2, 3)]), 2, columns="all")


def test_arrow(result: oc.Result) -> None:
    for table in (result.to_arrow(), pa.table(result)):
        assert table["distance"].to_pylist() == DISTANCES
    assert pa.schema(result).names == result.columns == ["node", "distance", "predecessor"]


def test_report(result: oc.Result, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    result.report(path)
    page = path.read_text()
    assert page.startswith("<!DOCTYPE html>") and "<h1>bfs on " in page and "Push or pull" in page
    with pytest.raises(oc.AlreadyExistsError):
        result.report(path)
    result.report(str(path), overwrite=True)
    assert path.read_text() == page
    with pytest.raises(FileNotFoundError):
        result.report(tmp_path / "missing" / "page.html")


def test_walks_have_a_row_a_step(build: Callable[..., oc.Graph], tmp_path: Path) -> None:
    walks = oc.random_walks(build([("a", "b"), ("b", "c")]), ["a", "c"])
    assert (len(walks), walks.columns) == (4, ["walk", "step", "node"])
    rows = [(0, 0, "a"), (0, 1, "b"), (0, 2, "c"), (1, 0, "c")]
    assert walks.to_polars().rows() == rows
    assert [tuple(row.values()) for row in walks.top(3)] == rows[:3]
    assert walks.to_numpy("step").tolist() == [0, 1, 2, 0]
    assert repr(walks).startswith("<outcrop.Result of walks: 4 rows; first rows>")
    with pytest.raises(oc.UsageError, match="to_pandas"):
        walks.to_dict()
    walks.write(tmp_path / "walks.csv")
    assert (tmp_path / "walks.csv").read_text().splitlines()[1:3] == ["0,0,a", "0,1,b"]


def test_polars(result: oc.Result) -> None:
    for frame in (result.to_polars(), pl.DataFrame(result)):
        assert frame["distance"].to_list() == DISTANCES


def test_pandas(result: oc.Result) -> None:
    frame = result.to_pandas()
    assert frame["distance"].isna().tolist() == [True, False, False]
    assert frame["distance"].dtype == pd.UInt32Dtype()
    assert frame["node"].tolist() == [1, 2, 3]


def test_numpy(result: oc.Result) -> None:
    arrays = result.to_numpy()
    assert arrays["distance"].tolist() == [-1, 0, 1] and arrays["distance"].dtype == np.int64
    assert arrays["node"].dtype == np.uint64
    with pytest.raises(oc.UsageError, match="distance, predecessor"):
        result.to_numpy("rank")


def test_numpy_of_floats(build: Callable[..., oc.Graph]) -> None:
    distances = oc.sssp(build([(1, 2), (2, 3)], weight=[1.5, 2.5]), 2).to_numpy("distance")
    assert np.array_equal(distances, [np.nan, 0, 2.5], equal_nan=True)


def test_numpy_arrays_can_be_written_to(result: oc.Result) -> None:
    for values in result.to_numpy().values():
        values[0] = 7


def test_top_and_looks(result: oc.Result) -> None:
    assert result.top(1) == [{"node": 3, "distance": 1, "predecessor": 2}]
    assert len(result.top(100)) == 2 and result.top(0) == []
    assert "3 rows" in repr(result) and "<td>3</td>" in result._repr_html_()
    assert result.stats["algorithm"] == "bfs" and len(result) == 3


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "jsonl", "npy"])
def test_files(result: oc.Result, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    result.write(path)
    before = path.read_bytes()
    with pytest.raises(oc.AlreadyExistsError, match="overwrite"):
        result.write(path)
    result.write(path, overwrite=True)
    assert path.read_bytes() == before


def test_what_files_hold(result: oc.Result, tmp_path: Path) -> None:
    result.to_parquet(tmp_path / "out.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet") == result.to_arrow()
    result.to_csv(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[1:] == ["1,,", "2,0,", "3,1,2"]
    for write, name in [(result.to_csv, "out.parquet"), (result.to_parquet, "x.csv"), (result.write, "x.xls")]:
        with pytest.raises(oc.UsageError):
            write(tmp_path / name)


def test_results_outlive_their_graph(build: Callable[..., oc.Graph]) -> None:
    with build([(1, 2)]) as graph:
        result = oc.bfs(graph, 1)
    assert result.to_dict() == {1: 0, 2: 1}


def test_rows_and_columns(result: oc.Result, build: Callable[..., oc.Graph]) -> None:
    rows = [dict(zip(result.columns, row, strict=True)) for row in [(1, None, None), (2, 0, None), (3, 1, 2)]]
    assert list(result) == rows and [result[0], result[-1]] == [rows[0], rows[2]]
    assert result[1:] == rows[1:] and result[::-1] == rows[::-1] and result[3:] == []
    assert result["distance"].tolist() == [-1, 0, 1] and result["node"].tolist() == [1, 2, 3]
    with pytest.raises(IndexError):
        result[3]
    with pytest.raises(oc.UsageError, match="unknown column 'rank'"):
        result["rank"]
    graph = build([(number, (number + 1) % 9000) for number in range(9000)])
    found = oc.bfs(graph, 0)
    assert [row["distance"] for row in found] == list(range(9000)) and found[5000]["node"] == 5000
    walks = oc.random_walks(graph, [7, 3], length=2)
    assert [row["node"] for row in walks] == [7, 8, 9, 3, 4, 5] == walks["node"].tolist()
    assert walks[4] == {"walk": 1, "step": 1, "node": 4} and [row["step"] for row in walks[2:4]] == [2, 0]
    named = build([("a", "b"), ("b", "c")])
    assert oc.bfs(named, "a")["node"].tolist() == ["a", "b", "c"] == [row["node"] for row in named.degree()]
    assert oc.bfs(named, "a", columns="all")["predecessor"].tolist() == [None, "a", "b"]


def test_graphs_are_pickled_by_their_path_and_tables_not_at_all(build: Callable[..., oc.Graph], tmp_path: Path) -> None:
    build([(1, 2), (2, 3)]).close()
    graph = oc.open(next(tmp_path.glob("*.outcrop")), memory="64MiB", options=oc.Engine(model="interval"))
    again = pickle.loads(pickle.dumps(graph))
    assert oc.bfs(again, 1).to_dict() == {1: 0, 2: 1, 3: 2} and oc.bfs(again, 1).stats["model"] == "interval"
    for table in (oc.bfs(graph, 1), graph.degree()):
        with pytest.raises(TypeError, match="to_arrow"):
            pickle.dumps(table)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(len, graph).result() == 3


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("kind", ["u8", "i8", "i4", "str"])
def test_results_join_data_frames(tmp_path: Path, library: str, kind: str) -> None:
    frames: Any = pytest.importorskip(library)
    big = [1, 2, 3] if kind == "i4" else [1, 2**53, 2**53 + 1]
    ids = [str(number) for number in big] if kind == "str" else big
    graph = oc.build([(ids[0], ids[1]), (ids[1], ids[2])], tmp_path / "path.outcrop")
    asked = [ids[2], ids[0], "7" if kind == "str" else 7, ids[2]]
    column = asked if kind == "str" else np.array(asked, kind)
    frame = frames.DataFrame({"account": column, "name": ["c", "a", "x", "c"]})
    if library == "pandas":
        frame.index = [9, 8, 7, 6]
    joined = oc.bfs(graph, ids[0]).join(frame, on="account")
    assert list(joined.columns) == ["account", "name", "distance"]
    assert joined["account"].to_list() == asked and joined["name"].to_list() == ["c", "a", "x", "c"]
    found = [None if value is None or value is pd.NA else int(value) for value in joined["distance"].to_list()]
    assert found == [2, 0, None, 2]
    assert library == "polars" or joined.index.tolist() == [9, 8, 7, 6]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_with_gaps_are_joined(tmp_path: Path, library: str) -> None:
    frames: Any = pytest.importorskip(library)
    graph = oc.build([(1, 2), (2, 2**64 - 1)], tmp_path / "big.outcrop")
    result = oc.bfs(graph, 1)
    columns = [[2, -2, 9], np.array([2, 1]), [2.0, None, 1.0], [2**64 - 1, None], ["2", None, "x"], [None, None]]
    expected = [[1, None, None], [1, 0], [1, None, 0], [2, None], [1, None, None], [None, None]]
    for column, values in zip(columns, expected, strict=True):
        # pandas rounds large integers in a column with gaps.
        rounds = library == "pandas" and 2**64 - 1 in list(column)
        kinds = ["object"] if rounds else [None, "object"] if library == "pandas" else [None]
        for kind in kinds:
            frame = frames.DataFrame({"node": frames.Series(column, **({"dtype": kind} if kind else {}))})
            found = result.join(frame)["distance"].to_list()
            assert [None if value is None or value is pd.NA else int(value) for value in found] == values
    texts = oc.bfs(oc.build([("a", "b")], tmp_path / "texts.outcrop"), "a")
    for column, why in [([1], "has integers"), ([True], "integers or strings"), ([0.5], "integers or strings")]:
        with pytest.raises(oc.UsageError, match=f"'node' .*{why}"):
            texts.join(frames.DataFrame({"node": column}))


def test_frames_that_cannot_be_joined(tmp_path: Path) -> None:
    pandas: Any = pytest.importorskip("pandas")
    graph = oc.build([(1, 2)], tmp_path / "pair.outcrop")
    result = oc.bfs(graph, 1)
    with pytest.raises(oc.UsageError, match="a DataFrame of pandas or Polars, not a dict"):
        result.join({"node": [1]})
    with pytest.raises(oc.UsageError, match="no column 'node'; pass the column of vertex IDs as `on`"):
        result.join(pandas.DataFrame({"id": [1]}))
    with pytest.raises(oc.UsageError, match="already has a column 'distance'"):
        result.join(pandas.DataFrame({"node": [1], "distance": [1]}))
    with pytest.raises(oc.UsageError, match="a result of walks has one row per step"):
        oc.random_walks(graph, 1).join(pandas.DataFrame({"node": [1]}))


def test_results_are_plotted(tmp_path: Path) -> None:
    matplotlib: Any = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    random = np.random.default_rng(5)
    graph = oc.build((random.pareto(1.0, (4000, 2)) * 9).astype("u4"), tmp_path / "heavy.outcrop", dedup="first")
    for result in (oc.pagerank(graph), oc.bfs(graph, 0), oc.weakly_connected_components(graph), oc.core_number(graph)):
        axes = result.plot()
        assert axes.get_ylabel() == "vertices" and axes.get_title() == result.stats["algorithm"]
        axes.figure.canvas.draw()
        assert result.plot(axes) is axes
        matplotlib.pyplot.close(axes.figure)
    with pytest.raises(oc.UsageError, match="pagerank has no distribution to plot"):
        oc.pagerank(oc.build([(1, 2), (2, 1)], tmp_path / "pair.outcrop")).plot()


@pytest.mark.parametrize("kind", ["uint64", "object", "UInt64", "category", "uint64[pyarrow]"])
def test_ids_of_all_sizes_are_joined(build: Callable[..., oc.Graph], kind: Any) -> None:
    near = 2**53
    ids = [2**63, near, near + 1, near + 2]
    result = oc.bfs(build([(near, near + 1), (near + 1, near + 2), (near + 2, 2**63)]), source=near)
    frame = pd.DataFrame({"v": pd.Series(ids, dtype="uint64").astype(kind)})
    assert result.join(frame, on="v")["distance"].tolist() == [3, 0, 1, 2]
    other = pd.DataFrame({"v": pd.Series([2**64, -1, near], dtype=object)})
    assert result.join(other, on="v")["distance"].isna().tolist() == [True, True, False]


def test_frames_with_several_columns_of_a_name_are_refused(build: Callable[..., oc.Graph]) -> None:
    result = oc.bfs(build([(1, 2)]), source=1)
    levels = pd.DataFrame([[1, 1]], columns=pd.MultiIndex.from_tuples([("v", "a"), ("v", "b")]))
    for frame, message in [
        (pd.DataFrame([[1, 1]], columns=["v", "v"]), "several columns 'v'"),
        (levels, "several columns 'v'"),
        (pl.LazyFrame({"v": [1]}), "LazyFrame; collect it first"),
    ]:
        with pytest.raises(oc.UsageError, match=message):
            result.join(frame, on="v")
