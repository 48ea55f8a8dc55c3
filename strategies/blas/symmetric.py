"""Products with a symmetric matrix, of which one triangle is stored."""

from __future__ import annotations

from exo_strat import (
    AssignCursor,
    Cursor,
    ForCursor,
    Machine,
    Memory,
    Op,
    Proc,
    ProcCursor,
    ReadCursor,
    Script,
    cut_loop,
    divide_loop,
    fission,
    focus,
    identity,
    mentions,
    moves,
    nav,
    on,
    reorder_loops,
    replace,
    seq,
    set_memory,
    shift_loop,
    simplify,
    strategy,
)

from .. import std
from ..inspect import inner_loop, loops_inside, trip_count
from ..std.writing import INSIDE, text
from .triangles import loop_over, turned

BAND = 8
"""Rows of a square of the diagonal that are mirrored together."""


@strategy
def optimize_symmetric(
    p: Proc, c: ProcCursor, machine: Machine, precision: str, depth: int, product: Proc, memory: Memory
) -> Script:
    """`for p: for i: t = a[i, p] if .. else a[p, i]; for j: c += t * b  ~>  for po: t[..] = a[..]; product(..)`.

    As many rows of the symmetric matrix at a time as a block of a product has are written out, by vectors and by tiles
    that are turned; then one product is added. Focus: the procedure. Returns it.

    >>> from backends.targets import avx2
    >>> from exo_strat import DRAM, proc_from_source, schedule
    >>> product = proc_from_source('''
    ... def product(m: size, n: size, k: size, a: [f32][m, k], b: [f32][k, n], c: [f32][m, n]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             for p in seq(0, k):
    ...                 c[i, j] += a[i, p] * b[p, j]
    ... ''')
    >>> symm = proc_from_source('''
    ... def symm(m: size, n: size, a: f32[m, m], b: f32[m, n], c: f32[m, n]):
    ...     for p in seq(0, m):
    ...         for i in seq(0, m):
    ...             t: f32
    ...             t = a[i, p] if p <= i else a[p, i]
    ...             for j in seq(0, n):
    ...                 c[i, j] += t * b[p, j]
    ... ''')
    >>> q = schedule(optimize_symmetric(avx2, "f32", 64, product, DRAM), symm)
    >>> print("\\n".join(line for line in str(q).split("\\n") if "product" in line))
            product(m, n, 64, t[0:m, 0:64], b[64 * po:64 * po + 64, 0:n], c[0:m, 0:n])
            product(m, n, m % 64, t[0:m, 0:m % 64], b[64 * (m / 64):m, 0:n], c[0:m, 0:n])
    """
    size = text(loop_over(p, "p").hi())
    p, full = yield seq(nav(moves.find_loop("p")), divide_loop(depth, ("po", "p"), tail="cut_and_guard"))
    for blocks, first in ((full, f"{depth} * po"), (full.next(), f"{depth} * ({size} / {depth})")):
        yield on(blocks, nav(INSIDE), block(machine, precision, product, memory, first))
    yield seq(nav(moves.root), simplify())
    return None


@strategy
def block(p: Proc, c: ForCursor, machine: Machine, precision: str, product: Proc, memory: Memory, first: str) -> Script:
    """The same for the rows from `first` on. Focus: the loop over them."""
    inner, count = c.body()[0], text(c.hi())
    left = isinstance(inner, ForCursor) and inner.name() == "i"
    p, outer = yield reorder_loops() if left else focus(c)
    p, both = yield std.fission_into_singles(2)
    written, sums = both[0], both[1]
    buffer = written.prev()
    if not left:
        yield on(sums, nav(INSIDE), reorder_loops())
        p, sums = yield on(sums, reorder_loops())
    yield on(sums, nav(INSIDE), reorder_loops())
    p, rows = yield focus(written) if left else on(written, reorder_loops())
    yield on(sums, replace(product))
    # before the square of the diagonal, in it, and after it
    p, before = yield on(rows, cut_loop(first))
    p, square = yield on(before.next(), cut_loop(f"{first} + {count}"))
    after = square.next()
    yield seq(nav(moves.root), simplify())
    for part in (before, after):
        p, _ = yield on_what_is_left(part, moved(machine, precision))
    yield on(square, mirrored(machine, precision))
    yield on(buffer, set_memory(memory))
    return None


@strategy
def on_what_is_left(p: Proc, c: Cursor, part: ForCursor, op: Op) -> Script:
    """`op` at a loop, unless it was empty and is gone. Focus: any. Returns the procedure."""
    yield on(part, op) if p.forward(part).is_valid else identity
    yield nav(moves.root)
    return None


@strategy
def moved(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """`for i: for p: t[i, p] = a[..]` by vectors, or by tiles, if the matrix is turned. Focus: the nest."""
    last = mentions(assignment(c).idx()[-1].node)
    p, rows = yield focus(c) if inner_loop(c).sym in last else reorder_loops()
    s, columns = assignment(rows), inner_loop(rows)
    tile = turned(machine, precision)
    read = s.rhs()
    assert isinstance(read, ReadCursor)
    if columns.sym in mentions(read.idx()[-1].node):
        yield on(columns, std.vectorize_for(machine, precision)) if machine.vec_widths else identity
    elif tile is not None:
        height, width = (trip_count(loop) or 1 for loop in loops_inside(tile.root()))
        p, tiles = yield on(rows, std.tile(height, width, tail="cut"))
        yield on(tiles, nav(INSIDE), nav(INSIDE), simplify(), replace(tile))
    return None


@strategy
def mirrored(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """The square of the diagonal, a band of rows at a time: what is before the diagonal, a small square, and what is
    after it. Focus: the nest, whose rows begin with that of the diagonal."""
    p, bands = yield seq(shift_loop(0), divide_loop(BAND, ("ro", "ri"), tail="cut_and_guard"))
    size, parts = text(inner_loop(c).hi()), list[ForCursor]()
    squares = list[ForCursor]()
    for band, row, end in (
        (bands, f"{BAND} * ro", f"{BAND} * ro + {BAND}"),
        (bands.next(), f"{BAND} * (({size}) / {BAND})", size),
    ):
        rows = band.body()[0]
        p, before = yield on(inner_loop(rows), cut_loop(row))
        p, square = yield on(before.next(), cut_loop(end))
        yield on(before, nav(moves.after), fission())
        p, after = yield on(square, nav(moves.after), fission())
        parts += [rows, after]
        yield on(square, shift_loop(0))
        squares.append(square)
    yield seq(nav(moves.root), simplify())
    yield on(squares[0], nav(moves.parent), std.unroll_loops(BAND), nav(moves.root), simplify())
    for part in parts:
        p, _ = yield on_what_is_left(part, moved(machine, precision))
    return None


def assignment(c: ForCursor) -> AssignCursor:
    """The only statement of a nest."""
    s = inner_loop(c).body()[0]
    assert isinstance(s, AssignCursor)
    return s
