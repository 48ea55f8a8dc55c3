"""Loops with an order to keep around others that have none: these in strips, which threads share."""

from __future__ import annotations

from exo_strat import (
    ForCursor,
    Proc,
    Script,
    StmtCursor,
    attempt,
    divide_loop,
    fail,
    fission,
    forms,
    fuse,
    moves,
    nav,
    on,
    parallelize_loop,
    reorder_loops,
    repeat,
    strategy,
)

from ..inspect import affine_bound, nest
from ..std.writing import halves
from .triangles import is_short, reorder_after


@strategy
def in_strips(p: Proc, c: ForCursor, size: int) -> Script:
    """`for k: (for i: s1); (for j: for i: s2)  ~>  for io: for k: (for ii: s1); (for j: for ii: s2)`, for threads.

    Of all statements of a loop whose iterations need each other, the same loop is cut into strips of a `size`, and goes
    outside, where threads can share it. What is left of it is a nest of its own. Focus: the loop whose order is kept.
    Returns the loop over strips. Fails if there is no such loop, if it is short, or if strips need each other.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def solve(n: size, a: f64[8, 8], b: f64[8, n]):
    ...     for k in seq(0, 8):
    ...         for i in seq(0, n):
    ...             b[k, i] = b[k, i] / a[k, k]
    ...         for j in seq(k + 1, 8):
    ...             for i in seq(0, n):
    ...                 b[j, i] += -(a[j, k] * b[k, i])
    ... ''')
    >>> print(schedule(at("for k in _: _", in_strips(64)), p))
    def solve(n: size, a: f64[8, 8] @ DRAM, b: f64[8, n] @ DRAM):
        for io in seq(0, n / 64):
            for k in seq(0, 8):
                for ii in seq(0, 64):
                    b[k, 64 * io + ii] = b[k, 64 * io + ii] / a[k, k]
                for ii in seq(0, 64):
                    for j in seq(k + 1, 8):
                        b[j, 64 * io + ii] += -(a[j, k] * b[k, 64 * io + ii])
        for k in seq(0, 8):
            for ii in seq(0, n % 64):
                b[k, 64 * (n / 64) + ii] = b[k, 64 * (n / 64) + ii] / a[k, k]
            for ii in seq(0, n % 64):
                for j in seq(k + 1, 8):
                    b[j, 64 * (n / 64) + ii] += -(a[j, k] * b[k, 64 * (n / 64) + ii])
    """
    before = p
    p, _ = yield attempt(parallelize_loop())
    if p is not before:
        yield fail("its iterations are independent as they are")
    found = [free_loops(s, c) for s in c.body()]
    common = next((r for r in found[0] if all(r in loops for loops in found)), None)
    if common is None:
        yield fail("its statements have no loop in common")
        return
    if is_short(found[0][common][-1], size):
        yield fail(f"there are no more than {size} iterations")
    strips: list[ForCursor] = []
    for loops in found:
        *outer, loop = loops[common]
        for x in outer[::-1]:
            p, _ = yield on(x, reorder_loops())
        p, loop = yield on(loop, divide_loop(size, halves(loop), tail="cut"))
        strips.append(loop)
    for loop in strips[::-1]:
        p, _ = yield on(loop, nav(moves.next_()), repeat(reorder_after()))
    p, _ = yield on(strips[-1], nav(moves.after), fission())
    first, *others = strips
    for loop in others:
        p, _ = yield on(first, fuse(loop))
    yield on(c, reorder_loops())
    p, blocks = yield parallelize_loop()  # the proof that strips are apart
    p, blocks = yield parallelize_loop("seq")
    return blocks


def free_loops(s: StmtCursor, c: ForCursor) -> dict[tuple[forms.Lin, forms.Lin], list[ForCursor]]:
    """The loops of a nest in another loop whose range is the same whatever iteration of the others it is, each by its
    range and with those around it in the nest."""
    loops = nest(s) if isinstance(s, ForCursor) else []
    around = {forms.V(x.sym) for x in (c, *loops)}
    ranges = [(affine_bound(x.lo()), affine_bound(x.hi())) for x in loops]
    free = [k for k, (lo, hi) in enumerate(ranges) if around.isdisjoint((*forms.lin_atoms(lo), *forms.lin_atoms(hi)))]
    return {ranges[k]: list(loops[: k + 1]) for k in reversed(free)}
