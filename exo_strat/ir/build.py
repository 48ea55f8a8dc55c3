"""Short constructors for expressions, folding the obvious."""

from __future__ import annotations

from .names import Sym
from .nodes import Binary, Const, Expr, Unary, Var
from .types import R, bool_, int_

ZERO = Const(0, int_)
ONE = Const(1, int_)
TRUE = Const(True, bool_)
FALSE = Const(False, bool_)


def num(n: int) -> Const:
    """A control integer."""
    return Const(n, int_)


def data(x: int | float) -> Const:
    """A data literal: as an integer only where a floating-point number might not be the same."""
    return Const(x if isinstance(x, int) and abs(x) >= 2**53 else float(x), R)


def var(s: Sym) -> Var:
    return Var(s)


def _ints(a: Expr, b: Expr) -> tuple[int, int] | None:
    if isinstance(a, Const) and isinstance(b, Const) and a.type == b.type == int_:
        return int(a.value), int(b.value)
    return None


def add(a: Expr, b: Expr) -> Expr:
    """`a + b` on control values, folding constants and zeros."""
    if v := _ints(a, b):
        return num(v[0] + v[1])
    if a == ZERO:
        return b
    if b == ZERO:
        return a
    if isinstance(b, Const) and int(b.value) < 0:
        return Binary("-", a, num(-int(b.value)))
    return Binary("+", a, b)


def sub(a: Expr, b: Expr) -> Expr:
    """`a - b` on control values, folding constants and zeros."""
    if v := _ints(a, b):
        return num(v[0] - v[1])
    if b == ZERO:
        return a
    if a == b:
        return ZERO
    if a == ZERO:
        return Unary("-", b)
    return Binary("-", a, b)


def mul(c: int, a: Expr) -> Expr:
    """`c * a` on control values, for a literal `c`."""
    if isinstance(a, Const):
        return num(c * int(a.value))
    if c == 0:
        return ZERO
    return a if c == 1 else Binary("*", num(c), a)


def times(a: Expr, b: Expr) -> Expr:
    """`a * b` on control values, folding constants."""
    if isinstance(a, Const):
        return mul(int(a.value), b)
    return mul(int(b.value), a) if isinstance(b, Const) else Binary("*", a, b)


def div(a: Expr, c: int | Expr) -> Expr:
    """`a / c` (floor) on control values, for `c` >= 1."""
    c = int(c.value) if isinstance(c, Const) else c
    if not isinstance(c, int):
        return Binary("/", a, c)
    if isinstance(a, Const):
        return num(int(a.value) // c)
    return a if c == 1 else Binary("/", a, num(c))


def mod(a: Expr, c: int | Expr) -> Expr:
    """`a % c` (floor) on control values, for `c` >= 1."""
    c = int(c.value) if isinstance(c, Const) else c
    if not isinstance(c, int):
        return Binary("%", a, c)
    if isinstance(a, Const):
        return num(int(a.value) % c)
    return ZERO if c == 1 else Binary("%", a, num(c))


def minimum(a: Expr, b: Expr) -> Expr:
    """`min(a, b)` on control values, folding constants."""
    if v := _ints(a, b):
        return num(min(v))
    return a if a == b else Binary("min", a, b)


def maximum(a: Expr, b: Expr) -> Expr:
    """`max(a, b)` on control values, folding constants."""
    if v := _ints(a, b):
        return num(max(v))
    return a if a == b else Binary("max", a, b)


def lt(a: Expr, b: Expr) -> Expr:
    """`a < b`."""
    return Binary("<", a, b)
