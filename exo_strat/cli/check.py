"""All mistakes in the object code of Python files, each with its place in a form that editors take.

A file is run one statement after the other. A statement that fails is a mistake; those that use what it would have
defined are left out, and the rest goes on, so one run finds what is wrong in every Proc.
"""

from __future__ import annotations
import __future__

import ast
import json
import linecache
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from textwrap import dedent
from traceback import extract_tb
from types import CodeType, ModuleType
from typing import Final, Literal

from ..cursors.proc import InvalidCursorError
from ..frontend.errors import FrontendError
from ..ops.failure import SchedulingError
from .files import RUN_AS, TOO_DEEP, FileError, no_longer_first, package_root

OURS: Final = (FrontendError, SchedulingError, InvalidCursorError)
"""The errors whose messages say all: what it is in Python is no news to the user."""


@dataclass(frozen=True)
class Finding:
    """A mistake, or a note of what was not checked: its place, counted from 1, and a message.

    `message` may have several lines, of which the first says what is wrong. `marked` shows the place.
    """

    file: str
    line: int
    column: int
    severity: Literal["error", "note"]
    message: str
    marked: str = ""


def check_file(path: Path) -> tuple[Finding, ...]:
    """What is wrong in the Procs of a file, and in how they are made, in the order of the file.

    Of each Proc, and of each other statement of the file, it is the first mistake. Raises `FileError` if the file can't
    be read.
    """
    if not path.is_file() or path.suffix != ".py":
        what = "is a folder" if path.is_dir() else "is no Python file" if path.exists() else "does not exist"
        raise FileError(f"{path} {what}: expected a file whose name ends in .py")
    try:
        text = path.read_bytes()
        tree = ast.parse(text, str(path))
    except SyntaxError as e:
        return (Finding(str(path), e.lineno or 1, max(e.offset or 1, 1), "error", f"SyntaxError: {e.msg}"),)
    except ValueError as e:  # a null byte
        return (Finding(str(path), 1, 1, "error", f"no Python: {e}"),)
    except (MemoryError, RecursionError):
        return (Finding(str(path), 1, 1, "error", TOO_DEEP),)
    with _Run(path, tree) as run:
        return tuple(run.findings())


class _Run:
    """A run of a file's statements, each by itself."""

    def __init__(self, path: Path, tree: ast.Module) -> None:
        self.path, self.tree = path, tree
        self.module = _module(path)
        self.missing: set[str] = set()
        """Names that a statement would have defined, had it not failed."""

    def __enter__(self) -> _Run:
        sys.path.insert(0, str(package_root(self.path)))
        sys.modules[self.module.__name__] = self.module
        return self

    def __exit__(self, *_: object) -> None:
        no_longer_first(str(package_root(self.path)))
        sys.modules.pop(self.module.__name__, None)

    def findings(self) -> Iterator[Finding]:
        """Run all that can be run."""
        for s in self.tree.body:
            needed = sorted(_read(s) & self.missing)
            found = list(self._run(s)) if not needed else [self._left_out(s, needed)] if _is_decorated(s) else []
            yield from found
            if needed or found:
                self.missing |= _defined(s)
            else:
                self.missing -= _defined(s)

    def _run(self, s: ast.stmt) -> Iterator[Finding]:
        try:
            with redirect_stdout(sys.stderr):  # what is found is all that is printed
                exec(_compiled(s, self.tree, self.path), vars(self.module))
        except OURS as e:
            yield self._finding(s, e, str(e))
        except SystemExit as e:
            yield self._finding(s, e, f"this ends the program, by exit({e.code!r})")
        except Exception as e:  # whatever the file's code may raise
            yield self._finding(s, e, f"{type(e).__name__}: {_text(e)}")

    def _finding(self, s: ast.stmt, e: BaseException, message: str) -> Finding:
        """A mistake where the error says it is, else where the file's own code was when it was raised."""
        message = message.encode(errors="backslashreplace").decode()  # a half of a character can't be printed
        place = e.place if isinstance(e, FrontendError) else None
        if isinstance(e, FrontendError) and place is not None and Path(place.file).is_file():
            file = str(self.path) if _same(place.file, self.path) else place.file
            column = place.col + _taken_away(place.text, file, place.line)
            marked = dedent(f"{place.text}\n{' ' * place.col}^")
            return Finding(file, place.line, column + 1, "error", e.message, marked)
        if isinstance(e, SyntaxError) and e.filename:  # of a module that is imported
            return Finding(e.filename, e.lineno or 1, max(e.offset or 1, 1), "error", f"SyntaxError: {e.msg}")
        frames = [f for f in extract_tb(e.__traceback__) if _same(f.filename, self.path)]
        if not frames:
            return Finding(str(self.path), s.lineno, s.col_offset + 1, "error", message)
        at = frames[-1]
        return Finding(str(self.path), at.lineno or s.lineno, (at.colno or 0) + 1, "error", message, at.line or "")

    def _left_out(self, s: ast.stmt, needed: Sequence[str]) -> Finding:
        message = f"not checked: it uses {', '.join(needed)}, which could not be made"
        return Finding(str(self.path), s.lineno, s.col_offset + 1, "note", message)


