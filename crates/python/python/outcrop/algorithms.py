# Generated from the table of algorithms by crates/outcrop/tests/generated: `make generated` writes it anew.
"""Algorithms, by NetworkX's names. Each but random walks returns a row a vertex in ascending original id."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from .engine import Engine
from .graph import Graph
from .parameters import Node, Path, Vector, Weights
from .result import Result

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def bfs(
    graph: Graph,
    source: Node | Iterable[Node],
    *,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    incremental: Path | None = None,
    engine: Literal["outcrop", "spark"] | None = None,
    spark: SparkSession | None = None,
) -> Result:
    """Breadth-first search: distance in edges and predecessor of every vertex.

    The distance of a vertex is the least number of edges of a path from any source along the edges' direction. Its
    predecessor is, of the vertices one step nearer, the first in the order of the store: in a store in original order
    the one with the smallest original id.

    The answer is the same in all models, and does not depend on threads, schedule or layout. Distances do not depend on
    the order of the store either.

    Parameters
    ----------
    graph : Graph
        The graph.
    source : int, str, or several
        The vertex to start from; or several of them.
    options : Engine, optional
        How the run goes about its work, by ``model``, ``values``, ``layout``, ``schedule``, ``delivery``, ``edge_log``,
        ``shards``, ``updated_share``, ``delay_buffer``, ``arrivals``, ``arrive_after``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the models `"edge_map"`,
        `"interval"`, `"messages"` and `"gas"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.
    incremental : path, optional
        A folder with the result of the last run, from which this one goes on after :func:`outcrop.update`, with the
        same answer; its own result is kept there then. The first run computes everything.
    engine : {"outcrop", "spark"}, optional
        Run on this machine, or on the cluster of the session ``spark``. If not given: where the graph is.
    spark : SparkSession, optional
        With ``engine="spark"``: the session, which the edges are written out for in each call;
        :func:`outcrop.spark.open` does that once for several.

    Returns
    -------
    Result
        Column ``distance``: edges on a shortest path; null where unreached. Column ``predecessor``: the vertex before
        on a shortest path; null for sources and where unreached.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

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
        options=options,
        checkpoint=checkpoint,
        resume=resume,
        incremental=incremental,
        engine=engine,
        spark=spark,
    )


def sssp(
    graph: Graph,
    source: Node | Iterable[Node],
    *,
    columns: Literal["distance", "all"] = "distance",
    precision: Literal["f64", "f32"] = "f64",
    method: Literal["delta", "bellman-ford"] | None = None,
    bucket_width: float | Literal["auto"] | None = None,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    incremental: Path | None = None,
    engine: Literal["outcrop", "spark"] | None = None,
    spark: SparkSession | None = None,
) -> Result:
    """Shortest paths by weight: distance of every vertex, and predecessor if asked for.

    The distance of a vertex is the least sum of weights of a path from any source, the nearest of several, along the
    edges' direction. In a graph without weights every edge counts 1. An edge with a negative weight that leaves a
    reached vertex is an error.

    The answer is the same in all models and by either method, and does not depend on threads, order or layout. A vertex
    whose distance is beyond the largest number of the precision (3.4e38 with f32) is an error that names an edge to it.

    Parameters
    ----------
    graph : Graph
        The graph; its weights count.
    source : int, str, or several
        The vertex to start from; or several of them.
    columns : {"distance", "all"}, default "distance"
        Columns of the result; all takes a pass over the in-lists, which distances alone do without, and memory for
        predecessors.
    precision : {"f64", "f32"}, default "f64"
        Precision of values; single precision takes half the memory.
    method : {"delta", "bellman-ford"}, optional
        Nearest vertices first (delta), or all that have changed (bellman-ford); both give the same distances. If not
        given: delta with weights. Only in the model ``"edge_map"``.
    bucket_width : float or "auto", optional
        With ``method="delta"``: how far ahead distances are lowered at once; auto is from the weights and degrees; a
        number above 0. If not given: auto. Only in the model ``"edge_map"``.
    options : Engine, optional
        How the run goes about its work, by ``model``, ``values``, ``layout``, ``schedule``, ``shards``,
        ``updated_share``, ``delay_buffer``, ``arrivals``, ``arrive_after``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the models `"edge_map"`,
        `"interval"` and `"gas"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.
    incremental : path, optional
        A folder with the result of the last run, from which this one goes on after :func:`outcrop.update`, with the
        same answer; its own result is kept there then. The first run computes everything.
    engine : {"outcrop", "spark"}, optional
        Run on this machine, or on the cluster of the session ``spark``. If not given: where the graph is.
    spark : SparkSession, optional
        With ``engine="spark"``: the session, which the edges are written out for in each call;
        :func:`outcrop.spark.open` does that once for several.

    Returns
    -------
    Result
        Column ``distance``: sum of weights on a shortest path; null where unreached. Column ``predecessor``: with
        ``columns="all"``: the vertex before on a shortest path, smallest original id; null for sources and where
        unreached.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

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
        columns=columns,
        precision=precision,
        method=method,
        bucket_width=bucket_width,
        options=options,
        checkpoint=checkpoint,
        resume=resume,
        incremental=incremental,
        engine=engine,
        spark=spark,
    )


