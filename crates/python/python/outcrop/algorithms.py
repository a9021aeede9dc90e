# Generated from the table of algorithms by crates/outcrop/tests/generated: `make generated` rewrites it.
"""Algorithms, named as in NetworkX. All but walks and paths return a row per vertex, by ascending ID."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from .core.graph import AnyGraph, run_on
from .core.parameters import Node, Path, Vector, Weights
from .core.run_options import IncrementalOptions, ResumableOptions, SparkOptions, lists_options
from .core.tables.result import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack


@lists_options
def bfs(
    graph: AnyGraph | Path,
    source: Node | Iterable[Node],
    *,
    columns: Literal["distance", "all"] = "distance",
    cutoff: int | None = None,
    **options: Unpack[IncrementalOptions],
) -> Result:
    """Breadth-first search: distance (number of edges) from the nearest source; predecessors with ``columns="all"``.

    The distance of a vertex is the smallest number of edges on a directed path from any source. Its predecessor is the
    first vertex in store order among the in-neighbors one step closer to a source; in a store in original order, that
    is the one with the smallest original ID.

    Results are identical in all models and for any number of threads, schedule and layout. The vertex order can change
    predecessors only.

    Distances take 1 byte per vertex (2 in graphs of up to 65,535 vertices), and up to 6 while distances above 254 are
    found. If they do not fit in the remaining memory, the run restarts with ``Engine(model="interval")``.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store.
    source : int, str, or several
        Source vertex, or several of them.
    columns : {"distance", "all"}, default "distance"
        Columns of the result: distance, or all (distance and predecessor).
    cutoff : int, optional
        Search only for vertices up to this number of edges away. Default: none. Only in the model ``"edge_map"``.
    options : Engine, optional
        Execution options that do not change the result: ``model``, ``values``, ``layout``, ``schedule``, ``delivery``,
        ``edge_log``, ``shards``, ``updated_share``, ``delay_buffer``, ``arrivals``, ``arrive_after``.
    checkpoint : path, optional
        Supported in the models `"edge_map"`, `"interval"`, `"messages"` and `"gas"`.

    Returns
    -------
    Result
        Column ``distance``: number of edges on a shortest path from a source; null if unreached or beyond ``cutoff``.
        Column ``predecessor``: previous vertex on a shortest path (needs ``columns="all"``); null for sources and
        unreached vertices.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("a", "b"), ("b", "c"), ("d", "a")], "letters.outcrop")
    >>> oc.bfs(g, "a").to_dict()
    {'a': 0, 'b': 1, 'c': 2, 'd': None}
    """
    return run_on(graph, "bfs", source=source, columns=columns, cutoff=cutoff, **options)


@lists_options
def sssp(
    graph: AnyGraph | Path,
    source: Node | Iterable[Node],
    *,
    columns: Literal["distance", "all"] = "distance",
    precision: Literal["f64", "f32"] = "f64",
    cutoff: float | None = None,
    method: Literal["delta", "bellman-ford"] | None = None,
    bucket_width: float | Literal["auto"] | None = None,
    **options: Unpack[IncrementalOptions],
) -> Result:
    """Shortest paths: the smallest sum of edge weights on a path from a source; predecessors with ``columns="all"``.

    The distance of a vertex is the smallest sum of weights on a directed path from any source. In a graph without
    weights every edge has weight 1. A negative weight on an edge from a reached vertex is an error.

    Results are identical in all models and with both methods, and for any number of threads, vertex order and layout. A
    distance beyond the largest number of the precision (3.4e38 with f32) is an error that names an edge to the vertex.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used.
    source : int, str, or several
        Source vertex, or several of them.
    columns : {"distance", "all"}, default "distance"
        Columns of the result: distance, or all (distance and predecessor).
    precision : {"f64", "f32"}, default "f64"
        Precision of values; f32 halves the memory.
    cutoff : float, optional
        Search only for vertices up to this distance away (above 0). Default: none. Only in the model ``"edge_map"``.
    method : {"delta", "bellman-ford"}, optional
        Relax the edges of the nearest vertices first (delta), or of all changed vertices (bellman-ford). Default: delta
        with weights, otherwise bellman-ford. Only in the model ``"edge_map"``.
    bucket_width : float or "auto", optional
        Bucket width of ``method="delta"`` (above 0). Default: auto. Only in the model ``"edge_map"``.
    options : Engine, optional
        Execution options that do not change the result: ``model``, ``values``, ``layout``, ``schedule``, ``shards``,
        ``updated_share``, ``delay_buffer``, ``arrivals``, ``arrive_after``.
    checkpoint : path, optional
        Supported in the models `"edge_map"`, `"interval"` and `"gas"`.

    Returns
    -------
    Result
        Column ``distance``: sum of weights on a shortest path; null if unreached or beyond ``cutoff``. Column
        ``predecessor``: previous vertex on a shortest path (smallest original ID; needs ``columns="all"``); null for
        sources and unreached vertices.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (1, 3)], "roads.outcrop", weight=[1.0, 1.5, 4.0])
    >>> oc.sssp(g, 1).to_dict()
    {1: 0.0, 2: 1.0, 3: 2.5}
    """
    return run_on(
        graph,
        "sssp",
        source=source,
        columns=columns,
        precision=precision,
        cutoff=cutoff,
        method=method,
        bucket_width=bucket_width,
        **options,
    )


@lists_options
def shortest_path(
    graph: AnyGraph | Path,
    source: Node,
    target: Node,
    *,
    weight: Literal["weight"] | None = None,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Shortest path from one vertex to another: the fewest edges, or the smallest sum of weights.

    A shortest path has the smallest number of directed edges of all paths from ``source`` to ``target`` or, with
    ``weight="weight"``, the smallest sum of weights. The result has one row per vertex of the path, from the source to
    the target, and no rows if there is no path. With ``weight="weight"``, a negative weight on an edge from a reached
    vertex is an error.

    Without weights, the search alternates between both ends, takes a step from the end with fewer new vertices, and
    stops at the first edge where they meet. With ``weight="weight"``, it starts at the source and stops when the
    distance of the target is final.

    If there are several shortest paths, the result is the same one for any number of threads, vertex order and layout.
    A path of more than 65,536 vertices needs more memory than estimated, 4 bytes per vertex.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used with ``weight="weight"``.
    source : int or str
        Source vertex.
    target : int or str
        Target vertex.
    weight : {"weight"}, optional
        If "weight": use edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``step``: number of edges of the path before the vertex; 0 is the source. ``stats["values"]`` has
        ``distance`` (number of edges or, with ``weight="weight"``, sum of weights of the path; null if there is none).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("a", "b"), ("b", "c"), ("c", "d"), ("a", "x"), ("x", "d")], "letters.outcrop")
    >>> oc.shortest_path(g, "a", "d").to_arrow()["node"].to_pylist()
    ['a', 'x', 'd']
    """
    return run_on(graph, "path", source=source, target=target, weight=weight, **options)


