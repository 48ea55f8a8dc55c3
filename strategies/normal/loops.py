"""Loops in normal form."""

from __future__ import annotations

from exo_strat import (
    Cursor,
    ForCursor,
    IfCursor,
    LiteralCursor,
    Op,
    PassCursor,
    Proc,
    attempt,
    delete_pass,
    eliminate_dead_code,
    moves,
    named,
    reframe,
    rewrite_expr,
    seq,
    shift_loop,
    simplify,
    traversals,
    try_else,
    unroll_loop,
    when,
)

from ..inspect import trip_count
from .exhaust import applies_nowhere, exhaust, in_the_whole


@named
def loop_nf() -> Op:
    """Loops start at 0 and run more than once or nobody knows how often; branches are not decided; no idle `pass`.

    `for i in (lo, hi): s  ~>  for i in (0, hi - lo): s[i -> i + lo]`, `for i in (e, e + 1): s  ~>  s[i -> e]`,
    `for i in (e, e): s  ~>  pass`, `if True: s  ~>  s`, `for i: pass  ~>  pass`.

    >>> from exo_strat import proc_from_source, schedule
    >>> from strategies.normal import index_nf
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n + 2]):
    ...     for i in seq(2, n + 2):
    ...         for j in seq(i, i + 1):
    ...             if j > 1:
    ...                 x[j] = 0.0
    ... ''')
    >>> print(schedule(loop_nf() >> index_nf(), p))
    def foo(n: size, x: f32[n + 2] @ DRAM):
        for i in seq(0, n):
            x[i + 2] = 0.0
    """
    return exhaust(loop_step()) >> in_the_whole(delete_pass())


def is_loop_nf(p: Proc) -> bool:
    """Whether all loops start at 0 and no loop, branch or `pass` is known to be idle.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n + 1]):
    ...     for i in seq(1, n + 1):
    ...         x[i] = 0.0
    ... ''')
    >>> is_loop_nf(p)
    False
    """
    return applies_nowhere(loop_step(), p) and delete_pass()(p).unwrap()[0] is p


@named
def loop_step() -> Op:
    """One step to `loop_nf`. Focus: a loop or branch.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         if i >= 0:
    ...             x[i] = 0.0
    ... ''')
    >>> print(schedule(at("if _: _", loop_step()), p))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
    """
    return try_else(
        when(is_scope, eliminate_dead_code()),
        when(is_idle, simplify()),
        when(starts_late, shift_loop(0)),
        when(is_loop, seq(attempt(reframe(moves.hi, rewrite_expr("1"))), when(runs_once, unroll_loop()))),
    )


def is_loop(c: Cursor) -> bool:
    """Whether the focus is a loop."""
    return isinstance(c, ForCursor)


def is_scope(c: Cursor) -> bool:
    """Whether the focus is a loop or branch."""
    return isinstance(c, ForCursor | IfCursor)


def is_idle(c: Cursor) -> bool:
    """Whether the focus is a loop or branch around nothing but `pass`."""
    return is_scope(c) and all(isinstance(s, PassCursor) for s in traversals.kids(c))


def starts_late(c: Cursor) -> bool:
    """Whether the focus is a loop whose first iteration is not written as 0."""
    return isinstance(c, ForCursor) and not (isinstance(lo := c.lo(), LiteralCursor) and lo.value() == 0)


def runs_once(c: Cursor) -> bool:
    """Whether the focus is a loop with one iteration."""
    return isinstance(c, ForCursor) and trip_count(c) == 1