def weakly_connected_components(
    graph: Graph,
    *,
    method: Literal["auto", "sweep", "afforest", "label-propagation"] | None = None,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    incremental: Path | None = None,
    engine: Literal["outcrop", "spark"] | None = None,
    spark: SparkSession | None = None,
) -> Result:
    """Weakly connected components.

    Two vertices are in one component if a path joins them, whatever the direction of its edges. A component is called
    by the smallest original id in it.

    The answer is the same in all models and by all methods. ``auto`` is ``afforest`` in stores in chunks without
    updates whose lists have 8 entries and more in the mean, and else ``sweep``. ``afforest`` and ``label-propagation``
    read in-lists as well as out-lists, and take more memory in directed graphs.

    Parameters
    ----------
    graph : Graph
        The graph.
    method : {"auto", "sweep", "afforest", "label-propagation"}, optional
        By every edge once (sweep), by a sample of the edges and then what it has not joined (afforest), by afforest
        where first neighbours are kept apart and lists are long (auto), or by handing on labels. If not given:
        ``"auto"``. Only in the model ``"edge_map"``.
    options : Engine, optional
        How the run goes about its work, by ``model``, ``values``, ``layout``, ``schedule``, ``delivery``, ``edge_log``,
        ``shards``, ``updated_share``, ``delay_buffer``, ``arrivals``, ``arrive_after``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the models `"edge_map"`,
        `"interval"`, `"messages"` and `"gas"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.
    incremental : path, optional
        A folder with the result of the last run, from which this one goes on after :func:`outcrop.update`, with the
        same answer; its own result is kept there then. The first run computes everything.
    engine : {"outcrop", "spark"}, optional
        Run on this machine, or on the cluster of the session ``spark``. If not given: where the graph is.
    spark : SparkSession, optional
        With ``engine="spark"``: the session, which the edges are written out for in each call;
        :func:`outcrop.spark.open` does that once for several.

    Returns
    -------
    Result
        Column ``component``: the smallest original id of the component.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.weakly_connected_components(oc.build([(5, 2), (7, 9)], "two.outcrop")).to_dict()
    {2: 2, 5: 2, 7: 7, 9: 7}
    """
    return graph._run(
        "wcc",
        method=method,
        options=options,
        checkpoint=checkpoint,
        resume=resume,
        incremental=incremental,
        engine=engine,
        spark=spark,
    )


