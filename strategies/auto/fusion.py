"""What stands in loops together and what apart: nests that read one matrix, rows that a loop has for itself, sums."""

from __future__ import annotations

from exo_strat import (
    AllocCursor,
    AssignCursor,
    ForCursor,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    StmtCursor,
    Sym,
    attempt,
    fail,
    focus,
    fuse,
    mentions,
    on,
    shift_loop,
    split_write,
    strategy,
    try_else,
)

from .. import std
from ..inspect import accesses, enclosing_loops, loops_inside, nest, statements, symbols_read
from .products import product_of
from .strides import contiguous_innermost

MATRIX = 2
"""The dimensions from which on an array is too large to be read twice: elements grow with the product of two sizes."""


# -- passes over a matrix -----------------------------------------------------------------------------


@strategy
def in_one_pass(p: Proc, c: ForCursor) -> Script:
    """`for i: for j: y[i] += a[i, j] * x[j]; for i: for j: z[j] += a[i, j] * w[i]  ~>  for i: for j: both`.

    A nest of two loops around reductions with the nests after it that use the same matrix, as far as dependences allow:
    it comes from memory once. Where the loops inside can't be one, those outside are, and a row is still in the cache.
    Focus: the outer loop. Returns the outer loop. Fails if nothing is fused.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def mvt(n: size, a: f64[n, n], x: f64[n], y: f64[n], z: f64[n], w: f64[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             y[i] += a[i, j] * x[j]
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             z[i] += a[j, i] * w[j]
    ... ''')
    >>> print(schedule(at("for i in _: _", in_one_pass()), p))
    def mvt(n: size, a: f64[n, n] @ DRAM, x: f64[n] @ DRAM, y: f64[n] @ DRAM, z: f64[n] @ DRAM, w: f64[n] @ DRAM):
        for i in seq(0, n):
            for j in seq(0, n):
                y[i] += a[i, j] * x[j]
                z[j] += a[i, j] * w[i]
    """
    *_, inner = nest(c)
    if not all(isinstance(s, ReduceCursor) for s in inner.body()):
        yield fail("this is no nest around reductions")
    fused = 0
    while (other := following(c)) and matrices(c) & matrices(other):
        before = p
        p, _ = yield attempt(with_next())
        if p is before:
            break
        p, c = yield focus(c)
        fused += 1
    if not fused:
        yield fail("no nest of two loops that uses the same matrix can be fused with this one")
    return c


def following(c: ForCursor) -> ForCursor | None:
    """The loop right after one, if there is one."""
    after = c.expand(0, None)
    return after[1] if len(after) > 1 and isinstance(after[1], ForCursor) else None


def matrices(c: ForCursor) -> set[Sym]:
    """The matrices that a nest of two loops uses; none for other nests."""
    inside = loops_inside(c)
    if not inside or any(loops_inside(x) for x in inside) or not all(map(is_simple, statements(c))):
        return set()
    return {a.sym for a in accesses(c.body()) if len(a.index) >= MATRIX}


def is_simple(s: StmtCursor) -> bool:
    """Whether a statement is a loop, an assignment or a reduction."""
    return isinstance(s, ForCursor | AssignCursor | ReduceCursor)


@strategy
def with_next(p: Proc, c: ForCursor) -> Script:
    """`for i: for j: s1; for i: for j: s2  ~>  for i: for j: s1; s2`, of nests in the order of their elements.

    Focus: the outer loop of the first, which is returned.
    """
    p, c = yield try_else(contiguous_innermost(), focus(c))
    later = following(c)
    assert later is not None
    p, later = yield on(later, try_else(contiguous_innermost(), focus(later)))
    p, c = yield focus(c) >> fuse(later)
    p, c = yield inner_loops_fused()
    return c


@strategy
def inner_loops_fused(p: Proc, c: ForCursor) -> Script:
    """`for i: for j: s += a[i, j] * x[j]; for j: t += b[i, j] * x[j]  ~>  for i: for j: both`, if they share an array.

    Focus: the outer loop, which is returned. Never fails.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, a: f64[n, n], b: f64[n, n], x: f64[n], y: f64[n], z: f64[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             y[i] += a[i, j] * x[j]
    ...         for j in seq(0, n):
    ...             z[i] += b[i, j] * x[j]
    ... ''')
    >>> print(schedule(at("for i in _: _", inner_loops_fused()), p))
    def foo(n: size, a: f64[n, n] @ DRAM, b: f64[n, n] @ DRAM, x: f64[n] @ DRAM, y: f64[n] @ DRAM, z: f64[n] @ DRAM):
        for i in seq(0, n):
            for j in seq(0, n):
                y[i] += a[i, j] * x[j]
                z[i] += b[i, j] * x[j]
    """
    for loop in [s for s in c.body() if isinstance(s, ForCursor)][::-1]:
        other = following(loop)
        if other and not set(symbols_read(loop)).isdisjoint(symbols_read(other)):
            p, _ = yield attempt(on(loop, fuse(other)))
    yield focus(c)
    return c


