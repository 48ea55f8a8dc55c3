"""Level 3: products of matrices. Imports `exo_strat`, `std` and `vectors`.

One plan, for any machine and precision. A block of B, so deep and wide that it stays in the second cache, is packed in
panels of a few vectors, so that it streams. All rows of A pass over it a tile at a time: a few rows of C, from left to
right. Tiles are the calls of micro-kernels: what they add to C they hold in registers. There is a micro-kernel for any
number of rows and of vectors that may be left at the edges, and for one vector that is masked.

A naive program here is `for j: for i: for p: c[i, j] += alpha * (a[i, p] * b[p, j])`, or the same without alpha, or
with an assignment to `c[i, j]` before the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import TypeAlias

from exo_strat import (
    DRAM,
    DRAM_STACK,
    AssignCursor,
    BlockCursor,
    Cursor,
    ForCursor,
    Machine,
    Memory,
    Op,
    Proc,
    ProcCursor,
    Script,
    StmtCursor,
    at,
    attempt,
    call_eqv,
    direct,
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    focus,
    inline_assign,
    insert_noop_call,
    lift_alloc,
    lift_reduce_constant,
    lift_scope,
    merge_writes,
    moves,
    mult_loops,
    named,
    nav,
    proc_from_source,
    rearrange_dim,
    rename,
    reorder_loops,
    reorder_stmts,
    repeat_n,
    resize_dim,
    rewrite_expr,
    schedule,
    seq,
    set_memory,
    simplify,
    specialize,
    stage_mem,
    unroll_loop,
)
from exo_strat import replace as use_call

from .. import std
from ..inspect import loops_inside, trip_count
from ..std.writing import INSIDE, strategy

DEPTH = 512
"""Products of an element of C in a block: the deeper, the fewer passes over C."""

WIDTH = {"f32": 256, "f64": 128}
"""Columns of a block: with this depth, a block of B takes half of the second cache while the rows of A pass."""

ROWS = 6
"""Rows of a tile: with these, the loads of a panel's row and the sums keep all registers in use."""

COLUMNS = 4
"""Columns that are packed together where rows are not of neighbours."""

LANES = 16
"""Columns of a tile where there are no vectors: the C compiler may vectorize them."""


@dataclass(frozen=True)
class Tile:
    """What a micro-kernel computes: so many rows and vectors of C, the last of which may be partly in it."""

    machine: Machine
    precision: str
    rows: int
    vectors: int
    masked: bool = False

    @property
    def width(self) -> int:
        """The elements of a vector."""
        return self.machine.vec_width(self.precision) if self.machine.vec_widths else LANES

    @property
    def cols(self) -> int:
        """The most columns that it has."""
        return self.vectors * self.width

    @property
    def in_vectors(self) -> bool:
        """Whether it is computed by vector instructions: not if lanes can't be masked that must be."""
        return bool(self.machine.vec_widths) and (self.machine.supports_predication or not self.masked)

    @property
    def registers(self) -> Memory:
        """Where sums are held."""
        return self.machine.mem_type if self.in_vectors else DRAM_STACK

    def name(self) -> str:
        """Rows and vectors, and whether the last is masked: `6x4`, `5x2m`."""
        return f"{self.rows}x{self.vectors}{'m' * self.masked}"


Pack: TypeAlias = Callable[[Tile], Op]
"""How a block of B is packed for tiles; acts on the procedure."""


def largest_tile(machine: Machine, precision: str) -> Tile:
    """Six rows, and as many vectors as leave registers for a row of the panel and an element of A."""
    vectors = (machine.registers - 1) // (ROWS + 1) if machine.vec_widths else 1
    return Tile(machine, precision, ROWS, vectors)


PREFETCH = {
    precision: proc_from_source(f"""
@instr("__builtin_prefetch(&{{x_data}});")
def prefetch(x: [{precision}][1]):
    pass
""")
    for precision in WIDTH
}
"""Asks for a cache line, for each precision."""


# -- micro-kernels ------------------------------------------------------------------------------------


@cache
def micro_kernel(program: Proc, tile: Tile) -> tuple[Proc, Proc]:
    """The product for a tile, as the naive program and as scheduled. Raises `SchedulingError` if a step fails."""
    sizes = {"m": tile.rows} if tile.masked else {"m": tile.rows, "n": tile.cols}
    naive = direct.partial_eval(program, **sizes)
    if tile.masked:
        for bound in (f"n > {tile.cols - tile.width}", f"n <= {tile.cols}"):
            naive = direct.add_assertion(naive, bound)
    naive = schedule(rename(f"{program.name()}_{tile.name()}"), naive)
    return naive, schedule(in_registers(tile), naive)


