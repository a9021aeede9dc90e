"""The examples in docstrings, and that everything public has one."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import outcrop as oc

NAMES = (
    "algorithms",
    "core.building",
    "core.capacity",
    "core.generators",
    "core.graph.copies",
    "core.graph.exports",
    "core.graph.facts",
    "core.graph.neighborhoods",
    "core.graph.opening",
    "core.graph.queries",
    "core.graph.store",
    "core.graph.upkeep",
    "core.tables.result",
    "core.tables.table",
    "learning.mini_batches",
    "learning.sampling",
    "learning.vertex_features",
)
MODULES = ["outcrop", *(f"outcrop.{name}" for name in NAMES)]
if importlib.util.find_spec("torch_geometric"):
    MODULES.append("outcrop.learning.pyg")


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(name)
    examples = [test for test in doctest.DocTestFinder().find(module) if test.examples]
    assert examples
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
