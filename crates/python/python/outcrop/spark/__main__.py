"""Command line ``python -m outcrop.spark ALGORITHM EDGES``, also used by ``outcrop run --engine spark``.

Options and exit codes are those of ``outcrop run`` and ``outcrop build``.
"""

from __future__ import annotations

import argparse
import inspect
import json
import signal
import sys
from collections.abc import Sequence
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from outcrop import exceptions
from outcrop.exceptions import AlreadyExistsError, NotConvergedError, OutcropError
from outcrop.spark.folder import exists
from outcrop.spark.graph import ALGORITHMS, OTHER_NAMES, Graph, open
from outcrop.spark.result import Result, format_of

_OPTIONS: dict[str, dict[str, Any]] = {
    "alpha": {"type": float, "metavar": "P"},
    "personalization": {"metavar": "FILE"},
    "tol": {"type": float, "metavar": "X"},
    "max_iter": {"type": int, "metavar": "N"},
    "iterations": {"type": int, "metavar": "N"},
    "source": {"action": "append", "metavar": "ID", "required": True},
    "columns": {"choices": ["distance", "all"]},
    "direction": {"choices": ["out", "in", "both"]},
}
_CODES: tuple[tuple[type[Exception], int], ...] = (
    (exceptions.UsageError, 2),
    (AlreadyExistsError, 2),
    (exceptions.BadInputError, 3),
    (exceptions.BudgetError, 4),
    (exceptions.OutOfMemoryError, 4),
    (exceptions.DiskFullError, 5),
    (NotConvergedError, 6),
    (exceptions.CorruptStoreError, 7),
    (exceptions.FormatVersionError, 8),
    (exceptions.StoreInUseError, 9),
    (OSError, 9),
    (PySparkException, 9),
    (Py4JError, 9),
)
_ERRORS: tuple[type[BaseException], ...] = (OutcropError, KeyboardInterrupt, *(kind for kind, _ in _CODES))


def main(words: Sequence[str] | None = None) -> int:
    """Run an algorithm and print a summary; returns the exit code."""
    given = vars(_parser().parse_args(words))
    try:
        graph = _opened(given)
        with graph:
            _tell(graph, given)
    except _ERRORS as error:
        interrupted = _interrupted(error)
        # Errors of Spark go on with the stack of its own process.
        said = str(error) if isinstance(error, OutcropError) else str(error).partition("\n")[0]
        print("error: interrupted" if interrupted else f"error: {said}", file=sys.stderr)
        return 130 if interrupted else next((code for kind, code in _CODES if isinstance(error, kind)), 70)
    return 0


def _interrupted(error: BaseException | None) -> bool:
    """Return whether an interruption caused the error; Spark turns interruptions into connection failures."""
    return error is not None and (isinstance(error, KeyboardInterrupt) or _interrupted(error.__context__))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m outcrop.spark", description=__doc__, allow_abbrev=False)
    algorithms = parser.add_subparsers(dest="algorithm", required=True, metavar="ALGORITHM")
    for name, function in ALGORITHMS.items():
        names = [other for other, meant in OTHER_NAMES.items() if meant == name]
        summary = (function.__doc__ or "").partition("\n")[0]
        of_one = algorithms.add_parser(name, aliases=names, help=summary, description=summary, allow_abbrev=False)
        _add_options(of_one, function)
    return parser


def _add_options(parser: argparse.ArgumentParser, function: Any) -> None:
    parser.add_argument("edges", nargs="+", help="Parquet path that Spark can read, or a store on this machine")
    for parameter, meant in inspect.signature(function).parameters.items():
        if parameter in _OPTIONS:
            parser.add_argument(f"--{parameter.replace('_', '-')}", **_OPTIONS[parameter])
        if parameter == "weight" and meant.default:
            parser.add_argument("--unweighted", dest="weight", action="store_const", const=False)
        elif parameter == "weight":
            parser.add_argument("--weighted", dest="weight", action="store_const", const="weight")
    edges = parser.add_argument_group("edges")
    edges.add_argument("--undirected", dest="directed", action="store_false")
    edges.add_argument("--weight", dest="weight_column", metavar="COLUMN", help="column of the edge weights")
    edges.add_argument("--source-column", metavar="COLUMN")
    edges.add_argument("--target-column", metavar="COLUMN")
    edges.add_argument("--vertices", metavar="PARQUET", help="further vertices")
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", help="output folder ending in .parquet, .csv, .tsv or .jsonl")
    output.add_argument("--overwrite", action="store_true")
    output.add_argument("--top", type=int, metavar="K", help="print N rows (default: 10 without -o and --json)")
    output.add_argument("--json", action="store_true", help="print the run record as JSON")
    spark = parser.add_argument_group("Spark")
    spark.add_argument("--engine", choices=["spark"], help="see outcrop run")
    spark.add_argument("--master", metavar="URL", help="local[2], yarn, k8s://... (default: set by spark-submit)")
    spark.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE")
    spark.add_argument("--tmp-dir", metavar="DIR", help="folder that all executors can write to, required on a cluster")


def _opened(given: dict[str, Any]) -> Graph:
    builder = SparkSession.builder.appName(f"outcrop {given['algorithm']}")
    builder = builder if given["master"] is None else builder.master(given["master"])
    for setting in given["conf"]:
        name, _, value = setting.partition("=")
        builder = builder.config(name, value)
    edges = given["edges"][0] if len(given["edges"]) == 1 else given["edges"]
    session = builder.getOrCreate()
    if given["output"]:
        format_of(given["output"])
        if not given["overwrite"] and exists(session, given["output"]):
            raise AlreadyExistsError(f"{given['output']} already exists; use --overwrite", path=given["output"])
    ends = {end: given[f"{end}_column"] for end in ("source", "target")}
    others = {name: given[name] for name in ("directed", "vertices", "tmp_dir")}
    graph = open(edges, session, weight=given["weight_column"], **ends, **others)
    if graph.written_to is not None:
        print(f"exported the edges of {edges} to {graph.written_to} for this run", file=sys.stderr)
    return graph


def _tell(graph: Graph, given: dict[str, Any]) -> None:
    names = (*_OPTIONS, "weight")
    parameters = {name: given[name] for name in names if given.get(name) is not None}
    try:
        _put(graph._run(given["algorithm"], **parameters), given)
    except NotConvergedError as error:
        if isinstance(error.result, Result):
            _put(error.result, given)
        raise


def _put(result: Result, given: dict[str, Any]) -> None:
    """Write the rows, and print the record, or a summary and the first rows."""
    stats, top = result.stats, given["top"]
    if given["output"]:
        result.write(given["output"], overwrite=given["overwrite"])
    if given["json"]:
        print(json.dumps(stats))
    else:
        size = f"{stats['vertices']:,} vertices, {stats['edges']:,} edges"
        print(f"{stats['algorithm']} on Spark: {size}, {stats['iterations']} iterations in {stats['seconds']:.1f} s")
    if top is None:
        top = 0 if given["output"] or given["json"] else 10
    for row in result.top(top) if top else []:
        print(*("" if value is None else value for value in row.values()), sep="\t")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    code = main()
    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()
    sys.exit(code)
