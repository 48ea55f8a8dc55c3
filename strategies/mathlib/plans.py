"""Calls of functions as their steps."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Final

from exo_strat import (
    BlockCursor,
    CallCursor,
    Cursor,
    ExternCursor,
    ExternFn,
    IfCursor,
    NodeCursor,
    Proc,
    ReadCursor,
    Script,
    SelectCursor,
    approximate,
    attempt,
    bind_expr,
    cos,
    erf,
    evaluate_both,
    expf,
    fail,
    focus,
    inline,
    log,
    moves,
    nav,
    on,
    pow_,
    sigmoid,
    sin,
    strategy,
    tanh,
    try_else,
    walk,
)

from ..std.lanes import levels_out
from .functions import function


class NoStepsWarning(UserWarning):
    """There are calls, and none of them could become steps: they are at another precision, or may be skipped.

    >>> issubclass(NoStepsWarning, UserWarning)
    True
    """


NAMES: Final[Mapping[ExternFn, str]] = {
    cos: "cos", erf: "erf", expf: "exp", log: "log", pow_: "pow", sigmoid: "sigmoid", sin: "sin", tanh: "tanh",
}  # fmt: skip
"""The functions of the library by what object code calls."""


@strategy
def approximate_all(p: Proc, c: Cursor, precision: str) -> Script:
    """`y = expf(x)  ~>  a = fmax(-104, fmin(89, x)); k = rint(1.44 * a); ..; y = ldexpf(.., k)`.

    Each call of a function of the library at and below the focus, at a precision ("f32" or "f64"), becomes its steps. A
    loop around it then has vector code (`vectorize_for`). Each step is computed once: what is passed is bound to a name
    first. Of `a if x < y else b`, and of an `if` on data, that hold a call both sides are computed (`evaluate_both`);
    where that may not be, the calls stay, as they may be skipped. A `NoStepsWarning` says why no call becomes
    steps. Never fails. Returns the focus, or the procedure if that is gone.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 1.0 / (1.0 + expf(-x[i]))
    ... ''')
    >>> p = schedule(approximate_all("f32"), p)
    >>> p.find("a = _").rhs().text(), p.find("y[_] = _").rhs().text()
    ('fmax(-104.0, fmin(89.0, v))', '1.0 / (1.0 + t)')
    """
    chosen = [on(choice, evaluate_both() >> calls_by_steps(precision)) for choice in reversed(choices(c))]
    plans = [*chosen, calls_by_steps(precision)] if calls(c) else []  # inner choices first
    for plan in plans:
        yield try_else(focus(c), nav(moves.root))
        q, _ = yield attempt(plan)
    if plans and q.tree == p.tree:
        why = plans[0](p, c).failure()
        message = f"approximate_all({precision!r}): no call becomes steps\n{why}"
        warnings.warn(message, NoStepsWarning, stacklevel=levels_out())
    yield try_else(focus(c), nav(moves.root))
    return None


@strategy
def calls_by_steps(p: Proc, c: Cursor, precision: str) -> Script:
    """`by_steps` of the calls at and below the focus that it applies to; fails if there is none. Returns the focus, or
    the procedure if that is gone."""
    steps = [on(e, by_steps(function(NAMES[e.function()], precision))) for e in calls(c)]
    for step in reversed(steps):  # what is passed to a call stands after it
        yield attempt(step)
    q, c = yield try_else(focus(c), nav(moves.root))
    if q.tree == p.tree:
        yield steps[0] if steps else fail("no function of the library is called here")
    return c


def calls(c: Cursor) -> list[ExternCursor]:
    """The calls of functions of the library at and below a cursor, in textual order."""
    return [e for e in below(c) if isinstance(e, ExternCursor) and e.function() in NAMES]


def choices(c: Cursor) -> list[SelectCursor | IfCursor]:
    """The choices at and below a cursor that hold such a call, in textual order."""
    return [e for e in below(c) if isinstance(e, SelectCursor | IfCursor) and calls(e)]


def below(c: Cursor) -> list[NodeCursor]:
    """What is at and below a cursor."""
    roots = c if isinstance(c, BlockCursor) else [c] if isinstance(c, NodeCursor) else []
    return [e for n in roots for e in n.descendants()]


@strategy
def by_steps(p: Proc, c: ExternCursor, by: Proc) -> Script:
    """`s[f(e)]  ~>  v: T; v = e; t: T; t = .. v ..; s[t]`: what `by` does, in place of a function; once, if the
    statement calls it with this argument several times. Focus: the call."""
    if sum(n == c.node for _, n in walk(c.stmt().node)) > 1:
        p, bound = yield bind_expr("t", cse=True)
        p, c = yield focus(bound.rhs())
    p, call = yield approximate(by)
    assert isinstance(call, CallCursor)
    for value in call.args()[:-1]:
        if not isinstance(value, ReadCursor):
            yield on(value, bind_expr("v"))
    p, block = yield on(call, inline())
    return block
