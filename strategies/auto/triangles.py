"""Nests with triangles in blocks of rows: what all rows of a block have in common is a rectangle."""

from __future__ import annotations

from exo_strat import (
    Cursor,
    ForCursor,
    Proc,
    ReduceCursor,
    Script,
    StmtCursor,
    analysis,
    attempt,
    cut_loop,
    divide_loop,
    fail,
    fission,
    focus,
    forms,
    moves,
    nav,
    nodes,
    on,
    reorder_loops,
    reorder_stmts,
    repeat,
    seq,
    simplify,
    strategy,
    try_else,
)

from ..inspect import affine_bound, enclosing_loops, loops_inside, nest, slope, statements
from ..normal.fission_and_fusion import nest_step
from ..std.hoisting import reorder_before
from ..std.writing import halves


@strategy
def in_rectangles(p: Proc, c: ForCursor, size: int) -> Script:
    """`for i: for j in (0, i): s  ~>  for io: (for ii: for j in (0, b io): s); (for ii: for j in (b io, ..): s)`.

    Blocks of b rows, `size`, of what has triangles in it. Each loop inside that ends by the row, or begins by it, is
    cut where all rows of the block have it; what all have is taken out into a nest of its own, as far as dependences
    allow. What is left of the rows is a block of its own. Focus: a loop on which the bounds of others inside depend,
    or which can be interchanged with such a one. Returns the loop over blocks.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, n], y: f32[m]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, i):
    ...             for k in seq(0, m):
    ...                 x[i, j] += y[k]
    ... ''')
    >>> print(schedule(at("for i in _: _", in_rectangles(64)), p))
    def foo(n: size, m: size, x: f32[n, n] @ DRAM, y: f32[m] @ DRAM):
        for io in seq(0, n / 64):
            for ii in seq(0, 64):
                for j in seq(0, 64 * io):
                    for k in seq(0, m):
                        x[64 * io + ii, j] += y[k]
            for ii in seq(0, 64):
                for j in seq(64 * io, 64 * io + ii):
                    for k in seq(0, m):
                        x[64 * io + ii, j] += y[k]
        for ii in seq(0, n % 64):
            for j in seq(0, 64 * (n / 64)):
                for k in seq(0, m):
                    x[64 * (n / 64) + ii, j] += y[k]
        for ii in seq(0, n % 64):
            for j in seq(64 * (n / 64), 64 * (n / 64) + ii):
                for k in seq(0, m):
                    x[64 * (n / 64) + ii, j] += y[k]
    """
    if not has_triangle(c):
        yield fail("no loop inside has bounds that grow with this one")
    if not growing(c):
        p, c = yield reorder_loops()
    if is_short(c, size):
        yield fail(f"there are no more than {size} iterations")
    p, rows = yield divide_loop(size, halves(c), tail="cut")
    for block in (rows.body()[0], rows.next()):
        p, _ = yield on(block, cut_for_all(), apart())
    yield on(rows, simplify())
    p, blocks = yield focus(rows)
    if not isinstance(blocks, ForCursor):
        yield fail("there are no iterations")
    return blocks


def has_triangle(c: ForCursor) -> bool:
    """Whether the bounds of a loop inside grow with a loop, or with the next one of the nest.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, i):
    ...             x[i, j] = 0.0
    ... ''')
    >>> has_triangle(p.find_loop("i")), has_triangle(p.find_loop("j"))
    (True, False)
    """
    return any(map(growing, nest(c)[:2]))


def growing(c: ForCursor) -> list[ForCursor]:
    """The loops inside a loop one of whose bounds grows with it, by one each time, and the other does not."""
    found = []
    for x in loops_inside(c):
        ends = [forms.affine(e.node, {}) for e in (x.lo(), x.hi())]
        if None not in ends and sorted(slope(e, c) for e in (x.lo(), x.hi())) == [0, 1]:
            found.append(x)
    return found


def is_short(c: ForCursor, size: int) -> bool:
    """Whether a loop is known to have no more iterations than a block."""
    few = nodes.Binary("<=", forms.to_expr(affine_bound(c.hi()) - affine_bound(c.lo())), forms.to_expr(forms.Lin(size)))
    return analysis.holds_everywhere(c.proc.tree, c.path, few)


@strategy
def cut_for_all(p: Proc, c: ForCursor) -> Script:
    """`for i: for j in (0, i): s  ~>  for i: for j in (0, b): s; for j in (b, i): s`, where all rows have b.

    For each loop inside for which there is such a b, the outer ones first. Focus: the loop over rows, which is
    returned.
    """
    tried = 0
    p, c = yield focus(c)
    while len(left := uncut(c)) > tried:
        loop, cut = left[tried]
        before = p
        yield attempt(on(loop, cut_loop(forms.to_expr(cut))))
        p, c = yield focus(c)
        tried += p is before
    return c


def uncut(c: ForCursor) -> list[tuple[ForCursor, forms.Lin]]:
    """The loops inside one over rows that some rows end later or begin earlier than others, and where none does yet."""
    found = []
    for x in growing(c):
        early = slope(x.hi(), c) == 1
        bound, other = (affine_bound(e) for e in ((x.hi(), x.lo()) if early else (x.lo(), x.hi())))
        cut = forms.subst_lin(bound, {forms.V(c.sym): affine_bound(c.lo()) if early else affine_bound(c.hi()) - 1})
        if cut != other:
            found.append((x, cut))
    return found


@strategy
def apart(p: Proc, c: ForCursor) -> Script:
    """`for i: s1; for j in (0, n): s2; s3  ~>  for i: for j in (0, n): s2; for i: s1; s3`, for rectangles.

    Loops whose range is the same for all rows are brought to the front of the body, or else to its end, and into nests
    of their own, as far as dependences allow. Focus: the loop over rows.
    """
    for s in c.body():
        if isinstance(s, ForCursor) and s not in growing(c):
            first = seq(repeat(reorder_before()), nav(moves.after), fission())
            last = seq(repeat(reorder_after()), nav(moves.before), fission())
            yield attempt(on(s, try_else(first, last)))


@strategy
def reorder_after(p: Proc, c: StmtCursor) -> Script:
    """`s1; s2  ~>  s2; s1`. Focus: the first of them, which is returned."""
    yield seq(nav(moves.expand(0, 1)), reorder_stmts())
    return c


@strategy
def reductions_apart(p: Proc, c: ForCursor) -> Script:
    """`for i: s1; for k: x += e; s2  ~>  for i: s1; for i: for k: x += e; for i: s2`: `normal.nest_nf` of one nest.

    Focus: the outermost loop.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n, 4]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...         for j in seq(0, 4):
    ...             x[i] += y[i, j]
    ... ''')
    >>> print(schedule(at("for i in _: _", reductions_apart()), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n, 4] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
        for i in seq(0, n):
            for j in seq(0, 4):
                x[i] += y[i, j]
    """
    levels = len(enclosing_loops(c))
    for s in statements(c):
        here: Cursor = s
        while isinstance(s, ReduceCursor) and isinstance(here, StmtCursor) and len(enclosing_loops(here)) > levels:
            p, _ = yield repeat(on(here, nest_step()))
            here = p.forward(here).parent()
