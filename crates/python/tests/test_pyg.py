"""Mini-batches and graphs of PyG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outcrop as oc

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from torch_geometric.loader import NodeLoader  # noqa: E402
from torch_geometric.utils import trim_to_layer  # noqa: E402

import outcrop.pyg  # noqa: E402

Build = Callable[..., oc.Graph]


@pytest.mark.parametrize("ahead", [1, 2, 64])
def test_loaders_give_the_batches_of_numpy(random_graph: tuple[oc.Graph, Any], tmp_path: Path, ahead: int) -> None:
    graph, reference = random_graph
    ids = np.array(sorted(reference))
    rows = np.random.default_rng(1).random((len(ids), 3)).astype("f4")
    np.save(tmp_path / "x.npy", rows)
    chosen = np.flatnonzero(ids % 2)
    options: Any = {"batch_size": 5, "shuffle": True, "ahead": ahead, "seed": 3}
    ours = oc.learning.batches(graph, ids[chosen], [3, 2], **options, features=rows)
    theirs = outcrop.pyg.NeighborLoader(
        graph, [3, 2], torch.from_numpy(ids % 2 == 1), features=tmp_path / "x.npy", labels=ids, **options
    )
    assert len(ours) == len(theirs)
    for _ in range(2):
        for batch, data in zip(ours, theirs, strict=True):
            assert data.n_id.tolist() == batch.positions.tolist()
            assert data.edge_index.tolist() == batch.edge_index.tolist()
            assert data.batch_size == batch.num_seeds
            assert chosen[data.input_id].tolist() == batch.positions[: batch.num_seeds].tolist()
            assert (data.num_sampled_nodes, data.num_sampled_edges) == (batch.nodes_by_layer, batch.edges_by_layer)
            assert data.y.tolist() == ids[batch.positions].tolist()
            assert batch.features is not None and data.x.tolist() == batch.features.tolist()
            x, edges, _ = trim_to_layer(1, data.num_sampled_nodes, data.num_sampled_edges, data.x, data.edge_index)
            assert len(x) == sum(batch.nodes_by_layer[:-1]) and edges.shape[1] == batch.edges_by_layer[0]


def test_stores_and_samplers_fit_the_loaders_of_pyg(random_graph: tuple[oc.Graph, Any]) -> None:
    graph, reference = random_graph
    ids = sorted(reference)
    stores = outcrop.pyg.FeatureStore(x=np.arange(len(ids))), outcrop.pyg.GraphStore(graph)
    sampler = outcrop.pyg.NeighborSampler(oc.learning.NeighborSampler(graph, [60, 60]))
    loader = NodeLoader(stores, sampler, input_nodes=torch.arange(len(ids)), batch_size=8)
    for data in loader:
        assert data.x.tolist() == data.n_id.tolist()
        named = [ids[place] for place in data.n_id]
        edges = {(named[source], named[target]) for source, target in data.edge_index.T.tolist()}
        inner = named[: sum(data.num_sampled_nodes[:-1])]
        assert edges == {(other, node) for node in inner for other in predecessors(reference, node)}
    assert loader([0, 1]).n_id[:2].tolist() == [0, 1]
    source, target = stores[1].get_edge_index(None, "coo")
    assert len(source) == sum(len(list(predecessors(reference, node))) for node in ids)
    with pytest.raises(oc.UsageError, match="limit"):
        outcrop.pyg.GraphStore(graph, 3).get_edge_index(None, "coo")
    assert stores[0].get_tensor(None, "x", index=slice(0, 2)).tolist() == [0, 1]
    assert stores[0].get_tensor_size(None, "x") == (len(ids),)


def predecessors(reference: Any, node: int) -> Any:
    return reference.predecessors(node) if reference.is_directed() else reference.neighbors(node)


def test_to_pyg(random_graph: tuple[oc.Graph, Any]) -> None:
    graph, reference = random_graph
    data = graph.to_pyg()
    ids = data.node_id.tolist()
    rows = zip(data.edge_index.T.tolist(), data.edge_weight.tolist(), strict=True)
    found = {(ids[source], ids[target]): weight for (source, target), weight in rows}
    directed = reference.to_directed()
    assert ids == sorted(reference) and data.num_nodes == len(ids)
    assert found == {(source, target): weight for source, target, weight in directed.edges(data="weight")}
    assert data.num_edges == len(found)


def test_what_is_refused(build: Build) -> None:
    graph = build([("a", "b"), ("b", "c")])
    assert graph.to_pyg().node_id == ["a", "b", "c"] and "edge_weight" not in graph.to_pyg()
    with pytest.raises(oc.UsageError, match="pass limit=3"):
        graph.to_pyg(2)
    for options in ({"input_nodes": [3]}, {"features": np.zeros((2, 1))}, {"batch_size": 0}):
        with pytest.raises(oc.UsageError):
            outcrop.pyg.NeighborLoader(graph, **options)
