#!/usr/bin/env python3
"""Measures Kronecker graphs of growing scale at a fixed share of memory, fits a model to the runs, and predicts larger graphs.

`scaling.py measure` generates and builds graphs, runs algorithms with cold caches (as root), and appends one line of JSON per run to the log.
`scaling.py big` pipes generated edges into builds of graphs larger than memory, runs algorithms in a share of their store, and prints a table.
`scaling.py report` prints the tables, the constants of the model, its errors, and its prediction for another graph size.

The model: the time of a run is the larger of CPU time divided by threads and of bytes divided by disk bandwidth.
CPU time per edge is `a + b log2(values / L2)`: the cost of decoding, and the growing cost of random reads as values exceed the cache.
Bytes are the number of passes over the part of the lists that the page cache does not hold. The model is fitted to runs with values in memory.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from statistics import median

# Algorithms: options, and bytes per vertex that are read at random positions.
ALGORITHMS = {
    "pagerank": (["--iterations", "10", "--precision", "f32"], 4),
    "bfs": (["--source", "HUB"], 4),
    "wcc": ([], 4),
    "sssp": (["--source", "HUB", "--precision", "f32"], 4),
}
WEIGHTED = {"sssp"}
RULES = ["--dedup", "first", "--self-loops", "drop"]
# Runs on graphs larger than memory; HUB is the first vertex of the run before.
BIG = [
    ("pagerank", ["--iterations", "10", "--precision", "f32"]),
    ("bfs", ["--source", "HUB"]),
    ("wcc", []),
    ("kcore", ["--k", "10"]),
]
NEEDS = re.compile(r"at least --memory (\d+)")
L2_BYTES = 1 << 20
MIB = 1 << 20


def outcrop(options: argparse.Namespace, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([options.outcrop, *words], check=False, capture_output=True, text=True)


def record_of(options: argparse.Namespace, *words: str) -> dict:
    """Returns the JSON that a command prints; exits if it fails."""
    ran = outcrop(options, *words)
    if ran.returncode != 0:
        sys.exit(f"outcrop {' '.join(words)}: {ran.stderr}")
    return json.loads(ran.stdout)


def drop_caches() -> None:
    subprocess.run(["sync"], check=True)
    Path("/proc/sys/vm/drop_caches").write_text("3")


def run(options: argparse.Namespace, algorithm: str, store: Path, memory: int, threads: int, given: list[str]) -> dict:
    """Runs in `memory`, or in the minimum that the run reports if that is larger."""
    words = ["run", algorithm, str(store), *given, "--threads", str(threads), "--json", "--progress", "none", "--memory"]
    drop_caches()
    ran = outcrop(options, *words, str(memory))
    least = NEEDS.search(ran.stderr)
    if ran.returncode == 4 and least:
        drop_caches()
        ran = outcrop(options, *words, least[1])
    if ran.returncode != 0:
        sys.exit(f"outcrop {' '.join(words)} {memory}: {ran.stderr}")
    return json.loads(ran.stdout)


def built(options: argparse.Namespace, scale: int, weighted: bool) -> tuple[Path, dict]:
    """Returns the store of a scale, and the record of its build."""
    edges = options.folder / f"{scale}.bin"
    if not edges.exists():
        outcrop(options, "generate", "kronecker", "--scale", str(scale), "--edge-factor", "16", "--seed", "1", "--weights", "1..255", "-o", str(edges))
    store = options.folder / f"{scale}{'w' if weighted else ''}.outcrop"
    more = ["--weighted", "--weight-type", "u8"] if weighted else []
    drop_caches()
    begin = time.perf_counter()
    words = [*RULES, "--memory", options.build_memory, "--overwrite", "--json", *more]
    report = record_of(options, "build", str(edges), str(store), *words)
    return store, {"kind": "build", "scale": scale, "weighted": weighted, "seconds": time.perf_counter() - begin, "edges": report["edges"]}


def measure(options: argparse.Namespace) -> None:
    options.folder.mkdir(parents=True, exist_ok=True)
    with options.log.open("a") as log:
        note = lambda line: print(json.dumps(line), file=log, flush=True)
        for scale in scales_of(options.scales):
            for weighted in (False, True):
                chosen = [name for name in options.algorithms.split(",") if (name in WEIGHTED) == weighted]
                if not chosen:
                    continue
                store, build = built(options, scale, weighted)
                info = record_of(options, "info", str(store), "--json")
                note(build | {"bytes": info["bytes"], "vertices": info["vertices"]})
                top = record_of(options, "run", "pagerank", str(store), "--iterations", "2", "--json", "--unweighted", "--memory", "4GiB")
                hub = str(top["top"]["rows"][0][0])
                for algorithm in chosen:
                    given = [hub if word == "HUB" else word for word in ALGORITHMS[algorithm][0]]
                    for threads in (1, 2):
                        for _ in range(options.rounds):
                            record = run(options, algorithm, store, info["bytes"] // options.share, threads, given)
                            direction = info["layouts"][0]["bytes"]
                            cache = sum(part["bytes"] for part in record["memory"] if part["purpose"] == "page_cache")
                            kept = ["seconds", "user_seconds", "system_seconds", "bytes_read", "peak_rss", "memory_budget", "model", "iterations", "vertices", "edges"]
                            line = {"kind": "run", "scale": scale, "algorithm": algorithm, "threads": threads, "direction": direction, "cache": cache}
                            note(line | {name: record[name] for name in kept})
            if not options.keep:
                subprocess.run(["rm", "-rf", *map(str, options.folder.glob(f"{scale}*"))], check=True)


class LeastFree(threading.Thread):
    """Watches the free space of a folder's file system; `bytes` is the least."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.over = folder, threading.Event()
        self.bytes = self.now()

    def now(self) -> int:
        return shutil.disk_usage(self.folder).free

    def run(self) -> None:
        while not self.over.wait(0.2):
            self.bytes = min(self.bytes, self.now())


