"""Mini-batches of sampled neighbours, beside the whole graph; features of vertices from files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import outcrop as oc
from outcrop.core.graph import Direction

Build = Callable[..., oc.Graph]


def check(
    batch: oc.learning.Batch, near: Callable[[int], list[int]], fanouts: list[int], replace: bool = False
) -> None:
    """Compare a batch with the lists of neighbours that its vertices have."""
    assert len(set(batch.nodes.tolist())) == len(batch.nodes) == sum(batch.nodes_by_layer)
    ends = np.cumsum([0, *batch.edges_by_layer])
    known = np.cumsum([0, *batch.nodes_by_layer])
    assert batch.edge_index.shape == (2, ends[-1])
    for layer, fanout in enumerate(fanouts):
        drawn, targets = batch.edge_index[:, ends[layer] : ends[layer + 1]]
        assert set(drawn.tolist()) >= set(range(known[layer + 1], known[layer + 2])), "new vertices are drawn"
        assert drawn.max(initial=0) < known[layer + 2]
        assert ((targets >= known[layer]) & (targets < known[layer + 1])).all(), "draws are for new vertices"
        for target in range(known[layer], known[layer + 1]):
            found, every = batch.nodes[drawn[targets == target]].tolist(), near(int(batch.nodes[target]))
            assert set(found) <= set(every)
            assert replace or len(set(found)) == len(found)
            assert len(found) == (fanout if replace and every else min(fanout, len(every)))


@pytest.mark.parametrize("direction", ["in", "out"])
@pytest.mark.parametrize("ahead", [1, 2, 64])
def test_batches_are_drawn_from_the_graph(
    random_graph: tuple[oc.Graph, Any], direction: Direction, ahead: int
) -> None:
    graph, reference = random_graph
    back = graph.directed and direction == "in"
    near = reference.predecessors if back else reference.neighbors
    seeds = np.random.default_rng(4).permutation(sorted(reference))[:29]
    loader = oc.learning.batches(graph, seeds, [3, 2, 4], batch_size=7, ahead=ahead, direction=direction)
    for _ in range(2):
        batches = list(loader)
        assert len(batches) == len(loader) == 5
        assert np.concatenate([batch.nodes[: batch.num_seeds] for batch in batches]).tolist() == seeds.tolist()
        for batch in batches:
            check(batch, lambda node: list(near(node)), [3, 2, 4])
            assert batch.nodes.tolist() == np.array(sorted(reference))[batch.positions].tolist()
    weighted = oc.learning.batches(graph, seeds, [3], batch_size=7, direction=direction, weighted=True, replace=True)
    for batch in weighted:
        check(batch, lambda node: list(near(node)), [3], replace=True)


def test_both_sides(build: Build) -> None:
    edges = [(1, 5), (2, 5), (5, 3), (5, 4), (5, 6)]
    (batch,) = oc.learning.batches(build(edges, directed=False), [5], [4], direction="both")
    assert len(batch.nodes) == 5
    graph = build(edges)
    (batch,) = oc.learning.batches(graph, [5], [2], direction="both")
    assert len(set(batch.nodes.tolist()) & {1, 2}) == len(set(batch.nodes.tolist()) & {3, 4, 6}) == 2


def test_epochs_differ_and_repeat(build: Build) -> None:
    edges = np.random.default_rng(1).integers(0, 300, (6000, 2))
    graph, seeds = build(edges), np.arange(100)

    def epochs(seed: int = 0, ahead: int = 2) -> list[Any]:
        loader = oc.learning.batches(graph, seeds, [3, 2], batch_size=30, shuffle=True, seed=seed, ahead=ahead)
        return [[(batch.nodes.tolist(), batch.edge_index.tolist()) for batch in loader] for _ in range(2)]

    assert epochs() == epochs()
    first, second = epochs()
    assert first != second != epochs(seed=1)[1]
    for epoch in (first, second):
        firsts = [node for number, batch in enumerate(epoch) for node in batch[0][: 30 if number < 3 else 10]]
        assert sorted(firsts) == seeds.tolist() != firsts


def test_draws_are_shared_ahead_alone(build: Build) -> None:
    # Vertex 0 is reached by every seed, and has 200 to be drawn.
    edges = [(0, seed) for seed in range(1, 9)] + [(other, 0) for other in range(100, 300)]
    graph = build(edges)

    def drawn(ahead: int) -> set[tuple[int, ...]]:
        loader = oc.learning.batches(graph, range(1, 9), [1, 4], batch_size=1, ahead=ahead)
        return {tuple(batch.nodes[2:].tolist()) for batch in loader}

    assert len(drawn(8)) == 1 and len(drawn(4)) == 2 and len(drawn(1)) == 8


def test_every_neighbour_is_as_likely(build: Build) -> None:
    graph = build([(0, 1), (0, 2), *((other, 0) for other in range(10, 20))])
    times = np.zeros(10)
    loader = oc.learning.batches(graph, [1, 2], [1, 3], batch_size=1, ahead=2)
    for _ in range(1000):
        one, other = loader
        assert one.nodes[2:].tolist() == other.nodes[2:].tolist()
        times[one.nodes[2:].astype(int) - 10] += 1
    assert abs(times / 1000 - 0.3).max() < 0.06


def test_texts(build: Build) -> None:
    graph = build([("b", "a"), ("c", "a"), ("d", "c")])
    (batch,) = oc.learning.batches(graph, ["a"], [5, 5], features=np.arange(4), labels=np.array(list("wxyz")))
    assert batch.nodes.tolist() == ["a", "b", "c", "d"] and batch.positions.tolist() == [0, 1, 2, 3]
    assert batch.edge_index.tolist() == [[1, 2, 3], [0, 0, 2]]
    assert batch.features is not None and batch.features.tolist() == [0, 1, 2, 3]
    assert batch.labels is not None and batch.labels.tolist() == ["w"]


@pytest.mark.parametrize("columns", [["a", "b"], ["lists"], ["fixed"], ["a"]])
@pytest.mark.parametrize("texts", [False, True])
def test_features_of_files(build: Build, tmp_path: Path, columns: list[str], texts: bool) -> None:
    random = np.random.default_rng(2)
    numbers = random.choice(1000, 120, replace=False)
    known = numbers[:100]
    name = (lambda number: f"n{number:04d}") if texts else int
    edges = [*random.choice(known, (400, 2)).tolist(), *zip(known[1:], known[:-1], strict=True)]
    graph = build([(name(source), name(target)) for source, target in edges])
    values = random.random((120, 2)).astype("f4")
    fixed = pa.FixedSizeListArray.from_arrays(values.reshape(-1), 2)
    ids = [name(number) for number in numbers]
    table = pa.table({"node": ids, "a": values[:, 0], "b": values[:, 1], "lists": values.tolist(), "fixed": fixed})
    (tmp_path / "parts").mkdir()
    pq.write_table(table[:50], tmp_path / "parts/1.parquet")
    pq.write_table(table[50:], tmp_path / "parts/2.parquet")
    expected = (values[:, 0] if columns == ["a"] else values)[:100][np.argsort(known)]

    from_parquet = oc.learning.features(tmp_path / "parts", graph, columns=columns, path=tmp_path / "x.npy")
    for found in (from_parquet, oc.learning.features(tmp_path / "x.npy", graph)):
        assert len(found) == 100 and np.allclose(found.rows, expected)
    places = random.integers(0, 100, 30)
    assert np.allclose(from_parquet.take(places), expected[places])
    for batch in oc.learning.batches(graph, ids[:100], [2], batch_size=9, ahead=3, features=from_parquet):
        assert batch.features is not None and np.allclose(batch.features, expected[batch.positions])
    assert np.allclose(from_parquet.take(places), expected[places])
    assert np.allclose(oc.learning.features(tmp_path / "parts", graph, columns=columns).rows, expected)


def test_features_that_are_refused(build: Build, tmp_path: Path) -> None:
    graph, file = build([(1, 2), (2, 3)]), tmp_path / "x.parquet"

    def refuse(kind: type[Exception], message: str, table: dict[str, Any], **options: Any) -> None:
        pq.write_table(pa.table(table), file)
        with pytest.raises(kind, match=message):
            oc.learning.features(file, options.pop("graph", graph), **options)
        assert sorted(tmp_path.glob("x*")) == [file]

    whole = {"node": [1, 2, 3], "a": [1.0, 2.0, 3.0]}
    refuse(oc.UsageError, "pass the graph", whole, graph=None)
    refuse(oc.UsageError, "no rows for 1 of 3", {"node": [1, 2, 9], "a": [1, 2, 3]}, path=tmp_path / "x.npy")
    refuse(oc.BadInputError, "duplicate IDs", {"node": [1, 2, 2], "a": [1, 2, 3]})
    refuse(oc.BadInputError, "no column 'b'", whole, columns=["b"])
    refuse(oc.BadInputError, "no column 'id'", whole, node="id")
    refuse(oc.BadInputError, "'a' .* must contain numbers", {"node": [1, 2, 3], "a": ["x", "y", "z"]})
    refuse(oc.BadInputError, "'a' .* must contain numbers", {"node": [1, 2, 3], "a": [1.0, None, 2.0]})
    refuse(oc.BadInputError, "'a' .* lists of equal length", {"node": [1, 2, 3], "a": [[1.0], [1.0, 2.0], []]})
    refuse(oc.BadInputError, "'a' .* lists of equal length", {"node": [1, 2, 3], "a": [[1.0], [None], [2.0]]})
    with pytest.raises(oc.UsageError, match="2 rows, 3 vertices"):
        oc.learning.features(np.zeros(2), graph)
    with pytest.raises(FileNotFoundError):
        oc.learning.features(tmp_path / "none.npy", graph)


def test_batches_that_are_refused(build: Build) -> None:
    graph = build([(1, 2), (2, 3)])
    for options in (
        {"seeds": [1, 1]},
        {"batch_size": 0},
        {"ahead": 0},
        {"features": np.zeros(2)},
        {"labels": [1]},
    ):
        with pytest.raises(oc.UsageError):
            oc.learning.batches(graph, **{"seeds": [1], **options})
    for options in ({"seeds": [7]}, {"weighted": True}, {"direction": "up"}):
        with pytest.raises(oc.UsageError):
            list(oc.learning.batches(graph, **{"seeds": [1], **options}))
    with pytest.raises(oc.UsageError, match="twice"):
        oc.learning.NeighborSampler(graph).sample([[1, 1]])
    with pytest.raises(TypeError, match="an integer or a string"):
        oc.learning.batches(graph, [1.5])  # type: ignore[list-item]
    assert list(oc.learning.batches(graph, [])) == []
    (alone,) = oc.learning.batches(graph, [2], [])
    assert alone.nodes.tolist() == [2] and alone.edge_index.shape == (2, 0)
