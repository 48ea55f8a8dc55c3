"""From which sizes on a condition holds, in words."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from ..analysis import holds_everywhere
from ..cursors.cursor import NodeCursor
from ..ir.names import Sym
from ..ir.nodes import Binary, Const, Expr, Unary, Var
from ..ir.types import Control
from ..ir.walk import walk

LARGEST: Final = 1 << 40
"""No larger sizes are looked at."""
_OPERATIONS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "and": lambda x, y: x and y,
    "or": lambda x, y: x or y,
    ">=": operator.ge,
    ">": operator.gt,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
}


def from_where(c: NodeCursor, condition: Expr) -> str | None:
    """From which sizes on a condition holds at a place; None if it never does.

    Of several sizes, one number is said: that from which on it holds if they are all equal.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, m]):
    ...     if n > 9 and m > 9:
    ...         if n / 4 >= 20:
    ...             x[0, 0] = 0.0
    ...         if n >= 100 or n >= 10 and m >= 10:
    ...             x[0, 0] = 0.0
    ...         if n < 9:
    ...             x[0, 0] = 0.0
    ... ''')
    >>> for c in p.body()[0].body():
    ...     print(from_where(c, c.cond().node))
    from n = 80 on
    from m = n = 10 on, or where one of them is larger than the others
    None
    """
    if holds_everywhere(c.proc.tree, c.path, Unary("not", condition)):
        return None
    sizes = {a.sym: a.sym.name for a in c.proc.tree.args if isinstance(a.type, Control)}
    asked = {n.sym for _, n in walk(condition) if isinstance(n, Var)}
    if not asked <= sizes.keys() or not _rises(condition) or not _value(condition, dict.fromkeys(asked, LARGEST)):
        return "where there is enough to do"
    least, most = 0, LARGEST  # at `most` it holds
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if _value(condition, dict.fromkeys(asked, middle)) else (middle + 1, most)
    others = ", or where one of them is larger than the others" if len(asked) > 1 else ""
    return f"from {' = '.join(sorted(sizes[s] for s in asked))} = {most} on{others}"


def _rises(e: Expr) -> bool:
    """Whether a condition that holds stays true, and a number gets no smaller, as all of its variables grow."""
    match e:
        case Var() | Const():
            return True
        case Binary(op="and" | "or" | "+", lhs=a, rhs=b):
            return _rises(a) and _rises(b)
        case Binary(op=">=" | ">" | "-", lhs=a, rhs=Const()):
            return _rises(a)
        case Binary(op="*" | "/", lhs=a, rhs=Const(value=k)):
            return k > 0 and _rises(a)
        case Binary(op="*", lhs=Const(value=k), rhs=b):
            return k > 0 and _rises(b)
        case _:
            return False


def _value(e: Expr, at: Mapping[Sym, int]) -> int:
    """What an expression that `_rises` is for some sizes; of a condition, whether it holds."""
    match e:
        case Var(sym=sym):
            return at[sym]
        case Const(value=k):
            return int(k)
        case Binary(op=op, lhs=a, rhs=b):
            return _OPERATIONS[op](_value(a, at), _value(b, at))
        case _:
            raise AssertionError(f"no condition of sizes: {e}")
