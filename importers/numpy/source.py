"""Where a function stands, and what the names that it uses mean."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import is_
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeAlias

from ..report import ImportRefusedError, Place

Outside: TypeAlias = "Module | Definition | int | float | bool | str | tuple[Outside, ...] | None"
"""What a name from outside of a function may be."""


@dataclass(frozen=True)
class Module:
    """A module, or what is in it: `numpy`, `numpy.linalg.norm`."""

    path: str


@dataclass(frozen=True, eq=False)
class Definition:
    """A function of the program: its definition, and where names that it doesn't define come from."""

    node: ast.FunctionDef | ast.Lambda
    lookup: Callable[[str], Outside]
    function: FunctionType | None = None
    """The function itself, if it is one of this process, whose text is read at each use."""

    @property
    def identity(self) -> object:
        """What is the same for one function only."""
        return self.node if self.function is None else self.function


class Listed(tuple["Outside", ...]):
    """A list, as it is now."""


@dataclass(frozen=True, eq=False)
class Used:
    """What a name of the program meant when it was looked up: `now` gives what it means at present."""

    now: Callable[[], object]
    value: object
    parts: tuple[object, ...]

    def changed(self) -> bool:
        """Whether it means something else, or is a list with other elements."""
        now = self.now()
        same = now is self.value and len(parts := _parts(now)) == len(self.parts) and all(map(is_, parts, self.parts))
        return not same


def _parts(value: object) -> tuple[object, ...]:
    return tuple(value) if type(value) is list else ()


class NotFound(LookupError):
    """A name that means nothing that is known."""


@dataclass
class Source:
    """A function with the lines of its file."""

    file: str
    lines: list[str]
    definition: Definition
    annotations: Mapping[str, str] = field(default_factory=dict)

    @property
    def node(self) -> ast.FunctionDef:
        assert isinstance(self.definition.node, ast.FunctionDef)
        return self.definition.node


def place(node: ast.AST) -> Place:
    """Where a node stands."""
    return Place(getattr(node, "lineno", 0), getattr(node, "col_offset", -1) + 1)


# -- a file ---------------------------------------------------------------------------------------------


def of_file(file: Path, name: str | None) -> Source:
    """A function of a file, which is read and not run."""
    text = file.read_text()
    try:
        tree = ast.parse(text)
    except SyntaxError as e:
        raise ImportRefusedError(f"{file}:{e.lineno}: Python can't read this: {e.msg}") from e
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    if not functions:
        raise ImportRefusedError(f"{file} has no function: nothing to import")
    if name is None:
        called = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        free = [n for n in functions if n not in called]
        if len(free) != 1:
            raise ImportRefusedError(
                f"{file} has several functions: name one of {', '.join(functions)}, as {file}:NAME"
            )
        name = free[0]
    if name not in functions:
        raise ImportRefusedError(f"{file} has no function {name}; it has {', '.join(functions)}")
    found = _names(tree)

    def lookup(n: str) -> Outside:
        if n in functions:
            return Definition(functions[n], lookup)
        if n not in found:
            raise NotFound(n)
        return found[n]

    return Source(str(file), text.splitlines(), Definition(functions[name], lookup), _annotations(functions[name]))


def _names(tree: ast.Module) -> dict[str, Outside]:
    """What imports and constants at file level mean."""
    out: dict[str, Outside] = {}
    for s in tree.body:
        match s:
            case ast.Import() | ast.ImportFrom():
                out.update(imported(s))
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                try:
                    out[name] = ast.literal_eval(value)
                except ValueError:
                    continue
            case _:
                pass
    return out


def imported(s: ast.Import | ast.ImportFrom) -> dict[str, Outside]:
    """What an import binds."""
    if isinstance(s, ast.Import):
        return {a.asname or a.name.split(".")[0]: Module(a.name if a.asname else a.name.split(".")[0]) for a in s.names}
    return {a.asname or a.name: Module(f"{s.module}.{a.name}") for a in s.names}


def _annotations(node: ast.FunctionDef) -> dict[str, str]:
    """The annotations of arguments as texts: `"f64[n]"` and `f64[n]` are the same."""
    out: dict[str, str] = {}
    for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        match a.annotation:
            case None:
                pass
            case ast.Constant(value=str() as text):
                out[a.arg] = text
            case given:
                out[a.arg] = ast.unparse(given)
    return out


# -- a function that is there ---------------------------------------------------------------------------


def of_function(f: Callable[..., Any], used: list[Used] | None = None) -> Source:
    """A function of this process: names mean what they mean to it when they are looked up. What they mean is then put
    into `used`, but for modules."""
    if not isinstance(f, FunctionType):
        raise ImportRefusedError(f"{f!r} is no function written in Python: there is no text to import")
    definition = _definition(f, [] if used is None else used)
    if not isinstance(definition.node, ast.FunctionDef):
        raise ImportRefusedError(f"{f!r} is a lambda: write it with def")
    file = inspect.getsourcefile(f) or "<function>"
    first = definition.node.lineno
    lines, start = inspect.getsourcelines(f)
    padded = [""] * (start - 1) + [x.rstrip("\n") for x in lines]
    assert first >= 1
    return Source(file, padded, definition, _annotations(definition.node))


def _definition(f: FunctionType, used: list[Used]) -> Definition:
    try:
        lines, start = inspect.getsourcelines(f)
    except (OSError, TypeError) as e:
        raise ImportRefusedError(f"the text of {f.__name__} isn't there to be read: {e}") from e
    text = textwrap.dedent("".join(lines))
    tree = ast.parse("\n" * (start - 1) + text)
    node = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda)), None)
    if node is None:
        raise ImportRefusedError(f"the text of {f.__name__} has no definition")
    cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))

    def lookup(name: str) -> Outside:
        cell = cells.get(name)
        nothing = object()
        if cell is not None:
            now = partial(getattr, cell, "cell_contents", nothing)
        else:
            now = partial(f.__globals__.get, name, nothing)
        value: object = now()
        if value is nothing:
            raise NotFound(name)
        if not isinstance(value, ModuleType):
            used.append(Used(now, value, _parts(value)))
        return _outside(name, value, used)

    return Definition(node, lookup, f)


def _outside(name: str, value: object, used: list[Used]) -> Outside:
    """A Python object as what a name may mean."""
    if value is None or (isinstance(value, bool | int | float | str) and type(value) in (bool, int, float, str)):
        return value
    if isinstance(value, tuple | list) and type(value) in (tuple, list):
        return (Listed if isinstance(value, list) else tuple)(_outside(name, v, used) for v in value)
    if isinstance(value, ModuleType):
        return Module(value.__name__)
    wrapped = getattr(value, "__wrapped__", value)
    if isinstance(wrapped, FunctionType) and wrapped.__module__.partition(".")[0] != "numpy":
        return _definition(wrapped, used)
    module, own = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if own is not None and (module or "numpy").partition(".")[0] in ("numpy", "math"):
        return Module(f"{'math' if module == 'math' else 'numpy'}.{own}")
    raise NotFound(name)
