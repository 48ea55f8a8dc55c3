"""Control expressions on concrete numbers, for checks at a call."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .kernel import Binary, Cell, Const, Expr, Node, StrideExpr, Sym, Unary, Var, children

OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod,
    "min": min, "max": max,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
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

    >>> from .kernel import Control
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
            place = _place(e, values)
            data = values.data[r.sym]
            return int(data[place]) if place else int(data)
        case Unary(op=op, arg=a):
            return -evaluate(a, values) if op == "-" else not evaluate(a, values)
        case Binary(op="and" | "or" as op, lhs=a, rhs=b):  # what decides nothing may lead out of bounds
            return evaluate(b, values) if bool(evaluate(a, values)) == (op == "and") else op == "or"
        case Binary(op=op, lhs=a, rhs=b):
            return OPERATORS[op](evaluate(a, values), evaluate(b, values))
        case _:
            raise AssertionError(f"not a control expression of arguments: {e}")


def _place(e: Cell, values: Values) -> tuple[int, ...]:
    return tuple(evaluate(i, values) for i in e.read.idx)


def seen(e: Expr, values: Values, names: Mapping[Sym, str]) -> dict[str, int]:
    """What evaluating a control expression looks at, by its text, and which values it finds.

    >>> from .kernel import Control
    >>> n = Sym("n", 0)
    >>> seen(Binary("<", Var(n), Const(2, Control("int"))), Values({n: 3}, {}), {n: "n"})
    {'n': 3}
    """
    return {_text(part, values, names): evaluate(part, values) for part in _seen(e, values)}


def _seen(e: Node, values: Values) -> Iterator[Var | StrideExpr | Cell]:
    match e:
        case Var() | StrideExpr():
            yield e
        case Cell(read=r):
            yield e
            for i in r.idx:
                yield from _seen(i, values)
        case Binary(op="and" | "or" as op, lhs=a, rhs=b):
            yield from _seen(a, values)
            if bool(evaluate(a, values)) == (op == "and"):
                yield from _seen(b, values)
        case _:
            for _, part in children(e):
                yield from _seen(part, values)


def _text(e: Var | StrideExpr | Cell, values: Values, names: Mapping[Sym, str]) -> str:
    match e:
        case Var(sym=s):
            return names[s]
        case StrideExpr(sym=s, dim=d):
            return f"stride({names[s]}, {d})"
        case Cell(read=r):
            place = _place(e, values)
            return f"{names[r.sym]}{list(place) if place else ''}"
