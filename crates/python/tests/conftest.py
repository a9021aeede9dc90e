"""Fixtures: graphs to compare with, and where real ones lie."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import entry_points
import numpy as np
import pytest

ENTRY_POINTS = tempfile.TemporaryDirectory(prefix="outcrop-tests-")
sys.path.insert(0, str(entry_points.write(Path(ENTRY_POINTS.name))))

import networkx as nx  # noqa: E402

import outcrop as oc  # noqa: E402

DATA = Path(os.environ.get("OUTCROP_TEST_DATA", Path(__file__).resolve().parents[3] / ".." / "shared" / "data"))


@pytest.fixture
def data() -> Path:
    """The folder of real graphs."""
    if not (DATA / "answers.json").exists():
        pytest.skip(f"REAL GRAPHS ARE MISSING: {DATA} holds none; set OUTCROP_TEST_DATA")
    return DATA


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., oc.Graph]:
    """Builds a store of its own for each call."""
    names = iter(range(1000))
    return lambda edges, **options: oc.build(edges, tmp_path / f"{next(names)}.outcrop", **options)


@pytest.fixture(params=[(seed, directed) for seed in range(3) for directed in (True, False)], ids=str)
def random_graph(request: pytest.FixtureRequest, build: Callable[..., oc.Graph]) -> tuple[oc.Graph, Any]:
    """A small random graph with weights, here and in NetworkX."""
    seed, directed = request.param
    random = np.random.default_rng(seed)
    edges = np.unique(random.integers(0, 60, (150, 2)), axis=0)
    if not directed:
        edges = np.unique(np.sort(edges, axis=1), axis=0)
    weights = random.integers(1, 20, len(edges)).astype("f4")
    reference: Any = nx.DiGraph() if directed else nx.Graph()
    rows = zip(edges.tolist(), weights.tolist(), strict=True)
    reference.add_weighted_edges_from((source, target, weight) for (source, target), weight in rows)
    return build(edges, weight=weights, directed=directed), reference
