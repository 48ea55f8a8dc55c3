"""Source texts and places in them."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from typing import NoReturn

from ..ir.room import with_room
from .errors import FrontendError, Place


def shown_file(file: str) -> str:
    """How messages name a file: a cell of a notebook as the tracebacks there do, `Cell In[3]`, and not by the name of a
    file that is nowhere."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    named = getattr(getattr(shell, "compile", None), "format_code_name", lambda file: None)(file)
    return " ".join(named) if named else file


@dataclass(frozen=True)
class Source:
    """A text that was parsed: its file, its lines, the number of the first."""

    file: str
    lines: tuple[str, ...]
    first: int = 1

    def place(self, node: ast.AST) -> Place:
        """Where a Python node stands."""
        line = getattr(node, "lineno", 1)
        col = getattr(node, "col_offset", 0)
        return self.at(line, len(self.line(line).encode()[:col].decode(errors="ignore")))  # ast counts bytes

    def at(self, line: int, col: int) -> Place:
        """A line of the text, counted from 1, and a column of it, from 0."""
        return Place(self.file, self.first + line - 1, self.line(line), max(col, 0))

    def line(self, number: int) -> str:
        """A line of the text, counted from 1."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def text(self, node: ast.AST) -> str:
        """The text of a Python node."""
        return ast.get_source_segment("\n".join(self.lines), node) or ""

    def fail(self, kind: type[FrontendError], node: ast.AST, message: str) -> NoReturn:
        """Raise an error that marks a Python node."""
        raise kind(message, self.place(node))


@with_room
def parse_python(source: Source, kind: type[FrontendError], what: str = "not object code") -> ast.Module:
    """The Python syntax tree of a text; what is no Python raises `kind`, with the place marked."""
    try:
        return ast.parse("\n".join(source.lines))
    except MemoryError:  # of the parser: its stack has a limit of its own
        raise kind(f"{what}: it nests too deeply for Python", source.at(1, 0)) from None
    except SyntaxError as e:
        raise kind(f"{what}: {e.msg}", source.at(e.lineno or 1, (e.offset or 1) - 1)) from None
    except ValueError as e:  # a null byte
        raise kind(f"{what}: {e}", source.at(1, 0)) from None
