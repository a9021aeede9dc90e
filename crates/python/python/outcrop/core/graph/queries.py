"""Queries for vertices and edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, overload

from ...exceptions import BadInputError, UsageError
from ...interop.values import ids, is_one
from ..parameters import Node
from ..tables.table import Stream, Table
from .facts import Facts

Direction = Literal["out", "in", "both"]
"""Edges of a vertex: out-edges, in-edges, or both."""


class Queries(Facts):
    """Queries for vertices and edges."""

    def __contains__(self, node: object) -> bool:
        """Return whether the graph has a vertex with this ID."""
        try:
            return is_one(node) and self._handle.contains(ids(node))[0]
        except (TypeError, BadInputError):
            return False

    def __iter__(self) -> Iterator[Node]:
        """Iterate over the vertex IDs in ascending order."""
        for batch in self.nodes():
            yield from batch._read().values(0)

    @overload
    def neighbors(self, nodes: Node, *, weights: Literal[False] = False) -> list[Node]: ...  # type: ignore[overload-overlap]
    @overload
    def neighbors(self, nodes: Node | Iterable[Node], *, weights: bool = False) -> Table: ...
    def neighbors(self, nodes: Node | Iterable[Node], *, weights: bool = False) -> list[Node] | Table:
        """Return the out-neighbors of one vertex, or of many vertices at once.

        The lists of many vertices are read together, each page once: pass all vertices in one call.

        Parameters
        ----------
        nodes : int, str or iterable
            An ID, or a list or array of IDs.
        weights : bool
            Include edge weights. The result is then a table even for one ID.

        Returns
        -------
        list or Table
            The neighbors of one ID in ascending order; for several IDs a table with ``node``, ``neighbor`` and, with
            ``weights``, ``weight``: one row per edge, in the order of the IDs, including repeated edges.

        Raises
        ------
        UsageError
            If an ID is not in the graph, or ``weights`` is set for an unweighted graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "small.outcrop")
        >>> g.neighbors(1)
        [2, 3]
        >>> g.neighbors([2, 1]).to_numpy("neighbor").tolist()
        [3, 2, 3]
        """
        return self._neighbors(nodes, "out", weights)

    @overload
    def in_neighbors(self, nodes: Node, *, weights: Literal[False] = False) -> list[Node]: ...  # type: ignore[overload-overlap]
    @overload
    def in_neighbors(self, nodes: Node | Iterable[Node], *, weights: bool = False) -> Table: ...
    def in_neighbors(self, nodes: Node | Iterable[Node], *, weights: bool = False) -> list[Node] | Table:
        """Return the in-neighbors of one vertex, or of many vertices at once, as :meth:`neighbors` does.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 3), (2, 3)], "small.outcrop").in_neighbors(3)
        [1, 2]
        """
        return self._neighbors(nodes, "in", weights)

    def _neighbors(self, nodes: Node | Iterable[Node], direction: str, weights: bool) -> list[Node] | Table:
        one = is_one(nodes)
        batches = self._handle.neighbors(ids(nodes), direction, weights)
        return batches.values(1) if one and not weights else Table(batches)

    @overload
    def degree(self, nodes: Node, *, direction: Direction = "both") -> int: ...  # type: ignore[overload-overlap]
    @overload
    def degree(self, nodes: Iterable[Node] | None = None, *, direction: Direction = "both") -> Table: ...
    def degree(self, nodes: Node | Iterable[Node] | None = None, *, direction: Direction = "both") -> int | Table:
        """Return the degree of one vertex, of many, or of all.

        Parameters
        ----------
        nodes : int, str or iterable, optional
            An ID, or IDs. Default: all vertices.
        direction : {"both", "out", "in"}
            Edges to count in a directed graph. A self-loop of an undirected graph counts once.

        Returns
        -------
        int or Table
            The degree of one ID; otherwise a table with ``node`` and ``degree``, in the order of the IDs, or ascending.

        Raises
        ------
        UsageError
            If an ID is not in the graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "small.outcrop")
        >>> g.degree(2), g.degree(2, direction="in")
        (2, 1)
        >>> g.degree().to_numpy("degree").tolist()
        [2, 2, 2]
        """
        if nodes is None:
            return Table(self._handle.degrees(None, direction))
        batches = self._handle.degrees(ids(nodes), direction)
        return int(batches.values(1)[0]) if is_one(nodes) else Table(batches)

    @overload
    def has_edge(self, source: Node, target: Node) -> bool: ...  # type: ignore[overload-overlap]
    @overload
    def has_edge(self, source: Iterable[Node], target: Iterable[Node]) -> list[bool]: ...
    def has_edge(self, source: Any, target: Any) -> bool | list[bool]:
        """Return whether there is an edge between two vertices, or between each pair of two lists.

        Parameters
        ----------
        source, target : int, str or iterable
            Two IDs, or two lists of equal length.

        Returns
        -------
        bool or list of bool

        Raises
        ------
        UsageError
            If an ID is not in the graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (2, 3)], "path.outcrop")
        >>> g.has_edge(1, 2), g.has_edge([1, 1], [2, 3])
        (True, [True, False])
        """
        found = self._handle.has_edges(ids(source), ids(target))
        return found[0] if is_one(source) and is_one(target) else found

    def nodes(self) -> Stream:
        """Return the IDs of all vertices in ascending order, as batches with a column ``node``.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (2, 3)], "path.outcrop").nodes().to_arrow()["node"].to_pylist()
        [1, 2, 3]
        """
        return Stream(lambda: self._handle.nodes(), ["node"])

    def edges(self, *, weights: bool = False, batch_size: int = 32768) -> Stream:
        """Return all edges in ascending ID order, in batches of ``source``, ``target`` and optionally ``weight``.

        An undirected edge appears once, with the smaller ID first. Edges are sorted within the ``memory`` of the graph,
        or in temporary files if they do not fit; an open stream uses up to half of ``memory`` until it ends.

        Parameters
        ----------
        weights : bool
            Include edge weights.
        batch_size : int
            Maximum number of rows per batch.

        Raises
        ------
        UsageError
            If ``weights`` is set for an unweighted graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (1, 3), (2, 3)], "small.outcrop")
        >>> for batch in g.edges(batch_size=2):
        ...     print(batch.to_numpy("target").tolist())
        [2, 3]
        [3]
        """
        if batch_size < 1:
            raise UsageError(f"batch_size must be a positive number of rows, not {batch_size}")
        return Stream(lambda: self._handle.edges(weights, batch_size, self._progress), edge_columns(weights))


def edge_columns(weights: bool) -> list[str]:
    """Return the column names of a stream of edges."""
    return ["source", "target", "weight"] if weights else ["source", "target"]
