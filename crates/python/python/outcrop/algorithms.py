"""Algorithms, by NetworkX's names. Each but random walks returns a row a vertex in ascending original id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .graph import Graph
from .parameters import Node, Path
from .result import Result


def pagerank(
    graph: Graph,
    alpha: float = 0.85,
    personalization: Mapping[Node, float] | Path | None = None,
    max_iter: int | None = None,
    tol: float | None = None,
    *,
    iterations: int | None = None,
    precision: str = "f64",
    delta: float | None = None,
    model: str | None = None,
    values: str = "auto",
    delivery: str | None = None,
    shards: str | None = None,
    updated_share: float | str | None = None,
    delay_buffer: int | str | None = None,
) -> Result:
    """PageRank by power iteration.

    Parameters
    ----------
    graph : Graph
        The graph.
    alpha : float
        The probability of following an edge.
    personalization : mapping or path, optional
        Where random jumps lead: a weight a vertex, or a ``.csv`` or ``.tsv`` file with an id and a weight a line.
        Without it, anywhere.
    max_iter : int, optional
        The most iterations; 100 if not given.
    tol : float, optional
        Stop when the sum of absolute changes is below this; 1e-6 if not given. (NetworkX multiplies its own by the
        number of vertices.)
    iterations : int, optional
        Exactly so many iterations, in place of ``max_iter`` and ``tol``.
    precision : {"f64", "f32"}
        Single precision takes half the memory.
    delta : float, optional
        In each iteration only vertices whose rank has changed by more than this part of it hand on the change; the
        run also ends when there are none. All errors then sum to at most ``4 * alpha * delta / (1 - alpha)``. Only in
        the models ``"edge_map"``, ``"messages"`` and ``"gas"``.
    model : {"edge_map", "interval", "messages", "gas"}, optional
        How values flow along edges. If not given, ``"edge_map"`` where memory holds it, else ``"interval"``, which can
        keep the values of vertices on disk, as ``"messages"`` can.
    values : {"auto", "memory", "disk"}
        Where the values of vertices are kept; ``"disk"`` is of the models ``"interval"`` and ``"messages"``.
        ``"auto"``: in memory where it holds them.
    delivery : {"sync", "async"}, optional
        In the model ``"messages"``: whether messages arrive in the next superstep, or where possible in the same;
        ``"sync"`` if not given.
    shards : {"static", "ads", "ods", "edge-list"}, optional
        In the model ``"gas"``: whole shards in every iteration, dynamic ones that are made in every iteration or in
        shadow iterations, or streams of edges; ``"ods"`` if not given.
    updated_share : float or str, optional
        In the model ``"gas"``: dynamic shards are made once an iteration updates less than this share of the edges;
        ``0.3``, or ``"30%"``, if not given.
    delay_buffer : int or str, optional
        In the model ``"gas"``: a shadow iteration takes up delayed changes once they take more than so many bytes, or a
        size such as ``"100KiB"``, which it is if not given; 0 where every iteration counts.

    Returns
    -------
    Result
        Column ``pagerank``; the ranks sum to 1. The rank of vertices without out-edges goes where
        random jumps lead, as in NetworkX.

    Raises
    ------
    NotConvergedError
        With the values of the last iteration as ``result``.
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 1), (4, 1)], "small.outcrop")
    >>> [row["node"] for row in oc.pagerank(g).top(2)]
    [1, 2]
    """
    return graph._run(
        "pagerank",
        alpha=alpha,
        personalization=personalization,
        max_iter=max_iter,
        tol=tol,
        iterations=iterations,
        precision=precision,
        delta=delta,
        model=model,
        values=values,
        delivery=delivery,
        shards=shards,
        updated_share=updated_share,
        delay_buffer=delay_buffer,
    )


def personalized_pagerank(
    graph: Graph, source: Node, alpha: float = 0.85, tol: float | None = None, *, precision: str = "f64"
) -> Result:
    """Personalised PageRank of one vertex by forward push, which looks only at vertices near it.

    Parameters
    ----------
    graph : Graph
        The graph.
    source : int or str
        Where random jumps lead, those from vertices without out-edges included.
    alpha : float
        The probability of following an edge.
    tol : float, optional
        A vertex hands on what has arrived at it while that is more than ``tol`` for each of its out-edges; 1e-6 if not
        given.
    precision : {"f64", "f32"}
        Precision of the ranks.

    Returns
    -------
    Result
        Column ``pagerank``; 0 where nothing came. No rank is more than the exact one, and in an undirected graph
        none is less by more than ``tol`` times the degree. What is missing from a sum of 1 is the sum of all errors.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 1), (3, 1)], "small.outcrop")
    >>> [row["node"] for row in oc.personalized_pagerank(g, 1).top(2)]
    [1, 2]
    """
    return graph._run("ppr", source=source, alpha=alpha, tol=tol, precision=precision)


def bfs(
    graph: Graph,
    source: Node | Iterable[Node],
    *,
    model: str | None = None,
    values: str = "auto",
    delivery: str | None = None,
    shards: str | None = None,
    updated_share: float | str | None = None,
    delay_buffer: int | str | None = None,
) -> Result:
    """Breadth-first search.

    Parameters
    ----------
    graph : Graph
        The graph.
    source : int, str, or several
        Where to start.
    model : {"edge_map", "interval", "messages", "gas"}, optional
        How values flow along edges. If not given, ``"edge_map"`` where memory holds it, else ``"interval"``, which can
        keep the values of vertices on disk, as ``"messages"`` can.
    values : {"auto", "memory", "disk"}
        Where the values of vertices are kept; ``"disk"`` is of the models ``"interval"`` and ``"messages"``.
        ``"auto"``: in memory where it holds them.
    delivery : {"sync", "async"}, optional
        In the model ``"messages"``: whether messages arrive in the next superstep, or where possible in the same;
        ``"sync"`` if not given.
    shards : {"static", "ads", "ods", "edge-list"}, optional
        In the model ``"gas"``: whole shards in every iteration, dynamic ones that are made in every iteration or in
        shadow iterations, or streams of edges; ``"ods"`` if not given.
    updated_share : float or str, optional
        In the model ``"gas"``: dynamic shards are made once an iteration updates less than this share of the edges;
        ``0.3``, or ``"30%"``, if not given.
    delay_buffer : int or str, optional
        In the model ``"gas"``: a shadow iteration takes up delayed changes once they take more than so many bytes, or a
        size such as ``"100KiB"``, which it is if not given; 0 where every iteration counts.

    Returns
    -------
    Result
        Columns ``distance``, the edges on a shortest path (null where unreached), and ``predecessor``, the vertex
        before on it, the one with the smallest id (null for sources and where unreached).

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("a", "b"), ("b", "c"), ("d", "a")], "letters.outcrop")
    >>> oc.bfs(g, "a").to_dict()
    {'a': 0, 'b': 1, 'c': 2, 'd': None}
    """
    return graph._run(
        "bfs",
        source=source,
        model=model,
        values=values,
        delivery=delivery,
        shards=shards,
        updated_share=updated_share,
        delay_buffer=delay_buffer,
    )


def sssp(
    graph: Graph,
    source: Node | Iterable[Node],
    *,
    precision: str = "f64",
    method: str | None = None,
    bucket_width: float | None = None,
    model: str | None = None,
    values: str = "auto",
    shards: str | None = None,
    updated_share: float | str | None = None,
    delay_buffer: int | str | None = None,
) -> Result:
    """Shortest paths by weight, from one vertex or from the nearest of several.

    Parameters
    ----------
    graph : Graph
        The graph, with weights of at least 0; without weights, every edge counts 1.
    source : int, str, or several
        Where to start.
    precision : {"f64", "f32"}
        Single precision takes half the memory.
    method : {"delta", "bellman-ford"}, optional
        In the model ``"edge_map"``: nearest vertices first, or all that have changed; ``"delta"`` in weighted graphs if
        not given. Both give the same distances.
    bucket_width : float, optional
        With ``"delta"``: how far ahead distances are lowered at once; from the weights if not given.
    model : {"edge_map", "interval", "gas"}, optional
        How values flow along edges. If not given, ``"edge_map"`` where memory holds it, else ``"interval"``, which can
        keep the values of vertices on disk.
    values : {"auto", "memory", "disk"}
        Where the values of vertices are kept; ``"disk"`` is of the model ``"interval"``. ``"auto"``: in memory where it
        holds them.
    shards : {"static", "ads", "ods", "edge-list"}, optional
        In the model ``"gas"``: whole shards in every iteration, dynamic ones that are made in every iteration or in
        shadow iterations, or streams of edges; ``"ods"`` if not given.
    updated_share : float or str, optional
        In the model ``"gas"``: dynamic shards are made once an iteration updates less than this share of the edges;
        ``0.3``, or ``"30%"``, if not given.
    delay_buffer : int or str, optional
        In the model ``"gas"``: a shadow iteration takes up delayed changes once they take more than so many bytes, or a
        size such as ``"100KiB"``, which it is if not given; 0 where every iteration counts.

    Returns
    -------
    Result
        Columns ``distance``, the sum of weights on a shortest path (null where unreached), and ``predecessor``, the
        vertex before on it (null for sources and where unreached).

    Raises
    ------
    BadInputError
        An edge has a negative weight.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (1, 3)], "roads.outcrop", weight=[1.0, 1.5, 4.0])
    >>> oc.sssp(g, 1).to_dict()
    {1: 0.0, 2: 1.0, 3: 2.5}
    """
    return graph._run(
        "sssp",
        source=source,
        precision=precision,
        method=method,
        bucket_width=bucket_width,
        model=model,
        values=values,
        shards=shards,
        updated_share=updated_share,
        delay_buffer=delay_buffer,
    )


def weakly_connected_components(
    graph: Graph,
    *,
    method: str | None = None,
    model: str | None = None,
    values: str = "auto",
    delivery: str | None = None,
    shards: str | None = None,
    updated_share: float | str | None = None,
    delay_buffer: int | str | None = None,
) -> Result:
    """Weakly connected components.

    Parameters
    ----------
    graph : Graph
        The graph.
    method : {"sweep", "afforest", "label-propagation"}, optional
        How they are found in the model ``"edge_map"``, ``"sweep"`` if not given; the answer is the same. The others
        read in-edges as well, and take more memory in directed graphs.
    model : {"edge_map", "interval", "messages", "gas"}, optional
        How values flow along edges. If not given, ``"edge_map"`` where memory holds it, else ``"interval"``, which can
        keep the values of vertices on disk, as ``"messages"`` can.
    values : {"auto", "memory", "disk"}
        Where the values of vertices are kept; ``"disk"`` is of the models ``"interval"`` and ``"messages"``.
        ``"auto"``: in memory where it holds them.
    delivery : {"sync", "async"}, optional
        In the model ``"messages"``: whether messages arrive in the next superstep, or where possible in the same;
        ``"sync"`` if not given.
    shards : {"static", "ads", "ods", "edge-list"}, optional
        In the model ``"gas"``: whole shards in every iteration, dynamic ones that are made in every iteration or in
        shadow iterations, or streams of edges; ``"ods"`` if not given.
    updated_share : float or str, optional
        In the model ``"gas"``: dynamic shards are made once an iteration updates less than this share of the edges;
        ``0.3``, or ``"30%"``, if not given.
    delay_buffer : int or str, optional
        In the model ``"gas"``: a shadow iteration takes up delayed changes once they take more than so many bytes, or a
        size such as ``"100KiB"``, which it is if not given; 0 where every iteration counts.

    Returns
    -------
    Result
        Column ``component``: the smallest original id of the vertices that are joined to this one, whatever the
        direction of edges.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.weakly_connected_components(oc.build([(5, 2), (7, 9)], "two.outcrop")).to_dict()
    {2: 2, 5: 2, 7: 7, 9: 7}
    """
    return graph._run(
        "wcc",
        method=method,
        model=model,
        values=values,
        delivery=delivery,
        shards=shards,
        updated_share=updated_share,
        delay_buffer=delay_buffer,
    )


def spmv(
    graph: Graph,
    vector: Mapping[Node, float] | tuple[Any, Any] | Iterable[float] | Path | None = None,
    *,
    transpose: bool = False,
    precision: str = "f64",
    model: str | None = None,
    values: str = "auto",
) -> Result:
    """Product of the adjacency matrix and a vector.

    Parameters
    ----------
    graph : Graph
        The graph.
    vector : array, list, mapping, (ids, values), or path, optional
        One finite number a vertex in ascending original id, or numbers by id where all other vertices have 0. A path
        is that of a ``.npy`` file with one number a vertex, or of a ``.parquet``, ``.csv`` or ``.tsv`` file with the
        columns ``node`` and ``value``. Without it all are 1.
    transpose : bool
        Whether to sum over out-edges in place of in-edges.
    precision : {"f64", "f32"}
        Single precision takes half the memory; sums are of double precision all the same.
    model : {"edge_map", "interval"}, optional
        How values flow along edges. If not given, ``"edge_map"`` where memory holds it, else ``"interval"``, which can
        keep the values of vertices on disk.
    values : {"auto", "memory", "disk"}
        Where the values of vertices are kept; ``"disk"`` is of the model ``"interval"``. ``"auto"``: in memory where it
        holds them.

    Returns
    -------
    Result
        Column ``value``: the sum, over the edges that lead to the vertex, of their weights times the numbers of their
        sources, which is ``A.T @ vector`` with SciPy's adjacency matrix; with ``transpose``, over the edges that leave
        it, ``A @ vector``. Without weights every edge counts 1. In an undirected graph both are the same. A sum beyond
        the largest number is null.

    Raises
    ------
    BadInputError
        The numbers are not one a vertex, or name a vertex twice or one that the graph has not.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "matrix.outcrop", weight=[0.5, 2.0, 1.0])
    >>> oc.spmv(g).to_dict()
    {1: 0.0, 2: 0.5, 3: 3.0}
    >>> oc.spmv(g, {3: -2.0}, transpose=True).to_dict()
    {1: -4.0, 2: -2.0, 3: 0.0}
    """
    return graph._run("spmv", vector=vector, transpose=transpose, precision=precision, model=model, values=values)


def belief_propagation(
    graph: Graph,
    priors: Mapping[Node, float] | tuple[Any, Any] | Iterable[float] | Path,
    coupling: float = 0.9,
    *,
    damping: float = 0.0,
    tol: float | None = None,
    max_iter: int | None = None,
    precision: str = "f64",
    shards: str | None = None,
    updated_share: float | str | None = None,
    delay_buffer: int | str | None = None,
) -> Result:
    """Beliefs of a pairwise binary Markov random field by loopy belief propagation.

    Every vertex is in state 0 or 1. Runs in the model ``"gas"``: messages are on edges, in temporary files where memory
    does not hold them.

    Parameters
    ----------
    graph : Graph
        The graph, taken as undirected and simple.
    priors : array, list, mapping, (ids, values), or path
        The probability that a vertex is in state 1 before anything is known of its neighbours: one a vertex in
        ascending original id, or by id where all other vertices have 1/2. A path is that of a ``.npy`` file with one
        number a vertex, or of a ``.parquet``, ``.csv`` or ``.tsv`` file with the columns ``node`` and ``value``.
    coupling : float
        How likely the ends of an edge are in the same state: above 0 and below 1; below 1/2 neighbours tend to differ.
    damping : float
        The share of a message that is taken from the one before: at least 0 and below 1. It calms messages that swing.
    tol : float, optional
        Stop when no message changes by more than this in log-odds; 1e-6 if not given.
    max_iter : int, optional
        The most iterations; 100 if not given.
    precision : {"f64", "f32"}
        Precision of the messages; single precision takes half the room.
    shards : {"static", "ads", "ods", "edge-list"}, optional
        In the model ``"gas"``: whole shards in every iteration, dynamic ones that are made in every iteration or in
        shadow iterations, or streams of edges; ``"ods"`` if not given.
    updated_share : float or str, optional
        In the model ``"gas"``: dynamic shards are made once an iteration updates less than this share of the edges;
        ``0.3``, or ``"30%"``, if not given.
    delay_buffer : int or str, optional
        In the model ``"gas"``: a shadow iteration takes up delayed changes once they take more than so many bytes, or a
        size such as ``"100KiB"``, which it is if not given; 0 where every iteration counts.

    Returns
    -------
    Result
        Column ``belief``: the probability of state 1. Exact in trees; else what loopy belief propagation comes to.

    Raises
    ------
    NotConvergedError
        With the values of the last iteration as ``result``.
    BadInputError
        A prior is not from 0 to 1, or is of a vertex that the graph has not.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "chain.outcrop", directed=False)
    >>> beliefs = oc.belief_propagation(g, {1: 0.9}, coupling=0.75).to_dict()
    >>> [round(beliefs[node], 6) for node in (1, 2, 3)]
    [0.9, 0.7, 0.6]
    """
    return graph._run(
        "bp",
        vector=priors,
        coupling=coupling,
        damping=damping,
        tol=tol,
        max_iter=max_iter,
        precision=precision,
        shards=shards,
        updated_share=updated_share,
        delay_buffer=delay_buffer,
    )


def heat_simulation(
    graph: Graph,
    start: Mapping[Node, float] | tuple[Any, Any] | Iterable[float] | Path,
    iterations: int | None = None,
    *,
    rate: float | None = None,
    tol: float | None = None,
    shards: str | None = None,
    updated_share: float | str | None = None,
    delay_buffer: int | str | None = None,
) -> Result:
    """Temperatures after some steps of the heat equation: in each, every edge evens out a part of its difference.

    Runs in the model ``"gas"``: changes are on edges, in temporary files where memory does not hold them.

    Parameters
    ----------
    graph : Graph
        The graph, taken as undirected and simple.
    start : array, list, mapping, (ids, values), or path
        The temperatures at the start, one a vertex in ascending original id, or by id where all other vertices have 0;
        or a file, as of :func:`belief_propagation`.
    iterations : int, optional
        Steps; 100 if not given.
    rate : float, optional
        The part of a difference that an edge evens out in a step. It must be stable: at most 1 over the most neighbours
        of a vertex. If not given, 1 over one more than that.
    tol : float, optional
        Changes of a temperature that are not above this are kept back until they add up; if not given, none are.
    shards : {"static", "ads", "ods", "edge-list"}, optional
        In the model ``"gas"``: whole shards in every iteration, dynamic ones that are made in every iteration or in
        shadow iterations, or streams of edges; ``"ods"`` if not given.
    updated_share : float or str, optional
        In the model ``"gas"``: dynamic shards are made once an iteration updates less than this share of the edges;
        ``0.3``, or ``"30%"``, if not given.
    delay_buffer : int or str, optional
        In the model ``"gas"``: a shadow iteration takes up delayed changes once they take more than so many bytes, or a
        size such as ``"100KiB"``, which it is if not given; 0 where every iteration counts.

    Returns
    -------
    Result
        Column ``temperature``.

    Raises
    ------
    UsageError
        The rate is not stable; with the largest that is.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "rod.outcrop", directed=False)
    >>> oc.heat_simulation(g, {2: 8.0}, 1, rate=0.25).to_dict()
    {1: 2.0, 2: 4.0, 3: 2.0}
    """
    return graph._run(
        "heat",
        vector=start,
        iterations=iterations,
        rate=rate,
        tol=tol,
        shards=shards,
        updated_share=updated_share,
        delay_buffer=delay_buffer,
    )


def radii(graph: Graph, sources: int | None = None, seed: int | None = None) -> Result:
    """Eccentricities, estimated from up to 64 vertices at once.

    Parameters
    ----------
    graph : Graph
        The graph.
    sources : int, optional
        How many vertices to start from; 64 if not given.
    seed : int, optional
        The same seed draws the same vertices; 1 if not given.

    Returns
    -------
    Result
        Column ``eccentricity``: the greatest distance from a vertex that was drawn and reaches this one; null where
        none does.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop", directed=False)
    >>> oc.radii(g).to_dict()
    {1: 2, 2: 1, 3: 2}
    """
    return graph._run("radii", sources=sources, seed=seed)


def diameter(graph: Graph, *, exact: bool | None = None, iterations: int | None = None) -> Result:
    """The greatest distance of any pair of vertices: bounds of it, or itself.

    The eccentricity of a vertex is the greatest distance, in edges along their direction, to a vertex that it reaches.
    The diameter is the largest eccentricity of all vertices, in whichever component, as in igraph: pairs without a
    path do not count. Weights do not count.

    Parameters
    ----------
    graph : Graph
        The graph.
    exact : bool, optional
        Search until the bounds meet. If not given, searches end earlier.
    iterations : int, optional
        At most so many vertices are searched from; 16 if not given. Not together with ``exact``.

    Returns
    -------
    Result
        Its :attr:`~Result.value` (or ``int(result)``) is the diameter where the bounds have met, else ``None``.
        ``stats["values"]`` has ``lower`` and ``upper``, which it lies between, ``exact``, and ``searches``, how many
        vertices were searched from. Column ``eccentricity``: null where it is not known.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
    >>> oc.diameter(g, exact=True).value
    3
    """
    return graph._run("diameter", exact=exact, iterations=iterations)


def radius(graph: Graph) -> Result:
    """The smallest eccentricity of the largest (strongly connected) component.

    Parameters
    ----------
    graph : Graph
        The graph; weights do not count.

    Returns
    -------
    Result
        Its :attr:`~Result.value` (or ``int(result)``) is the radius, ``None`` without vertices. Column
        ``eccentricity``: the greatest distance, in edges along their direction, to a vertex that is reached; null
        outside of the component, and where it is not known.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
    >>> oc.radius(g).value
    2
    """
    return graph._run("radius")


def eccentricity(graph: Graph) -> Result:
    """Exact eccentricities of the largest (strongly connected) component.

    Parameters
    ----------
    graph : Graph
        The graph; weights do not count.

    Returns
    -------
    Result
        Column ``eccentricity``: the greatest distance, in edges along their direction, to a vertex that is reached,
        beyond the component too; null outside of the component.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
    >>> oc.eccentricity(g).to_dict()
    {1: 3, 2: 2, 3: 3, 4: 2, 5: 3}
    """
    return graph._run("eccentricity")


def multi_source_distances(
    graph: Graph,
    source: Node | Iterable[Node] | None = None,
    *,
    samples: int | None = None,
    seed: int | None = None,
) -> Result:
    """Distances in edges from many vertices at once, to every vertex.

    Parameters
    ----------
    graph : Graph
        The graph; weights do not count.
    source : int, str, or several, optional
        Where to start.
    samples : int, optional
        Without ``source``: start from so many vertices, drawn at random; 128 if not given. Each takes 2 bytes a vertex.
    seed : int, optional
        The same seed draws the same vertices; 1 if not given.

    Returns
    -------
    Result
        A column a source: ``distance_`` and its id, the edges on a shortest path from it (null where unreached).

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``; fewer sources need less.

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
    return graph._run("apsp", source=source, samples=samples, seed=seed)


