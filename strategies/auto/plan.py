"""The plan: which way each nest goes, and the holes that a tuner may fill otherwise."""

from __future__ import annotations

from exo_strat import (
    ForCursor,
    IfCursor,
    Machine,
    Op,
    Proc,
    ProcCursor,
    Script,
    StmtCursor,
    attempt,
    fail,
    focus,
    fold_into_reduce,
    hole,
    identity,
    moves,
    named,
    nav,
    on,
    pick,
    reduce,
    strategy,
    try_else,
)

from ..blas.level1 import optimize_level_1
from ..blas.level2 import optimize_level_2_general
from ..inspect import loops_inside, nest, statements
from ..normal import nest_nf, tidy
from .precisions import as_written, one_precision
from .products import as_product, product_of
from .strides import contiguous_innermost
from .sweeps import by_steps
from .threads import share
from .triangles import has_triangle, in_rectangles, reductions_apart

# Candidates and defaults are measured by `python -m benchmarks.auto`.
BLOCKS = (32, 64, 96, 128, 192)
"""Rows of a block of a triangle: its corner is no product."""
ROWS = (1, 2, 4, 8)
"""Rows, or vectors, that are taken together."""


@named
def auto(machine: Machine, precision: str = "", rounded: bool = False, threads: int = 1) -> Op:
    """A program made fast for a machine, whatever it is: for who doesn't schedule, and to go on from.

    Temporaries go where they are needed, reductions into nests of their own. Then each nest is, as the first of these
    that applies: a product of matrices (`as_product`); what has an order to keep, such as sweeps of a stencil over time
    or rows of recurrences (`by_steps`); triangles in blocks of rows, the rectangles of which are products
    (`in_rectangles`); or loops whose innermost one runs along contiguous elements, in vectors of this precision,
    several rows at a time. What none of them does stays as it is. All numbers are holes, and so is whether anything is
    done. Focus: the procedure. Never fails.

    Without a `precision`, each nest is in vectors of its own; one that has several stays as it is. If `rounded`, each
    element is computed as it is written, with a rounding after each operation: only sums are reordered, and only in
    products of matrices is a product fused with its sum. Several `threads` share the outermost loops that they can,
    where there is enough to do (`share`).

    >>> from backends.targets import avx2
    >>> from exo_strat import proc_from_source, schedule, space
    >>> p = proc_from_source('''
    ... def axpy(n: size, a: f32, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] += a * x[i]
    ... ''')
    >>> q = schedule(auto(avx2, "f32"), p)
    >>> [loop.hi().text() for loop in loops_inside(q.root())]
    ['n / 32', 'n / 8 % 4', 'n % 8']
    >>> space(auto(avx2, "f32"), p).names
    ('auto.how', 'auto.planned.by_nest.by_rows.vectors')
    """
    return pick("how", {"planned": planned(machine, precision, rounded, threads), "as it is": identity})


@strategy
def planned(p: Proc, c: ProcCursor, machine: Machine, precision: str, rounded: bool, threads: int) -> Script:
    """What `auto` does, if it does anything."""
    folded = identity if rounded else reduce(attempt(fold_into_reduce()), lambda c: statements(c))
    yield tidy() >> nav(moves.root) >> folded >> nest_nf()
    p, c = yield nav(moves.root)
    for s in c.body():
        p, _ = yield attempt(on(s, by_nest(machine, precision, rounded)))
    yield nav(moves.root)
    if threads > 1:
        yield share(threads)


@strategy
def by_nest(p: Proc, c: StmtCursor, machine: Machine, precision: str, rounded: bool = False) -> Script:
    """One nest, or those inside of what is none. Focus: a statement. Fails if nothing can be done."""
    if isinstance(c, ForCursor):
        vectors = as_written(machine) if rounded else machine
        kind = precision or one_precision(c)
        known = not machine.vec_widths or kind in machine.vec_widths
        steps = by_steps(vectors, kind) if known else fail(f"{machine} has no vectors for this")
        blocks, rows = in_blocks(machine, precision, rounded), by_rows(machine, precision, rounded)
        yield try_else(as_product(machine), steps, blocks, rows)
    elif isinstance(c, IfCursor):
        for s in (*c.body(), *(c.orelse() if c.has_else() else ())):
            p, _ = yield attempt(on(s, by_nest(machine, precision, rounded)))
    else:
        yield fail("this is no loop")


@strategy
def in_blocks(p: Proc, c: ForCursor, machine: Machine, precision: str, rounded: bool = False) -> Script:
    """Triangles in blocks of rows, and each part of them as `by_nest` has it. Focus: the loop over rows."""
    if not has_triangle(c):
        yield fail("no loop inside has bounds that grow with this one")
    size = yield hole("block", BLOCKS, default=64)
    before, after = len(c.expand(None, 0)) - 1, len(c.expand(0, None)) - 1
    p, rows = yield in_rectangles(size)
    for block in rows.body():
        p, _ = yield attempt(on(block, reductions_apart()))
    p, rows = yield focus(rows)
    around = rows.expand(None, None)
    parts = [*rows.body(), *around[before + 1 : len(around) - after]]
    if not any(product_of(s) for s in parts if isinstance(s, ForCursor)):
        yield fail("no rectangle of it is a product of matrices")
    for s in parts:
        p, _ = yield attempt(on(s, by_nest(machine, precision, rounded)))


@strategy
def by_rows(p: Proc, c: ForCursor, machine: Machine, precision: str, rounded: bool = False) -> Script:
    """Loops with the contiguous one innermost, in vectors, several rows at a time; what is inside a loop that is no
    perfect nest, each as `by_nest` has it. Focus: the outermost loop."""
    p, c = yield try_else(contiguous_innermost(), focus(c))
    *outer, inner = nest(c)
    if loops_inside(inner):
        for s in inner.body():
            p, _ = yield attempt(on(s, by_nest(machine, precision, rounded)))
        return
    vectors = as_written(machine) if rounded else machine
    kind = precision or one_precision(c)
    if machine.vec_widths and kind not in machine.vec_widths:
        yield fail(f"{machine} has no vectors for this: {kind or 'it has several precisions'}")
    columns = on(inner, optimize_level_1(vectors, kind, hole("vectors", ROWS, default=4), strict=True))
    if outer:
        rows, across = hole("rows", ROWS, default=4), hole("across", ROWS, default=2)
        yield on(outer[-1], optimize_level_2_general(vectors, kind, rows, across, strict=True)) | columns
    else:
        yield columns
