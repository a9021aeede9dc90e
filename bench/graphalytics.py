#!/usr/bin/env python3
"""Runs the six algorithms of LDBC Graphalytics on data sets of its form, and validates the results by its rules.

A data set is `NAME.properties`, `NAME.v` and `NAME.e`; the properties give the direction, the weights and the parameters of each algorithm.
Validation (specification 1.0, section 2.4.3): BFS and CDLP are equal, PR, SSSP and LCC have a relative error of at most 1e-4, and WCC is
equal up to the names of components. The reference of an algorithm is `NAME-ALGORITHM` next to the data set; without one the result is not validated.

The table has for each algorithm: validation, makespan (the whole command, in seconds), processing time (the algorithm, in seconds), EVPS
(vertices and edges per second of processing time) and the peak memory of the process. The table's first lines are the data set and the load time.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# Algorithm, command, column, kind of validation.
ALGORITHMS = {
    "bfs": ("bfs", "distance", "exact"),
    "cdlp": ("cdlp", "label", "exact"),
    "lcc": ("lcc", "clustering", "epsilon"),
    "pr": ("pagerank", "pagerank", "epsilon"),
    "sssp": ("sssp", "distance", "epsilon"),
    "wcc": ("wcc", "component", "equivalence"),
}
EPSILON = 1e-4
# What references have for an unreached vertex.
UNREACHED = {"9223372036854775807", "infinity", "inf", ""}


@dataclass(frozen=True)
class DataSet:
    """Data set with the properties of its file, without the prefix `graph.NAME.`."""

    name: str
    folder: Path
    properties: dict[str, str]

    @classmethod
    def of(cls, path: Path) -> DataSet:
        """Read a properties file."""
        lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
        pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
        prefix = f"graph.{path.stem}."
        return cls(path.stem, path.parent, {key.strip().removeprefix(prefix): value.strip() for key, value in pairs})

    def file(self, which: str) -> Path:
        """Return the path of the vertices or edges."""
        return self.folder / self.properties[f"{which}-file"]

    def algorithms(self) -> list[str]:
        """Return the algorithms to run, in the order of the specification."""
        named = {name.strip().lower() for name in self.properties["algorithms"].split(",")}
        return [name for name in ALGORITHMS if name in named]

    def weighted(self) -> bool:
        """Return whether edges have a weight."""
        return "edge-properties.names" in self.properties

    def options(self, algorithm: str) -> list[str]:
        """Return the options of `outcrop run`."""
        value = lambda key: self.properties[f"{algorithm}.{key}"]
        match algorithm:
            case "bfs" | "sssp":
                options = ["--source", value("source-vertex")]
            case "cdlp":
                options = ["--max-iter", value("max-iterations")]
            case "pr":
                options = ["--alpha", value("damping-factor"), "--iterations", value("num-iterations")]
            case _:
                options = []
        return [*options, "--unweighted"] if self.weighted() and algorithm == "pr" else options


def cells(path: Path, separator: str | None) -> dict[str, str]:
    """Return the second column of a file by the first."""
    with path.open(encoding="utf-8") as file:
        rows = (line.rstrip("\n").split(separator)[:2] for line in file if line.strip())
        return {row[0]: row[1] for row in rows}


def wrong(kind: str, found: dict[str, str], expected: dict[str, str]) -> str | None:
    """Return the first difference, or None if the result is valid."""
    if found.keys() != expected.keys():
        return f"{len(found)} vertices, expected {len(expected)}"
    if kind == "equivalence":
        pairs = {(expected[vertex], found[vertex]) for vertex in expected}
        if len({one for one, _ in pairs}) == len({two for _, two in pairs}) == len(pairs):
            return None
        return "the partition into components differs"
    for vertex, reference in expected.items():
        cell = found[vertex]
        if cell.lower() in UNREACHED or reference.lower() in UNREACHED:
            equal = cell.lower() in UNREACHED and reference.lower() in UNREACHED
        elif kind == "exact":
            equal = int(cell) == int(reference)
        else:
            equal = abs(float(cell) - float(reference)) <= EPSILON * abs(float(reference))
        if not equal:
            return f"vertex {vertex} has {cell}, expected {reference}"
    return None


def timed(command: list[str]) -> tuple[str, float]:
    """Run a command; return its output and seconds."""
    began = time.monotonic()
    process = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if process.returncode != 0:
        sys.exit(f"error: exit code {process.returncode}: {' '.join(command)}")
    return process.stdout, time.monotonic() - began


def run(data: DataSet, outcrop: str, memory: str, folder: Path) -> bool:
    """Load a data set and run its algorithms; return whether no result is invalid."""
    store, rows = folder / f"{data.name}.outcrop", folder / "rows.csv"
    weights = ["--weighted"] if data.weighted() else []
    direction = [] if data.properties["directed"] == "true" else ["--undirected"]
    # Companion files are found by name; the properties may be in another folder.
    for which in ("vertex", "edge"):
        shutil.copyfile(data.file(which), folder / data.file(which).name)
    edges = str(folder / data.file("edge").name)
    build = [outcrop, "build", edges, str(store), *weights, *direction, "--memory", memory, "--overwrite"]
    _, load = timed(build)
    info = json.loads(subprocess.run([outcrop, "info", str(store), "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    size = info["vertices"] + info["edges"]
    print(f"\n{data.name}: {info['vertices']:,} vertices, {info['edges']:,} edges; loaded in {load:.2f} s; --memory {memory}\n")
    print("| algorithm | validation | makespan, s | processing, s | EVPS | peak, MiB |\n|---|---|---|---|---|---|")
    valid = True
    for algorithm in data.algorithms():
        name, column, kind = ALGORITHMS[algorithm]
        command = [outcrop, "run", name, str(store), *data.options(algorithm), "--memory", memory, "--no-history", "--json", "-o", str(rows), "--overwrite"]
        output, makespan = timed(command)
        record = json.loads(output)
        processing, peak = record["seconds"], record["peak_rss"]
        reference, verdict = data.folder / f"{data.name}-{algorithm.upper()}", "no reference"
        if reference.exists():
            header = rows.read_text(encoding="utf-8").partition("\n")[0].split(",")
            assert header[1] == column, header
            found = cells(rows, ",")
            found.pop(header[0])
            difference = wrong(kind, found, cells(reference, None))
            verdict = "valid" if difference is None else f"INVALID: {difference}"
            valid = valid and difference is None
        print(f"| {algorithm.upper()} | {verdict} | {makespan:.3f} | {processing:.3f} | {size / max(processing, 1e-9):.3g} | {peak / (1 << 20):.0f} |", flush=True)
    return valid


def kronecker(scale: int, outcrop: str, folder: Path) -> Path:
    """Create a data set like graph500-SCALE of the benchmark: an undirected Kronecker graph without loops and repeated edges; return its properties."""
    name, binary, store = f"kronecker-{scale}", folder / "edges.bin", folder / "kronecker.outcrop"
    calls = [
        ["generate", "kronecker", "--scale", str(scale), "--edge-factor", "16", "--seed", "1", "--weights", "1..99", "-o", str(binary)],
        ["build", str(binary), str(store), "--undirected", "--weighted", "--dedup", "first", "--self-loops", "drop"],
        ["export", str(store), str(folder / f"{name}.e"), "--format", "edge-list"],
        ["run", "degrees", str(store), "--no-history", "-o", str(folder / "degrees.csv")],
    ]
    for call in calls:
        subprocess.run([outcrop, *call, "--overwrite"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    degrees = cells(folder / "degrees.csv", ",")
    vertices = [vertex for vertex, degree in degrees.items() if degree not in ("degree", "0")]
    (folder / f"{name}.v").write_text("".join(f"{vertex}\n" for vertex in vertices), encoding="utf-8")
    binary.unlink()
    shutil.rmtree(store)
    source = max(vertices, key=lambda vertex: int(degrees[vertex]))
    facts = {
        "vertex-file": f"{name}.v", "edge-file": f"{name}.e", "directed": "false", "edge-properties.names": "weight",
        "algorithms": "bfs, cdlp, lcc, pr, sssp, wcc", "bfs.source-vertex": source, "sssp.source-vertex": source,
        "cdlp.max-iterations": "10", "pr.damping-factor": "0.85", "pr.num-iterations": "10",
    }
    path = folder / f"{name}.properties"
    path.write_text("".join(f"graph.{name}.{key} = {value}\n" for key, value in facts.items()), encoding="utf-8")
    return path


def run_set(path: Path, arguments: argparse.Namespace) -> bool:
    """Run a data set in a folder of its own; return whether no result is invalid."""
    data = DataSet.of(path)
    # References of a data set are in its folder.
    if arguments.data and path in arguments.properties:
        data = DataSet(data.name, arguments.data, data.properties)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        return run(data, arguments.outcrop, arguments.memory, Path(folder))


def main() -> int:
    """Run all data sets; return 1 if a result is invalid."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("properties", type=Path, nargs="*", help="properties files of data sets")
    parser.add_argument("--kronecker", type=int, metavar="SCALE", help="also run a Kronecker graph of 2^SCALE vertices, which is created first")
    parser.add_argument("--data", type=Path, help="folder of the data sets, if it is not that of the properties")
    parser.add_argument("--outcrop", default="target/release/outcrop", help="the command")
    parser.add_argument("--memory", default="1GiB", help="memory budget")
    parser.add_argument("--folder", type=Path, help="folder of stores and results; default: a temporary one")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as created:
        made = [kronecker(arguments.kronecker, arguments.outcrop, Path(created))] if arguments.kronecker else []
        return int(not all([run_set(path, arguments) for path in [*arguments.properties, *made]]))


if __name__ == "__main__":
    sys.exit(main())
