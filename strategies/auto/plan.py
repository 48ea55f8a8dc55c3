"""The plan: which way each nest goes, and the holes that a tuner may fill otherwise."""

from __future__ import annotations

from dataclasses import replace

from exo_strat import (
    AssignCursor,
    BinaryOpCursor,
    BlockCursor,
    Cursor,
    ExternCursor,
    ForCursor,
    IfCursor,
    Machine,
    Op,
    Proc,
    ProcCursor,
    ReduceCursor,
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
    specialize,
    strategy,
    try_else,
    when,
)
from exo_strat.tuning import remark

from .. import std
from ..blas.level1 import optimize_level_1
from ..inspect import loops_inside, nest, statements
from ..mathlib import NAMES
from ..normal import nest_nf, tidy
from .conversions import conversions_apart, converted
from .fusion import has_products, in_one_pass, inner_loops_fused, rows_expanded, sums_apart
from .guards import may_run_backwards, where_it_runs
from .lanes import in_lanes
from .precisions import as_written, has_zeros, one_precision
from .private import common_sums, private_sums
from .products import as_product
from .rows import rows_together
from .short import short_sums_written_out
from .strides import contiguous_innermost, sums_of_columns
from .strips import in_strips
from .sums import sums_in_place
from .sweeps import by_steps
from .threads import DEAR, PAYS, enough, never, share, trips
from .triangles import has_triangle, in_rectangles, reductions_apart

# Candidates and defaults are measured by `python -m benchmarks.auto`.
BLOCKS = (32, 64, 96, 128, 192)
"""Rows of a block of a triangle: its corner is no product."""
ROWS = (1, 2, 4, 8)
"""Rows, or vectors, that are taken together."""

CONVERTED = (256, 512, 1024, 2048)
"""Iterations of a block in which values are computed before they are converted."""

PRIVATE = (64, 128, 256, 512)
"""Rows of a block that has sums of its own, for threads."""

STRIPS = (32, 64, 128, 256)
"""Columns of a strip that a thread takes."""

MANY = 32
"""Vector registers from which on rows that are taken together take two vectors each: with half as many, sums of four
rows and of a few arrays leave none. Measured by `python -m benchmarks.auto --kernels gemver --kernels bicg`."""

LEFT = "this stays as it is: see what was tried"
"""What a plan says of nests for which it has nothing."""