# -- rows of a loop's own -----------------------------------------------------------------------------


@strategy
def rows_expanded(p: Proc, c: ForCursor) -> Script:
    """`for j: t: T[n]; for s: for k: t[k] += a[j, s] * b[s, k]; s1  ~>  t: T[m, n]; for j: for s: ..; for j: s1`.

    A row that each iteration has for itself becomes a matrix, so that what is computed in it is a product of matrices.
    Loops further out have a matrix for each iteration, so that threads can share them.
    Focus: the outermost of a nest of loops, the last of which has such rows. Returns the block of loops in its place.
    Fails if none of these is a product.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f64[m, n], w: f64[n, n]):
    ...     for j in seq(0, m):
    ...         t: f64[n]
    ...         for k in seq(0, n):
    ...             t[k] = 0.0
    ...         for s in seq(0, n):
    ...             for k in seq(0, n):
    ...                 t[k] += x[j, s] * w[s, k]
    ...         for k in seq(0, n):
    ...             x[j, k] = t[k]
    ... ''')
    >>> print(schedule(at("for j in _: _", rows_expanded()), p))
    def foo(m: size, n: size, x: f64[m, n] @ DRAM, w: f64[n, n] @ DRAM):
        t: f64[m, n] @ DRAM
        for j in seq(0, m):
            for k in seq(0, n):
                t[j, k] = 0.0
        for j in seq(0, m):
            for s in seq(0, n):
                for k in seq(0, n):
                    t[j, k] += x[j, s] * w[s, k]
        for j in seq(0, m):
            for k in seq(0, n):
                x[j, k] = t[j, k]
    """
    inner = nest(c)[-1]
    rows = [s for s in inner.body() if isinstance(s, AllocCursor) and s.is_tensor()]
    if not rows:
        yield fail("no loop of it has rows of its own")
    p, inner = yield on(inner, shift_loop(0))
    p, parts = yield on(inner, std.fission_where_possible())
    if not any(product_of(s) for s in parts if isinstance(s, ForCursor)):
        yield fail("it is no product of matrices, even if each iteration keeps its row")
    return parts


# -- sums ---------------------------------------------------------------------------------------------


@strategy
def sums_apart(p: Proc, c: ReduceCursor) -> Script:
    """`x[i, j] += c * (a[i, k] * b[k, j] + d[i, k] * e[k, j])  ~>  x[i, j] += c * a * b; x[i, j] += c * d * e`.

    A sum of products of matrices, in three loops, as a reduction for each: then each is a product of matrices. Focus:
    the reduction.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, c: f64, a: f64[n, n], b: f64[n, n], x: f64[n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             for k in seq(0, n):
    ...                 x[i, j] += c * (a[i, k] * b[j, k] + b[i, k] * a[j, k])
    ... ''')
    >>> print(schedule(at("x[_] += _", sums_apart()), p))
    def foo(n: size, c: f64 @ DRAM, a: f64[n, n] @ DRAM, b: f64[n, n] @ DRAM, x: f64[n, n] @ DRAM):
        for i in seq(0, n):
            for j in seq(0, n):
                for k in seq(0, n):
                    x[i, j] += c * (a[i, k] * b[j, k])
                    x[i, j] += c * (b[i, k] * a[j, k])
    """
    if not adds_up(c):
        yield fail("this is no sum in three loops")
    p, both = yield split_write()
    if not all(map(multiplies_matrices, both)):
        yield fail("not all that is added are products of matrices")
    for s in both:
        p, _ = yield attempt(on(s, sums_apart()))


def adds_up(s: ReduceCursor, levels: int = 0) -> bool:
    """Whether a statement adds something up in three loops or more, so many outer ones not counted."""
    loops = enclosing_loops(s)[levels:]
    moving = {x for e in s.idx() for x in mentions(e.node)}
    return s.op() == "+" and len(loops) > 2 and not moving.issuperset(x.sym for x in loops)


def has_products(c: ForCursor) -> bool:
    """Whether a nest has sums of products of matrices in it, in three loops: it, or parts of it, may be a product.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, a: f64[n, n], x: f64[n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, i):
    ...             for k in seq(0, n):
    ...                 x[i, j] += a[i, k] * a[j, k]
    ... ''')
    >>> has_products(p.find_loop("i")), has_products(p.find_loop("j"))
    (True, False)
    """
    levels = len(enclosing_loops(c))
    return any(isinstance(s, ReduceCursor) and adds_up(s, levels) and multiplies_matrices(s) for s in statements(c))


def multiplies_matrices(s: StmtCursor) -> bool:
    """Whether a statement reads two matrices."""
    return sum(isinstance(e, ReadCursor) and len(e.idx()) >= MATRIX for e in s.descendants()) >= 2


__all__ = ["has_products", "in_one_pass", "inner_loops_fused", "matrices", "rows_expanded", "sums_apart"]
