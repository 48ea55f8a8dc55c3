"""Primitives with one condition left out, made on their syntax trees.

A harness is worth what it finds. For each condition that is left out it must find a program that goes wrong:

    @pytest.mark.parametrize("condition", conditions(shift_loop), ids=str)
    def test_each_condition_counts(condition):
        with without(condition), pytest.raises((Miscompiled, Malformed)):
            check_primitive(shift_loop, 1500, Tally(), shrink=False)
"""

from __future__ import annotations
import __future__

import ast
import inspect
import textwrap
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from types import CodeType, FunctionType
from typing import Any, Final

from toolz import unique

from .. import primitives
from ..cursors.rewrite import Rewrite
from ..primitives import PrimitiveForm, framework
from ..primitives.helpers.refusing import require

PACKAGE: Final = f"{primitives.__name__}."
FRAMEWORK: Final = framework.__name__
"""What each primitive goes through is a matter of its own tests."""
EDITS: Final = frozenset(n for n in vars(Rewrite) if not n.startswith("_")).difference(
    ("copy", "finish", "fresh", "leaves_other", "node", "now", "reads_more")
)
"""The methods of `Rewrite` that change the tree."""


@dataclass(frozen=True)
class Condition:
    """A statement that ends a primitive with `Unsafe` unless something is proved: the `nth` of a function."""

    function: FunctionType
    nth: int
    text: str

    def __str__(self) -> str:
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__qualname__}: {self.text}"


def conditions(primitive: PrimitiveForm[...]) -> tuple[Condition, ...]:
    """All conditions of a primitive: in its own function, in those of its module that it uses, and in the helpers of
    the package that it calls for a value.

    >>> from exo_strat import shift_loop
    >>> [str(condition) for condition in conditions(shift_loop)]
    ['loops.shift_loop: start_stays(rw, loop)', 'scoping.integer_arg: in_bounds(rw.proc.tree, e, at)']
    """
    fn = primitive.spec.fn
    assert isinstance(fn, FunctionType)
    found = [c for part in _parts(fn) for c in _conditions(part)]
    return tuple(unique(found))


@contextmanager
def without(condition: Condition) -> Iterator[None]:
    """As long as this lasts, the condition is not asked."""

    def edit(tree: ast.FunctionDef) -> None:
        statement = _questions(condition.function, tree)[condition.nth]
        _put(tree, statement, [ast.Pass()])

    with edited(condition.function, edit):
        yield


@contextmanager
def edited(function: FunctionType, edit: Callable[[ast.FunctionDef], object]) -> Iterator[None]:
    """As long as this lasts, the function does what its syntax tree says after an edit."""
    tree = deepcopy(_tree(function))
    edit(tree)
    old, function.__code__ = function.__code__, _compiled(tree, function)
    try:
        yield
    finally:
        function.__code__ = old


def replaced(tree: ast.AST, old: str, new: str) -> None:
    """Puts `new` in the place of `old`, which stands there once: expression for expression, or statements for one."""
    (before,), after = _statements(old), _statements(new)
    expressions = [s.value for s in (before, *after) if isinstance(s, ast.Expr)]
    whole = len(expressions) < 2 or len(after) > 1
    wanted, made = (before, list[ast.AST](after)) if whole else (expressions[0], list[ast.AST](expressions[1:]))
    found = [n for n in ast.walk(tree) if type(n) is type(wanted) and ast.dump(n) == ast.dump(wanted)]
    if len(found) != 1:
        raise LookupError(f"{len(found)} times in the function: {old}")
    _put(tree, found[0], made)


def _statements(text: str) -> list[ast.stmt]:
    return ast.parse(textwrap.dedent(text)).body or [ast.Pass()]


def _put(tree: ast.AST, old: ast.AST, new: list[ast.AST]) -> None:
    """Puts nodes in the place of one."""
    for parent in ast.walk(tree):
        for label, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, label, new[0])
            elif isinstance(value, list) and any(x is old for x in value):
                setattr(parent, label, [y for x in value for y in (new if x is old else [x])])