@strategy
def in_registers(p: Proc, c: ProcCursor, t: Tile) -> Script:
    """`for j: for i: for p: c += e  ~>  t = 0; for p: t += e; c += t`, with t, and a vector of b, in registers."""
    scopes = 2 if t.masked else 1
    p, vectors = yield seq(nav(moves.find_loop("j")), by_vectors(t))
    element = f"{t.width} * jv + jl"
    p, block = yield seq(nav(moves.find_loop("p")), nav(moves.as_block), stage_mem(f"c[i, {element}]", "t", accum=True))
    depth = block[0]
    zero, add = depth.prev(), depth.next()
    p, store = yield seq(focus(depth), nav(moves.expand(1, 0)), scale_at_the_end(add))
    p, store = yield seq(focus(store), merge_start())
    lanes = seq(expand_dim(t.width, "jl"), expand_dim(t.vectors, "jv"), expand_dim(t.rows, "i"))
    yield seq(focus(depth.prev(2)), lanes, lift_alloc(scopes + 2), set_memory(t.registers))
    for s in (zero, depth):
        yield seq(focus(s), nav(moves.after), fission(scopes + 2))
    for s in (zero, store):
        yield seq(focus(s), nav(moves.parent), outwards(scopes))
    yield seq(focus(depth), outwards(scopes + 2), prefetched(t))
    p, rows = yield seq(nav(moves.find_loop("i")), nav(moves.as_block), stage_mem(f"b[p, {element}]", "x"))
    lanes = seq(expand_dim(t.width, "jl"), expand_dim(t.vectors, "jv"))
    yield seq(focus(rows[0].prev(2)), lanes, lift_alloc(scopes + 1), set_memory(t.registers))
    yield seq(focus(rows[0].prev().after()), fission(scopes + 1))
    yield seq(focus(rows[0]), outwards(scopes + 1))
    yield to_instructions(t, store)
    return None


@strategy
def prefetched(p: Proc, c: ForCursor, t: Tile) -> Script:
    """`for p: s  ~>  prefetch(c[..]); for p: s`, for each vector of c: it is there when sums are added to it."""
    if t.in_vectors:
        hint = PREFETCH[t.precision]
        for i, v in product(range(t.rows), range(t.vectors)):
            first = f"{t.width * v}"
            p, _ = yield seq(focus(c.before()), insert_noop_call(hint, [f"c[{i}, {first}:{first} + 1]"]))
            p, c = yield focus(c)
    return c


@strategy
def by_vectors(p: Proc, c: ForCursor, t: Tile) -> Script:
    """`for j: s  ~>  for jv in (0, vectors): for jl in (0, width): s`, with `if ..: s` in it if lanes are masked."""
    p, vectors = yield divide_loop(t.width, ("jv", "jl"), tail="guard" if t.masked else "perfect")
    yield seq(nav(moves.hi), attempt(rewrite_expr(t.vectors)))
    return vectors  # type: ignore[no-any-return]


@strategy
def scale_at_the_end(p: Proc, c: BlockCursor, add: StmtCursor) -> Script:
    """`t = 0; for p: t += alpha * e; c += t  ~>  t = 0; for p: t += e; c += alpha * t`, if there is an alpha.

    Focus: the first two. Returns what adds to c.
    """
    p, product = yield attempt(lift_reduce_constant())
    p, add = yield focus(add)
    if add.prev() == product:
        p, _ = yield seq(focus(product), inline_assign())
    return p.forward(add)


@strategy
def merge_start(p: Proc, c: StmtCursor) -> Script:
    """`c = e; t: T; t = 0; for p: t += ..; c += s  ~>  t: T; t = 0; for p: t += ..; c = e + s`, if c starts so.

    Focus: what adds to c. Returns what is left of both.
    """
    around = c.parent()
    assert isinstance(around, ForCursor)
    first = around.body()[0]
    if isinstance(first, AssignCursor):
        down = seq(nav(moves.expand(0, 1)), reorder_stmts(), nav(moves.next_()))
        p, c = yield seq(focus(first), repeat_n(down, 3), nav(moves.expand(0, 1)), merge_writes(), simplify())
    return c


@named
def outwards(times: int) -> Op:
    """`for i: for j: s  ~>  for j: for i: s`: the scope in focus out of so many that it is all of."""
    return seq(*[lift_scope()] * times)


