"""Products of a batch: what depends on sizes only is decided before the loop over the products.

A naive program here is `for g: s`, where s is a product of `products`, of the g-th matrices.
"""

from __future__ import annotations

from dataclasses import replace

from exo_strat import (
    ForCursor,
    IfCursor,
    Memory,
    Op,
    Proc,
    Script,
    lift_scope,
    moves,
    named,
    nav,
    on,
    reorder_loops,
    rewrite_expr,
    seq,
    set_memory,
    stage_mem,
    strategy,
)

from .. import std
from ..std.writing import INSIDE
from .level3 import micro_kernel
from .products import Kernels, Made, at_once, calls, calls_of, either, in_parts, in_two, window

MOST_ROWS = 16
"""Rows up to which all that is decided by sizes is decided before the loop."""


@named
def by_slim_tiles(kernels: Kernels, tile: std.Tile) -> Op:
    """`for g: s  ~>  if m <= 16: .. (for g: kernel(..)) .. else: (for g: gemm(..))`, for the columns of a tile,
    of which no vector is empty. Few more rows than it has are two tiles. Focus: the loop."""
    most = min(MOST_ROWS, 2 * tile.rows)
    return either(f"m <= {most}", by_rows(kernels, tile, 1, most), each(kernels, calls(kernels)))


@strategy
def by_rows(p: Proc, c: ForCursor, kernels: Kernels, tile: std.Tile, first: int, last: int) -> Script:
    """`for g: s  ~>  if m <= 8: (if m <= 4: ..) else: ..`, for each number of rows from the first to the last."""
    if first < last:
        half = (first + last) // 2
        yield either(f"m <= {half}", by_rows(kernels, tile, first, half), by_rows(kernels, tile, half + 1, last))
        return None
    yield on(c.find_loop("i"), nav(moves.hi), rewrite_expr(first))
    yield on(c, by_columns(kernels, tile, first))
    return None


@strategy
def by_columns(p: Proc, c: ForCursor, kernels: Kernels, tile: std.Tile, rows: int) -> Script:
    """`for g: s  ~>  if n == 16: (for g: kernel(..)) else: (for g: kernel(..))`, for so many rows."""
    p, cases = yield std.specialize_sizes("n", [tile.cols], [each(kernels, by_kernels(kernels, tile, rows))])
    assert isinstance(cases, IfCursor)
    yield on(cases.orelse()[0], each(kernels, by_kernels(kernels, replace(tile, masked=True), rows)))
    return None


@named
def by_kernels(kernels: Kernels, tile: std.Tile, rows: int) -> Op:
    """`for j: for i: s  ~>  kernel(..)`, or two, as even as they can be, as a tile of few rows waits for its sums."""
    if rows > tile.rows:
        half = (rows + 1) // 2
        return in_two(half, by_kernels(kernels, tile, half), by_kernels(kernels, tile, rows - half))
    new, add = (micro_kernel(made.program, replace(tile, rows=rows), near=True) for made in (kernels.new, kernels.add))
    return calls_of(new, add, kernels.scale)


@strategy
def each(p: Proc, c: ForCursor, kernels: Kernels, call: Op) -> Script:
    """`for g: s  ~>  if beta == 0: (for g: new(..)) else: (for g: add(..))`."""
    yield on(c.body()[0], at_once(call, kernels.scale))
    yield on(p.forward(c).find("if beta == 0.0: _"), lift_scope())
    return None


@named
def turned_before(some: str, memory: Memory, turn: Made, batch: Made) -> Op:
    """`for g: s  ~>  for go: (for g: turn(.., b, turned)); batch(.., turned, ..)`, of matrices b whose columns are of
    neighbours, so many at a time. Focus: the loop."""
    return in_parts(some, ("go", "g"), from_copies(memory, turn, batch))


@strategy
def from_copies(p: Proc, c: ForCursor, memory: Memory, turn: Made, batch: Made) -> Script:
    """`for g: s[b]  ~>  (for g: turn(.., b, turned)); batch(.., turned, ..)`."""
    p, block = yield seq(nav(moves.as_block), stage_mem(window(c, "b"), "turned"))
    copies = block[0].prev()
    room = copies.prev()
    yield on(copies, nav(INSIDE), reorder_loops(), turn.call)
    yield on(block[0], batch.call)
    yield on(room, set_memory(memory))
    return None
