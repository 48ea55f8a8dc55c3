"""Guards that nobody needs, and those that choose between two values."""

from __future__ import annotations

from exo_strat import (
    AssignCursor,
    Cursor,
    IfCursor,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    SelectCursor,
    StmtCursor,
    attempt,
    drop_guard,
    evaluate_both,
    fail,
    focus,
    moves,
    nav,
    on,
    strategy,
    try_else,
)

from ..inspect import statements


@strategy
def unguard(p: Proc, c: Cursor) -> Script:
    """`if e: s  ~>  s`, or `if e: x = y  ~>  if e: x = y else: x = 0`, where nobody reads what is computed in addition.

    At and below the focus. Surplus lanes are computed too; loads and stores stay masked.
    Never fails. Returns the focus, or the procedure if that is gone.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     assert n <= 8
    ...     a: f32[8]
    ...     for i in seq(0, 8):
    ...         if i < n:
    ...             a[i] = x[i]
    ...     for i in seq(0, 8):
    ...         if i < n:
    ...             a[i] += 1.0
    ...     for i in seq(0, 8):
    ...         if i < n:
    ...             x[i] = a[i]
    ... ''')
    >>> print(schedule(unguard(), p))
    def foo(n: size, x: f32[n] @ DRAM):
        assert n <= 8
        a: f32[8] @ DRAM
        for i in seq(0, 8):
            if i < n:
                a[i] = x[i]
            else:
                a[i] = 0.0
        for i in seq(0, 8):
            a[i] += 1.0
        for i in seq(0, 8):
            if i < n:
                x[i] = a[i]
    """
    for guard in statements(c):
        if isinstance(guard, IfCursor):
            filled = drop_guard(0.0) if is_load(guard.body()[0]) else fail("only what is loaded is filled in")
            yield attempt(on(guard, try_else(drop_guard(), filled)))
    yield try_else(focus(c), nav(moves.root))
    return None


@strategy
def branchless(p: Proc, c: Cursor) -> Script:
    """`if x < y: s += a  ~>  s += select(x, y, a, 0.0)`: `evaluate_both`, wherever it applies.

    So what depends on data is chosen, as vector instructions do, at and below the focus. `a if x < y else b` is, too.
    Branches and choices of which a side may have no value stay, and so do those that ask for control values. Never
    fails. Returns the focus, or the procedure if that is gone.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         if x[i] < 0.0:
    ...             y[i] = expf(x[i]) - 1.0
    ...         else:
    ...             y[i] = x[i] if x[i] < 6.0 else 6.0
    ... ''')
    >>> print(schedule(branchless(), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            y[i] = select(x[i], 0.0, expf(x[i]) - 1.0, select(x[i], 6.0, x[i], 6.0))
    """
    for s in reversed(statements(c)):  # inner ones first
        if isinstance(s, AssignCursor | ReduceCursor):
            for e in reversed([e for e in s.descendants() if isinstance(e, SelectCursor)]):
                yield attempt(on(e, evaluate_both()))
        if isinstance(s, IfCursor):
            yield attempt(on(s, evaluate_both()))
    yield try_else(focus(c), nav(moves.root))
    return None


def is_load(s: StmtCursor) -> bool:
    """Whether a statement copies one element."""
    return isinstance(s, AssignCursor) and isinstance(s.rhs(), ReadCursor)
