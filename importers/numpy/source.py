"""Where a function stands, and what the names that it uses mean."""

from __future__ import annotations
import __future__

import ast
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import is_
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Final, TypeAlias

import numpy as np

from ..report import ImportRefusedError, Place, Problem, Report

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

    defaults: Mapping[str, Callable[[], Outside]] | None = None
    """What arguments are that aren't given, if the function is one of this process."""

    @property
    def identity(self) -> object:
        """What is the same for one function only."""
        return self.node if self.function is None else self.function


class Listed(tuple["Outside", ...]):
    """A list, as it is now."""


class Standing:
    """What stands for a function of Python, `python`, and does what that does."""

    python: Callable[..., Any]


WITH_PARTS: Final = (list, tuple, FunctionType, Standing)


@dataclass(frozen=True, eq=False)
class Used:
    """What a name of the program meant when it was looked up by a function: `now` gives what it means at present."""

    by: object
    name: str
    now: Callable[[], object]
    value: object
    parts: tuple[object, ...]
    has_parts: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "has_parts", isinstance(self.value, WITH_PARTS))

    def differs_inside(self) -> bool:
        """Whether something in it is another."""
        parts = _parts(self.value)
        return len(parts) != len(self.parts) or not all(map(is_, parts, self.parts))


def changed(used: Iterable[Used]) -> bool:
    """Whether a name means something else, or something in that does. Each call asks: a loop takes a fourth of the time
    that `any` with a method takes."""
    for u in used:  # noqa: SIM110
        if u.now() is not u.value or (u.has_parts and u.differs_inside()):
            return True
    return False


def _parts(value: object) -> tuple[object, ...]:
    """What may be another in a list, a tuple or a function that is still the same."""
    if type(value) in (list, tuple):
        assert isinstance(value, list | tuple)
        return (*value, *(p for v in value for p in _parts(v)))
    if isinstance(value, FunctionType):
        given, named = value.__defaults__, value.__kwdefaults__
        code = (value.__code__, given)
        if not given and not named:
            return code
        return (*code, *_parts(given), *(named or {}), *_parts(tuple((named or {}).values())))
    return (value.python, *_parts(value.python)) if isinstance(value, Standing) else ()


def code_of(f: object) -> Used:
    """The code of a function, as it is now."""
    code = getattr(f, "__code__", None)
    return Used(f, "", partial(getattr, f, "__code__", None), code, ())


def all_of(f: object) -> Used:
    """A function, as it is now, with its code and its defaults."""
    return Used(f, "", partial(_same, f), f, _parts(f))


def _same(value: object) -> object:
    return value


class NotFound(LookupError):
    """A name that means nothing that is known; the text says why."""


UNKNOWN = "it is no variable, number, function or module that is known now"


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
    names = _Names(tree, functions)
    lines = text.splitlines()
    problem = names.unlike(name)
    if problem is not None:
        raise Report([problem]).refuse(str(file), lines)
    return Source(str(file), lines, Definition(functions[name], names.meaning), _annotations(functions[name]))