@strategy
def to_instructions(p: Proc, c: Cursor, t: Tile, store: StmtCursor) -> Script:
    """A tile's loops over lanes as instructions, and those over vectors and rows unrolled."""
    if t.in_vectors:
        p, store = yield focus(store)
        lanes = next(s for s in parents(store) if isinstance(s, ForCursor))
        rules = (std.broadcast_rule, std.fma_rule)
        yield seq(focus(lanes), std.stage_compute(t.precision, t.registers, rules), std.fission_into_singles())
    yield seq(nav(moves.root), std.unguard())
    for loop in p.find_all("for jv in _: _"):
        yield seq(focus(loop), unroll_loop())
    yield seq(nav(moves.root), simplify())
    if t.in_vectors:
        yield seq(std.replace_all(t.machine.get_instructions(t.precision)), std.unroll_loops(t.rows))
    return None


def parents(s: StmtCursor) -> Iterator[Cursor]:
    """The scopes around a statement, inside out."""
    around: Cursor = s.parent()
    while isinstance(around, StmtCursor):
        yield around
        around = around.parent()


# -- blocks -------------------------------------------------------------------------------------------


@strategy
def in_tiles(p: Proc, c: ProcCursor, program: Proc, big: Tile) -> Script:
    """A block as calls of micro-kernels, which are made from `program`: rows of tiles, and what is left below.

    So a few rows of C are passed over at a time, and a few of A stay in the nearest cache.
    """
    p, rows = yield seq(nav(moves.find_loop("j")), reorder_loops(), divide_loop(big.rows, ("io", "i"), tail="cut"))
    rest = rows.next()
    yield seq(focus(rows), nav(INSIDE), row_of_tiles(program, big))
    p, branch = yield seq(focus(rest), specialize([f"m % {big.rows} == {r}" for r in range(1, big.rows)]))
    for r in range(1, big.rows):
        some = seq(nav(INSIDE), at(moves.hi, rewrite_expr(r)), row_of_tiles(program, replace(big, rows=r)))
        yield seq(focus(branch), some)
        branch = branch.orelse()[0]
    yield std.cleanup()
    return None


@strategy
def row_of_tiles(p: Proc, c: ForCursor, program: Proc, big: Tile) -> Script:
    """`for i: for j: for p: s  ~>  for jo: kernel(..); if n % 64 / 16 == 1: kernel(..) .. if 0 < n % 16: kernel(..)`.

    The rows of one tile: by all vectors, by those that are left, by the one that is masked. Of two vectors, both those
    that are left are masked: one alone would have to wait for its sums.
    """
    width, masked = big.width, 1 if big.vectors > 2 else big.vectors
    p, panels = yield seq(reorder_loops(), divide_loop(big.cols, ("jo", "j"), tail="cut"))
    rest = panels.next()
    yield seq(focus(panels), nav(INSIDE), call_kernel(program, big))
    yield seq(focus(rest), simplify())
    if masked < big.vectors:
        p, rest = yield whole_vectors(program, big)
    left = [f"(n % {masked * width} + {width - 1}) / {width} == {v}" for v in range(1, masked + 1)]
    p, branch = yield seq(focus(rest), specialize(left))
    for v in range(1, masked + 1):
        yield seq(focus(branch), nav(INSIDE), call_kernel(program, replace(big, vectors=v, masked=True)))
        branch = branch.orelse()[0]
    return None


@strategy
def whole_vectors(p: Proc, c: ForCursor, program: Proc, big: Tile) -> Script:
    """`for j: s  ~>  if n % 64 / 16 == 1: kernel(..) ..; for j: s`: fewer vectors than a tile has. Returns the loop."""
    p, vectors = yield divide_loop(big.width, ("jo", "j"), tail="cut")
    rest, kinds = vectors.next(), range(1, big.vectors)
    p, vectors = yield seq(focus(vectors), mult_loops("j"))
    p, branch = yield specialize([f"n % {big.cols} / {big.width} == {v}" for v in kinds])
    for v in kinds:
        exact = at(moves.hi, rewrite_expr(v * big.width))
        yield seq(focus(branch), nav(INSIDE), exact, call_kernel(program, replace(big, vectors=v)))
        branch = branch.orelse()[0]
    yield focus(rest)
    return rest  # type: ignore[no-any-return]


@strategy
def call_kernel(p: Proc, c: ForCursor, program: Proc, t: Tile) -> Script:
    """`for j: for i: for p: s  ~>  kernel(..)`, for the loops over one tile."""
    naive, scheduled = micro_kernel(program, t)
    yield seq(simplify(), use_call(naive), call_eqv(scheduled))
    return None


# -- packing ------------------------------------------------------------------------------------------


