"""Products of matrices whose sums or factors a program has in variables."""

from __future__ import annotations

from exo_strat import (
    AllocCursor,
    AssignCursor,
    ForCursor,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    Sym,
    attempt,
    delete_buffer,
    fail,
    focus,
    inline_assign,
    on,
    strategy,
)

from ..inspect import enclosing_loops, statements
from ..normal import nest_nf, sum_in_place
from .fusion import adds_up, multiplies_matrices


@strategy
def sums_in_place(p: Proc, c: ForCursor) -> Script:
    """`for i: for j: t = 0; for k: t += a[i, k] * b[k, j]; x[i, j] = t  ~>  for i: for j: x[i, j] = 0; for i: ..`.

    Sums of products of matrices, in three loops or more, are put where they go (`sum_in_place`), factors that are in
    variables where they are used, and reductions in nests of their own.
    Focus: the outermost loop. Returns the block of loops in its place. Fails if there is no such sum.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, a: f64[n, n], b: f64[n, n], x: f64[n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             t: f64
    ...             t = 0.0
    ...             for k in seq(0, n):
    ...                 t += a[i, k] * b[k, j]
    ...             x[i, j] = 2.0 * t + x[i, j]
    ... ''')
    >>> print(schedule(at("for i in _: _", sums_in_place()), p))
    def foo(n: size, a: f64[n, n] @ DRAM, b: f64[n, n] @ DRAM, x: f64[n, n] @ DRAM):
        for i in seq(0, n):
            for j in seq(0, n):
                for k in seq(0, n):
                    x[i, j] += 2.0 * (a[i, k] * b[k, j])
    """
    before, count, levels = p, len(c.expand(0, None)), len(enclosing_loops(c))
    if not any(isinstance(s, ReduceCursor) and adds_up(s, levels) for s in statements(c)):
        yield fail("nothing is summed up in three loops")
    for factor in [s for s in statements(c) if isinstance(s, AssignCursor) and isinstance(s.rhs(), ReadCursor)]:
        if factor.sym in scalars(c):
            p, _ = yield attempt(on(factor, inline_assign()))
    p, c = yield focus(c)
    sums = [s for s in statements(c) if isinstance(s, ReduceCursor) and adds_up(s, levels) and multiplies_matrices(s)]
    for sym, variable in scalars(c).items():
        if any(s.sym == sym for s in sums):
            p, _ = yield attempt(on(variable, sum_in_place()))
        else:
            p, _ = yield attempt(on(variable, delete_buffer()))
    if not sums or p is before:
        yield fail("no sum or factor of a product of matrices is in a variable")
    yield nest_nf()
    p, first = yield focus(c)
    return first.expand(0, len(first.expand(0, None)) - count)


def scalars(c: ForCursor) -> dict[Sym, AllocCursor]:
    """The variables of a nest that are numbers."""
    return {s.sym: s for s in statements(c) if isinstance(s, AllocCursor) and not s.is_tensor()}