@dataclass
class _Names:
    """What names mean at the level of a file, which isn't run: those that are set once, in a statement of its own."""

    tree: ast.Module
    functions: Mapping[str, ast.FunctionDef]

    def __post_init__(self) -> None:
        self._set: dict[str, list[ast.AST]] = {}
        for name, where in _all_set(self.tree):
            self._set.setdefault(name, []).append(where)

    def meaning(self, name: str) -> Outside:
        """What a name means to the functions of the file."""
        where = self._once(name)
        if isinstance(where, ast.FunctionDef) and self.functions.get(name) is where:
            problem = self.unlike(name)
            if problem is not None:
                raise NotFound(f"of {problem.what} in line {problem.place.line}: {problem.why}")
            return Definition(where, self.meaning)
        module = next((imported(s)[name] for s in self._imports() if where in s.names), None)
        if module is not None:
            return module
        value = next((v for n, v in self._assigned() if n is where), None)
        if value is None:
            raise NotFound(f"line {_line(where)}, which sets it, is no plain statement of the file")
        try:
            return _literal(ast.literal_eval(value))
        except (ValueError, TypeError):
            raise NotFound(f"in line {value.lineno} it is no number, text or tuple of such, written out") from None

    def unlike(self, name: str) -> Problem | None:
        """Why a function may be something else than its definition says."""
        node = self.functions[name]
        for d in node.decorator_list:
            of = d.func if isinstance(d, ast.Call) else d
            if self._path(of) not in COMPILED:
                why, remedy = "it may put something else in the place of the function", "take it away"
                return Problem(place(d), f"the decorator {ast.unparse(d)}", why, remedy)
        try:
            self._once(name)
        except NotFound as e:
            return Problem(place(node), name, str(e), "give it another name")
        return None

    def _once(self, name: str) -> ast.AST:
        """Where a name is set, if that is one place, or imports of one module."""
        places = self._set.get(name, [])
        stars = [_line(x) for x in self._set.get("*", ())]
        if not places:
            raise NotFound(f"`import *` in line {stars[0]} may set it" if stars else UNKNOWN)
        means = {found for s in self._imports() for n, found in imported(s).items() if n == name}
        here = [x for s in self._imports() for x in s.names if x in places]
        if len(places) > 1 and (len(here) < len(places) or len(means) > 1):
            raise NotFound(f"it is set several times: in lines {', '.join(map(str, sorted(map(_line, places))))}")
        last = max(map(_line, places))
        if stars and stars[-1] > last:
            raise NotFound(f"`import *` in line {stars[-1]} may set it again")
        return places[0]

    def _imports(self) -> Iterator[ast.Import | ast.ImportFrom]:
        return (s for s in self.tree.body if isinstance(s, ast.Import | ast.ImportFrom))

    def _assigned(self) -> Iterator[tuple[ast.expr, ast.expr]]:
        """The names that statements of the file set, and to what."""
        for s in self.tree.body:
            match s:
                case ast.Assign(targets=targets, value=value):
                    yield from ((t, value) for t in targets)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    yield target, value
                case _:
                    pass

    def _path(self, e: ast.expr) -> str:
        """`importers.numpy.compiled` of an expression that is that."""
        match e:
            case ast.Attribute(value=of, attr=name):
                return f"{self._path(of)}.{name}"
            case ast.Name(id=name) if isinstance(self._set.get(name, [None])[0], ast.alias):
                try:
                    found = self.meaning(name)
                except NotFound:
                    return ""
                return found.path if isinstance(found, Module) else ""
            case _:
                return ""


COMPILED: Final = ("importers.numpy.compiled", "importers.numpy.decorator.compiled")
"""Decorators of functions that do what these say."""


def _line(n: ast.AST) -> int:
    return getattr(n, "lineno", 0)


def _literal(v: object) -> Outside:
    if isinstance(v, tuple):
        return tuple(_literal(x) for x in v)
    if v is None or isinstance(v, bool | int | float | str):
        return v
    raise ValueError(v)


