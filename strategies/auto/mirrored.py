"""Vectors that are updated by themselves turned round, in place."""

from __future__ import annotations

from exo_strat import (
    AllocCursor,
    AssignCursor,
    ForCursor,
    Proc,
    Script,
    cut_loop,
    delete_buffer,
    fail,
    focus,
    fuse,
    moves,
    nav,
    on,
    reorder_stmts,
    reverse_loop,
    shift_loop,
    simplify,
    stage_mem,
    strategy,
)

from ..inspect import declaration, unique_name
from ..std.writing import element, text


@strategy
def mirrored_in_place(p: Proc, c: ForCursor) -> Script:
    """`for i: z[i] = e(y[i], y[n - 1 - i]); for i: y[i] = z[i]  ~>  for i: t = e; u = e'; y[i] = t; y[n - 1 - i] = u`.

    An element and the one that mirrors it need each other and nothing else, so that both are computed before both are
    stored, and z isn't needed. The loop runs over the first half; the element in the middle, if there is one, comes
    after it. Focus: the first loop. Returns the one over the first half. Fails if this is no such pair of loops.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def update(n: size, a: f64, y: f64[n]):
    ...     z: f64[n]
    ...     for i in seq(0, n):
    ...         z[i] = y[i] + a * y[n - 1 - i]
    ...     for i in seq(0, n):
    ...         y[i] = z[i]
    ... ''')
    >>> print(schedule(at("for i in _: _", mirrored_in_place()), p))
    def update(n: size, a: f64 @ DRAM, y: f64[n] @ DRAM):
        for i in seq(0, n / 2):
            z_1: f64 @ DRAM
            z_1 = y[i] + a * y[n - 1 - i]
            z_2: f64 @ DRAM
            z_2 = y[n - i - 1] + a * y[i]
            y[i] = z_1
            y[n - i - 1] = z_2
        for i in seq(n / 2, n - n / 2):
            z_3: f64 @ DRAM
            z_3 = y[i] + a * y[n - 1 - i]
            y[i] = z_3
    """
    later = c.next()
    if not isinstance(later, ForCursor):
        yield fail("no loop comes next that stores what this one computes")
        return
    z, y = _single(c), _single(later)
    temporary = declaration(z, z.name()) if z and y else None
    if z is None or not isinstance(temporary, AllocCursor):
        yield fail("these are no loops that fill a temporary and copy it")
        return
    p, computed = yield _thirds()
    p, copied = yield on(later, _thirds())
    low, middle, high = computed
    for first in (middle, middle, copied[1], middle):  # the middle ones last
        p, _ = yield on(first, nav(moves.expand(0, 1)), reorder_stmts())
    for other in (high, copied[0], copied[2]):
        p, _ = yield on(low, fuse(other))
    yield on(middle, fuse(copied[1]))
    for loop in (low, middle):
        p, inside = yield focus(loop)
        for s in inside.body():
            if isinstance(s, AssignCursor) and s.sym == z.sym:
                p, here = yield focus(s)
                yield on(here.expand(0, None), stage_mem(element(s), unique_name(p, z.name())))
    yield on(temporary, delete_buffer())
    p, c = yield focus(low)
    return c


def _single(c: ForCursor) -> AssignCursor | None:
    """The only statement of a loop, if that is an assignment to an element."""
    [s, *more] = c.body()
    return s if isinstance(s, AssignCursor) and s.idx() and not more else None


@strategy
def _thirds(p: Proc, c: ForCursor) -> Script:
    """`for i in (0, n): s  ~>  for i in (0, n / 2): s; for i in (n / 2, n - n / 2): s; for i in (0, n / 2):
    s[i -> n - 1 - i]`. Focus: the loop. Returns the block of three."""
    n = text(c.hi())
    p, low = yield cut_loop(f"({n}) / 2")
    p, middle = yield on(low.next(), cut_loop(f"{n} - ({n}) / 2"))
    yield on(middle.next(), shift_loop(0), simplify())
    p, middle = yield focus(middle)
    yield on(middle.next(), reverse_loop(), simplify())
    p, low = yield focus(low)
    return low.expand(0, 2)
