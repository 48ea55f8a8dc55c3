"""Normal forms by fission and by fusion: what stands in one loop, and what in loops of its own."""

from __future__ import annotations

from exo_strat import (
    AllocCursor,
    AssignCursor,
    Cursor,
    LiteralCursor,
    Op,
    Proc,
    ReduceCursor,
    Script,
    StmtCursor,
    fail,
    fission,
    fuse,
    moves,
    named,
    nav,
    reframe,
    reorder_stmts,
    resize_dim,
    seq,
    sink_alloc,
    strategy,
    traversals,
    try_else,
    when,
)

from ..inspect import bounds
from ..std import expand_alloc
from .exhaust import applies_nowhere, exhaust
from .loops import is_scope
from .sums import divides_in_place


@named
def nest_nf() -> Op:
    """`for i: s1; for k: x += e; s2  ~>  for i: s1; for i: for k: x += e; for i: s2`: reductions in nests of their own.

    As far as dependences allow; a reduction stays beside what it cannot be taken from, such as a buffer that is
    allocated in the loop (see `fission_nf`). This is what `reorder_loops` and tiling ask for.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def gemv(m: size, n: size, a: f32[m, n], x: f32[n], y: f32[m]):
    ...     for i in seq(0, m):
    ...         y[i] = 0.0
    ...         for j in seq(0, n):
    ...             y[i] += a[i, j] * x[j]
    ... ''')
    >>> print(schedule(nest_nf(), p))
    def gemv(m: size, n: size, a: f32[m, n] @ DRAM, x: f32[n] @ DRAM, y: f32[m] @ DRAM):
        for i in seq(0, m):
            y[i] = 0.0
        for i in seq(0, m):
            for j in seq(0, n):
                y[i] += a[i, j] * x[j]
    """
    return exhaust(nest_step())


def is_nest_nf(p: Proc) -> bool:
    """Whether no reduction can be taken from its neighbours into a nest of its own.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n, 4]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...         for j in seq(0, 4):
    ...             x[i] += y[i, j]
    ... ''')
    >>> is_nest_nf(p), is_nest_nf(schedule(nest_nf(), p))
    (False, True)
    """
    return applies_nowhere(nest_step(), p)


@named
def nest_step() -> Op:
    """One step to `nest_nf`. Focus: a reduction, or a nest around nothing else.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...         y[i] += 1.0
    ... ''')
    >>> print(schedule(at("y[_] += _", nest_step()), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
        for i in seq(0, n):
            y[i] += 1.0
    """
    return when(is_reduction_nest, try_else(reframe(moves.before, fission()), reframe(moves.after, fission())))


def is_reduction_nest(c: Cursor) -> bool:
    """Whether the focus is a reduction, or divides what is there, or is loops and branches around nothing but one."""
    inside = traversals.kids(c)
    if is_scope(c):
        return len(inside) == 1 and is_reduction_nest(inside[0])
    return isinstance(c, ReduceCursor) or (isinstance(c, AssignCursor) and divides_in_place(c))


@named
def fission_nf() -> Op:
    """`for i in (0, n): a: T; s1; s2  ~>  a: T[n]; for i: s1[a -> a[i]]; for i: s2[a -> a[i]]`, wherever it is right.

    Every loop has as little in it as dependences allow, every buffer an element for each iteration of the loops that
    it stood in.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         a: f32
    ...         a = x[i] * x[i]
    ...         y[i] = a
    ... ''')
    >>> print(schedule(fission_nf(), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        a: f32[n] @ DRAM
        for i in seq(0, n):
            a[i] = x[i] * x[i]
        for i in seq(0, n):
            y[i] = a[i]
    """
    return exhaust(fission_step())


def is_fission_nf(p: Proc) -> bool:
    """Whether no loop or branch can be split, and no buffer taken out of one.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n, 4]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...         for j in seq(0, 4):
    ...             x[i] += y[i, j]
    ... ''')
    >>> is_fission_nf(p), is_fission_nf(schedule(fission_nf(), p))
    (False, True)
    """
    return applies_nowhere(fission_step(), p)


@named
def fission_step() -> Op:
    """One step to `fission_nf`. Focus: an allocation, or a statement after which a scope is to be split.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...         y[i] = x[i]
    ... ''')
    >>> print(schedule(at("x[_] = _", fission_step()), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
        for i in seq(0, n):
            y[i] = x[i]
    """
    return try_else(expand_alloc(), reframe(moves.after, fission()))


