"""The examples run, and are typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import entry_points
import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[3] / "examples").glob("*.py"))

KNOWN = {
    "ten_questions.py": [
        "modularity 0.419789",
        "9 of 17 guests",
        "│ Eskifjörður   ┆ Neskaupstaður │",
        "   1    Myriel\n   2   Valjean\n",
        "[{'node': 33, 'pagerank': 0.1009",
        "[{'node': 0, 'betweenness_centrality': 0.4376",
        "[{'node': 'Medici', 'harmonic': 9.5}",
        "[{'node': 'Medici', 'closeness': 0.56}",
        "12 characters with at least 9 neighbors",
        "2 matplotlib, pandas\n3 seaborn\n",
        "{'acyclic': False, 'cyclic': 5,",
        "cycle: ['pandas', 'python-dateutil', 'six']",
        "29 of 36 roads, 1,329 of 2,033 km",
        "│ 8         ┆ Mr. Hi  ┆ 1   │",
    ]
}
"""Texts of the output that agree with NetworkX and with the text of the example."""
ARGUMENTS = {"spark_or_one_machine.py": ["--algorithms", "pagerank,bfs"]}
"""All of its algorithms take Spark a minute; the tests of Spark run them on a smaller graph."""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(example: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([str(entry_points.write(tmp_path / "path")), *sys.path[1:]])
    command = [sys.executable, "-W", "error::UserWarning", str(example), str(tmp_path / "work"), *ARGUMENTS.get(example.name, [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0
    assert done.stdout
    assert [text for text in KNOWN.get(example.name, []) if text not in done.stdout] == []


def test_examples_are_typed(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[3]
    package = root / "crates" / "python" / "python"
    named = [str(path) for path in EXAMPLES]
    told: dict[str, Any] = {"include": named, "extraPaths": [str(package)], "typeCheckingMode": "strict"}
    # Other libraries are not all there, nor are all of their types.
    for unknown in ("MissingImports", "UnknownMemberType", "UnknownVariableType", "UnknownArgumentType"):
        told[f"report{unknown}"] = False
    (tmp_path / "pyright.json").write_text(json.dumps(told))
    checks = [
        ["mypy", "--strict", "--config-file", str(package.parent / "pyproject.toml"), *named],
        ["basedpyright", "--pythonpath", sys.executable, "-p", str(tmp_path / "pyright.json")],
    ]
    for check in checks:
        done = subprocess.run(
            [sys.executable, "-m", *check], stdout=subprocess.PIPE, text=True, env={**os.environ, "MYPYPATH": str(package)}
        )
        assert done.returncode == 0, done.stdout
