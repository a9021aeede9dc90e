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


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(example: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([str(entry_points.write(tmp_path / "path")), *sys.path[1:]])
    command = [sys.executable, "-W", "error::UserWarning", str(example), str(tmp_path / "work")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0
    assert done.stdout


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
