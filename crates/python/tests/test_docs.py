"""Runs the code blocks of the pages, and checks their links.

A block runs if its language is ``python``, ``sh`` or ``console``; all blocks of a page run in order, in one folder. In ``console`` blocks, lines after ``$`` are commands, and
the other lines are their output, with ``...`` for any text. A block with the title ``Not run by the tests: REASON``, which the site shows, is skipped.
"""

from __future__ import annotations

import doctest
import os
import re
import runpy
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import networkx
import pytest

ROOT = Path(__file__).resolve().parents[3]
COMMANDS = Path(os.environ.get("OUTCROP_COMMANDS", Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"))
# Reference pages are generated: their examples are those of docstrings and help texts.
REFERENCE = {"cli.md", "memory.md"}
PAGES = ["README.md", "crates/python/README.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in REFERENCE)]
# Blocks that need software or services that tests do not have.
NOT_RUN = 14

FENCE = re.compile(r"^```(?P<language>\w+)?(?P<options>.*)\n(?P<code>(?:(?!```).*\n)*)```$", re.MULTILINE)
REPOSITORY = "https://github.com/outcrop/outcrop/blob/main/"
LINK = re.compile(r"!?\[[^][]*(?:\[[^][]*\][^][]*)*\]\(([^)\s]+)\)")
# Input of the two pages that are too short to make their own.
FILES = {"edges.csv": "src,dst\n" + "".join(f"{n % 60},{n * n % 60}\n" for n in range(200)), "new.csv": "src,dst\n1,2\n"}

NAMES = """
import os, networkx, numpy as np, polars as pl
from networkx import Graph
ids, sources, targets, seeds, train_ids, y = [17, 42], [1, 2], [2, 3], [1, 2], [1, 2, 3], np.arange(60)
values, networkx_graph, G = np.ones(60), networkx.path_graph(5), networkx.path_graph(5)
send, apply = lambda known: known, lambda known, heard: None if (heard >= known).all() else np.minimum(known, heard)
np.save("x.npy", np.ones((60, 4), "f4"))
os.mkdir("clicks")
pl.DataFrame({"source": [1, 2], "target": [2, 3], "count": [1, 2], "day": [91, 99]}).write_parquet("clicks/1.parquet")
open("pairs.txt", "w").write("a b\\nb c\\n")
"""


class Block(NamedTuple):
    """A fenced block of a page: its first line, language, code, and the reason why it does not run."""

    line: int
    language: str
    code: str
    reason: str


def blocks(page: str) -> list[Block]:
    """Return the blocks that have a language of this test."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = []
    for fence in FENCE.finditer(text):
        if fence["language"] in ("python", "sh", "console"):
            reason = re.search(r'title="Not run by the tests: (.+)"', fence["options"])
            line = text.count("\n", 0, fence.start()) + 2
            found.append(Block(line, fence["language"], fence["code"], reason[1] if reason else ""))
    return found


RUN = {page: [block for block in blocks(page) if not block.reason] for page in PAGES}


def own_folder(folder: Path) -> Path:
    """Return a new folder with the input of the README and of the page of the package."""
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command, with its errors among its output."""
    path = f"{COMMANDS}{os.pathsep}{os.environ['PATH']}"
    mixed = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run(["bash", "-euo", "pipefail", "-c", command], env={**os.environ, "PATH": path}, check=False, **mixed)


@pytest.mark.filterwarnings("ignore::outcrop.OutcropWarning")
@pytest.mark.parametrize("page", [page for page in PAGES if RUN[page]])
def test_blocks_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (COMMANDS / "outcrop").exists(), "cargo build --workspace --bins builds the command"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, Any] = {"__name__": page}
    if page in PAGES[:2]:
        monkeypatch.chdir(own_folder(tmp_path / "input"))
    if page == "crates/python/README.md":
        for owner, name in ((networkx.config, "backend_priority"), (networkx.config.backends.outcrop, "memory")):
            monkeypatch.setattr(owner, name, getattr(owner, name))
        exec(NAMES, names)
    for block in RUN[page]:
        place = f"{ROOT / page}:{block.line}"
        if block.language == "python":
            exec(compile("\n" * (block.line - 1) + block.code, str(ROOT / page), "exec"), names)
        elif block.language == "sh":
            done = shell(block.code)
            assert done.returncode == 0, f"{place}\n{done.stdout}"
        else:
            for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.code, re.MULTILINE):
                output = shell(command).stdout
                same = doctest.OutputChecker().check_output(expected, output, doctest.ELLIPSIS)
                assert same, f"{place}: {command}\nexpected:\n{expected}\ngot:\n{output}"


def test_blocks_that_do_not_run_are_few() -> None:
    assert sum(bool(block.reason) for page in PAGES for block in blocks(page)) <= NOT_RUN
    assert sum(map(len, RUN.values())) >= 45


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+?) *$", text, re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def test_links_lead_to_files_and_headings() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "crates" / "python" / "README.md"]
    checked, broken = 0, []
    for page in pages:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for link in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
            if link.startswith(REPOSITORY) or not re.match(r"[a-z]+:", link):
                path, _, anchor = link.removeprefix(REPOSITORY).partition("#")
                folder = ROOT if link.startswith(REPOSITORY) else page.parent
                target = (folder / path).resolve() if path else page
                checked += 1
                if not target.exists() or (anchor and anchor not in anchors(target)):
                    broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert not broken
    assert checked > 300


def test_the_page_of_the_package_has_no_relative_links() -> None:
    # PyPI shows it without the files of the repository.
    text = (ROOT / "crates" / "python" / "README.md").read_text(encoding="utf-8")
    assert all(link.startswith(("https:", "#")) for link in LINK.findall(re.sub(r"`[^`\n]*`", "", text)))


def test_charts_show_the_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    charts = runpy.run_path(str(ROOT / "bench" / "charts.py"))["CHARTS"]
    assert len(charts) == 2 and all(path.read_text(encoding="utf-8") == chart() for path, chart in charts.items()), "run bench/charts.py"
