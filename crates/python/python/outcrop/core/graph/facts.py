"""Size and type of a graph, and its end."""

from __future__ import annotations

import json
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ... import _outcrop
from ...progress import Listener
from ..hints import missing_of_graph
from ..tables.table import html_table
from ..temporary import TemporaryFolder

if TYPE_CHECKING:
    from typing_extensions import Self


class Facts:
    """Facts about an open graph, which its handle provides: of the extension, or of Spark."""

    __networkx_backend__ = "outcrop"

    _folder: TemporaryFolder | None = None
    """Folder of a temporary store, removed with the graph and its results."""

    _input: dict[str, Any] | None = None
    """Summary of the input of a graph that was just built."""

    def __init__(self, name: str, handle: _outcrop.GraphHandle, progress: Listener) -> None:
        """Store the name for messages, the open graph, and the listener of its operations."""
        self._name, self._handle, self._progress = name, handle, progress

    @cached_property
    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = json.loads(self._handle.info())
        return info

    def _forget_info(self) -> None:
        vars(self).pop("_info", None)

    def info(self) -> dict[str, Any]:
        """Return the size, types and layout of the store.

        Returns
        -------
        dict
            ``store``, ``uuid``, ``format_version``, ``vertices``, ``edges``, ``directed``, ``weighted``, ``ids``,
            ``order``, ``dedup``, ``self_loops``, ``bytes`` on disk, ``layouts`` and ``static_cache`` (lists of
            dictionaries), and ``order_parameters`` (a dictionary) if the order has any. For the object returned
            by :func:`outcrop.build` also ``input``, the summary of the input as in ``outcrop build --json``: a
            dictionary with ``files``, ``ids``, ``direction``, ``notes`` and the numbers of edges, self-loops and merged
            edges.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2)], "pair.outcrop").info()["vertices"]
        2
        """
        return dict(self._info) if self._input is None else self._info | {"input": self._input}

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return int(self._info["vertices"])

    @property
    def num_edges(self) -> int:
        """Number of edges; an undirected edge counts once."""
        return int(self._info["edges"])

    @property
    def directed(self) -> bool:
        """Whether edges are directed."""
        return bool(self._info["directed"])

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return bool(self._info["weighted"])

    if not TYPE_CHECKING:
        __getattr__ = missing_of_graph

    def __len__(self) -> int:
        """Return the number of vertices."""
        return self.num_vertices

    def is_directed(self) -> bool:
        """Return :attr:`directed`; the name used by NetworkX.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2)]).is_directed()
        True
        """
        return self.directed

    def is_multigraph(self) -> bool:
        """Return False, for NetworkX; each algorithm defines how repeated edges count.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2), (1, 2)]).is_multigraph()
        False
        """
        return False

    def close(self) -> None:
        """Close the store and release its memory; existing results stay usable.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2)], "pair.outcrop")
        >>> g.close()
        >>> oc.bfs(g, 1)
        Traceback (most recent call last):
        ValueError: the graph is closed
        """
        self._handle.close()
        self._folder = None

    def __enter__(self) -> Self:
        """Return the graph."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the graph."""
        self.close()

    def __repr__(self) -> str:
        """Describe the graph."""
        direction = "directed" if self.directed else "undirected"
        weighted = ", weighted" if self.weighted else ""
        counts = ((self.num_vertices, "vertex", "vertices"), (self.num_edges, "edge", "edges"))
        size = ", ".join(f"{count:,} {one if count == 1 else several}" for count, one, several in counts)
        return f"<outcrop.Graph {self._name!r}: {size}, {direction}{weighted}>"

    def _repr_html_(self) -> str:
        """Show the size and the kind of the graph in a notebook."""
        info = self._info
        rows = [
            ["vertices", f"{self.num_vertices:,}"],
            ["edges", f"{self.num_edges:,}, {'directed' if self.directed else 'undirected'}"],
            ["weights", info["weight_type"] if self.weighted else "none"],
            ["IDs", info["ids"]],
            ["order", info["order"]],
            ["size on disk", f"{info['bytes'] / 2**20:,.1f} MiB"],
        ]
        return html_table(f"outcrop.Graph {self._name}", [], rows)
