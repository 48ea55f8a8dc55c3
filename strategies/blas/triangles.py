"""Triangles in place: products with a triangular matrix, and systems, whose columns are independent."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

from exo_strat import (
    DRAM,
    DRAM_STACK,
    ForCursor,
    Machine,
    Op,
    Proc,
    ProcCursor,
    Script,
    add_assertion,
    cut_loop,
    divide_dim,
    divide_loop,
    fission,
    focus,
    identity,
    lift_scope,
    make_instr,
    moves,
    nav,
    on,
    partial_eval,
    proc_from_source,
    rearrange_dim,
    rename,
    reorder_loops,
    reorder_stmts,
    repeat_n,
    resize_dim,
    schedule,
    seq,
    set_memory,
    shift_loop,
    simplify,
    stage_mem,
    strategy,
    transpose,
)
from exo_strat import replace as replace_by

from .. import std
from ..inspect import loops_inside, slope, trip_count
from ..std.tiles import COLUMNS
from ..std.writing import INSIDE, text
from .level3 import ROWS, along, tile_vectors

ROOT = moves.root


def loop_over(p: Proc, name: str) -> ForCursor:
    """The first loop of this name."""
    found = p.find_loop(name)
    assert isinstance(found, ForCursor)
    return found


def is_lower(p: Proc) -> bool:
    """Whether rows need those before them."""
    return text(loop_over(p, "p").lo()) == "0"


@strategy
def rows_in_registers(p: Proc, c: ProcCursor, t: std.Tile) -> Script:
    """The program of a few rows, with their sums in registers. Focus: the procedure."""
    scopes = 3 if t.masked else 2
    lower = is_lower(p)
    p, first = yield on(p.find_loop("p"), cut_loop("k" if lower else f"{t.rows}"))
    second = first.next()
    far, near = (first, second) if lower else (second, first)
    if not lower:
        p, _ = yield on(first.expand(0, 1), reorder_stmts())
    yield on(p.find_loop("j"), std.by_vectors(t))
    p, alloc = yield focus(p.find_alloc("t"))
    for _ in range(scopes + 1):
        p, alloc = yield on(alloc, std.expand_alloc())
    yield on(far, nav(moves.after), fission(scopes + 1))
    yield on(far, nav(moves.before), fission(scopes + 1))
    yield on(alloc, rearrange_dim((2, 0, 1)), set_memory(t.registers))
    p, depth = yield on(far, repeat_n(lift_scope(), scopes + 1))
    p, block = yield seq(nav(moves.find_loop("i") >> moves.as_block), stage_mem(f"b[p, {t.width} * jv + jl]", "x"))
    yield on(depth, nav(INSIDE), std.fission_into_singles(2))
    yield seq(nav(ROOT >> moves.find_alloc("x")), set_memory(t.registers))
    yield on(near, shift_loop(0))
    for rows in p.find_all("for i in _: _"):
        yield on(rows, repeat_n(lift_scope(), scopes))
    yield on(near, nav(moves.after), fission(scopes))
    yield on(near, repeat_n(lift_scope(), scopes))
    yield seq(nav(ROOT), std.to_instructions(t, (std.fma_rule,)))
    yield seq(nav(ROOT), std.unroll_loops(t.rows), simplify(), std.unroll_loops(t.rows))
    return None


@cache
def micro_kernel(program: Proc, t: std.Tile) -> Op:
    """`for j: for i: s  ~>  kernel(..)`, for the loops over a tile: the program as a call, scheduled once."""
    bounds = (f"n > {t.cols - t.width}", f"n <= {t.cols}") if t.masked else ()
    columns = [] if t.masked else [partial_eval(n=t.cols)]
    name = f"{program.name()}_{t.rows}x{t.vectors}{'m' * t.masked}"
    kernel = schedule(seq(partial_eval(m=t.rows), *columns, *map(add_assertion, bounds), rename(name)), program)
    return seq(simplify(), std.as_call(kernel, rows_in_registers(t)))


@strategy
def in_tiles(p: Proc, c: ForCursor, program: Proc, big: std.Tile) -> Script:
    """`for j: for i: s  ~>  for i: kernel(..); for io: for jo: kernel(..)`: rows of tiles.

    Rows that are left over are those with the fewest products, one by one. Focus: the loop over columns."""
    products = loop_over(p, "p")
    p, rows = yield reorder_loops()
    if slope(products.hi(), rows) > slope(products.lo(), rows):
        p, single = yield cut_loop(f"m % {big.rows}")
        p, blocks = yield on(single.next(), shift_loop(0), divide_loop(big.rows, ("io", "i"), tail="perfect"))
    else:
        p, blocks = yield divide_loop(big.rows, ("io", "i"), tail="cut")
        single = blocks.next()
    for loop, height in ((blocks, big.rows), (single, 1)):
        tile = replace(big, rows=height)
        then = along(tile, 1 if big.vectors > 2 else 2, partial(micro_kernel, program))
        p, loop = yield focus(loop)
        if height == 1:
            p, loop = yield divide_loop(1, ("io", "i"), tail="perfect")
        yield on(loop, nav(INSIDE), reorder_loops(), then)
        yield on(loop, std.cleanup())
    return None


@cache
def turned(machine: Machine, precision: str) -> Proc | None:
    """`dst[i, j] = src[j, i]` for a tile, of rows of neighbours in both, as an instruction; None if there is none."""
    for known in machine.get_transposes(precision):
        plain = proc_from_source(str(known).partition("\n")[2])
        instr = known.tree.instr
        assert instr is not None
        again = make_instr(instr.c.replace("src_stride_1", "src_stride_0"), instr.c_global)
        return schedule(seq(nav(moves.find_alloc_or_arg("src")), transpose(), nav(ROOT), again), plain)
    return None


@strategy
def copied(p: Proc, c: ForCursor, t: std.Tile) -> Script:
    """`for i0: for i1: panels[i1 / 16, i0, i1 % 16] = b[i0, i1]`, or back, by vectors. Focus: the nest."""
    p, panels = yield seq(nav(INSIDE), divide_loop(t.cols, ("jo", "ji"), tail="cut"))
    parts = ((panels.body()[0], "perfect"), (panels.next(), None))
    yield seq(nav(ROOT), simplify())
    for part, tail in parts if t.in_vectors else ():
        yield on(part, std.vectorize_for(t.machine, t.precision, tail=tail))
    return None


@strategy
def copied_across(p: Proc, c: ForCursor, t: std.Tile, back: bool) -> Script:
    """`for i0: for i1: panels[i0 / 16, i1, i0 % 16] = b[i0, i1]`, or back, by tiles. Focus: the nest."""
    tiled = turned(t.machine, t.precision)
    p, panels = yield divide_loop(t.cols, ("jo", "ji"), tail="cut")
    parts = (panels.body()[0], panels.next())
    yield seq(nav(ROOT), simplify())
    for part in parts:
        if tiled is None:
            yield on(part, std.unroll_and_jam(COLUMNS, tail="cut"))
            continue
        rows, columns = (trip_count(loop) or 1 for loop in loops_inside(tiled.root()))
        p, tiles = yield on(part, std.tile(*((rows, columns) if back else (columns, rows)), tail="cut"))
        order = identity if back else reorder_loops()
        yield on(tiles, nav(INSIDE), nav(INSIDE), order, simplify(), replace_by(tiled))
    return None


@strategy
def in_panels(
    p: Proc, c: ProcCursor, program: Proc, big: std.Tile, width: int, across: bool, rows: int | None = None
) -> Script:
    """`s[b]  ~>  for i0: for i1: panels[i1 / 16, i0, i1 % 16] = b[..]; s[panels]; for i0: for i1: b[..] = panels[..]`.

    With room for so many columns, and on the stack, if it is for so many rows at most. If it is `across`, b is handed
    over turned. Focus: the procedure. Returns it."""
    p, block = yield seq(nav(moves.find_loop("j")), std.auto_stage_mem("b", "panels", DRAM))
    load, store = block[0].prev(), block[-1].next()
    columns, order = (0, (0, 2, 1)) if across else (1, (1, 0, 2))
    if rows is not None:
        yield on(load.prev(), resize_dim(1 - columns, rows, 0), set_memory(DRAM_STACK))
    yield on(load.prev(), resize_dim(columns, width, 0), divide_dim(columns, big.cols), rearrange_dim(order))
    yield on(block[0], in_tiles(program, big))
    for copy, back in ((load, False), (store, True)):
        yield on(copy, copied_across(big, back) if across else copied(big))
    yield seq(nav(ROOT), std.unroll_loops(big.vectors), simplify())
    return None


@strategy
def in_place(p: Proc, c: ProcCursor, program: Proc, big: std.Tile) -> Script:
    """Few rows, in tiles where they are. Focus: the procedure. Returns it."""
    yield seq(nav(moves.find_loop("j")), in_tiles(program, big), nav(ROOT))
    return None


@strategy
def on_stack(p: Proc, c: ProcCursor, program: Proc, big: std.Tile, rows: int, width: int) -> Script:
    """Few rows of a b that is handed over turned: some columns at a time, in panels on the stack. Focus: the procedure.
    Returns it."""
    block = schedule(seq(rename(f"{p.name()}_part"), add_assertion(f"n <= {width}")), p)
    then = in_panels(program, big, width, True, rows)
    yield seq(nav(moves.find_loop("j")), std.in_blocks(width, ("jo", "j"), std.as_call(block, then)), nav(ROOT))
    return None


def tile_of(machine: Machine, precision: str) -> std.Tile:
    """The tile that rows of a triangle are taken by, that of products."""
    return std.Tile(machine, precision, ROWS, tile_vectors(machine))
