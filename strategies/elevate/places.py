"""ELEVATE's predicates on programs and the traversals that choose a place by one.

A map is a loop, whatever its mode, that accumulates nothing from one iteration to the next; a reduction is one
that does. These look at the form of the code: what a rewrite at such a place owes, it proves itself.

>>> isMap == when(is_map), isReduce == when(is_reduce)
(True, True)
"""

from __future__ import annotations

from exo_strat import (
    AllocCursor,
    Cursor,
    ForCursor,
    Op,
    ReduceCursor,
    mentions,
    named,
    not_,
    seq,
    traversals,
    when,
)

from .combinators import applyNTimes, body, bottomUp, one, sometd, topDown
from .traversal import Traversal

# -- predicates ---------------------------------------------------------------------------------------


def is_reduce(c: Cursor) -> bool:
    """Whether the focus is a loop that accumulates into one element again and again.

    That is an element of something that exists outside of the loop, at a place that its iterator does not show.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: f32[n, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for k in seq(0, 4):
    ...             y[i] += x[i, k]
    ... ''')
    >>> [c.name() for c in traversals.loops(p.root()) if is_reduce(c)]
    ['k']
    """
    if not isinstance(c, ForCursor):
        return False
    inside = list(traversals.nlr(c))
    local = {s.sym for s in inside if isinstance(s, AllocCursor)}
    sums = [s for s in inside if isinstance(s, ReduceCursor) and s.sym not in local]
    return any(all(c.sym not in mentions(i.node) for i in s.idx()) for s in sums)


def is_map(c: Cursor) -> bool:
    """Whether the focus is a loop, but no reduction.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: f32[n, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for k in seq(0, 4):
    ...             y[i] += x[i, k]
    ... ''')
    >>> [c.name() for c in traversals.loops(p.root()) if is_map(c)]
    ['i']
    """
    return isinstance(c, ForCursor) and not is_reduce(c)


isReduce = when(is_reduce)
isMap = when(is_map)


@named
def mapNest(d: int) -> Op:
    """Succeeds at d maps, each the first statement of the one around it.

    `mapNest(1) = isMap`, and `mapNest(d) = isMap ; body(mapNest(d - 1))`.

    The focus stays. Fails at other code.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: f32[n, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for k in seq(0, 4):
    ...             y[i] += x[i, k]
    ... ''')
    >>> mapNest(1)(p, p.find_loop("i")).unwrap() == (p, p.find_loop("i"))
    True
    >>> mapNest(2)(p, p.find_loop("i")).failure().message
    'is_map does not hold here'
    """
    return applyNTimes(d - 1, _in_map)(isMap)


def _in_map(p: Op) -> Op:
    return seq(isMap, body(p))


def _not_inside(p: Op) -> Op:
    return not_(one(topDown(p)))


# -- places -------------------------------------------------------------------------------------------


def outermost(p: Op) -> Traversal:
    """`topDown(p ; s)`: s once, at the first place where p holds and s succeeds, the outer ones first.

    Elsewhere in the literature `outermost` is a fixpoint; that is `repeat(topDown(s))`, here `normalize`.

    The focus stays. Fails if there is no such place.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: f32[n, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for k in seq(0, 4):
    ...             y[i] += x[i, k]
    ... ''')
    >>> from exo_strat import rename_variable
    >>> schedule(rename_variable("row") @ outermost(isMap), p).body()[0].name()
    'row'
    """
    return Traversal("outermost", lambda q, s: topDown(seq(q, s)), (p,))


def innermost(p: Op) -> Traversal:
    """`bottomUp(p ; s)`: s once, at the first place where p holds and s succeeds, the inner ones first.

    The focus stays. Fails if there is no such place.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: f32[n, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for k in seq(0, 4):
    ...             y[i] += x[i, k]
    ... ''')
    >>> from exo_strat import unroll_loop
    >>> len(schedule(unroll_loop() @ innermost(isReduce), p).find_all("y[_] += _"))
    4
    """
    return Traversal("innermost", lambda q, s: bottomUp(seq(q, s)), (p,))


def allOutermost(p: Op) -> Traversal:
    """`sometd(p ; s)`: s at all outermost places where p holds and s succeeds, at least one.

    The focus stays.

    >>> from exo_strat import parallelize_loop, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(x: f32[8], y: f32[8]):
    ...     for i in seq(0, 8):
    ...         x[i] = 0.0
    ...     for i in seq(0, 8):
    ...         y[i] = 0.0
    ... ''')
    >>> [c.mode() for c in traversals.loops(schedule(parallelize_loop() @ allOutermost(isMap), p).root())]
    ['par', 'par']
    """
    return Traversal("allOutermost", lambda q, s: sometd(seq(q, s)), (p,))


def allInnermost(p: Op) -> Traversal:
    """s at all places where p holds, but not inside them, and s succeeds; at least one.

    The focus stays.

    >>> from exo_strat import parallelize_loop, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(x: f32[8, 8]):
    ...     for i in seq(0, 8):
    ...         for j in seq(0, 8):
    ...             x[i, j] = 0.0
    ... ''')
    >>> [c.mode() for c in traversals.loops(schedule(parallelize_loop() @ allInnermost(isMap), p).root())]
    ['seq', 'par']
    """
    return Traversal("allInnermost", lambda q, s: sometd(seq(q, _not_inside(q), s)), (p,))
