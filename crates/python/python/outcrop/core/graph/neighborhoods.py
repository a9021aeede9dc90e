"""Subgraphs and samples around vertices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...exceptions import UsageError
from ...interop.values import ids, is_one, shown, whole_numbers
from ..parameters import Node
from ..tables.table import Stream, Table
from .facts import Facts
from .queries import Direction, edge_columns


class Neighborhoods(Facts):
    """Subgraphs and samples around vertices."""

    def subgraph(self, nodes: Iterable[Node], *, weights: bool = False) -> Stream:
        """Return the edges among the given vertices, as :meth:`edges` does; :func:`outcrop.build` accepts them.

        Parameters
        ----------
        nodes : iterable
            IDs.
        weights : bool
            Include edge weights.

        Raises
        ------
        UsageError
            If an ID is not in the graph, or ``weights`` is set for an unweighted graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (1, 3), (3, 4), (3, 1)], "small.outcrop")
        >>> oc.build(g.subgraph([1, 3, 4]), "among.outcrop").num_edges
        3
        """
        return self._subgraph(nodes, 0, "out", weights)

    def ego(
        self,
        nodes: Node | Iterable[Node],
        radius: int = 1,
        *,
        direction: Direction = "out",
        weights: bool = False,
    ) -> Stream:
        """Return the edges among all vertices within ``radius`` of the given ones, as :meth:`edges` does.

        Parameters
        ----------
        nodes : int, str or iterable
            An ID, or IDs.
        radius : int
            Maximum distance.
        direction : {"out", "in", "both"}
            Edges of a directed graph to follow.
        weights : bool
            Include edge weights.

        Raises
        ------
        UsageError
            If an ID is not in the graph, or ``weights`` is set for an unweighted graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (2, 3), (3, 4), (3, 1)], "small.outcrop")
        >>> g.ego(1, 2).to_arrow()["source"].to_pylist()
        [1, 2, 3]
        """
        if radius < 0:
            raise UsageError(f"radius must be at least 0, not {radius}")
        return self._subgraph(nodes, radius, direction, weights)

    def _subgraph(self, nodes: Node | Iterable[Node], radius: int, direction: str, weights: bool) -> Stream:
        named = ids(nodes)
        return Stream(lambda: self._handle.subgraph(named, radius, direction, weights), edge_columns(weights))

    def sample_neighbors(
        self,
        seeds: Node | Iterable[Node],
        fanouts: Sequence[int] = (15, 10),
        *,
        direction: Direction = "out",
        replace: bool = False,
        weighted: bool = False,
        seed: int = 0,
    ) -> Table:
        """Sample neighbors layer by layer, for graph neural networks.

        Layer 0 samples neighbors of ``seeds``; every further layer samples neighbors of the vertices first reached in
        the previous one. The lists of a layer are read once, for any number of seeds.

        Parameters
        ----------
        seeds : int, str or iterable
            An ID, or IDs; duplicates count once.
        fanouts : sequence of int
            Neighbors to sample per vertex, one number per layer; vertices with fewer neighbors use all.
        direction : {"out", "in", "both"}
            Edges of a directed graph to sample from; ``"both"`` samples this number from each side.
        replace : bool
            Sample with replacement.
        weighted : bool
            Sample in proportion to edge weights; edges without a positive weight are never sampled.
        seed : int
            Random seed. Samples of a vertex depend only on the seed and the vertex order of the store.

        Returns
        -------
        Table
            ``layer``, ``source`` and ``neighbor``, one row per sample, in ascending order.

        Raises
        ------
        UsageError
            If an ID is not in the graph, or ``weighted`` is set for an unweighted graph.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (1, 3), (1, 4), (2, 5)], "small.outcrop")
        >>> sample = g.sample_neighbors([1], fanouts=[2, 1], seed=7)
        >>> sample.to_numpy("layer").tolist()[:2]
        [0, 0]
        """
        if is_one(fanouts):
            raise TypeError(f"fanouts must be a list of integers, one per layer, not {shown(fanouts)}")
        draws = (replace, weighted)
        return Table(self._handle.sample(ids(seeds), whole_numbers(fanouts, "fanouts"), direction, draws, seed))