def betweenness_centrality(
    graph: Graph,
    k: int | None = None,
    normalized: bool = True,
    *,
    seed: int | None = None,
    source: Node | Iterable[Node] | None = None,
    batch: int | None = None,
) -> Result:
    """Betweenness centrality by shortest paths in edges.

    Parameters
    ----------
    graph : Graph
        The graph; repeated edges count once.
    k : int, optional
        Start from so many vertices, drawn at random, and scale up; from all if not given.
    normalized : bool
        Divide by the number of pairs of other vertices.
    seed : int, optional
        The same seed draws the same vertices; 1 if not given.
    source : int, str, or several
        Start from these in place of a sample.
    batch : int, optional
        Search from so many at once, 1 to 16, which reads less and takes 9 bytes a vertex for each. If not given, what
        memory holds beside the page cache. Values are the same but for rounding.

    Returns
    -------
    Result
        Column ``betweenness_centrality``: as NetworkX has it, null for the only vertex of a sample.

    Raises
    ------
    UsageError
        The graph has more than 20,000 vertices and no sample is asked for.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop")
    >>> oc.betweenness_centrality(g).to_dict()
    {1: 0.0, 2: 0.5, 3: 0.0}
    """
    return graph._run(
        "bc",
        samples=k,
        normalized=None if normalized else False,
        seed=seed,
        source=source,
        batch=batch,
    )


