"""Control expressions on concrete numbers, for checks at a call."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .kernel import Binary, Const, Expr, StrideExpr, Sym, Unary, Var

OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod,
    "min": min, "max": max,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "and": lambda a, b: bool(a and b), "or": lambda a, b: bool(a or b),
}  # fmt: skip


@dataclass(frozen=True)
class Values:
    """The control arguments of a call, and the strides of its arrays in elements."""

    controls: Mapping[Sym, int]
    strides: Mapping[Sym, tuple[int, ...]]


def evaluate(e: Expr, values: Values) -> int:
    """The value of a control expression that reads no config state.

    >>> n = Sym("n", 0)
    >>> evaluate(Unary("-", Var(n)), Values({n: 3}, {}))
    -3
    """
    match e:
        case Const(value=v):
            return int(v)
        case Var(sym=s):
            return values.controls[s]
        case StrideExpr(sym=s, dim=d):
            return values.strides[s][d]
        case Unary(op=op, arg=a):
            return -evaluate(a, values) if op == "-" else not evaluate(a, values)
        case Binary(op=op, lhs=a, rhs=b):
            return OPERATORS[op](evaluate(a, values), evaluate(b, values))
        case _:
            raise AssertionError(f"not a control expression of arguments: {e}")
