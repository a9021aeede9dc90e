"""Griffe extension of the documentation site: roles of Sphinx in docstrings become code."""

import re

import griffe

ROLE = re.compile(r":(?:func|meth|class|data|attr|exc|mod):`~?([^`]+)`")


class Roles(griffe.Extension):
    """Replaces :func:`name` by `name`."""

    def on_instance(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = ROLE.sub(r"`\1`", obj.docstring.value)