def _all_set(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """The names that a file sets at its own level, wherever that is, with the nodes that do."""
    for n in ast.walk(tree):
        if isinstance(n, ast.Global):
            yield from ((name, n) for name in n.names)
    yield from _set_by(tree)


def _set_by(n: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    inner: Iterable[ast.AST] = ast.iter_child_nodes(n)
    match n:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield n.name, n
            inner = [*n.decorator_list, n.args]
        case ast.ClassDef():
            yield n.name, n
            inner = [*n.decorator_list, *n.bases, *n.keywords]
        case ast.Lambda():
            inner = [n.args]
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name, n
        case ast.alias():
            yield n.asname or n.name.split(".")[0], n
        case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
            yield name, n
        case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
            yield name, n
        case _:
            pass
    for x in inner:
        yield from _set_by(x)


def imported(s: ast.Import | ast.ImportFrom) -> dict[str, Outside]:
    """What an import binds."""
    if isinstance(s, ast.Import):
        return {a.asname or a.name.split(".")[0]: Module(a.name if a.asname else a.name.split(".")[0]) for a in s.names}
    return {a.asname or a.name: Module(f"{'.' * s.level}{s.module or ''}.{a.name}") for a in s.names}


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


@dataclass
class _Seen:
    """What was taken from the process for one function."""

    used: list[Used]
    definitions: dict[FunctionType, Definition] = field(default_factory=dict)
    files: dict[str, tuple[ast.Module, list[CodeType]]] = field(default_factory=dict)
    """By the texts of files their trees and all that they define."""


def signature(f: Callable[..., Any]) -> inspect.Signature:
    """The arguments that a function itself takes, whatever it says of another one that it wraps."""
    if not isinstance(f, FunctionType):
        return inspect.signature(f, follow_wrapped=False)
    plain = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    plain.__kwdefaults__ = f.__kwdefaults__
    return inspect.signature(plain)


def of_function(f: Callable[..., Any], used: list[Used] | None = None) -> Source:
    """A function of this process: names mean what they mean to it when they are looked up. What they mean is then put
    into `used`."""
    if not isinstance(f, FunctionType):
        raise ImportRefusedError(f"{f!r} is no function written in Python: there is no text to import")
    try:
        definition = _definition(f, _Seen([] if used is None else used))
    except NotFound as e:
        raise ImportRefusedError(str(e)) from e
    if not isinstance(definition.node, ast.FunctionDef):
        raise ImportRefusedError(f"{f!r} is a lambda: write it with def")
    file = inspect.getsourcefile(f.__code__) or "<function>"
    lines, _ = inspect.findsource(f.__code__)
    return Source(file, [x.rstrip("\n") for x in lines], definition, _annotations(definition.node))


def _definition(f: FunctionType, seen: _Seen) -> Definition:
    if f not in seen.definitions:
        seen.definitions[f] = Definition(_text(f, seen), partial(_meaning, f, seen), f, _defaults(f, seen))
    return seen.definitions[f]


NOTHING: Final = object()
"""What a name means that means nothing."""


def _meaning(f: FunctionType, seen: _Seen, name: str) -> Outside:
    """What a name from outside of it means to a function."""
    cell = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)).get(name)
    now = partial(f.__globals__.get, name, NOTHING) if cell is None else partial(_content, cell)
    value: object = now()
    if not any(u.by is f and u.name == name for u in seen.used):
        seen.used.append(Used(f, name, now, value, _parts(value)))
    if value is NOTHING:
        raise NotFound(UNKNOWN)
    return _outside(value, seen)


def _defaults(f: FunctionType, seen: _Seen) -> dict[str, Callable[[], Outside]]:
    """What arguments of a function are that aren't given."""
    plain = f.__code__.co_varnames[: f.__code__.co_argcount]
    found: dict[str, object] = dict(zip(reversed(plain), reversed(f.__defaults__ or ()), strict=False))
    return {n: partial(_outside, v, seen) for n, v in (found | (f.__kwdefaults__ or {})).items()}


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return NOTHING


def _outside(value: object, seen: _Seen) -> Outside:
    """A Python object as what a name may mean."""
    if value is None or (isinstance(value, bool | int | float | str) and type(value) in (bool, int, float, str)):
        return value
    if isinstance(value, tuple | list) and type(value) in (tuple, list):
        return (Listed if isinstance(value, list) else tuple)(_outside(v, seen) for v in value)
    if isinstance(value, ModuleType):
        return Module(value.__name__)
    name = getattr(value, "__name__", None)
    for module in (np, np.linalg, math):
        if isinstance(name, str) and getattr(module, name, NOTHING) is value:
            return Module(f"{module.__name__}.{name}")
    plain = value.python if isinstance(value, Standing) else value
    if isinstance(plain, FunctionType):
        return _definition(plain, seen)
    if hasattr(plain, "__wrapped__"):
        raise NotFound("a decorator put something else in the place of the function")
    raise NotFound(UNKNOWN)


# -- the text of a function -----------------------------------------------------------------------------

