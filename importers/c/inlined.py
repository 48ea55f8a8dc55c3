"""Functions of a few integers that return one of a few expressions, such as `clamp(i, 0, n - 1)`: of sizes and indices
they are put in place."""

from __future__ import annotations

from collections.abc import Mapping

from .syntax import Block, Call, Choice, Expr, Function, If, Result, Return
from .types import Int
from .walks import changed, expressions, variables


def body(f: Function) -> Expr | None:
    """What a function returns, as an expression of its arguments; None if it does anything else."""
    plain = isinstance(f.result, Int) and all(isinstance(v.type, Int) for v in f.args)
    calls = any(isinstance(e, Call) for e in expressions(f.body))
    if not plain or calls or changed(f.body) or variables(f) != set(f.args):
        return None
    return _value(f.body)


def _value(s: object) -> Expr | None:
    match s:
        case Block(parts=(one,)):
            return _value(one)
        case Result(value=value) | Return(value=value):
            return value
        case If(cond=cond, yes=yes, no=no, place=place):
            a, b = _value(yes), _value(no)
            return None if a is None or b is None else Choice(cond, a, b, place)
        case _:
            return None


def in_place(e: Expr, functions: Mapping[str, Function]) -> tuple[Function, Expr] | None:
    """The function that an expression calls and what it returns, if that can be put in place."""
    f = functions.get(e.name) if isinstance(e, Call) else None
    found = None if f is None else body(f)
    return None if f is None or found is None else (f, found)
