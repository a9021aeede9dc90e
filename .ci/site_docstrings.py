"""Griffe extension of the documentation site: roles of Sphinx in docstrings become code, and `**options` are listed."""

import importlib.util
import re
from pathlib import Path

import griffe

ROLE = re.compile(r":(?:func|meth|class|data|attr|exc|mod):`~?([^`]+)`")
PACKAGE = Path(__file__).resolve().parent.parent / "crates/python/python/outcrop"


class Roles(griffe.Extension):
    """Replaces :func:`name` by `name`."""

    def on_instance(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = ROLE.sub(r"`\1`", obj.docstring.value)


class Options(griffe.Extension):
    """Lists the shared options of algorithms in signatures and docstrings, as the package does when it is imported."""

    def on_package(self, *, pkg, **_):
        if pkg.name != "outcrop":
            return
        # The file alone: the package needs its compiled library.
        place = importlib.util.spec_from_file_location("run_options", PACKAGE / "core/run_options.py")
        run_options = importlib.util.module_from_spec(place)
        place.loader.exec_module(run_options)
        for function in pkg["algorithms"].functions.values():
            if function.is_alias:
                continue
            *own, options = function.parameters
            shared = run_options.parameters(str(options.annotation))
            kind = griffe.ParameterKind.keyword_only
            listed = [griffe.Parameter(p.name, annotation=p.annotation, kind=kind, default=str(p.default)) for p in shared]
            function.parameters = griffe.Parameters(*own, *listed)
            text = run_options.documented(function.docstring.value, [p.name for p in shared])
            function.docstring.value = ROLE.sub(r"`\1`", text)
