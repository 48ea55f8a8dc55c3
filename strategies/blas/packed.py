"""Level 2, packed: triangles by blocks of rows, none of which has columns left over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from exo_strat import (
    DRAM_STACK,
    ForCursor,
    Machine,
    Memory,
    Op,
    Proc,
    Script,
    cut_loop,
    divide_loop,
    eliminate_dead_code,
    focus,
    hole,
    moves,
    nav,
    on,
    reduce,
    rewrite_expr,
    set_memory,
    shift_loop,
    specialize,
    strategy,
    unroll_loop,
)

from .. import std
from ..inspect import growth, innermost_loops
from ..std.writing import halves, text
from .level1 import optimize_level_1
from .level2 import block_of_rows, blocks_of_triangle

# What holes are filled with unless said: as measured by `python -m benchmarks.blas --only spmv --only tpmv`.

ROWS: Final = 8
"""Rows that are taken together."""

FEW: Final = 4
"""Rows of which no block is made: setting one up takes longer."""


@dataclass(frozen=True)
class Rows:
    """How many rows are taken together, a power of two, and from how many on each is taken alone (0: never): the
    defaults of holes. From so many longer vectors to a row on, those that are together use these (0: never)."""

    together: int = ROWS
    alone_from: int = 0
    longer_from: int = 0


@strategy
def optimize_packed(
    p: Proc,
    c: ForCursor,
    machine: Machine,
    precision: str,
    stored: Sequence[str],
    storage: Memory,
    rows: Rows,
    longer: Machine | None = None,
) -> Script:
    """`triangle_by_halves` for arguments that are `stored` as a memory says; nothing in the plan depends on that.

    Holes: so many rows are taken `together`, each is taken alone from so many on (`alone_from`; 0: never), by default
    those of `rows`; fewer than `few` are left to the C compiler. Rows that are alone use a machine with `longer`
    vectors, if it is given, and others if they are long. Focus: the loop over rows. Returns the procedure.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def trmv(n: size, a: f32[n, n], x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, i + 1):
    ...             y[i] += a[i, j] * x[j]
    ... ''')
    >>> from exo_strat import DRAM
    >>> q = schedule(at("for i in _: _", optimize_packed(avx2, "f32", ("a",), DRAM, Rows(2))), p)
    >>> from strategies.inspect import loops_inside
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())]
    ['i < n', 'j < i + 1', 'io < n / 2', 'joo < io / 4', 'joo < n / 8']
    """
    p, c = yield on(c, std.locals_in(DRAM_STACK), focus(c))
    alone, alone_from, end = [c], 0, text(c.hi())
    if machine.vec_widths:
        most = yield hole("together", (2, 4, 8, 16), default=rows.together)
        alone_from = yield hole("alone_from", (0, 32, 64, 128), default=rows.alone_from)
        least = yield hole("few", (2, 4, 8), default=FEW)
        p, few = yield specialize([f"{end} < {least}", *([f"{alone_from} <= {end}"] if alone_from else [])])
        many = few.orelse()[0]
        alone = []
        if alone_from:
            alone, many = [many.body()[0]], many.orelse()[0]
        if longer and rows.longer_from:
            p, length = yield on(many, specialize(f"{end} < {rows.longer_from * longer.vec_width(precision)}"))
            yield on(length.orelse()[0], triangle_by_halves(longer, precision, most, shorter=machine))
            many = length.body()[0]
        yield on(many, triangle_by_halves(machine, precision, most))
    rest = machine if longer else None
    for rows_alone in alone:
        yield on(rows_alone, reduce(optimize_level_1(longer or machine, precision, 2, shorter=rest), innermost_loops))
    yield std.cleanup()
    for argument in p.args():
        if argument.name() in stored:
            yield on(argument, set_memory(storage))
    return None


@strategy
def triangle_by_halves(
    p: Proc,
    c: ForCursor,
    machine: Machine,
    precision: str,
    most: int,
    whole_blocks: Op | None = None,
    shorter: Machine | None = None,
) -> Script:
    """`for i in (0, n): s  ~>  for io in (0, n / 8): s[8 rows]; if n / 4 is odd: s[4 rows]; ..; if n is odd: s[1 row]`.

    If rows get shorter, the other way round. So the columns that all rows of a block of 8 have are a multiple of 8.
    The block that has none is apart, unless `whole_blocks` says what is done with the loop over all of them. `shorter`
    is as in `optimize_level_1`. Focus: the loop over rows. Returns the procedure.
    """
    end, longer = text(c.hi()), growth(c) > 0
    columns = optimize_level_1(machine, precision, 1, shorter=shorter)
    sizes = [most >> k for k in range(most.bit_length())]
    rest: ForCursor = c
    parts: list[ForCursor] = []
    for rows in sizes[:-1] if longer else sizes[:0:-1]:
        border = f"{rows} * (({end}) / {rows})" if longer else f"({end}) % {2 * rows}"
        p, part = yield on(rest, cut_loop(border))
        parts, rest = [*parts, part], part.next()
    whole, *odd = [*parts, rest] if longer else [rest, *reversed(parts)]
    for rows, part in reversed(list(zip(sizes[1:], odd, strict=True))):
        yield on(part, rows_if_there(columns, rows, longer))
    yield on(whole, shift_loop(0), divide_loop(most, halves(c), tail="perfect"))
    yield whole_blocks or blocks_of_triangle(columns)
    return None


@strategy
def rows_if_there(p: Proc, c: ForCursor, columns: Op, rows: int, longer: bool) -> Script:
    """`for i in (l, h): s  ~>  if l < h: s[l]; ..; s[l + r - 1]`, where there are r rows or none. Focus: the loop."""
    lo, hi = text(c.lo()), text(c.hi())
    p, choice = yield specialize(f"{lo} < {hi}")
    yield on(choice.orelse()[0], eliminate_dead_code())
    c = choice.body()[0]
    # the bound that is no multiple of r is the one that is given up
    bound = (moves.hi, f"{lo} + {rows}") if longer else (moves.lo, f"{hi} - {rows}")
    p, c = yield on(c, nav(bound[0]), rewrite_expr(bound[1]), focus(c), shift_loop(0))
    if rows > 1:
        yield block_of_rows(columns)
        return None
    loops = innermost_loops(c)
    p, _ = yield unroll_loop()
    for loop in loops:
        if p.forward(loop).is_valid:
            yield on(loop, columns)
    return None
