"""Products of matrices of pairs, such as complex numbers, with both matrices read where they are.

A row of B is read as it is, and each element of A as two numbers. Of each vector of C there are two sums: of B times
the first parts of A, and of B times the second ones. At the end they are joined, with the parts of each pair exchanged,
and added to C. So there is no operation more than in a product of reals, and nothing is copied.

A naive program here is `for j: for i: s: R[2]; t: R[2]; for r: s = 0; t = 0; for p: for r: s += a0 * b; t += a1 * b;
for r: c += ..`, where r is the part of a pair.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from exo_strat import (
    ForCursor,
    Machine,
    Op,
    Proc,
    ProcCursor,
    Script,
    add_assertion,
    at,
    cut_loop,
    divide_dim,
    divide_loop,
    focus,
    identity,
    inline,
    lift_scope,
    moves,
    mult_dim,
    mult_loops,
    named,
    nav,
    on,
    partial_eval,
    rearrange_dim,
    rename,
    reorder_loops,
    repeat_n,
    resize_dim,
    rewrite_expr,
    schedule,
    seq,
    set_memory,
    shift_loop,
    simplify,
    specialize,
    stage_mem,
    strategy,
)

from .. import std
from ..std.writing import INSIDE
from .level3 import along
from .products import either

RULES = (std.broadcast_rule, std.fma_rule)


@dataclass(frozen=True)
class Pairs(std.Tile):
    """A tile whose columns are pairs."""

    @property
    def width(self) -> int:
        """The pairs of a vector."""
        return super().width // 2

    @property
    def lanes(self) -> std.Tile:
        """The tile of the parts of its pairs."""
        return std.Tile(self.machine, self.precision, self.rows, self.vectors, self.masked)


def tile_rows(machine: Machine, vectors: int) -> int:
    """As many rows as there are registers for: two sums of each vector, a row of B and an element of A.

    >>> from backends.targets import avx2, avx512
    >>> tile_rows(avx2, 1), tile_rows(avx2, 2), tile_rows(avx512, 2)
    (6, 3, 6)
    """
    return min(MOST_ROWS, (machine.registers - vectors - 1) // (2 * vectors))


MOST_ROWS = 6
"""Rows of a tile: there is a micro-kernel for each number up to it."""

VECTORS = 2
"""Vectors of a tile."""


@strategy
def optimize_pair_product(p: Proc, c: ProcCursor, machine: Machine, precision: str, tile: Proc) -> Script:
    """The whole product in tiles, each a call of a micro-kernel that is made of the program `tile`. Without vectors it
    stays as it is. Focus: the procedure. Returns it.

    >>> from backends.targets import avx2
    >>> from exo_strat import proc_from_source
    >>> tile = proc_from_source('''
    ... def tile(m: size, n: size, k: size, f: [f32][4, 2], a: [f32][m, k, 2], b: [f32][k, 2 * n], c: [f32][m, 2 * n]):
    ...     assert stride(f, 1) == 1 and stride(a, 2) == 1 and stride(b, 1) == 1 and stride(c, 1) == 1
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             s: f32[2]
    ...             t: f32[2]
    ...             for r in seq(0, 2):
    ...                 s[r] = 0.0
    ...                 t[r] = 0.0
    ...             for p in seq(0, k):
    ...                 for r in seq(0, 2):
    ...                     s[r] += a[i, p, 0] * b[p, 2 * j + r]
    ...                     t[r] += a[i, p, 1] * b[p, 2 * j + r]
    ...             u: f32[2]
    ...             v: f32[2]
    ...             w: f32[2]
    ...             for r in seq(0, 2):
    ...                 u[r] = s[1 - r]
    ...                 v[r] = t[1 - r]
    ...                 w[r] = c[i, 2 * j + r]
    ...                 w[r] += f[0, r] * s[r]
    ...                 w[r] += f[1, r] * u[r]
    ...                 w[r] += f[2, r] * t[r]
    ...                 w[r] += f[3, r] * v[r]
    ...                 c[i, 2 * j + r] = w[r]
    ... ''')
    >>> q = schedule(optimize_pair_product(avx2, "f32", tile), tile)
    >>> sorted({c.subproc().name() for c in q.root().find_all("_(_)")})[-2:]
    ['tile_6x1', 'tile_6x1m']
    """
    if not machine.vec_widths:
        yield identity
        return None
    slim, wide = (Pairs(machine, precision, tile_rows(machine, v), v) for v in (1, VECTORS))
    plans = (in_tiles(tile, slim), in_tiles(tile, wide))
    yield at("for j in _: _", either(f"n <= {slim.cols}", *plans))
    return None


@strategy
def in_tiles(p: Proc, c: ForCursor, program: Proc, big: Pairs) -> Script:
    """`for j: for i: s  ~>  for io: (for jo: kernel(..); ..); if m % 6 == 1: ..`. Focus: the nest.

    A row alone would have to wait for its few sums: of seven rows, four are a tile and three. So are the last ones."""
    p, below = yield reorder_loops()
    rows, low = big.rows, big.rows // 2 + 1
    p, cases = yield seq(focus(below), specialize(f"m % {rows} == 1 and m > {rows}"))
    one_more, others = cases.body()[0], cases.orelse()[0]
    p, first = yield on(one_more, cut_loop(f"m - {rows + 1}"))
    p, last = yield on(first.next(), shift_loop(0), cut_loop(f"{low}"))
    parts = ((first, rows), (last, low), (last.next(), rows + 1 - low))
    for part, height in parts:
        yield on(part, shift_loop(0), divide_loop(height, ("io", "i"), tail="perfect"))
        yield on(part, nav(INSIDE), row_of_tiles(program, replace(big, rows=height)), std.cleanup())
    p, whole = yield on(others, divide_loop(rows, ("io", "i"), tail="cut"))
    fewer = range(1, rows)
    some = [row_of_tiles(program, replace(big, rows=r)) for r in fewer]
    yield on(whole.next(), std.specialize_sizes(f"m % {rows}", fewer, some))
    yield on(whole, nav(INSIDE), row_of_tiles(program, big), std.cleanup())
    return None


@named
def row_of_tiles(program: Proc, big: Pairs) -> Op:
    """`for i: for j: s  ~>  for jo: kernel(..); if ..: kernel(..)`, for the rows of one tile; the last is masked."""
    return seq(reorder_loops(), along(big, big.vectors, partial(micro_kernel, program)))


@cache
def micro_kernel(program: Proc, t: Pairs) -> Op:
    """`for j: for i: s  ~>  kernel(..)`, for the loops over a tile: the program as a call, scheduled once."""
    naive, as_row = with_any_rows(program, replace(t, rows=1))
    name = f"{program.name()}_{t.rows}x{t.vectors}{'m' * t.masked}"
    kernel = schedule(seq(partial_eval(m=t.rows), rename(name)), naive)
    unrolled = std.unroll_loops(t.rows) if t.in_vectors else identity
    return seq(simplify(), std.as_call(kernel, seq(nav(moves.find_loop("j")), as_row, nav(moves.root), unrolled)))


@cache
def with_any_rows(program: Proc, row: Pairs) -> tuple[Proc, Op]:
    """The program of the tiles that have the vectors of one row, in any number of rows, and what makes loops over
    such a tile what they are in registers."""
    bounds = (f"n > {row.cols - row.width}", f"n <= {row.cols}") if row.masked else ()
    columns = [] if row.masked else [partial_eval(n=row.cols)]
    naive = schedule(seq(identity, *columns, *map(add_assertion, bounds)), program)
    return naive, seq(std.as_call(naive, in_registers(row.lanes)), inline())


@strategy
def in_registers(p: Proc, c: ProcCursor, t: std.Tile) -> Script:
    """`for j: for i: s  ~>  s[..] = 0; t[..] = 0; for p: x = b[p, ..]; s[..] += a0 * x; t[..] += a1 * x; c += ..`.

    With s and t for all of a tile, and a row of b, in registers. Loops over rows stay.
    """
    p, c = yield by_parts()
    scopes = 3 if t.masked else 2
    for loop in p.find_all("for j in _: _"):
        yield on(loop, std.by_vectors(t))
    for room in p.find_all("_ : _"):
        turn = seq(resize_dim(0, t.cols, 0), divide_dim(0, t.width), rearrange_dim((2, 0, 1)), set_memory(t.registers))
        yield on(room, turn)
    p, c = yield nav(moves.root)
    for exchanged in ("u[_] = _", "v[_] = _"):
        copy: Any = p.find(exchanged)
        for index, lane in zip(copy.rhs().idx()[1:], ("jv", "jl + 1 - 2 * (jl % 2)"), strict=True):
            yield on(index, rewrite_expr(lane))
    p, depth = yield seq(nav(moves.root >> moves.find_loop("p")), repeat_n(lift_scope(), scopes + 1))
    rows: Any = depth.find("for i in _: _")
    p, block = yield on(rows, nav(moves.as_block), stage_mem(f"b[p, {t.width} * jv + jl]", "x"))
    yield on(depth, nav(INSIDE), std.fission_into_singles(2))
    yield seq(nav(moves.root >> moves.find_alloc("x")), set_memory(t.registers))
    for nest in p.find_all("for jv in _: _"):
        if nest.find_all("for i in _: _"):
            yield on(nest, std.fission_into_singles(3))
    p, c = yield nav(moves.root)
    for rows in p.find_all("for i in _: _"):
        yield on(rows, repeat_n(lift_scope(), scopes))
    yield seq(nav(moves.root), std.to_instructions(t, RULES))
    return None


@strategy
def by_parts(p: Proc, c: ProcCursor) -> Script:
    """`for j in (0, n): for i: s[2]; for r: e  ~>  s[2 n, m]; for j in (0, 2 n): for i: e[r -> j % 2]; ..`, a nest for
    each loop over the parts. Focus: the procedure."""
    p, nests = yield seq(nav(moves.find_loop("j")), std.fission_into_singles(2))
    for room in p.find_all("_ : _"):
        yield on(room, rearrange_dim((0, 2, 1)), mult_dim(0, 1))
    for nest in nests:
        parts: Any = p.forward(nest).find("for r in _: _")
        while parts.parent() != p.forward(nest):
            p, parts = yield on(parts, lift_scope())
        yield on(nest, mult_loops("j"))
    yield seq(nav(moves.root), simplify())
    return None
