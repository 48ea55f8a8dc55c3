"""Sums that a program has in variables of their own, put where they go."""

from __future__ import annotations

import re

from returns.result import Success

from exo_strat import (
    AllocCursor,
    AssignCursor,
    BinaryOpCursor,
    BlockCursor,
    CallCursor,
    CheckError,
    Cursor,
    ForCursor,
    FrontendError,
    LiteralCursor,
    Op,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    StmtCursor,
    UnaryCursor,
    attempt,
    bind_expr,
    call_eqv,
    commute_expr,
    delete_buffer,
    extract_subproc,
    fail,
    focus,
    fold_into_reduce,
    identity,
    inline,
    inline_assign,
    lift_reduce_constant,
    mentions,
    moves,
    nav,
    on,
    proc_from_source,
    rename_variable,
    reparse_env,
    replace,
    reuse_buffer,
    schedule,
    split_write,
    stage_mem,
    strategy,
    try_else,
)
from exo_strat.tuning import remark

from ..inspect import symbols_read, symbols_written, unique_name
from ..std.hoisting import reorder_before
from ..std.writing import element, text

RECIPROCAL = "divides by multiplying with the reciprocal, so the last place may differ"
"""What a report says of `divided_first`."""


@strategy
def sum_in_place(p: Proc, c: AllocCursor) -> Script:
    """`t: T; t = e0; for p: t += e; x[i] = t  ~>  x[i] = e0; for p: x[i] += e`, if nothing else reads x[i] meanwhile.

    What is stored may be computed from the sum: it is computed in x[i] afterwards. `x[i] = a * t + b * x[i]` becomes
    `x[i] = b * x[i]; for p: x[i] += a * e`. The sum has the precision of x. Focus: the allocation of t. Returns the
    block of statements in its place. Fails if t is used in another way.

    The proof is that of `stage_mem`, the other way round: the new code, with a variable staged for x[i], is the old
    code.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, a: f32[n, n], x: f32[n]):
    ...     for i in seq(0, n):
    ...         t: f32
    ...         t = 0.0
    ...         for k in seq(0, n):
    ...             t += a[i, k]
    ...         x[i] = t
    ... ''')
    >>> print(schedule(at("t: _", sum_in_place()), p))
    def foo(n: size, a: f32[n, n] @ DRAM, x: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
            for k in seq(0, n):
                x[i] += a[i, k]
    """
    users = [s for s in c.expand(0, None) if c.sym in (*symbols_read(s), *symbols_written(s))]
    if c.is_tensor() or len(users) < 3:
        yield fail("this is no variable for a sum")
    first, *_, last = users
    if not isinstance(first, AssignCursor) or not isinstance(last, AssignCursor | ReduceCursor) or last.sym == c.sym:
        yield fail("this is no variable that is set, then summed up, then stored")
    if isinstance(last, AssignCursor):
        p, last = yield on(last, try_else(fold_into_reduce(), added_last(c), identity))
    p, last = yield on(last, try_else(computed_in(c), identity))
    factors: list[AssignCursor] = []
    before = last.expand(1, 0)[0]
    if isinstance(before, AssignCursor) and divides_in_place(before):
        p, factor = yield on(before, divided_first(c))
        factors.append(factor)
    p, c = yield focus(c)
    p, last = yield focus(last)
    block = c.expand(0, len(last.expand(None, 0)) - len(c.expand(None, 0)))
    p, block = yield on(block, stored_at_once())
    for factor in factors:
        p, _ = yield attempt(on(factor, inline_assign()) >> on(factor.prev(), delete_buffer()))
    yield focus(block)
    return block


def divides_in_place(c: AssignCursor) -> bool:
    """Whether a statement divides what is there: `x[i] = x[i] / e`."""
    value = c.rhs()
    return isinstance(value, BinaryOpCursor) and value.op() == "/" and text(value.lhs()) == element(c)


@strategy
def divided_first(p: Proc, c: AssignCursor, variable: AllocCursor) -> Script:
    """`t: T; s; t = t / e  ~>  u: T; u = 1.0 / e; t: T; s; t *= u`: a quotient may have no value, and what may have
    none is no part of what is exchanged for another procedure. Focus: the assignment. Returns that of u."""
    p, c = yield fold_into_reduce() >> remark(RECIPROCAL)
    p, factor = yield on(c.rhs(), bind_expr(unique_name(p, "u")))
    for s in (factor.prev(), factor):
        p, s = yield focus(s)
        p, variable = yield focus(variable)
        for _ in range(len(s.expand(None, 0)) - len(variable.expand(None, 0))):
            yield on(s, reorder_before())
    p, factor = yield focus(factor)
    return factor