def pagerank(
    graph: Graph,
    alpha: float = 0.85,
    personalization: Weights | None = None,
    max_iter: int | None = None,
    tol: float | None = None,
    *,
    iterations: int | None = None,
    precision: Literal["f64", "f32"] = "f64",
    delta: float | None = None,
    weight: Literal["weight"] | None = "weight",
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    incremental: Path | None = None,
    engine: Literal["outcrop", "spark"] | None = None,
    spark: SparkSession | None = None,
) -> Result:
    """PageRank by power iteration.

    The probability with which a walk is at a vertex that follows a random out-edge with the probability ``alpha``, and
    otherwise jumps: anywhere, or as ``personalization`` says. From a vertex without out-edges it always jumps, in the
    same way, as in NetworkX. Repeated edges count as often as they are stored.

    In a graph with weights an out-edge is followed with the probability of its weight divided by the sum of those of
    all out-edges of its vertex, unless ``weight=None``. A vertex for which this sum is 0 is as one without out-edges;
    negative weights are refused. The model gas has no ranks by weight.

    A run ends when the sum of absolute changes is below ``tol`` (NetworkX multiplies its own by the number of
    vertices), and has failed where ``max_iter`` comes before. With ``delta`` only those vertices hand on a change, in
    each iteration, whose rank has changed by more than this part of it since they last did; the run also ends when
    there are none, and the errors of all ranks then sum to at most ``4 alpha delta / (1 - alpha)``. With single
    precision changes bottom out at about 1e-7, and a tolerance below that may never be reached.

    Parameters
    ----------
    graph : Graph
        The graph; its weights count unless ``weight=None``.
    alpha : float, default 0.85
        The probability of following an edge; a number at least 0 and below 1.
    personalization : mapping or path, optional
        Jump to these vertices: a .csv or .tsv file with an id and a weight a line. In place of a file: a mapping from
        ids to weights. If not given: anywhere.
    max_iter : int, optional
        Give up after so many iterations. If not given: 100. Not together with ``iterations``.
    tol : float, optional
        Stop when the sum of absolute changes is below this; a number above 0. If not given: 1e-6. Not together with
        ``iterations``.
    iterations : int, optional
        Do exactly so many iterations, in place of ``tol`` and ``max_iter``.
    precision : {"f64", "f32"}, default "f64"
        Precision of values; single precision takes half the memory.
    delta : float, optional
        Hand on only changes of more than this part of a rank; all errors then sum to at most 4 alpha delta / (1 -
        alpha); a number at least 0 and below 1. Only in the models ``"edge_map"``, ``"messages"`` and ``"gas"``.
    weight : {"weight"} or None, default "weight"
        If None: let every edge count the same, whatever its weight.
    options : Engine, optional
        How the run goes about its work, by ``model``, ``values``, ``layout``, ``schedule``, ``delivery``, ``edge_log``,
        ``shards``, ``updated_share``, ``delay_buffer``, ``arrivals``, ``arrive_after``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the models `"edge_map"`,
        `"interval"`, `"messages"` and `"gas"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.
    incremental : path, optional
        A folder with the result of the last run, from which this one goes on after :func:`outcrop.update`, with the
        same answer; its own result is kept there then. The first run computes everything.
    engine : {"outcrop", "spark"}, optional
        Run on this machine, or on the cluster of the session ``spark``. If not given: where the graph is.
    spark : SparkSession, optional
        With ``engine="spark"``: the session, which the edges are written out for in each call;
        :func:`outcrop.spark.open` does that once for several.

    Returns
    -------
    Result
        Column ``pagerank``: probability; all sum to 1.

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
        weight=weight,
        options=options,
        checkpoint=checkpoint,
        resume=resume,
        incremental=incremental,
        engine=engine,
        spark=spark,
    )


def radii(
    graph: Graph,
    sources: int = 64,
    seed: int = 1,
    *,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Result:
    """Eccentricities, estimated from up to 64 sources at once.

    The greatest distance, in edges along their direction, from any of the sampled vertices that reach this one. In an
    undirected graph that is a lower bound of its eccentricity, and the largest value one of the diameter of what was
    reached.

    Parameters
    ----------
    graph : Graph
        The graph; its weights do not count.
    sources : int, default 64
        Start from so many vertices at once, which are drawn; from 1 to 64.
    seed : int, default 1
        The same seed draws the same numbers.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"edge_map"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``eccentricity``: the greatest distance in edges from a sampled source; null where none reaches.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop", directed=False)
    >>> oc.radii(g).to_dict()
    {1: 2, 2: 1, 3: 2}
    """
    return graph._run("radii", sources=sources, seed=seed, options=options, checkpoint=checkpoint, resume=resume)


def diameter(
    graph: Graph,
    *,
    exact: bool = False,
    iterations: int | None = None,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Result:
    """The greatest distance of any pair of vertices: bounds of it, or with ``exact`` itself.

    The eccentricity of a vertex is the greatest distance, in edges along their direction, to a vertex that it reaches.
    The diameter is the largest eccentricity of all vertices, in whichever component, as in igraph: pairs without a path
    do not count.

    Each search narrows the bounds of all eccentricities. With ``exact`` searches go on until the bounds of the diameter
    meet; without, they end earlier if need be.

    Parameters
    ----------
    graph : Graph
        The graph; its weights do not count.
    exact : bool, default False
        Search until the bounds of the diameter meet.
    iterations : int, optional
        Search from so many vertices at the most. If not given: 16. Not together with ``exact``.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"edge_map"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``eccentricity``: the greatest distance in edges to a vertex that is reached; null where it is not known.
        Its ``value`` (or ``int(result)``) is the largest eccentricity of all; null where bounds have not met.
        ``stats["values"]`` has ``lower`` (the largest eccentricity that is known; null without vertices), ``upper``
        (what no eccentricity is above; null without vertices), ``exact`` (whether lower and upper are equal),
        ``searches`` (the vertices that were searched from).

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
    >>> oc.diameter(g, exact=True).value
    3
    """
    return graph._run(
        "diameter", exact=exact, iterations=iterations, options=options, checkpoint=checkpoint, resume=resume
    )


def radius(
    graph: Graph, *, options: Engine | None = None, checkpoint: Path | None = None, resume: bool = False
) -> Result:
    """The smallest eccentricity of the largest (strongly connected) component.

    The eccentricity of a vertex is the greatest distance, in edges along their direction, to a vertex that it reaches,
    beyond its component too. The radius is the smallest one of all vertices of the largest component, which is the
    largest strongly connected one of a directed graph; of several as large, that of the smallest original id.

    Parameters
    ----------
    graph : Graph
        The graph; its weights do not count.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"edge_map"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``eccentricity``: the greatest distance in edges to a vertex that is reached; null outside of the
        component, and where it is not known. Its ``value`` (or ``int(result)``) is the smallest eccentricity of the
        component; null without vertices. ``stats["values"]`` has ``searches`` (the vertices that were searched from).

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
    >>> oc.radius(g).value
    2
    """
    return graph._run("radius", options=options, checkpoint=checkpoint, resume=resume)


def eccentricity(
    graph: Graph, *, options: Engine | None = None, checkpoint: Path | None = None, resume: bool = False
) -> Result:
    """Exact eccentricities of the largest (strongly connected) component.

    The eccentricity of a vertex is the greatest distance, in edges along their direction, to a vertex that it reaches,
    beyond its component too. It is given for the vertices of the largest component, which is the largest strongly
    connected one of a directed graph; of several as large, that of the smallest original id.

    Parameters
    ----------
    graph : Graph
        The graph; its weights do not count.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"edge_map"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``eccentricity``: the greatest distance in edges to a vertex that is reached; null outside of the
        component. ``stats["values"]`` has ``searches`` (the vertices that were searched from).

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (2, 4), (4, 5)], "tree.outcrop", directed=False)
    >>> oc.eccentricity(g).to_dict()
    {1: 3, 2: 2, 3: 3, 4: 2, 5: 3}
    """
    return graph._run("eccentricity", options=options, checkpoint=checkpoint, resume=resume)


def multi_source_distances(
    graph: Graph,
    source: Node | Iterable[Node] | None = None,
    *,
    samples: int | None = None,
    seed: int | None = None,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Result:
    """Distances in edges from many sources at once, one column a source.

    The distance is the least number of edges of a path from the source along the edges' direction. The sources are
    those that are given, each once, or vertices that are drawn; 64 are searched from at once. A column takes 2 bytes of
    memory a vertex, or 4 where its source reaches farther than 65,534 edges.

    Parameters
    ----------
    graph : Graph
        The graph; its weights do not count.
    source : int, str, or several, optional
        A vertex to start from; or several of them.
    samples : int, optional
        Start from so many vertices, which are drawn. If not given: 128. Not together with ``source``.
    seed : int, optional
        The same seed draws the same vertices to start from. If not given: 1. Not together with ``source``.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"edge_map"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``distance_<id>``: edges on a shortest path from the vertex with this id, one column a source; null where
        unreached.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``; each source takes 2 bytes a vertex, so fewer ``samples``
        (or ``source``) need less.

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
    return graph._run(
        "apsp", source=source, samples=samples, seed=seed, options=options, checkpoint=checkpoint, resume=resume
    )


