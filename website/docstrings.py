"""Docstrings as the API pages show them: an extension of griffe, which reads the modules."""

from __future__ import annotations

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^(?P<indent> *)>>> .*(?:\n(?! *$).*)*", re.MULTILINE)
IMPLICIT = frozenset({"strategy", "primitive"})
"""Decorators that give the first two parameters, the procedure and the cursor, themselves."""


def fenced(text: str) -> str:
    """A docstring in Markdown, its examples as blocks of code.

    >>> fenced("Adds.\\n\\n>>> 1 + 1\\n2\\n\\nNever fails.")
    'Adds.\\n\\n```pycon\\n>>> 1 + 1\\n2\\n```\\n\\nNever fails.'
    """

    def block(m: re.Match[str]) -> str:
        lines = (line.removeprefix(m["indent"]) for line in m[0].splitlines())
        return "\n```pycon\n" + "\n".join(lines) + "\n```"

    return DOCTEST.sub(block, text).replace("\n\n\n```pycon", "\n\n```pycon").lstrip("\n")


class Docstrings(griffe.Extension):
    """Docstrings as Markdown, and functions with the parameters that they have for callers."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)

    def on_function(self, *, func: griffe.Function, **kwargs: Any) -> None:
        if IMPLICIT & {d.callable_path.rpartition(".")[2] for d in func.decorators}:
            func.parameters = griffe.Parameters(*list(func.parameters)[2:])
            func.returns = "Op"