@named
def auto(machine: Machine, precision: str = "", rounded: bool = False, threads: int = 1) -> Op:
    """A program made fast for a machine, whatever it is: for who doesn't schedule, and to go on from.

    Temporaries go where they are needed, sums of products apart, reductions into nests of their own. Then each nest is,
    as the first of these that applies: a product of matrices (`as_product`), maybe of rows that each iteration has for
    itself (`rows_expanded`); triangles in blocks of rows, the rectangles of which are products (`in_rectangles`); with
    the next ones, one that reads a matrix once (`in_one_pass`); what has an order to keep, such as sweeps of a stencil
    over time or rows of recurrences (`by_steps`); or loops whose innermost one runs along contiguous elements, in
    vectors of this precision, several rows at a time. What none of them does stays as it is. All numbers are holes, and
    so is whether anything is done; `explain` says what was done. Focus: the procedure. Never fails.

    Without a `precision`, each nest is in vectors of its own; one that has several stays as it is. If `rounded`, each
    element is computed as it is written, with a rounding after each operation: only sums are reordered, and only in
    products of matrices is a product fused with its sum; a program that multiplies by 0, or adds it, stays as it is.
    Several `threads` share the outermost loops that they can, where there is enough to do (`share`); rows that all add
    to the same elements have sums of their own for that (`private_sums`), unless it is `rounded`.

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
    if rounded and has_zeros(p):
        return c
    yield tidy() >> nav(moves.root)
    if not rounded:
        yield attempt(short_sums_written_out() >> tidy() >> nav(moves.root))
        yield reduce(attempt(when(lambda s: not divides(s), fold_into_reduce())), lambda c: statements(c))
        yield reduce(attempt(sums_apart()), lambda c: (s for s in statements(c) if isinstance(s, ReduceCursor)))
    yield nest_nf()
    p, c = yield nav(moves.root)
    deep_first = sorted(c.body(), key=lambda s: not loops_inside(s))  # their reads are proved while writers are plain
    for s in () if rounded and has_zeros(p) else deep_first:
        p, _ = yield attempt(on(s, by_nest(machine, precision, rounded, threads) | remark(LEFT)))
    yield nav(moves.root)
    if threads > 1:
        yield share(threads, PAYS * machine.processor.fork)


def divides(s: Cursor) -> bool:
    """Whether a statement stores a quotient: as an update it would be a product with the reciprocal, which is rounded
    otherwise, and may be infinite where the quotient is not."""
    value = s.rhs() if isinstance(s, AssignCursor) else None
    return isinstance(value, BinaryOpCursor) and value.op() == "/"


@strategy
def by_nest(
    p: Proc, c: StmtCursor, machine: Machine, precision: str, rounded: bool = False, threads: int = 1
) -> Script:
    """One nest, or those inside of what is none. Focus: a statement. Fails if nothing can be done."""
    if isinstance(c, ForCursor):
        ways = ways_of(c, machine, precision, rounded, threads)
        yield where_it_runs(ways) if may_run_backwards(c) else ways
    elif isinstance(c, IfCursor):
        for s in (*c.body(), *(c.orelse() if c.has_else() else ())):
            p, _ = yield attempt(on(s, by_nest(machine, precision, rounded, threads)))
    else:
        yield fail("this is no loop")


def ways_of(c: ForCursor, machine: Machine, precision: str, rounded: bool, threads: int) -> Op:
    """The first of all ways that applies to a nest."""
    vectors = as_written(machine) if rounded else machine
    kind = precision or one_precision(c)
    known = not machine.vec_widths or kind in machine.vec_widths
    rows = by_rows(machine, precision, rounded, threads=threads)
    if threads > 1 and not rounded:  # a zero that is added changes the sign of one
        rows = with_private_sums(machine, precision, threads) | rows
    return try_else(
        as_products(machine, precision, rounded, threads),
        by_columns(machine, precision, rounded, threads) >> remark("columns have sums of their own"),
        in_one_pass() >> rows >> remark("nests that read one matrix became one"),
        in_lanes(vectors, kind) >> remark("several iterations at once, in vectors"),
        by_steps(vectors, kind, rounded) if known else fail(f"{machine} has no vectors for this"),
        rows,
    )


@strategy
def by_columns(p: Proc, c: ForCursor, machine: Machine, precision: str, rounded: bool, threads: int) -> Script:
    """`sums_of_columns`, and each of its loops as `by_nest` has it. Focus: the loop over columns."""
    p, parts = yield sums_of_columns()
    for s in parts:
        p, _ = yield attempt(on(s, by_nest(machine, precision, rounded, threads)))


@strategy
def with_private_sums(p: Proc, c: ForCursor, machine: Machine, precision: str, threads: int) -> Script:
    """`if m >= ..: private_sums else: the loop as it was`, so that threads share rows that add to the same elements,
    where there are two blocks and enough to do; and each part as `by_rows` has it. Focus: the outermost loop."""
    p, c = yield try_else(contiguous_innermost(), focus(c))
    size = yield hole("block", PRIVATE, default=256)
    if not common_sums(c):
        yield fail("there is no array to which all iterations add")
    condition = enough(trips(c), PAYS * machine.processor.fork, 2 * size)
    if never(c, condition):
        yield fail(DEAR)
    others: tuple[StmtCursor, ...] = ()
    if not isinstance(condition, bool):
        p, choice = yield specialize(condition)
        p, c = yield focus(choice.body()[0])
        others = tuple(choice.orelse())
    p, blocks = yield private_sums(size)
    for s in (*blocks.body(), blocks.next(), *others):
        p, _ = yield on(s, by_rows(machine, precision, threads=threads))
    yield remark("each block of rows has sums of its own, and threads share the blocks")


@named
def as_products(machine: Machine, precision: str, rounded: bool, threads: int = 1) -> Op:
    """A nest as products of matrices: it is one, or its rows together are, or blocks of it are. Focus: the loop."""
    return try_else(
        as_product(machine) >> remark("a product of matrices, in blocks and tiles"),
        fail("sums stay as they are written") if rounded else with_sums(machine, precision, threads),
        with_rows(machine, precision, rounded, threads) >> remark("rows of all iterations as a product"),
        in_blocks(machine, precision, rounded, threads) >> remark("triangles in blocks of rows, with products"),
    )


@strategy
def with_sums(p: Proc, c: ForCursor, machine: Machine, precision: str, threads: int) -> Script:
    """Products whose sums are variables of their own; see `sums_in_place`. Focus: the loop."""
    p, parts = yield sums_in_place()
    yield each(parts, (), machine, precision, False, threads)


@strategy
def with_rows(p: Proc, c: ForCursor, machine: Machine, precision: str, rounded: bool, threads: int) -> Script:
    """Products in rows that each iteration has for itself; see `rows_expanded`. Focus: the loop."""
    p, parts = yield rows_expanded()
    yield each(parts, (), machine, precision, rounded, threads)


@strategy
def each(
    p: Proc,
    c: Cursor,
    parts: BlockCursor,
    rest: tuple[StmtCursor, ...],
    machine: Machine,
    precision: str,
    rounded: bool,
    threads: int,
) -> Script:
    """Parts of a nest, those that are products first; a `rest` is short. Fails if none is, or has any in it."""
    loops = [s for s in (*parts, *rest) if isinstance(s, ForCursor)]
    left: list[ForCursor] = []
    for s in loops:
        before = p
        p, _ = yield attempt(on(s, as_products(machine, precision, rounded, threads)))
        left += [s] if p is before else []
    if len(left) == len(loops):
        yield fail("no part of it is a product of matrices")
    for s in left:
        few = s in rest
        rows = by_rows(machine, precision, rounded, few, threads)
        alone = threads == 1 or few
        p, _ = yield attempt(on(s, rows if alone else by_strips(machine, precision, rounded, threads) | rows))


@strategy
def by_strips(p: Proc, c: ForCursor, machine: Machine, precision: str, rounded: bool, threads: int) -> Script:
    """`in_strips`, so that threads share a part of a triangle, and each part as `by_rows` has it. Focus: the loop."""
    after = len(c.expand(0, None))  # this loop, and those behind it
    p, strips = yield in_strips((yield hole("columns", STRIPS, default=64)))
    tails = tuple(strips.expand(0, None))[1:]
    tails = tails[: len(tails) + 1 - after]
    p, _ = yield on(strips.body()[0], by_rows(machine, precision, rounded))
    for s in tails:
        if isinstance(s, ForCursor):
            p, _ = yield attempt(on(s, by_rows(machine, precision, rounded, few=True)))


@strategy
def in_blocks(p: Proc, c: ForCursor, machine: Machine, precision: str, rounded: bool, threads: int) -> Script:
    """Triangles in blocks of rows, and each part of them as `by_nest` has it. Focus: the loop over rows."""
    if not has_triangle(c) or not has_products(c):
        yield fail("no loop inside has bounds that grow with this one, or no matrices are multiplied")
    size = yield hole("block", BLOCKS, default=64)
    before, after = len(c.expand(None, 0)) - 1, len(c.expand(0, None)) - 1
    p, rows = yield in_rectangles(size)
    for block in rows.body():
        p, _ = yield attempt(on(block, reductions_apart()))
    p, rows = yield focus(rows)
    around = rows.expand(None, None)
    rest = tuple(around[before + 1 : len(around) - after])
    yield each(rows.body(), rest, machine, precision, rounded, threads)


def unmasked(machine: Machine) -> Machine:
    """A machine that is asked for no masks, for many rows: what is left of each is short, and to prove that lanes which
    nobody needs do no harm takes half of the time of a schedule."""
    return replace(machine, supports_predication=False)


@strategy
def by_rows(
    p: Proc,
    c: ForCursor,
    machine: Machine,
    precision: str,
    rounded: bool = False,
    few: bool = False,
    threads: int = 1,
) -> Script:
    """Loops with the contiguous one innermost, in vectors, several rows at a time, unless there are few; what is inside
    a loop that is no perfect nest, each as `by_nest` has it. Focus: the outermost loop."""
    p, c = yield try_else(contiguous_innermost(), focus(c))
    *outer, inner = nest(c)
    inside = loops_inside(inner)
    vectors = as_written(machine) if rounded else machine
    kind = precision or one_precision(c)
    known = not machine.vec_widths or kind in machine.vec_widths
    nests = apart(machine, precision, rounded, few, threads)
    rows, across = hole("rows", ROWS, default=4), hole("across", ROWS, default=2 if machine.registers >= MANY else 1)
    how = "in vectors" if machine.vec_widths else "unrolled"
    together = rows_together(unmasked(vectors), kind, rows, across) >> remark(f"several rows at a time, {how}")
    alone = remark(f"{how} along the innermost loop")
    single = unmasked(vectors) if few else vectors
    columns = std.licm() >> optimize_level_1(single, kind, hole("vectors", ROWS, default=4), strict=True)
    if inside and known and not any(map(loops_inside, inside)) and not few:
        yield on(inner, inner_loops_fused(), together) | on(inner, nests)
    elif inside:
        yield on(inner, nests)
    elif not known:
        yield fail(f"{machine} has no vectors for this: {kind or 'it has several precisions'}")
    elif converted(inner):
        yield on(inner, columns, alone) | on(inner, in_one_precision_each(machine, rounded))
    elif outer and not few:
        yield on(outer[-1], together) | on(inner, columns, alone)
    else:
        yield on(inner, columns, alone)


@strategy
def in_one_precision_each(p: Proc, c: ForCursor, machine: Machine, rounded: bool) -> Script:
    """`conversions_apart`, and each part as `by_rows` has it. Focus: an innermost loop."""
    p, parts = yield conversions_apart((yield hole("block", CONVERTED, default=1024)))
    for s in (*parts[0].body(), *parts[1:]):
        if isinstance(s, ForCursor):
            yield on(s, by_rows(machine, "", rounded, few=True))
    yield remark("what is converted is computed before, in blocks")


@strategy
def apart(p: Proc, c: ForCursor, machine: Machine, precision: str, rounded: bool, few: bool, threads: int) -> Script:
    """Each nest in a loop as `by_nest` has it, or `by_rows` if there are few. Focus: the loop."""
    rows = by_rows(machine, precision, rounded, few, threads)
    any_way = by_nest(machine, precision, rounded, threads)
    for s in c.body():
        p, _ = yield attempt(on(s, (rows if few else any_way) | functions_left(s)))


def functions_left(s: StmtCursor) -> Op:
    """Says that a loop inside of a nest stays as it is, if it calls functions that have vectors only if asked for."""
    functions = (e.function() for e in s.descendants() if isinstance(e, ExternCursor))
    called = dict.fromkeys(f.name for f in functions if f in NAMES)
    if not isinstance(s, ForCursor) or not called:
        return fail("nothing is known of why it stays as it is")
    why = f"no instruction computes {', '.join(called)} (strategies.mathlib.approximate_all does)"
    return remark(f"the loop over {s.name()} inside stays as it is: {why}")
