"""Calls of functions as their steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from exo_strat import (
    BlockCursor,
    CallCursor,
    Cursor,
    ExternCursor,
    ExternFn,
    NodeCursor,
    Proc,
    ReadCursor,
    Script,
    approximate,
    attempt,
    bind_expr,
    cos,
    erf,
    expf,
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
)

from .functions import function

NAMES: Final[Mapping[ExternFn, str]] = {
    cos: "cos", erf: "erf", expf: "exp", log: "log", pow_: "pow", sigmoid: "sigmoid", sin: "sin", tanh: "tanh",
}  # fmt: skip
"""The functions of the library by what object code calls."""


@strategy
def approximate_all(p: Proc, c: Cursor, precision: str) -> Script:
    """`y = expf(x)  ~>  a = fmax(-104, fmin(89, x)); k = rint(1.44 * a); ..; y = ldexpf(.., k)`.

    Each call of a function of the library at and below the focus, at a precision ("f32" or "f64"), becomes its steps. A
    loop around it then has vector code (`vectorize_for`). Each step is computed once: what is passed is bound to a name
    first. Calls that may be skipped stay. Never fails. Returns the focus, or the procedure if that is gone.

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
    for e in reversed(calls(c)):  # what is passed to a call stands after it
        yield attempt(on(e, by_steps(function(NAMES[e.function()], precision))))
    yield try_else(focus(c), nav(moves.root))
    return None


def calls(c: Cursor) -> list[ExternCursor]:
    """The calls of functions of the library at and below a cursor, in textual order."""
    roots = c if isinstance(c, BlockCursor) else [c] if isinstance(c, NodeCursor) else []
    return [e for n in roots for e in n.descendants() if isinstance(e, ExternCursor) and e.function() in NAMES]


@strategy
def by_steps(p: Proc, c: ExternCursor, by: Proc) -> Script:
    """`s[f(e)]  ~>  v: T; v = e; t: T; t = .. v ..; s[t]`: what `by` does, in place of a function. Focus: the call."""
    p, call = yield approximate(by)
    assert isinstance(call, CallCursor)
    for value in call.args()[:-1]:
        if not isinstance(value, ReadCursor):
            yield on(value, bind_expr("v"))
    p, block = yield on(call, inline())
    return block
