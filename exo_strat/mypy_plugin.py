"""A plug-in for mypy: object code is no Python to check.

    [tool.mypy]
    plugins = ["exo_strat.mypy_plugin"]

To mypy, a procedure becomes a function without arguments and statements under the same decorators, so it has the type
that these give it; so does a config. All else of a file is checked as ever.

A decorator is ours if the file itself says so, by an import of `exo_strat` that nothing in it hides. Of another one,
such as one that comes by a `*` from elsewhere, nothing is known, and its function is checked as Python.

`mypy --num-workers` shows a plug-in no whole file, so there object code is checked as Python, with errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from mypy.nodes import (
    ARG_POS,
    MISSING_FALLBACK,
    AssignmentStmt,
    Block,
    CallExpr,
    ClassDef,
    Decorator,
    Expression,
    ForStmt,
    FuncDef,
    GlobalDecl,
    IfStmt,
    Import,
    ImportAll,
    ImportFrom,
    ListExpr,
    MatchStmt,
    MemberExpr,
    MypyFile,
    NameExpr,
    NonlocalDecl,
    OperatorAssignmentStmt,
    OverloadedFuncDef,
    PassStmt,
    StarExpr,
    Statement,
    TryStmt,
    TupleExpr,
    WhileStmt,
    WithStmt,
)
from mypy.plugin import Plugin, ReportConfigContext
from mypy.types import CallableType, Instance, UnboundType
from mypy.util import correct_relative_import

WORDS: Final = ("proc", "instr", "config")
"""The decorators of object code."""
HOMES: Final = ("exo_strat", "exo_strat.exports", "exo_strat.frontend.decorators")
"""The modules from which they are imported."""
UNCHECKED: Final = ("typing.no_type_check", "typing_extensions.no_type_check")
"""A decorator by which other tools leave object code alone. To mypy it would take the type away."""
OURS: Final = ("exo_strat", "strategies", "backends", "importers")
"""The packages of this distribution: a `*` from one of them hides no decorator of ours."""

_READ, _READ_ANEW = "read", "read anew"

Names: TypeAlias = Mapping[str, str]
"""What names mean in a scope: a module or a member of one, in full; empty for what is bound there otherwise."""


class ObjectCode(Plugin):
    """The plug-in."""

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        """Called after a file is parsed, and before anything in it is looked at. Adds no dependencies."""
        if any(module in HOMES for module in _imported(file)):
            file.defs = _emptied(file, file.defs, [])
        return []

    def report_config_data(self, ctx: ReportConfigContext) -> object:
        """Keeps mypy from taking a file that may have object code from its cache: it would later read the file again
        if something that the file imports has changed, and not call `get_additional_deps`."""
        return (_READ_ANEW if ctx.is_check else _READ) if _may_have_some(Path(ctx.path)) else None


def plugin(version: str) -> type[Plugin]:
    """What mypy asks a plug-in's module for."""
    return ObjectCode


def _may_have_some(file: Path) -> bool:
    """Whether a file mentions `exo_strat` and has decorators."""
    text = file.read_bytes() if file.is_file() else b""
    return b"exo_strat" in text and re.search(rb"^\s*@", text, re.M) is not None


def _imported(file: MypyFile) -> Iterator[str]:
    """The modules that a file imports from."""
    for i in file.imports:
        if isinstance(i, ImportFrom | ImportAll):
            yield _full(file, i.id, i.relative)
        elif isinstance(i, Import):
            yield from (module for module, _ in i.ids)


def _full(file: MypyFile, module: str, relative: int) -> str:
    """The full name of a module that a file imports."""
    return correct_relative_import(file.fullname, relative, module, file.is_package_init_file())[0]


# -- what is taken out --------------------------------------------------------------------------------


def _emptied(
    file: MypyFile, body: Sequence[Statement], around: Sequence[Names], of_class: bool = False
) -> list[Statement]:
    """The statements of a scope, without object code. `around` are the scopes around it, the innermost first."""
    scopes = (_bound(file, body), *around)
    return [_without(file, s, scopes, around if of_class else scopes) for s in body]


def _without(file: MypyFile, s: Statement, scopes: Sequence[Names], inner: Sequence[Names]) -> Statement:
    """A statement without object code, itself and in what is inside. `inner` are the scopes that functions and classes
    in it see: not that of a class around them."""
    if isinstance(s, Decorator) and _is_ours(_innermost(s, scopes), scopes, "proc", "instr"):
        s.func = _empty(s.func)
        s.original_decorators = [d for d in s.original_decorators if _meaning(d, scopes) not in UNCHECKED]
        s.decorators = [*s.original_decorators]
    elif isinstance(s, ClassDef) and s.decorators and _is_ours(s.decorators[-1], scopes, "config"):
        return _made(s)
    elif isinstance(s, OverloadedFuncDef):
        for item in s.items:
            _without(file, item, scopes, inner)
    elif isinstance(s, FuncDef | Decorator):
        f = s if isinstance(s, FuncDef) else s.func
        arguments = dict.fromkeys((a.variable.name for a in f.arguments), "")
        f.body.body = _emptied(file, f.body.body, (arguments, *inner))
    elif isinstance(s, ClassDef):
        s.defs.body = _emptied(file, s.defs.body, inner, of_class=True)
    else:
        for block in _blocks(s):
            block.body = [_without(file, part, scopes, inner) for part in block.body]
    return s