@lists_options
def k_shortest_paths(
    graph: AnyGraph | Path,
    source: Node,
    target: Node,
    *,
    k: int = 3,
    weight: Literal["weight"] | None = None,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Several shortest paths from one vertex to another, each visiting a vertex at most once.

    The ``k`` shortest directed paths from ``source`` to ``target`` by the number of edges or, with ``weight="weight"``,
    by the sum of weights; fewer if there are not that many. No path visits a vertex twice. The smallest weight of
    repeated edges counts. With ``weight="weight"``, a negative weight on an edge to a vertex that reaches the target is
    an error.

    The result has one row per vertex of each path, from the source to the target, shortest path first. Distances of all
    vertices to the target are computed first and direct the searches for paths, of which there is one per vertex of a
    path. A search needs about 96 bytes per vertex that it reaches, which may be more than the estimate.

    Which of several equally long paths are found does not depend on threads, memory, vertex order or layout.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used with ``weight="weight"``.
    source : int or str
        Source vertex.
    target : int or str
        Target vertex.
    k : int, default 3
        Number of paths (1 to 10000).
    weight : {"weight"}, optional
        If "weight": use edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``path``: number of the path, starting at 0 with the shortest. Column ``step``: number of edges of the
        path before the vertex; 0 is the source. Column ``distance``: number of edges or, with ``weight="weight"``, sum
        of weights of the path up to the vertex. ``stats["values"]`` has ``paths`` (number of paths found), ``distance``
        (length of the shortest path; null if there is none).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("a", "b"), ("b", "d"), ("a", "c"), ("c", "e"), ("e", "d")], "detours.outcrop")
    >>> oc.k_shortest_paths(g, "a", "d", k=2).to_arrow()["node"].to_pylist()
    ['a', 'b', 'd', 'a', 'c', 'e', 'd']
    """
    return run_on(graph, "k-shortest-paths", source=source, target=target, k=k, weight=weight, **options)


@lists_options
def weakly_connected_components(
    graph: AnyGraph | Path,
    *,
    method: Literal["auto", "sweep", "afforest", "label-propagation"] | None = None,
    **options: Unpack[IncrementalOptions],
) -> Result:
    """Weakly connected components: maximal sets of vertices connected by paths, ignoring directions.

    Two vertices are in the same component if a path connects them, ignoring the direction of its edges. A component is
    named after the smallest original ID in it.

    Results are identical in all models and with all methods. ``auto`` is ``afforest`` in ``chunked`` stores without
    pending updates whose lists have at least 8 entries on average, and otherwise ``sweep``. ``afforest`` and
    ``label-propagation`` read both in-lists and out-lists, and take more memory in directed graphs.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store.
    method : {"auto", "sweep", "afforest", "label-propagation"}, optional
        Read every edge once (sweep), sample edges first (afforest), propagate labels, or choose by layout and list
        length (auto). Default: ``"auto"``. Only in the model ``"edge_map"``.
    options : Engine, optional
        Execution options that do not change the result: ``model``, ``values``, ``layout``, ``schedule``, ``delivery``,
        ``edge_log``, ``shards``, ``updated_share``, ``delay_buffer``, ``arrivals``, ``arrive_after``.
    checkpoint : path, optional
        Supported in the models `"edge_map"`, `"interval"`, `"messages"` and `"gas"`.

    Returns
    -------
    Result
        Column ``component``: smallest original ID in the component.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.weakly_connected_components(oc.build([(5, 2), (7, 9)], "two.outcrop")).to_dict()
    {2: 2, 5: 2, 7: 7, 9: 7}
    """
    return run_on(graph, "wcc", method=method, **options)


@lists_options
def pagerank(
    graph: AnyGraph | Path,
    alpha: float = 0.85,
    personalization: Weights | None = None,
    max_iter: int | None = None,
    tol: float | None = None,
    *,
    iterations: int | None = None,
    precision: Literal["f64", "f32"] = "f64",
    delta: float | None = None,
    accelerate: bool = False,
    weight: Literal["weight"] | None = "weight",
    **options: Unpack[IncrementalOptions],
) -> Result:
    """PageRank: stationary distribution of a random walk that jumps to a random vertex with probability 1 - alpha.

    The stationary distribution of a random walk that follows an out-edge with probability ``alpha`` and otherwise jumps
    to a random vertex (or to one sampled from ``personalization``). A walk at a vertex without out-edges always jumps,
    as in NetworkX. Each stored copy of a repeated edge counts.

    In a weighted graph, an out-edge is followed with probability proportional to its weight, unless ``weight=None`` is
    given. A vertex whose out-edge weights sum to 0 is treated as one without out-edges. Weights must be 0 or from
    1e-280 to 1e270. The model gas does not support weights.

    A run converges when the sum of absolute changes falls below ``tol`` (NetworkX multiplies its tolerance by the
    number of vertices); it fails if ``max_iter`` comes first. ``delta`` makes vertices propagate only changes above
    this fraction of their rank; the run also ends when no vertex propagates, and the errors of all ranks then sum to at
    most ``4 alpha delta / (1 - alpha)``. In single precision, changes bottom out at about 1e-7, so a smaller tolerance
    may never be reached.

    ``accelerate`` starts each iteration from the combination of the last three results that changes least (Anderson
    acceleration, depth 2). This reaches the same tolerance in fewer iterations (29 instead of 64 on a road network, 13
    instead of 16 on a graph with hubs), and takes 16 bytes more per vertex, which cache no lists.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used unless ``weight=None``.
    alpha : float, default 0.85
        Probability of following an edge (0 to below 1).
    personalization : mapping or path, optional
        Jump distribution: .csv or .tsv, ID and weight. Also accepted: a mapping from IDs to weights. Default: uniform.
    max_iter : int, optional
        Maximum number of iterations. Default: 100. Cannot be combined with ``iterations``.
    tol : float, optional
        Tolerance for the sum of absolute changes (above 0). Default: 1e-6. Cannot be combined with ``iterations``.
    iterations : int, optional
        Exact number of iterations, instead of ``tol`` and ``max_iter``.
    precision : {"f64", "f32"}, default "f64"
        Precision of values; f32 halves the memory.
    delta : float, optional
        Propagate changes above this fraction of the rank (0 to below 1). Only in the models ``"edge_map"``,
        ``"messages"`` and ``"gas"``.
    accelerate : bool, default False
        Reach ``tol`` in fewer iterations, with 16 bytes more per vertex. Only in the model ``"edge_map"``. Cannot be
        combined with ``iterations`` or ``delta``.
    weight : {"weight"} or None, default "weight"
        If None: ignore edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``model``, ``values``, ``layout``, ``schedule``, ``edge_log``,
        ``shards``, ``updated_share``, ``delay_buffer``, ``arrivals``, ``arrive_after``.
    checkpoint : path, optional
        Supported in the models `"edge_map"`, `"interval"`, `"messages"` and `"gas"`.

    Returns
    -------
    Result
        Column ``pagerank``: probability that the walk is at the vertex; all values sum to 1.

    Raises
    ------
    NotConvergedError
        If the run does not converge; ``result`` has the values of the last iteration.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 1), (4, 1)], "small.outcrop")
    >>> [row["node"] for row in oc.pagerank(g).top(2)]
    [1, 2]
    """
    return run_on(
        graph,
        "pagerank",
        alpha=alpha,
        personalization=personalization,
        max_iter=max_iter,
        tol=tol,
        iterations=iterations,
        precision=precision,
        delta=delta,
        accelerate=accelerate,
        weight=weight,
        **options,
    )


@lists_options
def radii(graph: AnyGraph | Path, sources: int = 64, seed: int = 1, **options: Unpack[ResumableOptions]) -> Result:
    """Eccentricity estimates: the largest finite distance to a vertex from a sample of up to 64 vertices.

    The largest distance, in directed edges, from any sampled vertex that reaches the vertex. In an undirected graph
    this is a lower bound of its eccentricity, and the largest value is a lower bound of the diameter of the reached
    part.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    sources : int, default 64
        Number of randomly chosen source vertices (1 to 64).
    seed : int, default 1
        Random seed.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``eccentricity``: largest distance (number of edges) from a sampled source; null if none reaches the
        vertex.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop", directed=False)
    >>> oc.radii(g).to_dict()
    {1: 2, 2: 1, 3: 2}
    """
    return run_on(graph, "radii", sources=sources, seed=seed, **options)


@lists_options
def diameter(
    graph: AnyGraph | Path, *, exact: bool = False, iterations: int | None = None, **options: Unpack[ResumableOptions]
) -> Result:
    """Diameter: the largest finite distance between two vertices, exact or as bounds.

    The eccentricity of a vertex is its largest distance, in directed edges, to a vertex that it reaches. The diameter
    is the largest eccentricity of all vertices of all components, as in igraph: pairs without a path do not count.

    Each search tightens the bounds of all eccentricities. With ``exact``, searches continue until the bounds of the
    diameter meet; otherwise their number is limited by ``iterations``.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    exact : bool, default False
        Search until the bounds of the diameter meet.
    iterations : int, optional
        Maximum number of searches. Default: 16. Cannot be combined with ``exact``.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``eccentricity``: largest distance (number of edges) to a reachable vertex; null if unknown. Its
        ``value`` (or ``int(result)``) is largest eccentricity of all vertices; null if the bounds differ.
        ``stats["values"]`` has ``lower`` (largest known eccentricity; null without vertices), ``upper`` (upper bound of
        all eccentricities; null without vertices), ``exact`` (whether lower and upper are equal), ``searches`` (number
        of vertices searched from).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
    >>> oc.diameter(g, exact=True).value
    3
    """
    return run_on(graph, "diameter", exact=exact, iterations=iterations, **options)


@lists_options
def radius(graph: AnyGraph | Path, **options: Unpack[ResumableOptions]) -> Result:
    """Radius: the smallest eccentricity in the largest (strongly) connected component.

    The eccentricity of a vertex is its largest distance, in directed edges, to a vertex that it reaches, inside or
    outside its component. The radius is the smallest eccentricity in the largest component (in a directed graph, the
    largest strongly connected one); among components of equal size, the one with the smallest original ID.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``eccentricity``: largest distance (number of edges) to a reachable vertex; null outside the component or
        if unknown. Its ``value`` (or ``int(result)``) is smallest eccentricity of the component; null without vertices.
        ``stats["values"]`` has ``searches`` (number of vertices searched from).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
    >>> oc.radius(g).value
    2
    """
    return run_on(graph, "radius", **options)


@lists_options
def eccentricity(graph: AnyGraph | Path, **options: Unpack[ResumableOptions]) -> Result:
    """Eccentricity: the largest finite distance from each vertex of the largest (strongly) connected component.

    The eccentricity of a vertex is its largest distance, in directed edges, to a vertex that it reaches, inside or
    outside its component. It is computed for the vertices of the largest component (in a directed graph, the largest
    strongly connected one); among components of equal size, the one with the smallest original ID.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``eccentricity``: largest distance (number of edges) to a reachable vertex; null outside the component.
        ``stats["values"]`` has ``searches`` (number of vertices searched from).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
    >>> oc.eccentricity(g).to_dict()
    {1: 3, 2: 2, 3: 3, 4: 2, 5: 3}
    """
    return run_on(graph, "eccentricity", **options)


@lists_options
def multi_source_distances(
    graph: AnyGraph | Path,
    source: Node | Iterable[Node] | None = None,
    *,
    samples: int | None = None,
    seed: int | None = None,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Distances (numbers of edges on shortest paths) from each of several source vertices.

    The distance from a source to a vertex is the smallest number of edges on a directed path between them. The sources
    are the given vertices, without duplicates, or a random sample. The search processes 64 sources at a time. A column
    takes 2 bytes of memory per vertex, or 4 bytes if its source reaches vertices more than 65,534 edges away.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    source : int, str, or several, optional
        Source vertex, or several of them.
    samples : int, optional
        Number of randomly chosen source vertices. Default: 128. Cannot be combined with ``source``.
    seed : int, optional
        Random seed. Default: 1. Cannot be combined with ``source``.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``distance_<id>``: number of edges on a shortest path from the vertex with this ID; null if unreached.

    Raises
    ------
    BudgetError
        If the memory budget is too small; ``minimum`` is the smallest sufficient budget; each source takes 2 bytes per
        vertex; use fewer sources (``samples`` or ``source``).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("a", "b"), ("b", "c")], "letters.outcrop")
    >>> result = oc.multi_source_distances(g, ["b", "a"])
    >>> result.columns
    ['node', 'distance_b', 'distance_a']
    >>> result.to_dict("distance_a")
    {'a': 0, 'b': 1, 'c': 2}
    """
    return run_on(graph, "apsp", source=source, samples=samples, seed=seed, **options)


