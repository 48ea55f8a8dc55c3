"""Whether what a primitive is given is of the kinds that its signature says."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Protocol, TypeAlias, Union, get_args, get_origin

from ...cursors.cursor import Cursor, NodeCursor, ProcCursor, StmtCursor
from ...cursors.kinds import ForCursor
from ...cursors.proc import Proc
from ...frontend.errors import FrontendError
from ...ir.config import Config
from ...ir.externs import ExternFn
from ...ir.memory import Memory
from ...ir.nodes import Binary, Const, Expr, ExternCall, ReadConfig, Select, Unary, Var
from ...ir.numbers import is_integer, is_number
from ...ir.printing import OPERATORS
from ...ir.types import Scalar
from ...ir.walk import LOGICAL, is_bool, misshapen, walk
from ...ops.failure import BadArgument, Refused

_WORDS: dict[Any, str] = {
    int: "an integer",
    float: "a number",
    str: "a text",
    bool: "True or False",
    NoneType: "None",
    Proc: "a procedure",
    Memory: "a memory",
    Config: "a config",
    Scalar: 'a precision such as "f32"',
    NodeCursor: "a cursor",
}


Draw: TypeAlias = Callable[[Any, Cursor], object]
"""Draws an argument, with random choices (`testing.choices`), for a target."""


@dataclass(frozen=True)
class Kind:
    """What an argument is, beyond its type: `Annotated[str, Kind("a window")]`. Random tests draw one of `among`, or by
    `draw`, or else by the words (`testing.arguments`)."""

    words: str
    among: tuple[object, ...] = ()
    draw: Draw | None = None


NewName: TypeAlias = Annotated[str, Kind("a new name", ("t", "i", "a"))]
ProcName: TypeAlias = Annotated[str, Kind("a procedure's name", ("t", "bar", "double", "if", "foo"))]
TwoNames: TypeAlias = Annotated[tuple[str, str], Kind("two new names", (("io", "ii"), ("i", "i"), ("k", "n")))]
Levels: TypeAlias = Annotated[int, Kind("how many scopes", (1, 1, 2))]
Dim: TypeAlias = Annotated[int, Kind("a dimension", (0, 1))]
FieldName: TypeAlias = Annotated[str, Kind("a config field")]


def kinds_of(hints: Mapping[str, Any]) -> Mapping[str, Kind]:
    """The kinds of parameters, as far as annotations tell one."""
    given = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {name: kind for name, data in given.items() for kind in data if isinstance(kind, Kind)}


class Called(Protocol):
    """What is asked here of a primitive's definition; see `framework.Spec`."""

    @property
    def name(self) -> str: ...
    @property
    def targets(self) -> tuple[type[Cursor], ...]: ...
    @property
    def signature(self) -> inspect.Signature: ...
    @property
    def hints(self) -> Mapping[str, Any]: ...
    @property
    def kinds(self) -> Mapping[str, Kind]: ...


def form_of(spec: Called) -> str:
    """A primitive as it is called: its name and parameters."""
    params = [p.replace(annotation=p.empty) for p in spec.signature.parameters.values()]
    return f"{spec.name}{inspect.Signature(params)}"