def betweenness_centrality(
    graph: Graph,
    k: int | None = None,
    normalized: bool = True,
    *,
    source: Node | Iterable[Node] | None = None,
    seed: int | None = None,
    weight: Literal["weight"] | None = None,
    batch: int | None = None,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Result:
    """Betweenness centrality from all vertices, a sample, or given sources.

    For each vertex the sum, over pairs of other vertices, of the part of their shortest paths that lead through it, as
    NetworkX has it. Paths are as long as they have edges, along their direction; repeated edges count once, loops
    never. The sum is divided by the number of pairs, or with ``normalized=False`` it is not, and in an undirected graph
    each pair then counts once. From a sample sums are scaled up.

    With ``weight="weight"`` paths are as long as the sum of their weights, which must be above 0; of repeated edges the
    smallest weight counts. Lengths are equal if their sums are equal in double precision. 0.1 + 0.2 is not 0.3 there,
    so that decimal weights may tell paths apart that are equally long on paper; in whole numbers they do not.

    Graphs of more than 20,000 vertices need a sample or sources; a sample of as many vertices as there are stands for
    all. With ``batch`` several are searched from at once, which reads less and takes 9 bytes a vertex for each; values
    are the same but for rounding. With ``weight="weight"`` it is one after the other.

    Parameters
    ----------
    graph : Graph
        The graph; its weights count with ``weight="weight"``.
    k : int, optional
        Start from so many vertices, which are drawn. If not given: all. Not together with ``source``.
    normalized : bool, default True
        If False: do not divide by the number of pairs.
    source : int, str, or several, optional
        A vertex to start from; or several of them. If not given: all.
    seed : int, optional
        The same seed draws the same vertices to start from. If not given: 1. Not together with ``source``. Only
        together with ``k``.
    weight : {"weight"}, optional
        If "weight": let the weights of edges count.
    batch : int, optional
        Search from so many vertices at once; from 1 to 16. If not given: what memory holds. Not together with
        ``weight="weight"``.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"edge_map"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``betweenness_centrality``: the part of shortest paths between others that lead through the vertex; null
        for a sample's only source.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

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
        normalized=normalized,
        source=source,
        seed=seed,
        weight=weight,
        batch=batch,
        options=options,
        checkpoint=checkpoint,
        resume=resume,
    )


def personalized_pagerank(
    graph: Graph,
    source: Node,
    alpha: float = 0.85,
    tol: float = 0.0001,
    *,
    max_iter: int = 10000,
    precision: Literal["f64", "f32"] = "f64",
    weight: Literal["weight"] | None = "weight",
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Result:
    """Personalized PageRank of one source, by forward push.

    PageRank where all jumps lead to the source, those from vertices without out-edges included. Forward push moves
    probability along out-edges, from the vertices with the most of it per out-edge first, and ends when the errors of
    all ranks together are below ``tol`` times the highest rank: with the default, no rank is wrong by more than 0.0001
    of the highest, and ranks sum to at least 0.9999. No rank is more than the exact one. Where probability stays near
    the source, only vertices near it are read. A run that has not reached ``tol`` after ``max_iter`` rounds has not
    converged (exit code 6). The answer does not depend on threads, order or layout.

    In a graph with weights an out-edge is followed with the probability of its weight divided by the sum of those of
    all out-edges of its vertex, unless ``weight=None``: the unit of the weights does not matter. Negative weights at
    vertices that push are refused. The answer then depends on order and layout in the last digits.

    Parameters
    ----------
    graph : Graph
        The graph; its weights count unless ``weight=None``.
    source : int or str
        The vertex to start from.
    alpha : float, default 0.85
        The probability of following an edge; a number at least 0 and below 1.
    tol : float, default 0.0001
        Stop when the errors of all ranks together are below this fraction of the highest rank; a number above 0.
    max_iter : int, default 10000
        Give up after this many rounds.
    precision : {"f64", "f32"}, default "f64"
        Precision of values; single precision takes half the memory.
    weight : {"weight"} or None, default "weight"
        If None: let every edge count the same, whatever its weight.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"edge_map"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``pagerank``: probability, at most the exact one; 0 where nothing arrived.

    Raises
    ------
    NotConvergedError
        With the values of the last iteration as ``result``.
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 1), (3, 1)], "small.outcrop")
    >>> [row["node"] for row in oc.personalized_pagerank(g, 1).top(2)]
    [1, 2]
    """
    return graph._run(
        "ppr",
        source=source,
        alpha=alpha,
        tol=tol,
        max_iter=max_iter,
        precision=precision,
        weight=weight,
        options=options,
        checkpoint=checkpoint,
        resume=resume,
    )


def core_number(
    graph: Graph,
    *,
    k: int | None = None,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Result:
    """Core number of every vertex, the graph taken as undirected and simple.

    The k-core of a graph is its largest part in which every vertex has at least k neighbours; the core number of a
    vertex is the largest k whose k-core holds it. Unlike in NetworkX, loops, repeated edges and directions are no
    errors: they are ignored.

    With ``k`` only that core is looked for, which is much quicker: the value is k for its vertices, and null for
    others.

    Parameters
    ----------
    graph : Graph
        The graph.
    k : int, optional
        Look for this core only. If not given: all.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"edge_map"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``core_number``: the largest k whose k-core holds the vertex; with ``k``, null outside.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.core_number(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "cores.outcrop")).to_dict()
    {1: 2, 2: 2, 3: 2, 4: 1}
    """
    return graph._run("kcore", k=k, options=options, checkpoint=checkpoint, resume=resume)


def triangles(
    graph: Graph,
    *,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    engine: Literal["outcrop", "spark"] | None = None,
    spark: SparkSession | None = None,
) -> Result:
    """Triangles through every vertex, the graph taken as undirected and simple.

    The triangles through a vertex are the pairs of its neighbours that are neighbours of each other. Loops and repeated
    edges do not count, and edges in both directions between two vertices are one. The sum over all vertices is three
    times the number of triangles.

    Parameters
    ----------
    graph : Graph
        The graph.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"edge_map"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.
    engine : {"outcrop", "spark"}, optional
        Run on this machine, or on the cluster of the session ``spark``. If not given: where the graph is.
    spark : SparkSession, optional
        With ``engine="spark"``: the session, which the edges are written out for in each call;
        :func:`outcrop.spark.open` does that once for several.

    Returns
    -------
    Result
        Column ``triangles``: pairs of neighbours that are neighbours of each other.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.triangles(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "triangle.outcrop")).to_dict()
    {1: 1, 2: 1, 3: 1, 4: 0}
    """
    return graph._run("triangles", options=options, checkpoint=checkpoint, resume=resume, engine=engine, spark=spark)


def clustering(
    graph: Graph,
    *,
    weight: Literal["weight"] | None = None,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Result:
    """Local clustering coefficient of every vertex, as LDBC Graphalytics defines it, or by weights.

    The neighbours of a vertex are those of its out- and its in-edges. The coefficient is the number of edges from one
    of them to another, each direction by itself, over the number that could be; 0 with fewer than 2 neighbours. Loops
    and repeated edges do not count. In undirected graphs this is NetworkX's coefficient; in directed ones NetworkX has
    another.

    With ``weight="weight"``, in undirected graphs only, it is NetworkX's coefficient by weight: the sum, over the
    triangles through the vertex, of the cube roots of the products of their three weights, over the number of pairs of
    its neighbours. Weights are divided by the largest of the graph before, that of loops included; they must not be
    negative. Of repeated edges the smallest weight counts.

    Parameters
    ----------
    graph : Graph
        The graph; its weights count with ``weight="weight"``.
    weight : {"weight"}, optional
        If "weight": let the weights of edges count.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"edge_map"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``clustering``: edges among neighbours over those that could be, 0 to 1.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.clustering(oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "links.outcrop", directed=False)).to_dict()
    {1: 1.0, 2: 1.0, 3: 0.3333333333333333, 4: 0.0}
    """
    return graph._run("lcc", weight=weight, options=options, checkpoint=checkpoint, resume=resume)


def strongly_connected_components(
    graph: Graph,
    *,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    engine: Literal["outcrop", "spark"] | None = None,
    spark: SparkSession | None = None,
) -> Result:
    """Strongly connected components.

    Two vertices are in one component if each reaches the other along the edges' direction. A component is called by the
    smallest original id in it. In an undirected graph these are the connected components.

    Parameters
    ----------
    graph : Graph
        The graph.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"edge_map"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.
    engine : {"outcrop", "spark"}, optional
        Run on this machine, or on the cluster of the session ``spark``. If not given: where the graph is.
    spark : SparkSession, optional
        With ``engine="spark"``: the session, which the edges are written out for in each call;
        :func:`outcrop.spark.open` does that once for several.

    Returns
    -------
    Result
        Column ``component``: the smallest original id of the component.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.strongly_connected_components(oc.build([(5, 2), (2, 5), (5, 9)], "circle.outcrop")).to_dict()
    {2: 2, 5: 2, 9: 9}
    """
    return graph._run("scc", options=options, checkpoint=checkpoint, resume=resume, engine=engine, spark=spark)


def greedy_color(
    graph: Graph, *, seed: int = 1, options: Engine | None = None, checkpoint: Path | None = None, resume: bool = False
) -> Result:
    """Colouring, the graph taken as undirected: neighbours get different colours.

    Rounds of speculation and repair: every vertex without a colour tries a small one that no neighbour has, and keeps
    it unless a neighbour that comes before tries the same; else it tries another in the next round. The order, and
    which of a few colours is tried where many neighbours have none, are drawn by ``seed``. There are about as many
    colours as greedy colouring gives one vertex after the other in the same order, up to a quarter more, in tens of
    rounds. The answer is the same for any number of threads, in both models, and in any order of the store. Loops and
    repeated edges do not count.

    Parameters
    ----------
    graph : Graph
        The graph.
    seed : int, default 1
        The same seed draws the same numbers.
    options : Engine, optional
        How the run goes about its work, by ``model``, ``values``, ``layout``, ``schedule``, ``edge_log``; the answer is
        the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the models `"edge_map"` and
        `"messages"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``color``: the number of a colour; the first is 0.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> colors = oc.greedy_color(oc.build([(1, 2), (2, 3), (3, 1)], "triangle.outcrop")).to_dict()
    >>> sorted(colors.values())
    [0, 1, 2]
    """
    return graph._run("coloring", seed=seed, options=options, checkpoint=checkpoint, resume=resume)


def spmv(
    graph: Graph,
    vector: Vector | None = None,
    *,
    transpose: bool = False,
    combine: Literal["plus", "min", "max"] = "plus",
    edge: Literal["times", "plus", "first"] = "times",
    precision: Literal["f64", "f32"] = "f64",
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Result:
    """Product of the adjacency matrix and a vector: weights times values, summed over in-edges.

    The sum, over the edges that lead to a vertex, of their weights times the numbers of their sources, which is
    ``A.T @ x`` with SciPy's adjacency matrix ``A``; with ``transpose`` over the edges that leave it, ``A @ x``. In an
    undirected graph both are the same. Without weights every edge counts 1, and repeated edges count as often as they
    are stored. Vertices that the vector does not name have 0.

    In other semirings the terms of edges are the weight plus the number (``--edge plus``) or the number alone
    (``first``), and come together as their least or greatest (``--combine min``, ``max``):
    ``--combine min ``edge`` plus`` is a step of shortest paths. Numbers may be infinite then, vertices that the vector
    does not name give nothing, and a vertex without neighbours that give anything has null.

    With single precision only the numbers that are kept are rounded; sums are of double precision.

    Parameters
    ----------
    graph : Graph
        The graph; its weights count.
    vector : array, list, mapping, (ids, values), or path, optional
        Multiply this: .npy with a value a vertex in ascending id, or .parquet, .csv or .tsv with an id and a value a
        row. In place of a file: one number a vertex in ascending original id, or numbers by id, as a mapping or as ids
        and their numbers. If not given: ones.
    transpose : bool, default False
        Sum over out-edges in place of in-edges.
    combine : {"plus", "min", "max"}, default "plus"
        Add the terms of a vertex up, or take the least or the greatest.
    edge : {"times", "plus", "first"}, default "times"
        Term of an edge: its weight times or plus the number of the neighbour, or that number alone.
    precision : {"f64", "f32"}, default "f64"
        Precision of values; single precision takes half the memory.
    options : Engine, optional
        How the run goes about its work, by ``model``, ``values``, ``layout``, ``schedule``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the models `"edge_map"` and
        `"interval"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``value``: the sum, over in-edges, of weight times the vector's value; with ``transpose`` over out-edges;
        null where it overflows, and where there is no least or greatest.

    Raises
    ------
    BadInputError
        The numbers are not one a vertex, or name a vertex twice or one that the graph has not.
    BudgetError
        With the least budget that is enough as ``minimum``.

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
    return graph._run(
        "spmv",
        vector=vector,
        transpose=transpose,
        combine=combine,
        edge=edge,
        precision=precision,
        options=options,
        checkpoint=checkpoint,
        resume=resume,
    )