@lists_options
def betweenness_centrality(
    graph: AnyGraph | Path,
    k: int | None = None,
    normalized: bool = True,
    *,
    source: Node | Iterable[Node] | None = None,
    seed: int | None = None,
    weight: Literal["weight"] | None = None,
    batch: int | None = None,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Betweenness centrality: the fraction of shortest paths through a vertex, averaged over all pairs of endpoints.

    For each vertex, the sum over all pairs of other vertices of the fraction of their shortest paths that pass through
    it, as in NetworkX. The length of a path is its number of directed edges; repeated edges count once, self-loops are
    ignored. The sum is divided by the number of pairs. ``normalized=False`` omits this division and counts each pair of
    an undirected graph once. Sums over a sample of sources are scaled up.

    With ``weight="weight"``, the length of a path is the sum of its weights, which must be positive and at most 1e270;
    a repeated edge has its smallest weight. Two paths have equal length if their sums are equal in double precision.
    Rounding can break ties between decimal weights (0.1 + 0.2 is not 0.3), but not between integers.

    Graphs with more than 20,000 vertices need a sample or explicit sources; a sample as large as the graph uses every
    vertex. ``batch`` searches from several sources at once, which reads less and takes 9 bytes per vertex and source;
    values agree up to rounding. Weighted searches run one after the other.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used with ``weight="weight"``.
    k : int, optional
        Number of randomly chosen source vertices. Default: all. Cannot be combined with ``source``.
    normalized : bool, default True
        If False: do not divide by the number of pairs.
    source : int, str, or several, optional
        Source vertex, or several of them. Default: all.
    seed : int, optional
        Random seed. Default: 1. Cannot be combined with ``source``. Needs ``k``.
    weight : {"weight"}, optional
        If "weight": use edge weights.
    batch : int, optional
        Number of sources searched at once (1 to 16). Default: by memory. Cannot be combined with ``weight="weight"``.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``betweenness_centrality``: fraction of the shortest paths between other vertices that pass through the
        vertex; null for the only source of a sample.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop")
    >>> oc.betweenness_centrality(g).to_dict()
    {1: 0.0, 2: 0.5, 3: 0.0}
    """
    return run_on(
        graph, "bc", samples=k, normalized=normalized, source=source, seed=seed, weight=weight, batch=batch, **options
    )


@lists_options
def closeness_centrality(
    graph: AnyGraph | Path,
    *,
    exact: bool = False,
    samples: int | None = None,
    registers: int | None = None,
    seed: int | None = None,
    wf_improved: bool = True,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Closeness centrality: the inverse mean distance from the vertices that reach the vertex, times their share.

    The inverse of the mean distance, in directed edges, from the other vertices that reach the vertex, times the
    fraction of the other vertices that do (Wasserman and Faust, 1994), as in NetworkX. With ``wf_improved=False``, the
    inverse of the mean distance alone. A vertex that no other reaches has 0.

    By default, HyperBall estimates how many vertices reach a vertex within each distance. It runs until no vertex is
    reached within a larger distance, and takes 2 bytes per vertex and register. The relative standard error of these
    numbers is 1.04 divided by the square root of ``registers``: 13% with 64 registers, 3.3% with 1024.

    ``samples`` searches from a random sample of vertices instead, 64 at a time, and ``exact`` from all.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    exact : bool, default False
        Search from every vertex.
    samples : int, optional
        Search from this number of random vertices. Cannot be combined with ``exact``.
    registers : int, optional
        Number of registers per counter, a power of 2 (16 to 4096). Default: 64. Cannot be combined with ``exact`` or
        ``samples``.
    seed : int, optional
        Random seed. Default: 1. Cannot be combined with ``exact``.
    wf_improved : bool, default True
        If False: do not multiply by the fraction of vertices that reach the vertex.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``closeness``: inverse of the mean distance from the vertices that reach the vertex, times their fraction
        of all others; 0 if there are none.

    Raises
    ------
    BudgetError
        If the memory budget is too small; ``minimum`` is the smallest sufficient budget; each register takes 2 bytes
        per vertex; use fewer ``registers``, or ``samples``.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 4)], "path.outcrop", directed=False)
    >>> oc.closeness_centrality(g, exact=True).to_dict()
    {1: 0.5, 2: 0.75, 3: 0.75, 4: 0.5}
    """
    return run_on(
        graph,
        "closeness",
        exact=exact,
        samples=samples,
        registers=registers,
        seed=seed,
        wf_improved=wf_improved,
        **options,
    )


@lists_options
def harmonic_centrality(
    graph: AnyGraph | Path,
    *,
    exact: bool = False,
    samples: int | None = None,
    registers: int | None = None,
    seed: int | None = None,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Harmonic centrality: the sum over all other vertices of the inverse of their distance to the vertex.

    The sum over all other vertices of 1 divided by their distance, in directed edges, to the vertex; a vertex that does
    not reach it adds 0. As in NetworkX, the sum is not divided by the number of vertices.

    By default, HyperBall estimates how many vertices reach a vertex within each distance. It runs until no vertex is
    reached within a larger distance, and takes 2 bytes per vertex and register. The relative standard error of a value
    is at most 1.04 divided by the square root of ``registers``: 13% with 64 registers, 3.3% with 1024.

    ``samples`` searches from a random sample of vertices instead, 64 at a time, and ``exact`` from all.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    exact : bool, default False
        Search from every vertex.
    samples : int, optional
        Search from this number of random vertices. Cannot be combined with ``exact``.
    registers : int, optional
        Number of registers per counter, a power of 2 (16 to 4096). Default: 64. Cannot be combined with ``exact`` or
        ``samples``.
    seed : int, optional
        Random seed. Default: 1. Cannot be combined with ``exact``.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``harmonic``: sum of the inverse distances from all other vertices; those that do not reach the vertex
        add 0.

    Raises
    ------
    BudgetError
        If the memory budget is too small; ``minimum`` is the smallest sufficient budget; each register takes 2 bytes
        per vertex; use fewer ``registers``, or ``samples``.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 4)], "path.outcrop")
    >>> oc.harmonic_centrality(g, exact=True).to_dict()
    {1: 0.0, 2: 1.0, 3: 1.5, 4: 1.8333333333333333}
    """
    return run_on(graph, "harmonic", exact=exact, samples=samples, registers=registers, seed=seed, **options)


@lists_options
def eigenvector_centrality(
    graph: AnyGraph | Path,
    max_iter: int = 100,
    tol: float = 1e-6,
    *,
    weight: Literal["weight"] | None = None,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Eigenvector centrality: the nonnegative unit vector x with A.T x = c x for the largest c, A the adjacency matrix.

    The centrality of a vertex is proportional to the sum of the centralities of its in-neighbors, multiplied by the
    weights of their edges with ``weight="weight"``, which must be 0 or from 1e-280 to 1e270. Power iteration starts
    from equal values and adds the previous vector to each product, as in NetworkX, so that it also converges in
    bipartite graphs. If all weights are below 1, it is multiplied by the largest. Weights far above 1 make it
    negligible: if a run does not converge, build the store with weights of at most 1. Each stored copy of a repeated
    edge counts.

    A run converges when the sum of absolute changes falls below ``tol`` (NetworkX multiplies its tolerance by the
    number of vertices); it fails if ``max_iter`` comes first. If several eigenvectors belong to the largest eigenvalue,
    as in a graph of two equal components, the result is the one that equal values converge to. In a directed graph
    without cycles the only eigenvalue is 0, and the iteration converges slowly.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used with ``weight="weight"``.
    max_iter : int, default 100
        Maximum number of iterations.
    tol : float, default 1e-6
        Tolerance for the sum of absolute changes (above 0).
    weight : {"weight"}, optional
        If "weight": use edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``eigenvector``: entry of the eigenvector, whose Euclidean norm is 1.

    Raises
    ------
    NotConvergedError
        If the run does not converge; ``result`` has the values of the last iteration.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop", directed=False)
    >>> {node: round(value, 4) for node, value in oc.eigenvector_centrality(g).to_dict().items()}
    {1: 0.5, 2: 0.7071, 3: 0.5}
    """
    return run_on(graph, "eigenvector", max_iter=max_iter, tol=tol, weight=weight, **options)


