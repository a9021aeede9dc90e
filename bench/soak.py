#!/usr/bin/env python3
"""Runs the long tests, those marked `#[ignore]`, and says what they have met.

Each runs once; then those that draw at random (they print `OUTCROP_SEED=`) run again and again with new seeds until SOAK_MINUTES are over.
The log has a line for each run: when, which test, the seed, how long, and the counts that the test prints; of a failure, all that it said.
A failure can be had again with `OUTCROP_SEED=<seed> cargo test <test> -- --ignored`. Measurements are left out.
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
# A test that takes longer hangs.
LONGEST_MINUTES = 120
# Characters of what a test that passed has said.
LONGEST_COUNTS = 300
IGNORED = re.compile(r"^(?P<name>\S+): test$", re.MULTILINE)
# Measurements, and what writes fixtures, by how their names begin after the last `::`.
LEFT_OUT = ("speed", "rate_of_", "spilling_is_fast", "freeze")
# Counts: what a test prints that is no line of the test harness.
HARNESS = re.compile(r"^(running |test |test result: |successes:|failures:|$)")


@dataclass(frozen=True)
class Test:
    """A long test, and where it runs."""

    executable: str
    folder: str
    name: str


def built(packages: list[str], profile: str) -> list[Test]:
    """Build all tests; those that are ignored."""
    which = [word for package in packages for word in ("--package", package)]
    which = which or ["--workspace", "--exclude", "outcrop-python"]
    command = ["cargo", "test", "--profile", profile, "--no-run", "--message-format", "json-render-diagnostics", *which]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    tests = []
    for line in output.splitlines():
        message = json.loads(line)
        if not (message.get("reason") == "compiler-artifact" and message["profile"]["test"] and message["executable"]):
            continue
        executable, folder = message["executable"], str(Path(message["manifest_path"]).parent)
        listed = subprocess.run([executable, "--ignored", "--list"], cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
        names = IGNORED.findall(listed.stdout)
        tests += [Test(executable, folder, name) for name in names if not name.split("::")[-1].startswith(LEFT_OUT)]
    return tests


class Soak:
    """Runs that were made, and the log."""

    def __init__(self, log: Path, seed: int) -> None:
        """Begin a log, from this first seed on."""
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
        """Tell how long it runs by now."""
        return (time.monotonic() - self.start) / 60

    def run(self, test: Test) -> bool:
        """Run a test with a new seed; whether it draws at random."""
        seed = self.random.randrange(1, 1 << 32)
        began = time.monotonic()
        when = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        command = [test.executable, "--ignored", "--exact", "--nocapture", "--test-threads=1", test.name]
        environment = os.environ | {"OUTCROP_SEED": str(seed)}
        try:
            ran = subprocess.run(
                command, cwd=test.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                errors="replace", timeout=60 * LONGEST_MINUTES, check=False,
            )
            said, failed = ran.stdout, ran.returncode != 0 or "1 passed" not in ran.stdout
        except subprocess.TimeoutExpired as error:
            said, failed = f"{error.stdout or ''}\nit did not end in {LONGEST_MINUTES} minutes", True
        self.runs += 1
        self.failures += failed
        # The harness prints a test's name and its verdict on the lines of what the test prints.
        lines = [line.removeprefix(f"test {test.name} ... ").removesuffix("ok").strip() for line in said.splitlines()]
        # Decoders that are given damaged bytes may panic, which is caught, and says so a thousand times.
        counts = "; ".join(line for line in lines if not HARNESS.match(line))[:LONGEST_COUNTS]
        drawn = "OUTCROP_SEED=" in said
        verdict = "FAILED" if failed else "passed"
        shown = f"seed {seed}" if drawn else "no seed"
        self.tell(f"{when} {verdict} {test.name} ({shown}) in {time.monotonic() - began:.1f} s" + ("" if failed else f": {counts}"))
        if failed:
            self.tell(said)
        return drawn


def main() -> int:
    """Run them all; 1 where any has failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("SOAK_MINUTES", "0")), help="how long to repeat what draws at random (default: SOAK_MINUTES, or all once)")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SOAK_SEED") or time.time_ns() % (1 << 32)), help="where seeds come from")
    parser.add_argument("--log", type=Path, default=ROOT / "soak.log")
    parser.add_argument("--package", "-p", action="append", default=[], help="only the tests of this package")
    parser.add_argument("--profile", default="dev", help="of cargo")
    arguments = parser.parse_args()
    tests = built(arguments.package, arguments.profile)
    soak = Soak(arguments.log, arguments.seed)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    soak.tell(f"{len(tests)} long tests at commit {commit or 'unknown'}, SOAK_SEED={arguments.seed}, {arguments.minutes:g} minutes")
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
