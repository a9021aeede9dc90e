"""NetworkX's algorithms with the backend: the same answers, in the nodes of the graph, or a reason why not."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest

import outcrop as oc
from outcrop import nx as networkx_backend

pytest.importorskip("networkx", minversion="3.6")

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with nx.config(warnings_to_ignore={"cache"}):
        yield


def graph(kind: Any, seed: int, weights: list[Any] | None = None, loops: bool = True) -> Any:
    """A graph whose nodes are texts, numbers and tuples, some without edges, in an order of their own."""
    numbers = random.Random(seed)
    nodes = [(number, "x") if number % 3 == 0 else f"n{number}" if number % 3 == 1 else number for number in range(60)]
    numbers.shuffle(nodes)
    made = kind()
    made.add_nodes_from(nodes)
    for _ in range(150):
        ends = numbers.choices(nodes[:55], k=2)
        if loops or ends[0] != ends[1]:
            made.add_edge(*ends, **({"cost": numbers.choice(weights)} if weights else {}))
    return made


def near(found: Any, expected: Any) -> None:
    if isinstance(expected, dict) and any(isinstance(value, dict | tuple) for value in expected.values()):
        assert found == expected
    elif isinstance(expected, dict):
        assert list(found) == list(expected) or set(found) == set(expected)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-9)
    else:
        assert found == expected


LAZY: dict[str, Callable[[Any], Any]] = {
    "all_pairs_shortest_path_length": dict,
    "all_pairs_dijkstra_path_length": dict,
    "articulation_points": set,
    "bridges": lambda found: set(map(frozenset, found)),
    "isolates": list,
}


def compare(
    name: str, theirs: Any, *args: Any, form: Callable[[Any], Any] = lambda answer: answer, **options: Any
) -> None:
    """Compare with NetworkX: the answer, or the exception."""
    function, form = getattr(nx, name), LAZY.get(name, form)
    try:
        expected = form(function(theirs, *args, **copy.deepcopy(options), backend="networkx"))
    except (nx.NetworkXException, ValueError, ZeroDivisionError) as error:
        with pytest.raises(type(error)):
            form(function(theirs, *args, **options, backend="outcrop"))
        return
    near(form(function(theirs, *args, **options, backend="outcrop")), expected)


def parts(answer: Any) -> Any:
    return sorted(map(lambda part: sorted(map(str, part)), answer))


def lengths(theirs: Any, paths: dict[Any, list[Any]], weight: str | None) -> dict[Any, Any]:
    """The ends and the length of each path, all edges of which exist."""
    least = (lambda edges: min(data.get(weight, 1) for data in edges)) if weight else (lambda edges: 1)
    each = (lambda u, v: theirs[u][v].values()) if theirs.is_multigraph() else (lambda u, v: [theirs[u][v]])
    length = lambda path: sum(least(each(u, v)) for u, v in itertools.pairwise(path))  # noqa: E731
    return {node: (path[0], path[-1], length(path)) for node, path in paths.items()}


PATHS = ["single_source_dijkstra_path", "single_source_bellman_ford_path", "shortest_path"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", [None, [1, 2, 3], [0, 1, 2], [0.5, 0.25, 8.0]], ids=str)
def test_paths_are_as_short_as_those_of_networkx(kind: Any, weights: list[Any] | None) -> None:
    theirs, weight = graph(kind, 8, weights), "cost" if weights else None
    form = lambda paths: lengths(theirs, paths, weight)  # noqa: E731
    for name in PATHS:
        compare(name, theirs, "n1", weight=weight, form=form)
    compare("single_source_shortest_path", theirs, "n1", form=lambda paths: lengths(theirs, paths, None))
    compare("single_source_shortest_path", theirs, "n1", 2, form=lambda paths: lengths(theirs, paths, None))
    for pair in ("dijkstra_path", "bellman_ford_path", "shortest_path"):
        for target in ("n1", "n4", "n58", 2, "nobody"):
            compare(pair, theirs, "n1", target, weight=weight, form=lambda path: form({0: path}))
    for pair in ("bidirectional_dijkstra", "single_source_dijkstra", "single_source_bellman_ford"):
        for target in ("n1", "n4", "n58"):
            compare(pair, theirs, "n1", target, weight=weight, form=lambda found: (found[0], form({0: found[1]})))
    both = lambda found: (found[0], form(found[1]))  # noqa: E731
    compare("multi_source_dijkstra", theirs, ["n1", 2], weight=weight, form=lambda found: found[0])
    compare("single_source_dijkstra", theirs, "n1", cutoff=3, weight=weight, form=both)
    compare("bidirectional_shortest_path", theirs, "n1", "n4", form=len)
    for name in ("all_pairs_dijkstra_path", "all_pairs_bellman_ford_path", "shortest_path"):
        compare(name, theirs, weight=weight, form=lambda found: {node: form(paths) for node, paths in found})


@pytest.mark.parametrize("weights", [None, [1, 2, 3], list(range(1000)), [-2, 0.5, 4.0]], ids=str)
@pytest.mark.parametrize("which", ["minimum", "maximum"])
def test_spanning_forests_weigh_as_much_as_those_of_networkx(weights: list[Any] | None, which: str) -> None:
    theirs = graph(nx.Graph, 9, weights)
    weigh = lambda edges: (len(edges), sum(data.get("cost", 1) for *_, data in edges))  # noqa: E731
    compare(f"{which}_spanning_edges", theirs, weight="cost", form=lambda edges: weigh(list(edges)))
    compare(f"{which}_spanning_edges", theirs, weight=None, data=False, form=lambda edges: len(list(edges)))
    tree = getattr(nx, f"{which}_spanning_tree")(theirs, weight="cost", backend="outcrop")
    expected = getattr(nx, f"{which}_spanning_tree")(theirs, weight="cost", backend="networkx")
    assert list(tree) == list(expected)
    assert tree.size("cost") == pytest.approx(expected.size("cost"))
    assert nx.is_forest(tree)
    assert all(theirs.edges[edge] == data for *edge, data in tree.edges(data=True))


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("cyclic", [False, True])
def test_directed_graphs_without_cycles(kind: Any, cyclic: bool) -> None:
    numbers = random.Random(3)
    theirs = kind(tuple(sorted(numbers.sample(range(70), 2))) for _ in range(140))
    theirs.add_edges_from([(90, 80), (80, 90), (90, 91)] if cyclic else [])
    for name in ("is_directed_acyclic_graph", "dag_longest_path_length"):
        compare(name, theirs)
    for draw in (lambda: numbers.randrange(9), numbers.random):
        weighted = theirs.copy()
        for *_, data in weighted.edges(data=True):
            data["weight"] = draw()
        compare("dag_longest_path_length", weighted)

    def consumed(generations: Any) -> Any:
        found = []
        try:
            found += [set(generation) for generation in generations]
        except nx.NetworkXUnfeasible:
            found.append("cycle")
        return found

    compare("topological_generations", theirs, form=consumed)
    order = nx.topological_sort(theirs, backend="outcrop")
    if cyclic:
        with pytest.raises(nx.NetworkXUnfeasible):
            list(order)
    else:
        place = {node: place for place, node in enumerate(order)}
        assert len(place) == len(theirs)
        assert all(place[source] < place[target] for source, target in theirs.edges())


def test_parts_of_graphs_keep_all_attributes() -> None:
    theirs = graph(nx.Graph, 3, [1, 2, 3.5], loops=False)
    theirs.add_node("n1", color="red")
    theirs.graph["name"] = "test"
    wholly = lambda part: (dict(part.nodes(data=True)), dict(part.adjacency()), part.graph)  # noqa: E731
    for name in ("k_core", "k_shell", "k_crust"):
        for k in (None, 2):
            compare(name, theirs, k, form=wholly)
    for options in ({}, {"radius": 2, "center": False}, {"radius": 3, "distance": "cost"}):
        compare("ego_graph", theirs, "n1", **options, form=wholly)
        compare("ego_graph", graph(nx.MultiDiGraph, 3, [1, 2]), "n1", **options, form=wholly)
    compare("ego_graph", theirs, "nobody")


DISTANCES = ["single_source_dijkstra_path_length", "single_source_bellman_ford_path_length", "shortest_path_length"]
UNDIRECTED = [
    "core_number",
    "triangles",
    "clustering",
    "average_clustering",
    "transitivity",
    "number_connected_components",
]
PLAIN: list[tuple[str, dict[str, Any]]] = [
    *(("pagerank", {"tol": 1e-12, "max_iter": 1000, "alpha": alpha}) for alpha in (0.0, 0.5, 0.85)),
    ("pagerank", {"max_iter": 1}),
    ("pagerank", {"tol": 1e-12, "max_iter": 1000, "personalization": {"n1": 2, "n4": 1, "nobody": 3}}),
    ("pagerank", {"personalization": {"nobody": 1}}),
    *(("single_source_shortest_path_length", {"source": source}) for source in ("n1", "nobody")),
    ("single_source_shortest_path_length", {"source": "n1", "cutoff": 2}),
    ("multi_source_dijkstra_path_length", {"sources": ["n1", 2]}),
    ("shortest_path_length", {"source": "n1"}),
    ("descendants", {"source": "n1"}),
    ("descendants", {"source": "nobody"}),
    *(
        ("betweenness_centrality", {"normalized": normalized, "k": k, "seed": 5})
        for normalized in (True, False)
        for k in (None, 0, 1, 7, 60, 99)
    ),
    *((name, {"source": source}) for name in ("ancestors", "descendants") for source in ("n4", "nobody")),
    *(("descendants_at_distance", {"source": "n1", "distance": distance}) for distance in (0, 2, 99)),
    *(
        (name, {"source": "n1", "target": target})
        for name in ("has_path", "shortest_path_length", "dijkstra_path_length", "bellman_ford_path_length")
        for target in ("n1", "n4", "n58", "nobody")
    ),
    *((name, {}) for name in ("all_pairs_shortest_path_length", "all_pairs_dijkstra_path_length")),
    *((name, {}) for name in ("average_shortest_path_length", "wiener_index", "barycenter", "global_efficiency")),
    *((name, {}) for name in ("number_of_isolates", "isolates", "number_of_selfloops", "is_regular")),
    *((name, {}) for name in ("is_tree", "is_forest", "is_arborescence", "is_branching")),
    *((name, {}) for name in ("is_eulerian", "is_semieulerian", "has_eulerian_path")),
    *(("is_isolate", {"n": node}) for node in ("n58", "n1")),
    *((name, {}) for name in ("articulation_points", "is_biconnected")),
    ("is_directed_acyclic_graph", {}),
    ("is_bipartite", {}),
    ("degree_assortativity_coefficient", {}),
    ("dag_longest_path_length", {}),
    ("eccentricity", {}),
    ("eccentricity", {"v": "n1"}),
    ("diameter", {}),
    ("radius", {}),
    ("center", {}),
    *((f"{direction}degree_centrality", {}) for direction in ("", "in_", "out_")),
    *(("closeness_centrality", {"wf_improved": improved}) for improved in (True, False)),
    *(("closeness_centrality", {"u": node}) for node in ("n1", "nobody")),
    ("harmonic_centrality", {}),
    *(("harmonic_centrality", {"nbunch": nodes}) for nodes in ("n1", ["n1", "nobody"], 1.5)),
    ("eigenvector_centrality", {"max_iter": 2000}),
    ("eigenvector_centrality", {"max_iter": 3}),
    *(("katz_centrality", {"alpha": alpha, "normalized": alpha < 0.1}) for alpha in (0.01, 0.1)),
    *(("katz_centrality", {"alpha": 0.05, "beta": 3, "tol": tol}) for tol in (0, 1e-9)),
    ("katz_centrality", {"alpha": 5.0}),
    ("periphery", {}),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "options"), PLAIN, ids=str)
def test_any_graph(kind: Any, name: str, options: dict[str, Any]) -> None:
    theirs = graph(kind, 1)
    compare(name, theirs, **options)
    # NetworkX keeps the graph whose attributes are preserved for later calls.
    nx.ego_graph(theirs, "n1", backend="outcrop")
    compare(name, theirs, **options)
    joined = kind(itertools.chain(theirs.edges(), itertools.pairwise([*theirs, *list(theirs)[:1]])))
    compare(name, joined, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", [[1], [1, 2, 3, 50], [0.5, 0.25, 8.0], [0, 1, 2], [-1, 2], [True, False]], ids=str)
def test_weights(kind: Any, weights: list[Any]) -> None:
    theirs = graph(kind, 2, weights)
    theirs.add_edge("n1", 2)
    nx.ego_graph(theirs, "n1", backend="outcrop")
    for name in DISTANCES:
        if min(weights) < 0:
            with pytest.raises(NotImplementedError):
                getattr(nx, name)(theirs, "n1", weight="cost", backend="outcrop")
        else:
            compare(name, theirs, "n1", weight="cost")
            compare(name, theirs, "n1", weight=None)
            found = nx.single_source_dijkstra_path_length(theirs, "n1", weight="cost", backend="outcrop")
            assert all(isinstance(value, type(weights[0] + 0)) for value in found.values())
    if kind in (nx.Graph, nx.DiGraph):
        if min(weights) >= 0:
            compare("eigenvector_centrality", theirs, weight="cost", max_iter=1000)
        compare("katz_centrality", theirs, alpha=0.001, weight="cost", max_iter=1000)
    if min(weights) > 0:
        compare("betweenness_centrality", theirs, weight="cost")
        compare("pagerank", theirs, weight="cost", tol=1e-12, max_iter=1000)
    compare("pagerank", theirs, weight=None, tol=1e-12, max_iter=1000) if min(weights) >= 0 else None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_hubs_and_authorities(kind: Any, seed: int) -> None:
    theirs = graph(kind, seed, [1, 2, 0.5])
    for *_, data in theirs.edges(data=True):
        data["weight"] = data["cost"]
    found = nx.hits(theirs, max_iter=10_000, backend="outcrop")
    for values, expected in zip(found, nx.hits(theirs, backend="networkx"), strict=True):
        assert set(values) == set(expected)
        assert values == pytest.approx(expected, abs=1e-6)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.hits(theirs, max_iter=1, backend="outcrop")
    with pytest.raises(NotImplementedError):
        nx.hits(nx.empty_graph(3), backend="outcrop")


@pytest.mark.parametrize("loops", [False, True])
def test_undirected_graphs(loops: bool) -> None:
    theirs = graph(nx.Graph, 3, [1, 2, 3.5], loops)
    for name in UNDIRECTED:
        compare(name, theirs)
    for nodes in ("n1", ["n1", 2, "nobody"], []):
        compare("triangles", theirs, nodes)
        compare("clustering", theirs, nodes)
    compare("clustering", theirs, weight="cost")
    compare("average_clustering", theirs, weight="cost", count_zeros=False)
    compare("is_connected", theirs)
    compare("connected_components", theirs, form=list)
    compare("node_connected_component", theirs, "n1")
    compare("single_target_shortest_path_length", theirs, "n1")
    compare("single_target_shortest_path", theirs, "n1", form=lambda paths: lengths(theirs, paths, None))
    for target in ("n1", "n4", "n58"):
        compare("efficiency", theirs, "n2", target)
    compare("is_k_regular", theirs, 3)
    compare("bridges", theirs)
    compare("has_bridges", theirs)
    members = nx.maximal_independent_set(theirs, seed=1, backend="outcrop")
    assert not any(first in theirs[second] for first, second in itertools.combinations(members, 2))
    assert all(node in members or set(theirs[node]) & set(members) for node in theirs)


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
@pytest.mark.parametrize("weight", ["cost", None])
@pytest.mark.parametrize("resolution", [1, 1.5])
def test_communities(kind: Any, weight: Any, resolution: float) -> None:
    theirs = graph(kind, 6, [1, 2, 3.5])
    options: dict[str, Any] = {"weight": weight, "resolution": resolution}
    expected = nx.community.louvain_communities(theirs, **options, seed=1, backend="networkx")
    least = nx.community.modularity(theirs, expected, **options) - 0.02
    for name in ("louvain_communities", "leiden_communities"):
        found = getattr(nx.community, name)(theirs, **options, seed=1, backend="outcrop")
        assert nx.community.is_partition(theirs, found)
        assert nx.community.modularity(theirs, found, **options) >= least
        assert name == "louvain_communities" or all(nx.is_connected(theirs.subgraph(part)) for part in found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weight", ["cost", None])
def test_modularity_of_given_communities(kind: Any, weight: Any) -> None:
    theirs = graph(kind, 7, [1, 2, 3.5])
    nodes = list(theirs)
    for sets in ([set(nodes)], [nodes[:20], nodes[20:]], [{node} for node in nodes]):
        options: dict[str, Any] = {"weight": weight, "resolution": 1.5}
        expected = nx.community.modularity(theirs, sets, **options, backend="networkx")
        assert nx.community.modularity(theirs, sets, **options, backend="outcrop") == pytest.approx(expected)
    for sets in ([nodes[:20]], [nodes, nodes[:1]], [[*nodes[:-1], "nobody"]]):
        with pytest.raises(nx.community.quality.NotAPartition):
            nx.community.modularity(theirs, sets, backend="outcrop")


LINKS = ["adamic_adar_index", "jaccard_coefficient", "preferential_attachment", "resource_allocation_index"]


@pytest.mark.parametrize("name", LINKS)
def test_links_between_given_pairs(name: str) -> None:
    theirs = graph(nx.Graph, 4)
    nodes = list(theirs)
    pairs = [(nodes[n], nodes[-1 - n]) for n in range(len(nodes) // 2)]
    expected = list(getattr(nx, name)(theirs, pairs, backend="networkx"))
    found = list(getattr(nx, name)(theirs, pairs, backend="outcrop"))
    assert [row[:2] for row in found] == pairs
    assert [row[2] for row in found] == pytest.approx([row[2] for row in expected])
    with pytest.raises(nx.NodeNotFound, match="absent"):
        getattr(nx, name)(theirs, [(nodes[0], "absent")], backend="outcrop")
    with pytest.raises(NotImplementedError, match="not implemented by 'outcrop'"):
        getattr(nx, name)(theirs, backend="outcrop")


def test_communities_without_edges() -> None:
    theirs = nx.empty_graph(3)
    assert nx.community.louvain_communities(theirs, backend="outcrop") == [{0}, {1}, {2}]
    with pytest.raises(ValueError, match="max_level"):
        nx.community.louvain_communities(theirs, max_level=0, backend="outcrop")


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph])
def test_directed_graphs(kind: Any) -> None:
    theirs = graph(kind, 4)
    for kinds in ("weakly", "strongly"):
        compare(f"number_{kinds}_connected_components", theirs)
        compare(f"is_{kinds}_connected", theirs)
        compare(f"{kinds}_connected_components", theirs, form=parts)
    theirs = graph(nx.DiGraph, 4)
    compare("overall_reciprocity", theirs)
    for nodes in (None, ["n1", 2, "nobody"], "n4", "n58"):
        compare("reciprocity", theirs, nodes)


@pytest.mark.parametrize(
    ("kind", "name", "arguments", "reason"),
    [
        (nx.DiGraph, "clustering", {}, "directed"),
        (nx.DiGraph, "core_number", {}, "directed"),
        (nx.DiGraph, "transitivity", {}, "directed"),
        (nx.DiGraph, "single_target_shortest_path_length", {"target": 1}, "directed"),
        (nx.MultiGraph, "triangles", {}, "repeated"),
        (nx.Graph, "reciprocity", {}, "directed"),
        (nx.Graph, "is_isolate", {"n": "nobody"}, "node"),
        (nx.Graph, "pagerank", {"nstart": {1: 1}}, "nstart"),
        (nx.Graph, "pagerank", {"dangling": {1: 1}}, "dangling"),
        (nx.Graph, "pagerank", {"alpha": 1}, "alpha"),
        (nx.Graph, "betweenness_centrality", {"endpoints": True}, "endpoints"),
        (nx.DiGraph, "shortest_path_length", {"target": 2}, "backwards"),
        (nx.DiGraph, "shortest_path", {"target": 2}, "backwards"),
        (nx.MultiGraph, "minimum_spanning_edges", {}, "repeated"),
        (nx.MultiGraph, "bridges", {}, "repeated"),
        (nx.Graph, "wiener_index", {"weight": "weight"}, "weight"),
        (nx.Graph, "closeness_centrality", {"distance": "weight"}, "distance"),
        (nx.Graph, "harmonic_centrality", {"sources": [1]}, "sources"),
        (nx.Graph, "eigenvector_centrality", {"nstart": {1: 1}}, "nstart"),
        (nx.Graph, "katz_centrality", {"beta": {1: 1, 2: 1, 3: 1}}, "beta"),
        (nx.Graph, "katz_centrality", {"alpha": -0.1}, "alpha"),
        (nx.Graph, "hits", {"tol": 0}, "tol"),
        (nx.Graph, "hits", {"normalized": False}, "normalized"),
        (nx.Graph, "eccentricity", {"weight": "weight"}, "weight"),
        (nx.Graph, "diameter", {"e": {1: 1}}, "e"),
        (nx.Graph, "single_source_dijkstra_path_length", {"source": 1, "weight": lambda *_: 1}, "function"),
        (nx.Graph, "maximal_independent_set", {"nodes": [1]}, "nodes"),
        (nx.Graph, "triangles", {"anything": 1}, "anything"),
    ],
)
def test_what_is_defined_otherwise_is_refused(kind: Any, name: str, arguments: dict[str, Any], reason: str) -> None:
    theirs = kind([(1, 2), (2, 3)])
    assert reason in str(networkx_backend.can_run(name, (theirs,), arguments))
    if "anything" not in arguments:
        with pytest.raises(NotImplementedError):
            getattr(nx, name)(theirs, **arguments, backend="outcrop")


@pytest.mark.parametrize("weight", [None, "x", float("nan"), float("inf"), 2**60 + 1, 1j, [1]])
def test_weights_that_are_no_numbers_are_refused(weight: Any) -> None:
    with pytest.raises(NotImplementedError):
        nx.pagerank(nx.Graph([(1, 2, {"weight": weight})]), backend="outcrop")
    with pytest.raises(NotImplementedError):
        nx.pagerank(nx.Graph(), backend="outcrop")


def test_conversions_are_kept_until_the_graph_changes() -> None:
    theirs = nx.path_graph(5)
    kept = lambda: set(map(id, theirs.__networkx_cache__.get("backends", {}).get("outcrop", {}).values()))  # noqa: E731
    assert nx.is_connected(theirs, backend="outcrop")
    first = kept()
    assert nx.diameter(theirs, backend="outcrop") == 4
    assert kept() == first
    theirs.add_edge(4, 9)
    assert nx.diameter(theirs, backend="outcrop") == 5
    assert nx.utils.graphs_equal(copy.deepcopy(theirs), theirs)
    again = pickle.loads(pickle.dumps(theirs))
    assert nx.diameter(again, backend="outcrop") == 5


def test_backends_by_priority() -> None:
    small, large = nx.path_graph(9), nx.path_graph(12_000)
    with nx.config.backend_priority(algos=["outcrop"]):
        for theirs in (small, large):
            assert nx.number_connected_components(theirs) == 1
            assert nx.is_tree(theirs)
            assert nx.is_isolate(theirs, 1) is False
    assert "backends" not in small.__networkx_cache__
    assert "outcrop" in large.__networkx_cache__["backends"]
    assert "10,000" in str(networkx_backend.should_run("pagerank", (small,), {}))


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_stores_are_taken_as_they_are(kind: Any) -> None:
    theirs = nx.convert_node_labels_to_integers(graph(kind, 5, [1, 2, 3], loops=False), first_label=7)
    for *_, data in theirs.edges(data=True):
        data["weight"] = data["cost"]
    store = oc.build(theirs)
    for name, options in PLAIN:
        if name != "betweenness_centrality" or options["k"] in (None, 60):
            options = {key: 8 if value == "n1" else value for key, value in options.items() if key != "personalization"}
            options |= {"sources": [8, 9]} if "sources" in options else {}
            options = {key: 11 if value == "n4" else 65 if value == "n58" else value for key, value in options.items()}
            form: Any = LAZY.get(name, lambda answer: answer)
            reason = networkx_backend.can_run(name, (store,), options)
            if reason is not True:
                assert reason is True or "store" in str(reason)
                continue
            try:
                expected = form(getattr(nx, name)(theirs, **options, backend="networkx"))
            except nx.NetworkXException as error:
                with pytest.raises(type(error)):
                    form(getattr(nx, name)(store, **options))
            else:
                near(form(getattr(nx, name)(store, **options)), expected)
    for name in ("core_number", "triangles", "clustering", "connected_components") if kind is nx.Graph else ():
        form = parts if "components" in name else lambda answer: answer
        near(form(getattr(nx, name)(store)), form(getattr(nx, name)(theirs)))
    with pytest.raises(NotImplementedError):
        nx.square_clustering(store)
    with nx.config(fallback_to_nx=True):
        near(nx.square_clustering(store), nx.square_clustering(theirs))
    assert len(nx.betweenness_centrality(store, k=5, seed=1)) == 60
    around = nx.ego_graph(store, 8, radius=2)
    assert dict(around.adjacency()) == {
        node: {other: {"weight": data["weight"]} for other, data in edges.items()}
        for node, edges in nx.ego_graph(theirs, 8, radius=2, backend="networkx").adjacency()
    }
    for path in (nx.shortest_path(store, 8, 11, weight="weight"), nx.shortest_path(store, 8, weight="weight")[11]):
        length = sum(theirs[source][target]["weight"] for source, target in itertools.pairwise(path))
        assert length == nx.dijkstra_path_length(theirs, 8, 11)
    if kind is nx.Graph:
        edges = nx.minimum_spanning_edges(store)
        assert sum(data["weight"] for *_, data in edges) == nx.minimum_spanning_tree(theirs).size("weight")


def test_all_functions_are_functions_of_networkx() -> None:
    import inspect

    for name in networkx_backend.get_info()["functions"]:
        function = getattr(nx, name, None) or getattr(nx.community, name)
        theirs = inspect.signature(function.orig_func).parameters
        ours = inspect.signature(getattr(networkx_backend, name)).parameters
        assert [(p.name, p.default) for p in ours.values()] == [(p.name, p.default) for p in theirs.values()], name
        assert function.name == name
