"""Copies of matrices that are transposed in registers.

A naive program here is `for j: for i: c[i, j] = a[i, j]`, where the columns of a are of neighbours, or
`c[i, j] = a[j, i]`. Whole tiles are turned by an instruction; what is left at the edges, which would take long element
by element, by one for a part of a tile.
"""

from __future__ import annotations

from functools import cache

from exo_strat import (
    ForCursor,
    Machine,
    Proc,
    Script,
    make_instr,
    moves,
    nav,
    on,
    partial_eval,
    proc_from_source,
    rename,
    reorder_loops,
    replace,
    schedule,
    seq,
    simplify,
    strategy,
    try_else,
)

from .. import std
from ..inspect import loops_inside, trip_count
from ..std.writing import INSIDE
from .products import in_parts

PART = 4
"""Rows and columns that a part of a tile has at most."""

_TILE = """
@instr({c!r}, {helper!r})
def {name}({sizes}dst: [{precision}][{m}, {n}], src: [{precision}][{shape}]):
{limits}    assert stride(dst, 1) == 1
    assert stride(src, {along}) == 1
    for i in seq(0, {m}):
        for j in seq(0, {n}):
            dst[i, j] = src[{at}]
"""

_TURN_PART = {
    "f32": """\
#include <immintrin.h>
#include <stdint.h>
// At most four numbers of each of at most four columns, to rows: without masks of AVX-512 piece by piece, as a masked
// store takes some processors as long as a dozen others.
static inline void exo_turn_part_f32(float *dst, int64_t row, const float *src, int64_t column, int64_t m, int64_t n) {
#ifdef __AVX512VL__
    const __mmask8 up = (__mmask8)((1u << m) - 1), along = (__mmask8)((1u << n) - 1);
#else
    const __m128i up = _mm_cmpgt_epi32(_mm_set1_epi32((int)m), _mm_setr_epi32(0, 1, 2, 3));
#endif
    __m128 c[4];
    for (int j = 0; j < 4; j++) {
        c[j] = _mm_setzero_ps();
        if (j >= n) continue;
#ifdef __AVX512VL__
        c[j] = _mm_maskz_loadu_ps(up, src + j * column);
#else
        c[j] = m == 4 ? _mm_loadu_ps(src + j * column) : _mm_maskload_ps(src + j * column, up);
#endif
    }
    _MM_TRANSPOSE4_PS(c[0], c[1], c[2], c[3]);
    for (int i = 0; i < 4; i++) {
        if (i >= m) continue;
        float *to = dst + i * row;
#ifdef __AVX512VL__
        _mm_mask_storeu_ps(to, along, c[i]);
#else
        if (n == 4) _mm_storeu_ps(to, c[i]);
        else if (n > 1) _mm_storel_pi((__m64 *)to, c[i]);
        else _mm_store_ss(to, c[i]);
        if (n == 3) _mm_store_ss(to + 2, _mm_movehl_ps(c[i], c[i]));
#endif
    }
}""",
    "f64": """\
#include <immintrin.h>
#include <stdint.h>
// At most four numbers of each of at most four columns, to rows: without masks of AVX-512 piece by piece, as a masked
// store takes some processors as long as a dozen others.
static inline void exo_turn_part_f64(
    double *dst, int64_t row, const double *src, int64_t column, int64_t m, int64_t n) {
#ifdef __AVX512VL__
    const __mmask8 up = (__mmask8)((1u << m) - 1), along = (__mmask8)((1u << n) - 1);
#else
    const __m256i up = _mm256_cmpgt_epi64(_mm256_set1_epi64x(m), _mm256_setr_epi64x(0, 1, 2, 3));
#endif
    __m256d c[4];
    for (int j = 0; j < 4; j++) {
        c[j] = _mm256_setzero_pd();
        if (j >= n) continue;
#ifdef __AVX512VL__
        c[j] = _mm256_maskz_loadu_pd(up, src + j * column);
#else
        c[j] = m == 4 ? _mm256_loadu_pd(src + j * column) : _mm256_maskload_pd(src + j * column, up);
#endif
    }
    const __m256d a = _mm256_unpacklo_pd(c[0], c[1]), b = _mm256_unpacklo_pd(c[2], c[3]);
    const __m256d d = _mm256_unpackhi_pd(c[0], c[1]), e = _mm256_unpackhi_pd(c[2], c[3]);
    c[0] = _mm256_permute2f128_pd(a, b, 0x20);
    c[1] = _mm256_permute2f128_pd(d, e, 0x20);
    c[2] = _mm256_permute2f128_pd(a, b, 0x31);
    c[3] = _mm256_permute2f128_pd(d, e, 0x31);
    for (int i = 0; i < 4; i++) {
        if (i >= m) continue;
        double *to = dst + i * row;
#ifdef __AVX512VL__
        _mm256_mask_storeu_pd(to, along, c[i]);
#else
        if (n == 4) _mm256_storeu_pd(to, c[i]);
        else if (n > 1) _mm_storeu_pd(to, _mm256_castpd256_pd128(c[i]));
        else _mm_store_sd(to, _mm256_castpd256_pd128(c[i]));
        if (n == 3) _mm_store_sd(to + 2, _mm256_extractf128_pd(c[i], 1));
#endif
    }
}""",
}