@strategy
def added_last(p: Proc, c: AssignCursor, variable: AllocCursor) -> Script:
    """`t: T; s; x = a * t + b * x  ~>  x = b * x; t: T; s; x += a * t`. Focus: the assignment. Returns the last one."""
    value = c.rhs()
    if not isinstance(value, BinaryOpCursor) or c.sym not in symbols_read(c):
        yield fail("this is no sum with what is there already")
        return
    if variable.sym in mentions(value.lhs().node):
        yield on(value, commute_expr())
    p, (one, two) = yield on(c, split_write())
    for _ in range(len(c.expand(None, 0)) - len(variable.expand(None, 0))):
        yield on(one, reorder_before())
    p, two = yield focus(two)
    return two


@strategy
def computed_in(p: Proc, c: AssignCursor | ReduceCursor, variable: AllocCursor) -> Script:
    """`t: T; s; x = f(t)  ~>  t: T; s; t = f(t); x = t`. Focus: the last statement, which is returned."""
    if isinstance(c.rhs(), ReadCursor):
        return c
    p, _ = yield on(c.rhs(), bind_expr(unique_name(p, "t")))
    p, c = yield focus(c)
    value = c.rhs()
    assert isinstance(value, ReadCursor)
    yield on(variable, reuse_buffer(value.name()))
    p, c = yield focus(c)
    return c


@strategy
def stored_at_once(p: Proc, c: BlockCursor) -> Script:
    """`t: T; s; x[i] = t  ~>  s[t -> x[i]]`, and the same with `+=`, if s sets t to 0, sums up and takes it times a
    factor. Focus: all of this. Returns the new block."""
    outcome = extract_subproc(unique_name(p, "summed"))(p, c)
    if not isinstance(outcome, Success):
        yield fail("it is no procedure by itself")
        return
    _, call = outcome.unwrap()
    assert isinstance(call, CallCursor)
    found = direct(call.subproc())
    if found is None:
        yield fail("the variable can't be done without")
        return
    new, old = found
    yield replace(old) >> call_eqv(new) >> inline()


def direct(p: Proc) -> tuple[Proc, Proc] | None:
    """A procedure without the variable that is allocated first and stored last, and one that is made from it and has
    such a variable, staged; None if there is none."""
    variable, *_, last = p.body()
    assert isinstance(variable, AllocCursor) and isinstance(last, AssignCursor | ReduceCursor)
    name, target = unique_name(p, "summed"), element(last)
    q = schedule(on(variable, rename_variable(name)), p)
    lines = str(q).splitlines()
    head = 1 + len(q.tree.preds)
    body = lines[head + 1 : -1]
    staged: Op = stage_mem(target, name, accum=isinstance(last, ReduceCursor))
    _, first, *sums, then, _ = q.body()
    if isinstance(first, AssignCursor) and text(first.rhs()) == target:  # staging brings this
        body = body[1:]
    elif isinstance(last, ReduceCursor):
        if not _is_zero(first):
            return None
        body = body[1:]
        if isinstance(then, AssignCursor):
            factor = _factor(then)
            if factor is None or not all(isinstance(s, ForCursor) for s in sums):
                return None
            body = [re.sub(rf"^( *{name} \+= )(.*)$", rf"\1{factor}(\2)", line) for line in body[:-1]]
            staged = staged >> nav(moves.expand(1, 0)) >> lift_reduce_constant()
    source = "\n".join((*lines[:head], *(re.sub(rf"\b{name}\b", target, line) for line in body)))
    try:
        new = proc_from_source(source, reparse_env(q.tree))
    except (FrontendError, CheckError):
        return None
    outcome = staged(new, new.body())
    return (new, outcome.unwrap()[0]) if isinstance(outcome, Success) else None


def _is_zero(c: StmtCursor) -> bool:
    """Whether a statement sets something to 0."""
    value = c.rhs() if isinstance(c, AssignCursor) else None
    return isinstance(value, LiteralCursor) and value.value() == 0


def _factor(c: AssignCursor) -> str | None:
    """What is before the brackets in `a * (..)` or `-(..)`, for `t = a * t` or `t = -t`; None for another value."""
    value = c.rhs()
    if isinstance(value, UnaryCursor) and _reads(value.arg(), c):
        return "-"
    if isinstance(value, BinaryOpCursor) and value.op() == "*":
        one, other = value.lhs(), value.rhs()
        if _reads(one, c) or _reads(other, c):
            return f"({text(other if _reads(one, c) else one)}) * "
    return None


def _reads(e: Cursor, c: AssignCursor) -> bool:
    """Whether an expression is what a statement writes."""
    return isinstance(e, ReadCursor) and e.sym == c.sym
