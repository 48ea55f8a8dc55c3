"""The order of a loop's iterations, and which of them a loop counts.

With `shift_loop` to a start that names outer iterators (skewing), `divide_loop` and `reorder_loops` these make tiles
that go through several sweeps of a stencil. A bound that reads config fields is evaluated again in the body.
"""

from __future__ import annotations

from typing import Annotated

from pyrsistent import pvector

from ..cursors.kinds import ForCursor
from ..cursors.rewrite import Rewrite
from ..ir import build as b
from ..ir.nodes import Binary, If
from ..logic.questions import safety
from .framework import Trial, Where, primitive
from .helpers.arguments import Kind
from .helpers.references import ExprLike
from .helpers.refusing import require
from .helpers.scoping import body_span, bounds_stay, integer_arg, loop_at

__all__ = ["reverse_loop", "widen_loop"]


@primitive(
    same_values=True,
    cursors={"values inside": "stay, first copy, replaced, gone"},
    again=True,
    trial=Trial(programs="nest accumulation temporary repeated configuration drifting counted diagonal"),
)
def reverse_loop(rw: Rewrite, loop: ForCursor) -> Where:
    """`for i in (lo, hi): s  ~>  for i in (lo, hi): s[i -> lo + hi - 1 - i]`: the last iteration runs first.

    Returns the loop, which keeps its mode.

    Fails with `Unsafe` if an iteration touches what an earlier one writes, or if lo or hi reads a config field that the
    body may change. Accumulations commute, and so do writes of a value that is the same in all iterations.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], s: f32):
    ...     for i in seq(0, n):
    ...         s += x[i]
    ... ''')
    >>> print(reverse_loop.direct(p, "i"))
    def foo(n: size, x: f32[n] @ DRAM, s: f32 @ DRAM):
        for i in seq(0, n):
            s += x[n - 1 - i]

    Refused: an iteration reads what the one before it wrote.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n + 1]):
    ...     for i in seq(0, n):
    ...         x[i + 1] = x[i]
    ... ''')
    >>> print(reverse_loop()(q, q.find_loop("i")).failure())
    reverse_loop(): not true: iterations of i commute
    one writes x[i + 1], the other reads x[i]
    for instance with i = 0, i' = 1, n = 2
        def foo(n: size, x: f32[n + 1] @ DRAM):
    -->     for i in seq(0, n):
                x[i + 1] = x[i]
    """
    tree, path, old = rw.proc.tree, loop.path, loop_at(rw.proc.tree, loop.path)
    bounds_stay(tree, path)
    require(safety.reversal(tree, path), loop)
    mirrored = b.sub(b.sub(b.add(old.lo, old.hi), b.ONE), b.var(old.iter))
    rw.substitute_in(body_span(rw, path), old.iter, mirrored)
    return path


@primitive(
    same_values=True,
    grows=True,
    trial=Trial(programs="nest counted configuration drifting diagonal"),
)
def widen_loop(
    rw: Rewrite,
    loop: ForCursor,
    lo: Annotated[ExprLike, Kind("a start for a wider range")],
    hi: Annotated[ExprLike, Kind("an end for a wider range")],
) -> Where:
    """`for i in (l, h): s  ~>  for i in (lo, hi): if l <= i and i < h: s`.

    `lo` and `hi` are integer control expressions in scope before the loop that read no config field, with
    `lo <= l` and `h <= hi` unless the loop has no iteration. Loops of one range can be fused and tiled together.
    Returns the loop, which keeps its mode.

    Fails with `Unsafe` if an iteration may lie outside of the new range, or if the body changes l or h.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(1, n - 1):
    ...         x[i] = 0.0
    ... ''')
    >>> print(widen_loop.direct(p, "i", 0, "n"))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            if 1 <= i and i < n - 1:
                x[i] = 0.0

    Refused: the last iteration would be lost.

    >>> print(widen_loop(0, "n - 2")(p, p.find_loop("i")).failure())
    widen_loop(0, 'n - 2'): not true: the new range ends no earlier than the old one
    for instance with n = 3
        def foo(n: size, x: f32[n] @ DRAM):
    -->     for i in seq(1, n - 1):
                x[i] = 0.0
    """
    tree, path, old = rw.proc.tree, loop.path, loop_at(rw.proc.tree, loop.path)
    first, end = integer_arg(rw, lo, path), integer_arg(rw, hi, path)
    empty = Binary("<=", old.hi, old.lo)
    before = Binary("or", empty, Binary("<=", first, old.lo))
    after = Binary("or", empty, Binary("<=", old.hi, end))
    require(safety.holds(tree, path, before, "the new range starts no later than the old one"), loop)
    require(safety.holds(tree, path, after, "the new range ends no earlier than the old one"), loop)
    bounds_stay(tree, path)
    i = b.var(old.iter)
    inside = Binary("and", Binary("<=", old.lo, i), Binary("<", i, old.hi))
    guard = (*rw.wrap(body_span(rw, path), If(inside, pvector(), pvector())), ("cond", None))
    rw.carry((*path, ("lo", None)), (*guard, ("lhs", None), ("lhs", None)))
    rw.carry((*path, ("hi", None)), (*guard, ("rhs", None), ("rhs", None)))
    rw.set(path, lo=first, hi=end)
    return path
