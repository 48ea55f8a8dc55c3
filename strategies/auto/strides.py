"""Which loop of a nest should be the innermost: the one along which elements are contiguous."""

from __future__ import annotations

from exo_strat import (
    ForCursor,
    Op,
    Proc,
    Script,
    forms,
    moves,
    named,
    nav,
    reorder_loops,
    repeat_n,
    seq,
    strategy,
    try_else,
)

from ..inspect import Access, accesses, nest
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
    total = 0
    for a in accesses(loop.body()):
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
