"""Level 2: loops over the rows of a matrix. Imports `exo_strat`, `std`, `inspect` and `level1`.

One plan for all of them, rectangles and triangles. Rows are taken several at a time, so that vectors are loaded once
for all of them; what is inside is a loop of level 1. Of a triangle, the rows of a block share a rectangle, and what is
left is a small triangle.
"""

from __future__ import annotations

from exo_strat import (
    DRAM_STACK,
    AllocCursor,
    Cursor,
    ExprCursor,
    ForCursor,
    InvalidCursorError,
    Machine,
    Op,
    Proc,
    ReduceCursor,
    Script,
    attempt,
    cut_loop,
    divide_loop,
    fail,
    fission,
    focus,
    moves,
    named,
    nav,
    reorder_stmts,
    seq,
    shift_loop,
    stage_mem,
    try_else,
    unroll_loop,
)

from .. import std
from ..inspect import inner_loop, innermost_loops, is_reduction, loops_inside, nest, trip_count
from ..inspect.affine import Affine, Free, affine, expression
from ..std.writing import INSIDE, element, halves, strategy
from .level1 import locals_in, optimize_level_1


@strategy
def optimize_level_2_general(
    p: Proc, c: ForCursor, precision: str, machine: Machine, rows: int = 4, vectors: int = 2
) -> Script:
    """`for i: for j: s  ~>  for io: for j: s[0]; ..; s[r-1]`, for r rows at a time, and level 1 on the loops inside.

    So many `rows`, and `vectors` of columns, are taken together. Columns are those of a rectangle, or of a triangle,
    where the first or last one depends on the row. Without vectors, rows stay apart. Focus: the loop over rows.
    Returns the procedure. Paper: appendix D.2.
    """
    yield seq(focus(c), locals_in(DRAM_STACK))
    if machine.vec_widths:
        p, blocks = yield seq(focus(c), divide_loop(rows, halves(c), tail="cut"))
        p, rest = yield seq(focus(blocks), nav(moves.next_()))
        yield seq(focus(blocks), nav(INSIDE), block_of_rows(precision, machine, vectors))
    else:
        rest = c
    p, rest = yield focus(rest)
    for loop in innermost_loops(rest):
        yield seq(focus(loop), row(precision, machine, vectors))
    yield std.cleanup()
    return None


@named
def row(precision: str, machine: Machine, vectors: int) -> Op:
    """A loop over the columns of a row, or of several. Focus: the loop. Returns the procedure."""
    return seq(shift_loop(0), optimize_level_1(precision, machine, vectors))


@strategy
def block_of_rows(p: Proc, c: ForCursor, precision: str, machine: Machine, vectors: int) -> Script:
    """`for ii: s1; for j: s2  ~>  s1[0]; ..; for j: s2[0]; s2[1]; ..`, as instructions. Focus: the loop over rows."""
    columns = inner_loop(c)
    p, first = yield try_else(seq(focus(columns), apart_from_triangle(c)), focus(columns))
    p, found = yield seq(focus(c), fission_where_possible())
    parts = list(found)
    for n, part in enumerate(parts):
        if len(loops_inside(part)) > 1:  # rows need those before: the triangle and the rectangle change places
            yield seq(focus(first), nav(moves.expand(0, 1)), reorder_stmts())
            p, found = yield seq(focus(part), fission_where_possible())
            parts[n : n + 1] = found
    rows = trip_count(c)
    # level 1 unrolls what is as short as its vectors are many
    for part in sorted(parts, key=is_rectangle):
        if not is_rectangle(part):
            yield seq(focus(part), unroll_loop())
            continue
        columns = part.body()[0]
        yield seq(focus(part), std.jam(), focus(columns), share_sums())
        yield seq(focus(columns), row(precision, machine, vectors))
    p, c = yield try_else(focus(c), nav(moves.root))
    yield seq(nav(moves.root), std.unroll_loops(rows))
    return None


@strategy
def apart_from_triangle(p: Proc, c: ForCursor, rows: ForCursor) -> Script:
    """`for ii in (0, r): for j in (0, e + ii): s  ~>  for ii: (for j in (0, e): s); for j in (e, e + ii): s`.

    The columns that all rows have, and the others; so, too, where the first column depends on the row, or both do.
    Focus: the loop over columns. Fails if neither depends.
    """
    cuts = []
    for bound, least in ((c.lo(), -1), (c.hi(), 1)):
        factor = slope(bound, rows)
        if factor:
            last = form(rows.hi()) - 1
            cuts.append(form(bound).put(Free(rows.sym), Affine.of(0) if factor * least > 0 else last))
    if not cuts:
        yield fail("the columns do not depend on the row")
    for common in reversed(cuts):
        yield seq(focus(c), cut_loop(expression(common)))
    return c


@strategy
def fission_where_possible(p: Proc, c: ForCursor) -> Script:
    """`for i: a: T; s1; s2; s3  ~>  a: T[n]; for i: s1; for i: s2; s3`: statements that may be in loops of their own.

    Focus: the loop. Returns the block of all loops.
    """
    stmts = list(c.body())
    for s in stmts:
        if isinstance(s, AllocCursor):
            yield seq(focus(s), std.expand_alloc())
    p, loop = yield focus(c)
    count = len(loop.expand(0, None))
    for s in [s for s in stmts if not isinstance(s, AllocCursor)][:-1]:
        p, _ = yield seq(focus(s), attempt(nav(moves.after) >> fission()))
    p, first = yield focus(c)
    return first.expand(0, len(first.expand(0, None)) - count)  # type: ignore[no-any-return]


@strategy
def share_sums(p: Proc, c: ForCursor) -> Script:
    """`for j: y[j] += e1; y[j] += e2  ~>  for j: t = y[j]; t += e1; t += e2; y[j] = t`, with a t for each such element.

    Focus: the loop.
    """
    targets = [element(s) for s in c.body() if isinstance(s, ReduceCursor) and not is_reduction(s, c)]
    for target in dict.fromkeys(t for t in targets if targets.count(t) > 1):
        p, c = yield focus(c)
        yield seq(focus(c.body()), stage_mem(target, "s"))
    return None


def is_rectangle(c: ForCursor) -> bool:
    """Whether a loop over rows is one over columns, too, which are the same for all rows."""
    if len(loops := nest(c)) < 2:
        return False
    return not any(slope(bound, c) for bound in (loops[1].lo(), loops[1].hi()))


def form(bound: Cursor) -> Affine:
    """The bound of a loop as an affine form. Raises `InvalidCursorError` if it is none."""
    assert isinstance(bound, ExprCursor)
    found = affine(bound.node, lambda s: Affine.of(Free(s)))  # type: ignore[arg-type]
    if found is None:
        raise InvalidCursorError("the bound of the loop is not affine")
    return found


def slope(bound: Cursor, loop: ForCursor) -> int:
    """How much a bound grows from one iteration of a loop to the next."""
    return form(bound).factor(Free(loop.sym))
