"""Loops whose iterations share nothing, but have steps of their own that wait for each other: several in lanes."""

from __future__ import annotations

from exo_strat import ForCursor, Machine, Proc, Script, divide_loop, fail, focus, hole, on, reorder_loops, strategy

from .. import std
from ..blas.level1 import optimize_level_1
from ..inspect import innermost_loops, loops_inside
from ..std.writing import halves
from .recurrences import has_recurrence

VECTORS = (1, 2, 4, 8)
"""Vectors of iterations: as many steps are under way at once."""


@strategy
def in_lanes(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """`for i: s; for k: t  ~>  for io: for l: s; for k: for l: t`, with loops over l in vectors.

    For iterations whose steps wait for each other, as those of a polynomial in Horner's form do; variables have an
    element for each iteration. Focus: the loop over i. Fails if no step waits, or something has no vectors.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> from strategies.inspect import nest_shape
    >>> p = proc_from_source('''
    ... def horner(n: size, d: size, c: f64[d], x: f64[n], y: f64[n]):
    ...     for i in seq(0, n):
    ...         s: f64
    ...         s = 0.0
    ...         for k in seq(0, d):
    ...             s = s * x[i] + c[k]
    ...         y[i] = s
    ... ''')
    >>> q = schedule(at("for i in _: _", in_lanes(avx2, "f64")), p)
    >>> [loop.hi().text() for loop in (q.body()[0], *loops_inside(q.body()[0]))]
    ['n / 16', 'd']
    """
    if precision not in machine.vec_widths or not has_recurrence(c) or any(map(loops_inside, loops_inside(c))):
        yield fail("no step waits for the one before in a loop inside")
    vectors = yield hole("vectors", VECTORS, default=4)
    p, outer = yield divide_loop(vectors * machine.vec_width(precision), halves(c), tail="cut")
    p, parts = yield on(outer.body()[0], std.fission_where_possible())
    for s in parts:
        if isinstance(s, ForCursor) and loops_inside(s):
            p, _ = yield on(s, reorder_loops())
    p, outer = yield focus(outer)
    for loop in innermost_loops(outer):
        p, _ = yield on(loop, optimize_level_1(machine, precision, vectors, strict=True))