def is_alloc(c: Cursor) -> bool:
    """Whether the focus is an allocation."""
    return isinstance(c, AllocCursor)


@named
def fuse_nf() -> Op:
    """`for i: s1; for i: s2  ~>  for i: s1; s2`, wherever it is right, and buffers where they are needed only.

    Allocations go up in their block, so that they are not in the way, or into the only loop or branch that uses them.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     a: f32[n]
    ...     for i in seq(0, n):
    ...         a[i] = x[i] * x[i]
    ...     for j in seq(0, n):
    ...         y[j] = a[j]
    ... ''')
    >>> print(schedule(fuse_nf(), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            a: f32[1] @ DRAM
            a[0] = x[i] * x[i]
            y[i] = a[0]
    """
    return exhaust(fuse_step())


def is_fuse_nf(p: Proc) -> bool:
    """Whether no neighbours can be fused, and no buffer made smaller or moved in.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n, 4]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...         for j in seq(0, 4):
    ...             x[i] += y[i, j]
    ... ''')
    >>> is_fuse_nf(p), is_fuse_nf(schedule(fission_nf(), p))
    (True, False)
    """
    return applies_nowhere(fuse_step(), p)


@named
def fuse_step() -> Op:
    """One step to `fuse_nf`. Focus: a loop or branch, or an allocation.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     a: f32
    ...     for i in seq(0, n):
    ...         a = x[i]
    ...         x[i] = a * a
    ... ''')
    >>> print(schedule(at("a: _", fuse_step()), p))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            a: f32 @ DRAM
            a = x[i]
            x[i] = a * a
    """
    return try_else(when(is_scope, fuse_next()), sink_alloc(), narrow_alloc(), raise_alloc())


@strategy
def fuse_next(p: Proc, c: StmtCursor) -> Script:
    """`for i: s1; for i: s2  ~>  for i: s1; s2`. Focus: the first loop or branch. Returns the fused one.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...     for j in seq(0, n):
    ...         x[j] += 1.0
    ... ''')
    >>> print(schedule(at("for i in _: _", fuse_next()), p))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
            x[i] += 1.0
    """
    p, c = yield fuse(c.next())
    return c


@strategy
def narrow_alloc(p: Proc, c: AllocCursor) -> Script:
    """`a: T[n]; s(a[e + i])  ~>  a: T[k]; s(a[i])`, if s accesses no more than k elements, a number.

    Focus: the allocation, which is returned.

    >>> from exo_strat import at, proc_from_source, schedule, simplify
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n + 2]):
    ...     for i in seq(0, n):
    ...         a: f32[n + 2]
    ...         for j in seq(0, 3):
    ...             a[i + j] = 2.0
    ...         x[i] = a[i] + a[i + 2]
    ... ''')
    >>> print(schedule(at("a: _", narrow_alloc()) >> simplify(), p))
    def foo(n: size, x: f32[n + 2] @ DRAM):
        for i in seq(0, n):
            a: f32[3] @ DRAM
            for j in seq(0, 3):
                a[j] = 2.0
            x[i] = a[0] + a[2]
    """
    window = bounds(c.next().expand(0, None), c, windows=True)
    for k, (d, lo, old) in enumerate(zip(window.dims, window.lo(), c.shape(), strict=True)):
        size = d.extent()
        if size is not None and not (isinstance(old, LiteralCursor) and old.value() <= size):
            yield resize_dim(k, size, lo)
            return c
    yield fail("no dimension is larger than needed by a number of elements that is known")
    return c


@strategy
def raise_alloc(p: Proc, c: AllocCursor) -> Script:
    """`s; a: T  ~>  a: T; s`. Focus: the allocation, which is returned.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source("def foo(x: f32):\\n    x = 0.0\\n    a: f32\\n    a = x")
    >>> print(schedule(at("a: _", raise_alloc()), p))
    def foo(x: f32 @ DRAM):
        a: f32 @ DRAM
        x = 0.0
        a = x
    """
    first = fail("another allocation is before this one") if is_alloc(c.prev()) else nav(moves.expand(1, 0))
    yield seq(first, reorder_stmts())
    return c
