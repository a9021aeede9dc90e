"""Conversion to files and to graphs of other libraries."""

from __future__ import annotations

import json
from typing import Any, Literal

from ...interop import conversions
from ..parameters import Path
from .queries import Queries


class Exports(Queries):
    """Conversion to files and to graphs of other libraries."""

    def export(
        self,
        path: Path,
        *,
        order: Literal["id", "store"] = "id",
        weights: bool = True,
        overwrite: bool = False,
        format: str | None = None,  # noqa: A002
    ) -> int:
        """Export the edges to a file, with weights, if the graph has them.

        Parameters
        ----------
        path
            Output file.
        format
            ``"edge-list"``, ``"outcrop"``, ``"parquet"``, ``"sg"`` or ``"wsg"``. Default: by extension.
        order
            IDs to write and sort by: ``"id"`` (original IDs) or ``"store"`` (positions in the store, from 0).
        weights
            Whether to write weights.
        overwrite
            Overwrite an existing file.

        Returns
        -------
        int
            Number of written edges; for ``"sg"`` and ``"wsg"`` the number of list entries.

        Raises
        ------
        AlreadyExistsError
            If the file exists.
        UsageError
            If the format does not support the graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(2, 1), (1, 2)], "pair.outcrop").export("pair.csv")
        2
        """
        return self._handle.export(path, (format, order), weights, overwrite, self._progress)

    def salvage(
        self,
        path: Path,
        *,
        order: Literal["id", "store"] = "id",
        weights: bool = True,
        overwrite: bool = False,
        format: str | None = None,  # noqa: A002
    ) -> dict[str, Any]:
        """Export the edges of all adjacency lists of a damaged store that still verify.

        An edge of a damaged list is taken from the list of its other end. If ``edges_lost`` of the record is 0, the
        file has all edges.

        Parameters
        ----------
        path
            Output file; not written if all edges are lost.
        format
            ``"edge-list"``, ``"outcrop"`` or ``"parquet"``. Default: by extension.
        order
            IDs to write and sort by: ``"id"`` (original IDs) or ``"store"`` (positions in the store, from 0).
        weights
            Whether to write weights.
        overwrite
            Overwrite an existing file.

        Returns
        -------
        dict
            The numbers of edges written and lost, and the vertices of lost lists.

        Raises
        ------
        AlreadyExistsError
            If the file exists.
        CorruptStoreError
            If the original IDs are damaged.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(2, 1), (1, 2)]).salvage("salvaged.csv")["edges_lost"]
        0
        """
        handle = self._handle
        record: dict[str, Any] = json.loads(handle.salvage(path, (format, order), weights, overwrite, self._progress))
        return record

    def to_networkx(self, limit: float = conversions.LIMIT) -> Any:
        """Convert to a NetworkX graph in memory: a multigraph if edges are repeated.

        Parameters
        ----------
        limit : int
            Maximum number of edges and of vertices to convert.

        Raises
        ------
        UsageError
            If the graph is larger.

        Examples
        --------
        >>> import outcrop as oc
        >>> list(oc.build([(1, 2, 0.5)]).to_networkx().edges(data=True))
        [(1, 2, {'weight': 0.5})]
        """
        return conversions.to_networkx(self, limit)

    def to_scipy(self, limit: float = conversions.LIMIT) -> Any:
        """Convert to a SciPy ``csr_array``: rows and columns in ascending original ID order, as in results.

        Entries are weights, or ones without weights; repeated edges are summed. The matrix of an undirected graph is
        symmetric.

        Parameters
        ----------
        limit : int
            Maximum number of edges and of vertices to convert.

        Raises
        ------
        UsageError
            If the graph is larger.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 3)]).to_scipy().toarray().tolist()
        [[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        """
        return conversions.to_scipy(self, limit)

    def to_igraph(self, limit: float = conversions.LIMIT) -> Any:
        """Convert to an igraph graph in memory; IDs are the vertex attribute ``id``, or ``name`` for strings.

        Parameters
        ----------
        limit : int
            Maximum number of edges and of vertices to convert.

        Raises
        ------
        UsageError
            If the graph is larger.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 3)]).to_igraph().vs["id"]  # doctest: +SKIP
        [1, 2, 3]
        """
        return conversions.to_igraph(self, limit)

    def to_pyg(self, limit: float = conversions.LIMIT) -> Any:
        """Convert to PyG ``Data`` in memory; nodes are in ascending original ID order, as in results.

        Undirected edges appear in both directions. ``node_id`` contains the IDs (a list for strings), ``edge_weight``
        the weights in single precision, if the graph has any.

        Parameters
        ----------
        limit : int
            Maximum number of edges and of vertices to convert.

        Raises
        ------
        UsageError
            If the graph is larger.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 3)]).to_pyg()  # doctest: +SKIP
        Data(edge_index=[2, 2], num_nodes=3, node_id=[3])
        """
        return conversions.to_pyg(self, limit)
