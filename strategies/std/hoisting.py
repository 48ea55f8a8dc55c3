"""Code moved out of loops."""

from __future__ import annotations

from collections.abc import Iterator

from exo_strat import (
    AllocCursor,
    AssignCursor,
    BinaryOpCursor,
    Cursor,
    ExternCursor,
    ForCursor,
    NodeCursor,
    Op,
    Proc,
    ReduceCursor,
    Script,
    StmtCursor,
    UnaryCursor,
    bind_expr,
    delete_pass,
    eliminate_dead_code,
    fail,
    focus,
    identity,
    is_control,
    lift_alloc,
    mentions,
    moves,
    named,
    nav,
    on,
    reframe,
    remove_loop,
    reorder_stmts,
    repeat,
    seq,
    specialize,
    strategy,
    try_else,
    when,
)

from ..inspect import is_invariant
from .splitting import fission_after
from .writing import INSIDE, text


@named
def reorder_before() -> Op:
    """`s1; s  ~>  s; s1`. Exchanges a statement with the one before it. Focus: s, which is returned.

    Fails if there is none before, or where `reorder_stmts` does: they touch one location that either writes. Paper:
    section 6.3.1.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32, y: f32):
    ...     x = 0.0
    ...     y = 1.0
    ... ''')
    >>> print(schedule(at("y = _", reorder_before()), p))
    def foo(x: f32 @ DRAM, y: f32 @ DRAM):
        y = 1.0
        x = 0.0
    """
    return reframe(moves.expand(1, 0), reorder_stmts())


@named
def remove_parent_loop() -> Op:
    """`for i: s  ~>  s`. Takes a statement out of the loop of which it is all. Focus: s, which is returned.

    Fails where `remove_loop` does: the loop may not run, or running s again changes something. Paper: section 6.3.1.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32):
    ...     for i in seq(0, n):
    ...         x = 0.0
    ... ''')
    >>> print(schedule(at("x = _", remove_parent_loop()), p))
    def foo(n: size, x: f32 @ DRAM):
        x = 0.0
    """
    return reframe(moves.parent, remove_loop())


def is_alone(c: Cursor) -> bool:
    """Whether a statement is all of the scope around it."""
    siblings = c.expand(None, None) if isinstance(c, StmtCursor) else ()
    return len(siblings) == 1


@named
def leave_loop() -> Op:
    """`for i: s; s1  ~>  s; for i: s1`. Focus: s, the first statement of a loop, which stays.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32, y: f32[n]):
    ...     for i in seq(0, n):
    ...         x = 0.0
    ...         y[i] = x
    ... ''')
    >>> print(schedule(at("x = _", leave_loop()), p))
    def foo(n: size, x: f32 @ DRAM, y: f32[n] @ DRAM):
        x = 0.0
        for i in seq(0, n):
            y[i] = x
    """
    return seq(try_else(when(is_alone), fission_after()), remove_parent_loop())


@named
def hoist() -> Op:
    """`s0; for i: s1; s; s2  ~>  s; s0; for i: s1; s2`: a statement as far up and out as it goes.

    Focus: s, which stays. Never fails. Paper: Figure 5c.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32, y: f32[n], z: f32[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             z[j] = 0.0
    ...             x = 1.0
    ...             y[j] += x
    ... ''')
    >>> print(schedule(at("x = _", hoist()), p))
    def foo(n: size, x: f32 @ DRAM, y: f32[n] @ DRAM, z: f32[n] @ DRAM):
        x = 1.0
        for i in seq(0, n):
            for j in seq(0, n):
                z[j] = 0.0
                y[j] += x
    """
    return repeat(try_else(leave_loop(), reorder_before()))


# -- loop-invariant code ------------------------------------------------------------------------------


@named
def licm() -> Op:
    """`for i: a: T; a = e; s  ~>  a: T; a = e; for i: s`: loop-invariant code motion.

    Statements of the loop that do the same in every iteration go in front of it, with the buffers that they fill;
    and so do operations on data, in buffers of their own: `for i: x[i] * (a + b)  ~>  t = a + b; for i: x[i] * t`.
    If the loop may be empty, all this goes under `if lo < hi`. Focus: the loop, which is returned. Never fails.
    Paper: section 6.2.1.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, a: f32, b: f32, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = x[i] * (a + b)
    ... ''')
    >>> print(schedule(at("for i in _: _", licm()), p))
    def foo(n: size, a: f32 @ DRAM, b: f32 @ DRAM, x: f32[n] @ DRAM):
        t: f32 @ DRAM
        t = a + b
        for i in seq(0, n):
            x[i] = x[i] * t
    """
    return try_else(move_invariants(), if_it_runs(move_invariants()), identity)


@strategy
def if_it_runs(p: Proc, c: ForCursor, op: Op, condition: str = "") -> Script:
    """`for i in (lo, hi): s  ~>  if lo < hi: op(for i in (lo, hi): s)`. Focus: the loop. Returns what `op` does.

    `condition` may replace `lo < hi`, such as by `n > 1`: it must be proved that the loop is empty if it is false.

    >>> from exo_strat import at, cut_loop, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n / 2):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", if_it_runs(cut_loop(1))), p))
    def foo(n: size, x: f32[n] @ DRAM):
        if 0 < n / 2:
            for i in seq(0, 1):
                x[i] = 0.0
            for i in seq(1, n / 2):
                x[i] = 0.0
    """
    p, branch = yield specialize(condition or f"{text(c.lo())} < {text(c.hi())}")
    yield on(branch.orelse()[0], eliminate_dead_code(), nav(moves.root), delete_pass())
    p, c = yield on(branch, nav(INSIDE), op)
    return c


@strategy
def move_invariants(p: Proc, c: ForCursor) -> Script:
    """What does the same in every iteration, in front of a loop that runs; see `licm`. Fails if there is nothing."""
    start, loop = p, c
    for s in loop.body():
        if loop.sym not in mentions(s.node) and not isinstance(s, AllocCursor):
            p, loop = yield try_else(on(s, leave_with_buffers()), focus(loop))
    for e in invariant_operations(loop):
        p, loop = yield try_else(on(e, bind_expr("t"), leave_with_buffers()), focus(loop))
    if p is start:
        yield fail("nothing in the loop can be moved in front of it")
    return loop


@strategy
def leave_with_buffers(p: Proc, c: StmtCursor) -> Script:
    """A statement, with the buffers of the loop that it uses, in front of the loop, which is returned. Fails if there
    is nothing else in it."""
    for s in c.expand(None, None):
        if isinstance(s, AllocCursor) and s.sym in mentions(c.node):
            yield on(s, lift_alloc())
    p, first = yield on(c, repeat(reorder_before()), fission_after(), remove_parent_loop())
    return first.next()


def invariant_operations(loop: ForCursor) -> Iterator[NodeCursor]:
    """The largest operations, in the updates directly in a loop, on data that the loop does not change."""
    for s in loop.body():
        if isinstance(s, AssignCursor | ReduceCursor):
            found: list[NodeCursor] = []
            for e in s.rhs().descendants():
                inside = any(e.path[: len(f.path)] == f.path for f in found)
                if not inside and is_operation(e) and is_invariant(e, loop):
                    found.append(e)
            yield from found


def is_operation(e: Cursor) -> bool:
    """Whether an expression computes data."""
    return isinstance(e, BinaryOpCursor | UnaryCursor | ExternCursor) and not is_control(e.node)