def big(options: argparse.Namespace) -> None:
    """Builds from a pipe and runs, in as much memory as a laptop has."""
    options.folder.mkdir(parents=True, exist_ok=True)
    print("| scale | work | memory, MiB | s | CPU s | peak RSS, MiB | disk, GB |\n|---:|---|---:|---:|---:|---:|---:|", flush=True)
    for scale in scales_of(options.scales):
        store = options.folder / f"{scale}.outcrop"
        drop_caches()
        free, watch = shutil.disk_usage(options.folder).free, LeastFree(options.folder)
        watch.start()
        generate = [options.outcrop, "generate", "kronecker", "--scale", str(scale), "--edge-factor", "16", "-o", "-"]
        build = [options.outcrop, "build", "-", str(store), "--memory", options.build_memory, "--overwrite", "--json", *RULES]
        with subprocess.Popen(generate, stdout=subprocess.PIPE) as edges:
            built = subprocess.run(build, stdin=edges.stdout, check=True, stdout=subprocess.PIPE, text=True)
        watch.over.set()
        record, peak = json.loads(built.stdout), (free - watch.bytes) / 1e9
        info = record_of(options, "info", str(store), "--json")
        print(row(scale, "build (disk: peak with the store)", record, peak), flush=True)
        print(f"| {scale} | {info['edges']:,} edges, {info['vertices']:,} vertices | | | | | {info['bytes'] / 1e9:.2f} |", flush=True)
        hub = ""
        for algorithm, options_given in BIG:
            given = [hub if word == "HUB" else word for word in options_given]
            ran = run(options, algorithm, store, info["bytes"] // options.share, 2, given)
            hub = str(ran["top"]["rows"][0][0])
            print(row(scale, f"{algorithm} {' '.join(given)} ({ran['model']})", ran, ran["bytes_read"] / 1e9), flush=True)
        if not options.keep:
            shutil.rmtree(store)


def row(scale: int, work: str, record: dict, disk: float) -> str:
    cpu = record["user_seconds"] + record["system_seconds"]
    memory, peak = record["memory_budget"] / MIB, record["peak_rss"] / MIB
    return f"| {scale} | {work} | {memory:.0f} | {record['seconds']:.1f} | {cpu:.1f} | {peak:.0f} | {disk:.1f} |"


def scales_of(text: str) -> list[int]:
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def summaries(lines: list[dict]) -> dict[tuple[str, int, int], dict]:
    """Returns medians over the rounds, by algorithm, scale and threads."""
    groups: dict[tuple[str, int, int], list[dict]] = {}
    for line in lines:
        if line["kind"] == "run":
            groups.setdefault((line["algorithm"], line["scale"], line["threads"]), []).append(line)
    found = {}
    for key, runs in groups.items():
        middle = {name: median(run[name] for run in runs) for name in runs[0] if isinstance(runs[0][name], (int, float))}
        found[key] = middle | {"model": runs[0].get("model", "edge_map"), "cpu": median(run["user_seconds"] + run["system_seconds"] for run in runs)}
    return found


def cache_pressure(algorithm: str, vertices: float) -> float:
    return max(0.0, math.log2(max(1.0, vertices * ALGORITHMS[algorithm][1] / L2_BYTES)))


def fitted(algorithm: str, runs: list[dict]) -> tuple[float, float, float]:
    """Fits nanoseconds per edge, their increase per doubling of the values beyond the cache, and passes over the lists: relative least squares."""
    points = [(cache_pressure(algorithm, run["vertices"]), run["cpu"] / run["edges"] * 1e9) for run in runs]
    weights = [1 / y**2 for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    spread = sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points))
    slope = sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points)) / spread if spread else 0.0
    passes = median(run["bytes_read"] / max(1.0, run["direction"] - run["cache"]) for run in runs)
    return mean_y - slope * mean_x, slope, passes