@lists_options
def katz_centrality(
    graph: AnyGraph | Path,
    alpha: float = 0.1,
    beta: float = 1.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
    *,
    normalized: bool = True,
    weight: Literal["weight"] | None = None,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Katz centrality: the solution x of x = alpha * A.T x + beta with the adjacency matrix A, of norm 1.

    The sum over all walks that end at the vertex of ``beta`` times ``alpha`` to the power of their length, multiplied
    by the weights of their edges with ``weight="weight"``. The sums are divided by their Euclidean norm unless
    ``normalized=False`` is given. Each stored copy of a repeated edge counts.

    The sums exist if ``alpha`` is less than 1 divided by the largest absolute eigenvalue of the adjacency matrix, which
    is at most the largest in-degree (the largest sum of in-weights). Otherwise the run fails when values overflow or at
    ``max_iter``. A run converges when the mean absolute change falls below ``tol``, as in NetworkX.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used with ``weight="weight"``.
    alpha : float, default 0.1
        Factor of each further edge of a walk (above 0).
    beta : float, default 1.0
        Value of the walk without edges (above 0).
    max_iter : int, default 1000
        Maximum number of iterations.
    tol : float, default 1e-6
        Tolerance for the mean absolute change (above 0).
    normalized : bool, default True
        If False: do not divide by the Euclidean norm.
    weight : {"weight"}, optional
        If "weight": use edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``katz``: Katz centrality; the Euclidean norm of all values is 1, unless ``normalized=False`` is given.

    Raises
    ------
    NotConvergedError
        If the run does not converge; ``result`` has the values of the last iteration.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop")
    >>> oc.katz_centrality(g, 0.5, normalized=False).to_dict()
    {1: 1.0, 2: 1.5, 3: 1.75}
    """
    return run_on(
        graph,
        "katz",
        alpha=alpha,
        beta=beta,
        max_iter=max_iter,
        tol=tol,
        normalized=normalized,
        weight=weight,
        **options,
    )


@lists_options
def hits(
    graph: AnyGraph | Path,
    max_iter: int = 100,
    tol: float = 1e-6,
    *,
    weight: Literal["weight"] | None = "weight",
    **options: Unpack[ResumableOptions],
) -> Result:
    """Hubs and authorities (HITS): the singular vectors of the adjacency matrix for its largest singular value.

    A good hub has edges to good authorities, and a good authority has edges from good hubs: the hub values are
    proportional to the sums of the authorities over out-edges, and the authorities to the sums of the hub values over
    in-edges. Both sum to 1. They are the same in an undirected graph with a cycle of odd length in each component. In a
    weighted graph, edges count by weight, which must be 0 or from 1e-280 to 1e270, unless ``weight=None`` is given.
    Each stored copy of a repeated edge counts.

    Power iteration starts from equal hub values. A run converges when the sum of absolute changes of the hub values,
    scaled to Euclidean norm 1, falls below ``tol``; it fails if ``max_iter`` comes first. If several vectors belong to
    the largest singular value, the result is the one nearest to equal values.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used unless ``weight=None``.
    max_iter : int, default 100
        Maximum number of iterations.
    tol : float, default 1e-6
        Tolerance for the sum of absolute changes (above 0).
    weight : {"weight"} or None, default "weight"
        If None: ignore edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``hub``: sum over out-edges of weight times authority, scaled so that all values sum to 1. Column
        ``authority``: sum over in-edges of weight times hub value, scaled so that all values sum to 1.

    Raises
    ------
    NotConvergedError
        If the run does not converge; ``result`` has the values of the last iteration.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 3), (2, 3), (2, 4)], "links.outcrop")
    >>> [(row["node"], round(row["hub"], 3)) for row in oc.hits(g).top(2)]
    [(2, 0.618), (1, 0.382)]
    """
    return run_on(graph, "hits", max_iter=max_iter, tol=tol, weight=weight, **options)


@lists_options
def degrees(
    graph: AnyGraph | Path,
    *,
    direction: Literal["both", "out", "in"] = "both",
    weight: Literal["weight"] | None = None,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Degree: the number of edges at the vertex, a loop counting twice; or the sum of their weights (strength).

    The number of edges at the vertex, or only of the out-edges or the in-edges (``direction``). A loop is an out-edge
    and an in-edge, so it counts twice, also in an undirected graph, where ``direction`` makes no difference. Each
    stored copy of a repeated edge counts. With ``weight="weight"``, the value is the sum of the weights of these edges.

    Degrees are read from the index of the store; only undirected stores with loops or repeated edges, and weights, need
    a pass over the edges.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used with ``weight="weight"``.
    direction : {"both", "out", "in"}, default "both"
        Edges to count: out-edges, in-edges, or both.
    weight : {"weight"}, optional
        If "weight": use edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``degree``: number of edges at the vertex; with ``weight="weight"`` the sum of their weights.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 3)], "loop.outcrop")
    >>> oc.degrees(g).to_dict()
    {1: 1, 2: 2, 3: 3}
    >>> oc.degrees(g, direction="in").to_dict()
    {1: 0, 2: 1, 3: 2}
    """
    return run_on(graph, "degrees", direction=direction, weight=weight, **options)


@lists_options
def assortativity(graph: AnyGraph | Path, **options: Unpack[ResumableOptions]) -> Result:
    """Assortativity: whether vertices of high degree are connected with each other; mean degree of neighbors.

    The assortativity is the Pearson correlation, over all edges, of the degrees of their ends. It is positive if
    vertices of high degree are connected with each other, as in many social networks, and negative if their neighbors
    have low degrees, as in the web. In a directed graph, it is the correlation of the out-degree of the source and the
    in-degree of the target.

    Each stored copy of a repeated edge counts. A self-loop of an undirected graph counts twice in the degree. Both
    values are those of NetworkX's ``degree_assortativity_coefficient`` and, without self-loops and repeated edges,
    ``average_neighbor_degree``. They are computed from exact integer sums and do not depend on threads, memory, vertex
    order or layout.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``neighbor_degree``: mean degree (in a directed graph, out-degree) of the out-neighbors; null without
        out-neighbors. Its ``value`` (or ``int(result)``) is correlation of the degrees of both ends of edges, from -1
        to 1; null if one of them does not vary.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("hub", "a"), ("hub", "b"), ("hub", "c"), ("a", "b")], "paw.outcrop", directed=False)
    >>> found = oc.assortativity(g)
    >>> round(found.stats["values"]["assortativity"], 3)
    -0.714
    >>> found.to_dict()["c"]
    3.0
    """
    return run_on(graph, "assortativity", **options)


@lists_options
def personalized_pagerank(
    graph: AnyGraph | Path,
    source: Node,
    alpha: float = 0.85,
    tol: float = 0.0001,
    *,
    max_iter: int = 10000,
    precision: Literal["f64", "f32"] = "f64",
    weight: Literal["weight"] | None = "weight",
    **options: Unpack[ResumableOptions],
) -> Result:
    """Personalized PageRank: PageRank in which every random jump leads to one source vertex.

    PageRank in which every jump leads to the source, including those from vertices without out-edges. Forward push
    moves probability along out-edges, beginning with the vertices that have the most of it per out-edge, and ends when
    the errors of all ranks sum to less than ``tol`` times the highest rank. With the default, no rank is off by more
    than 0.0001 of the highest, and ranks sum to at least 0.9999. No rank exceeds the exact value. If probability stays
    near the source, only vertices near it are read. A run that does not reach ``tol`` within ``max_iter`` rounds has
    not converged (exit code 6). Results do not depend on threads, vertex order or layout.

    In a weighted graph, an out-edge is followed with probability proportional to its weight, unless ``weight=None`` is
    given; the unit of the weights does not matter. At vertices that push, weights must be 0 or from 1e-280 to 1e270.
    The last digits of weighted results can depend on vertex order and layout.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used unless ``weight=None``.
    source : int or str
        Source vertex.
    alpha : float, default 0.85
        Probability of following an edge (0 to below 1).
    tol : float, default 0.0001
        Stop when the errors of all ranks sum to less than this fraction of the highest rank (above 0).
    max_iter : int, default 10000
        Maximum number of rounds.
    precision : {"f64", "f32"}, default "f64"
        Precision of values; f32 halves the memory.
    weight : {"weight"} or None, default "weight"
        If None: ignore edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``pagerank``: probability, at most the exact value; 0 where no probability arrived.

    Raises
    ------
    NotConvergedError
        If the run does not converge; ``result`` has the values of the last iteration.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 1), (3, 1)], "small.outcrop")
    >>> [row["node"] for row in oc.personalized_pagerank(g, 1).top(2)]
    [1, 2]
    """
    return run_on(
        graph,
        "ppr",
        source=source,
        alpha=alpha,
        tol=tol,
        max_iter=max_iter,
        precision=precision,
        weight=weight,
        **options,
    )


