"""Copies of matrices that are transposed in registers.

A naive program here is `for j: for i: c[i, j] = a[i, j]`, where the columns of a are of neighbours, or
`c[i, j] = a[j, i]`. Whole tiles are turned by an instruction; what is left at the end would take long element by
element, so the last tiles overlap those before.
"""

from __future__ import annotations

from functools import cache

from exo_strat import (
    ForCursor,
    IfCursor,
    Machine,
    Op,
    Proc,
    Script,
    add_assertion,
    at,
    cut_loop,
    divide_loop,
    divide_with_recompute,
    make_instr,
    nav,
    on,
    partial_eval,
    proc_from_source,
    rename,
    reorder_loops,
    replace,
    schedule,
    seq,
    shift_loop,
    simplify,
    specialize,
    strategy,
)

from .. import std
from ..inspect import loops_inside, trip_count
from ..std.writing import INSIDE

FEW = 512
"""Elements from which on tiles overlap. Measured by `python -m benchmarks.blas --only gemm`."""


_BY_ROWS = """
def {name}_rows(dst: [{precision}][{rows}, {columns}], src: [{precision}][{columns}, {rows}]):
    assert stride(dst, 1) == 1
    assert stride(src, 1) == 1
    for i in seq(0, {rows}):
        for j in seq(0, {columns}):
            dst[i, j] = src[j, i]
"""


@cache
def tile_of(machine: Machine, precision: str, by_rows: bool) -> tuple[Proc, int, int] | None:
    """The machine's instruction that turns a tile, and its rows and columns; `by_rows`, that of a source whose rows are
    of neighbours, which is the same one with the other stride."""
    found = machine.get_transposes(precision)
    if not found:
        return None
    tile, (rows, columns) = found[0], (trip_count(loop) or 1 for loop in loops_inside(found[0].root()))
    if by_rows:
        instr = tile.tree.instr
        assert instr is not None
        said = make_instr(instr.c.replace("src_stride_1", "src_stride_0"), instr.c_global)
        source = _BY_ROWS.format(name=tile.name(), precision=precision, rows=rows, columns=columns)
        tile = schedule(said, proc_from_source(source))
    return tile, rows, columns


@strategy
def turned(p: Proc, c: ForCursor, machine: Machine, precision: str, by_rows: bool = False) -> Script:
    """`for j: for i: c[i, j] = a[i, j]  ~>  for j: for i: transpose(c[i:i+4, j:j+8], a[i:i+4, j:j+8])`.

    The procedure is this loop alone, of m rows and n columns; `by_rows`, it is of `a[j, i]`. Focus: the loop over j.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def turn(m: size, n: size, a: [f32][m, n], c: [f32][m, n]):
    ...     assert stride(a, 0) == 1
    ...     assert stride(c, 1) == 1
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             c[i, j] = a[i, j]
    ... ''')
    >>> q = schedule(at("for j in _: _", turned(avx2, "f32")), p)
    >>> sorted({c.subproc().name() for c in q.root().find_all("_(_)")})
    ['mm256_transpose_ps', 'turn_last', 'turn_strip']
    """
    found = tile_of(machine, precision, by_rows)
    if found is None:
        yield std.unroll_and_jam(std.tiles.COLUMNS, tail="cut")
        return None
    tile, rows, columns = found
    turn = seq(simplify(), replace(tile))
    down = at("for j in _: _", seq(reorder_loops(), overlapping("m", rows, ("io", "i"), turn, turn)))
    size = seq(partial_eval(n=columns), add_assertion(f"m >= {rows}"))
    strip = std.as_call(schedule(seq(rename(f"{p.name()}_strip"), size), p), down)
    # the last strips are one function: what calls another procedure is no part of its callers
    last = std.as_call(schedule(seq(rename(f"{p.name()}_last"), size), p), at("for j in _: _", strip))
    few = f"m < {rows} or n < {columns} or m * n < {FEW}"
    p, cases = yield specialize(f"{few} or m % {rows} == 0 and n % {columns} == 0")
    across = overlapping("n", columns, ("jo", "j"), seq(simplify(), strip), seq(simplify(), last))
    yield on(cases.orelse()[0], across)
    p, tiles = yield on(cases.body()[0], std.tile(columns, rows, tail="cut"))
    yield on(tiles, nav(INSIDE), nav(INSIDE), reorder_loops(), simplify(), replace(tile))
    return None


