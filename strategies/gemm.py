"""Matrix products. Imports `exo_strat`, `programs` and `vectors`.

The plan is the classic one. K and M are cut so that a block of A stays in the cache. For each block, panels
of B, a few vectors wide, are packed so that they stream, and a micro-kernel holds a tile of C in registers
while it runs down the panel. Columns that fill no panel go by single vectors, the last of them masked, or by
scalars where lanes can't be masked; rows that fill no tile go one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from exo_strat import (
    BlockCursor,
    ForCursor,
    Machine,
    Op,
    Proc,
    Script,
    at,
    call_eqv,
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    focus,
    identity,
    lift_alloc,
    lift_scope,
    moves,
    nav,
    reorder_loops,
    schedule,
    seq,
    set_memory,
    simplify,
    stage_mem,
    strategy,
)
from exo_strat import replace as use_call

from .programs import sgemm, sgemm_block
from .vectors import INSIDE, emit, in_lanes, registers, vectorize_lanes, without_vectors

DEPTH = 256
"""Iterations of k in a block: a packed panel of this depth stays in the cache."""

HEIGHT = 384
"""Rows in a block: a block of A of this height stays in the cache while all panels of B pass."""

PRECISION = "f32"


@dataclass(frozen=True)
class Tile:
    """A tile of C: its extents, and its first row and column as object code."""

    machine: Machine
    rows: int
    cols: int
    row: str = ""
    col: str = ""

    @property
    def width(self) -> int:
        """The elements of a vector."""
        return self.machine.vec_width(PRECISION)

    def by_rows(self) -> tuple[Tile, Tile]:
        """The tiles of `in_tiles`: in `for io`, and of the single rows in `for ir`."""
        rest = f"{self.rows} * (M / {self.rows}) + ir"
        return replace(self, row=f"{self.rows} * io"), replace(self, rows=1, row=rest)


def largest_tile(machine: Machine) -> Tile:
    """Six rows, and as many vectors as leave registers for a row of the panel and an element of A.

    Without vectors, sixteen columns, which the C compiler may vectorize.
    """
    rows = 6
    if not machine.vec_widths:
        return Tile(machine, rows, 16)
    vectors = (machine.registers - 1) // (rows + 1)
    return Tile(machine, rows, vectors * machine.vec_width(PRECISION))


# -- the block product --------------------------------------------------------------------------------


@strategy
def schedule_block(p: Proc, c: BlockCursor, machine: Machine) -> Script:
    """The product of blocks, from `for j: for i: for k`, for any M, N and K."""
    big = largest_tile(machine)
    width, cols = big.width, big.cols
    rest = f"{cols} * (N / {cols})"
    p, panels = yield seq(nav(moves.find_loop("j")), divide_loop(cols, ("jo", "ji"), tail="cut_and_guard"))
    p, single = yield seq(focus(panels.next()), nav(INSIDE), divide_loop(width, ("jv", "ji"), tail="cut"))
    yield seq(focus(panels), columns(replace(big, col=f"{cols} * jo")))
    yield seq(focus(single), columns(replace(big, cols=width, col=f"{rest} + {width} * jv")))
    col = f"{rest} + {width} * ((N % {cols}) / {width})"
    if machine.supports_predication:
        yield seq(focus(single.next()), divide_loop(width, ("jm", "jl"), tail="guard"), nav(INSIDE))
        yield masked_columns(replace(big, cols=width, col=f"{col} + {width} * jm"))
    elif machine.vec_widths:
        yield seq(focus(single.next()), divide_loop(1, ("js", "jl"), tail="perfect"))
        yield columns(Tile(without_vectors(machine), big.rows, 1, col=f"{col} + js"))
    yield seq(nav(moves.root), simplify())
    return None


@strategy
def in_tiles(p: Proc, c: ForCursor, rows: int) -> Script:
    """The rows of C in tiles. Focus: the loop over rows. Returns the block of the tiles and single rows."""
    p, tiles = yield divide_loop(rows, ("io", "ii"), tail="cut")
    yield seq(nav(moves.next_()), divide_loop(1, ("ir", "ii"), tail="perfect"))
    return tiles.expand(0, 1)  # type: ignore[no-any-return]


@strategy
def columns(p: Proc, c: ForCursor, t: Tile) -> Script:
    """The columns of one panel. Focus: the loop over panels, around `for ji: for i: for k`."""
    yield seq(nav(INSIDE), reorder_loops(), in_tiles(t.rows))
    p, tiles = yield stage_mem(f"B[0:K, {t.col}:{t.col} + {t.cols}]", "panel")
    yield seq(focus(tiles[0].prev(2)), lift_alloc())
    yield seq(focus(tiles[0].prev()), pack_panel(t.machine))
    for loop, tile in zip(tiles, t.by_rows(), strict=True):
        yield seq(focus(loop), nav(INSIDE), register_tile(tile))
    return c


@strategy
def pack_panel(p: Proc, c: ForCursor, machine: Machine) -> Script:
    """The copy of a panel by vectors. Focus: its loop nest, `for i0: for i1`."""
    if machine.vec_widths:
        p, vectors = yield seq(nav(INSIDE), in_lanes(machine, PRECISION))
        yield seq(nav(INSIDE), vectorize_lanes(machine, PRECISION))
        yield seq(focus(vectors), emit(machine, PRECISION))
    return None


@strategy
def register_tile(p: Proc, c: ForCursor, t: Tile) -> Script:
    """The micro-kernel. Focus: `for ii: for ji: for k`, over a tile of C, with B packed in `panel`."""
    yield seq(at(INSIDE, reorder_loops()), reorder_loops())
    p, block = yield stage_mem(f"C[{t.row}:{t.row} + {t.rows}, {t.col}:{t.col} + {t.cols}]", "c")
    depth = block[0]
    tile, load, store = depth.prev(2), depth.prev(), depth.next()
    p, block = yield seq(focus(depth.body()[0]), stage_mem(f"panel[k, 0:{t.cols}]", "b"))
    rows = block[0]
    for loop in (load.body()[0], store.body()[0], rows.body()[0], rows.prev()):
        yield seq(focus(loop), in_lanes(t.machine, PRECISION))
    for buffer, dim in ((tile, 1), (rows.prev(2), 0)):
        divide = divide_dim(dim, t.width) if t.width > 1 else identity
        yield seq(focus(buffer), divide, set_memory(registers(t.machine)))
    for part in (load, depth, store):
        yield seq(focus(part), emit(t.machine, PRECISION))
    return None


# -- the last columns ---------------------------------------------------------------------------------


@strategy
def masked_columns(p: Proc, c: ForCursor, t: Tile) -> Script:
    """Columns that fill no vector. Focus: `for jl: if ..: for i: for k`, over the lanes of one."""
    p, tiles = yield seq(at(INSIDE >> INSIDE, lift_scope()), reorder_loops(), in_tiles(t.rows))
    for loop, tile in zip(tiles, t.by_rows(), strict=True):
        yield seq(focus(loop), nav(INSIDE), masked_tile(tile))
    return None


@strategy
def masked_tile(p: Proc, c: ForCursor, t: Tile) -> Script:
    """The micro-kernel with the last lanes masked. Focus: `for ii: for jl: if ..: for k`."""
    p, block = yield seq(nav(moves.find_loop("k")), stage_mem(f"C[{t.row} + ii, {t.col} + jl]", "c"))
    depth = block[0]
    load = depth.prev()
    yield seq(focus(depth.prev(2)), lane_buffer(t, 2), expand_dim(t.rows, "ii"), lift_alloc())
    yield seq(focus(load.after()), fission(3))
    yield seq(focus(depth.after()), fission(3))
    outwards = seq(nav(moves.parent), reorder_loops())
    p, depth = yield seq(focus(depth), lift_scope(), outwards, outwards)
    p, rows = yield seq(nav(INSIDE), masked_row(t))
    yield seq(focus(rows), lift_scope(), outwards)
    p, depth = yield focus(depth)
    for part in (depth.prev(), depth, depth.next()):
        yield seq(focus(part), emit(t.machine, PRECISION))
    return None


@strategy
def masked_row(p: Proc, c: ForCursor, t: Tile) -> Script:
    """A vector of B loaded once for all rows. Focus: `for ii: for jl: if ..`. Returns `for ii`, in the `if` now."""
    yield seq(reorder_loops(), nav(moves.find("if _: _")), lift_scope())
    p, rows = yield seq(focus(c), stage_mem(f"B[k, {t.col} + jl]", "b"), nav(moves.nth(0)))
    load = rows.prev()
    yield seq(focus(load.prev()), lane_buffer(t, 2))
    yield seq(focus(load.after()), fission(2))
    return rows  # type: ignore[no-any-return]


def lane_buffer(t: Tile, scopes: int) -> Op:
    """A scalar buffer as a vector register outside the scopes around it, the innermost of which masks lanes."""
    return seq(expand_dim(t.width, "jl"), lift_alloc(scopes), set_memory(registers(t.machine)))


# -- the whole product --------------------------------------------------------------------------------


@strategy
def in_blocks(p: Proc, c: BlockCursor, block: Proc, scheduled: Proc) -> Script:
    """Calls of a scheduled block for every `DEPTH` iterations of k and `HEIGHT` rows, and for the rests."""
    p, full = yield seq(nav(moves.find_loop("k")), divide_loop(DEPTH, ("ko", "ki"), tail="cut_and_guard"))
    inwards = seq(at(INSIDE, reorder_loops()), reorder_loops())
    for scope in (full, full.next()):
        yield seq(focus(scope), nav(INSIDE), reorder_loops())
        p, rows = yield divide_loop(HEIGHT, ("io", "ii"), tail="cut_and_guard")
        for part in (rows, rows.next()):
            yield seq(focus(part), nav(INSIDE), inwards, use_call(block), call_eqv(scheduled))
    return p.root()


def schedule_sgemm(machine: Machine) -> Proc:
    """`C += A B` for a machine. Raises `SchedulingError` if a step fails."""
    scheduled = schedule(schedule_block(machine), sgemm_block)
    return schedule(in_blocks(sgemm_block, scheduled), sgemm)