@cache
def tiles_of(machine: Machine, precision: str, by_rows: bool) -> tuple[Proc, Proc, int, int] | None:
    """The machine's instruction that turns a tile, the one that turns a part of it, and rows and columns of the tile;
    `by_rows`, those of a source whose rows are of neighbours, which are the same ones with the other stride."""
    found = machine.get_transposes(precision)
    if not found:
        return None
    rows, columns = (trip_count(loop) or 1 for loop in loops_inside(found[0].root()))
    name, instr = f"turn_part_{precision}", found[0].tree.instr
    assert instr is not None
    c = f"exo_{name}(&{{dst_data}}, {{dst_stride_0}}, &{{src_data}}, {{src_stride_1}}, {{m}}, {{n}});"
    tile = turning_by(found[0].name(), instr.c, instr.c_global, precision, by_rows, rows, columns)
    return tile, turning_by(name, c, _TURN_PART[precision], precision, by_rows), rows, columns


def turning_by(name: str, c: str, helper: str, precision: str, by_rows: bool, m: int = 0, n: int = 0) -> Proc:
    """An instruction that turns m rows and n columns, or at most `PART` of both."""
    rows, columns = str(m or "m"), str(n or "n")
    shape, at, along = (f"{columns}, {rows}", "j, i", 1) if by_rows else (f"{rows}, {columns}", "i, j", 0)
    sizes, limits = ("", "") if m else ("m: size, n: size, ", f"    assert m <= {PART}\n    assert n <= {PART}\n")
    text = {"c": c.replace("src_stride_1", f"src_stride_{1 - along}"), "helper": helper, "precision": precision}
    text |= {"name": f"{name}{'_rows' * by_rows}", "sizes": sizes, "limits": limits, "m": rows, "n": columns}
    return proc_from_source(_TILE.format(shape=shape, at=at, along=along, **text))


@strategy
def turned(p: Proc, c: ForCursor, machine: Machine, precision: str, by_rows: bool = False) -> Script:
    """`for j: for i: c[i, j] = a[i, j]  ~>  for j: for i: transpose(c[i:i+4, j:j+8], a[i:i+4, j:j+8])`.

    The procedure is this loop alone, of m rows and n columns; `by_rows`, it is of `a[j, i]`. Focus: the loop over j.

    >>> from backends.targets import avx2
    >>> from exo_strat import CallCursor, at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def turn(m: size, n: size, a: [f32][m, n], c: [f32][m, n]):
    ...     assert stride(a, 0) == 1
    ...     assert stride(c, 1) == 1
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             c[i, j] = a[i, j]
    ... ''')
    >>> q = schedule(at("for j in _: _", turned(avx2, "f32")), p)
    >>> sorted({c.subproc().name() for c in q.root().descendants() if isinstance(c, CallCursor)})
    ['mm256_transpose_ps', 'turn_part_f32']
    """
    found = tiles_of(machine, precision, by_rows)
    if found is None:
        yield std.unroll_and_jam(std.tiles.COLUMNS, tail="cut")
        return None
    tile, part, rows, columns = found
    parts = in_parts(PART, ("jh", "j"), seq(reorder_loops(), simplify(), replace(part)))
    whole = seq(reorder_loops(), simplify(), replace(tile))
    down = std.in_blocks(rows, ("io", "i"), seq(reorder_loops(), simplify(), try_else(whole, parts)))
    yield seq(std.in_blocks(columns, ("jo", "j"), seq(reorder_loops(), down)), nav(moves.root), std.cleanup())
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
