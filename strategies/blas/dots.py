"""Products of matrices by sums along vectors.

For few rows and columns and many products of each element, of operands in which those of an element are neighbours:
nothing is turned or packed. What is read of A and B is shared by a tile of C, the sums of which are registers of lanes.
"""

from __future__ import annotations

from functools import cache

from exo_strat import (
    DRAM_STACK,
    ForCursor,
    Machine,
    Op,
    Proc,
    ProcCursor,
    Script,
    divide_loop,
    hole,
    lift_scope,
    moves,
    nav,
    on,
    partial_eval,
    rename,
    reorder_loops,
    schedule,
    seq,
    set_memory,
    simplify,
    strategy,
)

from .. import std
from ..models import tile_size
from ..std.writing import INSIDE
from .level1 import optimize_level_1


@strategy
def optimize_dots(p: Proc, c: ProcCursor, machine: Machine, precision: str) -> Script:
    """`for j: for i: t = 0; for p: t += a * b; c += t  ~>  for io: for jo: kernel(..)`, with vectors along p.

    The sums of a tile, a vector of each column of B and one of a row of A are in registers. Holes: its `rows` and
    `columns`, by default those of `models.tile_size`. Focus: the procedure. Returns it.

    >>> from backends.targets import avx2
    >>> from exo_strat import proc_from_source, schedule
    >>> tile = proc_from_source('''
    ... def tile(m: size, n: size, k: size, a: [f32][m, k], b: [f32][n, k], c: [f32][m, n]):
    ...     assert stride(a, 1) == 1
    ...     assert stride(b, 1) == 1
    ...     assert stride(c, 1) == 1
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             t: f32
    ...             t = 0.0
    ...             for p in seq(0, k):
    ...                 t += a[i, p] * b[j, p]
    ...             c[i, j] += t
    ... ''')
    >>> q = schedule(optimize_dots(avx2, "f32"), tile)
    >>> kernels = sorted(c.subproc().name() for c in q.root().find_all("_(_)"))
    >>> kernels == [f"tile_{rows}x{columns}" for rows in (1, 2, 3, 4) for columns in (1, 2, 3)]
    True
    """
    best = tile_size(machine, precision)
    most = yield hole("rows", (1, 2, 3, 4, 6), default=best.rows)
    across = yield hole("columns", (1, 2, 3, 4), default=best.vectors)
    kernels = [row_of_dots(p, r, across, machine, precision) for r in range(1, most + 1)]
    p, rows = yield seq(nav(moves.find_loop("j")), reorder_loops(), divide_loop(most, ("io", "i"), tail="cut"))
    yield on(rows.next(), std.specialize_sizes(f"m % {most}", range(1, most), kernels[:-1]))
    yield on(rows, nav(INSIDE), kernels[-1], std.cleanup())
    return None


@strategy
def row_of_dots(p: Proc, c: ForCursor, program: Proc, rows: int, most: int, machine: Machine, precision: str) -> Script:
    """`for i: for j: s  ~>  for jo: kernel(..); if n % 3 == 1: kernel(..)`, for so many rows, and at `most` so many
    columns. Focus: the loop."""
    tiles = [dots(program, rows, columns, machine, precision) for columns in range(1, most + 1)]
    p, columns = yield seq(reorder_loops(), divide_loop(most, ("jo", "j"), tail="cut"))
    yield on(columns.next(), simplify(), std.specialize_sizes(f"n % {most}", range(1, most), tiles[:-1]))
    yield on(columns, nav(INSIDE), tiles[-1])
    return None


@cache
def dots(program: Proc, rows: int, columns: int, machine: Machine, precision: str) -> Op:
    """`for j: for i: s  ~>  kernel(..)`, for a tile of so many rows and columns of the program."""
    size = seq(partial_eval(m=rows, n=columns), rename(f"{program.name()}_{rows}x{columns}"))
    return seq(simplify(), std.as_call(schedule(size, program), in_lanes(machine, precision, max(rows, columns))))


@strategy
def in_lanes(p: Proc, c: ProcCursor, machine: Machine, precision: str, most: int) -> Script:
    """`for j: for i: t = 0; for p: t += ..; c += t  ~>  t[..] = 0; for p: t[0, 0] += ..; ..; c += t[0, 0]; ..`, for at
    `most` so many rows, and columns."""
    yield seq(nav(moves.find_loop("j")), std.fission_into_singles(2))
    yield seq(nav(moves.root >> moves.find_alloc("t")), set_memory(DRAM_STACK))
    p, depth = yield seq(nav(moves.root >> moves.find_loop("p")), lift_scope(), lift_scope())
    yield on(depth, std.unroll_loops(most))
    yield on(depth, optimize_level_1(machine, precision, 1))
    return None