@lists_options
def core_number(graph: AnyGraph | Path, *, k: int | None = None, **options: Unpack[ResumableOptions]) -> Result:
    """Core number: the largest k such that the vertex is in a subgraph of minimum degree k.

    The k-core of a graph is its largest subgraph in which every vertex has at least k neighbors; the core number of a
    vertex is the largest k whose k-core contains it. Unlike NetworkX, which reports an error, outcrop ignores
    self-loops, repeated edges and directions.

    With ``k``, only that core is computed, which is much faster: the value is k for its vertices and null for all
    others.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store.
    k : int, optional
        Compute only this core. Default: all.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``core_number``: largest k such that the k-core contains the vertex; with ``k``, null outside that core.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.core_number(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "cores.outcrop")).to_dict()
    {1: 2, 2: 2, 3: 2, 4: 1}
    """
    return run_on(graph, "kcore", k=k, **options)


@lists_options
def densest_subgraph(graph: AnyGraph | Path, **options: Unpack[ResumableOptions]) -> Result:
    """Densest subgraph: vertices with many edges between them, with at least half of the greatest density.

    The density of a subgraph is its number of edges divided by its number of vertices. The subgraph found has at least
    half of the greatest density of any subgraph. Directions, self-loops and repeated edges are ignored.

    Each round removes all vertices whose degree is at most the mean degree of the rest, and the densest rest is the
    result. Ties go to the largest rest. The result does not depend on threads, memory or vertex order.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``densest``: 1 for vertices of the subgraph, otherwise 0. ``stats["values"]`` has ``density`` (number of
        edges per vertex of the subgraph; null without vertices), ``vertices`` (number of vertices of the subgraph),
        ``edges`` (number of edges of the subgraph).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4), (4, 5)], "friends.outcrop", directed=False)
    >>> found = oc.densest_subgraph(g)
    >>> found.to_dict()
    {1: 1, 2: 1, 3: 1, 4: 1, 5: 0}
    >>> found.stats["values"]["density"]
    1.5
    """
    return run_on(graph, "densest", **options)


@lists_options
def triangles(graph: AnyGraph | Path, **options: Unpack[SparkOptions]) -> Result:
    """Triangle count: the number of pairs of adjacent neighbors of each vertex, in the undirected simple graph.

    A triangle through a vertex is a pair of its neighbors that are neighbors of each other. Self-loops and repeated
    edges are ignored, and edges in both directions between two vertices count as one. The sum over all vertices is
    three times the number of triangles.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``triangles``: number of pairs of neighbors that are neighbors of each other.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.triangles(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "triangle.outcrop")).to_dict()
    {1: 1, 2: 1, 3: 1, 4: 0}
    """
    return run_on(graph, "triangles", **options)


@lists_options
def clustering(
    graph: AnyGraph | Path, *, weight: Literal["weight"] | None = None, **options: Unpack[ResumableOptions]
) -> Result:
    """Local clustering coefficient: the fraction of pairs of neighbors that are adjacent (LDBC Graphalytics).

    The neighbors of a vertex are the ends of its out-edges and in-edges. The coefficient is the number of directed
    edges between neighbors divided by the largest possible number, or 0 with fewer than 2 neighbors. Self-loops and
    repeated edges are ignored. In undirected graphs this is NetworkX's coefficient; in directed graphs NetworkX uses
    another definition.

    With ``weight="weight"`` (undirected graphs only), this is NetworkX's weighted coefficient: the sum, over the
    triangles through the vertex, of the cube roots of the products of their three weights, divided by the number of
    pairs of neighbors. Weights are first divided by the largest weight of the graph, self-loops included; negative
    weights are refused. A repeated edge has its smallest weight.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used with ``weight="weight"``.
    weight : {"weight"}, optional
        If "weight": use edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``clustering``: number of edges among the neighbors divided by the largest possible number, 0 to 1.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.clustering(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "links.outcrop", directed=False)).to_dict()
    {1: 1.0, 2: 1.0, 3: 0.3333333333333333, 4: 0.0}
    """
    return run_on(graph, "lcc", weight=weight, **options)


@lists_options
def strongly_connected_components(graph: AnyGraph | Path, **options: Unpack[SparkOptions]) -> Result:
    """Strongly connected components: maximal sets of mutually reachable vertices.

    Two vertices are in the same component if each reaches the other along directed edges. A component is named after
    the smallest original ID in it. In an undirected graph these are the connected components.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``component``: smallest original ID in the component.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.strongly_connected_components(oc.build([(5, 2), (2, 5), (5, 9)], "circle.outcrop")).to_dict()
    {2: 2, 5: 2, 9: 9}
    """
    return run_on(graph, "scc", **options)


@lists_options
def topological_sort(
    graph: AnyGraph | Path, *, weight: Literal["weight"] | None = None, **options: Unpack[ResumableOptions]
) -> Result:
    """Topological order: an order in which each edge leads from an earlier to a later vertex; levels of vertices.

    A topological order of a directed graph without cycles contains every vertex once, each before the targets of its
    out-edges. The level of a vertex is the largest number of edges of a path that ends at it, 0 for vertices without
    in-edges. The order is ascending by level, and within a level by original ID.

    With ``weight="weight"``, the largest sum of the weights of a path that ends at the vertex is a third column: in a
    plan of tasks whose edges are durations, the earliest time at which each can begin.

    Vertices on cycles, and those that a cycle reaches, have neither level nor position; ``acyclic`` is then false, and
    ``cyclic`` is their number. ``scc`` finds the cycles. A self-loop is a cycle, and so is an edge of an undirected
    graph.

    The result does not depend on threads, memory or vertex order.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used with ``weight="weight"``.
    weight : {"weight"}, optional
        If "weight": use edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``level``: number of edges on a longest path that ends at the vertex; null on and behind cycles. Column
        ``position``: place in the order, starting at 0; null on and behind cycles. Column ``longest``: largest sum of
        weights of a path that ends at the vertex (needs ``weight="weight"``), at least 0; null on and behind cycles.
        ``stats["values"]`` has ``acyclic`` (whether the graph has no cycle), ``levels`` (number of levels), ``cyclic``
        (number of vertices on or behind a cycle).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("shirt", "tie"), ("tie", "jacket"), ("shirt", "belt"), ("belt", "jacket")], "clothes.outcrop")
    >>> oc.topological_sort(g).to_dict("position")
    {'belt': 1, 'jacket': 3, 'shirt': 0, 'tie': 2}
    """
    return run_on(graph, "topological-sort", weight=weight, **options)


@lists_options
def spanning_forest(
    graph: AnyGraph | Path,
    *,
    maximum: bool = False,
    weight: Literal["weight"] | None = "weight",
    **options: Unpack[ResumableOptions],
) -> Result:
    """Minimum spanning forest: edges without a cycle that connect each component with the smallest sum of weights.

    A spanning forest contains a tree of each connected component, ignoring directions. A minimum spanning forest has
    the smallest possible sum of weights, or with ``maximum`` the largest. Without weights, all spanning forests have
    the same sum. Edges of the same weight are ordered by the smaller of their two original IDs, then by the larger;
    with this order, exactly one spanning forest is minimum. Weights can be negative.

    Each tree is rooted at its smallest original ID. Each other vertex has one row with its edge to its parent, so that
    the rows with a parent are the edges of the forest.

    The result does not depend on threads, memory or vertex order.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used unless ``weight=None``.
    maximum : bool, default False
        Find the forest with the largest sum of weights.
    weight : {"weight"} or None, default "weight"
        If None: ignore edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``parent``: other end of the vertex's edge to its root; null for roots. Column ``weight``: weight of this
        edge (1 without weights); null for roots. ``stats["values"]`` has ``edges`` (number of edges of the forest),
        ``total_weight`` (sum of their weights).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (1, 3)], "roads.outcrop", weight=[1.0, 1.5, 4.0], directed=False)
    >>> oc.spanning_forest(g).to_dict()
    {1: None, 2: 1, 3: 2}
    """
    return run_on(graph, "spanning-forest", maximum=maximum, weight=weight, **options)


@lists_options
def bridges(graph: AnyGraph | Path, **options: Unpack[ResumableOptions]) -> Result:
    """Bridges and articulation points: edges and vertices whose removal disconnects their component.

    An edge is a bridge, and a vertex an articulation point, if its removal increases the number of connected
    components. Directions, self-loops and repeated edges are ignored: two edges between the same vertices are one edge,
    which can be a bridge.

    The rows with a ``bridge`` are the bridges, each once. The result does not depend on threads, memory or vertex
    order.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``bridge``: other end of a bridge, at the end that is farther from the smallest original ID of the
        component; null for other vertices. Column ``articulation_point``: 1 for articulation points, otherwise 0. Its
        ``value`` (or ``int(result)``) is number of bridges. ``stats["values"]`` has ``articulation_points`` (number of
        articulation points).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "bridge.outcrop", directed=False)
    >>> oc.bridges(g).to_dict()
    {1: None, 2: None, 3: None, 4: 3}
    """
    return run_on(graph, "bridges", **options)


@lists_options
def bipartite_sides(graph: AnyGraph | Path, **options: Unpack[ResumableOptions]) -> Result:
    """Bipartite test: divides each component into two sides so that every edge joins both, if possible.

    A graph is bipartite if its vertices can be divided into two sides so that every edge joins a vertex of one side and
    a vertex of the other: if no cycle has odd length. Directions and repeated edges are ignored. A self-loop is a cycle
    of length 1.

    Each connected component is divided separately, so a component that is not bipartite does not affect the others. The
    result does not depend on threads, memory or vertex order.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``side``: 0 or 1, 0 for the smallest original ID of each component; null in components that are not
        bipartite. Its ``value`` (or ``int(result)``) is true if the graph is bipartite. ``stats["values"]`` has
        ``odd_vertices`` (number of vertices in components that are not bipartite).

    Examples
    --------
    >>> import outcrop as oc
    >>> shop = oc.build([("ann", "tea"), ("ann", "jam"), ("bob", "tea")], "buyers.outcrop")
    >>> sides = oc.bipartite_sides(shop)
    >>> sides.to_dict()
    {'ann': 0, 'bob': 0, 'jam': 1, 'tea': 1}
    >>> sides.stats["values"]["bipartite"]
    True
    """
    return run_on(graph, "bipartite", **options)