def strongly_connected_components(graph: Graph) -> Result:
    """Strongly connected components.

    Parameters
    ----------
    graph : Graph
        The graph.

    Returns
    -------
    Result
        Column ``component``: the smallest original id of the vertices that this one reaches and that reach it.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.strongly_connected_components(oc.build([(5, 2), (2, 5), (5, 9)], "circle.outcrop")).to_dict()
    {2: 2, 5: 2, 9: 9}
    """
    return graph._run("scc")


def core_number(graph: Graph, *, k: int | None = None) -> Result:
    """Core numbers, the graph taken as undirected and simple.

    Parameters
    ----------
    graph : Graph
        The graph. Unlike in NetworkX, loops, repeated edges and directions are no errors: they are ignored.
    k : int, optional
        Only look for the k-core, which is much quicker: ``k`` for its vertices, null for others.

    Returns
    -------
    Result
        Column ``core_number``: the largest k for which the vertex is in a part where all have k neighbours.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.core_number(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "cores.outcrop")).to_dict()
    {1: 2, 2: 2, 3: 2, 4: 1}
    """
    return graph._run("kcore", k=k)


def triangles(graph: Graph) -> Result:
    """Triangles through each vertex, the graph taken as undirected and simple.

    Parameters
    ----------
    graph : Graph
        The graph.

    Returns
    -------
    Result
        Column ``triangles``: the pairs of neighbours that are neighbours of each other.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.triangles(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "triangle.outcrop")).to_dict()
    {1: 1, 2: 1, 3: 1, 4: 0}
    """
    return graph._run("triangles")


