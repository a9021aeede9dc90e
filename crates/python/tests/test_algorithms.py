"""Every algorithm against NetworkX and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csgraph, csr_array

import outcrop as oc

Both = tuple[oc.Graph, Any]
Build = Callable[..., oc.Graph]


EDGE_MAP = oc.Engine(model="edge_map")


def test_pagerank(random_graph: Both) -> None:
    graph, reference = random_graph
    ranks = oc.pagerank(graph, tol=1e-12, max_iter=500).to_dict()
    assert sum(ranks.values()) == pytest.approx(1)
    assert ranks == pytest.approx(nx.pagerank(reference, tol=1e-14, max_iter=1000), abs=1e-9)


def test_pagerank_with_personalization(random_graph: Both, tmp_path: Any) -> None:
    graph, reference = random_graph
    jumps = {node: 1.0 + node % 3 for node in list(reference)[:5]}
    ranks = oc.pagerank(graph, alpha=0.7, personalization=jumps, tol=1e-12, max_iter=500).to_dict()
    expected = nx.pagerank(reference, 0.7, jumps, tol=1e-14, max_iter=1000)
    assert ranks == pytest.approx(expected, abs=1e-9)
    file = tmp_path / "jumps.csv"
    file.write_text("".join(f"{node},{weight}\n" for node, weight in jumps.items()))
    assert oc.pagerank(graph, 0.7, file, tol=1e-12, max_iter=500).to_dict() == pytest.approx(ranks)


def test_an_exact_number_of_iterations_and_single_precision(random_graph: Both) -> None:
    graph, _ = random_graph
    result = oc.pagerank(graph, iterations=7, precision="f32")
    assert result.stats["iterations"] == 7
    assert result.to_numpy("pagerank").dtype == np.float32


def test_bfs(random_graph: Both) -> None:
    graph, reference = random_graph
    source = min(reference)
    result = oc.bfs(graph, source, columns="all")
    expected = nx.single_source_shortest_path_length(reference, source)
    assert result.to_dict() == {node: expected.get(node) for node in sorted(reference)}
    for node, before in result.to_dict("predecessor").items():
        if before is not None:
            assert reference.has_edge(before, node) and expected[before] + 1 == expected[node]


def test_sssp(random_graph: Both) -> None:
    graph, reference = random_graph
    nodes = sorted(reference)
    matrix = csr_array(nx.to_scipy_sparse_array(reference, nodes))
    distances = csgraph.dijkstra(matrix, directed=graph.directed, indices=0)
    found = oc.sssp(graph, nodes[0]).to_numpy("distance")
    assert np.array_equal(np.where(np.isinf(distances), np.nan, distances), found, equal_nan=True)


def test_sssp_from_the_nearest_of_several(random_graph: Both) -> None:
    graph, reference = random_graph
    sources = sorted(reference)[:3]
    expected = nx.multi_source_dijkstra_path_length(reference, set(sources))
    assert oc.sssp(graph, sources).to_dict() == {node: expected.get(node) for node in sorted(reference)}


def test_sssp_by_either_method(random_graph: Both) -> None:
    graph, reference = random_graph
    source = min(reference)
    expected = oc.sssp(graph, source, method="bellman-ford").to_dict()
    assert oc.sssp(graph, source, method="delta").to_dict() == expected
    assert oc.sssp(graph, source, bucket_width=0.5).to_dict() == expected


def exactly(first: oc.Result, second: oc.Result) -> bool:
    """Whether both results have the same rows."""
    return all(first.to_dict(column) == second.to_dict(column) for column in first.columns[1:])


@pytest.mark.parametrize(("model", "values"), [("interval", "memory"), ("interval", "disk"), (None, "disk")])
def test_the_interval_model_gives_what_edge_maps_give(random_graph: Both, model: str | None, values: str) -> None:
    graph, reference = random_graph
    source = min(reference)
    way: Any = oc.Engine(model=model, values=values)  # type: ignore[arg-type]
    assert exactly(oc.bfs(graph, source, columns="all", options=way), oc.bfs(graph, source, columns="all", options=EDGE_MAP))
    assert exactly(oc.sssp(graph, source, options=way), oc.sssp(graph, source, options=EDGE_MAP))
    components = oc.weakly_connected_components(graph, options=way)
    assert exactly(components, oc.weakly_connected_components(graph, options=EDGE_MAP))
    assert components.stats["model"] == "interval"
    assert components.stats["values_on_disk"] == (values == "disk")
    ranks = oc.pagerank(graph, tol=1e-12, max_iter=500, options=way)
    assert ranks.to_dict() == pytest.approx(nx.pagerank(reference, tol=1e-14, max_iter=1000), abs=1e-9)
    product = oc.spmv(graph, {source: 2.0}, options=way).to_dict()
    assert product == pytest.approx(oc.spmv(graph, {source: 2.0}, options=EDGE_MAP).to_dict())


@pytest.mark.parametrize("values", ["memory", "disk"])
@pytest.mark.parametrize("delivery", [None, "async"])
def test_the_model_of_messages_gives_what_edge_maps_give(random_graph: Both, values: Any, delivery: Any) -> None:
    graph, reference = random_graph
    source = min(reference)
    way = oc.Engine(model="messages", values=values, delivery=delivery)
    found = oc.bfs(graph, source, columns="all", options=way)
    assert exactly(found, oc.bfs(graph, source, columns="all", options=EDGE_MAP))
    components = oc.weakly_connected_components(graph, options=way)
    assert exactly(components, oc.weakly_connected_components(graph, options=EDGE_MAP))
    assert components.stats["model"] == "messages" and components.stats["values_on_disk"] == (values == "disk")
    assert components.stats["messages"]["delivery"] == (delivery or "sync")
    assert components.stats["messages"]["sent"] > 0
    if delivery is not None:
        return
    for delta in [None, 1e-9]:
        ranks = oc.pagerank(graph, tol=1e-12, max_iter=500, delta=delta, options=way).to_dict()
        assert ranks == pytest.approx(nx.pagerank(reference, tol=1e-14, max_iter=1000), abs=1e-7)


def labels(reference: Any, rounds: int, weight: str | None) -> dict[int, int]:
    """Labels as LDBC Graphalytics defines them."""
    found = {node: node for node in reference}
    for _ in range(rounds):
        sums: dict[int, dict[int, float]] = {node: {} for node in reference}
        for one, other, edge in reference.edges(data=True):
            if one != other:
                for node, neighbour in ((one, other), (other, one)):
                    label, count = found[neighbour], edge[weight] if weight else 1
                    sums[node][label] = sums[node].get(label, 0) + count
        best = {node: min((-count, label) for label, count in of.items())[1] for node, of in sums.items() if of}
        found |= best
    return found


@pytest.mark.parametrize("weight", [None, "weight"])
def test_label_propagation(random_graph: Both, weight: Literal["weight"] | None) -> None:
    graph, reference = random_graph
    assert oc.label_propagation(graph, 4, weight=weight).to_dict() == labels(reference, 4, weight)
    result = oc.label_propagation(graph, iterations=2, weight=weight, options=oc.Engine(values="disk"))
    assert result.to_dict() == labels(reference, 2, weight)
    assert result.stats["model"] == "messages" and result.stats["iterations"] <= 2


def test_greedy_color(random_graph: Both) -> None:
    graph, reference = random_graph
    colors = oc.greedy_color(graph).to_dict()
    assert all(colors[one] != colors[other] for one, other in reference.edges if one != other)
    assert all(color <= reference.to_undirected().degree(node) for node, color in colors.items())
    assert colors == oc.greedy_color(graph, seed=1, options=oc.Engine(values="disk")).to_dict()
    assert any(colors != oc.greedy_color(graph, seed=seed).to_dict() for seed in range(2, 5))


def test_maximal_independent_set(random_graph: Both) -> None:
    graph, reference = random_graph
    seeds: list[Any] = [None, 5]
    for seed in seeds:
        members = {node for node, chosen in oc.maximal_independent_set(graph, seed=seed).to_dict().items() if chosen}
        for node in reference:
            beside = set(nx.all_neighbors(reference, node)) - {node}
            assert (node in members) != bool(beside & members)


def test_random_walks(random_graph: Both) -> None:
    graph, reference = random_graph
    nodes = sorted(reference)
    frame = oc.random_walks(graph, every=2, length=5).to_pandas()
    assert list(frame.columns) == ["walk", "step", "node"]
    walks = [walk["node"].tolist() for _, walk in frame.groupby("walk")]
    assert [walk[0] for walk in walks] == nodes[::2]
    for walk in walks:
        assert all(reference.has_edge(*pair) for pair in zip(walk, walk[1:], strict=False))
        assert len(walk) == 6 or not list(reference.neighbors(walk[-1]))
    named = oc.random_walks(graph, [nodes[3], nodes[1]], seed=2, p=0.5, q=2.0).to_numpy()
    at_once = oc.Engine(delivery="async")
    sooner = oc.random_walks(graph, [nodes[3], nodes[1]], seed=2, p=0.5, q=2.0, options=at_once).to_numpy()
    assert all(np.array_equal(named[column], sooner[column]) for column in named)
    assert named["node"][named["step"] == 0].tolist() == [nodes[3], nodes[1]]
    with pytest.raises(oc.UsageError, match="every"):
        oc.random_walks(graph, nodes[0], every=3)
    with pytest.raises(oc.UsageError, match='delivery="async"'):
        oc.pagerank(graph, options=oc.Engine(model="messages", delivery="async"))


def test_walks_follow_weights_and_go_back(build: Build) -> None:
    graph = build([(0, 1), (0, 2), (1, 0), (2, 0)], weight=[3.0, 1.0, 1.0, 1.0])
    steps = oc.random_walks(graph, [0] * 4000, length=1, seed=9, weight="weight").to_numpy()
    share = float(np.mean(steps["node"][steps["step"] == 1] == 1))
    assert share == pytest.approx(0.75, abs=0.04)
    back = oc.random_walks(graph, [0] * 50, length=3, restart=1.0).to_numpy("node")
    assert (back == 0).all() and len(back) == 200


def test_values_on_disk_go_to_the_folder_that_is_named(build: Build, tmp_path: Any) -> None:
    build([(1, 2), (2, 3)]).close()
    store = next(tmp_path.glob("*.outcrop"))
    with oc.open(store, tmp_dir=tmp_path / "absent") as graph:
        assert oc.pagerank(graph, iterations=1).stats["model"] == "edge_map"
        with pytest.raises(oc.OutcropError, match="absent"):
            oc.pagerank(graph, iterations=1, options=oc.Engine(values="disk"))
    (tmp_path / "there").mkdir()
    with oc.open(store, tmp_dir=tmp_path / "there") as graph:
        oc.pagerank(graph, iterations=1, options=oc.Engine(values="disk"))
    assert list((tmp_path / "there").iterdir()) == []


@pytest.mark.parametrize("values", ["memory", "disk"])
@pytest.mark.parametrize("shards", ["auto", None, "static", "ads", "ods", "edge-list"])
def test_the_gas_model_gives_what_edge_maps_give(random_graph: Both, values: str, shards: str | None) -> None:
    graph, reference = random_graph
    source = min(reference)
    given: dict[str, Any] = {"model": "gas", "values": values, "shards": shards, "updated_share": "100%"}
    way = oc.Engine(**given, delay_buffer=64)
    assert exactly(oc.bfs(graph, source, columns="all", options=way), oc.bfs(graph, source, columns="all", options=EDGE_MAP))
    assert exactly(oc.sssp(graph, source, options=way), oc.sssp(graph, source, options=EDGE_MAP))
    components = oc.weakly_connected_components(graph, options=way)
    assert exactly(components, oc.weakly_connected_components(graph, options=EDGE_MAP))
    assert components.stats["model"] == "gas" and components.stats["values_on_disk"] == (values == "disk")
    figures = components.stats["gas"]
    assert (figures["shards"], figures["updated_share"], figures["delay_buffer"]) == ("ods" if shards in (None, "auto") else shards, 1.0, 64)
    assert figures["arcs"] > 0 and len(figures["steps"]) > 1
    ranks = oc.pagerank(graph, tol=1e-12, max_iter=500, weight=None, options=way)
    expected = nx.pagerank(reference, tol=1e-14, max_iter=1000, weight=None)
    assert ranks.to_dict() == pytest.approx(expected, abs=1e-9)


def test_options_of_the_gas_model_alone_choose_it(build: Build) -> None:
    graph = build([(1, 2), (2, 3)])
    found = oc.weakly_connected_components(graph, options=oc.Engine(shards="static")).stats
    assert (found["model"], found["gas"]["shards"], found["gas"]["delay_buffer"]) == ("gas", "static", 100 << 10)
    assert oc.bfs(graph, 1, options=oc.Engine(updated_share=0.25)).stats["gas"]["updated_share"] == 0.25
    assert oc.bfs(graph, 1, options=oc.Engine(delay_buffer="2KiB")).stats["gas"]["delay_buffer"] == 2048
    assert oc.bfs(graph, 1).stats.get("gas") is None
    with pytest.raises(oc.UsageError, match="edge-list"):
        oc.bfs(graph, 1, options=oc.Engine(shards="grid"))  # type: ignore[arg-type]
    with pytest.raises(oc.UsageError, match="updated_share must be a fraction such as 30% or 0.3, not 1.5"):
        oc.bfs(graph, 1, options=oc.Engine(updated_share=1.5))
    with pytest.raises(oc.UsageError, match='delay_buffer must be a size such as 100KiB, or 0, not "many"'):
        oc.bfs(graph, 1, options=oc.Engine(delay_buffer="many"))
    with pytest.raises(oc.UsageError, match="shards"):
        oc.bfs(graph, 1, options=oc.Engine(model="edge_map", shards="ods"))


def beliefs_by_counting(reference: Any, priors: dict[int, float], coupling: float) -> dict[int, float]:
    """The probability of state 1 of every vertex, summed over the states of all."""
    nodes = sorted(reference)
    sums = dict.fromkeys(nodes, 0.0)
    total = 0.0
    for state in range(1 << len(nodes)):
        states = {node: state >> place & 1 for place, node in enumerate(nodes)}
        weight = float(np.prod([priors[node] if states[node] else 1 - priors[node] for node in nodes]))
        for one, other in reference.edges:
            weight *= coupling if states[one] == states[other] else 1 - coupling
        total += weight
        for node in nodes:
            sums[node] += weight * states[node]
    return {node: probability / total for node, probability in sums.items()}


@pytest.mark.parametrize("damping", [0.0, 0.5])
@pytest.mark.parametrize("shards", [None, "static", "ads"])
def test_beliefs_are_exact_in_trees(build: Build, shards: Any, damping: float) -> None:
    reference = nx.Graph([(1, 2), (1, 3), (3, 4), (3, 5), (5, 9), (7, 8)])
    given = {1: 0.9, 4: 0.2, 7: 0.4}
    for coupling in (0.8, 0.3):
        # Directions, loops and repeats do not count.
        graph = build([*reference.edges, (2, 1), (3, 3), (7, 8)], directed=True)
        way = oc.Engine(shards=shards)
        found = oc.belief_propagation(graph, given, coupling, damping=damping, tol=1e-10, max_iter=500, options=way)
        priors = {node: given.get(node, 0.5) for node in reference}
        assert found.to_dict() == pytest.approx(beliefs_by_counting(reference, priors, coupling), abs=1e-8)
    assert found.stats["converged"] and found.stats["parameters"]["coupling"] == 0.3
    with pytest.raises(oc.NotConvergedError) as caught:
        oc.belief_propagation(graph, given, max_iter=1)
    assert len(caught.value.result) == len(reference)


def test_priors_are_probabilities(build: Build) -> None:
    graph = build([(1, 2), (2, 3)])
    with pytest.raises(oc.BadInputError, match="1.* is not a probability"):
        oc.belief_propagation(graph, [0.5, 1.5, 0.5])
    with pytest.raises(oc.BadInputError, match="no vertex 7"):
        oc.belief_propagation(graph, {7: 0.5})
    with pytest.raises(oc.UsageError, match="coupling must be a number above 0 and below 1, not 1"):
        oc.belief_propagation(graph, {1: 0.5}, 1.0)
    with pytest.raises(oc.UsageError, match="edge-list"):
        oc.belief_propagation(graph, {1: 0.5}, options=oc.Engine(shards="edge-list"))


@pytest.mark.parametrize("shards", [None, "static", "ads", "edge-list"])
def test_heat_flows_as_the_matrix_says(random_graph: Both, shards: Any) -> None:
    graph, reference = random_graph
    simple = nx.Graph(reference)
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    nodes = sorted(simple)
    start = np.random.default_rng(1).normal(size=len(nodes))
    laplacian = nx.laplacian_matrix(simple, nodes, weight=None).toarray()
    most = laplacian.diagonal().max()
    for rate, given in ((1 / (1 + most), None), (1 / most, 1 / most)):
        found = oc.heat_simulation(graph, start, 7, rate=given, options=oc.Engine(shards=shards)).to_numpy("temperature")
        step = np.eye(len(nodes)) - rate * laplacian
        assert found == pytest.approx(np.linalg.matrix_power(step, 7) @ start, abs=1e-9)
    with pytest.raises(oc.UsageError, match="largest stable rate"):
        oc.heat_simulation(graph, start, rate=2 / most)


def test_what_cannot_go_by_increments_says_so(build: Build) -> None:
    graph = build([(1, 2)])
    with pytest.raises(oc.UsageError, match=r'no aggregation function .* model="messages"'):
        oc.estimate(graph, "coloring", options=oc.Engine(model="gas"))


def test_models_and_places_that_there_are_not_are_told(build: Build) -> None:
    graph = build([(1, 2)])
    with pytest.raises(oc.UsageError, match="interval"):
        oc.pagerank(graph, options=oc.Engine(model="pull"))  # type: ignore[arg-type]
    with pytest.raises(oc.UsageError, match="memory, disk"):
        oc.pagerank(graph, options=oc.Engine(values="cloud"))  # type: ignore[arg-type]
    with pytest.raises(oc.UsageError, match="delta"):
        oc.pagerank(graph, options=oc.Engine(model="interval"), delta=0.1)
    needs = oc.estimate(graph, "pagerank", options=oc.Engine(values="disk"))
    assert (needs["model"], needs["values_on_disk"], needs["temporary_bytes"]) == ("interval", True, 32)
    others = oc.estimate(graph, "pagerank")["others"]
    assert [(other["model"], other["values_on_disk"]) for other in others] == [("interval", False), ("interval", True)]


def test_graphs_that_are_not_there_are_planned_for(build: Callable[..., oc.Graph]) -> None:
    web: dict[str, Any] = {"vertices": 3.5e9, "edges": 128e9, "profile": "web", "memory": "1GB", "disk_gbps": 2}
    needs = oc.estimate(algorithm="pagerank", **web, iterations=10, delta=0.1)
    run = needs["run"]
    assert run["minimum"] == sum(run["plan"].values()) and needs["store_bytes"] > 200 << 30 and run["time"]["seconds"] > 0
    short, command = needs["outgrown"]["memory"], needs["outgrown"]["spark"]
    assert short["needed"] > short["available"] == 10**9 and needs["outgrown"]["disk"] is None
    assert command.startswith("outcrop run pagerank EDGES --engine spark") and "--iterations 10 -o" in command
    small = oc.estimate(vertices=1000, edges=5000, directed=False, weighted=True)
    assert set(small) == {"store_bytes", "build"}
    graph = build([(1, 2)])
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: oc.estimate(), "pass a graph, or vertices and edges"),
        (lambda: oc.estimate(graph), "algorithm is required"),
        (lambda: oc.estimate(graph, "wcc", threads=2), "threads describes a planned graph"),
        (lambda: oc.estimate(vertices=1.5, edges=3), "vertices .*1.5"),
        (lambda: oc.estimate(vertices=10, edges=30, iterations=2), "need an algorithm"),
        (lambda: oc.estimate(vertices=10, edges=30, profile="moon"), "social, web"),  # type: ignore[arg-type]
        (lambda: oc.estimate(vertices=10, edges=30, disk_gbps=0), "disk_gbps must be a number above 0"),
        (lambda: oc.estimate(algorithm="wcc", vertices=10, edges=30, alpha=2), "alpha"),
    ]
    for call, message in refused:
        with pytest.raises(oc.UsageError, match=message):
            call()


def test_spmv(random_graph: Both, tmp_path: Any) -> None:
    graph, reference = random_graph
    nodes = sorted(reference)
    matrix = csr_array(nx.to_scipy_sparse_array(reference, nodes))
    vector = np.random.default_rng(1).normal(size=len(nodes))
    expected = matrix.T @ vector
    assert oc.spmv(graph).to_numpy("value") == pytest.approx(matrix.T @ np.ones(len(nodes)))
    file = tmp_path / "x.npy"
    np.save(file, vector)
    by_id = dict(zip(nodes, vector, strict=True))
    for given in (vector, vector.tolist(), file, by_id, (np.array(nodes), vector)):
        assert oc.spmv(graph, given).to_numpy("value") == pytest.approx(expected)
    assert oc.spmv(graph, vector, transpose=True).to_numpy("value") == pytest.approx(matrix @ vector)
    single = oc.spmv(graph, vector.astype("f4"), precision="f32").to_numpy("value")
    assert single.dtype == np.float32 and single == pytest.approx(expected, abs=1e-4)


def test_what_is_wrong_with_a_vector(build: Build) -> None:
    graph = build([(1, 2), (2, 3)])
    with pytest.raises(oc.BadInputError, match="found 2 values, expected 3"):
        oc.spmv(graph, [1.0, 2.0])
    with pytest.raises(oc.BadInputError, match="no vertex 7"):
        oc.spmv(graph, {7: 1.0})
    with pytest.raises(oc.BadInputError, match="not a finite number"):
        oc.spmv(graph, [1.0, 2.0, float("nan")])
    with pytest.raises(TypeError, match="shape"):
        oc.spmv(graph, np.ones((3, 1)))
    with pytest.raises(TypeError, match="IDs and their values"):
        oc.spmv(graph, (1.0, 2.0, 3.0))
    with pytest.raises(ValueError, match="2 IDs need 2 values, not 1"):
        oc.spmv(graph, ([1, 2], [1.0]))


def test_pagerank_of_changes(random_graph: Both) -> None:
    graph, reference = random_graph
    expected = nx.pagerank(reference, tol=1e-14, max_iter=1000)
    ranks = oc.pagerank(graph, delta=1e-8, tol=1e-12, max_iter=500).to_dict()
    assert sum(ranks.values()) == pytest.approx(1)
    assert ranks == pytest.approx(expected, abs=4 * 0.85 * 1e-8 / 0.15)


def test_personalized_pagerank(random_graph: Both) -> None:
    graph, reference = random_graph
    source = min(reference)
    expected = nx.pagerank(reference, 0.8, {source: 1}, tol=1e-14, max_iter=1000)
    result = oc.personalized_pagerank(graph, source, 0.8, 1e-10)
    assert result.to_dict() == pytest.approx(expected, abs=1e-5)
    assert all(rank <= expected[node] + 1e-9 for node, rank in result.to_dict().items())
    with pytest.raises(oc.UsageError, match="one"):
        oc.personalized_pagerank(graph, sorted(reference)[:2])  # type: ignore[arg-type]


def test_centralities_by_distance(random_graph: Both) -> None:
    graph, reference = random_graph
    for algorithm, theirs in (
        (oc.closeness_centrality, nx.closeness_centrality),
        (oc.harmonic_centrality, nx.harmonic_centrality),
    ):
        expected = theirs(reference)
        assert algorithm(graph, exact=True).to_dict() == pytest.approx(expected)
        total = sum(expected.values())
        assert sum(algorithm(graph, registers=4096).to_dict().values()) == pytest.approx(total, rel=0.1)


def test_degrees(random_graph: Both) -> None:
    graph, reference = random_graph
    assert oc.degrees(graph).to_dict() == dict(reference.degree())
    if graph.directed:
        assert oc.degrees(graph, direction="in").to_dict() == dict(reference.in_degree())
        assert oc.degrees(graph, direction="out").to_dict() == dict(reference.out_degree())


@pytest.mark.parametrize("normalized", [True, False])
def test_betweenness_centrality(random_graph: Both, normalized: bool) -> None:
    graph, reference = random_graph
    expected = nx.betweenness_centrality(reference, normalized=normalized)
    assert oc.betweenness_centrality(graph, normalized=normalized).to_dict() == pytest.approx(expected, abs=1e-9)
    for batch in (1, 3, 16):
        batched = oc.betweenness_centrality(graph, normalized=normalized, batch=batch)
        assert batched.to_dict() == pytest.approx(expected, abs=1e-9)
        assert batched.stats["parameters"]["batch"] == batch
        assert batched.stats["iterations"] == -(-len(reference) // batch)
    with pytest.raises(oc.UsageError, match="1 to 16"):
        oc.betweenness_centrality(graph, batch=17)
    everything = oc.betweenness_centrality(graph, len(reference), normalized, seed=3)
    assert everything.to_dict() == pytest.approx(expected, abs=1e-9)


def test_betweenness_centrality_from_a_sample(random_graph: Both) -> None:
    graph, reference = random_graph
    sources = sorted(reference)[:4]
    found = oc.betweenness_centrality(graph, source=sources, normalized=False).to_dict()
    sums = nx.betweenness_centrality_subset(reference, sources, list(reference), normalized=False)
    # NetworkX halves undirected sums here as well.
    others = len(reference) - 1
    expected = {node: value * others / (3 if node in sources else 4) for node, value in sums.items()}
    assert found == pytest.approx(expected, abs=1e-9)
    assert (
        oc.betweenness_centrality(graph, 5, seed=9).to_dict() == oc.betweenness_centrality(graph, 5, seed=9).to_dict()
    )


@pytest.fixture(params=[(whole, directed) for whole in (True, False) for directed in (True, False)], ids=str)
def weighted_graph(request: pytest.FixtureRequest, build: Build) -> Both:
    """A random graph with repeated edges and loops, with weights of which sums are often equal, or rarely."""
    whole, directed = request.param
    random = np.random.default_rng(7)
    edges = random.integers(0, 70, (260, 2))
    weights = random.integers(1, 4, len(edges)) if whole else random.uniform(0.01, 5, len(edges))
    reference: Any = nx.MultiDiGraph() if directed else nx.MultiGraph()
    rows = zip(edges.tolist(), weights.tolist(), strict=True)
    reference.add_weighted_edges_from((source, target, weight) for (source, target), weight in rows)
    return build(edges, weight=weights.astype("f8"), directed=directed), reference


@pytest.mark.parametrize("normalized", [True, False])
def test_betweenness_centrality_by_weight(weighted_graph: Both, normalized: bool) -> None:
    graph, reference = weighted_graph
    expected = nx.betweenness_centrality(reference, normalized=normalized, weight="weight")
    found = oc.betweenness_centrality(graph, normalized=normalized, weight="weight")
    assert found.to_dict() == pytest.approx(expected, abs=1e-9)
    assert found.stats["weighted"] and found.stats["iterations"] == len(reference)
    plain = nx.betweenness_centrality(reference, normalized=normalized)
    assert oc.betweenness_centrality(graph, normalized=normalized, weight=None).to_dict() == pytest.approx(plain)
    assert plain != pytest.approx(expected)


def test_betweenness_centrality_by_weight_from_some(weighted_graph: Both) -> None:
    graph, reference = weighted_graph
    sources = sorted(reference)[:4]
    found = oc.betweenness_centrality(graph, source=sources, normalized=False, weight="weight").to_dict()
    every = list(reference)
    sums = nx.betweenness_centrality_subset(reference, sources, every, normalized=False, weight="weight")
    others = len(reference) - 1
    expected = {node: value * others / (3 if node in sources else 4) for node, value in sums.items()}
    assert found == pytest.approx(expected, abs=1e-9)


def smallest(reference: Any) -> Any:
    """The graph without repeated edges, each with the smallest weight."""
    plain = nx.Graph()
    for one, other, weight in sorted(reference.edges(data="weight"), key=lambda edge: -edge[2]):
        plain.add_edge(one, other, weight=weight)
    return plain


def test_clustering_by_weight(weighted_graph: Both) -> None:
    graph, reference = weighted_graph
    if graph.directed:
        with pytest.raises(oc.UsageError, match="undirected"):
            oc.clustering(graph, weight="weight")
        return
    expected = nx.clustering(smallest(reference), weight="weight")
    found = oc.clustering(graph, weight="weight")
    assert found.to_dict() == pytest.approx(expected, abs=1e-9)
    assert found.stats["weighted"] and max(expected.values()) > 0
    assert oc.clustering(graph).to_dict() == pytest.approx(nx.clustering(smallest(reference)))


def test_weights_that_cannot_count(build: Build) -> None:
    graph = build([(1, 2), (2, 3), (3, 1)], weight=[1.0, 0.0, 2.0], directed=False)
    with pytest.raises(oc.BadInputError, match="from 2 to 3 has the weight 0; .* needs positive weights"):
        oc.betweenness_centrality(graph, weight="weight")
    assert oc.clustering(graph, weight="weight").to_dict() == {1: 0, 2: 0, 3: 0}
    negative = build([(1, 2), (2, 3), (3, 1)], weight=[1.0, 1.0, -2.0], directed=False)
    with pytest.raises(oc.BadInputError, match="from 1 to 3 has the weight -2; .* at least 0"):
        oc.clustering(negative, weight="weight")
    plain = build([(1, 2), (2, 3), (3, 1)], directed=False)
    for run in (oc.betweenness_centrality, oc.clustering):
        with pytest.raises(oc.UsageError, match="the store has none"):
            run(plain, weight="weight")
    with pytest.raises(oc.UsageError, match="batch cannot be combined with"):
        oc.betweenness_centrality(graph, weight="weight", batch=4)


def test_collaborations_by_weight(build: Build, data: Any) -> None:
    path = data / "graphs" / "w-netscience.wel.gz"
    if not path.exists():
        pytest.skip(f"a real graph is missing: {path}")
    reference = nx.read_weighted_edgelist(path, nodetype=int)
    graph = build(path, weight=True, directed=False)
    central = oc.betweenness_centrality(graph, weight="weight").to_dict()
    assert central == pytest.approx(nx.betweenness_centrality(reference, weight="weight"), abs=1e-9)
    clustered = nx.clustering(reference, weight="weight")
    assert oc.clustering(graph, weight="weight").to_dict() == pytest.approx(clustered, abs=1e-9)


def test_radii(random_graph: Both) -> None:
    graph, reference = random_graph
    found = oc.radii(graph, 8, seed=4).to_dict()
    exact: dict[Any, int] = {}
    for _, distances in nx.all_pairs_shortest_path_length(reference):
        for node, distance in distances.items():
            exact[node] = max(exact.get(node, 0), distance)
    assert all(value is None or value <= exact[node] for node, value in found.items())
    assert sum(value is not None for value in found.values()) >= 8


def test_diameter_radius_and_eccentricity(random_graph: Both) -> None:
    graph, reference = random_graph
    exact = {node: max(found.values()) for node, found in nx.all_pairs_shortest_path_length(reference)}
    result = oc.diameter(graph, exact=True)
    assert int(result) == result.value == max(exact.values())
    values = result.stats["values"]
    assert (values["lower"], values["upper"], values["exact"]) == (result.value, result.value, True)
    assert f"diameter {result.value}; " in repr(result)
    known = {node: value for node, value in result.to_dict().items() if value is not None}
    assert known and all(value == exact[node] for node, value in known.items())
    components = nx.strongly_connected_components if reference.is_directed() else nx.connected_components
    largest = max(components(reference), key=lambda nodes: (len(nodes), -min(nodes)))
    expected = {node: exact[node] if node in largest else None for node in sorted(reference)}
    assert oc.eccentricity(graph).to_dict() == expected
    assert int(oc.radius(graph)) == min(exact[node] for node in largest)
    for of_vertices in (oc.bfs(graph, min(reference)), oc.eccentricity(graph)):
        assert not hasattr(of_vertices, "value")
        with pytest.raises(TypeError, match="no value for the whole graph"):
            int(of_vertices)
    with pytest.raises(oc.UsageError, match="iterations cannot be combined"):
        oc.diameter(graph, exact=True, iterations=3)


def test_the_diameter_lies_between_bounds(build: Build) -> None:
    paths = [*range(9), *range(20, 28)]
    graph = build([(node, node + 1) for node in paths], directed=False)
    result = oc.diameter(graph, iterations=1)
    values = result.stats["values"]
    assert values["lower"] < 9 <= values["upper"] and values["exact"] is False and result.value is None
    with pytest.raises(ValueError, match="exact=True"):
        int(result)
    assert int(oc.diameter(graph)) == 9


def test_multi_source_distances(random_graph: Both) -> None:
    graph, reference = random_graph
    nodes = sorted(reference)
    sources = [nodes[-1], nodes[0]]
    result = oc.multi_source_distances(graph, sources)
    assert result.columns == ["node", *(f"distance_{source}" for source in sources)]
    for source in sources:
        expected = nx.single_source_shortest_path_length(reference, source)
        assert result.to_dict(f"distance_{source}") == {node: expected.get(node) for node in nodes}


def test_distances_from_more_vertices_than_a_word_has_bits(build: Build) -> None:
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(12, 13))
    graph = build(list(grid.edges), directed=False)
    exact = dict(nx.all_pairs_shortest_path_length(grid))
    result = oc.multi_source_distances(graph, seed=5)
    assert len(result.columns) == 129
    assert oc.multi_source_distances(graph, samples=1000).columns[1:] == [f"distance_{node}" for node in range(156)]
    table = result.to_numpy()
    for name in result.columns[1:]:
        source = int(name.removeprefix("distance_"))
        assert table[name].tolist() == [exact[source][node] for node in range(156)]
    assert result.to_arrow().num_columns == result.to_polars().width == result.to_pandas().shape[1] == 129
    assert "..." in repr(result) and all(len(line) < 400 for line in repr(result).splitlines())
    assert result._repr_html_().count("<th>") == 12


def test_weakly_connected_components(random_graph: Both) -> None:
    graph, reference = random_graph
    parts = nx.connected_components(reference.to_undirected())
    expected = {node: min(part) for part in parts for node in part}
    assert oc.weakly_connected_components(graph).to_dict() == expected


@pytest.mark.parametrize("method", ["afforest", "label-propagation"])
def test_components_by_other_methods(random_graph: Both, method: Any) -> None:
    graph, _ = random_graph
    expected = oc.weakly_connected_components(graph).to_dict()
    assert oc.weakly_connected_components(graph, method=method).to_dict() == expected


def test_strongly_connected_components(random_graph: Both) -> None:
    graph, reference = random_graph
    parts = nx.strongly_connected_components(nx.DiGraph(reference))
    expected = {node: min(part) for part in parts for node in part}
    assert oc.strongly_connected_components(graph).to_dict() == expected


def simple(reference: Any) -> Any:
    plain = nx.Graph(reference)
    plain.remove_edges_from(list(nx.selfloop_edges(plain)))
    return plain


def test_core_number(random_graph: Both) -> None:
    graph, reference = random_graph
    expected = nx.core_number(simple(reference))
    assert oc.core_number(graph).to_dict() == expected
    assert oc.core_number(graph, k=2).to_dict() == {node: 2 if core >= 2 else None for node, core in expected.items()}


def undirected(reference: Any) -> Any:
    """Every edge of the graph as an undirected one of its own."""
    made = nx.MultiGraph()
    made.add_nodes_from(reference)
    made.add_edges_from((source, target) for source, target in reference.edges())
    return made


@pytest.mark.parametrize("resolution", [0.5, 1.0, 2.0])
def test_communities(random_graph: Both, resolution: float) -> None:
    graph, reference = random_graph
    plain = undirected(reference)
    expected = nx.community.louvain_communities(plain, resolution=resolution, seed=1)
    usual = nx.community.modularity(plain, expected, resolution=resolution)
    for algorithm, less in ((oc.leiden, 0.02), (oc.louvain, 0.05)):
        result = algorithm(graph, resolution=resolution, weight=None)
        labels = result.to_dict()
        found = [{node for node in labels if labels[node] == label} for label in sorted(set(labels.values()))]
        modularity = nx.community.modularity(plain, found, resolution=resolution)
        assert result.stats["values"]["modularity"] == pytest.approx(modularity, abs=1e-9)
        assert modularity >= usual - less
        assert algorithm is oc.louvain or all(nx.is_connected(plain.subgraph(part)) for part in found)


def test_similarity(random_graph: Both) -> None:
    graph, reference = random_graph
    of = {node: set(reference[node]) - {node} for node in reference}
    source = max(of, key=lambda node: len(of[node]))
    common = {node: len(of[source] & of[node]) for node in of if node != source}
    expected = {node: size / len(of[source] | of[node]) for node, size in common.items() if size}
    found = oc.similarity(graph, source).to_dict()
    assert {node: value for node, value in found.items() if value is not None} == pytest.approx(expected)
    counted = oc.similarity(graph, source, measure="common").to_dict()
    assert all((counted[node] or 0) == size for node, size in common.items()) and counted[source] is None


def test_most_similar(random_graph: Both) -> None:
    graph, reference = random_graph
    of = {node: set(reference[node]) - {node} for node in reference}
    rows = oc.most_similar(graph, k=2).to_arrow().to_pylist()
    assert len(rows) == len(of)
    for row in rows:
        node = row["node"]
        shared = {other: len(of[node] & of[other]) / len(of[node] | of[other] or {0}) for other in of if other != node}
        best = sorted(((-size, other) for other, size in shared.items() if size))[:2]
        for (size, other), place in zip(best, (1, 2), strict=False):
            assert row[f"similarity_{place}"] == pytest.approx(-size)
            assert row[f"similar_{place}"] == other
        assert all(row[f"similar_{place}"] is None for place in range(len(best) + 1, 3))


def test_assortativity(random_graph: Both) -> None:
    graph, reference = random_graph
    found = oc.assortativity(graph).stats["values"]["assortativity"]
    assert found == pytest.approx(nx.degree_assortativity_coefficient(reference))


def test_triangles(random_graph: Both) -> None:
    graph, reference = random_graph
    assert oc.triangles(graph).to_dict() == nx.triangles(simple(reference))


def test_clustering(random_graph: Both) -> None:
    graph, reference = random_graph
    plain = simple(reference)
    expected = nx.clustering(plain)
    if graph.directed:
        for node in plain:
            among = nx.DiGraph(reference).subgraph(plain[node])
            possible = len(plain[node]) * (len(plain[node]) - 1)
            links = sum(1 for source, target in among.edges if source != target)
            expected[node] = links / possible if possible else 0
    assert oc.clustering(graph).to_dict() == pytest.approx(expected)


def test_ids_that_are_texts(build: Build) -> None:
    graph = build([("b", "ä"), ("ä", "c d"), ("x", "b")])
    assert oc.bfs(graph, "b").to_dict() == {"b": 0, "c d": 2, "x": None, "ä": 1}
    assert oc.weakly_connected_components(graph).to_numpy("component").tolist() == ["b"] * 4


def test_ids_that_are_sparse(build: Build) -> None:
    top = 2**64 - 1
    graph = build([(0, top), (top, 2**40), (2**63, top)])
    result = oc.bfs(graph, top, columns="all")
    assert result.to_dict() == {0: None, 2**40: 1, 2**63: None, top: 0}
    assert result.to_numpy("node").tolist() == [0, 2**40, 2**63, top]
    assert result.to_pandas()["predecessor"].tolist()[1] == top
    with pytest.raises(oc.UsageError, match="int64"):
        result.to_numpy("predecessor")


def test_a_graph_without_vertices(build: Build) -> None:
    graph = build(np.empty((0, 2), dtype="u8"), allow_empty=True)
    assert (graph.num_vertices, graph.num_edges) == (0, 0)
    assert oc.diameter(graph).value is None
    with pytest.raises(ValueError, match="without vertices"):
        int(oc.diameter(graph))
    assert oc.multi_source_distances(graph).columns == ["node"]
    assert "0 rows" in repr(oc.multi_source_distances(graph))
    for result in (oc.pagerank(graph), oc.weakly_connected_components(graph)):
        assert (len(result), result.to_dict(), result.top()) == (0, {}, [])
        assert result.to_arrow().num_rows == result.to_polars().height == len(result.to_pandas()) == 0
        assert all(len(values) == 0 for values in result.to_numpy().values())
        assert "0 rows" in repr(result)


def test_a_graph_with_one_vertex(build: Build) -> None:
    graph = build([(7, 7)])
    assert oc.pagerank(graph).to_dict() == {7: pytest.approx(1)}
    assert oc.bfs(graph, 7).to_dict() == {7: 0}


def test_a_real_graph(build: Build, data: Any) -> None:
    import json

    expected = json.loads((data / "answers.json").read_text())["graphs"]["wiki-Vote"]
    graph = build(data / "graphs" / "wiki-Vote.el.gz", ids="dense", num_vertices=expected["V"])
    assert graph.num_edges == expected["E_dedup"]
    top = oc.pagerank(graph, tol=1e-12).top(10)
    for row, (node, rank) in zip(top, expected["pagerank"]["top10"], strict=True):
        assert (row["node"], row["pagerank"]) == (node, pytest.approx(rank, rel=1e-9))
    distances = oc.bfs(graph, expected["bfs"]["source"]).to_numpy("distance")
    assert np.bincount(distances[distances >= 0]).tolist() == expected["bfs"]["histogram"]
    components = oc.weakly_connected_components(graph).to_numpy("component")
    assert len(np.unique(components)) == expected["wcc"]["count"]


def test_shortest_path(random_graph: Both) -> None:
    graph, reference = random_graph
    source, *targets = reference.nodes
    for target in targets[:20]:
        found = oc.shortest_path(graph, source, target)
        path = found.to_numpy("node").tolist()
        assert found.columns == ["step", "node"]
        try:
            expected = nx.shortest_path_length(reference, source, target)
        except nx.NetworkXNoPath:
            assert (path, found.stats["values"]) == ([], {"distance": None})
        else:
            assert found.stats["values"] == {"distance": expected}
            assert (path[0], path[-1], len(path)) == (source, target, expected + 1)
            assert nx.is_path(reference, path)
    with pytest.raises(oc.UsageError, match="one row per step"):
        oc.shortest_path(graph, source, source).to_dict()


def test_shortest_path_by_weight(build: Build) -> None:
    graph = build([(0, 1, 5.0), (0, 2, 1.0), (2, 3, 1.0), (3, 1, 0.0), (1, 4, 2.0)], weight=True)
    found = oc.shortest_path(graph, 0, 4, weight="weight")
    assert (found.to_numpy("node").tolist(), found.stats["values"]) == ([0, 2, 3, 1, 4], {"distance": 4.0})
    assert oc.shortest_path(graph, 0, 4).to_numpy("node").tolist() == [0, 1, 4]


def test_spanning_forest(build: Build) -> None:
    graph = build([(0, 1, 5.0), (1, 2, 1.0), (2, 0, 2.0), (7, 8, 3.0), (8, 8, 1.0)], weight=True, directed=False)
    found = oc.spanning_forest(graph)
    assert found.to_dict() == {0: None, 1: 2, 2: 0, 7: None, 8: 7}
    assert found.stats["values"] == {"edges": 3, "total_weight": 6.0}
    assert oc.spanning_forest(graph, maximum=True).stats["values"]["total_weight"] == 10.0
    assert oc.spanning_forest(graph, weight=None).to_dict() == {0: None, 1: 0, 2: 0, 7: None, 8: 7}


def test_topological_sort(build: Build) -> None:
    found = oc.topological_sort(build([("b", "a"), ("a", "c"), ("b", "c")]))
    assert (found.to_dict("level"), found.to_dict("position")) == ({"a": 1, "b": 0, "c": 2}, {"a": 1, "b": 0, "c": 2})
    assert found.stats["values"] == {"acyclic": True, "levels": 3, "cyclic": 0}
    found = oc.topological_sort(build([(1, 2), (2, 3), (3, 2), (3, 4)]))
    assert found.to_dict() == {1: 0, 2: None, 3: None, 4: None}
    assert found.stats["values"] == {"acyclic": False, "levels": 1, "cyclic": 3}


def test_bridges(build: Build) -> None:
    found = oc.bridges(build([(1, 2), (2, 3), (3, 1), (3, 4), (4, 3), (4, 5)], directed=False))
    assert found.to_dict() == {1: None, 2: None, 3: None, 4: 3, 5: 4}
    assert found.to_dict("articulation_point") == {1: 0, 2: 0, 3: 1, 4: 1, 5: 0}
    assert found.stats["values"] == {"bridges": 2, "articulation_points": 2}
