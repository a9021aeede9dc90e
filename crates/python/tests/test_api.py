"""The public interface is that of a list, so that a change of it is seen in reviews (docs/versions.md)."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, is_typeddict

import outcrop as oc
from outcrop import algorithms

LIST = Path(__file__).parent / "api.txt"


def signature(value: Any) -> str:
    """Names and kinds of parameters, and whether they are optional: defaults and annotations may become better."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return "(...)"
    shown, keyword_only = [], False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            shown.append("*")
        keyword_only |= parameter.kind is parameter.VAR_POSITIONAL
        prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        shown.append(f"{prefix}{parameter.name}{'' if parameter.default is parameter.empty else '=...'}")
    return f"({', '.join(shown)})"


def members(name: str, value: Any) -> Iterator[str]:
    """Lines of an object, and of the public members of a class that are its own."""
    if not inspect.isclass(value):
        yield f"{name}{signature(value)}" if callable(value) else name
        return
    bases = [base.__name__ for base in value.__bases__ if base is not object]
    yield f"class {name}({', '.join(bases)})"
    for member, own in sorted(vars(value).items()):
        if member.startswith("_"):
            continue
        plain = own.__func__ if isinstance(own, classmethod | staticmethod) else own
        yield f"{name}.{member}{signature(plain)}" if callable(plain) else f"{name}.{member}"


def test_the_public_interface_is_that_of_the_list() -> None:
    lines = [line for name in sorted(oc.__all__) for line in members(name, getattr(oc, name))]
    # What `**options: Unpack[...]` stands for.
    options = {name: value for name, value in vars(algorithms).items() if is_typeddict(value)}
    lines += [f"{name}: {', '.join(sorted(value.__annotations__))}" for name, value in sorted(options.items())]
    if os.environ.get("OUTCROP_WRITE_GENERATED"):
        LIST.write_text("\n".join(lines) + "\n", encoding="utf-8")
    listed = LIST.read_text(encoding="utf-8").splitlines()
    gone, new = [sorted(set(a) - set(b)) for a, b in ((listed, lines), (lines, listed))]
    advice = "update api.txt with OUTCROP_WRITE_GENERATED=1, and the changelog"
    assert not gone and not new, f"missing or changed: {gone}; new: {new}; {advice}"