@strategy
def packed(p: Proc, c: ProcCursor, t: Tile) -> Script:
    """`s[b]  ~>  panels = b; s[panels]`, by vectors, for a b whose rows are of neighbours."""
    p, row = yield in_panels(t)
    p, whole = yield seq(focus(row), divide_loop(t.cols, ("jo", "ji"), tail="cut"))
    rest = whole.next()
    yield seq(nav(moves.root), simplify())
    if t.in_vectors:
        for loop, tail in ((whole.body()[0], "perfect"), (rest, None)):
            yield seq(focus(loop), std.vectorize_for(t.machine, t.precision, tail=tail))
        yield seq(nav(moves.root), std.unroll_loops(t.vectors))
    return None


@strategy
def packed_across(p: Proc, c: ProcCursor, t: Tile) -> Script:
    """`s[b]  ~>  panels = b; s[panels]`, for a b whose columns are of neighbours."""
    p, row = yield in_panels(t)
    p, whole = yield seq(focus(row), nav(moves.parent), reorder_loops(), divide_loop(t.cols, ("jo", "ji"), tail="cut"))
    rest = whole.next()
    yield seq(nav(moves.root), simplify())
    for columns in (whole.body()[0], rest):
        yield seq(focus(columns), transposed(t.machine, t.precision))
    return None


@strategy
def transposed(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """`for j: for i: x[i, j] = y[i, j]  ~>  for j: for i: transpose(x[i:i+4, j:j+8], y[i:i+4, j:j+8])`.

    For a y whose columns are of neighbours. Without such an instruction a few columns at a time. Focus: the outer loop.
    """
    for move in machine.get_transposes(precision):
        rows, columns = (trip_count(loop) or 1 for loop in loops_inside(move.root()))
        p, tiles = yield seq(focus(c), std.tile(columns, rows, tail="cut"))
        yield seq(focus(tiles), nav(INSIDE), nav(INSIDE), reorder_loops(), simplify(), use_call(move))
        return None
    yield std.unroll_and_jam(COLUMNS, tail="cut")
    return None


@strategy
def in_panels(p: Proc, c: ProcCursor, t: Tile) -> Script:
    """`s[b]  ~>  for i0: for i1: panels[i1 / 64, i0, i1 % 64] = b[i0, i1]; s[panels]`. Returns the inner loop."""
    p, block = yield seq(nav(moves.find_loop("j")), std.auto_stage_mem("b", "panels", DRAM))
    copy = block[0].prev()
    yield seq(focus(copy.prev()), resize_dim(1, WIDTH[t.precision], 0), divide_dim(1, t.cols), rearrange_dim((1, 0, 2)))
    p, copy = yield focus(copy)
    return copy.body()[0]  # type: ignore[no-any-return]


# -- the whole product --------------------------------------------------------------------------------


@strategy
def optimize_gemm(
    p: Proc, c: ProcCursor, machine: Machine, precision: str, tile: Proc, pack: Pack | None = packed
) -> Script:
    """`for j: for i: for p: c[i, j] += alpha * (a[i, p] * b[p, j])` by blocks and tiles, for k up to `DEPTH` if packed.

    What is added to may be set to something before: `for j: for i: c[i, j] = e; for p: ..`. `tile` is the same program,
    for windows whose rows are of neighbours; micro-kernels are made from it, once for all that use it. `pack(tile)` is
    how b is packed. Focus: the procedure.
    """
    big = largest_tile(machine, precision)
    if pack is None:
        yield in_tiles(tile, big)
        return None
    block = direct.add_assertion(schedule(rename(f"{p.name()}_block"), p), f"n <= {WIDTH[precision]}")
    scheduled = schedule(seq(pack(big), nav(moves.root), in_tiles(tile, big)), block)
    p, full = yield seq(nav(moves.find_loop("j")), divide_loop(WIDTH[precision], ("jo", "j"), tail="cut_and_guard"))
    for columns in (full, full.next()):
        yield seq(focus(columns), nav(INSIDE), use_call(block), call_eqv(scheduled))
    return None


@strategy
def optimize_deep_gemm(p: Proc, c: ProcCursor, machine: Machine, precision: str, tile: Proc) -> Script:
    """`for j: for i: for p: c[i, j] += ..` as `optimize_gemm`, for any k: so many products at a time as a block has.

    `tile` is the same program for windows. Focus: the procedure.
    """
    block = direct.add_assertion(schedule(rename(f"{p.name()}_deep"), tile), f"k <= {DEPTH}")
    scheduled = schedule(optimize_gemm(machine, precision, tile), block)
    p, full = yield seq(nav(moves.find_loop("j")), at(INSIDE, reorder_loops()), reorder_loops())
    p, full = yield divide_loop(DEPTH, ("po", "p"), tail="cut_and_guard")
    for depth in (full, full.next()):
        yield seq(focus(depth), nav(INSIDE), reorder_loops(), at(INSIDE, reorder_loops()))
        yield seq(use_call(block), call_eqv(scheduled))
    return None