def clustering(graph: Graph) -> Result:
    """Local clustering coefficients, as LDBC Graphalytics defines them.

    Parameters
    ----------
    graph : Graph
        The graph.

    Returns
    -------
    Result
        Column ``clustering``: the edges among the neighbours of a vertex, each direction by itself, over those that
        could be. In undirected graphs this is NetworkX's coefficient; in directed ones NetworkX has another.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.clustering(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "links.outcrop", directed=False)).to_dict()
    {1: 1.0, 2: 1.0, 3: 0.3333333333333333, 4: 0.0}
    """
    return graph._run("lcc")


def label_propagation(
    graph: Graph,
    max_iter: int | None = None,
    *,
    iterations: int | None = None,
    weighted: bool = False,
    values: str = "auto",
) -> Result:
    """Communities by label propagation, as LDBC Graphalytics defines it (CDLP).

    Every vertex begins with its own id as its label. In each iteration it takes the label that most of its neighbours
    had in the one before; of several the smallest. An edge counts in both directions, so that a neighbour that is
    joined by two edges counts twice.

    Parameters
    ----------
    graph : Graph
        The graph.
    max_iter : int, optional
        The most iterations; fewer where no label changes any more.
    iterations : int, optional
        Exactly so many iterations, in place of ``max_iter``.
    weighted : bool
        Whether labels count by the weights of edges.
    values : {"auto", "memory", "disk"}
        Where the labels of vertices are kept; ``"auto"``: in memory where it holds them. What neighbours send goes
        through logs on disk where memory does not hold it.

    Returns
    -------
    Result
        Column ``label``: the original id of a vertex, the same for all of a community.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 1), (7, 8), (8, 9), (9, 7)], "groups.outcrop", directed=False)
    >>> oc.label_propagation(g, 10).to_dict()
    {1: 1, 2: 1, 3: 1, 7: 7, 8: 7, 9: 7}
    """
    return graph._run("cdlp", max_iter=max_iter, iterations=iterations, weighted=weighted or None, values=values)


