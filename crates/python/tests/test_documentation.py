"""The examples in docstrings, and that everything public has one."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import outcrop as oc

ROOT = Path(oc.__file__).parent
OPTIONAL = {"learning/pyg.py": "torch_geometric", "spark/": "pyspark"}
"""Beginnings of paths, and the package that the modules need."""


def _examples_in(path: Path) -> set[str]:
    """Names of the module, classes and functions in a file whose docstrings have examples."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, documented)]
    return {getattr(node, "name", "") for node in nodes if ">>> " in (ast.get_docstring(node) or "")}


MODULES = {path.relative_to(ROOT).as_posix(): names for path in ROOT.rglob("*.py") if (names := _examples_in(path))}


@pytest.mark.parametrize("path", sorted(MODULES))
def test_examples_run(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for beginning, needed in OPTIONAL.items():
        if path.startswith(beginning):
            pytest.importorskip(needed)
    name = ".".join(["outcrop", *Path(path).with_suffix("").parts]).removesuffix(".__init__")
    examples = [test for test in doctest.DocTestFinder().find(importlib.import_module(name)) if test.examples]
    found = {test.name.removeprefix(name).rpartition(".")[2] for test in examples}
    assert found == MODULES[path]
    for number, test in enumerate(examples):
        (tmp_path / str(number)).mkdir()
        monkeypatch.chdir(tmp_path / str(number))
        result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
        assert result.failed == 0, test.name


def test_lines_of_docstrings_are_not_joined() -> None:
    for path in sorted(Path(oc.__file__).parent.rglob("*.py")):
        fused = re.findall(r"^ *-{4,} .*$|^.*[^\s\d] {8,}\S.*$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert not fused, f"{path.name}: {fused}"


def test_all_functions_have_examples() -> None:
    for name in oc.__all__:
        thing = getattr(oc, name)
        assert inspect.getdoc(thing), name
        if inspect.isfunction(thing):
            assert ">>> " in (thing.__doc__ or ""), name
