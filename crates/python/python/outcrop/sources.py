"""Edges of any kind for the extension: as files, as an Arrow stream, or as batches of arrays."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from .edge_arrays import Columns, Pieces, of_columns, of_rows
from .exceptions import BadInputError, UsageError
from .parameters import Path
from .temporary import TemporaryFolder
from .values import Ids, Place, column, ids, is_array, numbers, texts, whole


class Given(NamedTuple):
    """Edges for the extension, whether they have weights, and the build options that they imply."""

    edges: Any
    weighted: bool
    options: dict[str, Any] = {}
    scratch: TemporaryFolder | None = None
    """Owner of the data, needed until the edges are read."""


def given_edges(edges: Any, weight: Any, tmp_dir: Path | None = None) -> Given:
    """Return edges of any kind; edges that must be written first go to ``tmp_dir``."""
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
    if hasattr(edges, "__arrow_c_array__") and not hasattr(edges, "__arrow_c_stream__") and not is_array(edges):
        import pyarrow

        edges = pyarrow.record_batch(edges)
    if hasattr(edges, "__arrow_c_stream__"):
        return Given(edges.__arrow_c_stream__(), weight is not None and weight is not False)
    return _in_memory(edges, weight)


def _is_a(value: Any, library: str, name: str) -> bool:
    """Whether the value is of a class of a library, if the library is imported."""
    module = sys.modules.get(library)
    return module is not None and isinstance(value, getattr(module, name))


def _of(
    pieces: Pieces,
    options: dict[str, Any] | None = None,
    scratch: TemporaryFolder | None = None,
    notes: Sequence[str] = (),
) -> Given:
    return Given((*pieces[:3], list(notes)), pieces.weighted, options or {}, scratch)


def _in_memory(edges: Any, weight: Any) -> Given:
    if isinstance(edges, Columns):
        return _of(of_columns(*edges))
    if isinstance(edges, tuple) and len(edges) == 2 and all(is_array(end) and _dimensions(end) == 1 for end in edges):
        return _of(of_columns(*edges, weight))
    if not is_array(edges):
        return _of(of_rows(edges, weight))
    pairs = whole(edges, Place("the edges", "row"))
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"edges must be an array with two columns, not one of shape {tuple(pairs.shape)}")
    return _of(of_columns(pairs[:, 0], pairs[:, 1], weight))


def _dimensions(values: Any) -> int:
    return len(values.shape) if hasattr(values, "shape") else 1


def _matrix(matrix: Any, weight: Any) -> Given:
    """Edges from rows to columns of a sparse matrix; entries other than booleans are weights.

    Duplicate entries are summed, as in SciPy.
    """
    import numpy

    rows, columns = matrix.shape
    if rows != columns:
        raise ValueError(f"a matrix of edges must be square, not of shape {matrix.shape}")
    entries, notes = matrix.tocoo(copy=True), []
    if weight is not None and not isinstance(weight, bool | str):
        entries.data = numpy.asarray(column(weight, Place("the weights", "row")))
        if len(entries.data) != len(entries.row):
            raise ValueError(f"{len(entries.row)} entries need {len(entries.row)} weights, not {len(entries.data)}")
    weighted = weight is not False and entries.data.dtype.kind != "b"
    if weighted:
        data = numbers(entries.data, Place("the entries of the matrix", "row"), "weight")
        entries.data = numpy.frombuffer(data, "f8").copy()
    before = entries.nnz
    entries.sum_duplicates()
    if entries.nnz < before:
        notes.append(f"{before - entries.nnz:,} duplicate entries of the matrix were summed")
    weights = weight if isinstance(weight, str) else entries.data if weighted else None
    options = {"ids": "dense", "num_vertices": rows}
    return _of(of_columns(entries.row, entries.col, weights), options, None, notes)


def _networkx(graph: Any, weight: Any, tmp_dir: Path | None) -> Given:
    edges = () if weight is False else graph.edges(data=True)
    names, count = Counter(name for *_, data in edges for name in data), graph.number_of_edges()
    name, notes = _attribute(weight, names, count), []
    rows = ((u, v) for u, v, *_ in graph.edges) if name is None else graph.edges(data=name, default=1)
    if name is not None and names[name] < count:
        notes.append(f"{count - names[name]:,} of {count:,} edges have no attribute {name!r}; using weight 1")
    alone = (number for number, node in enumerate(graph) if not graph.degree(node))
    return _named(rows, name is not None, ids(list(graph), _NODES), alone, graph.is_directed(), tmp_dir, notes)


def _igraph(graph: Any, weight: Any, tmp_dir: Path | None) -> Given:
    name = _attribute(weight, graph.es.attributes(), graph.ecount())
    names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
    nodes = ids(list(names), _NODES)
    if len(set(names)) < len(names):
        raise BadInputError("vertex names of the graph are not unique", file="the edges")
    ends: Iterable[Any] = ((names[source], names[target]) for source, target in graph.get_edgelist())
    if name is not None:
        ends = ((*pair, value) for pair, value in zip(ends, graph.es[name], strict=True))
    alone = (vertex for vertex, degree in enumerate(graph.degree()) if not degree)
    return _named(ends, name is not None, nodes, alone, graph.is_directed(), tmp_dir, [])


_NODES = Place("the nodes of the graph")


def _attribute(weight: Any, names: Iterable[str], edges: int) -> str | None:
    """Return the weight attribute of the edges, or None."""
    name = "weight" if weight is None or weight is True else weight
    if name is False or (weight is None and name not in names):
        return None
    if not isinstance(name, str):
        raise UsageError(f"weight must be the name of an edge attribute, not {type(weight).__name__}")
    if edges and name not in names:
        has = ", ".join(map(repr, names)) or "none"
        raise UsageError(f"the edges of the graph have no attribute {name!r}; set weight to one of {has}")
    return name


def _named(
    rows: Iterable[Any],
    weighted: bool,
    nodes: Ids,
    alone: Iterator[int],
    directed: bool,
    tmp_dir: Path | None,
    notes: Sequence[str],
) -> Given:
    """Edges between nodes; isolated nodes (``alone``) go to a vertex file."""
    options: dict[str, Any] = {"directed": directed}
    if isinstance(nodes, list) and nodes:
        options["ids"] = "string"
    names, scratch = texts(nodes), None
    lonely = [names[number] for number in alone]
    if lonely:
        scratch = TemporaryFolder(tmp_dir)
        options |= _vertices(lonely, FilePath(scratch.path) / "vertices.txt")
    return _of(of_rows(rows, None if weighted else False), options, scratch, notes)


def _vertices(names: list[str], path: FilePath) -> dict[str, Any]:
    """Write a vertex file, one per line; return the options that read each line as one ID."""
    broken = [name for name in names if not name or "\n" in name or "\r" in name]
    if broken:
        raise BadInputError(f"the isolated vertex {broken[0]!r} has a name with several lines", file="the edges")
    quoted = ('"' + name.replace('"', '""') + '"\n' for name in names)
    path.write_text("".join(quoted), encoding="utf-8", newline="")
    return {"vertices": path, "separator": ",", "comments": "", "header": "no"}


def _lazy_frame(frame: Any, weight: Any, tmp_dir: Path | None) -> Given:
    """Edges in a file that Polars writes in streaming mode."""
    scratch = TemporaryFolder(tmp_dir)
    path = FilePath(scratch.path) / "edges.parquet"
    frame.sink_parquet(path)
    return Given([os.fspath(path)], weight is not None and weight is not False, scratch=scratch)
