"""The values of constant expressions, as C computes them."""

from __future__ import annotations

from .literals import computed, converted
from .syntax import Binary, Cast, Choice, Expr, Literal, Unary
from .types import Int, Number, common, promoted
from .typing import COMPARISONS, LOGICAL, number, type_of


def constant(e: Expr) -> int | None:
    """The value of an integer constant; None if the expression is none.

    >>> from importers.report import Place
    >>> at = Place(1, 1)
    >>> one, two = (Literal(n, Int(32, True), str(n), at) for n in (1, 2))
    >>> constant(Binary("|", one, Binary("<<", one, two, at), at))
    5
    """
    match e:
        case Literal(value=int() as v):
            return v
        case Unary(op="!", arg=arg):
            found = constant(arg)
            return None if found is None else int(found == 0)
        case Unary(op="+" | "-" | "~" as op, arg=arg):
            found, t = constant(arg), number(type_of(arg, {}))
            if found is None or t is None:
                return None
            if op == "~":
                return _whole("-", -1, found, promoted(t))
            return found if op == "+" else _whole("-", 0, found, promoted(t))
        case Binary(op=op, lhs=lhs, rhs=rhs):
            return _binary(op, lhs, rhs)
        case Choice(cond=cond, yes=yes, no=no):
            asked = constant(cond)
            found, t = None if asked is None else constant(yes if asked else no), number(type_of(e, {}))
            return None if found is None or t is None else _as(found, t)
        case Cast(type=Int() as t, arg=arg):
            found = constant(arg)
            return None if found is None else _as(found, t)
        case _:
            return None


def _binary(op: str, lhs: Expr, rhs: Expr) -> int | None:
    x, y, a, b = constant(lhs), constant(rhs), number(type_of(lhs, {})), number(type_of(rhs, {}))
    if x is None or y is None or a is None or b is None:
        return None
    if op in LOGICAL:
        return int(bool(x) and bool(y)) if op == "&&" else int(bool(x) or bool(y))
    if op in ("<<", ">>"):
        return _whole(op, x, y, promoted(a))
    t = common(a, b)
    u, v = _as(x, t), _as(y, t)
    if u is None or v is None:
        return None
    if op in COMPARISONS:
        return int({"<": u < v, "<=": u <= v, ">": u > v, ">=": u >= v, "==": u == v, "!=": u != v}[op])
    return _whole(op, u, v, t)


def _whole(op: str, x: int, y: int, t: Number) -> int | None:
    u, v = _as(x, t), y if op in ("<<", ">>") else _as(y, t)
    found = None if u is None or v is None else computed(op, u, v, t)
    return found if isinstance(found, int) else None


def _as(value: int, t: Number) -> int | None:
    found = converted(value, Int(64, True), t)
    return found if isinstance(found, int) else None