def label_propagation(
    graph: Graph,
    max_iter: int | None = None,
    *,
    iterations: int | None = None,
    weight: Literal["weight"] | None = None,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    engine: Literal["outcrop", "spark"] | None = None,
    spark: SparkSession | None = None,
) -> Result:
    """Communities by label propagation, as LDBC Graphalytics defines it, or by weights.

    Every vertex begins with its own id as its label. In each iteration all vertices at once take the label that most of
    their neighbours had in the one before; of several the smallest. An edge counts in both directions, so that a
    neighbour that is joined by two edges counts twice; loops do not count. With ``weight="weight"`` a vertex takes the
    label for which the weights of the edges to those that have it have the largest sum; they must not be negative.

    A run ends early where no label has changed, as no later iteration would change any.

    Parameters
    ----------
    graph : Graph
        The graph; its weights count with ``weight="weight"``.
    max_iter : int, optional
        Hand labels on so often at the most; it ends before where none changes. If not given: 10. Not together with
        ``iterations``.
    iterations : int, optional
        The same as ``max_iter``.
    weight : {"weight"}, optional
        If "weight": let the weights of edges count.
    options : Engine, optional
        How the run goes about its work, by ``values``, ``layout``, ``schedule``, ``edge_log``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"messages"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.
    engine : {"outcrop", "spark"}, optional
        Run on this machine, or on the cluster of the session ``spark``. If not given: where the graph is.
    spark : SparkSession, optional
        With ``engine="spark"``: the session, which the edges are written out for in each call;
        :func:`outcrop.spark.open` does that once for several.

    Returns
    -------
    Result
        Column ``label``: the original id of a vertex, the same for a community.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([(1, 2), (2, 3), (3, 1), (7, 8), (8, 9), (9, 7)], "groups.outcrop", directed=False)
    >>> oc.label_propagation(g, 10).to_dict()
    {1: 1, 2: 1, 3: 1, 7: 7, 8: 7, 9: 7}
    """
    return graph._run(
        "cdlp",
        max_iter=max_iter,
        iterations=iterations,
        weight=weight,
        options=options,
        checkpoint=checkpoint,
        resume=resume,
        engine=engine,
        spark=spark,
    )


