"""Edges of any kind for the extension: as files, as an Arrow stream, or as batches of arrays."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral, Real
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from ..core.parameters import Path
from ..core.temporary import TemporaryFolder
from ..exceptions import BadInputError, UsageError
from .edge_arrays import Columns, Pieces, as_integers, is_given, of_columns, of_rows
from .frames import arrow_stream, is_a, table_notes, without_peeked
from .values import Ids, Place, column, ids, is_array, numbers, shown, texts, whole


class Given(NamedTuple):
    """Edges for the extension, whether they have weights, and the build options that they imply."""

    edges: Any
    weighted: bool
    options: dict[str, Any] = {}
    scratch: TemporaryFolder | None = None
    """Owner of the data, needed until the edges are read."""
    notes: Sequence[str] = ()
    """Notes on edges other than arrays, whose notes are in ``edges``."""
    empty: bool = False
    """Whether there are neither edges nor vertices."""

    def require_edges(self, *, consumed: bool) -> None:
        """Refuse to build an empty graph, for example from an iterator that may be ``consumed``."""
        if self.empty:
            advice = "pass an iterator that was not consumed before, or" if consumed else "an empty graph needs"
            raise BadInputError(f"the edges: found no edges; {advice} allow_empty=True", file="the edges")

    def with_integers(self) -> Given:
        """Return the edges with strings of digits as integer IDs, if they are arrays or rows of strings."""
        if not isinstance(self.edges, tuple) or not self.edges[1]:
            return self
        return self._replace(edges=(as_integers(self.edges[0]), False, *self.edges[2:]))


def given_edges(
    edges: Any, weight: Any, tmp_dir: Path | None = None, *, directed: bool | None = None, named: bool = False
) -> Given:
    """Return edges of any kind; edges that must be written first go to ``tmp_dir``.

    With ``directed=True``, undirected graphs give each edge in both directions. ``named`` tells that endpoint columns
    of tables are given by name.
    """
    if hasattr(edges, "_run"):
        advice = "use it as it is, copy it with graph.convert(), or pass graph.edges()"
        raise TypeError(f"the edges are an outcrop.Graph already; {advice}")
    if is_a(edges, "networkx", "Graph"):
        return _networkx(edges, weight, tmp_dir, directed)
    if is_a(edges, "igraph", "Graph"):
        return _igraph(edges, weight, tmp_dir, directed)
    if is_a(edges, "polars", "LazyFrame"):
        return _lazy_frame(edges, weight, tmp_dir, named)
    if hasattr(edges, "tocoo"):
        return _matrix(edges, weight)
    paths = _paths(edges)
    if paths:
        return Given(paths, _has_weights(weight))
    if hasattr(edges, "scanner"):
        edges = edges.scanner().to_reader()
    if hasattr(edges, "__arrow_c_array__") and not hasattr(edges, "__arrow_c_stream__") and not is_array(edges):
        import pyarrow

        edges = pyarrow.record_batch(edges)
    if hasattr(edges, "__arrow_c_stream__"):
        weighted = _has_weights(weight)
        edges, empty = without_peeked(edges)
        notes = [] if named or empty else table_notes(edges)
        return Given(arrow_stream(edges), weighted, notes=notes, empty=empty)
    if _is_undirected_view(edges):
        return _undirected(edges, weight, directed)
    return _in_memory(edges, weight)


def require_columns(*given: Given | None) -> None:
    """Refuse names of columns if none of the edges has columns."""
    if all(edges is None or isinstance(edges.edges, tuple) for edges in given):
        raise UsageError("source and target are names of columns, which only tables and files have")


def _has_weights(weight: Any) -> bool:
    """Return whether edges of a table or of files have weights, which are one of their columns."""
    if weight is None or isinstance(weight, bool | str):
        return is_given(weight)
    raise TypeError(
        f"the weights of a table or a file are one of its columns: pass its name as weight, not {shown(weight)}; "
        "for an array of weights, use from_edges(source, target, weight)"
    )


def _paths(edges: Any) -> list[str]:
    """Return paths of files, of which there are none if this is something else."""
    if isinstance(edges, str | os.PathLike):
        return [os.fspath(edges)]
    if isinstance(edges, Sequence) and all(isinstance(path, str | os.PathLike) for path in edges):
        return [os.fspath(path) for path in edges]
    return []


def is_undirected(edges: Any) -> bool:
    """Whether these are edges of an undirected graph of a library."""
    is_graph = is_a(edges, "networkx", "Graph") or is_a(edges, "igraph", "Graph")
    return not edges.is_directed() if is_graph else _is_undirected_view(edges)


def _is_undirected_view(edges: Any) -> bool:
    return any(is_a(edges, "networkx.classes.reportviews", name) for name in ("EdgeDataView", "MultiEdgeDataView"))


def _of(
    pieces: Pieces,
    options: dict[str, Any] | None = None,
    scratch: TemporaryFolder | None = None,
    notes: Sequence[str] = (),
) -> Given:
    options = options or {}
    empty = pieces.texts is None and not options.get("vertices") and not options.get("num_vertices")
    return Given((*pieces[:3], [*notes, *pieces.notes]), pieces.weighted, options, scratch, empty=empty)


def _in_memory(edges: Any, weight: Any) -> Given:
    if isinstance(edges, Columns):
        return _of(of_columns(*edges))
    if isinstance(edges, tuple) and len(edges) == 2 and all(map(_is_column, edges)):
        return _of(of_columns(*edges, weight))
    if _are_three_columns(edges):
        raise TypeError("the edges are three columns; use from_edges(source, target, weight)")
    if not is_array(edges):
        return _of(of_rows(edges, weight))
    pairs = whole(edges, Place("the edges", "row"))
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        square = pairs.ndim == 2 and pairs.shape[0] == pairs.shape[1]
        advice = "pass source and target arrays to from_edges(source, target, weight)"
        advice = "pass an adjacency matrix as scipy.sparse.coo_array(edges)" if square else advice
        kind = f"fields {', '.join(pairs.dtype.names)}" if pairs.dtype.names else f"shape {tuple(pairs.shape)}"
        raise ValueError(f"edges must be an array with two columns, not one of {kind}; {advice}")
    return _of(of_columns(pairs[:, 0], pairs[:, 1], weight))


def _is_column(values: Any) -> bool:
    """Whether these are values of one column, and not a row: arrays and sequences other than tuples and strings."""
    if is_array(values):
        return not hasattr(values, "shape") or len(values.shape) == 1
    return isinstance(values, Sequence) and not isinstance(values, tuple | str | bytes | bytearray)


def _are_three_columns(edges: Any) -> bool:
    """Whether these are columns, not rows: with more than three values, or floats, which are no IDs, in the last."""
    if not isinstance(edges, list | tuple) or len(edges) != 3 or not all(map(_is_column, edges)):
        return False
    weight = next(iter(edges[2]), None)
    return len(edges[0]) > 3 or (isinstance(weight, Real) and not isinstance(weight, Integral))


def _matrix(matrix: Any, weight: Any) -> Given:
    """Edges from rows to columns of a sparse matrix; entries other than booleans are weights.

    Duplicate entries are summed, as in SciPy.
    """
    import numpy

    rows = matrix.shape[0]
    if matrix.shape != (rows, rows):
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
    options = {"ids": "dense", "num_vertices": rows} if rows else {}
    return _of(of_columns(entries.row, entries.col, weights), options, None, notes)


def _networkx(graph: Any, weight: Any, tmp_dir: Path | None, directed: bool | None) -> Given:
    edges = () if weight is False else graph.edges(data=True)
    names, count = Counter(name for *_, data in edges for name in data), graph.number_of_edges()
    name, notes = _attribute(weight, names, count), []
    rows = ((u, v) for u, v, *_ in graph.edges) if name is None else graph.edges(data=name, default=1)
    if name is None:
        notes += _unread({name for *_, data in edges for name, value in data.items() if _is_number(value)})
    elif names[name] < count:
        notes.append(f"{count - names[name]:,} of {count:,} edges have no attribute {name!r}; using weight 1")
    alone = (number for number, node in enumerate(graph) if not graph.degree(node))
    direction = _Direction(graph.is_directed(), directed)
    return _named(rows, name is not None, ids(list(graph), _NODES), alone, direction, tmp_dir, notes)


def _igraph(graph: Any, weight: Any, tmp_dir: Path | None, directed: bool | None) -> Given:
    attributes = () if weight is False else graph.es.attributes()
    name = _attribute(weight, attributes, graph.ecount())
    named = next((name for name in ("name", "id") if name in graph.vs.attributes()), None)
    names = range(graph.vcount()) if named is None else list(map(_whole, graph.vs[named]))
    nodes = ids(list(names), _NODES)
    if len(set(names)) < len(names):
        raise BadInputError(f"vertex {named}s of the graph are not unique", file="the edges")
    ends: Iterable[Any] = ((names[source], names[target]) for source, target in graph.get_edgelist())
    notes: list[str] = []
    if name is not None:
        ends = ((*pair, value) for pair, value in zip(ends, graph.es[name], strict=True))
    else:
        notes = _unread({other for other in attributes if any(map(_is_number, graph.es[other]))})
    alone = (vertex for vertex, degree in enumerate(graph.degree()) if not degree)
    direction = _Direction(graph.is_directed(), directed)
    return _named(ends, name is not None, nodes, alone, direction, tmp_dir, notes)


def _whole(name: Any) -> Any:
    """Return the ID of a vertex, which igraph reads from GML as a float."""
    return int(name) if isinstance(name, float) and name.is_integer() else name


_NODES = Place("the nodes of the graph")


class _Direction(NamedTuple):
    """Whether a graph is directed, and whether its edges must be."""

    stated: bool
    requested: bool | None

    @property
    def both(self) -> bool:
        """Whether each edge is needed in both directions."""
        return self.requested is True and not self.stated


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _unread(names: set[str]) -> list[str]:
    """Note on numeric edge attributes if none of them is the weight."""
    if not names:
        return []
    first, *others = sorted(map(str, names))
    were = "attribute" if not others else "attributes"
    listed = ", ".join(map(repr, [first, *others]))
    return [f"edge {were} {listed} not read; use weight={first!r} to read it as the weight, weight=False for none"]


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
    direction: _Direction,
    tmp_dir: Path | None,
    notes: Sequence[str],
) -> Given:
    """Edges between nodes; isolated nodes (``alone``) go to a vertex file."""
    options: dict[str, Any] = {"directed": direction.stated}
    if direction.both:
        rows, notes = _both(rows), [*notes, _BOTH]
    if isinstance(nodes, list) and nodes:
        options["ids"] = "string"
    names, scratch = texts(nodes), None
    lonely = [names[number] for number in alone]
    if lonely:
        scratch = TemporaryFolder(tmp_dir)
        options |= _vertices(lonely, FilePath(scratch.path) / "vertices.txt")
    return _of(of_rows(rows, weighted), options, scratch, notes)


_BOTH = "each edge of the undirected graph was read in both directions"


def _both(rows: Iterable[Any]) -> Iterator[Any]:
    """Yield each row, and its reverse unless it is a self-loop."""
    for row in rows:
        yield row
        if row[0] != row[1]:
            yield (row[1], row[0], *row[2:])


def _undirected(view: Any, weight: Any, directed: bool | None) -> Given:
    """Edges of a view of an undirected NetworkX graph."""
    if directed is True:
        return _of(of_rows(_both(view), weight), notes=[_BOTH])
    return _of(of_rows(view, weight), {"directed": False})


def _vertices(names: list[str], path: FilePath) -> dict[str, Any]:
    """Write a vertex file, one per line; return the options that read each line as one ID."""
    broken = [name for name in names if not name or any(letter in name for letter in "\0\n\r")]
    if broken:
        message = f"the isolated vertex {broken[0]!r}: expected a name that is not empty and has no line breaks or NUL"
        raise BadInputError(message, file="the edges")
    quoted = ('"' + name.replace('"', '""') + '"\n' for name in names)
    path.write_text("".join(quoted), encoding="utf-8", newline="")
    return {"vertices": path, "separator": ",", "comments": "", "header": "no"}


def _lazy_frame(frame: Any, weight: Any, tmp_dir: Path | None, named: bool) -> Given:
    """Edges in a file that Polars writes in streaming mode."""
    weighted = _has_weights(weight)
    notes = [] if named else table_notes(frame.head(0).collect())
    scratch = TemporaryFolder(tmp_dir)
    path = FilePath(scratch.path) / "edges.parquet"
    frame.sink_parquet(path)
    return Given([os.fspath(path)], weighted, scratch=scratch, notes=notes)
