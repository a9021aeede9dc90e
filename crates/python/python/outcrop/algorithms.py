"""Algorithms, by NetworkX's names. Each returns a table with a row a vertex in ascending original id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
    )


def bfs(graph: Graph, source: Node | Iterable[Node]) -> Result:
    """Breadth-first search.

    Parameters
    ----------
    graph : Graph
        The graph.
    source : int, str, or several
        Where to start.

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
    return graph._run("bfs", source=source)


def sssp(graph: Graph, source: Node | Iterable[Node], *, precision: str = "f64") -> Result:
    """Shortest paths by weight, from one vertex or from the nearest of several.

    Parameters
    ----------
    graph : Graph
        The graph, with weights of at least 0; without weights, every edge counts 1.
    source : int, str, or several
        Where to start.
    precision : {"f64", "f32"}
        Single precision takes half the memory.

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
    return graph._run("sssp", source=source, precision=precision)


def weakly_connected_components(graph: Graph, *, method: str = "sweep") -> Result:
    """Weakly connected components.

    Parameters
    ----------
    graph : Graph
        The graph.
    method : {"sweep", "afforest", "label-propagation"}
        How they are found; the answer is the same. The others read in-edges as well, and take more memory in directed
        graphs.

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
    return graph._run("wcc", method=method)


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
        Only tell cores up to the k-core apart: values are the smaller of core number and ``k``.

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