# -- the parts of a file ------------------------------------------------------------------------------


def _module(path: Path) -> ModuleType:
    """An empty module for a file, under another name than it has when it is imported."""
    folders = path.resolve().parent.relative_to(package_root(path)).parts
    spec: ModuleSpec | None = spec_from_file_location(".".join((*folders, f"{RUN_AS}{path.stem}")), path)
    assert spec is not None  # as the name ends in .py
    return module_from_spec(spec)


def _compiled(s: ast.stmt, tree: ast.Module, path: Path) -> CodeType:
    """A statement of a file, with what the file takes from `__future__`."""
    asked = any(isinstance(x, ast.ImportFrom) and x.module == "__future__" for x in tree.body)
    flags = __future__.annotations.compiler_flag if asked else 0
    code: CodeType = compile(ast.Module([s], []), str(path), "exec", flags, dont_inherit=True)
    return code


def _is_decorated(s: ast.stmt) -> bool:
    return isinstance(s, ast.FunctionDef | ast.ClassDef) and bool(s.decorator_list)


def _read(s: ast.AST) -> set[str]:
    """The names of the file that a statement mentions, also in the functions that it defines."""
    if not isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef):
        own = {s.id} if isinstance(s, ast.Name) and isinstance(s.ctx, ast.Load) else set[str]()
        return own.union(*map(_read, ast.iter_child_nodes(s)))
    bound = {n.arg for n in ast.walk(s.args) if isinstance(n, ast.arg)}
    bound |= {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    inside = set[str]().union(*map(_read, ast.iter_child_nodes(s)))
    return (inside - bound).union(*map(_read, s.decorator_list))


def _defined(s: ast.AST) -> set[str]:
    """The names of the file that a statement defines."""
    if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {s.name}
    if isinstance(s, ast.Import | ast.ImportFrom):
        return {a.asname or a.name.partition(".")[0] for a in s.names}
    inner = (n for n in ast.iter_child_nodes(s) if isinstance(n, ast.stmt | ast.ExceptHandler | ast.match_case))
    here = {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return here.union(*map(_defined, inner))


def _text(e: Exception) -> str:
    """The message of an error of the file's own, which may have none that can be made."""
    try:
        return str(e)
    except Exception as second:  # whatever the file's code may raise
        return f"(no message: {type(second).__name__})"


def _same(file: str, path: Path) -> bool:
    return Path(file).resolve() == path.resolve()


def _taken_away(text: str, file: str, line: int) -> int:
    """By how much a line of the file is indented more than in the text of a place."""
    real = linecache.getline(file, line) or text
    return _indentation(real) - _indentation(text)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


# -- how it is printed --------------------------------------------------------------------------------


def as_text(found: Sequence[Finding]) -> str:
    """`FILE:LINE:COLUMN: error: MESSAGE`, as compilers say it; what else there is to say follows, indented.

    >>> print(as_text([Finding("a.py", 7, 9, "error", "y has no dimension 1", "y[i, 0] = 0.0")]))
    a.py:7:9: error: y has no dimension 1
        y[i, 0] = 0.0
    """
    return "\n".join(map(_as_text, found))


def _as_text(f: Finding) -> str:
    first, *more = f.message.splitlines() or [""]
    lines = [f"    {line}" for line in (*more, *f.marked.splitlines())]
    return "\n".join((f"{f.file}:{f.line}:{f.column}: {f.severity}: {first}", *lines))


def as_json(found: Sequence[Finding]) -> str:
    """A list of objects with the fields of `Finding`.

    >>> print(as_json([]))
    []
    """
    return json.dumps([asdict(f) for f in found], indent=2)


def as_github(found: Sequence[Finding]) -> str:
    """Commands by which GitHub shows findings beside the code.

    >>> print(as_github([Finding("a.py", 7, 9, "error", "two\\nlines")]))
    ::error file=a.py,line=7,col=9::two%0Alines
    """
    kinds = {"error": "error", "note": "notice"}
    places = (f"file={_escaped(f.file, True)},line={f.line},col={f.column}" for f in found)
    return "\n".join(
        f"::{kinds[f.severity]} {place}::{_escaped(f.message)}" for f, place in zip(found, places, strict=True)
    )


def _escaped(text: str, is_property: bool = False) -> str:
    special = "%\r\n:," if is_property else "%\r\n"
    return "".join(f"%{ord(c):02X}" if c in special else c for c in text)


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


FORMATS: Final[Mapping[Format, Callable[[Sequence[Finding]], str]]] = {
    Format.TEXT: as_text,
    Format.JSON: as_json,
    Format.GITHUB: as_github,
}