@lists_options
def greedy_color(graph: AnyGraph | Path, *, seed: int = 1, **options: Unpack[ResumableOptions]) -> Result:
    """Greedy coloring: an assignment of few colors in which adjacent vertices have different colors.

    Every vertex gets the smallest color that no neighbor has, as in sequential greedy coloring. The order approximates
    the degeneracy order (smallest degree last), so there are few colors: all vertices of about average degree or less
    come last, before them those of about average degree or less among the rest, and so on. Within such a group, the
    order is random and depends on ``seed``. Results are identical for any number of threads, in both models and for any
    vertex order of the store. Self-loops and repeated edges only count in degrees.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store.
    seed : int, default 1
        Random seed.
    options : Engine, optional
        Execution options that do not change the result: ``model``, ``values``, ``layout``, ``schedule``, ``edge_log``.
    checkpoint : path, optional
        Supported in the models `"edge_map"` and `"messages"`.

    Returns
    -------
    Result
        Column ``color``: number of the color, starting at 0.

    Examples
    --------
    >>> import outcrop as oc
    >>> colors = oc.greedy_color(oc.build([(1, 2), (2, 3), (3, 1)], "triangle.outcrop")).to_dict()
    >>> sorted(colors.values())
    [0, 1, 2]
    """
    return run_on(graph, "coloring", seed=seed, **options)


@lists_options
def spmv(
    graph: AnyGraph | Path,
    vector: Vector | None = None,
    *,
    transpose: bool = False,
    combine: Literal["plus", "min", "max"] = "plus",
    edge: Literal["times", "plus", "first"] = "times",
    precision: Literal["f64", "f32"] = "f64",
    **options: Unpack[ResumableOptions],
) -> Result:
    """Sparse matrix-vector product: for each vertex, the weighted sum of a vector over its in-edges.

    For each vertex, the sum over its in-edges of the weight times the value of the source, which is ``A.T @ x`` with
    SciPy's adjacency matrix ``A``; ``transpose`` sums over its out-edges instead, ``A @ x``. In an undirected graph
    both are the same. Without weights every edge has weight 1. Each stored copy of a repeated edge counts. Vertices
    without a value in the vector have 0.

    In other semirings, the term of an edge is the weight plus the value (``edge="plus"``) or the value alone
    (``edge="first"``), and terms are combined by minimum (``combine="min"``) or maximum (``combine="max"``). With
    ``combine="min"`` and ``edge="plus"``, this is one step of shortest paths. Values may then be infinite, vertices
    without a value in the vector contribute nothing, and a vertex without contributing neighbors has null.

    In single precision only stored values are rounded; sums use double precision.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used.
    vector : array, list, mapping, (ids, values), or path, optional
        Vector to multiply by: .npy (one value per vertex by ascending ID), or .parquet, .csv or .tsv (ID and value).
        Also accepted: one number per vertex by ascending ID, a mapping from IDs to numbers, or a pair of IDs and
        numbers. Default: ones.
    transpose : bool, default False
        Sum over out-edges instead of in-edges.
    combine : {"plus", "min", "max"}, default "plus"
        Operator that combines the terms of a vertex: sum, minimum or maximum.
    edge : {"times", "plus", "first"}, default "times"
        Term of an edge: weight times value, weight plus value, or the value alone.
    precision : {"f64", "f32"}, default "f64"
        Precision of values; f32 halves the memory.
    options : Engine, optional
        Execution options that do not change the result: ``model``, ``values``, ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the models `"edge_map"` and `"interval"`.

    Returns
    -------
    Result
        Column ``value``: sum over in-edges of weight times vector value; with ``transpose`` over out-edges; null on
        overflow, or without a minimum or maximum.

    Raises
    ------
    BadInputError
        If the vector has the wrong length, a duplicate ID or an unknown ID.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "matrix.outcrop", weight=[0.5, 2.0, 1.0])
    >>> oc.spmv(g).to_dict()
    {1: 0.0, 2: 0.5, 3: 3.0}
    >>> oc.spmv(g, {3: -2.0}, transpose=True).to_dict()
    {1: -4.0, 2: -2.0, 3: 0.0}
    >>> oc.spmv(g, {1: 0.0}, combine="min", edge="plus").to_dict()
    {1: None, 2: 0.5, 3: 2.0}
    """
    return run_on(
        graph, "spmv", vector=vector, transpose=transpose, combine=combine, edge=edge, precision=precision, **options
    )


@lists_options
def label_propagation(
    graph: AnyGraph | Path,
    max_iter: int | None = None,
    *,
    iterations: int | None = None,
    weight: Literal["weight"] | None = None,
    **options: Unpack[SparkOptions],
) -> Result:
    """Label propagation: each vertex repeatedly adopts the most frequent label of its neighbors (LDBC Graphalytics).

    Every vertex starts with its own ID as its label. All vertices simultaneously adopt, in each iteration, the label
    that was most frequent among their neighbors in the previous one; ties go to the smallest label. An edge counts in
    both directions, so a neighbor connected by two edges counts twice; self-loops are ignored. ``weight="weight"``
    selects the label with the largest sum of edge weights, which must be 0 or from 1e-280 to 1e270.

    A run ends early if no label changes.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used with ``weight="weight"``.
    max_iter : int, optional
        Maximum number of iterations; the run ends early if no label changes. Default: 10. Cannot be combined with
        ``iterations``.
    iterations : int, optional
        Same as ``max_iter``.
    weight : {"weight"}, optional
        If "weight": use edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``model``, ``values``, ``layout``, ``schedule``, ``edge_log``.
    checkpoint : path, optional
        Supported in the models `"edge_map"` and `"messages"`.

    Returns
    -------
    Result
        Column ``label``: community of the vertex, named after one of its original IDs.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 1), (7, 8), (8, 9), (9, 7)], "groups.outcrop", directed=False)
    >>> oc.label_propagation(g, 10).to_dict()
    {1: 1, 2: 1, 3: 1, 7: 7, 8: 7, 9: 7}
    """
    return run_on(graph, "cdlp", max_iter=max_iter, iterations=iterations, weight=weight, **options)


@lists_options
def leiden(
    graph: AnyGraph | Path,
    *,
    resolution: float = 1.0,
    seed: int = 1,
    max_iter: int = 10,
    weight: Literal["weight"] | None = "weight",
    **options: Unpack[ResumableOptions],
) -> Result:
    """Leiden: communities of high modularity, each of them connected.

    The modularity of communities is the share of the edges within them, less the share expected in a random graph with
    the same degrees, which ``resolution`` multiplies: a larger resolution gives smaller communities. Vertices move to
    the community of a neighbor as long as that increases the modularity. Each community is then divided into
    well-connected parts, which move together, and so on. All this is repeated until nothing moves, at most ``max_iter``
    times: then no move of a single vertex increases the modularity. Every community is connected.

    The edges of a directed graph count as undirected, and opposite or repeated edges add up. A self-loop counts twice
    in degrees, as in NetworkX. Weights of a weighted graph count unless ``weight=None`` is given; they must be 0 or
    from 1e-280 to 1e270.

    Results are identical for any number of threads, amount of memory and layout. Another vertex order of the store
    finds other communities of about the same modularity.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used unless ``weight=None``.
    resolution : float, default 1.0
        Weight of the expected edges; larger values give smaller communities (above 0).
    seed : int, default 1
        Random seed.
    max_iter : int, default 10
        Maximum number of repetitions; the run ends early if nothing moves.
    weight : {"weight"} or None, default "weight"
        If None: ignore edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``community``: smallest original ID in the community of the vertex. ``stats["values"]`` has
        ``modularity`` (modularity of the communities; null without edges), ``levels`` (number of levels, of which the
        first has the vertices of the graph).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 1), (3, 7), (7, 8), (8, 9), (9, 7)], "pair.outcrop", directed=False)
    >>> oc.leiden(g).to_dict()
    {1: 1, 2: 1, 3: 1, 7: 7, 8: 7, 9: 7}
    """
    return run_on(graph, "leiden", resolution=resolution, seed=seed, max_iter=max_iter, weight=weight, **options)


