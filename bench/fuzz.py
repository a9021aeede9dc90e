#!/usr/bin/env python3
"""Builds the fuzz targets as `cargo fuzz` does, runs each for FUZZ_SECONDS, and logs the results.

Needs a nightly toolchain. The log, fuzz.log, has the last line of each target: date, commit, seconds until the end or the first finding,
executions, coverage, inputs in the corpus, and findings. An input that fails is in target/fuzz/findings; `outcrop-fuzz` replays all files of fuzz/corpus/TARGET in `make test`.

The target `python` needs the library in the package folder and the environment of the tests. It is not guided by coverage: Hypothesis draws edges
in every form that Python has, and shows the smallest example that fails in target/fuzz/python.log.
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
FOLDER = ROOT / "target/fuzz"
MACHINE = "x86_64-unknown-linux-gnu"
COMPILED = sorted(path.stem for path in (ROOT / "fuzz/src/bin").glob("*.rs"))
TARGETS = [*COMPILED, "python"]
COVERAGE = (
    "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters "
    "-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Cdebug-assertions "
    "-Zsanitizer=address"
)
STATUS = re.compile(r"^#(\d+)\s+\w+\s+cov: (\d+) ft: \d+ corp: (\d+)", re.MULTILINE)
LINE = re.compile(r"^\S+ \S+ (?P<target>\w+): \d+ s, (?P<executed>\d+) executions, .*, (?P<found>\d+) findings$")
PASSING = re.compile(r"(\d+) passing")
EXECUTIONS = re.compile(r"stat::number_of_executed_units:\s+(\d+)")


def run(target: str, seconds: int, log: Path, commit: str) -> None:
    """Run a target and log its results."""
    corpus, findings = FOLDER / "corpus" / target, FOLDER / "findings" / target
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    committed = [str(path) for path in [ROOT / "fuzz/corpus" / target] if path.is_dir()]
    limits = ["-rss_limit_mb=1024", "-malloc_limit_mb=512", "-timeout=60", "-max_len=16384"]
    command = [
        str(FOLDER / MACHINE / "release" / target), str(corpus), *committed, f"-max_total_time={seconds}", "-print_final_stats=1",
        "-use_value_profile=1", f"-artifact_prefix={findings}/", *limits,
    ]
    # Leaks are those of threads that still run at the end.
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1", "OUTCROP_FUZZ_CORPUS": str(corpus)}
    began = time.monotonic()
    ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    (FOLDER / f"{target}.log").write_text(ran.stdout)
    new = sorted(set(findings.iterdir()) - before)
    found = max(len(new), int(ran.returncode != 0))
    executions = EXECUTIONS.findall(ran.stdout)
    status = STATUS.findall(ran.stdout)
    executed = int(executions[-1]) if executions else (int(status[-1][0]) if status else 0)
    coverage, inputs = status[-1][1:] if status else ("0", "0")
    report(log, f"{commit} {target}: {time.monotonic() - began:.0f} s, {executed} executions, coverage {coverage}, {inputs} inputs, {found} findings")
    for path in new:
        print(f"  {path}", flush=True)


def run_python(target: str, seconds: int, log: Path, commit: str) -> None:
    """Run the tests of edges in Python on new examples until the time is over or one fails, and log their number."""
    command = [str(ROOT / ".venv/bin/python"), "-m", "pytest", "--quiet", "--hypothesis-show-statistics", "crates/python/tests/test_any_edges.py"]
    environment = os.environ | {"OUTCROP_FUZZ_EXAMPLES": "200", "PYTHONPATH": str(ROOT / "crates/python/python")}
    began, executed, failed = time.monotonic(), 0, False
    while not failed and time.monotonic() - began < seconds:
        ran = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        executed += sum(map(int, PASSING.findall(ran.stdout)))
        failed = ran.returncode != 0
        (FOLDER / f"{target}.log").write_text(ran.stdout)
    report(log, f"{commit} {target}: {time.monotonic() - began:.0f} s, {executed} executions, coverage 0, 0 inputs, {int(failed)} findings")


def report(log: Path, results: str) -> None:
    """Print the results of a target and append them to the log."""
    line = f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ} {results}"
    with log.open("a", encoding="utf-8") as file:
        print(line, file=file)
    print(line, flush=True)


def main() -> int:
    """Fuzz; return 1 after a finding."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", default=TARGETS, help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--seconds", type=int, default=int(os.environ.get("FUZZ_SECONDS", "60")), help="seconds per target")
    parser.add_argument("--log", type=Path, default=ROOT / "fuzz.log")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    build = ["cargo", "+nightly", "build", "--release", "--package", "outcrop-fuzz", "--features", "libfuzzer", "--target", MACHINE, "--target-dir", str(FOLDER)]
    if set(arguments.targets) & set(COMPILED):
        subprocess.run(build, cwd=ROOT, env=os.environ | {"RUSTFLAGS": COVERAGE, "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}, check=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    # Lines of targets that are not run stay.
    kept = arguments.log.read_text(encoding="utf-8").splitlines() if arguments.log.is_file() else []
    kept = [line for line in kept if (found := LINE.match(line)) and found["target"] not in arguments.targets]
    arguments.log.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    for target in arguments.targets:
        (run if target in COMPILED else run_python)(target, arguments.seconds, arguments.log, commit)
    logged = [line for line in map(LINE.match, arguments.log.read_text(encoding="utf-8").splitlines()) if line]
    executions, findings = (sum(int(line[name]) for line in logged) for name in ("executed", "found"))
    total = f"{executions:,} executions of {len(logged)} targets, {findings} finding{'s' * (findings != 1)}"
    with arguments.log.open("a", encoding="utf-8") as file:
        print(total, file=file)
    print(total)
    return int(any(int(line["found"]) for line in logged if line["target"] in arguments.targets))


if __name__ == "__main__":
    sys.exit(main())
