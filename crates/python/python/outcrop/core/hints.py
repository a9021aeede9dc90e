"""Checks of calls and attributes, whose errors name what to use instead."""

from __future__ import annotations

import functools
import operator
import os
import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from inspect import Parameter, signature
from types import FunctionType
from typing import Any

from .. import _outcrop
from ..exceptions import UsageError
from ..interop.values import is_one, shown
from .engine import Engine

_PACKAGE = __name__.partition(".")[0]

_TYPES: dict[str, tuple[list[str], Callable[[Any], bool]]] = {
    "bool": (["True", "False"], lambda value: type(value).__name__ in ("bool", "bool_")),
    "int": (["an integer"], lambda value: _converts(operator.index, value)),
    "float": (["a number"], lambda value: not isinstance(value, str) and _converts(float, value)),
    "str": (["a string"], lambda value: isinstance(value, str)),
    "Path": (["a string", "a pathlib.Path"], lambda value: isinstance(value, str | os.PathLike)),
    "Engine": (["an outcrop.Engine"], lambda value: isinstance(value, Engine)),
    "None": ([], lambda value: value is None),
}
"""Parts of annotations that are checked: names in messages, and whether a value is of the type."""

_WORDS = ("Direction", "IdType", "Literal['")
"""Beginnings of annotations of strings with several choices, which the extension checks."""

_ELSEWHERE = {"src": "source", "dst": "target", "delimiter": "separator", "predecessors": 'columns="all"'}
"""Names of columns and options elsewhere."""

_LABORATORY = ("chunk_sizes", "combine", "index", "mini_degree")
"""Options of builds in earlier versions that only comparisons need."""

_MOVED = {"Features": "learning.Features", "features": "learning"}
"""Attributes of the package in earlier versions, and their present names."""

_OF_GRAPHS = {
    "number_of_nodes": "num_vertices",
    "vcount": "num_vertices",
    "order": "num_vertices",
    "number_of_edges": "num_edges",
    "ecount": "num_edges",
    "size": "num_edges",
    "successors": "neighbors()",
    "predecessors": "in_neighbors()",
    "adj": "neighbors()",
    "in_degree": 'degree(direction="in")',
    "out_degree": 'degree(direction="out")',
    "has_node": "`node in graph`",
    "vs": "nodes()",
    "es": "edges()",
    "add_edge": "update(add=...)",
    "add_edges_from": "update(add=...)",
    "remove_edge": "update(remove=...)",
    "remove_edges_from": "update(remove=...)",
    "history": "runs()",
}
"""Attributes of graphs of other libraries, and the corresponding ones here."""


def _converts(convert: Callable[[Any], object], value: Any) -> bool:
    try:
        convert(value)
    except (TypeError, ValueError):
        return False
    return True


def check_calls(names: dict[str, Any], public: Iterable[str]) -> None:
    """Check the arguments of public functions, also in the modules that define them, and of methods of classes."""
    classes = {names[name] for name in public if isinstance(names[name], type)}
    for name in public:
        thing = names[name]
        if isinstance(thing, FunctionType):
            names[name] = _checked(thing, name)
            setattr(sys.modules[thing.__module__], name, names[name])
        elif thing in classes and not issubclass(thing, Exception):
            for owner in (thing, *(base for base in thing.__mro__[1:] if base not in classes)):
                if owner.__module__.startswith(f"{_PACKAGE}."):
                    _check_methods(owner, name)
                    _adopt(thing, owner)


def _check_methods(owner: type, name: str) -> None:
    """Check the methods of a class or of a private part of it; all are named after the public class."""
    for part, method in list(vars(owner).items()):
        function = method.fget if isinstance(method, property) else getattr(method, "func", method)
        if isinstance(function, FunctionType) and function.__qualname__ == f"{owner.__qualname__}.{part}":
            function.__qualname__ = f"{name}.{part}"
        if isinstance(method, FunctionType) and (part == "__init__" or not part.startswith("_")):
            setattr(owner, part, _checked(method, name if part == "__init__" else f"{name}.{part}"))


def _adopt(thing: type, owner: type) -> None:
    """Copy the methods and properties of a private part into the public class, where ``help`` shows them."""
    for part, method in list(vars(owner).items()):
        if isinstance(method, FunctionType | property | functools.cached_property) and part not in vars(thing):
            setattr(thing, part, method)


