"""Vertex features on disk, one row per vertex."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from .. import _outcrop
from ..core.graph import Graph
from ..core.parameters import Path
from ..core.temporary import TemporaryFolder
from ..exceptions import BadInputError, UsageError
from ..interop.values import Place, whole

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, numpy.dtype[Any]]


class Features:
    """One row of numbers per vertex in ascending ID order; created by :func:`outcrop.learning.features`.

    Examples
    --------
    >>> import numpy as np
    >>> from outcrop.learning import features
    >>> features(np.array([[1.0, 2.0], [3.0, 4.0]])).take(np.array([1, 0, 1])).tolist()
    [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    """

    def __init__(self, rows: Array, folder: TemporaryFolder | None = None) -> None:
        """Wrap rows and the folder that contains them (internal)."""
        self.rows = rows
        self._folder = folder
        self._held: tuple[Array, Array] | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def hold(self, positions: Array) -> None:
        """Read rows into memory, in file order, for later calls of :meth:`take` that need only these.

        Parameters
        ----------
        positions : numpy.ndarray
            Sorted, unique positions of vertices in ascending ID order. They replace the rows in memory.

        Examples
        --------
        >>> import numpy as np
        >>> from outcrop.learning import features
        >>> features(np.array([[1.0], [3.0]])).hold(np.array([1]))
        """
        self._held = None
        self._held = positions, self.rows[positions]

    def take(self, positions: Array) -> Array:
        """Return the rows of the given vertices; reads in file order.

        Parameters
        ----------
        positions : numpy.ndarray
            Positions of vertices in ascending ID order.

        Returns
        -------
        numpy.ndarray
            One row per position, in the order of ``positions``.

        Examples
        --------
        >>> import numpy as np
        >>> from outcrop.learning import features
        >>> features(np.array([5, 6, 7])).take(np.array([2, 0])).tolist()
        [7, 5]
        """
        import numpy

        if self._held is not None:
            held, rows = self._held
            places = numpy.searchsorted(held, positions)
            if len(held) and (held[numpy.minimum(places, len(held) - 1)] == positions).all():
                return rows[places]
        order = numpy.argsort(positions, kind="stable")
        taken = numpy.empty((len(positions), *self.rows.shape[1:]), self.rows.dtype)
        taken[order] = self.rows[positions[order]]
        return taken


def features(
    source: Path | Any,
    graph: Graph | None = None,
    *,
    node: str = "node",
    columns: Sequence[str] | None = None,
    path: Path | None = None,
) -> Features:
    """Open vertex features, which stay on disk.

    Parameters
    ----------
    source : path or array
        A ``.npy`` file or an array whose row i belongs to the i-th vertex in ascending ID order, as in results; or a
        Parquet file or folder with an ID column, which is converted to ``.npy`` once, in batches.
    graph : Graph, optional
        The graph; required for Parquet, and otherwise used to check the number of rows.
    node : str
        ID column in Parquet. Rows of unknown IDs are skipped.
    columns : sequence of str, optional
        Numeric columns in Parquet, or one column of lists of equal length. Default: all except ``node``.
    path : path, optional
        Output file of the conversion from Parquet, overwritten if it exists. Default: a temporary file.

    Returns
    -------
    Features

    Raises
    ------
    UsageError
        If the number of rows differs from the number of vertices, or Parquet is given without a graph.
    BadInputError
        If a column is missing, not numeric or has nulls, or an ID is duplicate.

    Examples
    --------
    >>> import numpy as np
    >>> import outcrop as oc
    >>> from outcrop.learning import features
    >>> g = oc.build([(10, 20), (10, 30)])
    >>> np.save("x.npy", np.array([[0.1], [0.2], [0.3]]))
    >>> features("x.npy", g).take(np.array([2])).tolist()
    [[0.3]]
    """
    import numpy

    if not isinstance(source, str | os.PathLike):
        return _checked(Features(whole(source, Place("the features", "row"))), graph)
    if os.fspath(source).endswith(".npy"):
        return _checked(Features(numpy.asarray(numpy.load(source, mmap_mode="r"))), graph)
    if graph is None:
        raise UsageError("features in Parquet need a graph; pass the graph that they belong to")
    folder = TemporaryFolder() if path is None else None
    if path is not None:
        _outcrop.require_own_place(os.fspath(path))
    path = os.path.join(folder.path, "features.npy") if folder else os.fspath(path or "")
    _convert(os.fspath(source), graph, (node, columns), path)
    return Features(numpy.asarray(numpy.load(path, mmap_mode="r")), folder)


def vertex_ids(graph: Graph) -> Array:
    """Return the IDs of all vertices in ascending order."""
    import numpy

    batches = [batch.to_numpy("node") for batch in graph.nodes()]
    return numpy.concatenate(batches) if batches else numpy.zeros(0, "u8")


def _checked(features: Features, graph: Graph | None) -> Features:
    if graph is not None and len(features) != len(graph):
        raise UsageError(
            f"expected one row per vertex in ascending ID order: {len(features):,} rows, {len(graph):,} vertices; "
            "build with ids='dense' and num_vertices to keep vertices without edges"
        )
    return features


def _convert(source: str, graph: Graph, names: tuple[str, Sequence[str] | None], path: str) -> None:
    """Write the Parquet columns as rows in ascending ID order."""
    import pyarrow.dataset

    given = pyarrow.dataset.dataset(source, format="parquet")
    node, columns = names
    columns = [name for name in given.schema.names if name != node] if columns is None else list(columns)
    if missing := [name for name in (node, *columns) if name not in given.schema.names]:
        raise BadInputError(f"{source} has no column {missing[0]!r}", file=source)
    ids, part = vertex_ids(graph), f"{path}.part"
    try:
        _write(given.to_batches(columns=[node, *columns], batch_size=1 << 16), ids, (source, node, columns), part)
        os.replace(part, path)
    finally:
        FilePath(part).unlink(missing_ok=True)


def _write(batches: Iterable[Any], ids: Array, names: tuple[str, str, Sequence[str]], path: str) -> None:
    import numpy

    source, node, columns = names
    seen, rows = numpy.zeros(len(ids), bool), None
    for batch in batches:
        if not len(batch):
            continue
        numbers = _numbers(batch, columns, source)
        if rows is None:
            shape = (len(ids), *numbers.shape[1:])
            rows = numpy.lib.format.open_memmap(path, "w+", numbers.dtype, shape)
        if numbers.shape[1:] != rows.shape[1:]:
            raise BadInputError(f"lists in {source} differ in length", file=source)
        places, there = _places(ids, batch.column(node))
        if seen[places].any() or len(numpy.unique(places)) < len(places):
            raise BadInputError(f"{source} has duplicate IDs in column {node!r}", file=source)
        seen[places] = True
        rows[places] = numbers[there]
    if rows is None or not seen.all():
        raise UsageError(f"{source} has no rows for {len(ids) - int(seen.sum()):,} of {len(ids):,} vertices")
    rows.flush()


def _places(ids: Array, column: Any) -> tuple[Array, Array]:
    """Positions in ``ids`` of the known IDs of a column, and a mask of these."""
    import numpy

    asked = column.to_numpy(zero_copy_only=False)
    asked = asked.astype(ids.dtype if ids.dtype.kind != "O" else object)
    places = numpy.minimum(numpy.searchsorted(ids, asked), len(ids) - 1)
    there = ids[places] == asked
    return places[there], there


def _numbers(batch: Any, columns: Sequence[str], source: str) -> Array:
    """Columns of a batch as a matrix; a single column stays a vector, and lists become rows."""
    import numpy
    import pyarrow.compute

    parts, lists = [], False
    for name in columns:
        column = batch.column(name)
        lists = pyarrow.types.is_list(column.type) or pyarrow.types.is_fixed_size_list(column.type)
        flat = column.flatten() if lists else column
        lengths = pyarrow.compute.list_value_length(column) if lists else None  # pyright: ignore[reportAttributeAccessIssue]
        even = lengths is None or len(lengths.unique()) == 1
        values = flat.to_numpy(zero_copy_only=False)
        if column.null_count or flat.null_count or values.dtype.kind not in "biuf" or not even:
            raise BadInputError(
                f"column {name!r} of {source} must contain numbers or lists of equal length", file=source
            )
        parts.append(values.reshape(len(column), -1))
    numbers = numpy.concatenate(parts, axis=1)
    return numbers[:, 0] if len(columns) == 1 and not lists else numbers