OF_CODE: Final = (
    "co_name", "co_qualname", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_firstlineno",
    "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_linetable", "co_exceptiontable",
)  # fmt: skip


def _text(f: FunctionType, seen: _Seen) -> ast.FunctionDef | ast.Lambda:
    """The definition of a function in its file. The file is compiled again, and must give what runs: it may have been
    written anew since it was read, and a function may be made of another one's text."""
    code = f.__code__
    try:
        text = "".join(inspect.findsource(code)[0])
        if text not in seen.files:
            seen.files[text] = ast.parse(text), list(_codes(_compiled(text, code)))
    except (OSError, TypeError, IndexError, SyntaxError, ValueError) as e:
        raise NotFound(f"the text of {f.__name__} isn't there to be read: {e}") from e
    tree, codes = seen.files[text]
    found = _nodes(tree, code) if any(_alike(code, c) for c in chain(codes, _alone(tree, code))) else []
    if len(found) != 1:
        why = "its file was changed since it was read, or its code was made in another way"
        raise NotFound(f"the text of {f.__name__} is not what runs: {why}")
    return found[0]


def _compiled(what: str | ast.Module, code: CodeType) -> CodeType:
    """A text or a tree, compiled as the file was that has some code."""
    flags = sum(getattr(__future__, n).compiler_flag for n in __future__.all_feature_names)
    flags = (code.co_flags & flags) | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as notebooks do
    made: CodeType = compile(what, code.co_filename, "exec", flags, dont_inherit=True)
    return made


def _alone(tree: ast.Module, code: CodeType) -> Iterator[CodeType]:
    """What is defined in the statements of a file that may hold some code, each compiled without the others, as in
    notebooks: `np.sum(x)` becomes other code where Python sees no `import numpy as np` beside it."""
    for n in tree.body:
        first = min([n.lineno, *(d.lineno for d in getattr(n, "decorator_list", ()))])
        if first <= code.co_firstlineno <= (n.end_lineno or first):
            yield from _codes(_compiled(ast.Module([n], []), code))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of all functions in some code."""
    for c in code.co_consts:
        if isinstance(c, CodeType):
            yield c
            yield from _codes(c)


def _alike(a: object, b: object) -> bool:
    """Whether two constants of code are the same. (Python's `==` of code asks for what it noted when that ran, too.)"""
    if type(a) is not type(b):
        return False
    if isinstance(a, CodeType) and isinstance(b, CodeType):
        return all(getattr(a, n) == getattr(b, n) for n in OF_CODE) and _alike(a.co_consts, b.co_consts)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_alike, a, b))
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return sorted(map(repr, a)) == sorted(map(repr, b))
    return repr(a) == repr(b)


def _nodes(tree: ast.Module, code: CodeType) -> list[ast.FunctionDef | ast.Lambda]:
    """The definitions that code may be of: of several lambdas in a line, the innermost one around its places."""
    out: list[ast.FunctionDef | ast.Lambda] = []
    lambdas: list[ast.Lambda] = []
    for n in ast.walk(tree):
        match n:
            case ast.FunctionDef(name=code.co_name, decorator_list=before):
                if min([n.lineno, *(d.lineno for d in before)]) == code.co_firstlineno:
                    out.append(n)
            case ast.Lambda() if code.co_name == "<lambda>" and n.lineno == code.co_firstlineno:
                lambdas.append(n)
            case _:
                pass
    if len(lambdas) > 1:
        lambdas = [n for n in lambdas if _around(n.body, code)][-1:]  # `walk` comes to the inner ones later
    return [*out, *lambdas]


def _around(e: ast.expr, code: CodeType) -> bool:
    """Whether all of some code stands in an expression."""
    first, last = (e.lineno, e.col_offset), (e.end_lineno, e.end_col_offset)
    for line, end, col, end_col in code.co_positions():
        if line is None or end is None or (line, col) == (end, end_col):
            continue
        if col is None or end_col is None:
            return False
        if (line, col) < first or (end, end_col) > last:
            return False
    return True
