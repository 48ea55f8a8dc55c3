"""Level 2: loops over the rows of a matrix.

One plan for all of them, rectangles and triangles. Rows are taken several at a time, so that vectors are loaded once
for all of them; what is inside is a loop of level 1. Of a triangle, the rows of a block share a rectangle, and what is
left is a small triangle.
"""

from __future__ import annotations

from itertools import groupby
from typing import Final

from exo_strat import (
    DRAM_STACK,
    AssignCursor,
    ForCursor,
    Machine,
    Op,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    StmtCursor,
    cut_loop,
    divide_loop,
    fail,
    focus,
    forms,
    hole,
    identity,
    moves,
    nav,
    on,
    reduce,
    reorder_stmts,
    seq,
    shift_loop,
    specialize,
    strategy,
    try_else,
    unroll_loop,
)

from .. import std
from ..inspect import (
    affine_bound,
    growth,
    inner_loop,
    innermost_loops,
    is_rectangle,
    loops_inside,
    slope,
    statements,
    trip_count,
)
from ..std.writing import INSIDE, element, halves, text
from .level1 import TOGETHER, optimize_level_1

# What holes are filled with unless said: as measured by `python -m benchmarks.blas --level 2 --level skinny`, and
# `python -m benchmarks.tuning --kernel gemv --kernel gemv_t`.

MANY: Final = (1, 2, 4, 8)
"""How many rows, or vectors of columns, may be taken together."""

ROWS, VECTORS = 4, 2
"""Rows, and vectors of columns, that are taken together."""

FEW: Final = 8
"""Columns from which on vectors pay in rows that are not taken together."""


