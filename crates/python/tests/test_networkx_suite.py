"""NetworkX's tests of the functions that the backend has, run with it; with OUTCROP_PROOF=1 of what calls them too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import entry_points
import pytest

pytest.importorskip("networkx", minversion="3.6")

MODULES = [
    "centrality.tests.test_betweenness_centrality",
    "centrality.tests.test_closeness_centrality",
    "centrality.tests.test_degree_centrality",
    "centrality.tests.test_eigenvector_centrality",
    "centrality.tests.test_harmonic_centrality",
    "centrality.tests.test_katz_centrality",
    "community.tests.test_leiden",
    "community.tests.test_louvain",
    "components",
    "link_analysis.tests.test_hits",
    "link_analysis.tests.test_pagerank",
    "shortest_paths.tests.test_generic",
    "shortest_paths.tests.test_unweighted",
    "shortest_paths.tests.test_weighted",
    "tests.test_bridges",
    "tests.test_cluster",
    "tests.test_core",
    "tests.test_dag",
    "tests.test_distance_measures",
    "tests.test_link_prediction",
    "tests.test_efficiency",
    "tests.test_euler",
    "tests.test_isolate",
    "tests.test_mis",
    "tests.test_reciprocity",
    "tests.test_regular",
    "tests.test_wiener",
    "traversal.tests.test_bfs",
    "tree.tests.test_mst",
    "tree.tests.test_recognition",
]
FOLDERS = [
    "assortativity",
    "centrality",
    "coloring",
    "community",
    "components",
    "connectivity",
    "flow",
    "link_analysis",
]
FOLDERS += ["operators", "shortest_paths", "tests", "traversal", "tree"]
SLOW = "not test_use_bounds_on_off_consistency"
"""500 graphs, each converted for every search: tests with a backend keep no conversions."""


def test_the_tests_of_networkx_pass_with_the_backend(tmp_path: Path) -> None:
    proof = "OUTCROP_PROOF" in os.environ
    modules = [f"networkx.algorithms.{name}" for name in (FOLDERS if proof else MODULES)]
    modules.append("networkx.generators.tests.test_ego")
    path = [str(entry_points.write(tmp_path / "path")), *sys.path[1:]]
    memory = Path("/dev/shm")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        "NETWORKX_TEST_BACKEND": "outcrop",
        "NETWORKX_FALLBACK_TO_NX": "True",
        **({"TMPDIR": str(memory)} if os.access(memory, os.W_OK) else {}),
    }
    options = ["--quiet", "-p", "no:cacheprovider", "-c", os.devnull, *([] if proof else ["-k", SLOW])]
    command = [sys.executable, "-m", "pytest", *options, "--pyargs", *modules]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=tmp_path)
    print(done.stdout[-20_000:])
    assert done.returncode == 0
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) > 300
