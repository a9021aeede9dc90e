#!/usr/bin/env python3
"""Runs commands with random budgets in memory control groups of 64 MiB more, and counts those that the system kills.

Every command is tried with the minimum that its refusal states, or up to four times that: runs of all algorithms in all models, on all
layouts and vertex orders, and builds, conversions, updates, exports and queries. Needs root, and control groups of version 1 in
/sys/fs/cgroup/memory. The log has one line per run; the last one is the sum.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup/memory")
# Memory beyond the budget that a process may use.
BEYOND = 64 << 20
MINIMUM = re.compile(r"use at least --memory (\d+)")
STORES = (
    ("chunked", ["--layout", "chunked"]),
    ("csr", ["--layout", "csr", "--order", "original", "--weighted"]),
    ("compact", ["--layout", "compact", "--order", "degree", "--undirected"]),
    ("sliding", ["--layout", "sliding", "--undirected", "--weighted"]),
)
# Algorithms that need more than a store, and those whose time on a Kronecker graph would be most of that of all others.
OPTIONS = {
    "apsp": ["--source", "{a}", "--source", "{b}"],
    "bc": ["--samples", "2"],
    "closeness": ["--samples", "2"],
    "harmonic": ["--samples", "2"],
    "eccentricity": None,
    "fastrp": ["--dimensions", "8"],
    "k-shortest-paths": ["--source", "{a}", "--target", "{b}"],
    "most-similar": ["--max-degree", "8", "--k", "3"],
    # Weighted ranks are not computed on values of edges.
    "pagerank": ["--unweighted"],
    "path": ["--source", "{a}", "--target", "{b}"],
    "katz": ["--alpha", "1e-5"],
    "modularity": ["--communities", "{folder}/communities.csv"],
    "bp": ["--vector", "{folder}/numbers.csv", "--tol", "0.01"],
    "heat": ["--vector", "{folder}/numbers.csv", "--iterations", "3"],
    "cdlp": ["--iterations", "2"],
    "walks": ["--every", "64"],
}


class Trials:
    """Commands, in the folder of their files."""

    def __init__(self, outcrop: str, folder: Path, scale: int) -> None:
        self.outcrop, self.folder, self.scale = outcrop, folder, scale
        self.algorithms = json.loads(self.output("algorithms", "--json"))

    def output(self, *words: str) -> str:
        return subprocess.run([self.outcrop, *words], check=True, stdout=subprocess.PIPE, text=True).stdout

    def prepare(self) -> None:
        """Write a graph, its stores, a value per vertex, and edges to insert."""
        vertices, edges = 1 << self.scale, str(self.folder / "edges.bin")
        self.output("generate", "kronecker", "--scale", str(self.scale), "--weights", "1..255", "--seed", "1", "-o", edges, "--overwrite")
        for name, options in STORES:
            self.output("build", edges, str(self.folder / name), "--num-vertices", str(vertices), "--ids", "dense", "--overwrite", *options)
        numbers = random.Random(1)
        for name, value in (("communities", lambda: numbers.randrange(99)), ("numbers", numbers.random)):
            rows = (f"{vertex},{value()}" for vertex in range(vertices))
            (self.folder / f"{name}.csv").write_text("node,value\n" + "\n".join(rows) + "\n", encoding="utf-8")
        pairs = (f"{numbers.randrange(vertices)} {numbers.randrange(vertices)} 2" for _ in range(10_000))
        (self.folder / "more.el").write_text("\n".join(pairs) + "\n", encoding="utf-8")

    def commands(self, numbers: random.Random) -> Iterator[list[str]]:
        """Yield commands without a budget; files named ``new`` are theirs."""
        folder, new = self.folder, self.folder / "new"
        ends = {"a": numbers.randrange(1 << 10), "b": numbers.randrange(1 << 10), "folder": folder}
        ids = [str(numbers.randrange(1 << self.scale)) for _ in range(200)]
        for store, options in STORES:
            path = str(folder / store)
            for algorithm in self.algorithms:
                given = OPTIONS.get(algorithm["name"], [])
                if given is None:
                    continue
                named = [info["name"] for info in algorithm["parameters"]]
                if "source" in named and not {"--source", "--samples", "--every"} & {*given}:
                    given = [*given, "--source", "{a}"]
                words = [word.format(**ends) for word in given]
                for model in algorithm["models"]:
                    on_disk = [[]] if model == "edge_map" or algorithm["name"] == "walks" else [[], ["--values", "disk"]]
                    for values in on_disk:
                        yield ["run", algorithm["name"], path, "--model", model, *values, *words, "-o", f"{new}.parquet", "--overwrite"]
            yield ["build", str(folder / "edges.bin"), str(new), "--overwrite", *options]
            yield ["convert", path, str(new), "--overwrite", "--layout", numbers.choice(STORES)[0]]
            yield ["export", path, f"{new}.parquet", "--overwrite"]
            yield ["profile", path]
            yield ["check", path]
            yield ["neighbors", path, *ids, "-o", f"{new}.csv", "--overwrite"]
            yield ["degree", path, *ids]
            yield ["subgraph", path, *ids, "--radius", "1", "-o", f"{new}.csv", "--overwrite"]
            yield ["sample", path, *ids, "--fanouts", "10,10", "-o", f"{new}.csv", "--overwrite"]

    def updates(self) -> Iterator[list[str]]:
        """Yield commands that change the stores, without a budget."""
        for store, _ in STORES:
            yield ["update", str(self.folder / store), "--add", str(self.folder / "more.el")]
            yield ["update", str(self.folder / store), "--merge"]


def minimum(errors: str) -> int | None:
    """Return the minimum that a refusal states."""
    found = MINIMUM.search(errors)
    return int(found[1]) if found else None


def run(outcrop: str, words: list[str], budget: int) -> tuple[int, int, float, str]:
    """Run a command in a control group; return its exit code, its peak memory with files, seconds, and errors."""
    group = GROUPS / f"outcrop-budgets-{os.getpid()}"
    group.mkdir()
    try:
        (group / "memory.limit_in_bytes").write_text(str(budget + BEYOND), encoding="ascii")
        enter = lambda: (group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")  # noqa: E731
        begin = time.monotonic()
        command = [outcrop, *words, "--memory", str(budget), "--progress", "none"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=enter)  # noqa: PLW1509
        seconds = time.monotonic() - begin
        peak = int((group / "memory.max_usage_in_bytes").read_text(encoding="ascii"))
        return done.returncode, peak, seconds, done.stderr
    finally:
        # The group is busy for a moment after its last process has ended.
        for _ in range(50):
            try:
                group.rmdir()
                break
            except OSError:
                time.sleep(0.1)


def with_minimum(outcrop: str, words: list[str], least: int, factor: float) -> tuple[int, int, int, float, str]:
    """Run a command with a multiple of its minimum; return that and the results of ``run``."""
    # The stated minimum of a build is first that of its input; then that of the rest is known.
    for _ in range(3):
        budget = int(least * factor)
        result = run(outcrop, words, budget)
        stated = minimum(result[3]) if result[0] == 4 else None
        if stated is None or stated <= least:
            break
        least = stated
    return (budget, *result)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outcrop", default="target/release/outcrop")
    parser.add_argument("--folder", type=Path, default=Path("target/budgets"))
    parser.add_argument("--scale", type=int, default=19)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, default=Path("budgets.log"))
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    trials, numbers = Trials(given.outcrop, given.folder, given.scale), random.Random(given.seed)
    trials.prepare()
    counts = {"runs": 0, "killed": 0, "failed": 0}
    with given.log.open("a", encoding="utf-8") as log:

        def note(text: str) -> None:
            print(text, file=log, flush=True)
            print(text, flush=True)

        note(f"budgets: seed {given.seed}, scale {given.scale}, {given.runs} runs")
        while counts["runs"] < given.runs:
            commands = list(trials.commands(numbers))
            for words in [*numbers.sample(commands, len(commands)), *trials.updates()][: given.runs - counts["runs"]]:
                counts["runs"] += 1
                asked = subprocess.run([given.outcrop, *words, "--memory", "1"], capture_output=True, text=True, check=False)
                least = 1 if asked.returncode == 0 else minimum(asked.stderr)
                if least is None:
                    counts["failed"] += 1
                    note(f"exit {asked.returncode}: {' '.join(words)}: {asked.stderr}")
                    continue
                budget, code, peak, seconds, errors = with_minimum(given.outcrop, words, least, numbers.choice((1, 1, numbers.uniform(1, 4))))
                killed = code == -signal.SIGKILL
                counts["killed"] += killed
                counts["failed"] += code != 0 and not killed
                state = "killed" if killed else f"exit {code}" if code else "ok"
                note(f"{state}: budget {budget >> 10} KiB, peak {peak >> 10} KiB, {seconds:.1f} s: {' '.join(words)}")
                if code:
                    note(errors[-2000:])
                shutil.rmtree(given.folder / "new", ignore_errors=True)
        note(f"budgets: {counts['runs']} runs, {counts['killed']} killed, {counts['failed']} failed")
    return 1 if counts["killed"] or counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
