"""Matrix products. Imports `exo_strat`, `programs` and `vectors`.

The plan is the classic one. The K dimension is cut in blocks. For each, panels of B, a few vectors wide,
are packed so that they stream, and a micro-kernel holds a tile of C in registers while it runs down the
panel. Columns that fill no panel go by single vectors, the last of them masked; rows that fill no tile
go one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

from exo_strat import (
    BlockCursor,
    ForCursor,
    IfCursor,
    Machine,
    Op,
    Proc,
    Script,
    at,
    bind_expr,
    call_eqv,
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    focus,
    identity,
    lift_alloc,
    lift_scope,
    nav,
    remove_loop,
    reorder_loops,
    replace,
    schedule,
    seq,
    set_memory,
    simplify,
    stage_mem,
    strategy,
)
from exo_strat.moves import body, expand, find, find_loop, next_, nth, parent, prev

from .programs import sgemm, sgemm_block
from .vectors import in_lanes, registers, stage_in_register, unroll_short_loops, use_instructions

DEPTH = 256
"""Iterations of k in a block: a packed panel of this depth stays in the cache."""

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

    def emit(self) -> Op:
        """The statement in focus as instructions, unrolled. What is in focus afterwards is unspecified."""
        return seq(simplify(), use_instructions(self.machine, PRECISION), unroll_short_loops())


def largest_tile(machine: Machine) -> Tile:
    """Six rows, and as many vectors as leave registers for a row of the panel and an element of A."""
    rows = 6
    vectors = (machine.registers - 1) // (rows + 1)
    return Tile(machine, rows, vectors * machine.vec_width(PRECISION))


# -- the block product --------------------------------------------------------------------------------


@strategy
def schedule_block(p: Proc, c: BlockCursor, machine: Machine) -> Script:
    """The product of blocks, from `for j: for i: for k`, for any M, N and K."""
    big = largest_tile(machine)
    width, cols = big.width, big.cols
    p, c = yield seq(nav(find_loop("j")), divide_loop(cols, ("jo", "ji"), tail="cut_and_guard"))
    main, rest = c, c.next().body()[0]
    rest_col = f"{cols} * (N / {cols})"
    p, c = yield seq(focus(rest), divide_loop(width, ("jv", "ji"), tail="cut"))
    single, last = c, c.next() if width > 1 else None
    yield seq(focus(main), columns(Tile(machine, big.rows, cols, col=f"{cols} * jo")))
    yield seq(focus(single), columns(Tile(machine, big.rows, width, col=f"{rest_col} + {width} * jv")))
    if last is not None:
        p, c = yield seq(focus(last), divide_loop(width, ("jm", "jl"), tail="guard"))
        col = f"{rest_col} + {width} * ((N % {cols}) / {width}) + {width} * jm"
        yield seq(nav(body >> nth(0)), masked_columns(Tile(machine, big.rows, width, col=col)))
    return p.root()


@strategy
def in_tiles(p: Proc, c: ForCursor, rows: int) -> Script:
    """The rows of C in tiles. Focus: the loop over rows. Returns the block of the tiles and single rows."""
    p, c = yield divide_loop(rows, ("io", "ii"), tail="cut")
    yield seq(nav(next_()), divide_loop(1, ("ir", "ii"), tail="perfect"))
    return c.expand(0, 1)


@strategy
def columns(p: Proc, c: ForCursor, t: Tile) -> Script:
    """The columns of one panel. Focus: the loop over panels, around `for ji: for i: for k`."""
    panels = c
    p, c = yield seq(nav(body >> nth(0)), reorder_loops(), in_tiles(t.rows))
    p, c = yield stage_mem(f"B[0:K, {t.col}:{t.col} + {t.cols}]", "panel")
    tiles, pack, buffer = c, c[0].prev(), c[0].prev(2)
    yield seq(focus(buffer), lift_alloc())
    yield seq(focus(pack), pack_panel(t.machine))
    yield seq(focus(tiles[0]), nav(body >> nth(0)), register_tile(Tile(t.machine, t.rows, t.cols, f"{t.rows} * io", t.col)))
    yield seq(focus(tiles[1]), nav(body >> nth(0)), register_tile(Tile(t.machine, 1, t.cols, f"{t.rows} * (M / {t.rows}) + ir", t.col)))
    return panels


@strategy
def pack_panel(p: Proc, c: ForCursor, machine: Machine) -> Script:
    """The copy of a panel by vectors. Focus: its loop nest, `for i0: for i1`."""
    if machine.vec_width(PRECISION) > 1:
        p, c = yield seq(nav(body >> nth(0)), in_lanes(machine, PRECISION))
        yield seq(nav(body >> nth(0)), stage_in_register(machine, PRECISION, "t"))
        yield seq(focus(c), simplify(), use_instructions(machine, PRECISION), unroll_short_loops())
    return None


@strategy
def register_tile(p: Proc, c: ForCursor, t: Tile) -> Script:
    """The micro-kernel. Focus: `for ii: for ji: for k`, over a tile of C, with B packed in `panel`."""
    p, c = yield at(body >> nth(0), reorder_loops())
    p, c = yield reorder_loops()
    p, c = yield stage_mem(f"C[{t.row}:{t.row} + {t.rows}, {t.col}:{t.col} + {t.cols}]", "c")
    depth = c[0]
    tile, load, store = depth.prev(2), depth.prev(), depth.next()
    p, c = yield seq(focus(depth.body()[0]), stage_mem(f"panel[k, 0:{t.cols}]", "b"))
    rows = c[0]
    for loop in (load.body()[0], store.body()[0], rows.body()[0], rows.prev()):
        yield seq(focus(loop), in_lanes(t.machine, PRECISION))
    for buffer, dim in ((tile, 1), (rows.prev(2), 0)):
        divide = divide_dim(dim, t.width) if t.width > 1 else identity
        yield seq(focus(buffer), divide, set_memory(registers(t.machine)))
    for part in (load, depth, store):
        yield seq(focus(part), t.emit())
    return None


# -- the last columns ---------------------------------------------------------------------------------


@strategy
def masked_columns(p: Proc, c: ForCursor, t: Tile) -> Script:
    """Columns that fill no vector. Focus: `for jl: if ..: for i: for k`, over the lanes of one."""
    p, c = yield at(body >> nth(0) >> body >> nth(0), lift_scope())
    p, c = yield seq(reorder_loops(), in_tiles(t.rows))
    tiles = c
    yield seq(focus(tiles[0]), nav(body >> nth(0)), masked_tile(Tile(t.machine, t.rows, t.cols, f"{t.rows} * io", t.col)))
    yield seq(focus(tiles[1]), nav(body >> nth(0)), masked_tile(Tile(t.machine, 1, t.cols, f"{t.rows} * (M / {t.rows}) + ir", t.col)))
    return None


@strategy
def masked_tile(p: Proc, c: ForCursor, t: Tile) -> Script:
    """The micro-kernel with the last lanes masked. Focus: `for ii: for jl: if ..: for k`."""
    p, c = yield seq(nav(find_loop("k")), stage_mem(f"C[{t.row} + ii, {t.col} + jl]", "c"))
    depth = c[0]
    load, store = depth.prev(), depth.next()
    yield seq(focus(depth.prev(2)), lane_buffer(t, 2), expand_dim(t.rows, "ii"), lift_alloc())
    yield seq(focus(load.after()), fission(3))
    yield seq(focus(depth.after()), fission(3))
    outwards = seq(nav(parent), reorder_loops())
    p, c = yield seq(focus(depth), lift_scope(), outwards, outwards)
    rows = c.body()[0]
    yield seq(focus(rows), reorder_loops(), nav(find("if _: _")), lift_scope())
    p, c = yield seq(focus(rows), stage_mem(f"B[k, {t.col} + jl]", "b"))
    row_load = c[0].prev()
    yield seq(focus(row_load.prev()), lane_buffer(t, 2))
    yield seq(focus(row_load.after()), fission(2))
    yield seq(focus(rows), lift_scope(), outwards)
    p, c = yield focus(depth)
    for part in (c.prev(), c, c.next()):
        yield seq(focus(part), t.emit())
    return None


def lane_buffer(t: Tile, scopes: int) -> Op:
    """A scalar buffer as a vector register outside the scopes around it, the innermost of which masks lanes."""
    return seq(expand_dim(t.width, "jl"), lift_alloc(scopes), set_memory(registers(t.machine)))


# -- the whole product --------------------------------------------------------------------------------


@strategy
def in_blocks(p: Proc, c: BlockCursor, block: Proc, scheduled: Proc) -> Script:
    """Calls of a scheduled block for `DEPTH` iterations of k each, and one for the rest."""
    p, c = yield seq(nav(find_loop("k")), divide_loop(DEPTH, ("ko", "ki"), tail="cut_and_guard"))
    for nest in (c.body()[0], c.next().body()[0]):
        p, c = yield seq(focus(nest), reorder_loops())
        yield seq(nav(body >> nth(0)), reorder_loops())
        yield seq(focus(c), reorder_loops(), replace(block), call_eqv(scheduled))
    return p.root()


def schedule_sgemm(machine: Machine) -> Proc:
    """`C += A B` for a machine. Raises `SchedulingError` if a step fails."""
    scheduled = schedule(schedule_block(machine), sgemm_block)
    return schedule(in_blocks(sgemm_block, scheduled), sgemm)
