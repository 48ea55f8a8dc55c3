"""Which loop of a nest should be the innermost: the one along which elements are contiguous."""

from __future__ import annotations

from collections.abc import Iterable

from exo_strat import (
    AllocCursor,
    ForCursor,
    Op,
    Proc,
    Script,
    fail,
    focus,
    forms,
    moves,
    named,
    nav,
    on,
    reorder_loops,
    repeat_n,
    seq,
    strategy,
    try_else,
)

from .. import std
from ..inspect import Access, accesses, innermost_loops, loops_inside, nest
from ..normal import sum_in_place
from ..std.writing import INSIDE

LINE = 8
"""What an access costs whose elements are in a cache line each, where contiguous ones cost 1 and the same one 0: so
many numbers of 64 bits are in a line of 64 bytes (`getconf LEVEL1_DCACHE_LINESIZE`)."""


def stride(a: Access, loop: ForCursor) -> int | None:
    """How far apart, in elements, the places are that two iterations of a loop access: 0 or a number for the last
    dimension, None for more than that, or what isn't known.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, 2 * n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             y[i] += x[i, 2 * j]
    ... ''')
    >>> i, j = p.find_loop("i"), p.find_loop("j")
    >>> [(str(a.sym), stride(a, i), stride(a, j)) for a in accesses(j.body())]
    [('x', None, 2), ('y', 1, 0)]
    """
    atom = forms.V(loop.sym)
    moving = [k for k, x in enumerate(a.index) if atom in forms.lin_atoms(x)]
    if not moving:
        return 0
    last = a.index[-1]
    if moving != [len(a.index) - 1] or last.without(atom) is None:
        return None
    return last.coefficient(atom)


def price(loop: ForCursor) -> int:
    """What the accesses of a nest would cost if a loop of it were the innermost: see `LINE`. Writes count twice.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def product(n: size, a: f32[n, n], b: f32[n, n], c: f32[n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             for k in seq(0, n):
    ...                 c[i, j] += a[i, k] * b[k, j]
    ... ''')
    >>> [price(loop) for loop in nest(p.find_loop("i"))]
    [24, 3, 9]
    """
    return cost(accesses(loop.body()), loop)


def cost(found: Iterable[Access], loop: ForCursor) -> int:
    """What accesses would cost if a loop were the innermost around them: see `LINE`. Writes count twice."""
    total = 0
    for a in found:
        step = stride(a, loop)
        total += (LINE if step is None else min(abs(step), LINE)) * (2 if a.writes else 1)
    return total


@strategy
def contiguous_innermost(p: Proc, c: ForCursor) -> Script:
    """`for i: for j: for k: c[i, j] += a[i, k] * b[k, j]  ~>  for i: for k: for j: ..`, by interchange.

    The loop of the perfect nest goes inside along which most accesses are contiguous, or stay at one element; if it
    can't, the next best. Focus: the outermost loop. Returns the outermost loop of the nest.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f32[n, m], y: f32[n]):
    ...     for j in seq(0, m):
    ...         for i in seq(0, n):
    ...             x[i, j] += y[i]
    ... ''')
    >>> print(schedule(at("for j in _: _", contiguous_innermost()), p))
    def foo(m: size, n: size, x: f32[n, m] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] += y[i]
    """
    loops = nest(c)
    best = sorted(range(len(loops)), key=lambda k: (price(loops[k]), -k))
    yield try_else(*(_innermost(k, len(loops) - 1) for k in best))
    return None


@named
def _innermost(k: int, last: int) -> Op:
    """The k-th loop of a nest made the last. Focus: the outermost loop. Returns the outermost loop."""
    inwards = repeat_n(seq(reorder_loops(), nav(INSIDE)), last - k)
    return seq(repeat_n(nav(INSIDE), k), inwards, repeat_n(nav(moves.parent), last))


@strategy
def sums_of_columns(p: Proc, c: ForCursor) -> Script:
    """`for j: t: T; t = 0; for i: t += x[i, j]; y[j] = t  ~>  for j: y[j] = 0; for j: for i: y[j] += x[i, j]`.

    Each column has a sum of its own, so that the loops can be exchanged: see `contiguous_innermost`. It is where it
    goes (`sum_in_place`), or else has an element of an array. Focus: the loop over columns. Returns the block of the
    loops in its place. Fails if no iteration has a number for itself, or if loops inside are in the order of the
    elements.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def means(m: size, n: size, x: f64[m, n], y: f64[n]):
    ...     for j in seq(0, n):
    ...         t: f64
    ...         t = 0.0
    ...         for i in seq(0, m):
    ...             t += x[i, j]
    ...         y[j] = 0.5 * t
    ... ''')
    >>> print(schedule(at("for j in _: _", sums_of_columns()), p))
    def means(m: size, n: size, x: f64[m, n] @ DRAM, y: f64[n] @ DRAM):
        for j in seq(0, n):
            y[j] = 0.0
        for j in seq(0, n):
            for i in seq(0, m):
                y[j] += x[i, j]
        for j in seq(0, n):
            y[j] = 0.5 * y[j]
    """
    numbers = [s for s in c.body() if isinstance(s, AllocCursor) and not s.shape()]
    inner = innermost_loops(c) if loops_inside(c) else ()
    found = [(accesses(loop.body()), loop) for loop in inner]
    if not numbers or not inner or any(cost(here, c) >= cost(here, loop) for here, loop in found):
        yield fail("no iteration has a number for itself, or loops inside are in the order of the elements")
    for s in numbers:
        yield on(s, try_else(sum_in_place(), std.expand_alloc()))
    yield focus(c)
    p, parts = yield std.fission_where_possible()
    return parts
