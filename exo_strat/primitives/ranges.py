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
from ..ir.names import Sym
from ..ir.nodes import Binary, Expr, If, ProcDef
from ..ir.walk import mentions
from ..logic.forms import cond, is_opaque, operands
from ..logic.questions import env_of, facts_at, safety
from .framework import Trial, Where, primitive
from .helpers.arguments import Kind
from .helpers.bounds import Bounds, all_of, bounds_on, conditions_of, ends, in_range
from .helpers.references import ExprLike
from .helpers.refusing import applicable, of_kind, require
from .helpers.scoping import body_span, bounds_stay, integer_arg, loop_at

__all__ = ["reverse_loop", "tighten_loop", "widen_loop"]


@primitive(
    same_values=True,
    cursors={"values inside": "stay, first copy, replaced"},
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
    inside = in_range(old.iter, old.lo, old.hi)
    guard = (*rw.wrap(body_span(rw, path), If(inside, pvector(), pvector())), ("cond", None))
    rw.carry((*path, ("lo", None)), (*guard, ("lhs", None), ("lhs", None)))
    rw.carry((*path, ("hi", None)), (*guard, ("rhs", None), ("rhs", None)))
    rw.set(path, lo=first, hi=end)
    return path


@primitive(
    same_values=True,
    cursors={"inside": "stay, gone", "values inside": "stay, gone"},
    by_form=True,
    trial=Trial(programs="nest counted configuration drifting diagonal guarded", undoes="widen_loop"),
)
def tighten_loop(rw: Rewrite, loop: ForCursor) -> Where:
    """`for i in (lo, hi): if l <= i and i < h: s  ~>  for i in (max(lo, l), min(hi, h)): s`.

    The inverse of `widen_loop`. The body of the loop is an `if` without an else branch. All parts of its condition that
    bound i become bounds of the loop; the others, such as those on data, stay. Bounds that are known to be smaller or
    larger than others are left out. Returns the loop.

    Fails with `NotApplicable` if no part of the condition bounds i. It is proved that the new range has the iterations
    for which the condition holds.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         if 1 <= i and i < m:
    ...             x[i] = 0.0
    ... ''')
    >>> print(tighten_loop.direct(p, "i"))
    def foo(n: size, m: size, x: f32[n] @ DRAM):
        for i in seq(1, min(n, m)):
            x[i] = 0.0

    Refused: which elements are positive is not known where the loop starts.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         if x[i] > 0.0:
    ...             x[i] = 0.0
    ... ''')
    >>> print(tighten_loop()(q, q.find_loop("i")).failure())
    tighten_loop(): no part of the condition bounds i
        def foo(n: size, x: f32[n] @ DRAM):
    -->     for i in seq(0, n):
                if x[i] > 0.0:
                    x[i] = 0.0
    """
    tree, path, old = rw.proc.tree, loop.path, loop_at(rw.proc.tree, loop.path)
    guard_path = (*path, ("body", 0))
    what = "the loop's body must be an `if` without an else branch, and nothing else"
    guard = of_kind(old.body[0], If, what)
    applicable(len(old.body) == 1 and not guard.orelse, what, loop)
    parts = operands(guard.cond, "and")
    bounding = [part for part in parts if _bounds(tree, old.iter, part) is not None]
    applicable(bool(bounding), f"no part of the condition bounds {loop.name()}", loop)
    i = b.var(old.iter)
    lo, hi = Binary("<=", old.lo, i), Binary("<", i, old.hi)
    kept = [e for e in (lo, hi) if _bounds(tree, old.iter, e) is None]  # such as those that read config fields
    found = [f for e in (lo, hi, *bounding) if (f := _bounds(tree, old.iter, e)) is not None]
    both = Bounds(tuple(x for f in found for x in f.lower), tuple(x for f in found for x in f.upper), ())
    facts = facts_at(tree, path)
    new = ends(both, facts, [old.lo] if lo in kept else [], [old.hi] if hi in kept else [])
    same = Binary("==", all_of([lo, hi, *bounding]), in_range(old.iter, *new))
    require(safety.holds(tree, path, same, "the new range has the iterations of the condition"), loop)
    left = [part for part in parts if part not in bounding]
    if left:
        rw.set(guard_path, cond=all_of(left))
    else:
        rw.unwrap(guard_path)
    rw.set(path, lo=new[0], hi=new[1])
    return path


def _bounds(tree: ProcDef, i: Sym, condition: Expr) -> Bounds | None:
    """The bounds that a condition sets to a variable, if it is about nothing else."""
    if is_opaque(condition) or i not in mentions(condition):
        return None
    conditions = conditions_of(cond(condition, env_of(tree)))
    found = None if conditions is None else bounds_on(i, conditions)
    return found if found is not None and (found.lower or found.upper) and not found.others else None
