#!/usr/bin/env python3
"""Compares outcrop with the memory-mapped baseline where memory is short.

Each run has a memory cgroup of its own, in which the page cache counts, and begins with an empty page cache; the read-ahead of
the disk is the same for both and is put back in the end. The two alternate, so that both meet the same weather. Needs root.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import re
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isolation import MemoryGroup, drop_page_cache, fail, read_ahead

READ_AHEAD_KIB = 128
EDGES_MAGIC = b"OUTCROPE"
UNITS = {"": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
# How the columns are headed and how their figures are told.
COLUMNS: dict[str, tuple[str, Callable[[float], str]]] = {
    "seconds": ("seconds", lambda value: f"{value:.2f}"),
    "seconds_total": ("with opening", lambda value: f"{value:.2f}"),
    "cpu_seconds": ("CPU seconds", lambda value: f"{value:.2f}"),
    "bytes_read": ("read, MiB", lambda value: f"{value / (1 << 20):,.0f}"),
    "peak_rss": ("peak RSS, MiB", lambda value: f"{value / (1 << 20):,.0f}"),
    "peak_cgroup": ("peak cgroup, MiB", lambda value: f"{value / (1 << 20):,.0f}"),
}


@dataclass(frozen=True)
class Edges:
    """A binary edge file, as its header tells."""

    path: Path
    vertices: int
    edges: int
    weighted: bool

    @classmethod
    def of(cls, path: Path, vertices: int | None) -> Edges:
        with path.open("rb") as file:
            header = file.read(32)
        if len(header) < 32 or not header.startswith(EDGES_MAGIC):
            fail(f"{path} is not a binary edge file")
        known, edges = struct.unpack_from("<QQ", header, 16)
        if vertices is None and known == 2**64 - 1:
            fail(f"{path} does not say how many vertices there are; give --num-vertices")
        return cls(path, known if vertices is None else vertices, edges, header[12] == 1)


def measure(command: list[str], limit: int) -> dict[str, float]:
    """Runs a command cold in a group of its own; its record, with what the system counted."""
    drop_page_cache()
    # Fetched here, the program itself counts for neither the group nor the bytes read.
    Path(command[0]).read_bytes()
    with MemoryGroup(limit) as group, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(group.command(command), stdout=output, stderr=errors)
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            child.wait()
            raise
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if child.returncode != 0:
            told = errors.read().decode(errors="replace").strip()
            hint = " (killed; does the limit hold its memory?)" if child.returncode == -signal.SIGKILL else ""
            fail(f"{' '.join(command)} ended with {child.returncode}{hint}\n{told}")
        record = json.loads(output.read())
        return {
            "seconds": record["seconds"],
            "seconds_total": record["seconds_total"],
            "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "bytes_read": usage.ru_inblock * 512,
            "peak_rss": record["peak_rss"],
            "peak_cgroup": group.peak() or float("nan"),
            "iterations": record["iterations"],
        }


def build_missing(options: argparse.Namespace, edges: Edges) -> tuple[Path, Path]:
    """The store and the baseline's folder, built where they are not there."""
    store, folder = options.work / "compare.outcrop", options.work / "compare.mmap-csr"
    shape = ["--num-vertices", str(edges.vertices)] + (["--weighted"] if edges.weighted else [])
    if not (store / "manifest.json").exists():
        names = ["build", str(edges.path), str(store), "--ids", "dense", "--memory", options.memory]
        run_build([str(options.outcrop), *names, *shape])
    if not (folder / "graph.json").exists():
        run_build([str(options.bench), "mmap-csr", "build", str(edges.path), str(folder), *shape])
    arcs = json.loads((folder / "graph.json").read_text())["arcs"]
    if arcs != edges.edges:
        fail(f"{folder} holds {arcs} edges and {edges.path} {edges.edges}; remove both stores to build them again")
    return store, folder


def run_build(command: list[str]) -> None:
    print("building:", " ".join(command), file=sys.stderr)
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        fail(f"the build failed: {' '.join(command)}")


def commands(options: argparse.Namespace, stores: tuple[Path, Path], algorithm: str) -> dict[str, list[str]]:
    """What is run, by name."""
    store, folder = stores
    extra = []
    if algorithm == "pagerank":
        extra = ["--iterations", str(options.iterations)]
    if algorithm in ("bfs", "sssp"):
        widest = json.loads((folder / "graph.json").read_text())["widest_vertex"]
        extra = ["--source", str(widest if options.source is None else options.source)]
    ours = [str(options.outcrop), "run", algorithm, str(store), "--memory", options.memory, "--json"]
    baseline = [str(options.bench), "mmap-csr", "run", algorithm, str(folder), "--advice", options.advice]
    if algorithm == "pagerank":
        # The baseline takes no notice of weights.
        ours.append("--unweighted")
    for command in (ours, baseline):
        command += extra + (["--threads", str(options.threads)] if options.threads else [])
    return {"outcrop": ours, "mmap": baseline}