def _checked(function: FunctionType, called: str) -> Callable[..., Any]:
    parameters = signature(function).parameters
    kinds = {name: kind for name, parameter in parameters.items() if (kind := _kind(parameter)) is not None}
    positional = list(parameters)
    accepted = kinds
    if function.__module__.endswith(".algorithms"):
        # The extension replaces None by the default of the algorithm, and reads numbers from strings.
        texts = {name: ["str"] if {"int", "float"} & {*kind} else [] for name, kind in kinds.items()}
        accepted = {name: [*kind, "None", *texts[name]] for name, kind in kinds.items()}
    is_open = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values())

    @functools.wraps(function)
    def checked(*given: Any, **named: Any) -> Any:
        if not is_open and not named.keys() <= parameters.keys():
            raise TypeError(_unknown(called, parameters, next(name for name in named if name not in parameters)))
        for name, value in (*zip(positional, given, strict=False), *named.items()):
            if name in kinds and not any(_TYPES[kind][1](value) for kind in accepted[name]):
                *others, last = dict.fromkeys(word for kind in kinds[name] for word in _TYPES[kind][0])
                expected = f"{', '.join(others)} or {last}" if others else last
                raise TypeError(f"{name} must be {expected}, not {shown(value)}{_advice(function, name, value)}")
            is_count = kinds.get(name) in (["int"], ["int", "None"])
            if is_count and value is not None and not isinstance(value, str) and value < 0:
                raise UsageError(f"{name} must be an integer of at least 0, not {value}")
            if name == "separator" and value not in (None, "tab", "\\t") and len(value) != 1:
                raise UsageError(f"separator must be one character, not {value!r}")
        return function(*given, **named)

    return checked


def _kind(parameter: Parameter) -> list[str] | None:
    """Return the types of a parameter, or None if its annotation has other types."""
    if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD) or not isinstance(parameter.annotation, str):
        return None
    kinds = ["str" if kind.startswith(_WORDS) else kind for kind in parameter.annotation.split(" | ")]
    return kinds if all(kind in _TYPES for kind in kinds) else None


def _advice(function: FunctionType, name: str, value: Any) -> str:
    """Return the advice for a graph or edges in place of the path of a store."""
    if name != "store":
        return ""
    if hasattr(value, "_run"):
        own = hasattr(value, function.__name__) and function.__name__ != "__init__"
        return f"; use graph.{function.__name__}()" if own else "; this is an open graph"
    opens = function.__name__ in ("open", "info", "__init__")
    return "; outcrop.build(edges) builds a graph" if opens and not is_one(value) else ""


def _unknown(called: str, parameters: Iterable[str], name: str) -> str:
    """Message for a keyword that a function does not have, which is called by this name."""
    from .graph import Graph

    message = f"{called}() got an unexpected keyword argument {name!r}"
    names = list(parameters)
    here = _ELSEWHERE.get(name) or _outcrop.argument_here(name)
    similar = [known for known in names if len(name) > 2 and (known.startswith(name) or name.startswith(known))]
    similar += get_close_matches(name, names, 1, 0.8)
    if here.partition("=")[0] in names:
        return f"{message}; use {here}"
    if name in _LABORATORY and "layout" in names:
        return f"{message}; only outcrop-bench has it"
    if similar:
        return f"{message}; use {similar[0]}"
    if "options" in names and name in vars(Engine()):
        return f"{message}; use options=outcrop.Engine({name}=...)"
    if "graph" in names and name in signature(Graph).parameters:
        return f"{message}; use outcrop.open(store, {name}=...)"
    return f"{message}; help(outcrop.{called}) lists the arguments"


def functions_for(name: str, public: Iterable[str], similarity: float = 0.6) -> list[str]:
    """Return the functions of the package for a name of this or another library, each with what it computes."""
    known = list(public)
    if name in _MOVED:
        return [f"outcrop.{_MOVED[name]}"]
    found = [f"outcrop.{here}{what and f' ({what})'}" for here, what in _outcrop.relatives(name)]
    close = [name] if name in known else get_close_matches(name, known, 1, similarity)
    return found or [f"outcrop.{here}" for here in close]


def missing(thing: object, name: str, elsewhere: str = "") -> Any:
    """Raise an error for an attribute that a graph or a table does not have, with the one to use.

    Raises
    ------
    AttributeError
        Always, except for a property: its own error is repeated.
    """
    if hasattr(type(thing), name):
        return object.__getattribute__(thing, name)
    message = f"{type(thing).__name__!r} object has no attribute {name!r}"
    if name.startswith("_"):
        raise AttributeError(message)
    close = get_close_matches(name, [known for known in dir(type(thing)) if not known.startswith("_")], 1, 0.8)
    here = " or ".join(close) or elsewhere
    raise AttributeError(f"{message}; use {here}" if here else message)


def missing_of_graph(graph: object, name: str) -> Any:
    """Raise the error of :func:`missing` for a graph."""
    from .. import __all__

    return missing(graph, name, _OF_GRAPHS.get(name) or " or ".join(functions_for(name, __all__, 0.8)))


def missing_of_table(table: object, name: str) -> Any:
    """Raise the error of :func:`missing` for a table or a stream."""
    first = "[:10] for the first rows, or " if name == "head" and hasattr(table, "__getitem__") else ""
    return missing(table, name, f"{first}to_pandas(), to_polars() or to_arrow() to convert it")
