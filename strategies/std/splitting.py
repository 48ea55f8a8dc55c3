"""Loops taken apart."""

from __future__ import annotations

from typing import Any

from exo_strat import (
    AllocCursor,
    ForCursor,
    IfCursor,
    LiteralCursor,
    Op,
    Proc,
    Script,
    StmtCursor,
    attempt,
    expand_dim,
    fission,
    fix,
    focus,
    lift_alloc,
    moves,
    named,
    nav,
    nodes,
    on,
    reframe,
    seq,
    strategy,
)

from .writing import counter


@named
def fission_before() -> Op:
    """`for i: s1; s; s2  ~>  for i: s1; for i: s; s2`. Focus: s, which stays.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...         y[i] = 0.0
    ... ''')
    >>> print(schedule(at("y[_] = _", fission_before()), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
        for i in seq(0, n):
            y[i] = 0.0
    """
    return reframe(moves.before, fission())


@named
def fission_after() -> Op:
    """`for i: s1; s; s2  ~>  for i: s1; s; for i: s2`. Splits a loop after a statement. Focus: s, which is returned.

    Fails if s is the last, or where `fission` does: an iteration needs what another one does. Paper: section 6.3.1.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...         y[i] = 0.0
    ... ''')
    >>> print(schedule(at("x[_] = _", fission_after()), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
        for i in seq(0, n):
            y[i] = 0.0
    """
    return reframe(moves.after, fission())


@named
def fission_as_much_as_possible() -> Op:
    """`for i: s1; s; s2  ~>  for i: s1; for i: s; for i: s2`, then out of the loop around, as far as it goes.

    Focus: s, which stays. Never fails: s1 or s2 stay with s where they depend on it. Paper: appendix B.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, n], y: f32[n, n], z: f32[n]):
    ...     for i in seq(0, n):
    ...         z[i] = 0.0
    ...         for j in seq(0, n):
    ...             x[i, j] = 0.0
    ...             y[i, j] = z[i]
    ... ''')
    >>> print(schedule(at("x[_] = _", fission_as_much_as_possible()), p))
    def foo(n: size, x: f32[n, n] @ DRAM, y: f32[n, n] @ DRAM, z: f32[n] @ DRAM):
        for i in seq(0, n):
            z[i] = 0.0
        for i in seq(0, n):
            for j in seq(0, n):
                x[i, j] = 0.0
        for i in seq(0, n):
            for j in seq(0, n):
                y[i, j] = z[i]
    """
    here = seq(attempt(fission_before()), attempt(fission_after()))
    return fix(lambda outwards: seq(here, attempt(reframe(moves.parent, outwards))))


@strategy
def expand_alloc(p: Proc, c: AllocCursor) -> Script:
    """`for i in (l, h): a: T; s  ~>  a: T[h - l]; for i in (l, h): s[a -> a[i - l]]`; out of an `if`, `a` stays.

    Scalar expansion: each iteration gets an element of its own. Focus: the allocation, which is returned. Refused if
    the loop may be empty, as a buffer has elements: see `if_it_runs`.

    >>> from exo_strat import at, proc_from_source, schedule, simplify
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n + 1]):
    ...     for i in seq(1, n + 1):
    ...         t: f32
    ...         t = x[i]
    ...         x[i] = t * t
    ... ''')
    >>> print(schedule(at("t: _", expand_alloc()) >> simplify(), p))
    def foo(n: size, x: f32[n + 1] @ DRAM):
        t: f32[n] @ DRAM
        for i in seq(1, n + 1):
            t[i - 1] = x[i]
            x[i] = t[i - 1] * t[i - 1]
    """
    scope = c.parent()
    if isinstance(scope, ForCursor):
        yield expand_dim(_from_start(scope, scope.hi().node), _from_start(scope, counter(scope)))
    p, c = yield lift_alloc()
    return c


