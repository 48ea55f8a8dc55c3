"""Tiles of a matrix in registers, a vector of columns in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exo_strat import (
    DRAM_STACK,
    ForCursor,
    Machine,
    Memory,
    Proc,
    ProcCursor,
    Script,
    attempt,
    divide_loop,
    moves,
    nav,
    on,
    reorder_loops,
    replace,
    rewrite_expr,
    seq,
    simplify,
    strategy,
    unroll_loop,
)

from ..inspect import loops_inside, trip_count
from .compute import Rule, stage_compute
from .guards import unguard
from .instructions import replace_all
from .loops import unroll_and_jam, unroll_loops
from .splitting import fission_into_singles
from .tiling import tile
from .writing import INSIDE

LANES = 16
"""Elements side by side where a machine has no vectors: the C compiler may have some. Measured by `exo-strat demo sgemm
--target c`."""

COLUMNS = 4
"""Columns that are turned together where no instruction does so. Measured by
`python -m benchmarks.blas --only gemm`."""


@dataclass(frozen=True)
class Tile:
    """So many rows and vectors of a matrix, the last of which may be partly in it: then it is masked.

    A machine without vectors counts `LANES` elements as one.

    >>> from exo_strat import DRAM
    >>> tile = Tile(Machine("plain", {}, DRAM, {}), "f32", rows=4, vectors=2)
    >>> tile.cols, tile.in_vectors
    (32, False)
    """

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


@strategy
def by_vectors(p: Proc, c: ForCursor, t: Tile) -> Script:
    """`for j: s  ~>  for jv in (0, vectors): for jl in (0, width): s`, with `if ..: s` in it if lanes are masked.

    For the columns of a tile. Focus: the loop. Returns the outer one. Fails if there are more or fewer columns.

    >>> from exo_strat import DRAM, at, proc_from_source, schedule
    >>> from pyrsistent import pmap
    >>> p = proc_from_source('''
    ... def foo(x: f32[8]):
    ...     for j in seq(0, 8):
    ...         x[j] = 0.0
    ... ''')
    >>> t = Tile(Machine("toy", pmap({"f32": 4}), DRAM, pmap()), "f32", 1, 2)
    >>> print(schedule(at("for j in _: _", by_vectors(t)), p))
    def foo(x: f32[8] @ DRAM):
        for jv in seq(0, 2):
            for jl in seq(0, 4):
                x[4 * jv + jl] = 0.0
    """
    p, vectors = yield divide_loop(t.width, ("jv", "jl"), tail="guard" if t.masked else "perfect")
    yield seq(nav(moves.hi), attempt(rewrite_expr(t.vectors)))
    return vectors


@strategy
def to_instructions(p: Proc, c: ProcCursor | ForCursor, t: Tile, rules: Sequence[Rule]) -> Script:
    """`for jv: for jl: s  ~>  instr(..); instr(..)`: loops over the lanes of a tile, those over vectors unrolled.

    At and below the focus; the loops are those of `by_vectors`. Rows are unrolled, too. Where lanes can't be masked
    that must be, the loops over them stay. Returns the procedure.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[16]):
    ...     for j in seq(0, 16):
    ...         x[j] = 0.0
    ... ''')
    >>> t = Tile(avx2, "f32", 1, 2)
    >>> print(schedule(at("for j in _: _", by_vectors(t)) >> nav(moves.root) >> to_instructions(t, ()), p))
    def foo(x: f32[16] @ DRAM):
        v: f32[8] @ AVX2
        mm256_setzero_ps(v[0:8])
        mm256_storeu_ps(x[0:8], v[0:8])
        v_1: f32[8] @ AVX2
        mm256_setzero_ps(v_1[0:8])
        mm256_storeu_ps(x[8:16], v_1[0:8])
    """
    for lanes in c.find_all("for jl in _: _") if t.in_vectors else ():
        yield on(lanes, stage_compute(t.precision, t.registers, rules), fission_into_singles())
    p, c = yield on(c, unguard())
    for vectors in c.find_all("for jv in _: _"):
        yield on(vectors, unroll_loop())
    yield seq(nav(moves.root), simplify())
    if t.in_vectors:
        yield seq(replace_all(t.machine.get_instructions(t.precision)), unroll_loops(t.rows))
    return None


@strategy
def transposed(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """`for j: for i: x[i, j] = y[i, j]  ~>  for j: for i: transpose(x[i:i+4, j:j+8], y[i:i+4, j:j+8])`.

    The columns of y are contiguous. If the machine has no instruction that transposes a tile, the loop copies a few
    columns at a time. Focus: the outer loop. Returns the procedure.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, x: f32[m, 8], y: [f32][m, 8]):
    ...     assert stride(y, 0) == 1
    ...     for j in seq(0, 8):
    ...         for i in seq(0, m):
    ...             x[i, j] = y[i, j]
    ... ''')
    >>> print(schedule(at("for j in _: _", transposed(avx2, "f32")), p))
    def foo(m: size, x: f32[m, 8] @ DRAM, y: [f32][m, 8] @ DRAM):
        assert stride(y, 0) == 1
        for jo in seq(0, 1):
            for io in seq(0, m / 4):
                mm256_transpose_ps(x[4 * io:4 * io + 4, 8 * jo:8 * jo + 8], y[4 * io:4 * io + 4, 8 * jo:8 * jo + 8])
            for ji in seq(0, 8):
                for ii in seq(0, m % 4):
                    x[4 * (m / 4) + ii, 8 * jo + ji] = y[4 * (m / 4) + ii, 8 * jo + ji]
        for ji in seq(0, 0):
            for i in seq(0, m):
                x[i, 8 + ji] = y[i, 8 + ji]
    """
    found = machine.get_transposes(precision)
    if not found:
        yield unroll_and_jam(COLUMNS, tail="cut")
        return None
    rows, columns = (trip_count(loop) or 1 for loop in loops_inside(found[0].root()))
    p, tiles = yield tile(columns, rows, tail="cut")
    yield on(tiles, nav(INSIDE), nav(INSIDE), reorder_loops(), simplify(), replace(found[0]))
    return None
