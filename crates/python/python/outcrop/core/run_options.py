"""Keyword options that the algorithms share: their types, and signatures and docstrings that list them.

Functions declare them as ``**options: Unpack[...]``. Type checkers, which bundle ``typing_extensions``, read the typed
dictionaries; :func:`lists_options` writes them out for ``help``, ``inspect`` and the checks of calls.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from .engine import Engine
    from .parameters import Path


class RunOptions(TypedDict, total=False):
    """Options of all algorithms."""

    options: Engine | None


class ResumableOptions(RunOptions, total=False):
    """Options of algorithms with checkpoints."""

    checkpoint: Path | None
    resume: bool


class SparkOptions(ResumableOptions, total=False):
    """Options of algorithms that also run on Spark."""

    engine: Literal["outcrop", "spark"] | None
    spark: SparkSession | None


class IncrementalOptions(SparkOptions, total=False):
    """Options of algorithms that can also start from a previous result."""

    incremental: Path | None


_DOCUMENTED = {
    "options": ("Engine, optional", ""),
    "checkpoint": (
        "path, optional",
        "Folder for checkpoints, written every ten minutes and removed once the result is written or all its values "
        "are read.",
    ),
    "resume": ("bool, default False", "Resume from the checkpoint in that folder, if there is one."),
    "incremental": (
        "path, optional",
        "Folder with the previous result: the run starts from it, for example after :func:`outcrop.update`, and stores "
        "its own result there. The result is the same as without it.",
    ),
    "engine": (
        '{"outcrop", "spark"}, optional',
        "Run on this machine or on Spark. Default: the kind of the graph.",
    ),
    "spark": (
        "SparkSession, optional",
        'Session for ``engine="spark"``. Each call exports the edges to it; use :func:`outcrop.spark.open` to export '
        "them once for several calls.",
    ),
}
"""Types and descriptions, in the order of signatures. The text of a docstring on the same option follows."""

_BUDGET_ERROR = "If the memory budget is too small; ``minimum`` is the smallest sufficient budget."

_WIDTH = 116
"""Columns of a docstring without its indentation."""

_KINDS: dict[str, Any] = {
    f"Unpack[{kind.__name__}]": kind for kind in (RunOptions, ResumableOptions, SparkOptions, IncrementalOptions)
}

Function = TypeVar("Function", bound=Callable[..., Any])


def lists_options(function: Function) -> Function:
    """List each of the ``**options`` of a function in its signature and docstring, for ``help`` and for checks."""
    signature = inspect.signature(function)
    *own, options = signature.parameters.values()
    shared = parameters(options.annotation)
    listed = [*own, *shared]
    function.__signature__ = signature.replace(parameters=listed)  # type: ignore[attr-defined]
    kinds = {parameter.name: parameter.annotation for parameter in listed}
    function.__annotations__ = kinds | {"return": signature.return_annotation}
    if function.__doc__:  # Python removes docstrings with -OO.
        function.__doc__ = documented(function.__doc__, [parameter.name for parameter in shared])
    return function


def parameters(annotation: str) -> list[inspect.Parameter]:
    """Return the options of ``Unpack[...]`` with their defaults; their annotations are text."""
    kinds = _KINDS[annotation].__annotations__
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if name == "resume" else None,
            annotation=getattr(kinds[name], "__forward_arg__", kinds[name]),
        )
        for name in _DOCUMENTED
        if name in kinds
    ]


def documented(text: str, names: Sequence[str]) -> str:
    """Return a docstring with an entry for each of these options, and for the error that every run can raise."""
    lines = inspect.cleandoc(text).splitlines()
    begin, end = lines.index("options : Engine, optional"), lines.index("Returns") - 1
    own: dict[str, str] = {}
    for line in lines[begin:end]:
        if line.startswith(" "):
            own[[*own][-1]] += f" {line.strip()}"
        else:
            own[line.partition(" : ")[0]] = ""
    lines[begin:end] = [
        line
        for name, (kind, description) in _DOCUMENTED.items()
        if name in names
        for line in (f"{name} : {kind}", *_wrapped(description + own.get(name, "")))
    ]
    examples = lines.index("Examples")
    if "Raises" not in lines:
        lines[examples:examples] = ["Raises", "------", "BudgetError", *_wrapped(_BUDGET_ERROR), ""]
    elif "BudgetError" not in lines:
        lines[examples - 1 : examples - 1] = ["BudgetError", *_wrapped(_BUDGET_ERROR)]
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    indent = "    "
    return textwrap.wrap(
        text.strip(),
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
