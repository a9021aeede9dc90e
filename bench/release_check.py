#!/usr/bin/env python3
"""Runs every check before a release, one make target after the other, and writes one page with the results.

A failed check does not stop the others. The log of each is in target/release-check/. Sizes are set by the variables of the
targets, such as SOAK_MINUTES and FUZZ_SECONDS.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "target/release-check"
# Target, and what a passed run shows.
CHECKS = {
    "lint": "source structure, language, formatting, clippy, ruff and types",
    "deny": "licenses, sources and known vulnerabilities of dependencies",
    "semver": "the Rust API against the last release",
    "demo": "the first command of the README",
    "test": "the second command of the README",
    "wheel": "the Python package as users install it",
    "docs": "the documentation site with its links",
    "proof": "the whole test matrix and every layout against published results",
    "miri": "undefined behavior in unsafe code",
    "sanitize": "memory errors and data races in the unit tests",
    "loom": "all interleavings of small concurrent models",
    "fuzz": "inputs and stores of random bytes",
    "mutants": "tests that notice a changed line",
    "budgets": "random memory budgets in control groups",
    "load": "many processes on one store",
    "environments": "other file systems, refused system calls, an older processor",
    "aarch64": "another processor, and larger pages",
    "musl": "another C library",
    "coverage": "the share of lines that tests run",
    "soak": "kills, damage, full disks and crashes with new seeds",
}
# Lines that say how much was tested.
SUMMARY = re.compile(r"^(test result: .*|\d+ passed.*|passed: .*|FAILED: .*|.*\bfindings\b.*|.*\bkilled\b.*)$", re.MULTILINE)


def summary(log: str) -> str:
    """Return what a log says about the number of tests."""
    lines = SUMMARY.findall(log)
    passed = sum(int(count) for line in lines for count in re.findall(r"\b(\d+) passed", line))
    others = [line for line in lines if " passed" not in line]
    return f"{passed:,} tests passed" if passed else (others[-1][:120] if others else "")


def main() -> int:
    """Run the checks; return 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checks", nargs="*", help=f"only these, of {', '.join(CHECKS)}")
    parser.add_argument("--page", type=Path, default=ROOT / "target/release-check.md")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.checks if name not in CHECKS]
    if unknown:
        parser.error(f"unknown check {unknown[0]}; use some of {', '.join(CHECKS)}")
    LOGS.mkdir(parents=True, exist_ok=True)
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    lines = [
        f"# Release check of {commit or 'an unknown commit'}, {datetime.now(timezone.utc):%Y-%m-%d}",
        "",
        f"{os.cpu_count()} processors, {os.uname().sysname} {os.uname().release}, {os.uname().machine}",
        "",
        "| check | shows | result | minutes | summary |",
        "|---|---|---|---|---|",
    ]
    failed = []
    for name in arguments.checks or CHECKS:
        began = time.monotonic()
        log = LOGS / f"{name}.log"
        with log.open("w", encoding="utf-8") as file:
            code = subprocess.run(["make", name], cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False).returncode
        if code:
            failed.append(name)
        verdict = "FAILED" if code else "passed"
        minutes = (time.monotonic() - began) / 60
        lines.append(f"| `make {name}` | {CHECKS[name]} | {verdict} | {minutes:.1f} | {summary(log.read_text(errors='replace'))} |")
        print(lines[-1], flush=True)
        # Written after each check: those that follow take hours.
        arguments.page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"FAILED: {', '.join(failed)}; the logs are in {LOGS}" if failed else f"passed; the page is {arguments.page}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