@strategy
def optimize_level_2_general(
    p: Proc,
    c: ForCursor,
    machine: Machine,
    precision: str,
    rows: int = 0,
    vectors: int = 0,
    strict: bool = False,
    shorter: Machine | None = None,
) -> Script:
    """`for i: for j: s  ~>  for io: for j: s[0]; ..; s[r-1]`, for r rows at a time, and level 1 on the loops inside.

    So many `rows`, and `vectors` of columns, are taken together; what isn't given is a hole. Columns are those of a
    rectangle, or of a triangle, where the first or last one depends on the row. Without vectors, rows stay apart.
    `strict` and `shorter` are as in `optimize_level_1`. Focus: the loop over rows. Returns the procedure. Paper:
    appendix D.2.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def gemv(m: size, n: size, a: f32[m, n], x: f32[n], y: f32[m]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             y[i] += a[i, j] * x[j]
    ... ''')
    >>> q = schedule(at("for i in _: _", optimize_level_2_general(avx2, "f32", rows=2, vectors=1)), p)
    >>> from strategies.inspect import loops_inside
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())]
    ['io < m / 2', 'joo < n / 8', 'ii < m % 2', 'joo < n / 16']
    """
    p, c = yield on(c, std.locals_in(DRAM_STACK), focus(c))
    if not machine.vec_widths:
        yield reduce(optimize_level_1(machine, precision, strict=strict), innermost_loops)
        yield std.cleanup()
        return None
    rows = rows or (yield hole("rows", MANY, default=ROWS))
    vectors = vectors or (yield hole("vectors", MANY, default=VECTORS))
    columns = optimize_level_1(machine, precision, vectors, strict, shorter)
    if growth(c):
        yield triangle_in_blocks(rows, columns)
    else:
        p, blocks = yield try_else(*[divide_loop(rows, halves(c), tail=tail) for tail in ("perfect", "cut")])
        _, *rest = blocks.expand(0, None)
        yield on(blocks, nav(INSIDE), block_of_rows(columns))
        for loop in rest:
            fewer = optimize_level_2_general(machine, precision, rows // 2, 2 * vectors, strict, shorter)
            apart = reduce(optimize_level_1(machine, precision, 2 * vectors, strict, shorter), innermost_loops)
            yield on(loop, fewer if rows > 2 else apart)
    yield std.cleanup()
    return None


@strategy
def optimize_updates(
    p: Proc,
    c: ForCursor,
    machine: Machine,
    precision: str,
    together: int = 0,
    longer: Machine | None = None,
    apart_from: int = 0,
) -> Script:
    """`for i: for j in (0, n): s  ~>  if n < 8: s; else: if n < k: level 1 on each row; else: as in level 2, general`.

    For updates of a matrix: rows taken together load less, but store to several cache lines in turns. So they are only
    from `together` columns on, k, if it is given. If there is a machine with `longer` vectors, its rows are taken
    together whether k is given or not, but for those from `apart_from` columns on, if that is. Holes: from so `few`
    columns on there are vectors, and so many `vectors` together in rows that are apart. Focus: the loop over rows.
    Returns the procedure.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def ger(m: size, n: size, x: f32[m], y: f32[n], a: f32[m, n]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             a[i, j] += x[i] * y[j]
    ... ''')
    >>> q = schedule(at("for i in _: _", optimize_updates(avx2, "f32")), p)
    >>> from strategies.inspect import loops_inside
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())]
    ['i < m', 'j < n', 'i < m', 'joo < n / 32', 'joi < n / 8 % 4', 'ji < n % 8']
    >>> from backends.targets import avx512
    >>> q = schedule(at("for i in _: _", optimize_updates(avx2, "f32", longer=avx512, apart_from=128)), p)
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())][5:10]
    ['jioo < n / 8 % 2', 'jii < n % 8', 'io < m / 4', 'joo < n / 16', 'jioo < n / 8 % 2']
    """
    end = text(c.hi() if growth(c) else inner_loop(c).hi())
    p, c = yield on(c, std.locals_in(DRAM_STACK), focus(c))
    rest, vectors = machine if longer else None, 0
    apart: list[StmtCursor] = [c]
    if machine.vec_widths:
        few = yield hole("few", (4, 8, 16), default=FEW)
        vectors = yield hole("vectors", MANY, default=TOGETHER)
        others = [f"{apart_from} <= {end}"] * bool(apart_from) if longer else [f"{end} < {together}"] * bool(together)
        p, choice = yield specialize([f"{end} < {few}", *others])
        last = choice.orelse()[0]
        apart = [last.body()[0]] if others else []
        last = last.orelse()[0] if others else last
        if others or longer:
            blocks = optimize_level_2_general(longer or machine, precision, vectors=1 if longer else 0, shorter=rest)
            yield on(last, blocks)
        else:
            apart = [last]
    for rows in apart:
        yield on(rows, reduce(optimize_level_1(longer or machine, precision, vectors, shorter=rest), innermost_loops))
    yield std.cleanup()
    return None


@strategy
def triangle_in_blocks(p: Proc, c: ForCursor, rows: int, columns: Op) -> Script:
    """`for i in (0, n): s  ~>  for i in (0, n % r): s; for io in (0, n / r): s[0]; ..; s[r - 1]`, or the latter first.

    The shortest rows of a triangle, first or last, are those that make no block of r rows. They stay as they are.
    Focus: the loop over rows. Returns the procedure.
    """
    longer = growth(c) > 0
    if longer:
        p, c = yield seq(cut_loop(f"{text(c.hi())} % {rows}"), nav(moves.next_()), shift_loop(0))
    yield on(c, divide_loop(rows, halves(c), tail="perfect" if longer else "cut"), blocks_of_triangle(columns))
    return None


@strategy
def blocks_of_triangle(p: Proc, c: ForCursor, columns: Op) -> Script:
    """`for io in (0, n): s  ~>  if 0 < n: s[0]; for io in (1, n): s[io]`: the shortest rows, first or last, are apart.

    They stay as they are, as their columns are fewer than rows. Where rows need what those before them were solved for,
    so many columns that all have are added up with the small triangle: numbers stored one by one are not loaded as a
    vector soon after. Focus: the loop over blocks. Returns the procedure.
    """
    rows = loops_inside(c)[0]
    longer, near = growth(rows) > 0, (trip_count(rows) or 1) if needs_others(rows) else 0
    latest_first = slope(inner_loop(rows).lo(), rows) != 0
    p, short = yield std.if_it_runs(cut_loop(1 if longer else f"{text(c.hi())} - 1"))
    short, blocks = (short, short.next()) if longer else (short.next(), short)
    yield on(short, nav(INSIDE), block_of_rows())
    yield on(blocks, nav(INSIDE), block_of_rows(columns, near))
    if near and latest_first:
        yield on(blocks, latest_last())
    return None


@strategy
def latest_last(p: Proc, c: ForCursor) -> Script:
    """`for i: t += s1; t += s2; t += s3  ~>  for i: t += s3; t += s2; t += s1`: what is known last is added last.

    Focus: the loop.
    """
    sums = [s for s in c.body() if isinstance(s, ReduceCursor)]
    for _, run in groupby(sums, element):
        for before, s in enumerate(run):
            yield on(s, *[std.reorder_before()] * before)
    return None


def needs_others(rows: ForCursor) -> bool:
    """Whether rows read in a loop over columns what others write outside of it."""
    columns = inner_loop(rows)
    inside = {s.sym for s in statements(columns) if isinstance(s, AssignCursor | ReduceCursor)}
    written = {s.sym for s in rows.body() if isinstance(s, AssignCursor | ReduceCursor)} - inside
    reads = (e for s in columns.body() for e in s.descendants() if isinstance(e, ReadCursor) and e.idx())
    return any(e.sym in written for e in reads)


@strategy
def block_of_rows(p: Proc, c: ForCursor, columns: Op = identity, near: int = 0) -> Script:
    """`for ii: s1; for j: s2  ~>  s1[0]; ..; for j: s2[0]; s2[1]; ..`, and `columns` for the loop over columns.

    So many columns that are `near` those that not all rows have are taken with these. Focus: the loop over rows.
    """
    first, rows = inner_loop(c), trip_count(c) or 1
    p, around = yield try_else(nav(moves.parent), nav(moves.root))
    p, first = yield try_else(on(first, apart_from_triangle(c, near)), focus(first))
    p, found = yield on(c, std.fission_where_possible())
    parts = list(found)
    for n, part in enumerate(parts):
        if len(loops_inside(part)) > 1:  # rows need those before: the triangle and the rectangle change places
            yield on(first, nav(moves.expand(0, 1)), reorder_stmts())
            p, found = yield on(part, std.fission_where_possible())
            parts[n : n + 1] = found
    loops = [part.body()[0] for part in parts if is_rectangle(part)]
    for part in parts:
        yield on(part, std.jam() if is_rectangle(part) else unroll_loop())
    for loop in loops:  # after all, as level 1 unrolls what is as short as its vectors are many
        yield on(loop, std.share_sums(), focus(loop), columns)
    yield on(around, std.unroll_loops(rows + near))
    return None


@strategy
def apart_from_triangle(p: Proc, c: ForCursor, rows: ForCursor, near: int = 0) -> Script:
    """`for ii in (0, r): for j in (0, e + ii): s  ~>  for ii: (for j in (0, e): s); for j in (e, e + ii): s`.

    The columns that all rows have, and the others; so, too, where the first column depends on the row, or both do.
    So many of the common columns that are `near` the others go with them; of rows that only begin later and later,
    those before a multiple of their number: where rows begin with a whole vector, what they have in common often does,
    too. Focus: the loop over columns. Fails if neither depends.
    """
    depend = [(bound, least) for bound, least in ((c.lo(), -1), (c.hi(), 1)) if slope(bound, rows)]
    cuts = []
    for bound, least in depend:
        last = affine_bound(rows.hi()) - 1
        grows = slope(bound, rows) * least > 0
        common = forms.subst_lin(affine_bound(bound), {forms.V(rows.sym): forms.Lin(0) if grows else last})
        if grows:
            common -= least * near
        elif least < 0 and len(depend) == 1:
            common += -common.const % (trip_count(rows) or 1)
        cuts.append(common)
    if not cuts:
        yield fail("the columns do not depend on the row")
    for common in reversed(cuts):
        yield on(c, cut_loop(forms.to_expr(common)))
    return c
