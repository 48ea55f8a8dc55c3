"""`@proc`, `@instr`, `@config`: Python functions and classes as object code.

The functions are read as source text, never run. Names in them are looked up where the function is
defined. Types such as `f32[N, M] @ DRAM` stand in annotations, which Python must not evaluate: a file
with object code starts with `from __future__ import annotations`.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping
from types import FrameType, FunctionType
from typing import Any

from pyrsistent import pmap

from ..cursors.proc import Proc
from ..ir.config import Config
from ..ir.nodes import Call, Instr, ProcDef
from ..ir.outside import mentioned_by
from ..ir.printing import callee_names, render
from ..ir.room import with_room
from ..ir.types import CONTROLS, SCALARS, Control, Scalar
from ..ir.walk import Path, misshapen, walk
from .checks import check
from .errors import CheckError, ParseError, Place
from .parser import ProcParser, functions
from .scope import near_names
from .source import Source, parse_python, shown_file
from .words import DEFAULT_ENV


def proc(fn: Callable[..., Any]) -> Proc:
    """Makes a procedure of a function in object code.

    >>> @proc
    ... def double(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 2.0 * x[i]
    >>> print(double)
    def double(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 2.0 * x[i]
    """
    return _from_function(fn, None, _caller())


def instr(c: str, c_global: str = "", c_fence: str = "") -> Callable[[Callable[..., Any]], Proc]:
    """Makes a machine instruction of a function: its body is the meaning, `c` its C text, `c_global` what a file
    needs once, `c_fence` what must follow before another thread may see what it wrote."""
    if not all(isinstance(text, str) for text in (c, c_global, c_fence)):
        raise ParseError('@instr takes the C text: write @instr("...") above the function')
    frame = _caller()
    return lambda fn: _from_function(fn, Instr(c, c_global, c_fence), frame)


def config(cls: type) -> Config:
    """Makes a config of a class whose annotations are the fields' types.

    >>> @config
    ... class Load:
    ...     scale: f32
    ...     row: stride
    >>> Load, sorted((name, str(t)) for name, t in Load.fields.items())
    (Load, [('row', 'stride'), ('scale', 'f32')])
    """
    if not isinstance(cls, type):
        raise ParseError(f"@config stands above a class whose annotations are the fields' types, not {cls!r}")
    env = _frame_env(_caller())
    fields: dict[str, Any] = {}
    for name, t in inspect.get_annotations(cls).items():
        spelled = t.__name__ if isinstance(t, type) else str(t)
        known = CONTROLS.get(spelled) or SCALARS.get(spelled) or env.get(spelled)
        if not isinstance(known, Scalar | Control):
            near = near_names(spelled, [*CONTROLS, *SCALARS])
            raise ParseError(f"field {name} of config {cls.__name__} has no type of the object language: {t}{near}")
        fields[name] = known
    if not fields:
        raise ParseError(f"config {cls.__name__} has no fields; a field is written `name: type`")
    return Config(cls.__name__, pmap(fields))


def _caller() -> FrameType:
    return sys._getframe(2)


def _frame_env(frame: FrameType) -> dict[str, object]:
    return {**DEFAULT_ENV, **frame.f_globals, **frame.f_locals}


def _from_function(fn: Callable[..., Any], how: Instr | None, frame: FrameType) -> Proc:
    if not isinstance(fn, FunctionType):
        raise ParseError(f"@proc and @instr decorate functions, not {fn!r}")
    try:
        lines, first = inspect.getsourcelines(fn)
    except (OSError, TypeError):
        raise ParseError(
            f"the source text of {fn.__name__} cannot be read; put it in a file, or use proc_from_source"
        ) from None
    env = {**_frame_env(frame), **_closure(fn)}
    file = shown_file(inspect.getsourcefile(fn) or "<source>")
    source = Source(file, tuple(textwrap.dedent("".join(lines)).splitlines()), first)
    return _build(_only_function(source), source, env, how)


def _closure(fn: FunctionType) -> dict[str, object]:
    cells = fn.__closure__ or ()
    return {n: c.cell_contents for n, c in zip(fn.__code__.co_freevars, cells, strict=True) if _filled(c)}


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  (asks whether the variable has a value yet)
    except ValueError:
        return False
    return True


INSTR_TEXTS = ("c", "c_global", "c_fence")
"""The arguments of `@instr`."""


def proc_from_source(text: str, env: Mapping[str, object] | None = None, file: str = "<source>") -> Proc:
    """A procedure from its text. `env` says what memories, configs, procedures and externs it names mean."""
    if not isinstance(text, str):
        raise ParseError(f"a procedure's text is needed, not {text!r}")
    source = Source(file, tuple(textwrap.dedent(text).strip("\n").splitlines()))
    fn = _only_function(source)
    return _build(fn, source, {**DEFAULT_ENV, **(env or {})}, _instr_of(fn, source))


def _only_function(source: Source) -> ast.FunctionDef:
    found = list(functions(parse_python(source, ParseError)))
    if len(found) != 1:
        raise ParseError(f"one procedure is needed, there are {len(found)} function definitions", source.at(1, 0))
    return found[0]


def _instr_of(fn: ast.FunctionDef, source: Source) -> Instr | None:
    for d in fn.decorator_list:
        if isinstance(d, ast.Call) and isinstance(d.func, ast.Name) and d.func.id == "instr":
            given = dict(zip(INSTR_TEXTS, d.args, strict=False)) | {k.arg: k.value for k in d.keywords}
            texts = {k: a.value for k, a in given.items() if isinstance(a, ast.Constant) and isinstance(a.value, str)}
            fits = "c" in texts and texts.keys() <= {*INSTR_TEXTS}
            if not fits or len(texts) != len(d.args) + len(d.keywords):
                source.fail(ParseError, d, "@instr takes the C text, c_global= and c_fence=: string literals")
            return Instr(*(texts.get(k, "") for k in INSTR_TEXTS))
    return None


@with_room
def _build(fn: ast.FunctionDef, source: Source, env: Mapping[str, object], how: Instr | None) -> Proc:
    parser = ProcParser(env, source)
    tree = parser.procedure(fn, how)
    try:
        check(tree)
    except CheckError as e:
        raise _located(e, parser.places) from None
    return Proc(tree)


def _located(e: CheckError, places: Mapping[Path, Place]) -> CheckError:
    """The error with the source line of the innermost statement around its path."""
    for n in range(len(e.path), -1, -1):
        if e.path[:n] in places:
            return CheckError(e.path, e.message, e.counterexample, places[e.path[:n]])
    return e


@with_room
def make_proc(tree: ProcDef) -> Proc:
    """A procedure from a tree, checked as one from a source text is.

    Raises `TypeError` if the tree could change: a list in it is a pvector, and what it calls a `Proc`.
    """
    wrong = misshapen(tree)
    callees = [n.f for _, n in walk(tree) if isinstance(n, Call)] if wrong is None else []
    wrong = wrong or next((f"it calls {f!r}, which is no Proc" for f in callees if type(f) is not Proc), None)
    if wrong is not None:
        raise TypeError(f"this is no tree: {wrong}")
    try:
        check(tree)
    except CheckError as e:
        raise CheckError(e.path, f"{e.message}\n{render(tree, e.path)}", e.counterexample) from None
    return Proc(tree)


def reparse_env(tree: ProcDef) -> dict[str, object]:
    """What the names in a procedure's text mean, so that `proc_from_source(str(p), reparse_env(p.tree))` is p.

    """
    env: dict[str, object] = {name: f for f, name in callee_names(tree).items()}
    things = (mentioned_by(n) for _, n in walk(tree))
    return env | {thing.name: thing for thing in things if thing is not None}
