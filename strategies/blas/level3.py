"""Level 3: products of matrices.

One plan, for any machine and precision. A block of B, so deep and wide that it stays in the L2 cache, is packed in
panels of a few vectors, so that it streams. All rows of A pass over it a tile at a time: a few rows of C, from left to
right. Tiles are the calls of micro-kernels: what they add to C they hold in registers. There are micro-kernels for any
number of rows and for the vectors that may be left at the edges, where the last one is masked.

A naive program here is `for j: for i: t = 0; for p: t += a[i, p] * b[p, j]; c[i, j] += alpha * t`, or the same with
another last statement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Any, Final, TypeAlias

from exo_strat import (
    DRAM,
    Cursor,
    ForCursor,
    IfCursor,
    Machine,
    Op,
    Proc,
    ProcCursor,
    Scalar,
    Script,
    add_assertion,
    analysis,
    at,
    attempt,
    divide_dim,
    divide_loop,
    focus,
    fuse,
    hole,
    identity,
    inline,
    lift_reduce_constant,
    lift_scope,
    limited,
    moves,
    named,
    nav,
    on,
    partial_eval,
    rearrange_dim,
    rename,
    reorder_loops,
    repeat_n,
    resize_dim,
    schedule,
    seq,
    set_memory,
    simplify,
    stage_mem,
    strategy,
)

from .. import std
from ..models import nearest
from ..std.writing import INSIDE

# What holes may be filled with, and what they are filled with unless said where the machine's numbers don't tell:
# `python -m benchmarks.tuning --kernel sgemm` measures it, and for the library `python -m benchmarks.blas --only gemm`.

TILE_ROWS: Final = (2, 4, 5, 6, 8, 12)
TILE_VECTORS: Final = (1, 2, 3, 4)
DEPTHS: Final = (128, 256, 512, 1024)
WIDTHS: Final = (64, 128, 256, 512)

ROWS: Final = 6
"""Rows of a tile: with these, a panel's row, an element of A and the sums keep nearly all registers in use.
`models.tile_size` finds tiles by the machine's numbers alone, `models.blocks` depths."""

DEPTH: Final = 512
"""Products of an element of C in a block: the deeper, the fewer passes over C."""

RULES = (std.broadcast_rule, std.fma_rule)
"""An element of A is taken from memory, by the instruction that multiplies."""


Pack: TypeAlias = Callable[[std.Tile, int], Op]
"""How a block of B, of at most so many columns, is packed for tiles; acts on the procedure."""


def tile_vectors(machine: Machine) -> int:
    """As many vectors of a tile of `ROWS` as leave registers for a row of the panel and an element of A.

    >>> from backends.targets import avx2, avx512
    >>> tile_vectors(avx2), tile_vectors(avx512)
    (2, 4)
    """
    return (machine.registers - 1) // (ROWS + 1) if machine.vec_widths else 1


def fits(machine: Machine, rows: int, vectors: int) -> bool:
    """Whether the sums of a tile, a row of the panel and an element of A are in the registers, if there are some.

    >>> from backends.targets import avx2
    >>> fits(avx2, 4, 3), fits(avx2, 6, 3)
    (True, False)
    """
    return not machine.vec_widths or (rows + 1) * vectors < machine.registers