def predicted(algorithm: str, constants: tuple[float, float, float], case: dict, threads: int, bandwidth: float) -> tuple[float, float]:
    """Returns CPU seconds divided by threads, and disk seconds."""
    base, slope, passes = constants
    cpu = (base + slope * cache_pressure(algorithm, case["vertices"])) * 1e-9 * case["edges"] / threads
    return cpu, passes * max(0.0, case["direction"] - case["cache"]) / bandwidth


def report(options: argparse.Namespace) -> None:
    lines = [json.loads(line) for line in options.log.read_text().splitlines()]
    found = summaries(lines)
    print("| scale | edges | store, MiB | build, s | ns per edge |\n|---:|---:|---:|---:|---:|")
    for line in lines:
        if line["kind"] == "build" and not line["weighted"]:
            print(f"| {line['scale']} | {line['edges']:,} | {line['bytes'] / MIB:.0f} | {line['seconds']:.1f} | {line['seconds'] / line['edges'] * 1e9:.0f} |")
    for algorithm in ALGORITHMS:
        scales = sorted({scale for name, scale, _ in found if name == algorithm})
        if not scales:
            continue
        learnt = [found[algorithm, scale, 2] for scale in scales if scale <= options.fit_to]
        # Runs with values on disk have other costs.
        learnt = [run for run in learnt if run["model"] == "edge_map"] or learnt
        constants = fitted(algorithm, learnt)
        print(f"\n`{algorithm}`: {constants[0]:.2f} ns per edge, {constants[1]:+.2f} ns per doubling of the values beyond 1 MiB; {constants[2]:.2f} passes\n")
        print("| scale | model, 2 threads | memory, MiB | peak RSS, MiB | s, 1 thread | s, 2 threads | efficiency | CPU s | MiB read | ns per edge | model, s | error |")
        print("|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        for scale in scales:
            one, two = found[algorithm, scale, 1], found[algorithm, scale, 2]
            said = max(predicted(algorithm, constants, two, 2, options.bandwidth * 1e9))
            print(
                f"| {scale} | {two['model']} | {two['memory_budget'] / MIB:.0f} | {two['peak_rss'] / MIB:.0f} | {one['seconds']:.3f} | {two['seconds']:.3f} | "
                f"{one['seconds'] / two['seconds'] / 2:.2f} | {two['cpu']:.2f} | {two['bytes_read'] / MIB:.0f} | {two['seconds'] / two['edges'] * 1e9:.2f} | "
                f"{said:.3f} | {said / two['seconds'] - 1:+.0%} |"
            )
        large(options, algorithm, constants)


def large(options: argparse.Namespace, algorithm: str, constants: tuple[float, float, float]) -> None:
    """Prints the prediction for a larger graph."""
    case = {"vertices": options.vertices, "edges": options.edges, "direction": options.edges * options.bytes_per_edge}
    print(f"\n{options.vertices:.2g} vertices, {options.edges:.3g} edges of {options.bytes_per_edge} bytes:\n")
    print("| memory, GB | threads | GB/s | CPU seconds / threads | disk seconds |\n|---:|---:|---:|---:|---:|")
    for memory in (64, 256, 1024):
        for threads in (16, 64):
            for bandwidth in (3, 14, 56):
                used = case["vertices"] * 14 + 1e9
                cpu, disk = predicted(algorithm, constants, case | {"cache": max(0.0, memory * 1e9 - used)}, threads, bandwidth * 1e9)
                print(f"| {memory} | {threads} | {bandwidth} | {cpu:.0f} | {disk:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["measure", "big", "report"])
    parser.add_argument("--log", type=Path, default=Path("scaling.jsonl"), help="log with one line of JSON per build and run")
    parser.add_argument("--outcrop", default="target/release/outcrop")
    parser.add_argument("--folder", type=Path, default=Path("demo/scaling"), help="folder for graphs, which are removed after each scale")
    parser.add_argument("--keep", action="store_true", help="keep the graphs")
    parser.add_argument("--scales", default="18-22")
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=int, default=6, help="the budget is the store size divided by this number")
    parser.add_argument("--build-memory", default="256MiB")
    parser.add_argument("--fit-to", type=int, default=23, help="largest scale used to fit the model; larger scales test it")
    parser.add_argument("--bandwidth", type=float, default=3.0, help="bandwidth of the disk in GB/s")
    parser.add_argument("--vertices", type=float, default=3.5e9)
    parser.add_argument("--edges", type=float, default=128e9)
    parser.add_argument("--bytes-per-edge", type=float, default=1.6)
    options = parser.parse_args()
    {"measure": measure, "big": big, "report": report}[options.action](options)


if __name__ == "__main__":
    main()