def _blocks(s: Statement) -> Iterator[Block]:
    """The blocks in a statement that are of its scope."""
    found: list[Block | None] = []
    if isinstance(s, Block):
        found = [s]
    elif isinstance(s, IfStmt):
        found = [*s.body, s.else_body]
    elif isinstance(s, ForStmt | WhileStmt):
        found = [s.body, s.else_body]
    elif isinstance(s, WithStmt):
        found = [s.body]
    elif isinstance(s, TryStmt):
        found = [s.body, *s.handlers, s.else_body, s.finally_body]
    elif isinstance(s, MatchStmt):
        found = [*s.bodies]
    yield from (block for block in found if block is not None)


def _empty(f: FuncDef) -> FuncDef:
    """A function of the same name that takes nothing and does nothing."""
    nothing = PassStmt()
    body = Block([nothing])
    made = FuncDef(f.name, [], body, CallableType([], [], [], UnboundType("None"), Instance(MISSING_FALLBACK, [], -1)))
    made.is_decorated = True
    for n in (nothing, body, made):
        n.set_line(f)
    return made


def _made(c: ClassDef) -> AssignmentStmt:
    """A config is what its decorators make of some class."""
    value: Expression = NameExpr("object")
    value.set_line(c)
    for d in reversed(c.decorators):
        value = CallExpr(d, [value], [ARG_POS], [None])
        value.set_line(d)
    name = NameExpr(c.name)
    stated = AssignmentStmt([name], value)
    for n in (name, stated):
        n.set_line(c)
    return stated


# -- what names mean ----------------------------------------------------------------------------------


def _innermost(s: Decorator, scopes: Sequence[Names]) -> Expression:
    """The decorator that gets the function, but for `no_type_check`, which gives it on."""
    return next((d for d in reversed(s.decorators) if _meaning(d, scopes) not in UNCHECKED), s.decorators[-1])


def _is_ours(decorator: Expression, scopes: Sequence[Names], *words: str) -> bool:
    """Whether it is one of these decorators of ours, as it is written: `@instr` is called, the others aren't."""
    called = isinstance(decorator, CallExpr)
    full = _meaning(decorator.callee if isinstance(decorator, CallExpr) else decorator, scopes)
    return any(full == f"{home}.{word}" for home in HOMES for word in words if called == (word == "instr"))


def _meaning(e: Expression, scopes: Sequence[Names]) -> str:
    """What a name, or a member of a module, means in full; empty if that isn't known."""
    if isinstance(e, NameExpr):
        return next((names[e.name] for names in scopes if e.name in names), "")
    if isinstance(e, MemberExpr) and (inside := _meaning(e.expr, scopes)):
        return f"{inside}.{e.name}"
    return ""


def _bound(file: MypyFile, body: Sequence[Statement]) -> Names:
    """What the names mean that a scope binds. Of a name that it binds in several ways nothing is known.

    Left out is what binds names within expressions and patterns: `:=` and `case`.
    """
    found: dict[str, str] = {}
    for name, full in _bindings(file, body):
        if name == "*":  # a module that may export any name
            found = dict.fromkeys(found, "")
        else:
            found[name] = full if found.get(name, full) == full else ""
    return found


def _bindings(file: MypyFile, body: Sequence[Statement]) -> Iterator[tuple[str, str]]:
    """The names that statements bind, from top to bottom, with their meaning if it is imported."""
    for s in body:
        if isinstance(s, Import):
            for full, alias in s.ids:
                yield (alias, full) if alias else (full.partition(".")[0],) * 2
        elif isinstance(s, ImportFrom):
            module = _full(file, s.id, s.relative)
            yield from ((alias or name, f"{module}.{name}") for name, alias in s.names)
        elif isinstance(s, ImportAll):
            module = _full(file, s.id, s.relative)
            if module in HOMES:
                yield from ((word, f"exo_strat.{word}") for word in WORDS)
            elif module.partition(".")[0] not in OURS:
                yield "*", ""
        else:
            yield from ((name, "") for name in _names(s))
            for block in _blocks(s):
                yield from _bindings(file, block.body)


def _names(s: Statement) -> Iterator[str]:
    """The names that a statement binds itself, if it is no import."""
    targets: list[Expression | None] = []
    if isinstance(s, FuncDef | Decorator | ClassDef | OverloadedFuncDef):
        yield s.name
    elif isinstance(s, GlobalDecl | NonlocalDecl):
        yield from s.names
    elif isinstance(s, AssignmentStmt):
        targets = [*s.lvalues]
    elif isinstance(s, OperatorAssignmentStmt):
        targets = [s.lvalue]
    elif isinstance(s, ForStmt):
        targets = [s.index]
    elif isinstance(s, WithStmt):
        targets = [*s.target]
    elif isinstance(s, TryStmt):
        targets = [*s.vars]
    for t in targets:
        yield from _targets(t)


def _targets(target: Expression | None) -> Iterator[str]:
    """The names that an assignment to this binds."""
    if isinstance(target, NameExpr):
        yield target.name
    elif isinstance(target, StarExpr):
        yield from _targets(target.expr)
    elif isinstance(target, TupleExpr | ListExpr):
        for item in target.items:
            yield from _targets(item)
