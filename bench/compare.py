#!/usr/bin/env python3
"""Compares outcrop with systems that hold the graph in memory: PageRank, BFS and weak components of one Kronecker graph.

`compare.py graph` makes the graph, `compare.py measure` runs all systems (as root, since it drops caches), `compare.py report` prints tables of medians. Both
append lines of JSON to the log, from which `bench/charts.py` draws the chart of the README.

All systems get the same simple directed graph with vertices numbered by decreasing degree, and two threads where they use several. Ranks end when they change
by less than 1e-6 in total (igraph has no tolerance); BFS starts at the vertex of the highest degree. A run is one process that loads the graph from its
fastest file and runs one algorithm: a store, GAP's serialized graph, or NumPy arrays. Its memory is the peak resident memory of the process.

Needs networkit, igraph, networkx, scipy, pandas and pyarrow in this Python, and a folder with GAP's programs in `--gap`. `--icebug` is a Python that has
icebug, which cannot share an environment with networkit.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

from scaling import MIB, drop_caches

LOG = Path(__file__).resolve().parent / "comparison.jsonl"
ALGORITHMS = ("pagerank", "bfs", "wcc")
TOLERANCE, THREADS = 1e-6, 2


def networkit(arrays: dict, graph: object = None) -> dict:
    import networkit as nk

    nk.setNumberOfThreads(THREADS)
    graph = graph or nk.GraphFromCoo((arrays["source"], arrays["target"]), n=arrays["vertices"], directed=True)

    def pagerank() -> None:
        ranks = nk.centrality.PageRank(graph, damp=0.85, tol=TOLERANCE, distributeSinks=nk.centrality.SinkHandling.DistributeSinks)
        ranks.norm = nk.centrality.Norm.L1_NORM
        ranks.run()

    return {"pagerank": pagerank, "bfs": lambda: nk.distance.BFS(graph, 0, False).run(), "wcc": lambda: nk.components.WeaklyConnectedComponents(graph).run()}


def icebug(arrays: dict) -> dict:
    import networkit as nk  # of the package icebug
    import numpy as np
    import pyarrow as pa
    from scipy.sparse import csr_array

    shape = (arrays["vertices"], arrays["vertices"])
    lists = csr_array((np.ones(len(arrays["source"]), np.int8), (arrays["source"], arrays["target"])), shape)
    parts = [pa.array(part.astype(np.uint64)) for half in (lists, lists.tocsc()) for part in (half.indices, half.indptr)]
    return networkit(arrays, nk.Graph.fromCSR(arrays["vertices"], True, *parts))


def igraph(arrays: dict) -> dict:
    import igraph as ig
    import numpy as np

    graph = ig.Graph(n=arrays["vertices"], edges=np.column_stack((arrays["source"], arrays["target"])), directed=True)
    return {"pagerank": graph.pagerank, "bfs": lambda: graph.distances(source=0, mode="out"), "wcc": lambda: graph.connected_components(mode="weak")}


def networkx(arrays: dict) -> dict:
    import networkx as nx
    import pandas as pd

    graph = nx.from_pandas_edgelist(pd.DataFrame({"source": arrays["source"], "target": arrays["target"]}), create_using=nx.DiGraph)
    return {
        "pagerank": lambda: nx.pagerank(graph, tol=TOLERANCE / len(graph)),  # the tolerance is per vertex
        "bfs": lambda: nx.single_source_shortest_path_length(graph, 0),
        "wcc": lambda: list(nx.weakly_connected_components(graph)),
    }


LIBRARIES = {"NetworKit": networkit, "icebug": icebug, "igraph": igraph, "NetworkX": networkx}
GAP = {"pagerank": ["pr", "-i", "100", "-t", str(TOLERANCE)], "bfs": ["bfs", "-r", "0"], "wcc": ["cc"]}
OUTCROP = {"pagerank": ["--tol", str(TOLERANCE)], "bfs": ["--source", "0"], "wcc": []}


def peer(options: argparse.Namespace) -> None:
    """Loads the graph in one library, runs one algorithm, and prints the seconds of the algorithm."""
    import numpy as np

    arrays: dict = {name: np.load(options.folder / f"{name}.npy") for name in ("source", "target")}
    arrays["vertices"] = int(max(array.max() for array in arrays.values())) + 1
    algorithm = LIBRARIES[options.system](arrays)[options.algorithm]
    begin = time.perf_counter()
    algorithm()
    print(json.dumps({"seconds": time.perf_counter() - begin}))


def make_graph(options: argparse.Namespace) -> None:
    """Writes the graph as arrays, as a store and for GAP, with vertices numbered by decreasing degree."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    options.folder.mkdir(parents=True, exist_ok=True)
    run = lambda *words: subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)
    file = options.folder / "generated.parquet"
    run(options.outcrop, "generate", "kronecker", "--scale", options.scale, "--edge-factor", "16", "--seed", "1", "-o", file, "--overwrite")
    table = pq.read_table(file)
    source, target = (table.column(name).to_numpy().astype(np.int64) for name in table.column_names[:2])
    simple = np.unique((source << 32 | target)[source != target])
    ends = np.stack((simple >> 32, simple & 0xFFFFFFFF))
    degrees = np.bincount(ends.ravel())
    number = np.empty(len(degrees), np.int32)
    number[np.argsort(-degrees, kind="stable")] = np.arange(len(degrees), dtype=np.int32)
    source, target = number[ends]
    np.save(options.folder / "source.npy", source)
    np.save(options.folder / "target.npy", target)
    edges = pa.table({"source": source, "target": target})
    pq.write_table(edges, options.folder / "edges.parquet")
    plain = pyarrow.csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
    pyarrow.csv.write_csv(edges, options.folder / "edges.el", plain)
    run(Path(options.gap) / "converter", "-f", options.folder / "edges.el", "-b", options.folder / "edges.sg")
    begin = time.perf_counter()
    run(options.outcrop, "build", options.folder / "edges.parquet", options.folder / "store.outcrop", "--memory", options.memory, "--overwrite")
    store = sum(file.stat().st_size for file in (options.folder / "store.outcrop").rglob("*") if file.is_file())
    note(options, {"kind": "graph", "scale": options.scale, "edges": len(source), "build": time.perf_counter() - begin, "store": store, "budget": options.memory})