@strategy
def overlapping(p: Proc, c: ForCursor, extent: str, size: int, names: tuple[str, str], then: Op, last: Op) -> Script:
    """`for i: s  ~>  for io: for i in (0, 4): s[4 * io + i]; for io in (0, 2): for i in (0, 4): s[.. + r * io + i]`.

    For loops whose iterations may be done twice, at least `size` of them, of which r are left over. These and so many
    before are two tiles. `then` is for the inner loop of the first one, `last` for the others. Focus: the loop.
    """
    p, whole = yield cut_loop(f"{extent} - {extent} % {size} - {size}")
    p, rest = yield on(whole.next(), shift_loop(0))
    yield on(whole, divide_loop(size, names, tail="perfect"), nav(INSIDE), then)
    left = range(1, size)
    p, case = yield on(rest, specialize([f"{extent} % {size} == {r}" for r in left]))
    for r in left:
        assert isinstance(case, IfCursor)
        yield on(case.body()[0], divide_with_recompute(2, r, names), nav(INSIDE), last)
        case = case.orelse()[0]
    yield on(case, last)
    return None


PAIRS_SIDE = {"f32": 4, "f64": 2}
"""Rows and columns of a tile of pairs that fills vectors of 256 bits."""

_TURN_PAIRS = {
    "f32": """\
#include <immintrin.h>
#include <stdint.h>
// Four pairs of each of four rows, to four rows: a pair is as long as a double.
static inline void exo_turn_pairs_f32(float *dst, int64_t row, const float *src, int64_t column) {
    __m256d c[4];
    for (int j = 0; j < 2; j++) {
        const float *low = src + j * column, *high = low + 2 * column;
        const __m256d a = _mm256_castps_pd(_mm256_loadu_ps(low)), b = _mm256_castps_pd(_mm256_loadu_ps(high));
        c[j] = _mm256_permute2f128_pd(a, b, 0x20);
        c[j + 2] = _mm256_permute2f128_pd(a, b, 0x31);
    }
    for (int i = 0; i < 4; i += 2) {
        _mm256_storeu_ps(dst + i * row, _mm256_castpd_ps(_mm256_unpacklo_pd(c[i], c[i + 1])));
        _mm256_storeu_ps(dst + (i + 1) * row, _mm256_castpd_ps(_mm256_unpackhi_pd(c[i], c[i + 1])));
    }
}""",
    "f64": """\
#include <immintrin.h>
#include <stdint.h>
// Two pairs of each of two rows, to two rows
static inline void exo_turn_pairs_f64(double *dst, int64_t row, const double *src, int64_t column) {
    const __m256d a = _mm256_loadu_pd(src), b = _mm256_loadu_pd(src + column);
    _mm256_storeu_pd(dst, _mm256_permute2f128_pd(a, b, 0x20));
    _mm256_storeu_pd(dst + row, _mm256_permute2f128_pd(a, b, 0x31));
}""",
}

BLOCK_OF_PAIRS = 8
"""Rows and columns that are turned together where there is no such instruction, so that lines of both stay near."""


@strategy
def pairs_turned(
    p: Proc, c: ForCursor, machine: Machine, precision: str, dst: str, src: str, rows: tuple[int, int] = (0, 0),
    back: str = "",
) -> Script:  # fmt: skip
    """`for j: for i: for r in (0, 2): c[i, j, r] = a[j, i, r]  ~>  for jo: for io: tile(..)`, of pairs of neighbours.

    The procedure is this nest alone, of n and m iterations. `dst` and `src` are the names of both matrices, and `rows`
    which of their dimensions is that of rows, whose pairs are neighbours; of one of both the pairs of a row may lie
    from the last one `back`. Focus: the outer loop.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def turn(m: size, n: size, a: [f32][n, 2 * m], c: [f32][m, 2 * n]):
    ...     assert stride(a, 1) == 1
    ...     assert stride(c, 1) == 1
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             for r in seq(0, 2):
    ...                 c[i, 2 * j + r] = a[j, 2 * i + r]
    ... ''')
    >>> q = schedule(at("for j in _: _", pairs_turned(avx2, "f32", "c", "a")), p)
    >>> [c.subproc().name() for c in q.root().find_all("_(_)")]
    ['turn_tile']
    """
    has_tile, program = bool(machine.get_transposes(precision)), p
    side = PAIRS_SIDE[precision] if has_tile else BLOCK_OF_PAIRS
    p, tiles = yield std.tile(side, side, tail="cut")
    if has_tile:
        given = []
        for name, dim in zip((dst, src), rows, strict=True):
            at, row = f"&{{{name}_data}}", f"{{{name}_stride_{dim}}}"
            if back == name:
                at += f" - {2 * (side - 1)}"
            elif back:
                at, row = f"{at} + {side - 1} * {row}", f"-{row}"
            given.append(f"{at}, {row}")
        text = f"exo_turn_pairs_{precision}({', '.join(given)});"
        called = rename(f"{p.name()}_tile")
        size = seq(partial_eval(m=side, n=side), simplify(), called, make_instr(text, _TURN_PAIRS[precision]))
        yield on(tiles, nav(INSIDE), nav(INSIDE), simplify(), replace(schedule(size, program)))
    yield std.cleanup()
    return None