def _from_start(loop: ForCursor, e: Any) -> nodes.Expr:
    """The distance of a value from the first iteration of a loop."""
    lo: Any = loop.lo()
    return e if isinstance(lo, LiteralCursor) and lo.value() == 0 else nodes.Binary("-", e, lo.node)


@strategy
def fission_into_singles(p: Proc, c: ForCursor, loops: int = 1) -> Script:
    """`for i: a: T; s1; s2  ~>  a: T[n]; for i: s1[a -> a[i]]; for i: s2[a -> a[i]]`: a loop for each statement.

    With `loops=k`, of k perfectly nested loops: a nest for each statement of the innermost. An `if` without else that
    is the whole body of a loop is split, too. A buffer allocated in the loop gets a dimension for it. Focus: the
    outermost loop, which starts at 0. Returns the block of all loops. Paper: section 6.1.1.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[8], y: f32[8]):
    ...     for i in seq(0, 8):
    ...         t: f32
    ...         t = x[i]
    ...         y[i] += t
    ... ''')
    >>> print(schedule(at("for i in _: _", fission_into_singles()), p))
    def foo(x: f32[8] @ DRAM, y: f32[8] @ DRAM):
        t: f32[8] @ DRAM
        for i in seq(0, 8):
            t[i] = x[i]
        for i in seq(0, 8):
            y[i] += t[i]
    """
    stmts = list(innermost(c, loops))
    for s in stmts:
        if isinstance(s, AllocCursor):
            for _ in range(depth(s, c)):
                p, s = yield on(s, expand_alloc())
    singles = [s for s in stmts if not isinstance(s, AllocCursor)]
    for s in reversed(singles[:-1]):  # so that of the rest, which stays in its loop, nothing is computed again
        yield on(s, nav(moves.after), fission(depth(s, c)))
    p, first = yield focus(c)
    return first.expand(0, len(singles) - 1)


@strategy
def fission_where_possible(p: Proc, c: ForCursor) -> Script:
    """`for i: a: T; s1; s2; s3  ~>  a: T[n]; for i: s1; for i: s2; s3`: statements that may be in loops of their own.

    The others stay in one loop with their neighbours. What the loop allocates is expanded. Focus: the loop, from 0.
    Returns the block of all loops.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[9], y: f32[8]):
    ...     for i in seq(0, 8):
    ...         y[i] = 0.0
    ...         y[i] += x[i]
    ...         x[i + 1] = y[i]
    ... ''')
    >>> print(schedule(at("for i in _: _", fission_where_possible()), p))
    def foo(x: f32[9] @ DRAM, y: f32[8] @ DRAM):
        for i in seq(0, 8):
            y[i] = 0.0
        for i in seq(0, 8):
            y[i] += x[i]
            x[i + 1] = y[i]
    """
    stmts = list(c.body())
    for s in stmts:
        if isinstance(s, AllocCursor):
            yield on(s, expand_alloc())
    p, loop = yield focus(c)
    count = len(loop.expand(0, None))
    for s in [s for s in stmts if not isinstance(s, AllocCursor)][:-1]:
        p, _ = yield on(s, attempt(nav(moves.after) >> fission()))
    p, first = yield focus(c)
    return first.expand(0, len(first.expand(0, None)) - count)


def innermost(c: ForCursor, loops: int = 1) -> Any:
    """The statements of the last of so many nested loops, or of the `if` that is all of it; each loop is all of the one
    around."""
    body: Any = c.body()
    left = loops - 1
    while len(body) == 1 and (is_branch(body[0]) or (left and isinstance(body[0], ForCursor))):
        left -= isinstance(body[0], ForCursor)
        body = body[0].body()
    return body


def is_branch(c: StmtCursor) -> bool:
    """Whether a statement is an `if` without else."""
    return isinstance(c, IfCursor) and not c.has_else()


def depth(c: StmtCursor, scope: StmtCursor) -> int:
    """How many scopes a statement is in, from `scope` on, which may be of an earlier version."""
    outer = c.proc.forward(scope)
    assert isinstance(outer, StmtCursor)
    return len(c.path) - len(outer.path)
