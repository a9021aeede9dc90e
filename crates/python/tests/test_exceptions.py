"""Every exception."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outcrop as oc

Build = Callable[..., oc.Graph]


@pytest.fixture
def store(build: Build, tmp_path: Path) -> Path:
    build([(1, 2), (2, 3), (3, 1), (4, 1)]).close()
    return tmp_path / "0.outcrop"


def test_usage(build: Build) -> None:
    graph = build([(1, 2)])
    for call in (
        lambda: oc.bfs(graph, 99),
        lambda: oc.pagerank(graph, alpha=2),
        lambda: oc.pagerank(graph, tol=0.1, iterations=3),
        lambda: oc.pagerank(graph, precision="f16"),  # type: ignore[arg-type]
        lambda: oc.estimate(graph, "nonsense"),
        lambda: oc.open("x", memory="plenty"),
    ):
        with pytest.raises(oc.UsageError) as caught:
            call()
        assert isinstance(caught.value, ValueError) and "--" not in str(caught.value)
    with pytest.raises(TypeError, match="an integer or a string"):
        oc.bfs(graph, 1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_iter"):
        oc.pagerank(graph, max_iter=-1)


def test_arguments_that_are_not_what_is_expected(build: Build) -> None:
    graph = build([(1, 2)])
    refused: list[tuple[str, Any, type[Exception], str]] = [
        ("max_iter", -1, oc.UsageError, "max_iter must be an integer of at least 0, not -1"),
        ("max_iter", 1 << 32, oc.UsageError, "max_iter must be an integer from 0 to 4294967295, not 4294967296"),
        ("max_iter", 1 << 64, oc.UsageError, "max_iter must be an integer of at least 0, not 18446744073709551616"),
        ("max_iter", "few", oc.UsageError, 'max_iter must be an integer of at least 0, not "few"'),
        ("max_iter", 1.5, TypeError, "max_iter.*float"),
        ("alpha", 1, oc.UsageError, "alpha must be a number at least 0 and below 1, not 1"),
        ("alpha", float("nan"), oc.UsageError, "alpha must be a number .* not NaN"),
        ("alpha", "high", oc.UsageError, 'alpha must be a number .* not "high"'),
        ("alpha", [0.5], TypeError, "alpha.*real number"),
        ("precision", "f16", oc.UsageError, 'precision must be f64 or f32, not "f16"|precision must be one of f64, f32, not "f16"'),
        ("precision", 64, TypeError, "precision.*str"),
        ("updated_share", "130%", oc.UsageError, 'updated_share must be .* not "130%"'),
        ("delay_buffer", -1, oc.UsageError, "delay_buffer must be .* not -1"),
        ("personalization", 3, TypeError, "must be a mapping .* or the path of a file, not 3"),
        ("exact", True, oc.UsageError, "`pagerank` has no parameter exact"),
        ("speed", 3, oc.UsageError, "`pagerank` has no parameter speed"),
    ]
    for name, value, kind, message in refused:
        with pytest.raises(kind, match=message):
            oc.estimate(graph, "pagerank", **{name: value})
    with pytest.raises(TypeError, match="exact must be True or False, not 1"):
        oc.diameter(graph, exact=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="arguments"):
        oc.pagerank(graph, 0.85, None, 100, None, 3)  # type: ignore[call-arg]


def test_arguments_may_be_of_numpy_or_texts(build: Build) -> None:
    graph = build([(1, 2), (2, 3)])
    given: dict[str, Any] = {"alpha": np.float32(0.5), "iterations": np.int64(3), "personalization": {np.int64(2): 1}}
    parameters = oc.pagerank(graph, **given).stats["parameters"]
    assert (parameters["alpha"], parameters["iterations"]) == (0.5, 3)
    given = {"alpha": "0.5", "iterations": "3"}
    figures = oc.pagerank(graph, **given, options=oc.Engine(updated_share="25%", delay_buffer="2KiB")).stats
    assert (figures["parameters"]["alpha"], figures["parameters"]["iterations"]) == (0.5, 3)
    assert (figures["gas"]["updated_share"], figures["gas"]["delay_buffer"]) == (0.25, 2048)
    source: Any = np.uint64(1)
    assert oc.bfs(graph, source).to_dict() == {1: 0, 2: 1, 3: 2}
    assert oc.sssp(graph, 1, bucket_width="auto").to_dict() == oc.sssp(graph, "1", bucket_width=2).to_dict()
    assert oc.diameter(graph, exact=np.bool_(True)).value == 2  # type: ignore[arg-type]
    whole = oc.betweenness_centrality(graph, normalized=False).to_dict()
    assert whole == {1: 0, 2: 1, 3: 0} != oc.betweenness_centrality(graph, normalized=True).to_dict()


def test_bad_input_says_where(tmp_path: Path, build: Build) -> None:
    (tmp_path / "edges.csv").write_text("1,2\n3,x\n")
    with pytest.raises(oc.BadInputError) as caught:
        build(tmp_path / "edges.csv")
    error = caught.value
    assert (error.file, error.line, error.column) == (str(tmp_path / "edges.csv"), 2, 3)
    assert isinstance(error, ValueError) and isinstance(error, oc.OutcropError)


def test_a_budget_that_is_too_small_and_one_that_is_enough(store: Path) -> None:
    needs = oc.estimate(oc.open(store), "pagerank")
    with pytest.raises(oc.BudgetError) as caught:
        oc.pagerank(oc.open(store, memory=needs["minimum"] - 1))
    assert isinstance(caught.value, MemoryError)
    assert caught.value.minimum == needs["minimum"] == sum(caught.value.plan.values())
    assert len(oc.pagerank(oc.open(store, memory=needs["minimum"]))) == 4


def test_not_converged_carries_the_values(store: Path) -> None:
    with pytest.raises(oc.NotConvergedError) as caught:
        oc.pagerank(oc.open(store), max_iter=2, tol=1e-12)
    error = caught.value
    assert error.iterations == 2 and error.change > error.tolerance == 1e-12
    assert error.result is not None and sum(error.result.to_dict().values()) == pytest.approx(1)
    assert "max_iter" in str(error)


def test_a_damaged_store(store: Path) -> None:
    largest = max(store.iterdir(), key=lambda file: file.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 1
    largest.write_bytes(content)
    with pytest.raises(oc.CorruptStoreError) as caught:
        oc.open(store).check()
    assert str(store) in caught.value.path


def test_an_edited_manifest(store: Path) -> None:
    manifest = store / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"vertices"', '"vertixes"'))
    with pytest.raises(oc.CorruptStoreError, match="checksum"):
        oc.open(store)


def test_a_store_in_use(store: Path) -> None:
    graph = oc.open(store)
    with pytest.raises(oc.StoreInUseError):
        oc.build([(1, 2)], store, overwrite=True)
    graph.close()
    assert oc.build([(1, 2)], store, overwrite=True).num_vertices == 2


def test_missing_files(tmp_path: Path, build: Build) -> None:
    for call in (lambda: oc.open(tmp_path / "none"), lambda: build(tmp_path / "none.csv")):
        with pytest.raises(oc.NotFoundError) as caught:
            call()
        assert isinstance(caught.value, FileNotFoundError) and "none" in caught.value.filename
        assert "does not exist" in str(caught.value)


def test_existing_stores(store: Path) -> None:
    with pytest.raises(oc.AlreadyExistsError) as caught:
        oc.build([(1, 2)], store)
    assert isinstance(caught.value, FileExistsError) and "use overwrite=True" in str(caught.value)
    assert oc.info(store)["vertices"] == 4


def test_a_folder_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(oc.OutcropIOError) as caught:
        oc.build([(1, 2)], tmp_path / "file" / "x.outcrop")
    assert isinstance(caught.value, OSError)


def test_what_cannot_be_provoked_here_has_its_attributes() -> None:
    full = oc.DiskFullError("no space left for x", path="x")
    assert isinstance(full, OSError)
    assert (full.path, full.filename, str(full)) == ("x", "x", "no space left for x")
    assert oc.FormatVersionError("x has format version 99", path="x").path == "x"
    assert isinstance(oc.OutOfMemoryError("refused", bytes=7), MemoryError)
    assert isinstance(oc.InternalError("a bug"), RuntimeError) and isinstance(oc.InternalError("a bug"), oc.OutcropError)
