"""Results on Spark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812

from .. import _outcrop
from .._outcrop import names_groups
from ..core.parameters import Path
from ..core.tables import result
from ..core.tables.columns import ID_COLUMNS
from ..exceptions import AlreadyExistsError, NotConvergedError, UsageError
from .folder import Folder

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

_COUNTS = {"distance": "uint32", "degree": "uint32", "vertices": "uint32", "triangles": "uint64"}
_FORMATS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".jsonl": "json"}


class Result(result.Result):
    """The result of a run on Spark: an :class:`outcrop.Result` with its rows in a DataFrame.

    Its methods read all rows into the memory of this process, except :meth:`write` and :attr:`dataframe`, which leave
    them on the executors.
    """

    def __init__(self, frame: DataFrame, folder: Folder, stats: Mapping[str, Any]) -> None:
        """Wrap the files of a run."""
        handle: Any = _Handle(frame, stats)
        super().__init__(handle)
        self._frame, self._kept_in = frame, folder

    @property
    def dataframe(self) -> DataFrame:
        """Rows in any order, backed by files that are removed with this result."""
        return self._frame

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write all rows from the executors: a folder with one file per partition, in ascending ID order.

        Parameters
        ----------
        path : path
            Path or URL such as ``s3a://...``, ending in ``.parquet``, ``.csv``, ``.tsv`` or ``.jsonl``.
        overwrite : bool
            Overwrite an existing folder.

        Raises
        ------
        AlreadyExistsError, UsageError
        """
        super().write(path, overwrite=overwrite)


def format_of(path: str) -> str:
    """Return the extension that defines the format of a file.

    Raises
    ------
    UsageError    If the extension is unknown.
    """
    ending = next((ending for ending in _FORMATS if path.lower().endswith(ending)), None)
    if ending is None:
        raise UsageError(f"{path} must have one of the extensions {', '.join(_FORMATS)}")
    return ending


class _Handle:
    """The interface of a result of the extension."""

    def __init__(self, frame: DataFrame, stats: Mapping[str, Any]) -> None:
        self.frame, self._stats = frame, stats

    def __len__(self) -> int:
        return int(self._stats["rows"])

    def names(self) -> list[str]:
        return self.frame.columns

    def record(self) -> str:
        return json.dumps(self._stats)

    def read(self, start: int = 0, stop: int | None = None, column: int | None = None) -> Batches:
        rows = self.frame.orderBy("node")
        if start or stop is not None:
            rows = rows.offset(start) if stop is None else rows.offset(start).limit(max(stop - start, 0))
        read = Batches.of(rows, self._stats["algorithm"])
        return read if column is None else Batches(read.table.select([column]))

    def top(self, count: int) -> Batches:
        first = self.frame.columns[1]
        known = self.frame.where(F.col(first).isNotNull())
        if names_groups(self._stats["algorithm"]):
            sizes = known.groupBy(first).agg(F.count(F.lit(1)).alias("vertices"))
            return Batches.of(sizes.orderBy(F.desc("vertices"), first).limit(count), self._stats["algorithm"])
        return Batches.of(known.orderBy(F.desc(first), "node").limit(count), self._stats["algorithm"])

    def write(self, path: str, overwrite: bool) -> None:
        ending, here = format_of(path), path.removeprefix("file:")
        if "://" not in here:
            _outcrop.require_own_place(here)
        options = {"sep": "\t" if ending == ".tsv" else ",", "header": True} if _FORMATS[ending] == "csv" else {}
        writer = self.frame.orderBy("node").write.mode("overwrite" if overwrite else "error")
        try:
            writer.format(_FORMATS[ending]).options(**options).save(path)
        except AnalysisException as error:
            if "PATH_ALREADY_EXISTS" not in str(error):
                raise
            raise AlreadyExistsError(f"{path} already exists; use overwrite=True", path=path) from error

    def report(self, path: str, overwrite: bool) -> None:
        raise UsageError("runs on Spark have no report; see the Spark web interface")

    def check_converged(self) -> None:
        if self._stats["converged"] is False:
            done, change, tolerance = (self._stats[name] for name in ("iterations", "change", "tolerance"))
            raise NotConvergedError(
                f"`{self._stats['algorithm']}` did not converge (iterations: {done}, change: {change:.1e}, tolerance: "
                f"{tolerance:g}); raise max_iter or tol",
                iterations=done,
                change=change,
                tolerance=tolerance,
            )


class Batches:
    """Rows in the memory of this process, read from Spark once; the interface of a table of the extension."""

    def __init__(self, table: Any) -> None:
        """Store the rows."""
        self.table = table

    @classmethod
    def of(cls, frame: DataFrame, algorithm: str) -> Batches:
        """Read the rows of a result."""
        return cls(_typed(frame.toArrow(), algorithm))

    def with_ids(self, kind: str, named: list[str]) -> Batches:
        """Return the rows with another ID type."""
        import pyarrow

        kinds = {"signed": pyarrow.int64(), "string": pyarrow.large_string()}
        if kind not in kinds:
            raise UsageError(f"ids must be 'unsigned', 'signed' or 'string', not {kind!r}")
        fields = [
            field.with_type(kinds[kind])
            if field.type == pyarrow.uint64() and (kind == "signed" or field.name in named)
            else field
            for field in self.table.schema
        ]
        return Batches(self.table.cast(pyarrow.schema(fields)))

    def slice(self, start: int, stop: int) -> Batches:
        """Return some rows."""
        return Batches(self.table.slice(start, max(stop - start, 0)))

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.table.num_rows)

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.table.column_names)

    def __arrow_c_schema__(self) -> object:
        """Return the schema in a capsule."""
        return self.table.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows in a capsule."""
        return self.table.__arrow_c_stream__(requested_schema)

    def values(self, index: int) -> list[Any]:
        """Return a column as objects of Python."""
        return list(self.table.column(index).to_pylist())

    def numbers(self, index: int) -> tuple[Any, Any] | None:
        """Return a numeric column as values and null mask; ``None`` for other columns."""
        import numpy
        import pyarrow

        column = self.table.column(index)
        if not (pyarrow.types.is_integer(column.type) or pyarrow.types.is_floating(column.type)):
            return None
        values = numpy.array(column.fill_null(0).to_numpy())
        nullable = self.table.schema.field(index).nullable
        return values, numpy.array(column.is_null().to_numpy() if nullable else [], dtype=bool)


def _typed(table: pyarrow.Table, algorithm: str) -> pyarrow.Table:
    """Columns with the types of outcrop."""
    import pyarrow

    text = not all(pyarrow.types.is_integer(field.type) for field in table.schema if field.name in ID_COLUMNS)
    fields = []
    for field in table.schema:
        kind = field.type
        if field.name in ID_COLUMNS:
            kind = pyarrow.large_string() if text else pyarrow.uint64()
        elif field.name in _COUNTS and algorithm != "sssp":
            kind = getattr(pyarrow, _COUNTS[field.name])()
        fields.append(pyarrow.field(field.name, kind, nullable=field.name != "node"))
    return table.cast(pyarrow.schema(fields))
