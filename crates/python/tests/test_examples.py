"""The examples run, and are typed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
