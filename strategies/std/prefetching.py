"""Cache lines that are asked for before they are needed."""

from __future__ import annotations

from collections.abc import Sequence

from exo_strat import Proc, Script, StmtCursor, focus, insert_noop_call, on, proc_from_source, strategy

HINTS = {
    precision: proc_from_source(f"""
@instr("__builtin_prefetch(&{{x_data}});")
def prefetch(x: [{precision}][1]):
    pass
""")
    for precision in ("f32", "f64")
}
"""Asks for the cache line of an element, for each precision."""


@strategy
def prefetch(p: Proc, c: StmtCursor, precision: str, windows: Sequence[str]) -> Script:
    """`s  ~>  prefetch(x[i:i + 1]); s`, for windows of one element in memory: their cache lines are fetched early.

    It pays if s takes about as long as a fetch and uses the data at its end. Focus: s, which is returned.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[8]):
    ...     for i in seq(0, n):
    ...         y[0] += x[i]
    ... ''')
    >>> print(schedule(at("for i in _: _", prefetch("f32", ["y[0:1]"])), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[8] @ DRAM):
        prefetch(y[0:1])
        for i in seq(0, n):
            y[0] += x[i]
    """
    for window in windows:
        p, _ = yield on(c.before(), insert_noop_call(HINTS[precision], [window]))
        p, c = yield focus(c)
    return c
