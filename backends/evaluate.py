"""Control expressions on concrete numbers, for checks at a call."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .kernel import Binary, Cell, Const, Expr, StrideExpr, Sym, Unary, Var

OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod,
    "min": min, "max": max,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "and": lambda a, b: bool(a and b), "or": lambda a, b: bool(a or b),
}  # fmt: skip


@dataclass(frozen=True)
class Values:
    """The control arguments of a call, the strides of its arrays in elements, and the data that indices are taken
    from."""

    controls: Mapping[Sym, int]
    strides: Mapping[Sym, tuple[int, ...]]
    data: Mapping[Sym, Any] = field(default_factory=dict)


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
        case Cell(read=r):
            place = tuple(evaluate(i, values) for i in r.idx)
            data = values.data[r.sym]
            return int(data[place]) if place else int(data)
        case Unary(op=op, arg=a):
            return -evaluate(a, values) if op == "-" else not evaluate(a, values)
        case Binary(op=op, lhs=a, rhs=b):
            return OPERATORS[op](evaluate(a, values), evaluate(b, values))
        case _:
            raise AssertionError(f"not a control expression of arguments: {e}")