def block_width(machine: Machine, precision: str) -> int:
    """Columns of a block of B which, `DEPTH` deep, takes half of the second cache while the rows of A pass.

    >>> from backends.targets import avx2
    >>> block_width(avx2, "f32"), block_width(avx2, "f64")
    (256, 128)
    """
    row = DEPTH * analysis.size_of(Scalar(precision))
    return nearest(WIDTHS, machine.processor.cache(2).bytes // 2 // row)


# -- micro-kernels ------------------------------------------------------------------------------------


@cache
def micro_kernel(program: Proc, t: std.Tile, near: bool = False) -> Op:
    """`for j: for i: s  ~>  kernel(..)`, for the loops over a tile: the program as a call, scheduled once. A c that is
    `near` isn't fetched before."""
    naive, as_row = with_any_rows(program, replace(t, rows=1))
    name = f"{program.name()}_{t.rows}x{t.vectors}{'m' * t.masked}"
    kernel = schedule(seq(partial_eval(m=t.rows), rename(name)), naive)
    return seq(simplify(), std.as_call(kernel, seq(nav(moves.find_loop("j")), as_row, rows_unrolled(t, near))))


@cache
def with_any_rows(program: Proc, row: std.Tile) -> tuple[Proc, Op]:
    """The program of the tiles that have the vectors of one row, in any number of rows, and what makes loops over
    such a tile what they are in registers. That is done once for tiles of all heights: only unrolling differs."""
    bounds = (f"n > {row.cols - row.width}", f"n <= {row.cols}") if row.masked else ()
    columns = [] if row.masked else [partial_eval(n=row.cols)]
    naive = schedule(seq(identity, *columns, *map(add_assertion, bounds)), program)
    return naive, seq(std.as_call(naive, in_registers(row)), inline())


@strategy
def in_registers(p: Proc, c: ProcCursor, t: std.Tile) -> Script:
    """`for j: for i: t = 0; for p: t += a * b; c += t  ~>  t[..] = 0; for p: x = b[p, ..]; t[..] += a * x; c += t[..]`.

    With t for all of a tile, and a row of b, in registers. All of c is read before it is written: a processor takes a
    masked store for one of a whole vector, which the rows below would have to wait for. Loops over rows stay, of which
    there may be any number.
    """
    scopes = 3 if t.masked else 2
    held = ["t"]
    for added in p.find_all("c[_] += _") if t.in_vectors else ():
        yield on(added, nav(moves.as_block), stage_mem("c[i, j]", "u"))
        held.append("u")
    yield seq(nav(moves.root >> moves.find_loop("j")), std.by_vectors(t), std.fission_into_singles(3))
    for name in held:
        yield seq(nav(moves.root >> moves.find_alloc(name)), rearrange_dim((2, 0, 1)), set_memory(t.registers))
    p, depth = yield seq(nav(moves.root >> moves.find_loop("p")), repeat_n(lift_scope(), scopes + 1))
    p, block = yield seq(nav(moves.find_loop("i") >> moves.as_block), stage_mem(f"b[p, {t.width} * jv + jl]", "x"))
    yield on(depth, nav(INSIDE), std.fission_into_singles(2))
    yield seq(nav(moves.root >> moves.find_alloc("x")), set_memory(t.registers))
    # rows around lanes; of sums, around vectors, too, which share a[i, p]
    nests = p.find_all("for i in _: _")
    for rows in nests:
        p, _ = yield on(rows, repeat_n(lift_scope(), scopes - 1))
    p, _ = yield on(block[0], lift_scope())
    if "u" in held:
        loaded, summed, _ = (p.forward(rows).parent() for rows in nests[-3:])
        p, both = yield on(loaded, fuse(summed))
        yield on(both.body()[0], fuse(both.body()[1]))
    yield seq(nav(moves.root), std.to_instructions(t, RULES))
    return None


@strategy
def rows_unrolled(p: Proc, c: Cursor, t: std.Tile, near: bool = False) -> Script:
    """The rest of `in_registers`, for the rows that a tile has: their lines of c are fetched before the products,
    unless they are `near`, and loops over them unrolled."""
    lines = [f"c[{i}, {v * t.width}:{v * t.width + 1}]" for i, v in product(range(t.rows), range(t.vectors))]
    fetched = lines if t.in_vectors and not near else ()
    yield seq(nav(moves.root >> moves.find_loop("p")), std.prefetch(t.precision, fetched))
    yield seq(nav(moves.root), std.unroll_loops(t.rows) if t.in_vectors else identity)
    return None


# -- blocks -------------------------------------------------------------------------------------------


@strategy
def in_tiles(
    p: Proc,
    c: ForCursor,
    program: Proc,
    big: std.Tile,
    rest: tuple[int, ...] = (),
    across: Callable[[Proc, std.Tile], Op] | None = None,
) -> Script:
    """A block as calls of micro-kernels, which are made from `program`: rows of tiles, and what is left below.

    So a few rows of C are passed over at a time, and a few of A stay in the nearest cache. Rows that are left are one
    tile, for which there are micro-kernels of every number; or with `rest` several: of so many rows, and of fewer.
    `across` is how rows of a tile become calls: as `row_of_tiles`, unless said.
    """
    across = across or row_of_tiles
    p, below = yield reorder_loops()
    left, tiles = "m", list[tuple[ForCursor, std.Tile]]()
    for height in (big.rows, *(h for h in rest if h < big.rows)):
        p, rows = yield seq(focus(below), divide_loop(height, ("io", "i"), tail="cut"))
        left, below = f"{left} % {height}", rows.next()
        tiles.append((rows, replace(big, rows=height)))
    fewer = range(1, height)
    some = [across(program, replace(big, rows=r)) for r in fewer]
    yield on(below, std.specialize_sizes(left, fewer, some))
    for rows, tile in tiles:
        yield on(rows, nav(INSIDE), across(program, tile), std.cleanup())
    return None


@named
def row_of_tiles(program: Proc, big: std.Tile) -> Op:
    """`for i: for j: s  ~>  for jo: kernel(..); ..; if n % 16 / 16 == 1: kernel(..)`, for the rows of one tile.

    Of two vectors, both those that are left are masked: one alone would have to wait for its sums.
    """
    return seq(reorder_loops(), along(big, 1 if big.vectors > 2 else 2, partial(micro_kernel, program)))


@strategy
def one_tile(p: Proc, c: ForCursor, program: Proc, t: std.Tile) -> Script:
    """`for i: for j: s  ~>  if n == 16: kernel(..) else: kernel(..)`, for rows that one tile has. c is near."""
    whole = micro_kernel(program, t, near=True)
    p, cases = yield seq(reorder_loops(), std.specialize_sizes("n", [t.cols], [whole]))
    assert isinstance(cases, IfCursor)
    yield on(cases.orelse()[0], micro_kernel(program, replace(t, masked=True), near=True))
    return None


@strategy
def along(p: Proc, c: ForCursor, big: std.Tile, last: int, then: Callable[[std.Tile], Op]) -> Script:
    """`for j: s  ~>  for jo: s[64]; for jo: s[32]; for jo: s[16]; if (n % 16 + 15) / 16 == 1: s`, tiles side by side.

    Columns that are left over are taken by half as many vectors, and so on; from `last` vectors on by one tile, which
    is masked. `then` is what becomes of each tile.
    """
    p, panels = yield divide_loop(big.cols, ("jo", "j"), tail="cut")
    if big.vectors > last:
        rest = along(replace(big, vectors=big.vectors // 2), last, then)
    else:
        left = range(1, big.vectors + 1)
        masked = [then(replace(big, vectors=v, masked=True)) for v in left]
        rest = std.specialize_sizes(f"(n % {big.cols} + {big.width - 1}) / {big.width}", left, masked)
    yield on(panels.next(), simplify(), rest)
    yield on(panels, nav(INSIDE), then(big))
    return None


# -- packing ------------------------------------------------------------------------------------------


@strategy
def packed(p: Proc, c: ProcCursor, t: std.Tile, width: int, across: bool = False) -> Script:
    """`s[b]  ~>  for i0: for i1: panels[i1 / 64, i0, i1 % 64] = b[i0, i1]; s[panels]`, by vectors.

    Panels have room for `width` columns. The rows of b are of neighbours, or, if it is `across`, its columns.
    """
    p, block = yield seq(nav(moves.find_loop("j")), std.auto_stage_mem("b", "panels", DRAM))
    copy = block[0].prev()
    yield on(copy.prev(), resize_dim(1, width, 0), divide_dim(1, t.cols), rearrange_dim((1, 0, 2)))
    columns = on(copy, reorder_loops() if across else nav(INSIDE))
    p, panels = yield seq(columns, divide_loop(t.cols, ("jo", "ji"), tail="cut"))
    rest = panels.next()
    yield seq(nav(moves.root), simplify())
    for part, tail in ((panels.body()[0], "perfect"), (rest, None)):
        if across:
            yield on(part, std.transposed(t.machine, t.precision))
        elif t.in_vectors:
            yield on(part, std.vectorize_for(t.machine, t.precision, tail=tail))
    yield seq(nav(moves.root), std.unroll_loops(t.vectors))
    return None


packed_across = partial(packed, across=True)
"""As `packed`, of a b whose columns are of neighbours."""


# -- the whole product --------------------------------------------------------------------------------


@named
def optimize_gemm(
    machine: Machine, precision: str, tile: Proc, pack: Pack | None = packed, rest: tuple[int, ...] = ()
) -> Op:
    """`for j: for i: for p: ..` by blocks and tiles, for k up to `DEPTH` if packed.

    `tile` is the same program, for windows whose rows are of neighbours; micro-kernels are made from it, once for all
    that use it. `pack(tile, width)` is how b is packed. With a `rest`, what tiles leave is in tiles of so many rows and
    of fewer, not one of any number: fewer micro-kernels. Holes: `rows` and `vectors` of a tile, as far as they fit the
    registers, and the `width` of a block of B, in columns. Focus: the procedure. Returns it.

    >>> from backends.targets import avx2, plain_c
    >>> from exo_strat import proc_from_source, schedule, space
    >>> tile = proc_from_source('''
    ... def tile(m: size, n: size, k: size, a: [f32][m, k], b: [f32][k, n], c: [f32][m, n]):
    ...     assert stride(a, 1) == 1
    ...     assert stride(b, 1) == 1
    ...     assert stride(c, 1) == 1
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             t: f32
    ...             t = 0.0
    ...             for p in seq(0, k):
    ...                 t += a[i, p] * b[p, j]
    ...             c[i, j] += t
    ... ''')
    >>> q = schedule(optimize_gemm(plain_c, "f32", tile, None), tile)
    >>> sorted({c.subproc().name() for c in q.root().find_all("_(_)")})[-2:]
    ['tile_6x1', 'tile_6x1m']
    >>> print(space(optimize_gemm(avx2, "f32", tile)))
    optimize_gemm.rows: 2, 4, 5, 6, 8, 12 (default 6)
    optimize_gemm.vectors: 1, 2, 3, 4 (default 2)
    optimize_gemm.width: 64, 128, 256, 512 (default 256)
    further holes may be known when it runs: space(op, p)
    """
    rows, vectors, width = tile_holes(machine, precision)
    if pack is None:
        return within_registers(in_tiles_of(machine, precision, rows, vectors, tile, rest), machine)
    return within_registers(in_packed_blocks(machine, precision, rows, vectors, width, tile, pack, rest), machine)


@named
def optimize_deep_gemm(machine: Machine, precision: str, tile: Proc) -> Op:
    """`for j: for i: for p: c[i, j] += a * b` as `optimize_gemm`, for any k: so many products at a time as a block has.

    `tile` is the program of a tile: `for j: for i: t = 0; for p: t += a * b; c[i, j] += t`, for windows. There is one
    hole more, the `depth` of a block. Focus: the procedure. Returns it.

    >>> from backends.targets import plain_c
    >>> from exo_strat import proc_from_source, schedule
    >>> tile = proc_from_source('''
    ... def tile(m: size, n: size, k: size, a: [f32][m, k], b: [f32][k, n], c: [f32][m, n]):
    ...     assert stride(a, 1) == 1
    ...     assert stride(b, 1) == 1
    ...     assert stride(c, 1) == 1
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             t: f32
    ...             t = 0.0
    ...             for p in seq(0, k):
    ...                 t += a[i, p] * b[p, j]
    ...             c[i, j] += t
    ... ''')
    >>> p = proc_from_source('''
    ... def gemm(m: size, n: size, k: size, a: f32[m, k], b: f32[k, n], c: f32[m, n]):
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             for p in seq(0, k):
    ...                 c[i, j] += a[i, p] * b[p, j]
    ... ''')
    >>> q = schedule(optimize_deep_gemm(plain_c, "f32", tile), p)
    >>> from strategies.inspect import nest_shape
    >>> print(nest_shape(q.root()))
    gemm > [seq k / 512 > gemm_deep(); if > gemm_deep()]
    """
    rows, vectors, width = tile_holes(machine, precision)
    depth = hole("depth", DEPTHS, default=DEPTH)
    plan = in_packed_blocks(machine, precision, rows, vectors, width, tile, packed)
    return within_registers(in_deep_blocks(tile, plan, depth), machine)


def tile_holes(machine: Machine, precision: str) -> tuple[Any, Any, Any]:
    """The holes of a product: rows and vectors of a tile, columns of a block."""
    rows, vectors = hole("rows", TILE_ROWS, default=ROWS), hole("vectors", TILE_VECTORS, default=tile_vectors(machine))
    return rows, vectors, hole("width", WIDTHS, default=block_width(machine, precision))


def within_registers(op: Op, machine: Machine) -> Op:
    """A plan for tiles that fit the registers."""
    return limited(op, partial(fits, machine), "rows", "vectors")


@strategy
def in_tiles_of(
    p: Proc,
    c: ProcCursor,
    machine: Machine,
    precision: str,
    rows: int,
    vectors: int,
    program: Proc,
    rest: tuple[int, ...] = (),
) -> Script:
    """A product in tiles, of so many rows and vectors at most. Focus: the procedure. Returns it."""
    yield at("for j in _: _", in_tiles(program, std.Tile(machine, precision, rows, vectors), rest))
    return None


SLIM_ROWS, SLIM_VECTORS = (4, 6, 9, 12, 16), 4
"""Rows that a slim tile may have, and the most vectors."""


def slim_rows(machine: Machine) -> dict[int, int]:
    """The rows of slim tiles, by their vectors: as many as fit.

    >>> from backends.targets import avx2, avx512
    >>> slim_rows(avx2), slim_rows(avx512)
    ({1: 12, 2: 6, 3: 4}, {1: 16, 2: 12, 3: 9, 4: 6})
    """
    sizes = range(1, SLIM_VECTORS + 1) if machine.vec_widths else ()
    return {v: max(r for r in SLIM_ROWS if fits(machine, r, v)) for v in sizes if fits(machine, SLIM_ROWS[0], v)}


def optimize_slim(machine: Machine, precision: str, vectors: int, program: Proc) -> Op:
    """A product whose columns one tile has, of so many vectors, none of which is empty, near the processor. Focus: the
    procedure. Returns it.

    >>> from backends.targets import avx2
    >>> from exo_strat import proc_from_source, schedule
    >>> tile = proc_from_source('''
    ... def tile(m: size, n: size, k: size, a: [f32][m, k], b: [f32][k, n], c: [f32][m, n]):
    ...     assert stride(a, 1) == 1
    ...     assert stride(b, 1) == 1
    ...     assert stride(c, 1) == 1
    ...     assert n <= 8
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             t: f32
    ...             t = 0.0
    ...             for p in seq(0, k):
    ...                 t += a[i, p] * b[p, j]
    ...             c[i, j] += t
    ... ''')
    >>> q = schedule(optimize_slim(avx2, "f32", 1, tile), tile)
    >>> "tile_12x1" in {c.subproc().name() for c in q.root().find_all("_(_)")}
    True
    """
    tile = std.Tile(machine, precision, slim_rows(machine)[vectors], vectors)
    return seq(at("for j in _: _", in_tiles(program, tile, across=one_tile)), nav(moves.root))


@strategy
def in_packed_blocks(
    p: Proc,
    c: ProcCursor,
    machine: Machine,
    precision: str,
    rows: int,
    vectors: int,
    width: int,
    program: Proc,
    pack: Pack,
    rest: tuple[int, ...] = (),
) -> Script:
    """A product in blocks of columns, whole tiles of about so many, each of which is packed. Focus: the procedure.
    Returns it."""
    big = std.Tile(machine, precision, rows, vectors)
    whole = max(1, width // big.cols) * big.cols
    block = schedule(seq(rename(f"{p.name()}_block"), add_assertion(f"n <= {whole}")), p)
    then = seq(pack(big, whole), nav(moves.root), in_tiles_of(machine, precision, rows, vectors, program, rest))
    yield seq(nav(moves.find_loop("j")), std.in_blocks(whole, ("jo", "j"), std.as_call(block, then)))
    return None


@strategy
def in_deep_blocks(p: Proc, c: ProcCursor, program: Proc, plan: Op, depth: int, rows: Op = identity) -> Script:
    """`for j: for i: for p: s  ~>  for po: block(..); if 0 < k % 512: block(..)`, for products in blocks.

    As many products at a time as `depth`. The `plan` is for a block of `program`, in which each element of c gets one
    sum (`in_one_sum`); `rows` comes before the call, at the nest of a block. Focus: the procedure. Returns it.
    """
    block = schedule(seq(rename(f"{p.name()}_deep"), add_assertion(f"k <= {depth}")), program)
    inwards = seq(reorder_loops(), at(INSIDE, reorder_loops()), at(INSIDE >> INSIDE, in_one_sum()))
    then = seq(inwards, rows, std.as_call(block, plan))
    yield seq(nav(moves.find_loop("p")), repeat_n(lift_scope(), 2), std.in_blocks(depth, ("po", "p"), then))
    return None


@named
def in_one_sum() -> Op:
    """`for p: c += x * e  ~>  t = 0; for p: t += e; t = x * t; c += t`. Focus: the loop."""
    common = seq(nav(moves.find_loop("p") >> moves.expand(1, 0)), lift_reduce_constant())
    return seq(nav(moves.as_block), stage_mem("c[i, j]", "t", accum=True), attempt(common))
