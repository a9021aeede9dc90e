#!/usr/bin/env python3
"""Writes the table of guarantees in docs/reliability.md: tests of each, and what the logs of long tests say.

The sections of that page name the files with the tests of each guarantee. Their tests are counted, and what the logs of `make soak`,
`make load`, `make budgets`, `make fuzz` and `make environments` say of them is added: runs, seeds, failures. What the page says of a log
that is missing stays. `make proof` calls this after its tests.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reliability.md"
BEGIN, END = "<!-- table of guarantees: written by make proof -->", "<!-- end of the table -->"
SECTION = re.compile(r"^## (P\d+)\. (.+)$", re.MULTILINE)
PATH = re.compile(r"`((?:crates|bench|fuzz)/[\w./*-]+)`")
# A name without a folder follows a path with the folder: `a/b/one.rs`, `two.rs`.
NAME = re.compile(r"`([\w-]+\.(?:rs|py))`")
TESTS = re.compile(r"#\[test\]|^\s*def test_", re.MULTILINE)
SOAK = re.compile(r"^(?P<when>\S+) (?P<verdict>passed|FAILED) (?P<test>\S+) \((?:seed (?P<seed>\d+)|no seed)\) in (?P<seconds>[\d.]+) s(?:: (?P<counts>.*))?$", re.MULTILINE)
FUZZED = re.compile(r"^\S+ (\S+) (\w+): (\d+) s, (\d+) executions, coverage (\d+), (\d+) inputs, (\d+) findings$", re.MULTILINE)
# Logs of other targets, with the guarantee that they belong to.
OTHERS = {"P2": "load.log", "P3": "budgets.log", "P5": "fuzz.log", "P7": "environments.log"}
# Maximum number of characters of the counts of a long test.
LONGEST = 200


@dataclass
class Promise:
    """Guarantee with its tests."""

    number: str
    title: str
    files: set[Path] = field(default_factory=set)
    tests: int = 0
    runs: list[re.Match[str]] = field(default_factory=list)


def files_in(text: str) -> set[Path]:
    """Return the files with tests that a section names."""
    files: set[Path] = set()
    for line in text.splitlines():
        folder = None
        for match in re.finditer(f"{PATH.pattern}|{NAME.pattern}", line):
            path = ROOT / match[1] if match[1] else (folder / match[2] if folder else None)
            if path is None:
                continue
            if path.is_dir():
                files.update(path.rglob("*.rs"))
            elif path.is_file():
                folder = path.parent
                files.add(path)
    return files


def promises(page: str) -> list[Promise]:
    """Return the guarantees of the page."""
    found = []
    for match in SECTION.finditer(page):
        following = re.compile(r"^## ", re.MULTILINE).search(page, match.end())
        text = page[match.end() : following.start() if following else len(page)]
        promise = Promise(match[1], match[2], files_in(text))
        promise.tests = sum(len(TESTS.findall(file.read_text(encoding="utf-8"))) for file in promise.files)
        found.append(promise)
    return found


def assign(found: list[Promise], log: str) -> None:
    """Add each run of a long test to the guarantees whose files have the test."""
    texts = {promise.number: "".join(file.read_text(encoding="utf-8") for file in promise.files) for promise in found}
    for run in SOAK.finditer(log):
        name = re.compile(rf"\b{run['test'].rsplit('::', 1)[-1]}\b")
        for promise in found:
            if name.search(texts[promise.number]):
                promise.runs.append(run)


def log_of(name: str) -> str:
    """Return a log; an empty text if there is none."""
    log = ROOT / name
    return log.read_text(encoding="utf-8") if log.is_file() else ""


def plural(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def row(promise: Promise, before: str) -> str:
    """Return a row of the table; `before` is the table that it replaces."""
    runs = promise.runs
    seeds = sorted({int(run["seed"]) for run in runs if run["seed"]})
    failed = sum(run["verdict"] == "FAILED" for run in runs)
    names = len({run["test"] for run in runs})
    long = f"{plural(len(runs), 'run')} of {plural(names, 'test')}, {failed} failed" if runs else ""
    drawn = f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else (f"{seeds[0]}" if seeds else "")
    others = "".join(log_of(OTHERS.get(promise.number, "no log")).strip().splitlines()[-1:])
    known = re.search(rf"^\| {promise.number} \| [^|]* \| [^|]* \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", before, re.MULTILINE)
    if known and not log_of("soak.log"):
        long, drawn = known[1].strip(), known[2].strip()
    others = others or (known[3].strip() if known else "")
    return f"| {promise.number} | {promise.title} | {promise.tests} in {len(promise.files)} files | {long} | {drawn} | {others} |"


def counts(run: re.Match[str]) -> str:
    """Return what a run of a long test counted, as one cell; its seed has a cell of its own."""
    text = re.sub(r"^OUTCROP_SEED=\d+(; )?", "", run["counts"]).replace("|", "/")
    # Messages of caught panics have paths of the machine.
    text = text.partition("thread '")[0]
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip("; ") + " ..."


def rows_below(heading: str, before: str) -> list[str]:
    """Return the rows of a table whose heading begins so."""
    return before.partition(heading)[2].partition("\n\n")[0].strip().splitlines()[2:]


def main() -> int:
    """Write the table."""
    page = PAGE.read_text(encoding="utf-8")
    soak = log_of("soak.log")
    found = promises(page)
    assign(found, soak)
    empty = [promise.number for promise in found if not promise.tests]
    if empty:
        sys.exit(f"error: {PAGE} names no file with tests of {', '.join(empty)}; name them in its section")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    begin, end = page.find(BEGIN), page.find(END)
    if begin < 0 or end < 0:
        sys.exit(f"error: {PAGE} has no lines {BEGIN} and {END}")
    before = page[begin:end]
    first = soak.partition("\n")[0].replace(", 0 minutes", "") or before.partition("`make soak`: ")[2].partition(".\n")[0]
    long_runs = {run["test"]: run for run in SOAK.finditer(soak) if run["counts"]}
    tests = [f"| `{name}` | {run['seed'] or ''} | {run['seconds']} | {counts(run)} |" for name, run in sorted(long_runs.items())]
    fuzzed = [f"| `{name}` | {at} | {' | '.join(f'{int(count):,}' for count in counts)} |" for at, name, *counts in FUZZED.findall(log_of("fuzz.log"))]
    lines = [
        BEGIN,
        f"Written by the last step of `make proof`, `bench/promises.py`, at commit {commit}. `make soak`: {first}.",
        "",
        "| | guarantee | tests | long tests | seeds | other logs |",
        "|---|---|---|---|---|---|",
        *(row(promise, before) for promise in found),
        "",
        "| long test | seed | seconds | counts |",
        "|---|---|---|---|",
        *(tests or rows_below("| long test ", before)),
        "",
        "| fuzz target | commit | seconds | executions | coverage | inputs | findings |",
        "|---|---|---|---|---|---|---|",
        *(fuzzed or rows_below("| fuzz target ", before)),
        END,
    ]
    PAGE.write_text(page[:begin] + "\n".join(lines) + page[end + len(END) :], encoding="utf-8")
    print(f"promises: {len(found)} guarantees, {sum(promise.tests for promise in found)} tests, {len(SOAK.findall(soak))} long runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