def greedy_color(graph: Graph, *, seed: int | None = None, values: str = "auto") -> Result:
    """Greedy colouring in a random order of the vertices, the graph taken as undirected.

    Parameters
    ----------
    graph : Graph
        The graph; loops do not count.
    seed : int, optional
        The same seed gives the same colours; 1 if not given.
    values : {"auto", "memory", "disk"}
        Where the values of vertices are kept; ``"auto"``: in memory where it holds them.

    Returns
    -------
    Result
        Column ``color``: the smallest number from 0 on that no neighbour has that comes before in the order.
        Neighbours have different colours.

    Examples
    --------
    >>> import outcrop as oc
    >>> colors = oc.greedy_color(oc.build([(1, 2), (2, 3), (3, 1)], "triangle.outcrop")).to_dict()
    >>> sorted(colors.values())
    [0, 1, 2]
    """
    return graph._run("coloring", seed=seed, values=values)


def maximal_independent_set(graph: Graph, *, seed: int | None = None, values: str = "auto") -> Result:
    """A set of vertices without edges between them, to which no vertex can be added.

    Parameters
    ----------
    graph : Graph
        The graph, taken as undirected; loops do not count.
    seed : int, optional
        The same seed gives the same set; 1 if not given.
    values : {"auto", "memory", "disk"}
        Where the values of vertices are kept; ``"auto"``: in memory where it holds them.

    Returns
    -------
    Result
        Column ``in_set``: 1 for members, else 0.

    Examples
    --------
    >>> import outcrop as oc
    >>> members = oc.maximal_independent_set(oc.build([(1, 2), (2, 3), (3, 1), (7, 8)], "pairs.outcrop")).to_dict()
    >>> sum(members.values())
    2
    """
    return graph._run("mis", seed=seed, values=values)