@lists_options
def louvain(
    graph: AnyGraph | Path,
    *,
    resolution: float = 1.0,
    seed: int = 1,
    max_levels: int | None = None,
    hierarchy: bool = False,
    weight: Literal["weight"] | None = "weight",
    **options: Unpack[ResumableOptions],
) -> Result:
    """Louvain: communities of high modularity, found by moving vertices and then whole communities.

    The modularity of communities is the share of the edges within them, less the share expected in a random graph with
    the same degrees, which ``resolution`` multiplies: a larger resolution gives smaller communities. Vertices move to
    the community of a neighbor as long as that increases the modularity; then communities become the vertices of a
    smaller graph, and so on.

    Communities may be disconnected, and leiden usually finds a higher modularity. Edges, weights and self-loops count
    as in leiden.

    With ``hierarchy``, the result also has the communities of each level that differ from those of the level before,
    whose unions they are. The last level has the communities themselves. Use --output to see them.

    Results are identical for any number of threads, amount of memory and layout. Another vertex order of the store
    finds other communities of about the same modularity.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used unless ``weight=None``.
    resolution : float, default 1.0
        Weight of the expected edges; larger values give smaller communities (above 0).
    seed : int, default 1
        Random seed.
    max_levels : int, optional
        Maximum number of levels. Default: all.
    hierarchy : bool, default False
        Also return the communities of each level.
    weight : {"weight"} or None, default "weight"
        If None: ignore edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``community``: smallest original ID in the community of the vertex. Column ``level_<id>``: community at a
        level (needs ``hierarchy``), with its number as the name: level_1 has the smallest communities.
        ``stats["values"]`` has ``modularity`` (modularity of the communities; null without edges), ``levels`` (number
        of levels, of which the first has the vertices of the graph).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 1), (3, 7), (7, 8), (8, 9), (9, 7)], "pair.outcrop", directed=False)
    >>> oc.louvain(g).to_dict()
    {1: 1, 2: 1, 3: 1, 7: 7, 8: 7, 9: 7}
    """
    return run_on(
        graph,
        "louvain",
        resolution=resolution,
        seed=seed,
        max_levels=max_levels,
        hierarchy=hierarchy,
        weight=weight,
        **options,
    )


@lists_options
def modularity(
    graph: AnyGraph | Path,
    *,
    communities: Vector,
    resolution: float = 1.0,
    weight: Literal["weight"] | None = "weight",
    **options: Unpack[ResumableOptions],
) -> Result:
    """Modularity and conductance of given communities: how many of the edges are within them.

    Each vertex has a community (``communities``): any integer below 2^53 in size, such as those that leiden, louvain or
    cdlp return in a graph of integer IDs. The modularity is the share of the edges within communities (the coverage),
    less the share expected in a random graph with the same degrees, which ``resolution`` multiplies. The conductance of
    a community is the number of edges that leave it in either direction, divided by the sum of the degrees (in a
    directed graph, of the out-degrees) within it or outside it, whichever is smaller. All these are those of NetworkX.

    Each stored copy of a repeated edge counts, and a self-loop of an undirected graph counts twice in degrees. Weights
    of a weighted graph count unless ``weight=None`` is given. The edges of a directed graph count by their direction,
    unlike in leiden.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used unless ``weight=None``.
    communities : array, list, mapping, (ids, values), or path
        Community of each vertex: .npy (one integer per vertex by ascending ID), or .parquet, .csv or .tsv (ID and
        integer). Also accepted: one number per vertex by ascending ID, a mapping from IDs to numbers, or a pair of IDs
        and numbers.
    resolution : float, default 1.0
        Weight of the expected edges (above 0).
    weight : {"weight"} or None, default "weight"
        If None: ignore edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``conductance``: conductance of the community of the vertex; null if the degrees within or outside sum to
        0. Its ``value`` (or ``int(result)``) is modularity of the communities; null without edges. ``stats["values"]``
        has ``coverage`` (share of the edges that are within communities; null without edges), ``communities`` (number
        of communities).

    Raises
    ------
    BadInputError
        If the vector has the wrong length, a duplicate ID or an unknown ID.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 1), (3, 7), (7, 8), (8, 9), (9, 7)], "pair.outcrop", directed=False)
    >>> found = oc.modularity(g, communities=oc.leiden(g).to_dict())
    >>> round(found.stats["values"]["modularity"], 3)
    0.357
    >>> round(found.to_dict()[1], 3)
    0.143
    """
    return run_on(graph, "modularity", communities=communities, resolution=resolution, weight=weight, **options)


@lists_options
def similarity(
    graph: AnyGraph | Path,
    source: Node,
    *,
    measure: Literal["jaccard", "overlap", "cosine", "common", "adamic-adar", "resource-allocation"] = "jaccard",
    **options: Unpack[ResumableOptions],
) -> Result:
    """Similarity to a source vertex: how many out-neighbors each vertex shares with it.

    Two vertices are similar if they have many out-neighbors in common. With the sets of out-neighbors N(s) of the
    source and N(v), ``measure`` is:

    - jaccard: the number of common neighbors divided by the size of the union of N(s) and N(v)
    - overlap: that number divided by the size of the smaller set
    - cosine: that number divided by the square root of the product of the sizes
    - common: that number
    - adamic-adar: the sum over common neighbors of 1 divided by the logarithm of their number of in-neighbors
    - resource-allocation: the sum over common neighbors of 1 divided by their number of in-neighbors

    In an undirected graph, in-neighbors and out-neighbors are the same. Repeated edges count once, and self-loops and
    weights are ignored. The table of the largest values lists the vertices most similar to the source, and
    ``most-similar`` finds those of every vertex. For given pairs of vertices of an undirected graph, use NetworkX's
    functions with outcrop as the backend, such as ``jaccard_coefficient``.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    source : int or str
        Source vertex.
    measure : {"jaccard", "overlap", "cosine", "common", "adamic-adar", "resource-allocation"}, default "jaccard"
        Measure of similarity.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``similarity``: similarity to the source; null for the source and for vertices without a common neighbor.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("ann", "tea"), ("ann", "jam"), ("bob", "tea"), ("bob", "jam"), ("cid", "jam")], "shop.outcrop")
    >>> oc.similarity(g, "ann").to_dict()
    {'ann': None, 'bob': 1.0, 'cid': 0.5, 'jam': None, 'tea': None}
    """
    return run_on(graph, "similarity", source=source, measure=measure, **options)