def check_first(spec: Called, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raises `TypeError` where the first of the arguments, a procedure or a cursor, is what the Op is to act on."""
    first, on_proc = next(iter(spec.signature.parameters), None), isinstance(args[0], Proc)
    if first is not None and _binds(spec.signature, args, kwargs):
        hint = spec.hints.get(first, object)
        statement = isinstance(args[0], StmtCursor) and hint is not object  # no expression
        if hint is Proc if on_proc else _fits(args[0], hint) and not statement:
            return
    more = ", .." if first else ""
    reference = "" if ProcCursor in spec.targets else ", reference"
    how = f"the paper's form is direct.{spec.name}(p{reference}{more})"
    if not on_proc:
        how = f"at a cursor, write at(cursor, {spec.name}({more[2:]}))"
    raise TypeError(f"{form_of(spec)} makes an Op, which is then applied to a procedure, as in schedule(op, p); {how}")


def place_hint(spec: Called, args: Sequence[Any]) -> str:
    """What to write where the first of the arguments is a place, as the direct form takes it; else nothing."""
    if not args or not isinstance(args[0], str) or spec.targets == (ProcCursor,):
        return ""
    name, place = spec.name, args[0]
    pattern = f"for {place} in _: _" if place.isidentifier() and ForCursor in spec.targets else place
    return f". The Op takes no place: write at({pattern!r}, {name}(..)) or direct.{name}(p, {place!r}, ..)"


def _binds(signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a call has the arguments that a signature asks for."""
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def check_arguments(signature: inspect.Signature, hints: Mapping[str, Any], args: Sequence[Any]) -> None:
    """Refuses with `BadArgument` what is not of the kind that the parameter's annotation says; `args` are one a
    parameter."""
    for prm, value in zip(signature.parameters.values(), args, strict=True):
        hint = hints.get(prm.name, object)
        for name, one in _given(prm, value):
            if not _fits(one, hint):
                raise Refused(BadArgument(f"{name}: {_words(hint)} is needed, not {one!r}"))


def about_argument(e: FrontendError, spec: Called, args: Sequence[Any]) -> str:
    """What is wrong with object code; if that is of an argument, with its name, and what it should be."""
    for prm, value in zip(spec.signature.parameters.values(), args, strict=True):
        for name, one in _given(prm, value):
            if e.place is not None and isinstance(one, str) and e.place.text in one.strip().splitlines():
                hint = spec.hints.get(prm.name, object)
                what = spec.kinds[prm.name].words if prm.name in spec.kinds else ""
                code = "an integer, or object code" if _fits(0, hint) else "object code"
                return f"{name}: {e.message}; {', '.join(filter(None, (what, code)))} is needed\n{e.place}"
    return str(e)


def _given(prm: inspect.Parameter, value: Any) -> Iterator[tuple[str, Any]]:
    """The values given for a parameter, with what they are called."""
    if prm.kind is prm.VAR_POSITIONAL:
        yield from ((prm.name, v) for v in value)
    elif prm.kind is prm.VAR_KEYWORD:
        yield from value
    else:
        yield prm.name, value


def _fits(value: object, hint: Any) -> bool:
    if hint is object or hint is Any:
        return True
    if hint is int:
        return is_integer(value)
    if hint is float:
        return is_number(value)
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, h) for h in parts)
    if origin is None:
        return isinstance(value, hint) and not (isinstance(value, Expr) and _odd(value))
    if not isinstance(value, tuple):
        return False
    if origin is tuple and parts[-1] is not ...:
        return len(value) == len(parts) and all(map(_fits, value, parts))
    return all(_fits(v, parts[0]) for v in value)


def _odd(e: Expr) -> bool:
    """Whether a tree that was made by hand is misshapen, reads a field that its config does not have, holds no number,
    has an operator or function that there is not, or chooses by what is no condition."""
    if misshapen(e) is not None:
        return True
    for _, n in walk(e):
        called: object = n.f if isinstance(n, ExternCall) else None
        if isinstance(n, ExternCall) and not isinstance(called, ExternFn):
            return True
        if isinstance(n, ReadConfig) and n.field not in n.config.fields:
            return True
        if isinstance(n, Binary | Unary) and n.op not in OPERATORS:
            return True
        if isinstance(n, Const) and not isinstance(n.value, bool) and not is_number(n.value):
            return True
        if isinstance(n, Select) and not _may_be_truth(n.cond):
            return True
    return False


def _may_be_truth(e: Expr) -> bool:
    """Whether an expression has the form of a condition, or is a variable or config field."""
    if isinstance(e, Unary) or (isinstance(e, Binary) and e.op in LOGICAL):
        return is_bool(e) and all(map(_may_be_truth, (e.arg,) if isinstance(e, Unary) else (e.lhs, e.rhs)))
    return isinstance(e, Var | ReadConfig) or is_bool(e)


def _words(hint: Any) -> str:
    """A kind of argument in words."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        expr = set(get_args(Expr))  # a cursor says as much
        known = [*dict.fromkeys(_words(h) for h in parts if h not in expr)]
        return " or ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)
    if origin is None:
        return _WORDS.get(hint, f"a {getattr(hint, '__name__', hint)}")
    if origin is tuple and parts[-1] is not ...:
        return f"a list of {len(parts)}, each {_words(parts[0])},"
    return f"a list, each {_words(parts[0])},"
