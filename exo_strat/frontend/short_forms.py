"""Short forms: what object code may say more briefly. Each becomes an ordinary tree, and prints as that."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from ..ir import build as b
from ..ir.names import Sym
from ..ir.nodes import Binary, Const, Expr, ReadConfig, StrideExpr, Unary, Var
from ..ir.precisions import conversion, precision
from ..ir.types import Scalar, Type
from ..ir.walk import walk

MOST_FACTORS: Final = 8
"""The greatest power that is written as a product."""


def constant(e: Expr) -> int | None:
    """The value of a control integer without variables."""
    match e:
        case Const(value=value):
            return int(value)
        case Unary(op="-", arg=a):
            x = constant(a)
            return None if x is None else -x
        case Binary(op=op, lhs=lhs, rhs=rhs):
            x, y = constant(lhs), constant(rhs)
            if x is None or y is None or (op in "/%" and y < 1):
                return None
            return {"+": x + y, "-": x - y, "*": x * y, "/": x // (y or 1), "%": x % (y or 1)}.get(op)
        case _:
            return None


# -- loops with a step --------------------------------------------------------------------------------


def iterations(lo: Expr, hi: Expr, step: int) -> Expr:
    """How many numbers Python's `range(lo, hi, step)` has. A quotient is a floor, so that it is 0 or less where there
    are none, which for a loop is the same."""
    way = difference(hi, lo) if step > 0 else difference(lo, hi)
    return b.div(shifted(way, abs(step) - 1), abs(step))


def counted(lo: Expr, step: int, i: Sym) -> Expr:
    """The number of `range(lo, .., step)` that comes after `i` others."""
    if step > 0:
        return b.add(lo, b.mul(step, Var(i)))
    return b.sub(lo, b.mul(-step, Var(i)))


def difference(x: Expr, y: Expr) -> Expr:
    """`x - y`, with the literals at their ends in one."""
    n = constant(y)
    return b.sub(x, y) if n is None else shifted(x, -n)


def shifted(x: Expr, n: int) -> Expr:
    """`x + n`, with a literal at the end of x in one with n.

    >>> shifted(Binary("-", Var(Sym("n", 0)), b.num(1)), 1)
    Var(sym=n_0)
    """
    match x:
        case Binary(op="+", lhs=lhs, rhs=Const(value=m)):
            return shifted(lhs, n + int(m))
        case Binary(op="-", lhs=lhs, rhs=Const(value=m)):
            return shifted(lhs, n - int(m))
        case _:
            return b.add(x, b.num(n))


# -- names for control values -------------------------------------------------------------------------


MOST_NODES: Final = 1000
"""How long a named value may become: it is put in wherever the name is used."""


def changing(e: Expr) -> str | None:
    """What a control value depends on that need not be the same later, in words; None if it is always the same."""
    for _, n in walk(e):
        match n:
            case Var() | Const() | Unary() | Binary():
                continue
            case ReadConfig(config=c, field=f):
                return f"the config field {c.name}.{f}, which may be written in between"
            case StrideExpr(sym=s, dim=d):
                return f"stride({s}, {d}), which says how {s} is stored, and a schedule may change that"
            case _:
                return "data, which may be written in between"
    return None


# -- updates ------------------------------------------------------------------------------------------


def signed(e: Expr, base: Scalar, types: Mapping[Sym, Type]) -> Expr:
    """A data value that is going to be negated and stored at a precision: at that one, as the negative of an integer
    may not fit its own."""
    own = precision(e, types)
    return e if own is None or own.is_float or own == base else conversion(e, base)


def negative(e: Expr) -> Expr:
    """A data value, negated as it would be written."""
    return Const(-e.value, e.type) if isinstance(e, Const) else Unary("-", e)


# -- powers -------------------------------------------------------------------------------------------


def is_simple(node: ast.expr) -> bool:
    """Whether an operand is short enough to be written several times: a name, an element, a literal."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, ast.Name | ast.Subscript | ast.Attribute | ast.Constant)


def no_power(base: str, power: float | None) -> str:
    """What to say of `base ** power`, where that is not a product; None is a power that is no number here."""
    what = f"a power is a whole number from 1 to {MOST_FACTORS}, written out, as in `x ** 2`"
    if power is None:
        return f"{what}; for any other take a product, sqrt or pow"
    if abs(power) == 0.5:
        return f"{what}; write `{'' if power > 0 else '1.0 / '}sqrt({base})`"
    if power != int(power):
        return f"{what}; write `pow({base}, {power})`"
    if power == 0:
        return f"{what}; write `1.0`"
    if power < 0:
        return f"{what}; write `1.0 / {base} ** {-power}`"
    return f"{what}; take a power of a power, as `t: f32 = {base} ** {MOST_FACTORS}` and then `t ** 2`"
