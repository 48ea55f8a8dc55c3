"""Where procedures come from: files, which the command line knows how to run, and texts."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol

from .. import exports, primitives
from ..cursors.proc import Proc
from ..frontend.decorators import proc_from_source
from ..frontend.errors import FrontendError
from ..machine import Machine
from ..ops.strategy import Op
from .faults import Fault

PUBLIC: Final[Mapping[str, Any]] = {n: getattr(m, n) for m in (exports, primitives) for n in m.__all__}
"""What `from exo_strat import *` gives."""


class Source(Protocol):
    """A Python file that was run."""

    @property
    def path(self) -> Path: ...
    @property
    def module(self) -> ModuleType: ...
    def proc(self, name: str, machine: Machine | None = None) -> Proc: ...
    def op(self, expression: str, machine: Machine | None = None) -> Op: ...


class Target(Protocol):
    """A machine, and the name under which it is installed."""

    @property
    def name(self) -> str: ...
    @property
    def machine(self) -> Machine: ...


class Files(Protocol):
    """What the command line knows of files and targets. All raise a `Fault` where something is wrong with them."""

    def read(self, path: Path) -> Source:
        """A file, run."""

    def split(self, where: str) -> tuple[Path, str]:
        """The file and the name in `FILE:NAME`."""

    def proc(self, source: Source, name: str, machine: Machine) -> Proc:
        """A procedure of a file."""

    def op(self, source: Source, expression: str, machine: Machine) -> Op:
        """A strategy of a file."""

    def running(self, source: Source) -> AbstractContextManager[None]:
        """Where code of a file runs."""

    def imports(self, path: Path, name: str, folder: Path) -> tuple[str, str]:
        """The folder, as seen from another one, that is put on the module path to import a file; and the import of a
        name from it."""

    def target(self, name: str | None) -> Target:
        """The target of a name; without one, the widest of this processor."""


def from_text(text: str) -> Proc:
    """The last of the procedures in a text, which may call those before it.

    >>> print(from_text('''
    ... def one(x: f32):
    ...     x = 1.0
    ... def both(x: f32, y: f32):
    ...     one(x)
    ...     one(y)
    ... '''))
    def both(x: f32 @ DRAM, y: f32 @ DRAM):
        one(x)
        one(y)
    """
    try:
        found = ast.parse(text).body
    except (SyntaxError, ValueError) as e:
        raise Fault("bad_object_code", f"this is no Python: {e}") from None
    known, made, lines = dict(PUBLIC), list[Proc](), text.splitlines()
    for node in found:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue  # all of exo_strat is known
        if not isinstance(node, ast.FunctionDef):
            raise Fault("bad_object_code", f"line {node.lineno}: only procedures may stand here; open a file instead")
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        try:
            p = proc_from_source("\n".join(lines[first - 1 : node.end_lineno]), known)
        except FrontendError as e:
            raise Fault("bad_object_code", str(e)) from None
        known[node.name] = p
        made.append(p)
    if not made:
        raise Fault("bad_object_code", "there is no procedure: write `def name(..): ..`")
    return made[-1]
