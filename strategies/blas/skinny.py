"""Matrices with few columns. Imports `exo_strat`, `std`, `inspect` and `level1`.

The vector that all rows share stays in registers. There is code for each number of registers, in which it is known.
"""

from __future__ import annotations

from exo_strat import (
    DRAM_STACK,
    ForCursor,
    InvalidCursorError,
    Machine,
    Memory,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    cut_loop,
    divide_dim,
    divide_loop,
    eliminate_dead_code,
    focus,
    identity,
    mentions,
    moves,
    nav,
    resize_dim,
    rewrite_expr,
    seq,
    set_memory,
    simplify,
    specialize,
    stage_mem,
    try_else,
)

from .. import std
from ..inspect import inner_loop, innermost_loops, is_reduction
from ..std.compute import lives_in
from ..std.staging import allocation
from ..std.writing import INSIDE, halves, strategy, text
from .level1 import RULES, optimize_level_1


@strategy
def optimize_skinny(
    p: Proc, c: ForCursor, precision: str, machine: Machine, most: int, masks: bool = True
) -> Script:
    """`for i: for j in (0, n): s[x[j]]  ~>  if n == w: v = x; for i: s[v] .. else: if (n + w-1) / w == 1: ..`.

    The vector that rows share is in registers, for matrices of up to `most` columns; without `masks`, if they are whole
    vectors. Without vectors, rows are loops of level 1. Focus: the loop over rows. Returns the procedure. Paper:
    Figure 7.
    """
    columns = inner_loop(c)
    yield std.locals_in(DRAM_STACK)
    if not machine.vec_widths:
        yield seq(focus(columns), optimize_level_1(precision, machine))
        return None
    width, end = machine.vec_width(precision), text(columns.hi())
    counts = range(1, (most + width - 1) // width + 1)
    full = [(f"{end} == {width * k}", k, k) for k in counts if width * k <= most]
    masked = [(f"({end} + {width - 1}) / {width} == {k}", k, k - 1) for k in counts if masks]
    p, choice = yield seq(focus(c), specialize([condition for condition, *_ in (*full, *masked)]))
    for _, count, whole in (*full, *masked):
        rest = choice.orelse()[0]
        yield seq(focus(choice.body()[0]), in_registers(precision, machine, count, whole))
        choice = rest
    yield seq(nav(moves.root), simplify(), std.replace_all(machine.get_instructions(precision)))
    yield seq(std.unroll_loops(max(counts)), std.cleanup())
    return None


@strategy
def in_registers(p: Proc, c: ForCursor, precision: str, machine: Machine, count: int, whole: int) -> Script:
    """`for i: for j: s[x[j]]  ~>  v[..] = x[..]; for i: for jo in (0, k): for l: s[v[jo, l]]`, in steps on registers.

    Focus: the loop over rows, where columns are `count` vectors, of which `whole` are surely full.
    """
    width, registers = machine.vec_width(precision), machine.mem_type
    columns = inner_loop(c)
    shared, end = shared_vector(columns, c), text(columns.hi())
    yield seq(focus(columns), in_vectors(width, count, whole, registers))
    p, block = yield seq(focus(c), stage_mem(f"{shared}[0:{end}]", "v"))
    buffer = allocation(block)
    for copy in buffer.expand(None, None):
        if isinstance(copy, ForCursor) and copy != block[0]:
            yield seq(focus(copy), in_vectors(width, count, whole, registers))
    yield seq(focus(buffer), resize_dim(0, count * width, 0), set_memory(registers), divide_dim(0, width))
    p, buffer = yield seq(nav(moves.root), simplify(), focus(buffer))
    for loop in innermost_loops(buffer.expand(None, None)):
        if not adds_register(loop, registers):
            yield seq(focus(loop), std.stage_compute(precision, registers, RULES), std.fission_into_singles())
    return None


@strategy
def in_vectors(p: Proc, c: ForCursor, width: int, count: int, whole: int, memory: Memory) -> Script:
    """`for j in (0, n): s  ~>  for jo in (0, k-1): for l: s; for jo in (k-1, k): for l: if w * jo + l < n: s`.

    Sums are in lanes. Focus: the loop.
    """
    p, c = yield divide_loop(width, halves(c), tail="guard")
    yield seq(nav(moves.hi), rewrite_expr(count))
    p, c = yield try_else(seq(focus(c), std.parallelize_reductions(memory)), focus(c))
    if whole:
        yield seq(focus(c), cut_loop(whole) if whole < count else identity)
        yield seq(focus(c), nav(INSIDE >> INSIDE), eliminate_dead_code())
    return None


def adds_register(loop: ForCursor, memory: Memory) -> bool:
    """Whether all that a loop does is to add up the lanes of a register."""
    s = loop.body()[0]
    return isinstance(s, ReduceCursor) and is_reduction(s, loop) and lives_in(s.rhs(), memory)


def shared_vector(columns: ForCursor, rows: ForCursor) -> str:
    """The vector with an element for each column, whatever the row. Raises `InvalidCursorError` if there is none."""
    for e in (e for s in columns.body() for e in (s, *s.descendants())):
        if isinstance(e, ReadCursor | ReduceCursor) and len(e.idx()) == 1:
            used = mentions(e.idx()[0].node)
            if columns.sym in used and rows.sym not in used:
                return e.name()
    raise InvalidCursorError("the rows share no vector")