def compare(options: argparse.Namespace, stores: tuple[Path, Path], algorithm: str) -> dict[str, list[dict[str, float]]]:
    """The records of all runs, by name, pairs at equal places. Who begins changes from pair to pair."""
    limit = size(options.memory) + size(options.slack)
    todo = commands(options, stores, algorithm)
    records: dict[str, list[dict[str, float]]] = {name: [] for name in todo}
    for run in range(options.runs):
        for name in sorted(todo, reverse=run % 2 == 0):
            print(f"{algorithm}, run {run + 1} of {options.runs}: {name}", file=sys.stderr)
            records[name].append(measure(todo[name], limit))
    return records


def table_rows(algorithm: str, records: dict[str, list[dict[str, float]]]) -> Iterator[str]:
    for name, runs in records.items():
        medians = [form(statistics.median(run[key] for run in runs)) for key, (_, form) in COLUMNS.items()]
        iterations = f"{statistics.median(run['iterations'] for run in runs):g}"
        yield f"| {algorithm} | {name} | {' | '.join(medians)} | {iterations} |"


def ratio_row(algorithm: str, records: dict[str, list[dict[str, float]]]) -> str:
    """By how much outcrop was faster, pair by pair."""
    cells = []
    for key in ("seconds", "seconds_total", "cpu_seconds", "bytes_read"):
        pairs = zip(records["mmap"], records["outcrop"], strict=True)
        ratios = [other[key] / ours[key] for other, ours in pairs if ours[key]]
        told = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else "-"
        cells.append(told)
    return f"| {algorithm} | {' | '.join(cells)} |"


def size(text: str) -> int:
    """Bytes in a text like 160MiB."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]ib)?", text.strip().lower())
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is no size like 160MiB")
    return int(float(match[1]) * UNITS[match[2] or ""])


def size_text(text: str) -> str:
    size(text)
    return text


def cpu_model() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def print_circumstances(options: argparse.Namespace, edges: Edges, before: int) -> None:
    limit = size(options.memory) + size(options.slack)
    facts = {
        "graph": f"{edges.path.name}, {edges.vertices:,} vertices, {edges.edges:,} edges",
        "memory": f"{options.memory} for outcrop; limit of the cgroup {limit >> 20} MiB, page cache included, for both",
        "runs": f"{options.runs} of each, alternating, each with an empty page cache",
        "read-ahead": f"{READ_AHEAD_KIB} KiB (otherwise {before} KiB); madvise of the baseline: {options.advice}",
        "kernel": platform.release(),
        "CPU": f"{cpu_model()}, {os.cpu_count()} cores",
    }
    for name, fact in facts.items():
        print(f"- {name}: {fact}")


def print_tables(results: dict[str, Any]) -> None:
    print("\nMedians. CPU seconds and bytes read are the system's figures of the whole process.\n")
    heads = ["algorithm", "system", *(head for head, _ in COLUMNS.values()), "iterations"]
    print(f"| {' | '.join(heads)} |\n|---|---|{'---:|' * (len(heads) - 2)}")
    for algorithm, records in results.items():
        print("\n".join(table_rows(algorithm, records)))
    print("\nThe baseline's figure divided by outcrop's, per pair of runs: median (least to greatest).\n")
    print("| algorithm | seconds | with opening | CPU seconds | bytes read |\n|---|---:|---:|---:|---:|")
    for algorithm, records in results.items():
        print(ratio_row(algorithm, records))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--outcrop", type=Path, required=True, help="the program outcrop")
    parser.add_argument("--bench", type=Path, required=True, help="the program outcrop-bench")
    parser.add_argument("--edges", type=Path, required=True, help="a binary edge file with ids 0..N")
    parser.add_argument("--num-vertices", type=int, help="N, where the edge file does not say")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="where the stores are or will be")
    parser.add_argument("--memory", type=size_text, default="160MiB", help="outcrop's budget (160MiB)")
    parser.add_argument("--slack", type=size_text, default="64MiB", help="what the cgroup has beside it (64MiB)")
    parser.add_argument("--algorithms", default="pagerank,bfs,wcc,sssp", help="comma-separated (%(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each (%(default)s)")
    parser.add_argument("--iterations", type=int, default=10, help="of PageRank (%(default)s)")
    parser.add_argument("--source", type=int, help="of bfs and sssp (the vertex with the most out-edges)")
    parser.add_argument("--threads", type=int, help="of both (one a core)")
    parser.add_argument("--advice", choices=["normal", "random"], default="normal", help="madvise of the baseline")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all records here")
    return parser.parse_args()


def main() -> None:
    options = parse_arguments()
    if sys.platform != "linux" or os.geteuid() != 0:
        fail("memory cgroups, the page cache and the read-ahead need root on Linux")
    if options.runs < 1:
        fail("--runs is at least 1")
    options.outcrop, options.bench = options.outcrop.resolve(), options.bench.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    edges = Edges.of(options.edges, options.num_vertices)
    stores = build_missing(options, edges)
    with read_ahead(options.work, READ_AHEAD_KIB) as before:
        results = {name: compare(options, stores, name) for name in options.algorithms.split(",")}
    print_circumstances(options, edges, before)
    print_tables(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
