"""Run the same algorithms on one machine and on Spark, and compare tables and times.

python spark_or_one_machine.py [FOLDER] [--edges FILE] [--undirected] [--weighted] [--algorithms NAMES] [--master URL]

Requires PySpark (pip install 'outcrop[spark]') and Java.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

import outcrop as oc
import outcrop.spark


def runs(source: int) -> Mapping[str, Callable[[oc.Graph], Any]]:
    """Return the runs by name; each takes a graph on either engine."""
    return {
        "pagerank": oc.pagerank,
        "weakly_connected_components": oc.weakly_connected_components,
        "strongly_connected_components": oc.strongly_connected_components,
        "bfs": lambda g: oc.bfs(g, source),
        "sssp": lambda g: oc.sssp(g, source, columns="all"),
        "label_propagation": oc.label_propagation,
        "triangles": oc.triangles,
        "degree": lambda g: g.degree(),
    }


def equal(one: Any, other: Any) -> bool:
    """Return whether two tables are equal, floats to 1e-9."""
    one, other = one.to_arrow(), other.to_arrow()
    if one.schema != other.schema or one.num_rows != other.num_rows:
        return False
    floats = [field.name for field in one.schema if str(field.type) == "double"]
    near = all(np.allclose(one[name].to_numpy(), other[name].to_numpy(), 0, 1e-9, equal_nan=True) for name in floats)
    return bool(near and one.drop_columns(floats).equals(other.drop_columns(floats)))


def timed(function: Callable[[oc.Graph], Any], graph: oc.Graph) -> tuple[Any, float]:
    """Run the function and return its result and the seconds."""
    began = time.perf_counter()
    return function(graph), time.perf_counter() - began


def compare(graph: oc.Graph, session: SparkSession, names: str) -> None:
    """Print one line per algorithm."""
    there, opened = timed(lambda g: outcrop.spark.open(g, session), graph)
    print(f"{graph.num_vertices:,} vertices, {graph.num_edges:,} edges; opened on Spark in {opened:.1f} s")
    degrees = graph.degree(direction="out").to_arrow()
    source = degrees["node"][int(np.argmax(degrees["degree"]))].as_py()
    for name, run in runs(source).items():
        if name in names.split(",") or names == "all":
            (here, seconds), (spread, on_spark) = timed(run, graph), timed(run, there)
            same = "equal" if equal(here, spread) else "DIFFERENT"
            print(f"{name:30} {seconds:8.3f} s {on_spark:8.1f} s  {same}", flush=True)
    there.close()


def main() -> None:
    """Compare on the given edges, or on a few random ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="folder for the store; default: temporary")
    parser.add_argument("--edges", help="edge file, as for outcrop.build")
    parser.add_argument("--undirected", action="store_true")
    parser.add_argument("--weighted", action="store_true")
    parser.add_argument("--algorithms", default="bfs,triangles,degree", help="comma-separated names, or all")
    parser.add_argument("--master", default="local[2]")
    given = parser.parse_args()
    edges = given.edges or np.unique(np.random.default_rng(1).integers(0, 40, (80, 2)), axis=0)
    store = None
    if given.folder:
        os.makedirs(given.folder, exist_ok=True)
        store = f"{given.folder}/graph.outcrop"
    graph = oc.build(edges, store, directed=not given.undirected, weight=given.weighted or None, overwrite=True)
    builder = SparkSession.builder.master(given.master)
    for quiet in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(quiet, "false")
    builder = builder.config("spark.log.level", "ERROR")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    compare(graph, session, given.algorithms)
    session.stop()


if __name__ == "__main__":
    main()