def measured(words: list[str]) -> tuple[str, dict]:
    """Runs a command with cold caches; returns its output, and seconds and peak resident bytes of the process."""
    drop_caches()
    begin = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": str(THREADS)})
    assert process.stdout
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(words)}: status {status}")
    return printed, {"process_seconds": time.perf_counter() - begin, "cpu_seconds": used.ru_utime + used.ru_stime, "peak_rss": used.ru_maxrss * 1024}


def run(options: argparse.Namespace, system: str, algorithm: str) -> dict:
    if system == "outcrop":
        words = [options.outcrop, "run", algorithm, str(options.folder / "store.outcrop"), *OUTCROP[algorithm], "--memory", options.memory, "--json", "--progress", "none"]
        printed, figures = measured([*words, "--threads", str(THREADS)])
        return figures | {"seconds": json.loads(printed)["seconds"]}
    if system == "GAP":
        program, *more = GAP[algorithm]
        printed, figures = measured([str(Path(options.gap) / program), "-f", str(options.folder / "edges.sg"), "-n", "1", *more])
        found = re.search(r"Average Time: +([0-9.]+)", printed)
        assert found, printed
        return figures | {"seconds": float(found[1])}
    python = options.icebug if system == "icebug" else sys.executable
    printed, figures = measured([python, __file__, "peer", "--folder", str(options.folder), "--system", system, "--algorithm", algorithm])
    return figures | json.loads(printed.splitlines()[-1])


def measure(options: argparse.Namespace) -> None:
    for _ in range(options.rounds):
        for algorithm in options.algorithms.split(","):
            for system in options.systems.split(","):
                note(options, {"kind": "run", "system": system, "algorithm": algorithm} | run(options, system, algorithm))


def note(options: argparse.Namespace, line: dict) -> None:
    with options.log.open("a", encoding="utf-8") as log:
        print(json.dumps(line), file=log, flush=True)


def medians(log: Path = LOG) -> tuple[dict, dict[str, dict[str, dict[str, float]]]]:
    """Returns the facts of the graph, and medians by algorithm and system."""
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    found: dict = defaultdict(lambda: defaultdict(list))
    for line in lines:
        if line["kind"] == "run":
            found[line["algorithm"]][line["system"]].append(line)
    figures = ("seconds", "process_seconds", "cpu_seconds", "peak_rss")
    middle = {name: {system: {of: median(run[of] for run in runs) for of in figures} for system, runs in systems.items()} for name, systems in found.items()}
    return next(line for line in lines if line["kind"] == "graph"), middle


def report(options: argparse.Namespace) -> None:
    graph, found = medians(options.log)
    print(f"Kronecker {graph['scale']}, {graph['edges']:,} edges; store of {graph['store'] / MIB:.0f} MiB, built in {graph['build']:.1f} s\n")
    for algorithm, systems in found.items():
        print(f"| `{algorithm}` | algorithm, s | process, s | CPU s | peak memory, MiB |\n|---|---:|---:|---:|---:|")
        for system, run in systems.items():
            print(f"| {system} | {run['seconds']:.3g} | {run['process_seconds']:.3g} | {run['cpu_seconds']:.3g} | {run['peak_rss'] / MIB:,.0f} |")
        print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["graph", "measure", "report", "peer"])
    parser.add_argument("--folder", type=Path, default=Path("demo/compare"), help="folder for the graph")
    parser.add_argument("--log", type=Path, default=LOG)
    parser.add_argument("--outcrop", default="target/release/outcrop")
    parser.add_argument("--gap", default="gapbs", help="folder of GAP's programs")
    parser.add_argument("--icebug", default=sys.executable, help="Python with icebug")
    parser.add_argument("--scale", default="21")
    parser.add_argument("--memory", default="64MiB", help="budget of outcrop")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--systems", default="outcrop,GAP," + ",".join(LIBRARIES))
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--system", choices=LIBRARIES)
    parser.add_argument("--algorithm", choices=ALGORITHMS)
    options = parser.parse_args()
    {"graph": make_graph, "measure": measure, "report": report, "peer": peer}[options.action](options)


if __name__ == "__main__":
    main()