@cache
def _tree(function: FunctionType) -> ast.FunctionDef:
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


def _compiled(tree: ast.FunctionDef, function: FunctionType) -> CodeType:
    """The code of a definition, without its decorators and defaults, which stay with the function."""
    tree.decorator_list, tree.args.defaults = [], []
    tree.args.kw_defaults = [None for _ in tree.args.kwonlyargs]
    module = ast.fix_missing_locations(ast.Module([tree], []))
    made: dict[str, Any] = {}
    flags = __future__.annotations.compiler_flag
    exec(compile(module, inspect.getfile(function), "exec", flags, dont_inherit=True), function.__globals__, made)
    code = made[tree.name].__code__
    assert isinstance(code, CodeType)
    return code


def _conditions(function: FunctionType) -> list[Condition]:
    return [Condition(function, n, ast.unparse(s)) for n, s in enumerate(_questions(function, _tree(function)))]


def _questions(function: FunctionType, tree: ast.FunctionDef) -> list[ast.Expr]:
    """The statements of a function that only ask: `require(..)`, or a helper of another module that requires and
    edits nothing."""

    def asks(called: FunctionType | None) -> bool:
        if called is None or called is require:
            return called is require
        reached = _reached(called)
        return called.__module__ != function.__module__ and require in reached and not any(map(_edits, reached))

    return [s for s in ast.walk(tree) if isinstance(s, ast.Expr) and asks(_called(function, s))]


def _called(function: FunctionType, s: ast.Expr) -> FunctionType | None:
    """The function that a statement calls by its name."""
    match s.value:
        case ast.Call(func=ast.Name(id=name)):
            return _function(function.__globals__.get(name))
        case _:
            return None


def _parts(function: FunctionType) -> list[FunctionType]:
    """A function, those that it uses of its module, and those of the package that it calls for a value."""

    def used(f: FunctionType) -> Iterator[FunctionType]:
        tree = _tree(f)
        asked = {id(s.value.func) for s in _questions(f, tree) if isinstance(s.value, ast.Call)}
        return (g for g in _named(f, tree, asked) if g.__module__.startswith((function.__module__, PACKAGE)))

    return _closure(function, used)


@cache
def _reached(function: FunctionType) -> frozenset[FunctionType]:
    """All functions of the package that a function may call."""

    def used(f: FunctionType) -> Iterator[FunctionType]:
        return (g for g in _named(f, _tree(f)) if g.__module__.startswith(PACKAGE))

    return frozenset(_closure(function, used))


def _closure(function: FunctionType, used: Callable[[FunctionType], Iterable[FunctionType]]) -> list[FunctionType]:
    found, todo = list[FunctionType](), [function]
    while todo:
        f = todo.pop()
        if f not in found:
            found.append(f)
            todo += used(f)
    return found


@cache
def _edits(function: FunctionType) -> bool:
    """Whether a function itself changes the tree of a `Rewrite`."""
    called = (n.func for n in ast.walk(_tree(function)) if isinstance(n, ast.Call))
    return any(
        isinstance(f, ast.Attribute) and f.attr in EDITS and isinstance(f.value, ast.Name) and f.value.id == "rw"
        for f in called
    )


def _named(function: FunctionType, tree: ast.AST, but: Container[int] = ()) -> Iterator[FunctionType]:
    """The functions that a function names, and the methods of classes that it names."""
    for name in unique(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in but):
        thing = function.__globals__.get(name)
        for x in (thing, *vars(thing).values()) if isinstance(thing, type) else (thing,):
            if (f := _function(x)) is not None:
                yield f


def _function(x: object) -> FunctionType | None:
    """What is behind decorators, if it is a function that has a source."""
    found = inspect.unwrap(x) if callable(x) else x
    if not isinstance(found, FunctionType) or "<" in found.__code__.co_filename:
        return None
    return found if found.__module__ != FRAMEWORK else None