@lists_options
def most_similar(
    graph: AnyGraph | Path,
    *,
    k: int = 10,
    measure: Literal["jaccard", "overlap", "cosine", "common", "adamic-adar", "resource-allocation"] = "jaccard",
    max_degree: int | None = None,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Most similar vertices of each vertex: those that share the most out-neighbors with it.

    Two vertices are similar if they have many out-neighbors in common, by one of the measures of ``similarity``
    (``measure``). The result has the ``k`` most similar vertices of each vertex, most similar first; of equally similar
    ones, those of the smallest IDs. Vertices without a common neighbor are not similar. Repeated edges count once, and
    self-loops and weights are ignored.

    The time grows with the sum of the squares of the in-degrees: a vertex with a million in-neighbors is shared by 500
    billion pairs. With ``max_degree``, neighbors with more in-neighbors do not count, neither as common ones nor in the
    sizes of sets. Such neighbors say little about similarity.

    The memory determines how many vertices are compared at the same time; with more, the lists are read less often. The
    result does not depend on threads, memory, vertex order or layout.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    k : int, default 10
        Number of similar vertices per vertex (1 to 100).
    measure : {"jaccard", "overlap", "cosine", "common", "adamic-adar", "resource-allocation"}, default "jaccard"
        Measure of similarity.
    max_degree : int, optional
        Ignore neighbors with more in-neighbors than this. Default: all.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``similar_<id>``: similar vertex, with its place from 1 to ``k`` as the name; null if fewer share a
        neighbor with the vertex. Column ``similarity_<id>``: its similarity; null if fewer vertices share a neighbor
        with the vertex.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("ann", "tea"), ("ann", "jam"), ("bob", "tea"), ("bob", "jam"), ("cid", "jam")], "pairs.outcrop")
    >>> oc.most_similar(g, k=1).to_arrow().to_pylist()[0]
    {'node': 'ann', 'similar_1': 'bob', 'similarity_1': 1.0}
    """
    return run_on(graph, "most-similar", k=k, measure=measure, max_degree=max_degree, **options)


@lists_options
def fastrp(
    graph: AnyGraph | Path,
    *,
    dimensions: int = 64,
    iterations: int = 3,
    beta: float = 0.0,
    seed: int = 1,
    **options: Unpack[ResumableOptions],
) -> Result:
    """FastRP: a vector per vertex, similar for vertices with similar neighborhoods, by random projections.

    Every vertex starts with a random vector of ``dimensions`` coordinates. In each iteration, it takes the mean of the
    vectors of its neighbors. The embedding is the sum of the vectors after all iterations but the first, whose vectors
    say little: with more ``iterations``, it depends on a larger neighborhood. With ``beta`` below 0, neighbors of high
    degree count less.

    Directions are ignored, each stored copy of a repeated edge counts, and weights are ignored. The vectors are not
    scaled to length 1.

    For a seed, the result does not depend on threads or memory, and on the vertex order and the layout only by
    rounding. Dimensions are computed in groups, whose size depends on the memory, and written to temporary files of 4
    bytes per vertex and dimension.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    dimensions : int, default 64
        Number of coordinates of a vector (1 to 512).
    iterations : int, default 3
        Number of iterations.
    beta : float, default 0.0
        Power of the degrees that scales the random vectors (-1 to 1).
    seed : int, default 1
        Random seed.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``.
    checkpoint : path, optional
        Supported in the model `"edge_map"`.

    Returns
    -------
    Result
        Column ``embedding_<id>``: coordinate of the vector, with the number of its dimension as the name; 0 for
        vertices without edges.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 4)], "chain-of-four.outcrop", directed=False)
    >>> oc.fastrp(g, dimensions=2).columns
    ['node', 'embedding_0', 'embedding_1']
    """
    return run_on(graph, "fastrp", dimensions=dimensions, iterations=iterations, beta=beta, seed=seed, **options)


@lists_options
def maximal_independent_set(graph: AnyGraph | Path, *, seed: int = 1, **options: Unpack[ResumableOptions]) -> Result:
    """Maximal independent set: pairwise non-adjacent vertices to which no further vertex can be added.

    No two members of the set are neighbors, and no vertex can be added. In each round, every undecided vertex draws a
    random number that depends on ``seed``. A vertex joins the set if its number is smaller than those of all undecided
    neighbors, which are then excluded. Directions and self-loops are ignored.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store.
    seed : int, default 1
        Random seed.
    options : Engine, optional
        Execution options that do not change the result: ``model``, ``values``, ``layout``, ``schedule``, ``edge_log``.
    checkpoint : path, optional
        Supported in the models `"edge_map"` and `"messages"`.

    Returns
    -------
    Result
        Column ``in_set``: 1 for members of the set, otherwise 0.

    Examples
    --------
    >>> import outcrop as oc
    >>> members = oc.maximal_independent_set(oc.build([(1, 2), (2, 3), (3, 1), (7, 8)], "pairs.outcrop")).to_dict()
    >>> sum(members.values())
    2
    """
    return run_on(graph, "mis", seed=seed, **options)


@lists_options
def random_walks(
    graph: AnyGraph | Path,
    source: Node | Iterable[Node] | None = None,
    *,
    every: int | None = None,
    length: int = 10,
    restart: float = 0.0,
    p: float = 1.0,
    q: float = 1.0,
    seed: int = 1,
    weight: Literal["weight"] | None = None,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Random walks along out-edges, of first or second order (node2vec).

    Walks follow out-edges: one walk per source, in the given order (a repeated source starts several walks), or one per
    every N-th vertex (``every``). All out-edges are equally likely; ``weight="weight"`` makes their probability
    proportional to their weight. Edges of weight 0 are never followed; at visited vertices, other weights must be from
    1e-280 to 1e270. A walk ends early at a vertex without out-edges; ``restart`` returns it to its start instead. ``p``
    and ``q`` make steps of second order: an edge back to the previous vertex has 1/p of its weight, and an edge to a
    vertex that is not an out-neighbor of the previous one has 1/q of its weight.

    The result has one row per step, sorted by walk and step, with the original ID of the vertex as ``node``. It does
    not depend on threads or memory.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are used with ``weight="weight"``.
    source : int, str, or several, optional
        Start vertex of a walk, or several of them.
    every : int, optional
        Start a walk at every N-th vertex in ascending ID order. Default: 1000. Cannot be combined with ``source``.
    length : int, default 10
        Steps per walk.
    restart : float, default 0.0
        Probability of returning to the start in a step (0 to 1).
    p : float, default 1.0
        Return parameter: weight factor 1/P of edges back (node2vec) (above 0).
    q : float, default 1.0
        In-out parameter: weight factor 1/Q of edges outward (node2vec) (above 0).
    seed : int, default 1
        Random seed.
    weight : {"weight"}, optional
        If "weight": use edge weights.
    options : Engine, optional
        Execution options that do not change the result: ``layout``, ``schedule``, ``delivery``, ``edge_log``.
    checkpoint : path, optional
        Supported in the model `"messages"`.

    Returns
    -------
    Result
        Column ``walk``: number of the walk, starting at 0. Column ``step``: number of the step; 0 is the start.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("a", "b"), ("b", "c")], "letters.outcrop")
    >>> oc.random_walks(g, ["b", "a"]).to_arrow()["node"].to_pylist()
    ['b', 'c', 'a', 'b', 'c']
    """
    return run_on(
        graph,
        "walks",
        source=source,
        every=every,
        length=length,
        restart=restart,
        p=p,
        q=q,
        seed=seed,
        weight=weight,
        **options,
    )


@lists_options
def belief_propagation(
    graph: AnyGraph | Path,
    priors: Vector,
    coupling: float = 0.9,
    *,
    damping: float = 0.0,
    tol: float = 1e-6,
    max_iter: int = 100,
    precision: Literal["f64", "f32"] = "f64",
    **options: Unpack[ResumableOptions],
) -> Result:
    """Belief propagation: marginal probabilities of a binary pairwise Markov random field, exact on trees.

    Every vertex is in state 0 or 1. The joint probability of all states is proportional to the product of the priors
    (``priors``) of all vertices and, for every edge, of ``coupling`` if its ends have the same state and one minus
    ``coupling`` otherwise: below 1/2, neighbors tend to differ. Beliefs are exact on trees; on other graphs they are
    the result of loopy belief propagation. Vertices without a value in the vector have prior 1/2; a prior of exactly 0
    or 1 never changes. Self-loops, repeated edges and directions are ignored.

    Messages are stored per edge, in temporary files if they do not fit in memory. A run ends when no message changes by
    more than ``tol`` in log-odds; ``damping`` stabilizes oscillating messages. Single precision halves the space for
    messages; changes then bottom out at about 1e-7 of a message.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    priors : array, list, mapping, (ids, values), or path
        Prior probabilities of state 1: .npy (one value per vertex by ascending ID), or .parquet, .csv or .tsv (ID and
        value). Also accepted: one number per vertex by ascending ID, a mapping from IDs to numbers, or a pair of IDs
        and numbers.
    coupling : float, default 0.9
        Probability that the ends of an edge have the same state (above 0 to below 1).
    damping : float, default 0.0
        Fraction of the previous message kept in each new message (0 to below 1).
    tol : float, default 1e-6
        Stop when no message changes by more than this in log-odds (above 0).
    max_iter : int, default 100
        Maximum number of iterations.
    precision : {"f64", "f32"}, default "f64"
        Precision of values; f32 halves the memory.
    options : Engine, optional
        Execution options that do not change the result: ``values``, ``layout``, ``schedule``, ``shards``,
        ``updated_share``, ``delay_buffer``.
    checkpoint : path, optional
        Supported in the model `"gas"`.

    Returns
    -------
    Result
        Column ``belief``: probability of state 1.

    Raises
    ------
    NotConvergedError
        If the run does not converge; ``result`` has the values of the last iteration.
    BadInputError
        If the vector has the wrong length, a duplicate ID or an unknown ID.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "chain.outcrop", directed=False)
    >>> beliefs = oc.belief_propagation(g, {1: 0.9}, coupling=0.75).to_dict()
    >>> [round(beliefs[node], 6) for node in (1, 2, 3)]
    [0.9, 0.7, 0.6]
    """
    return run_on(
        graph,
        "bp",
        vector=priors,
        coupling=coupling,
        damping=damping,
        tol=tol,
        max_iter=max_iter,
        precision=precision,
        **options,
    )


@lists_options
def heat_simulation(
    graph: AnyGraph | Path,
    start: Vector,
    iterations: int = 100,
    *,
    rate: float | None = None,
    tol: float | None = None,
    **options: Unpack[ResumableOptions],
) -> Result:
    """Heat diffusion: explicit Euler steps of the heat equation dx/dt = -L x with the graph Laplacian L.

    In each step, the temperature of a vertex grows by ``rate`` times the sum of the differences to its neighbors. The
    sum of all temperatures is constant. A stable rate is at most 1 / (maximum degree); larger rates are refused, and
    the error names the largest stable one. The default is 1 / (maximum degree + 1). Vertices without a value in the
    vector start at 0. Self-loops, repeated edges and directions are ignored.

    Changes are stored per edge, in temporary files if they do not fit in memory. ``tol`` delays changes until they add
    up to more than its value, so that edges of nearly constant vertices are not read; the error of a temperature is
    then at most twice ``tol`` times the number of steps.

    Parameters
    ----------
    graph : Graph or path
        Graph, or the path of a store; its weights are ignored.
    start : array, list, mapping, (ids, values), or path
        Initial temperatures: .npy (one value per vertex by ascending ID), or .parquet, .csv or .tsv (ID and value).
        Also accepted: one number per vertex by ascending ID, a mapping from IDs to numbers, or a pair of IDs and
        numbers.
    iterations : int, default 100
        Number of steps.
    rate : float, optional
        Fraction of the difference between neighbors exchanged per step (above 0). Default: 1 / (maximum degree + 1).
    tol : float, optional
        Propagate a change only after it exceeds this (above 0). Default: none.
    options : Engine, optional
        Execution options that do not change the result: ``model``, ``values``, ``layout``, ``schedule``, ``shards``,
        ``updated_share``, ``delay_buffer``.
    checkpoint : path, optional
        Supported in the models `"edge_map"` and `"gas"`.

    Returns
    -------
    Result
        Column ``temperature``: temperature after the last step, in the unit of the initial values.

    Raises
    ------
    BadInputError
        If the vector has the wrong length, a duplicate ID or an unknown ID.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "rod.outcrop", directed=False)
    >>> oc.heat_simulation(g, {2: 8.0}, 1, rate=0.25).to_dict()
    {1: 2.0, 2: 4.0, 3: 2.0}
    """
    return run_on(graph, "heat", vector=start, iterations=iterations, rate=rate, tol=tol, **options)
