"""The command line: ``python -m outcrop.spark ALGORITHM EDGES``, also by ``spark-submit``.

Options have the names of ``outcrop run`` and ``outcrop build``, and exit codes their meaning.
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession

from outcrop.exceptions import BadInputError, NotConvergedError, NotFoundError, OutcropError, UsageError
from outcrop.spark.graph import ALGORITHMS, OTHER_NAMES, Graph, open
from outcrop.spark.result import Result

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
_CODES = ((UsageError, 2), (BadInputError, 3), (NotConvergedError, 6), (NotFoundError, 9), (OSError, 9))


def main(words: Sequence[str] | None = None) -> int:
    """Run, and say what it did; the exit code."""
    given = vars(_parser().parse_args(words))
    try:
        graph = _opened(given)
        with graph:
            _tell(graph, given)
    except (OutcropError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return next((code for kind, code in _CODES if isinstance(error, kind)), 70)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m outcrop.spark", description=__doc__)
    algorithms = parser.add_subparsers(dest="algorithm", required=True, metavar="ALGORITHM")
    for name, function in ALGORITHMS.items():
        names = [other for other, meant in OTHER_NAMES.items() if meant == name]
        summary = (function.__doc__ or "").partition("\n")[0]
        _add_options(algorithms.add_parser(name, aliases=names, help=summary, description=summary), function)
    return parser


def _add_options(parser: argparse.ArgumentParser, function: Any) -> None:
    parser.add_argument("edges", nargs="+", help="Parquet that Spark reads, or the folder of a store on this machine")
    for parameter, meant in inspect.signature(function).parameters.items():
        if parameter in _OPTIONS:
            parser.add_argument(f"--{parameter.replace('_', '-')}", **_OPTIONS[parameter])
        if parameter == "weight" and meant.default:
            parser.add_argument("--unweighted", dest="weight", action="store_const", const=False)
        elif parameter == "weight":
            parser.add_argument("--weighted", dest="weight", action="store_const", const="weight")
    edges = parser.add_argument_group("edges")
    edges.add_argument("--undirected", dest="directed", action="store_false")
    edges.add_argument("--weight", dest="weight_column", metavar="COLUMN", help="edges have weights, in this column")
    edges.add_argument("--source-column", metavar="COLUMN")
    edges.add_argument("--target-column", metavar="COLUMN")
    edges.add_argument("--vertices", metavar="PARQUET", help="further vertices")
    output = parser.add_argument_group("output")
    output.add_argument("-o", "--output", help="folder of .parquet, .csv, .tsv or .jsonl")
    output.add_argument("--overwrite", action="store_true")
    output.add_argument("--top", type=int, metavar="K", help="print K rows; 10 where neither -o nor --json is given")
    output.add_argument("--json", action="store_true", help="print the record of the run as JSON")
    spark = parser.add_argument_group("Spark")
    spark.add_argument("--master", metavar="URL", help="local[2], yarn, k8s://...; what spark-submit says if not given")
    spark.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE")
    spark.add_argument("--tmp-dir", metavar="DIR", help="where all executors write, needed on a cluster")


def _opened(given: dict[str, Any]) -> Graph:
    builder = SparkSession.builder.appName(f"outcrop {given['algorithm']}")
    builder = builder if given["master"] is None else builder.master(given["master"])
    for setting in given["conf"]:
        name, _, value = setting.partition("=")
        builder = builder.config(name, value)
    edges = given["edges"][0] if len(given["edges"]) == 1 else given["edges"]
    ends = {end: given[f"{end}_column"] for end in ("source", "target")}
    others = {name: given[name] for name in ("directed", "vertices", "tmp_dir")}
    return open(edges, builder.getOrCreate(), weight=given["weight_column"], **ends, **others)


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
    """Write the rows, and print the record, or a line of it and the first rows."""
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
    code = main()
    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()
    sys.exit(code)
