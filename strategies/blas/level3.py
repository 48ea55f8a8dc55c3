"""Level 3: products of matrices. Imports `exo_strat`, `std` and `vectors`.

The classic plan, for any machine and precision. The product is cut into blocks, so that a block of A stays in the
cache. In each, columns are taken a panel of B at a time, which is packed so that it streams, and rows a tile at a time.
Tiles are the calls of micro-kernels: what they add to C they hold in registers. There is a micro-kernel for every
number of rows and of vectors that may be left at the edges, the last vector masked.

A naive program here is `for j: for i: for p: c[i, j] += alpha * (a[i, p] * b[p, j])`, or the same without alpha.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from exo_strat import (
    DRAM_STACK,
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
    divide_loop,
    expand_dim,
    fission,
    focus,
    identity,
    inline_assign,
    lift_alloc,
    lift_reduce_constant,
    lift_scope,
    moves,
    named,
    nav,
    rename,
    reorder_loops,
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
from ..std.writing import INSIDE, strategy

DEPTH = 256
"""Products of an element of C in a block: a packed panel of this depth stays in the cache."""

HEIGHT = {"f32": 384, "f64": 192}
"""Rows of a block: this much of A stays in the cache while all panels of B pass."""

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


def largest_tile(machine: Machine, precision: str) -> Tile:
    """Six rows, and as many vectors as leave registers for a row of the panel and an element of A."""
    vectors = (machine.registers - 1) // (ROWS + 1) if machine.vec_widths else 1
    return Tile(machine, precision, ROWS, vectors)


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
    lanes = seq(expand_dim(t.width, "jl"), expand_dim(t.vectors, "jv"), expand_dim(t.rows, "i"))
    yield seq(focus(depth.prev(2)), lanes, lift_alloc(scopes + 2), set_memory(t.registers))
    for s in (zero, depth):
        yield seq(focus(s), nav(moves.after), fission(scopes + 2))
    for s in (zero, store):
        yield seq(focus(s), nav(moves.parent), outwards(scopes))
    yield seq(focus(depth), outwards(scopes + 2))
    p, rows = yield seq(nav(moves.find_loop("i")), nav(moves.as_block), stage_mem(f"b[p, {element}]", "x"))
    lanes = seq(expand_dim(t.width, "jl"), expand_dim(t.vectors, "jv"))
    yield seq(focus(rows[0].prev(2)), lanes, lift_alloc(scopes + 1), set_memory(t.registers))
    yield seq(focus(rows[0].prev().after()), fission(scopes + 1))
    yield seq(focus(rows[0]), outwards(scopes + 1))
    yield to_instructions(t, store)
    return None


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
def in_tiles(p: Proc, c: ProcCursor, program: Proc, big: Tile, pack: Callable[[Tile], Op]) -> Script:
    """A block as calls of micro-kernels: panels of columns, and in each, tiles of rows; then what is left of both.

    Micro-kernels are made from `program`. `pack(tile)` acts on each panel, `for i: for j: for p`.
    """
    cols, width = big.cols, big.width
    p, panels = yield seq(nav(moves.find_loop("j")), divide_loop(cols, ("jo", "j"), tail="cut"))
    rest = panels.next()
    yield seq(focus(panels), nav(INSIDE), panel(program, big, pack))
    left = [f"(n % {cols} + {width - 1}) / {width} == {v}" for v in range(1, big.vectors + 1)]
    p, branch = yield seq(focus(rest), specialize(left))
    for v in range(1, big.vectors + 1):
        yield seq(focus(branch), nav(INSIDE), panel(program, replace(big, vectors=v, masked=True), pack))
        branch = branch.orelse()[0]
    yield std.cleanup()
    return None


@strategy
def panel(p: Proc, c: ForCursor, program: Proc, t: Tile, pack: Callable[[Tile], Op]) -> Script:
    """`for j: for i: for p: s  ~>  for io: kernel(..); if m % 6 == 1: kernel(..) ..`: the columns of one panel."""
    p, rows = yield seq(reorder_loops(), pack(t), divide_loop(t.rows, ("io", "i"), tail="cut"))
    rest = rows.next()
    yield seq(focus(rows), nav(INSIDE), call_kernel(program, t))
    p, branch = yield seq(focus(rest), specialize([f"m % {t.rows} == {r}" for r in range(1, t.rows)]))
    for r in range(1, t.rows):
        yield seq(focus(branch), nav(INSIDE), at(moves.hi, rewrite_expr(r)), call_kernel(program, replace(t, rows=r)))
        branch = branch.orelse()[0]
    return None


@strategy
def call_kernel(p: Proc, c: ForCursor, program: Proc, t: Tile) -> Script:
    """`for i: for j: for p: s  ~>  kernel(..)`, for the loops over one tile."""
    naive, scheduled = micro_kernel(program, t)
    yield seq(reorder_loops(), use_call(naive), call_eqv(scheduled))
    return None


# -- packing ------------------------------------------------------------------------------------------


@named
def not_packed(t: Tile) -> Op:
    """A panel stays where it is."""
    return identity


@strategy
def packed(p: Proc, c: ForCursor, t: Tile) -> Script:
    """`for i: s[b]  ~>  panel = b[..]; for i: s[panel]`, by vectors, for a b whose rows are of neighbours."""
    p, rows = yield copied(t)
    if t.in_vectors:
        lanes = seq(nav(INSIDE), std.vectorize_for(t.machine, t.precision, tail=None if t.masked else "perfect"))
        yield seq(focus(rows.prev()), lanes, simplify(), std.unroll_loops(t.vectors))
    return rows  # type: ignore[no-any-return]


@strategy
def packed_across(p: Proc, c: ForCursor, t: Tile) -> Script:
    """`for i: s[b]  ~>  panel = b[..]; for i: s[panel]`, for any b: a few columns at a time."""
    p, rows = yield copied(t)
    tail = "guard" if t.masked else "perfect"
    yield seq(focus(rows.prev()), nav(INSIDE), divide_loop(COLUMNS, ("ja", "jb"), tail=tail), nav(moves.parent))
    yield seq(reorder_loops(), nav(INSIDE >> INSIDE), unroll_loop() if not t.masked else identity)
    return rows  # type: ignore[no-any-return]


@strategy
def copied(p: Proc, c: ForCursor, t: Tile) -> Script:
    """`for i: s[b]  ~>  panel = b[..]; for i: s[panel]`."""
    p, block = yield std.auto_stage_mem("b", "panel", DRAM_STACK)
    rows = block[0]
    yield seq(focus(rows.prev(2)), resize_dim(0, DEPTH, 0), resize_dim(1, t.cols, 0))
    return rows  # type: ignore[no-any-return]


# -- the whole product --------------------------------------------------------------------------------


@strategy
def in_blocks(p: Proc, c: ProcCursor, height: int, block: Proc, scheduled: Proc) -> Script:
    """Calls of a scheduled block for every `DEPTH` products and `height` rows, and for the rests."""
    p, full = yield seq(nav(moves.find_loop("j")), at(INSIDE, reorder_loops()), reorder_loops())
    p, full = yield divide_loop(DEPTH, ("po", "p"), tail="cut_and_guard")
    for scope in (full, full.next()):
        yield seq(focus(scope), nav(INSIDE), at(INSIDE, reorder_loops()), reorder_loops())
        p, rows = yield divide_loop(height, ("io", "i"), tail="cut_and_guard")
        for part in (rows, rows.next()):
            yield seq(focus(part), nav(INSIDE), at(INSIDE, reorder_loops()), reorder_loops())
            yield seq(use_call(block), call_eqv(scheduled))
    return None


@strategy
def optimize_gemm(
    p: Proc, c: ProcCursor, machine: Machine, precision: str, tile: Proc, pack: Callable[[Tile], Op] = packed
) -> Script:
    """`for j: for i: for p: c[i, j] += alpha * (a[i, p] * b[p, j])` by blocks, panels and tiles.

    `tile` is the same program, for windows whose rows are of neighbours; micro-kernels are made from it, once for all
    that use it. `pack(tile)` is how a panel of b is packed. Focus: the procedure.
    """
    block = schedule(rename(f"{p.name()}_block"), direct.add_assertion(p, f"k <= {DEPTH}"))
    scheduled = schedule(in_tiles(tile, largest_tile(machine, precision), pack), block)
    yield in_blocks(HEIGHT[precision], block, scheduled)
    return None
