"""Edges as people have them, told to the extension: as files, as a stream of Arrow, or as pieces of arrays."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from .edge_arrays import Pieces, is_array, of_columns, of_rows
from .exceptions import BadInputError
from .parameters import Path
from .temporary import TemporaryFolder


class Given(NamedTuple):
    """Edges for the extension, whether they have weights, and what they say of the graph, in the options of a build."""

    edges: Any
    weighted: bool
    options: dict[str, Any] = {}
    scratch: TemporaryFolder | None = None
    """What must be there for as long as the edges are read."""


def given_edges(edges: Any, weight: Any, tmp_dir: Path | None = None) -> Given:
    """Return edges of any kind; ``tmp_dir`` is where they go that must be written to be read."""
    if _is_a(edges, "networkx", "Graph"):
        return _networkx(edges, weight, tmp_dir)
    if _is_a(edges, "igraph", "Graph"):
        return _igraph(edges, weight, tmp_dir)
    if _is_a(edges, "polars", "LazyFrame"):
        return _lazy_frame(edges, weight, tmp_dir)
    if hasattr(edges, "tocoo"):
        return _matrix(edges, weight)
    if isinstance(edges, str | os.PathLike):
        edges = [edges]
    if isinstance(edges, Sequence) and edges and all(isinstance(path, str | os.PathLike) for path in edges):
        return Given([os.fspath(path) for path in edges], bool(weight))
    if hasattr(edges, "scanner"):
        edges = edges.scanner().to_reader()
    if hasattr(edges, "__arrow_c_stream__"):
        return Given(edges.__arrow_c_stream__(), weight is not None and weight is not False)
    return _in_memory(edges, weight)


def column(values: Any) -> Any:
    """Return a column of ids or weights as an array, where its library makes one of it."""
    if not hasattr(values, "to_numpy"):
        return values
    return values.to_numpy(zero_copy_only=False) if type(values).__module__ == "pyarrow.lib" else values.to_numpy()


def _is_a(value: Any, library: str, name: str) -> bool:
    """Whether it is of a library's class; a library that is not imported has made nothing."""
    module = sys.modules.get(library)
    return module is not None and isinstance(value, getattr(module, name))


def _of(pieces: Pieces, options: dict[str, Any] | None = None, scratch: TemporaryFolder | None = None) -> Given:
    return Given(tuple(pieces[:3]), pieces.weighted, options or {}, scratch)


def _in_memory(edges: Any, weight: Any) -> Given:
    if is_array(edges):
        if len(edges.shape) != 2 or edges.shape[1] != 2:
            raise ValueError(f"edges are an array with two columns, not one of shape {tuple(edges.shape)}")
        return _of(of_columns(edges[:, 0], edges[:, 1], weight))
    if isinstance(edges, tuple) and len(edges) == 2 and all(is_array(ids) and len(ids.shape) == 1 for ids in edges):
        return _of(of_columns(*edges, weight))
    return _of(of_rows(edges, weight))


def _matrix(matrix: Any, weight: Any) -> Given:
    """Edges from rows to columns of a sparse matrix, with what it holds as their weights, but for true and false."""
    rows, columns = matrix.shape
    if rows != columns:
        raise ValueError(f"a matrix of edges has as many rows as columns, not the shape {matrix.shape}")
    entries = matrix.tocoo()
    weights = weight if weight is not None and weight is not True else entries.data
    weights = None if is_array(weights) and weights.dtype.kind == "b" else weights
    return _of(of_columns(entries.row, entries.col, weights), {"ids": "dense", "num_vertices": rows})


def _networkx(graph: Any, weight: Any, tmp_dir: Path | None) -> Given:
    name = "weight" if weight is None or weight is True else weight
    if weight is None and not any(name in data for _, _, data in graph.edges(data=True)):
        name = False
    rows = graph.edges(data=name, default=1) if isinstance(name, str) else ((u, v) for u, v, *_ in graph.edges)
    return _named(rows, weight, graph, (node for node in graph if not graph.degree(node)), graph.is_directed(), tmp_dir)


def _igraph(graph: Any, weight: Any, tmp_dir: Path | None) -> Given:
    name = "weight" if weight is None or weight is True else weight
    ends: Iterable[Any] = graph.get_edgelist()
    names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
    ends = ((names[source], names[target]) for source, target in ends)
    if isinstance(name, str) and (weight is not None or name in graph.es.attributes()):
        ends = ((*pair, value) for pair, value in zip(ends, graph.es[name], strict=True))
    alone = (names[vertex] for vertex, degree in enumerate(graph.degree()) if not degree)
    return _named(ends, weight, names, alone, graph.is_directed(), tmp_dir)


def _named(
    rows: Iterable[Any], weight: Any, nodes: Iterable[Any], alone: Iterator[Any], directed: bool, tmp_dir: Path | None
) -> Given:
    """Edges between nodes, with those that are ``alone`` in a file, as the builder takes vertices without edges."""
    options: dict[str, Any] = {"directed": directed}
    if isinstance(next(iter(nodes), None), str):
        options["ids"] = "string"
    lonely, scratch = [str(node) for node in alone], None
    if lonely:
        scratch = TemporaryFolder(tmp_dir)
        options |= _vertices(lonely, FilePath(scratch.path) / "vertices.txt")
    return _of(of_rows(rows, weight if weight is not None and not isinstance(weight, str) else None), options, scratch)


def _vertices(names: list[str], path: FilePath) -> dict[str, Any]:
    """Write a file of vertices, one a line; the options by which each line is read as one id, whatever is in it."""
    broken = [name for name in names if not name or "\n" in name or "\r" in name]
    if broken:
        raise BadInputError(f"the vertex {broken[0]!r} has no edges, and no name of one line", file="the edges")
    quoted = ('"' + name.replace('"', '""') + '"\n' for name in names)
    path.write_text("".join(quoted), encoding="utf-8", newline="")
    return {"vertices": path, "separator": ",", "comments": "", "header": "no"}


def _lazy_frame(frame: Any, weight: Any, tmp_dir: Path | None) -> Given:
    """Edges in a file that Polars writes while it computes them, without ever having them all in memory."""
    scratch = TemporaryFolder(tmp_dir)
    path = FilePath(scratch.path) / "edges.parquet"
    frame.sink_parquet(path)
    return Given([os.fspath(path)], weight is not None and weight is not False, scratch=scratch)
