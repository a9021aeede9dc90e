"""The ``outcrop`` command of the package."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import outcrop as oc

COMMAND = [sys.executable, "-m", "outcrop"]
# Commands run in other folders, where a relative PYTHONPATH leads nowhere.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(oc.__file__).parents[1])}


def run(folder: Path, *words: str, text: str | None = None, code: int = 0) -> subprocess.CompletedProcess[str]:
    """The outcome of a command in a folder."""
    done = subprocess.run(
        [*COMMAND, *words], cwd=folder, env=ENVIRONMENT, input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def test_it_behaves_like_the_binary(tmp_path: Path) -> None:
    assert run(tmp_path, "--version").stdout == f"outcrop {oc.__version__}\n"
    assert run(tmp_path, "check", "--help").stdout.count("outcrop check") > 0
    assert "outcrop" in run(tmp_path, "chekc", code=2).stderr
    run(tmp_path, "info", "none.outcrop", code=9)
    run(tmp_path, "build", "-", "g.outcrop", text="1,2\n2,3\n3,1\n")
    found = json.loads(run(tmp_path, "run", "wcc", "g.outcrop", "--json").stdout)
    assert (found["command"], found["vertices"]) == ("outcrop run wcc g.outcrop --json", 3)
    run(tmp_path, "run", "wcc", "g.outcrop", "-o", "a.csv")
    run(tmp_path, "neighbors", "g.outcrop", "--ids-from", "a.csv", "-o", "a.csv", "--overwrite", code=2)


def test_messages_do_not_enter_files_where_streams_are_closed(tmp_path: Path) -> None:
    run(tmp_path, "build", "-", "g.outcrop", text="1,2\n")
    words = " ".join(["exec", *COMMAND, "run wcc g.outcrop -o a.csv 0<&- 1>&- 2>&-"])
    assert subprocess.run(["sh", "-c", words], cwd=tmp_path, env=ENVIRONMENT, check=False).returncode == 0
    assert (tmp_path / "a.csv").read_text() == "node,component\n1,1\n2,1\n"


def test_ctrl_c_stops_it(tmp_path: Path) -> None:
    run(tmp_path, "build", "-", "g.outcrop", text="1,2\n2,3\n3,1\n")
    words = [*COMMAND, "run", "pagerank", "g.outcrop", "--iterations", "2000000000", "--progress", "plain"]
    process = subprocess.Popen(words, cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline()
    process.send_signal(signal.SIGINT)
    assert "interrupted" in process.communicate(timeout=120)[1]
    assert process.returncode == 130