def maximal_independent_set(
    graph: Graph, *, seed: int = 1, options: Engine | None = None, checkpoint: Path | None = None, resume: bool = False
) -> Result:
    """A maximal set of vertices without edges between them, the graph taken as undirected.

    No two members of the set are neighbours, and no vertex can be added to it. In each round all undecided vertices
    draw numbers by ``seed``; those whose number is smaller than that of all undecided neighbours join the set, and
    their neighbours never will. Loops do not count.

    Parameters
    ----------
    graph : Graph
        The graph.
    seed : int, default 1
        The same seed draws the same numbers.
    options : Engine, optional
        How the run goes about its work, by ``values``, ``layout``, ``schedule``, ``edge_log``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"messages"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``in_set``: 1 for members of the set, else 0.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

    Examples
    --------
    >>> import outcrop as oc
    >>> members = oc.maximal_independent_set(oc.build([(1, 2), (2, 3), (3, 1), (7, 8)], "pairs.outcrop")).to_dict()
    >>> sum(members.values())
    2
    """
    return graph._run("mis", seed=seed, options=options, checkpoint=checkpoint, resume=resume)


def random_walks(
    graph: Graph,
    source: Node | Iterable[Node] | None = None,
    *,
    every: int | None = None,
    length: int = 10,
    restart: float = 0.0,
    p: float = 1.0,
    q: float = 1.0,
    seed: int = 1,
    weight: Literal["weight"] | None = None,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Result:
    """Random walks from every so many vertices or from given ones, of first or second order (node2vec).

    Walks along out-edges, all of them at once: one from each source, in the order in which they are given, or from
    every so many vertices. Each edge is as likely as any other; with ``weight="weight"`` one is drawn by its weight:
    one of weight 0 is never followed, and a negative weight at a vertex of a walk is an error. A walk ends before its
    length where there is no edge to follow, but with ``restart`` goes back to its start there. With ``p`` or ``q``
    steps are of second order: an edge back to the vertex before has 1/p of the weight of others, and one to a vertex to
    which no edge leads from the vertex before, 1/q.

    The result has a row a step, in ascending walk and step, with ``node`` as the original id of the vertex; neither
    threads nor memory change it.

    Parameters
    ----------
    graph : Graph
        The graph; its weights count with ``weight="weight"``.
    source : int, str, or several, optional
        A vertex from which a walk starts; or several of them, and the same several times too.
    every : int, optional
        Start a walk from every K-th vertex in ascending id. If not given: 1000. Not together with ``source``.
    length : int, default 10
        Steps of a walk.
    restart : float, default 0.0
        The probability that a walk goes back to its start instead of along an edge; a number from 0 to 1.
    p : float, default 1.0
        Walk back to the vertex before with 1/P of the weight (node2vec); a number above 0.
    q : float, default 1.0
        Walk to vertices that are no neighbours of the one before with 1/Q of the weight (node2vec); a number above 0.
    seed : int, default 1
        The same seed draws the same numbers.
    weight : {"weight"}, optional
        If "weight": let the weights of edges count.
    options : Engine, optional
        How the run goes about its work, by ``layout``, ``schedule``, ``delivery``, ``edge_log``; the answer is the
        same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"messages"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``walk``: the number of the walk; the first is 0. Column ``step``: how many steps were made before; 0 is
        the start.

    Raises
    ------
    BudgetError
        With the least budget that is enough as ``minimum``.

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
        weight=weight,
        options=options,
        checkpoint=checkpoint,
        resume=resume,
    )


def belief_propagation(
    graph: Graph,
    priors: Vector,
    coupling: float = 0.9,
    *,
    damping: float = 0.0,
    tol: float = 1e-6,
    max_iter: int = 100,
    precision: Literal["f64", "f32"] = "f64",
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Result:
    """Beliefs of a pairwise binary Markov random field by loopy belief propagation, the graph taken as undirected.

    Every vertex is in state 0 or 1. How likely the states of all vertices are together is the product of what
    ``priors`` says of each and, for every edge, of ``coupling`` where its ends are in the same state, and one minus it
    where they are not: below 1/2 neighbours tend to differ. The belief is exact in trees; elsewhere it is what loopy
    belief propagation comes to. Vertices that the vector does not name have 1/2; one with exactly 0 or 1 is certain and
    stays so. Loops, repeated edges and directions are ignored.

    Messages are on edges, in temporary files where memory does not hold them. A run ends when no message changes by
    more than ``tol`` in log-odds; ``damping`` calms messages that swing. With single precision they take half the room,
    and bottom out at about 1e-7 of their size.

    Parameters
    ----------
    graph : Graph
        The graph; its weights do not count.
    priors : array, list, mapping, (ids, values), or path
        The probabilities of state 1 before anything is known of neighbours: .npy with a value a vertex in ascending id,
        or .parquet, .csv or .tsv with an id and a value a row. In place of a file: one number a vertex in ascending
        original id, or numbers by id, as a mapping or as ids and their numbers.
    coupling : float, default 0.9
        How likely the ends of an edge are in the same state; a number above 0 and below 1.
    damping : float, default 0.0
        Take this share of a message from the one before; a number at least 0 and below 1.
    tol : float, default 1e-6
        Stop when the log-odds of all messages change by less than this; a number above 0.
    max_iter : int, default 100
        Give up after so many iterations.
    precision : {"f64", "f32"}, default "f64"
        Precision of values; single precision takes half the memory.
    options : Engine, optional
        How the run goes about its work, by ``values``, ``layout``, ``schedule``, ``shards``, ``updated_share``,
        ``delay_buffer``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"gas"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``belief``: the probability of state 1.

    Raises
    ------
    NotConvergedError
        With the values of the last iteration as ``result``.
    BadInputError
        The numbers are not one a vertex, or name a vertex twice or one that the graph has not.
    BudgetError
        With the least budget that is enough as ``minimum``.

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
        options=options,
        checkpoint=checkpoint,
        resume=resume,
    )


