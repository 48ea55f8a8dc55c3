"""Sums to which all rows of a matrix add: private ones for blocks of rows, so that threads can share the rows."""

from __future__ import annotations

from exo_strat import (
    AllocCursor,
    ForCursor,
    Proc,
    ReduceCursor,
    Script,
    Sym,
    divide_loop,
    fail,
    fission,
    focus,
    forms,
    moves,
    nav,
    on,
    parallelize_loop,
    repeat,
    strategy,
    tighten_loop,
)

from .. import std
from ..inspect import accesses, affine_bound, enclosing_ifs, enclosing_loops, statements, unique_name
from ..std.writing import INSIDE, halves
from .triangles import is_short


@strategy
def private_sums(p: Proc, c: ForCursor, rows: int) -> Script:
    """`for i: for j: z[j] += a[i, j]  ~>  for io in par: t[io] = 0; for ii: for j: t[io, j] += ..; for io: z[j] += ..`.

    Each block of `rows` iterations has sums of its own (privatization), so blocks are independent, and the sums are the
    same for any number of threads. Focus: the loop. Returns the loop over blocks, which is parallel; the one that adds
    them up is next. Fails if iterations don't all add to the same elements of an array, if they need each other in
    another way, or if there is one block.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, a: f64[n, n], w: f64[n], z: f64[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             z[j] += a[i, j] * w[i]
    ... ''')
    >>> print(schedule(at("for i in _: _", private_sums(256)), p))
    def foo(n: size, a: f64[n, n] @ DRAM, w: f64[n] @ DRAM, z: f64[n] @ DRAM):
        part: f64[(n + 255) / 256, n] @ DRAM
        for io in par(0, (n + 255) / 256):
            for i0 in seq(0, n):
                part[io, i0] = 0.0
            for ii in seq(0, min(256, n - 256 * io)):
                for j in seq(0, n):
                    part[io, j] += a[256 * io + ii, j] * w[256 * io + ii]
        for io in seq(0, (n + 255) / 256):
            for i0 in seq(0, n):
                z[i0] += part[io, i0]
    """
    sums = common_sums(c)
    if not sums or is_short(c, rows):
        yield fail("there is no array to which all iterations add, or they are few")
    p, blocks = yield divide_loop(rows, halves(c), tail="guard")
    p, _ = yield on(blocks, nav(INSIDE), repeat(tighten_loop()))
    p, block = yield focus(blocks.body()[0])
    for z in sums:
        p, block = yield on(block, std.auto_stage_mem(z.name, unique_name(p, "part"), accum=True))
    p, blocks = yield focus(blocks)
    for s in [s for s in blocks.body() if isinstance(s, AllocCursor)]:
        p, _ = yield on(s, std.expand_alloc())
    p, block = yield focus(block)
    p, _ = yield on(block, nav(moves.after), fission())
    p, blocks = yield on(blocks, parallelize_loop())
    return blocks


def common_sums(c: ForCursor) -> list[Sym]:
    """The arrays that a loop only adds to, in each iteration to the same elements, one after the other.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, a: f64[n, n], y: f64[n], z: f64[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             y[i] += a[i, j]
    ...             z[j] += a[i, j]
    ... ''')
    >>> common_sums(p.find_loop("i"))
    [z_3]
    """
    found = accesses(c.body())
    own = {s.sym for s in c.descendants() if isinstance(s, AllocCursor)}
    added = [s for s in statements(c) if isinstance(s, ReduceCursor) and s.sym not in own]
    kinds = {z: {a.kind for a in found if a.sym is z} for z in dict.fromkeys(s.sym for s in added)}
    return [z for z, kind in kinds.items() if kind == {"A"} and all(covers(s, c) for s in added if s.sym is z)]


def covers(s: ReduceCursor, c: ForCursor) -> bool:
    """Whether each iteration of a loop adds to the same neighbours, without a condition: else there would be many more
    private sums than numbers that are added up, and elements to which nothing is added would be touched."""
    if any(len(x.path) > len(c.path) for x in enclosing_ifs(s)):
        return False
    moving, still = {forms.V(c.sym)}, set[forms.Atom]()
    for x in enclosing_loops(s):
        if len(x.path) > len(c.path):
            bounds = {atom for e in (x.lo(), x.hi()) for atom in forms.lin_atoms(affine_bound(e))}
            (still if moving.isdisjoint(bounds) else moving).add(forms.V(x.sym))
    index = [forms.affine(e.node) for e in s.idx()]
    if not index or None in index:
        return False
    atoms = {atom for x in index if x is not None for atom in forms.lin_atoms(x)}
    steps = [abs(index[-1].coefficient(v)) for v in still & atoms] if index[-1] else []
    return moving.isdisjoint(atoms) and all(isinstance(v, forms.V) for v in atoms) and 1 in steps
