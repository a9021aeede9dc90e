#!/usr/bin/env python3
"""Runs the long tests, those marked `#[ignore]` and those of crashes with many random states, and logs the results.

Each test runs once; randomized tests (those that print `OUTCROP_SEED=`) then repeat with new seeds for SOAK_MINUTES.
The log has one line per run: time, test, seed, duration and the counts that the test prints. After a failure, it has the whole output.
To reproduce a failure, run `OUTCROP_SEED=<seed> cargo test <test> -- --ignored`. Measurements are excluded.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A longer test is considered to hang.
LONGEST_MINUTES = 120
# Maximum number of output characters logged for a passed test.
LONGEST_COUNTS = 300
IGNORED = re.compile(r"^(?P<name>\S+): test$", re.MULTILINE)
# Prefixes, after the last `::`, of the names of measurements and of tests that write fixtures.
LEFT_OUT = ("speed", "rate_of_", "spilling_is_fast", "freeze")
# Tests that are run with many more random states after crashes than in `make test`.
CRASHES = re.compile(r"^(?P<name>\S*\ba_crash_\S+): test$", re.MULTILINE)
CRASH_SEEDS = "25"
# A test of crashes prints such a line for each of its graphs.
STATES = re.compile(r"^(\d+) states after crashes$")
# Lines of the test harness; all other output of a test is its counts.
HARNESS = re.compile(r"^(running |test |test result: |successes:|failures:|$)")


@dataclass(frozen=True)
class Test:
    """Long test and its working folder."""

    executable: str
    folder: str
    name: str
    ignored: bool


def built(packages: list[str], profile: str) -> list[Test]:
    """Build all tests and return the ignored ones."""
    which = [word for package in packages for word in ("--package", package)]
    # The selection of `make test`, with which it shares builds.
    which = which or ["--workspace"]
    command = ["cargo", "test", "--profile", profile, "--no-run", "--message-format", "json-render-diagnostics", *which]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    tests = []
    for line in output.splitlines():
        message = json.loads(line)
        if not (message.get("reason") == "compiler-artifact" and message["profile"]["test"] and message["executable"]):
            continue
        executable, folder = message["executable"], str(Path(message["manifest_path"]).parent)
        for pattern, options in (IGNORED, ["--ignored"]), (CRASHES, []):
            listed = subprocess.run([executable, *options, "--list"], cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
            names = [name for name in pattern.findall(listed.stdout) if not name.split("::")[-1].startswith(LEFT_OUT)]
            tests += [Test(executable, folder, name, bool(options)) for name in names]
    return tests


class Soak:
    """Runs so far, and the log."""

    def __init__(self, log: Path, seed: int) -> None:
        """Start a log; `seed` generates the seeds of the tests."""
        self.file = log.open("w", encoding="utf-8")
        self.random = random.Random(seed)
        self.runs = 0
        self.failures = 0
        self.start = time.monotonic()

    def tell(self, text: str) -> None:
        """Write a line to the log and to the terminal."""
        for file in (self.file, sys.stdout):
            print(text, file=file, flush=True)

    def minutes(self) -> float:
        """Return the minutes since the start."""
        return (time.monotonic() - self.start) / 60

    def run(self, test: Test) -> bool:
        """Run a test with a new seed; return whether it is randomized."""
        seed = self.random.randrange(1, 1 << 32)
        began = time.monotonic()
        when = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        ignored = ["--ignored"] if test.ignored else []
        command = [test.executable, *ignored, "--exact", "--nocapture", "--test-threads=1", test.name]
        environment = os.environ | {"OUTCROP_SEED": str(seed), "OUTCROP_CRASH_SEEDS": CRASH_SEEDS}
        try:
            ran = subprocess.run(
                command, cwd=test.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                errors="replace", timeout=60 * LONGEST_MINUTES, check=False,
            )
            said, failed = ran.stdout, ran.returncode != 0 or "1 passed" not in ran.stdout
        except subprocess.TimeoutExpired as error:
            said, failed = f"{error.stdout or ''}\ntimeout after {LONGEST_MINUTES} minutes", True
        self.runs += 1
        self.failures += failed
        # The harness adds the test's name and verdict to lines that the test prints.
        lines = [line.removeprefix(f"test {test.name} ... ").removesuffix("ok").strip() for line in said.splitlines()]
        lines = [line for line in lines if not HARNESS.match(line)]
        states = sum(int(found[1]) for found in map(STATES.match, lines) if found)
        lines = [line for line in lines if not STATES.match(line)] + ([f"{states:,} states after crashes"] if states else [])
        # Tests with damaged bytes catch panics, whose messages would otherwise fill the log.
        counts = "; ".join(lines)[:LONGEST_COUNTS]
        drawn = "OUTCROP_SEED=" in said
        verdict = "FAILED" if failed else "passed"
        shown = f"seed {seed}" if drawn else "no seed"
        self.tell(f"{when} {verdict} {test.name} ({shown}) in {time.monotonic() - began:.1f} s" + ("" if failed else f": {counts}"))
        if failed:
            self.tell(said)
        return drawn


def main() -> int:
    """Run all tests; return 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("SOAK_MINUTES", "0")), help="time to repeat randomized tests (default: SOAK_MINUTES, or run each once)")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SOAK_SEED") or time.time_ns() % (1 << 32)), help="seed that generates the seeds of the tests")
    parser.add_argument("--log", type=Path, default=ROOT / "soak.log")
    parser.add_argument("--package", "-p", action="append", default=[], help="only the tests of this package")
    parser.add_argument("--profile", default="dev", help="cargo profile")
    arguments = parser.parse_args()
    tests = built(arguments.package, arguments.profile)
    soak = Soak(arguments.log, arguments.seed)
    mutants = os.environ.get("OUTCROP_MUTANTS")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    soak.tell(f"{len(tests)} long tests at commit {commit or 'unknown'}, SOAK_SEED={arguments.seed}, {arguments.minutes:g} minutes" + (f", OUTCROP_MUTANTS={mutants}" if mutants else ""))
    drawing = [test for test in tests if soak.run(test)]
    rounds = 1
    while drawing and soak.minutes() < arguments.minutes:
        rounds += 1
        for test in drawing:
            if soak.minutes() < arguments.minutes:
                soak.run(test)
    verdict = "FAILED" if soak.failures or not tests else "passed"
    soak.tell(f"{verdict}: {len(tests)} long tests, {soak.runs} runs in {rounds} rounds, {soak.failures} failures, {soak.minutes():.1f} minutes")
    return int(verdict == "FAILED")


if __name__ == "__main__":
    sys.exit(main())