def heat_simulation(
    graph: Graph,
    start: Vector,
    iterations: int = 100,
    *,
    rate: float | None = None,
    tol: float | None = None,
    options: Engine | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> Result:
    """Temperatures after steps of the heat equation, the graph taken as undirected and simple.

    In each step the temperature of a vertex grows by ``rate`` times the sum of the differences to its neighbours. The
    sum of all temperatures stays the same. A rate must be stable, at most 1 over the most neighbours of a vertex;
    another is refused, with the largest that is. If none is given, it is 1 over one more than that. Vertices that the
    vector does not name have 0. Loops, repeated edges and directions are ignored.

    Changes are on edges, in temporary files where memory does not hold them. With ``tol`` those that are not above it
    are kept back until they add up, so that edges of vertices that hardly change are not read; a temperature is then
    off by at most twice that times the number of steps.

    Parameters
    ----------
    graph : Graph
        The graph; its weights do not count.
    start : array, list, mapping, (ids, values), or path
        The temperatures to start with: .npy with a value a vertex in ascending id, or .parquet, .csv or .tsv with an id
        and a value a row. In place of a file: one number a vertex in ascending original id, or numbers by id, as a
        mapping or as ids and their numbers.
    iterations : int, default 100
        Do so many steps.
    rate : float, optional
        Even out this share of the difference between neighbours in a step; a number above 0. If not given: what is
        stable with the most neighbours.
    tol : float, optional
        Keep changes back that are not above this; a number above 0. If not given: none.
    options : Engine, optional
        How the run goes about its work, by ``values``, ``layout``, ``schedule``, ``shards``, ``updated_share``,
        ``delay_buffer``; the answer is the same.
    checkpoint : path, optional
        A folder in which the state of the run is saved every ten minutes, so that it can go on where it was stopped;
        the state stays until the result was written or all its values were read. In the model `"gas"`.
    resume : bool, default False
        Go on from the state in that folder; from the beginning where there is none.

    Returns
    -------
    Result
        Column ``temperature``: the temperature after the last step, in the unit of the start.

    Raises
    ------
    BadInputError
        The numbers are not one a vertex, or name a vertex twice or one that the graph has not.
    BudgetError
        With the least budget that is enough as ``minimum``.

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
        options=options,
        checkpoint=checkpoint,
        resume=resume,
    )
