#!/usr/bin/env python3
"""Runs many processes on one store at a time, and compares every answer with a model.

The graph has blocks of vertices, each of them connected. Update number `i` adds an edge between block `i` and block `i + 1`, so that the number of
components tells how many updates a reader has seen. It must be at least the number of updates that were acknowledged before the reader started,
and at most the number of those that were started before it ended. Runs, queries, exports, checks and conversions read; updates wait for readers
(`--wait`), repeat some of their idempotency keys, and are merged from time to time. At the end, the store is checked and compared with the model.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

BLOCK = 64
MEMORY = "32MiB"
# Seconds after which a command counts as hanging.
LONGEST_SECONDS = 300


@dataclass
class Load:
    """State that all threads share."""

    outcrop: str
    folder: Path
    blocks: int
    deadline: float
    started: int = 0
    acknowledged: int = 0
    commands: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def store(self) -> str:
        """Return the path of the store."""
        return str(self.folder / "g.outcrop")

    def run(self, *words: str, memory: bool = True) -> str | None:
        """Run a command; return its output, or None after a finding."""
        command = [self.outcrop, *words, *(["--memory", MEMORY, "--threads", "2"] if memory else [])]
        try:
            ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LONGEST_SECONDS, check=False)
            code, said = ran.returncode, ran.stderr[-500:]
        except subprocess.TimeoutExpired:
            ran, code, said = None, None, f"no end after {LONGEST_SECONDS} s"
        with self.lock:
            self.commands[words[0]] += 1
            if ran is None or code != 0:
                self.findings.append(f"exit code {code}: {' '.join(command)}: {said}")
                return None
        return ran.stdout

    def find(self, finding: str) -> None:
        """Record a wrong answer."""
        with self.lock:
            self.findings.append(finding)

    def compare(self, what: str, seen: int, before: int) -> None:
        """Compare the number of updates that a reader has seen with those that it may have seen."""
        if not before <= seen <= self.started:
            self.find(f"{what} has seen {seen} updates; acknowledged before it: {before}, started until its end: {self.started}")

    def goes_on(self) -> bool:
        """Return whether there is time, and no reason to stop."""
        return time.monotonic() < self.deadline and len(self.findings) < 20


def build(load: Load) -> None:
    """Build the store: every block is a cycle."""
    lines = (f"{block * BLOCK + place} {block * BLOCK + (place + 1) % BLOCK}\n" for block in range(load.blocks) for place in range(BLOCK))
    edges = load.folder / "edges.txt"
    edges.write_text("".join(lines))
    load.run("build", str(edges), load.store, "--undirected")


def write(load: Load, dice: random.Random) -> None:
    """Make updates until the end."""
    new = load.folder / "new.txt"
    while load.goes_on() and load.started < load.blocks - 1:
        number = load.started
        new.write_text(f"{number * BLOCK + dice.randrange(BLOCK)} {(number + 1) * BLOCK + dice.randrange(BLOCK)}\n")
        load.started += 1
        # Sometimes the same update is made twice, as after a lost acknowledgment.
        for _ in range(1 + (dice.random() < 0.2)):
            merge = "0" if dice.random() < 0.05 else "never"
            load.run("update", load.store, "--add", str(new), "--id", f"update-{number}", "--wait", "120s", "--merge-above", merge)
        load.acknowledged = load.started
        time.sleep(dice.random() * 0.2)


def read(load: Load, number: int, dice: random.Random) -> None:
    """Read in all ways until the end."""
    mine = load.folder / f"reader-{number}"
    mine.mkdir()
    while load.goes_on():
        before = load.acknowledged
        base = load.blocks * BLOCK
        match dice.randrange(8):
            case 0 | 1 | 2:
                model = dice.choice(["edge_map", "interval"])
                if output := load.run("run", "wcc", load.store, "--json", "--no-history", "--model", model):
                    load.compare(f"wcc --model {model}", load.blocks - json.loads(output)["summary"]["components"], before)
            case 3:
                if output := load.run("info", load.store, "--json", memory=False):
                    load.compare("info", json.loads(output)["edges"] - base, before)
            case 4:
                source = dice.randrange(base)
                output = load.run("run", "bfs", load.store, "--source", str(source), "--no-history", "-o", str(mine / "bfs.csv"), "--overwrite")
                if output is not None:
                    reached = sum(not line.endswith(",") for line in (mine / "bfs.csv").read_text().splitlines()[1:])
                    first = source // BLOCK
                    # Blocks up to the first update that is missing are one component.
                    if reached % BLOCK or reached < BLOCK:
                        load.find(f"bfs from {source} reached {reached} vertices")
                    if first <= before and reached < (before + 1) * BLOCK:
                        load.find(f"bfs from {source} reached {reached} vertices after {before} updates")
            case 5:
                if load.run("export", load.store, str(mine / "edges.csv"), "--overwrite") is not None:
                    load.compare("export", len((mine / "edges.csv").read_text().splitlines()) - base, before)
            case 6:
                load.run("check", load.store)
            case _:
                target = str(mine / "converted.outcrop")
                layout = dice.choice(["csr", "compact", "chunked", "sliding"])
                if load.run("convert", load.store, target, "--layout", layout, "--overwrite") is not None:
                    if output := load.run("info", target, "--json", memory=False):
                        load.compare(f"convert --layout {layout}", json.loads(output)["edges"] - base, before)


def main() -> int:
    """Run the load; return 1 after a finding."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--outcrop", default="target/release/outcrop", help="the command")
    parser.add_argument("--processes", type=int, default=32, help="processes at a time")
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("LOAD_MINUTES", "60")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("OUTCROP_SEED", "1")))
    parser.add_argument("--folder", type=Path, help="parent of the store's folder; default: the folder for temporary files")
    parser.add_argument("--log", type=Path, default=Path("load.log"))
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="outcrop-load-", dir=arguments.folder))
    load = Load(str(Path(arguments.outcrop).resolve()), folder, 8192, time.monotonic() + 60 * arguments.minutes)
    build(load)
    threads = [threading.Thread(target=write, args=(load, random.Random(arguments.seed)))]
    threads += [threading.Thread(target=read, args=(load, number, random.Random((arguments.seed << 16) + number))) for number in range(arguments.processes - 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    load.run("check", load.store)
    if output := load.run("run", "wcc", load.store, "--json", "--no-history"):
        load.compare("wcc at the end", load.blocks - json.loads(output)["summary"]["components"], load.started)
    for finding in load.findings:
        print(finding)
    kinds = ", ".join(f"{count} {name}" for name, count in sorted(load.commands.items()))
    summary = f"OUTCROP_SEED={arguments.seed}: {sum(load.commands.values())} commands of {arguments.processes} processes in {arguments.minutes:g} minutes ({kinds}), {load.started} updates, {len(load.findings)} findings"
    print(summary)
    arguments.log.write_text(summary + "\n", encoding="utf-8")
    shutil.rmtree(folder)
    return int(bool(load.findings))


if __name__ == "__main__":
    sys.exit(main())
