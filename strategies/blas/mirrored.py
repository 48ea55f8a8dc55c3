"""Level 2: products with a symmetric matrix of which one triangle is stored.

Each element is used twice: for its own row and for the one that it would be in above the diagonal. Rows are taken in
blocks of as many as a register has lanes, so that the columns left of a block, or right of it, are whole registers. The
block on the diagonal is in registers, too, of which only the lanes that are stored are loaded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Final

from exo_strat import (
    DRAM,
    DRAM_STACK,
    AssignCursor,
    BlockCursor,
    ForCursor,
    IfCursor,
    Machine,
    Memory,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    StmtCursor,
    add_loop,
    cut_loop,
    divide_loop,
    drop_guard,
    eliminate_dead_code,
    fission,
    focus,
    fuse,
    hole,
    identity,
    join_loops,
    moves,
    nav,
    on,
    replace,
    rewrite_expr,
    seq,
    set_memory,
    shift_loop,
    simplify,
    specialize,
    stage_mem,
    strategy,
    unroll_loop,
    widen_loop,
)

from .. import std
from ..inspect import declaration, enclosing_loop, growth, inner_loop, innermost_loops, loops_inside
from ..std.staging import allocation
from ..std.vectorize import rules_for
from ..std.writing import INSIDE, halves, text
from .level1 import RULES
from .level2 import block_of_rows, optimize_level_2_general, triangle_in_blocks
from .packed import triangle_by_halves

# What holes are filled with unless said: as measured by `python -m benchmarks.blas --only symv --only spmv`.

ROWS: Final = 4
"""Rows that are taken together where there are 16 registers."""

FEW: Final = 8
"""Rows that are left to the C compiler, four or eight at a time."""

FAR: Final = 20 << 20
"""Bytes of a triangle that comes from memory, which sends more where more columns are taken at once."""

BYTES: Final = {"f32": 4, "f64": 8}


@dataclass(frozen=True)
class Registers:
    """The registers of a machine, how many rows are taken `together`, and instructions besides the machine's: a load
    that is kept `once` it is done, and `others` for the sums of registers and for the lanes from one on."""

    machine: Machine
    once: Proc
    others: tuple[Proc, ...]
    together: int = ROWS


@strategy
def optimize_mirrored(
    p: Proc,
    c: ForCursor,
    precision: str,
    registers: Sequence[Registers],
    stored: Sequence[str] = (),
    storage: Memory = DRAM,
) -> Script:
    """`for i: for j in (0, i): y[j] += t * a[i, j]; u += a[i, j] * x[j]  ~>  for io: for jo: s[all rows]; triangle`.

    Of two kinds of `registers`, the shorter ones are for triangles of less than two blocks of the longer ones.
    Arguments that are `stored` as a memory says have rows of their own lengths. Hole: a triangle of so many bytes is
    `far`. Focus: the loop over rows. Returns the procedure.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def symv(n: size, alpha: f32, a: [f32][n, n], x: [f32][n], y: [f32][n]):
    ...     assert stride(a, 1) == 1
    ...     assert stride(x, 0) == 1
    ...     assert stride(y, 0) == 1
    ...     for i in seq(0, n):
    ...         t: f32
    ...         t = alpha * x[i]
    ...         u: f32
    ...         u = 0.0
    ...         for j in seq(0, i):
    ...             y[j] += t * a[i, j]
    ...             u += a[i, j] * x[j]
    ...         u += a[i, i] * x[i]
    ...         y[i] += alpha * u
    ... ''')
    >>> load = next(i for i in avx2.get_instructions("f32") if i.name() == "mm256_loadu_ps")
    >>> q = schedule(at("for i in _: _", optimize_mirrored("f32", [Registers(avx2, load, ())])), p)
    >>> print(q.body()[0].cond().text(), "or", q.body()[0].orelse()[0].cond().text())
    n < 8 or 3238 <= n
    """
    p, c = yield on(c, std.locals_in(DRAM_STACK), focus(c))
    end, longer = text(c.hi()), growth(c) > 0
    shorter, *wider = registers
    lanes = shorter.machine.vec_width(precision)
    far = optimize_level_2_general(shorter.machine, precision, ROWS, 2)
    plans = {f"{end} < {FEW if longer else max(FEW, 2 * lanes)}": triangle_in_blocks(ROWS, identity)}
    if stored:
        far = triangle_by_halves(shorter.machine, precision, FEW)
        one = triangle_by_halves(shorter.machine, precision, FEW, only_block(longer))
        plans = {f"{end} < {max(FEW + 1, 2 * lanes)}": one}
    for before, after in zip(registers, wider, strict=False):
        plans[f"{end} < {2 * after.machine.vec_width(precision)}"] = by_halves(precision, shorter.machine, before)
    if not wider:
        least = yield hole("far", (1 << 20, FAR, 1 << 30), default=FAR)
        plans[f"{isqrt(2 * least // BYTES[precision])} <= {end}"] = far
    p, choice = yield specialize(list(plans))
    for plan in plans.values():
        yield on(choice.body()[0], plan)
        last = choice.orelse()[0]
        choice = last
    yield on(last, by_halves(precision, shorter.machine, registers[-1]))
    yield std.cleanup()
    for argument in p.args():
        if argument.name() in stored:
            yield on(argument, set_memory(storage))
    return None


@strategy
def only_block(p: Proc, c: ForCursor, longer: bool) -> Script:
    """`for io in (0, n): s  ~>  if 0 < n: s[0]`, where there is no other one. Focus: the loop over blocks."""
    if longer:
        p, c = yield std.if_it_runs(cut_loop(1))
    yield on(c, nav(INSIDE), block_of_rows())
    return None


@strategy
def by_halves(p: Proc, c: ForCursor, precision: str, shorter: Machine, registers: Registers) -> Script:
    """`triangle_by_halves`, with blocks in registers; the rows that are left over are in shorter ones. Focus: the loop
    over rows. Returns the procedure."""
    width = registers.machine.vec_width(precision)
    yield triangle_by_halves(shorter, precision, width, blocks_in_registers(precision, registers, growth(c) > 0))
    return None


@strategy
def blocks_in_registers(p: Proc, c: ForCursor, precision: str, registers: Registers, longer: bool) -> Script:
    """`for io: for ii in (0, 4): for j in (0, 4 io + ii): s  ~>  for io: for jo in (0, io): s[4 rows]; triangle`.

    Rows are `longer` than those before them, or shorter. Focus: the loop over blocks. Returns the procedure.
    """
    machine = registers.machine
    width, rows = machine.vec_width(precision), loops_inside(c)[0]
    columns = inner_loop(rows)
    row = text(columns.hi()) if longer else f"{text(columns.lo())} - 1"
    first = re.sub(rf"\b{rows.name()}\b", "0", row)
    p, to_y = yield on(columns, columns_apart(longer, row))
    both = to_y, to_y.next()
    for loop in both:
        yield on(loop, whole_registers(longer, width, first))
    yield seq(nav(moves.root), simplify())
    yield on(both[1], std.parallelize_reductions(machine.mem_type))
    beside, triangles = [], []
    for loop in both:
        p, part = yield on(loop, cut_loop(c.name() if longer else "1"))
        other, triangle = (part, part.next()) if longer else (part.next(), part)
        p, lanes = yield on(triangle, unroll_loop())
        yield on(innermost_loops(other)[0].body()[0], eliminate_dead_code())
        beside.append(other)
        triangles.append(lanes[0])
    yield on(beside[0], down_to(beside[1]))
    p, rectangle = yield on(beside[0], fuse(beside[1]))
    yield on(rectangle.body()[0], fuse(rectangle.body()[1]))
    if not longer:  # the triangle comes last
        yield on(rectangle, std.reorder_before())
    yield on(triangles[0], down_to(triangles[1]))
    yield on(rows, std.fission_where_possible())
    p, _ = yield seq(nav(moves.root), simplify())
    parts = enclosing_loop(p.forward(triangles[0])).expand(0, 3)
    yield on(p.forward(rectangle).parent(), rows_together(precision, registers))
    yield on(parts, triangle_in_registers(precision, registers))
    instructions = (*registers.others, *machine.get_instructions(precision))
    yield seq(nav(moves.root), std.cleanup(), std.replace_all(instructions), std.unroll_loops(width), std.cleanup())
    return None


@strategy
def columns_apart(p: Proc, c: ForCursor, longer: bool, row: str) -> Script:
    """`for j in (0, i): s1; s2; s2[j -> i]  ~>  for j in (0, i): s1; for j in (0, i + 1): s2`.

    So the diagonal is a column of the sums. Focus: the loop over columns, which is returned.
    """
    diagonal = c.next() if longer else c.prev()
    p, second = yield on(c.body()[0], nav(moves.after), fission())
    assert isinstance(diagonal, ReduceCursor)
    p, one = yield on(diagonal, add_loop(c.name(), "1"))
    yield on(one, shift_loop(row))
    for e in diagonal.rhs().descendants():
        if isinstance(e, ReadCursor) and e.idx():
            yield on(e.idx()[-1], rewrite_expr(c.name()))
    if longer:
        yield on(second, join_loops(one))
    else:
        yield on(c, std.reorder_before())
        yield on(one, join_loops(second))
    return c


@strategy
def whole_registers(p: Proc, c: ForCursor, longer: bool, width: int, first: str) -> Script:
    """`for j in (0, 4 io + ii): s  ~>  for jo in (0, io + 1): for l in (0, 4): if 4 jo + l < 4 io + ii: s`.

    If rows get shorter, the columns are those from the `first` row of the block on. Focus: the loop over columns.
    """
    names, blocks = halves(c), enclosing_loop(enclosing_loop(c))
    if longer:
        yield widen_loop(0, f"{first} + {width}")
    else:
        yield seq(widen_loop(first, text(c.hi())), shift_loop(0))
        yield on(c, nav(moves.hi), rewrite_expr(f"{width} * ({text(blocks.hi())} - {blocks.name()})"))
    yield on(c, divide_loop(width, names, tail="perfect"))
    return None


@strategy
def down_to(p: Proc, c: StmtCursor, other: StmtCursor) -> Script:
    """`s1; s2; s3  ~>  s2; s1; s3`: a statement right before another one after it. Focus: the statement."""
    last = p.forward(other)
    for s in c.expand(0, None)[1:]:
        if s == last:
            break
        yield on(s, std.reorder_before())
    return None


@strategy
def rows_together(p: Proc, c: ForCursor, precision: str, registers: Registers) -> Script:
    """`for ii: for jo: for l: s  ~>  for jo: s[0]; ..; s[r - 1]` on registers, for so many rows at a time.

    What needs an element of the matrix stands together. Focus: the loop over rows.
    """
    machine, together = registers.machine, registers.together
    p, groups = yield divide_loop(together, halves(c), tail="perfect")
    yield on(loops_inside(groups)[0], std.jam())
    lanes = innermost_loops(p.forward(groups))[0]
    for row, s in enumerate(list(lanes.body())[together:]):
        yield on(s, *[std.reorder_before()] * (together - 1 - row))
    yield on(lanes, std.share_sums(), focus(lanes), std.cse(), focus(lanes), std.locals_in(machine.mem_type))
    rules = rules_for(machine.get_instructions(precision), RULES)
    yield on(lanes, std.stage_compute(precision, machine.mem_type, rules))
    p, singles = yield on(lanes, std.fission_into_singles())
    for loop in singles:
        if is_of_matrix(loop.body()[0]):
            yield on(loop, replace(registers.once))
    yield on(groups, unroll_loop())
    return None


@strategy
def triangle_in_registers(p: Proc, c: BlockCursor, precision: str, registers: Registers) -> Script:
    """`for ii: y[..] += s1; for ii: acc += s2; for ii: u += acc; for ii: y[ii] += u` on registers, without loops.

    The part of y that belongs to the block is in a register as long. Focus: these loops over rows.
    """
    machine = registers.machine
    to_y, to_u, sums, result = (s for s in c if isinstance(s, ForCursor))
    target, total = (loop.body()[0] for loop in (result, inner_loop(sums)))
    assert isinstance(target, ReduceCursor) and isinstance(total, ReduceCursor)
    start = re.sub(rf" \+ {result.name()}\b", "", text(target.idx()[0]))
    window = f"{target.name()}[{start}:{start} + {machine.vec_width(precision)}]"
    p, block = yield on(c, stage_mem(window, "s"))
    for s in (allocation(block), declaration(total, total.name())):
        yield on(s, set_memory(machine.mem_type))
    for lanes in (inner_loop(to_y), inner_loop(to_u), result):
        yield on(lanes, in_registers(precision, machine))
    for rows in (to_y, to_u, sums):
        yield on(rows, unroll_loop())
    return None


@strategy
def in_registers(p: Proc, c: ForCursor, precision: str, machine: Machine) -> Script:
    """`for l: if e: y[l] += t * a[l]  ~>  for l: v[l] = t; for l: w[l] = a[l] if e else 0; for l: if e: y[l] += v * w`.

    What is outside of the triangle is not loaded. Focus: the loop over lanes.
    """
    yield std.stage_compute(precision, machine.mem_type, rules_for(machine.get_instructions(precision), RULES))
    p, singles = yield on(c, std.fission_into_singles())
    for loop in singles:
        guard = loop.body()[0]
        if isinstance(guard, IfCursor) and isinstance(guard.body()[0], AssignCursor):
            yield on(guard, drop_guard(0.0) if is_of_matrix(guard.body()[0]) else drop_guard())
    return None


def is_of_matrix(s: StmtCursor) -> bool:
    """Whether a statement loads an element of a matrix."""
    loaded = s.rhs() if isinstance(s, AssignCursor) else None
    return isinstance(loaded, ReadCursor) and len(loaded.idx()) > 1
