"""Statements in normal form."""

from __future__ import annotations

from collections.abc import Sequence

from exo_strat import (
    AssignCursor,
    BinaryOpCursor,
    Cursor,
    ExternCursor,
    NodeCursor,
    Op,
    Proc,
    ReduceCursor,
    Script,
    SelectCursor,
    UnaryCursor,
    bind_expr,
    fail,
    focus,
    is_control,
    named,
    seq,
    strategy,
)

from ..inspect import statements, unique_name
from .exhaust import exhaust


@named
def statement_nf() -> Op:
    """`x = (a + b) * c  ~>  t: T; t = a + b; x = t * c`: at most one operation in a statement (three-address code).

    What is accumulated may be one operation, too. An operand is an element, a scalar or a literal; what need not be
    evaluated stays where it is, as does what a `wrap_..` reduces.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] += 2.0 * (x[i] + 1.0)
    ... ''')
    >>> print(schedule(statement_nf(), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            t: f32 @ DRAM
            t = x[i] + 1.0
            y[i] += 2.0 * t
    """
    return exhaust(statement_step())


def is_statement_nf(p: Proc) -> bool:
    """Whether every statement does at most one operation on data.

    >>> from exo_strat import proc_from_source
    >>> is_statement_nf(proc_from_source("def foo(x: f32): x = x * x + 1.0"))
    False
    """
    return not any(_inner_operations(s) for s in statements(p.root()))


@strategy
def statement_step(p: Proc, c: Cursor) -> Script:
    """`x = f(g(a), b)  ~>  t: T; t = g(a); x = f(t, b)`, for one of the innermost operations g.

    Focus: an assignment or reduction. Returns the new assignment.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source("def foo(x: f32, y: f32):\\n    x = y * y + 1.0")
    >>> print(schedule(at("x = _", statement_step()), p))
    def foo(x: f32 @ DRAM, y: f32 @ DRAM):
        t: f32 @ DRAM
        t = y * y
        x = t + 1.0
    """
    found = _inner_operations(c)
    first = focus(found[0]) if found else fail("there is at most one operation")
    p, c = yield seq(first, bind_expr(unique_name(p, "t")))
    return c


def _inner_operations(c: Cursor) -> Sequence[NodeCursor]:
    """The operations on data that are operands of others in an assignment or reduction, the innermost first.

    What need not be evaluated is no operand, such as a side of `a if c else b`; nor is what a `wrap_..` around it
    reduces, as that need not fit its precision.
    """
    if not isinstance(c, AssignCursor | ReduceCursor):
        return []
    below, kept = list(c.rhs().descendants()), list[NodeCursor]()
    for e in below:
        if isinstance(e, SelectCursor):
            kept += [e.then(), e.other()]
        elif isinstance(e, BinaryOpCursor) and e.op() in ("and", "or"):
            kept.append(e.rhs())
        elif isinstance(e, ExternCursor) and e.function().wraps:
            kept += e.args()
    ours = [e for e in below if not any(e.path[: len(k.path)] == k.path for k in kept)]
    operations = [e for e in ours if isinstance(e, UnaryCursor | BinaryOpCursor | ExternCursor)]
    return [e for e in operations if e != c.rhs() and not is_control(e.node)][::-1]
