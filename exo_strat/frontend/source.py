"""Source texts and places in them. Imports errors only."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import NoReturn

from .errors import FrontendError, Place


@dataclass(frozen=True)
class Source:
    """A text that was parsed: its file, the number of its first line, how far it was dedented."""

    file: str
    lines: tuple[str, ...]
    first: int = 1
    dedent: int = 0

    def place(self, node: ast.AST) -> Place:
        """Where a Python node stands."""
        line = getattr(node, "lineno", 1)
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return Place(self.file, self.first + line - 1, text, getattr(node, "col_offset", 0))

    def fail(self, kind: type[FrontendError], node: ast.AST, message: str) -> NoReturn:
        """Raise an error that marks a Python node."""
        raise kind(message, self.place(node))