def random_walks(
    graph: Graph,
    source: Node | Iterable[Node] | None = None,
    *,
    every: int | None = None,
    length: int | None = None,
    restart: float | None = None,
    p: float | None = None,
    q: float | None = None,
    seed: int | None = None,
) -> Result:
    """Random walks along out-edges, all of them at once.

    Parameters
    ----------
    graph : Graph
        The graph.
    source : int, str, or several, optional
        Where walks start, one each.
    every : int, optional
        Without ``source``: a walk starts from every so many vertices in ascending id; 1000 if not given.
    length : int, optional
        Steps of a walk; 10 if not given. A walk ends before where there is no out-edge.
    restart : float, optional
        The probability that a step leads back to the start; 0 if not given.
    p, q : float, optional
        The return and in-out parameter of node2vec, 1 if not given: a step back to the vertex before has 1/p of
        the weight of others, and a step to a vertex to which no edge leads from the one before 1/q.
    seed : int, optional
        The same seed gives the same walks; 1 if not given.

    Returns
    -------
    Result
        A row a step, in ascending walk and step: ``walk`` and ``step`` count from 0, step 0 being the start, and
        ``node`` is the original id of the vertex.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("a", "b"), ("b", "c")], "letters.outcrop")
    >>> oc.random_walks(g, ["b", "a"]).to_arrow()["node"].to_pylist()
    ['b', 'c', 'a', 'b', 'c']
    """
    return graph._run(
        "walks",
        source=source,
        every=every,
        length=length,
        restart=restart,
        p=p,
        q=q,
        seed=seed,
    )
