#!/usr/bin/env python3
"""Runs the same commands in many environments, and compares the results with those on the folder's own file system.

Environments: other file systems (tmpfs, overlayfs, FUSE, NFS), systems without io_uring, without locked memory, with few descriptors or one
processor, and a processor without AVX2 (emulated). An environment that this machine cannot provide is named with the reason. Mounting needs
root; strace, bindfs and qemu-user are Debian packages.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

LAYOUTS = ("chunked", "csr", "compact", "sliding")
RUNS = (
    ("bfs", ["--source", "1"]),
    ("sssp", ["--source", "1"]),
    ("wcc", []),
    ("pagerank", ["--iterations", "5"]),
    ("pagerank", ["--iterations", "5", "--model", "gas", "--unweighted"]),
    ("cdlp", ["--max-iter", "3", "--model", "messages"]),
    ("pagerank", ["--iterations", "5", "--model", "interval"]),
    ("triangles", []),
)
# Ranks depend on the order of sums, in which models and layouts differ.
DIGITS = 9


def refusing(error: str) -> list[str]:
    """Return the words before a command for which io_uring is refused."""
    return ["strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=io_uring_setup", "-e", f"inject=io_uring_setup:error={error}"]


# By name: the words that mount a file system at `{}`, if it is another one, and the words before each command.
OVERLAY = "lowerdir={folder}/lower,upperdir={folder}/upper,workdir={folder}/work"
ENVIRONMENTS: dict[str, tuple[list[str], list[str]]] = {
    "file system of the folder": ([], []),
    "tmpfs": (["mount", "-t", "tmpfs", "none", "{}"], []),
    "overlayfs": (["mount", "-t", "overlay", "overlay", "-o", OVERLAY, "{}"], []),
    "FUSE (bindfs)": (["bindfs", "{folder}/lower", "{}"], []),
    "NFS on loopback": (["mount", "-t", "nfs", "127.0.0.1:{folder}/lower", "{}"], []),
    "no io_uring (EPERM)": ([], refusing("EPERM")),
    "no io_uring (ENOSYS)": ([], refusing("ENOSYS")),
    "no locked memory": ([], ["prlimit", "--memlock=0"]),
    "32 descriptors": ([], ["prlimit", "--nofile=32"]),
    "one processor": ([], ["taskset", "--cpu-list", "0"]),
    "no AVX2 (emulated Nehalem)": ([], ["qemu-x86_64", "-cpu", "Nehalem-v1"]),
}


class Missing(Exception):
    """Reason why this machine cannot provide an environment."""


def command(*words: str) -> str:
    """Run a command of the system; raise `Missing` if it fails."""
    if not shutil.which(words[0]):
        raise Missing(f"{words[0]} is not installed")
    ran = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        raise Missing(f"{words[0]}: {ran.stderr.strip() or ran.returncode}")
    return ran.stdout


@contextlib.contextmanager
def mounted(folder: Path, *words: str) -> Iterator[Path]:
    """Mount a file system at a new folder; `{}` stands for it."""
    place = folder / "mounted"
    for name in ("mounted", "lower", "upper", "work"):
        (folder / name).mkdir(exist_ok=True)
    command(*(word.replace("{}", str(place)).replace("{folder}", str(folder)) for word in words))
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def digest(rows: str) -> str:
    """Return a digest of the rows of a result."""

    def cell(text: str) -> str:
        return f"{float(text):.{DIGITS}g}" if "." in text or "e" in text else text

    return hashlib.sha256("\n".join(",".join(map(cell, line.split(","))) for line in rows.splitlines()[1:]).encode()).hexdigest()[:16]


def results(outcrop: str, before: list[str], work: Path, inputs: Path) -> tuple[dict[str, str], set[str]]:
    """Run all commands; return digests of their results, and the I/O backends that they used."""
    found, backends = {}, set()

    def run(*words: str) -> str:
        ran = subprocess.run([*before, outcrop, *words], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if ran.returncode:
            raise AssertionError(f"exit code {ran.returncode}: outcrop {' '.join(words)}: {ran.stderr.strip()}")
        return ran.stdout

    memory = ("--memory", "48MiB")
    for layout in LAYOUTS:
        run("build", str(inputs / "edges.csv"), "g.outcrop", "--weighted", "--layout", layout, "--overwrite", *memory)
        for algorithm, options in RUNS:
            said = run("run", algorithm, "g.outcrop", *options, "--no-history", "--json", "-o", "rows.csv", "--overwrite", *memory)
            backends.add(json.loads(said)["io"])
            found[f"{layout}: {algorithm} {' '.join(options)}"] = digest((work / "rows.csv").read_text())
        run("update", "g.outcrop", "--add", str(inputs / "new.csv"), "--merge-above", "never", *memory)
        run("run", "wcc", "g.outcrop", "--no-history", "--checkpoint-dir", "kept", "--checkpoint-every", "0s", "-o", "rows.csv", "--overwrite", *memory)
        found[f"{layout}: updated"] = digest((work / "rows.csv").read_text())
        run("update", "g.outcrop", "--merge", *memory)
        run("check", "g.outcrop", *memory)
        run("convert", "g.outcrop", "h.outcrop", "--layout", "compact", "--overwrite", *memory)
        run("export", "h.outcrop", "edges.out.csv", "--overwrite", *memory)
        found[f"{layout}: exported"] = digest("\n".join(sorted((work / "edges.out.csv").read_text().splitlines())))
    left = sorted(path.name for path in work.iterdir())
    assert left == ["edges.out.csv", "g.outcrop", "h.outcrop", "rows.csv"], f"left behind: {left}"
    return found, backends


def main() -> int:
    """Run all environments; return 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--outcrop", default="target/release/outcrop", help="the command")
    parser.add_argument("--folder", type=Path, help="parent of the folders; default: the folder for temporary files")
    parser.add_argument("--log", type=Path, default=Path("environments.log"))
    arguments = parser.parse_args()
    outcrop = str(Path(arguments.outcrop).resolve())
    inputs = Path(tempfile.mkdtemp(prefix="outcrop-environments-", dir=arguments.folder))
    lines = lambda count, step: "".join(f"{edge % 997},{edge * step % 1009},{edge % 17 + 1}\n" for edge in range(count))
    (inputs / "edges.csv").write_text(lines(12000, 13))
    (inputs / "new.csv").write_text(lines(300, 7))
    os.environ["XDG_CACHE_HOME"] = str(inputs / "cache")
    expected, failed, tried = None, 0, 0
    print("| environment | result | I/O |\n|---|---|---|")
    for place, (name, (mount, before)) in enumerate(ENVIRONMENTS.items()):
        folder = inputs / str(place)
        folder.mkdir()
        context = mounted(folder, *mount) if mount else contextlib.nullcontext(folder)
        try:
            if before and not shutil.which(before[0]):
                raise Missing(f"{before[0]} is not installed")
            with context as where:
                work = where / "files"
                work.mkdir()
                found, backends = results(outcrop, before, work, inputs)
                shutil.rmtree(work)
            expected = expected or found
            wrong = [what for what in expected if found[what] != expected[what]]
            failed += bool(wrong)
            tried += 1
            print(f"| {name} | {f'DIFFERS: {wrong[0]}' if wrong else f'{len(found)} results equal'} | {', '.join(sorted(backends))} |", flush=True)
        except Missing as reason:
            print(f"| {name} | not tested: {reason} | |", flush=True)
        except AssertionError as reason:
            failed, tried = failed + 1, tried + 1
            print(f"| {name} | FAILED: {reason} | |", flush=True)
    shutil.rmtree(inputs)
    summary = f"{tried} environments, {failed} failed"
    print(summary)
    arguments.log.write_text(summary + "\n", encoding="utf-8")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
