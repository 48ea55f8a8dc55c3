"""The operators that accumulate: `+`, `*`, `min` and `max`.

Each is associative and commutative on numbers, so accumulations by one operator may change places with
each other, but not with those by another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyrsistent import pmap, pvector

from .externs import fmax, fmin
from .nodes import Binary, Expr, ExternCall

CALLED: Final[Mapping[str, object]] = pmap({"min": fmin, "max": fmax})
"""Operators that are written as a call, `x = min(x, e)`, and the functions that do the same to two values."""

NEUTRAL: Final[Mapping[str, float]] = pmap({"+": 0.0, "*": 1.0})
"""The number that changes nothing when it is accumulated, where there is one."""

IDEMPOTENT: Final = frozenset(CALLED)
"""Operators for which it makes no difference how often a value is accumulated."""


def combined(op: str, a: Expr, b: Expr) -> Expr:
    """The value that accumulating `a` and `b` amounts to. Of `fmin` and `fmax` the second operand is what stays in C if
    the other one is NaN or equal, as the old value does."""
    if op in CALLED:
        return ExternCall(fmin if op == "min" else fmax, pvector((b, a)))
    return Binary(op, a, b)


def parts(op: str, e: Expr) -> tuple[Expr, Expr] | None:
    """The two values that `e` accumulates, if it is made by this operator: the inverse of `combined`."""
    if isinstance(e, Binary) and e.op == op:
        return e.lhs, e.rhs
    if isinstance(e, ExternCall) and op in CALLED and e.f is CALLED[op]:
        return e.args[1], e.args[0]
    return None


def made_by(e: Expr) -> tuple[str, Expr, Expr] | None:
    """The accumulation operator that makes a value, and its two operands, if there is one."""
    for op in ("+", "*", "min", "max"):
        both = parts(op, e)
        if both is not None:
            return op, *both
    return None
