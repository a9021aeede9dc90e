"""Runs on Spark beside those on one machine, and beside GraphX; real graphs with OUTCROP_PROOF=1, -s shows seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outcrop as oc

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402, N812

import outcrop.spark  # noqa: E402
from outcrop.spark import __main__ as command  # noqa: E402

REAL = {"w-netscience.wel": False, "email-Eu-core.el": True, "p2p-Gnutella05.el": True, "wiki-Vote.el": True, "fb-MIT8.el": False}
REAL |= {"cit-HepPh.el": True, "soc-ego-twitter-u.el": False}
DEEP = "cit-HepPh.el"
"""A graph almost without circles, whose strong components took GraphX more than five minutes."""
ALPHA, STEPS = (0.5, 42) if "OUTCROP_PROOF" in os.environ else (0.1, 13)
"""Steps after which what is left of the first ranks is less than 1e-12 of them all."""


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A session in which small graphs take little time."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "2",
    }
    if "OUTCROP_PROOF" not in os.environ:
        settings |= {
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.codegen.wholeStage": "false",
        }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def edges() -> list[tuple[int, int, int]]:
    """Random edges with loops, repeated ones and weights of 0; some vertices are out of reach."""
    random = np.random.default_rng(7)
    rows = np.column_stack([random.integers(0, 15, (24, 2)) * 3, random.integers(0, 5, 24)])
    return [tuple(row) for row in [*rows.tolist(), [3, 3, 1], [3, 6, 2], [3, 6, 0], [900, 901, 1]]]


@pytest.fixture(scope="module")
def both(spark: SparkSession, edges: list[tuple[int, int, int]]) -> Iterator[tuple[oc.Graph, oc.spark.Graph]]:
    """A directed graph with weights, here and on Spark."""
    graph = oc.build(edges, weight=True)
    spread = oc.spark.open(graph, spark)
    yield graph, spread
    spread.close()


def same(function: Callable[[oc.Graph], Any], graph: oc.Graph, spread: oc.spark.Graph) -> tuple[float, float]:
    """The same table, in its types too; ranks to 1e-12. The seconds here and there."""
    (one, here), (other, there) = (timed(lambda: function(g).to_arrow()) for g in (graph, spread))  # noqa: B023
    assert one.schema == other.schema
    if "pagerank" in one.column_names:
        np.testing.assert_allclose(other["pagerank"].to_numpy(), one["pagerank"].to_numpy(), rtol=1e-10, atol=1e-12)
        one, other = (table.drop_columns(["pagerank"]) for table in (one, other))
    assert one.equals(other)
    return here, there


RUNS: dict[str, Callable[[oc.Graph], Any]] = {
    "pagerank": lambda g: oc.pagerank(g, tol=0.1),
    "personal": lambda g: oc.pagerank(g, 0.5, {3: 2, 6: 1}, weight=None, iterations=2),
    "wcc": oc.weakly_connected_components,
    "scc": oc.strongly_connected_components,
    "bfs": lambda g: oc.bfs(g, [3, 900], columns="all"),
    "sssp": lambda g: oc.sssp(g, 3, columns="all"),
    "cdlp": lambda g: oc.label_propagation(g, 2),
    "weighted cdlp": lambda g: oc.label_propagation(g, 2, weight="weight"),
    "triangles": oc.triangles,
    "degree": lambda g: g.degree(),
}


@pytest.mark.filterwarnings("ignore:cdlp does not use")
@pytest.mark.parametrize("name", RUNS)
def test_tables_are_those_of_one_machine(name: str, both: tuple[oc.Graph, oc.spark.Graph]) -> None:
    same(RUNS[name], *both)


def test_the_engine_is_a_keyword(spark: SparkSession, both: tuple[oc.Graph, oc.spark.Graph]) -> None:
    graph, spread = both
    assert isinstance(spread, oc.Graph)
    takes = [name for name in dir(oc) if "engine" in getattr(getattr(oc, name), "__annotations__", {})]
    assert len(takes) == len(outcrop.spark.graph.ALGORITHMS) - 1  # Degrees are asked of the graph.
    here, there = (oc.bfs(graph, [3, 900], engine=engine, spark=spark) for engine in ("outcrop", "spark"))  # type: ignore[arg-type]
    assert here.to_arrow().equals(there.to_arrow()) and there.stats["engine"] == "spark" != here.stats.get("engine")
    assert there.dataframe.count() == len(graph)  # type: ignore[attr-defined]
    assert oc.triangles(spread, engine="spark", spark=spark).to_dict() == oc.triangles(graph).to_dict()
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: oc.triangles(graph, engine="flink"), "engine must be 'outcrop' or 'spark', not 'flink'"),  # type: ignore[arg-type]
        (lambda: oc.triangles(graph, engine="spark"), "engine='spark' needs spark=session"),
        (lambda: oc.triangles(graph, spark=spark), "spark=session needs engine='spark'"),
        (lambda: oc.triangles(spread, engine="outcrop"), "a graph on Spark"),
        (lambda: spread.update(add=[(1, 2)]), "a graph on Spark does not support update; supported: pagerank"),
        (lambda: spread.between(1, 2), "a graph on Spark does not support between"),
        (lambda: oc.pagerank(graph, delta=0.1, engine="spark", spark=spark), "does not support delta"),
        (lambda: graph._run("kcore", engine="spark", spark=spark), "kcore does not run on Spark"),
    ]
    for call, message in refused:
        with pytest.raises(oc.UsageError, match=message):
            call()


def test_without_pyspark_the_error_says_what_to_install() -> None:
    lines = ["import sys", "sys.modules['pyspark'] = None", "import outcrop as oc"]
    lines.append("oc.triangles(oc.build([(1, 2)]), engine='spark', spark=1)")
    ran = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    assert ran.stderr.strip().endswith("outcrop.spark needs PySpark: pip install 'outcrop[spark]'")


def test_undirected_graphs_and_texts(spark: SparkSession, edges: list[tuple[int, int, int]], tmp_path: Path) -> None:
    rows = [(f"v{source}", f"v{target}") for source, target, _ in edges]
    graph = oc.build(rows, directed=False)
    frame = spark.createDataFrame(rows, "a string, b string")
    spread = oc.spark.open(frame, spark, directed=False, tmp_dir=f"file:{tmp_path}")
    assert (len(spread), spread.num_edges, spread.directed) == (len(graph), graph.num_edges, False)
    same(oc.strongly_connected_components, graph, spread)
    same(lambda g: oc.pagerank(g, iterations=1), graph, spread)
    same(lambda g: oc.label_propagation(g, 1), graph, spread)
    same(lambda g: oc.bfs(g, "v3"), graph, spread)
    same(lambda g: g.degree(direction="in"), graph, spread)
    spread.close()


@pytest.mark.filterwarnings("ignore:cdlp does not use")
@pytest.mark.parametrize("name", ["wcc", "cdlp", "sssp", "triangles"])
def test_the_top_rows_are_those_of_one_machine(name: str, both: tuple[oc.Graph, oc.spark.Graph]) -> None:
    here, spread = (RUNS[name](graph) for graph in both)
    for count in (1, 3, 1000):
        assert spread.top(count) == here.top(count)


def test_results_have_the_face_of_results(both: tuple[oc.Graph, oc.spark.Graph], tmp_path: Path) -> None:
    here, spread = (oc.bfs(graph, 3) for graph in both)
    assert isinstance(spread, oc.Result)
    assert spread.columns == here.columns and len(spread) == len(here)
    assert spread.to_dict() == here.to_dict() and spread.top(3) == here.top(3)
    assert spread.to_pandas().equals(here.to_pandas())
    assert all(np.array_equal(spread.to_numpy(name), here.to_numpy(name)) for name in here.columns)
    assert repr(spread) == repr(here)
    assert spread.stats["engine"] == "spark" and len(spread.stats["iterations_detail"]) == spread.stats["iterations"]
    spread.write(tmp_path / "found.parquet")
    with pytest.raises(oc.AlreadyExistsError):
        spread.write(tmp_path / "found.parquet")
    assert oc.build(str(tmp_path / "found.parquet"), source="node", target="distance", on_error="skip").num_vertices


def test_edges_go_from_spark_to_a_store(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1, 2), (2, 3)], "source long, target long")
    assert oc.bfs(oc.build(frame.toArrow()), 1).to_dict() == {1: 0, 2: 1, 3: 2}


def test_programs_on_columns(both: tuple[oc.Graph, oc.spark.Graph]) -> None:
    graph, spread = both

    def lower(label: Any, heard: Any) -> Any:
        return F.least(label, heard)

    found = oc.spark.pregel(spread, F.col("node"), lambda label: label, "min", lower, direction="both")
    assert found.to_dict("state") == oc.weakly_connected_components(graph).to_dict()
    start = F.when(F.col("node") == 3, 0.0)
    found = oc.spark.pregel(spread, start, lambda far: far, "min", lower, edge="plus")
    assert found.to_dict("state") == oc.sssp(graph, 3).to_dict()
    with pytest.raises(oc.UsageError, match="combine must be one of"):
        oc.spark.pregel(spread, 0, lower, "times", lower)  # type: ignore[arg-type]


def test_refusals(spark: SparkSession, both: tuple[oc.Graph, oc.spark.Graph]) -> None:
    graph, spread = both
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: oc.core_number(spread), "kcore does not run on Spark; supported: pagerank, wcc"),
        (lambda: oc.pagerank(spread, delta=0.1), "pagerank on Spark does not support delta; supported: alpha"),
        (lambda: oc.bfs(spread, 3, options=oc.Engine(model="gas")), "runs on Spark do not support execution options"),
        (lambda: oc.bfs(spread, 4), "the graph has no vertex 4$"),
        (lambda: oc.bfs(spread, "a"), 'the graph has no vertex "a"'),
        (lambda: oc.pagerank(spread, alpha=2), "alpha must be a number at least 0 and below 1, not 2"),
        (lambda: oc.pagerank(spread, tol=1, iterations=1), "tol cannot be combined with iterations"),
        (lambda: spread.neighbors(3), "a graph on Spark does not support"),
        (lambda: oc.spark.run("kcore", graph, spark), "kcore does not run on Spark"),
    ]
    for call, message in refused:
        with pytest.raises(oc.UsageError, match=message):
            call()
    with pytest.raises(oc.NotConvergedError) as error:
        oc.pagerank(spread, max_iter=1)
    assert (error.value.iterations, len(error.value.result or [])) == (1, len(graph))
    negative = spark.createDataFrame([(1, 2, -1.0), (2, 3, 1.0)], "source long, target long, weight double")
    with oc.spark.open(negative, spark, weight=True) as few:
        for run in (oc.pagerank, lambda g: oc.sssp(g, 1), lambda g: oc.label_propagation(g, weight="weight")):
            with pytest.raises(oc.BadInputError, match="the edge from 1 to 2 has the weight -1"):
                run(few)
        assert oc.sssp(few, 2).to_dict() == {1: None, 2: 0.0, 3: 1.0}
    for schema, row in (("a double, b long", (1.0, 2)), ("a long, b long", (-1, 2)), ("a long, b string", (1, "b"))):
        with pytest.raises(oc.BadInputError):
            oc.spark.open(spark.createDataFrame([row], schema), spark)


def test_the_command(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = oc.build([(1, 2, 0.5), (2, 3, 1.0)], tmp_path / "path.outcrop", weight=True)
    graph.export(tmp_path / "edges.parquet")
    output = tmp_path / "far.csv"
    store = str(tmp_path / "path.outcrop")
    assert command.main(["sssp", store, "--source", "1", "-o", str(output), "--top", "1"]) == 0
    told = capsys.readouterr()
    said = told.out.splitlines()
    assert f"exported the edges of {store} to file:" in told.err
    assert said[0].startswith("sssp on Spark: 3 vertices, 2 edges, 3 iterations in") and said[1] == "3\t1.5"
    lines = [line for path in sorted(output.glob("*.csv")) for line in path.read_text().splitlines()]
    assert [line for line in lines if line != "node,distance"] == ["1,0.0", "2,0.5", "3,1.5"]
    parquet = str(tmp_path / "edges.parquet")
    assert command.main(["degree", parquet, "--undirected", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["algorithm"] == "degree"
    refused = [
        (["bfs", parquet, "--source", "7"], 2, "the graph has no vertex 7\n"),
        (["wcc", parquet, "-o", str(output)], 2, "far.csv already exists; use --overwrite"),
        (["wcc", parquet, "-o", str(tmp_path / "far.npy")], 2, "must have one of the extensions"),
        (["wcc", str(tmp_path / "none.parquet")], 9, "PATH_NOT_FOUND"),
    ]
    for words, code, message in refused:
        assert command.main(words) == code
        assert message in capsys.readouterr().err
    with pytest.raises(SystemExit) as error:
        command.main(["pagerank", parquet, "--engine", "spark", "--memory", "1GiB"])
    assert error.value.code == 2 and "unrecognized arguments: --memory 1GiB" in capsys.readouterr().err


class GraphX:
    """A graph of GraphX, which lies in PySpark's own jars; edges without a direction are there in both."""

    def __init__(self, spark: SparkSession, graph: oc.Graph, folder: Path) -> None:
        """Write the edges, and have them read."""
        ends = graph.edges().to_arrow()
        rows = np.column_stack([ends.column(place).to_numpy() for place in (0, 1)])
        if not graph.directed:
            rows = np.vstack([rows, rows[rows[:, 0] != rows[:, 1]][:, ::-1]])
        np.savetxt(folder / "edges.txt", rows, fmt="%d")
        java: Any = spark.sparkContext._jvm
        level = java.org.apache.spark.storage.StorageLevel.MEMORY_ONLY()
        self._context: Any = spark.sparkContext._jsc  # type: ignore[attr-defined, unused-ignore]
        context = self._context.sc()
        loader = java.org.apache.spark.graphx.GraphLoader
        self._graph = loader.edgeListFile(context, str(folder / "edges.txt"), False, 2, level, level)
        self._library, self._tag = java.org.apache.spark.graphx.lib, java.scala.reflect.ClassTag.Int()

    def __call__(self, name: str, *arguments: Any) -> dict[int, Any]:
        """Run something of its library: what vertices with edges have."""
        kept = set(self._context.getPersistentRDDs())
        found = getattr(self._library, name).run(self._graph, *arguments, self._tag, self._tag)
        rows = {row._1(): row._2() for row in found.vertices().toJavaRDD().collect()}
        # It leaves what it held in memory, which is that of Spark's own runs too.
        for number, frame in list(self._context.getPersistentRDDs().items()):
            if number not in kept:
                frame.unpersist()
        return rows

    def close(self) -> None:
        """Let go of the edges."""
        self._graph.unpersist(False)


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return what it returns, and the seconds."""
    began = time.perf_counter()
    return call(), time.perf_counter() - began


def shares(values: dict[int, float]) -> dict[int, float]:
    """Return the part of the sum that each has."""
    total = sum(values.values())
    return {node: value / total for node, value in values.items()}


def check_beside_graphx(graph: oc.Graph, spread: oc.spark.Graph, graphx: GraphX, deep: bool = False) -> None:
    """Ranks, components, triangles. Its ranks are without the jumps of dead ends, which change their sum alone in the end."""
    runs: dict[str, tuple[Callable[[oc.Graph], Any], tuple[Any, ...]]] = {
        "PageRank": (lambda g: oc.pagerank(g, ALPHA, iterations=STEPS, weight=None), (STEPS, 1 - ALPHA)),
        "ConnectedComponents": (oc.weakly_connected_components, ()),
        "StronglyConnectedComponents": (oc.strongly_connected_components, (1000,)),
        "TriangleCount": (oc.triangles, ()),
    }
    if deep:
        del runs["StronglyConnectedComponents"]
    for name, (run, arguments) in runs.items():
        here, there = timed(lambda: run(graph)), timed(lambda: run(spread))  # noqa: B023
        found, seconds = timed(lambda: graphx(name, *arguments))  # noqa: B023
        for result, _ in (here, there):
            values = {node: value for node, value in result.to_dict().items() if node in found}
            assert (values == found) if name != "PageRank" else (shares(values) == pytest.approx(shares(found), rel=1e-9))
        print(f"{name:28} {here[1]:8.3f} s here {there[1]:8.1f} s on Spark {seconds:8.1f} s of GraphX", flush=True)
    graphx.close()


def test_graphx_agrees(spark: SparkSession, tmp_path: Path) -> None:
    ring = [(number, (number + 1) % 6) for number in range(6)]
    graph = oc.build([*ring, (3, 0), (5, 2), (20, 21), (21, 20), (21, 22), (22, 22), (1, 4), (4, 1), (5, 30)])
    with oc.spark.open(graph, spark) as spread:
        check_beside_graphx(graph, spread, GraphX(spark, graph, tmp_path))


@pytest.mark.filterwarnings("ignore:cdlp does not use")
@pytest.mark.parametrize("name", REAL)
def test_real_graphs(name: str, spark: SparkSession, data: Path, tmp_path: Path) -> None:
    if "OUTCROP_PROOF" not in os.environ:
        pytest.skip("minutes each: OUTCROP_PROOF=1")
    graph = oc.build(str(data / "graphs" / f"{name}.gz"), directed=REAL[name], weight=name.endswith(".wel") or None)
    print(f"\n{graph!r}")
    with oc.spark.open(graph, spark) as spread:
        check_beside_graphx(graph, spread, GraphX(spark, graph, tmp_path), deep=name == DEEP)
        check_beside_this_machine(graph, spread)


def check_beside_this_machine(graph: oc.Graph, spread: oc.spark.Graph) -> None:
    """All algorithms, with what they take if nothing is given."""
    degrees = graph.degree(direction="out").to_arrow()
    source = degrees["node"][int(np.argmax(degrees["degree"]))].as_py()
    others = {
        "pagerank": oc.pagerank,
        "cdlp": oc.label_propagation,
        "bfs": lambda g: oc.bfs(g, source),
        "sssp": lambda g: oc.sssp(g, source, columns="all"),
    }
    for name in ("pagerank", "wcc", "scc", "bfs", "sssp", "cdlp", "triangles", "degree"):
        seconds = same(others.get(name, RUNS[name]), graph, spread)
        print("{:28} {:8.3f} s here {:8.1f} s on Spark".format(name, *seconds), flush=True)
