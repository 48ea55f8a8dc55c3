"""Instructions for triangles in registers: loads that are done once, the sums of registers, and the lanes from one on.

Their bodies say what they do, as those of the machines' own (`backends/simd.py`). They are for products with symmetric
matrices, which are the only ones to need them.
"""

from __future__ import annotations

from functools import cache

from exo_strat import *
from exo_strat import Machine

HELPERS = {
    "avx2": """\
#include <immintrin.h>
// The sum of each register's lanes.
static inline __m256d exo_sums_of4(__m256d a0, __m256d a1, __m256d a2, __m256d a3) {
    const __m256d low = _mm256_hadd_pd(a0, a1), high = _mm256_hadd_pd(a2, a3);
    return _mm256_add_pd(_mm256_permute2f128_pd(low, high, 0x21), _mm256_blend_pd(low, high, 12));
}
static inline __m256 exo_sums_of8(
    __m256 a0, __m256 a1, __m256 a2, __m256 a3, __m256 a4, __m256 a5, __m256 a6, __m256 a7
) {
    const __m256 low = _mm256_hadd_ps(_mm256_hadd_ps(a0, a1), _mm256_hadd_ps(a2, a3));
    const __m256 high = _mm256_hadd_ps(_mm256_hadd_ps(a4, a5), _mm256_hadd_ps(a6, a7));
    return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x21), _mm256_blend_ps(low, high, 0xf0));
}
// All bits set in the lanes from n on.
static inline __m256i exo_from8(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)n - 1));
}
static inline __m256i exo_from4(int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(n - 1));
}""",
    "avx512": """\
#include <immintrin.h>
// The sum of each register's lanes, in steps by which two registers become one.
static inline __m512d exo_pairs_pd(__m512d a, __m512d b) {
    return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
}
static inline __m512d exo_join2_pd(__m512d a, __m512d b) {
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
}
static inline __m512d exo_join4_pd(__m512d a, __m512d b) {
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}
static inline __m512d exo_sums_pd(
    __m512d a0, __m512d a1, __m512d a2, __m512d a3, __m512d a4, __m512d a5, __m512d a6, __m512d a7
) {
    const __m512d low = exo_join2_pd(exo_pairs_pd(a0, a1), exo_pairs_pd(a2, a3));
    return exo_join4_pd(low, exo_join2_pd(exo_pairs_pd(a4, a5), exo_pairs_pd(a6, a7)));
}
static inline __m512 exo_pairs_ps(__m512 a, __m512 b) {
    return _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
}
static inline __m512 exo_fours_ps(__m512 a0, __m512 a1, __m512 a2, __m512 a3) {
    const __m512 low = exo_pairs_ps(a0, a1), high = exo_pairs_ps(a2, a3);
    return _mm512_add_ps(_mm512_shuffle_ps(low, high, 0x44), _mm512_shuffle_ps(low, high, 0xee));
}
static inline __m512 exo_join2_ps(__m512 a, __m512 b) {
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
}
static inline __m512 exo_sums_ps(
    __m512 a0, __m512 a1, __m512 a2, __m512 a3, __m512 a4, __m512 a5, __m512 a6, __m512 a7,
    __m512 a8, __m512 a9, __m512 a10, __m512 a11, __m512 a12, __m512 a13, __m512 a14, __m512 a15
) {
    const __m512 low = exo_join2_ps(exo_fours_ps(a0, a1, a2, a3), exo_fours_ps(a4, a5, a6, a7));
    const __m512 high = exo_join2_ps(exo_fours_ps(a8, a9, a10, a11), exo_fours_ps(a12, a13, a14, a15));
    return _mm512_add_ps(_mm512_shuffle_f32x4(low, high, 0x88), _mm512_shuffle_f32x4(low, high, 0xdd));
}""",
}

"""C functions by machine."""

ONCE = """\
#include <immintrin.h>
#ifdef __GNUC__  // gcc takes loads for free, and loads again what is used twice
#define EXO_ONCE(v) __asm__("" : "+v"(v))
#else
#define EXO_ONCE(v) ((void)0)
#endif"""
"""Keeps what was loaded in its register."""

SPELLING = {
    "avx2": {
        "prefix": "_mm256",
        "sums": "exo_sums_of{w}",
        "load": "_mm256_maskload_{s}({from}, exo_from{w}({n}))",
        "merge": "_mm256_blendv_{s}({c}, {new}, _mm256_castsi256_{s}(exo_from{w}({n})))",
    },
    "avx512": {
        "prefix": "_mm512",
        "sums": "exo_sums_{s}",
        "load": "_mm512_maskz_loadu_{s}((__mmask{w})(~0u << {n}), {from})",
        "merge": "_mm512_mask_mov_{s}({c}, (__mmask{w})(~0u << {n}), {new})",
    },
}
"""How intrinsics do it: `merge` is `new` in the lanes from `n` on, and `c` in the others."""

SUFFIX = {"f32": "ps", "f64": "pd"}


def instruction(machine: Machine, precision: str, name: str, c: str, helpers: str, params: str, body: str) -> Proc:
    """An instruction on registers, `V` in its parameters; `{w}` are their lanes."""
    width, s = machine.vec_width(precision), SUFFIX[precision]
    params = params.replace("V", f"[{precision}][{width}] @ {machine.mem_type.name}").replace("{w}", str(width))
    windows = [p.partition(":")[0].strip() for p in params.split(", ") if "[" in p]
    lines = [f"    assert stride({w}, 0) == 1" for w in windows]
    lines += [f"    {line}" for line in body.replace("{w}", str(width)).split("\n")]
    called = SPELLING[machine.name]["prefix"].lstrip("_")
    source = f"@instr({c + ';'!r}, {helpers!r})\ndef {called}_{name}_{s}({params}):\n" + "\n".join(lines)
    return proc_from_source(source, {machine.mem_type.name: machine.mem_type, "DRAM": DRAM})


@cache
def loaded_once(machine: Machine, precision: str) -> Proc:
    """A load whose result stays in a register.

    >>> from backends.targets import avx2
    >>> print(str(loaded_once(avx2, "f64")).partition("\\n")[2])
    def mm256_loadu_once_pd(dst: [f64][4] @ AVX2, src: [f64][4] @ DRAM):
        assert stride(dst, 0) == 1
        assert stride(src, 0) == 1
        for i in seq(0, 4):
            dst[i] = src[i]
    """
    load = f"{SPELLING[machine.name]['prefix']}_loadu_{SUFFIX[precision]}(&{{src_data}})"
    c = f"{{dst_data}} = {load}; EXO_ONCE({{dst_data}})"
    params, body = f"dst: V, src: [{precision}][{{w}}] @ DRAM", "for i in seq(0, {w}):\n    dst[i] = src[i]"
    return instruction(machine, precision, "loadu_once", c, ONCE, params, body)


@cache
def others(machine: Machine, precision: str) -> tuple[Proc, ...]:
    """The sums of as many registers as there are lanes; a load, and a product that is added, in the lanes from n on.

    >>> from backends.targets import avx2
    >>> print(str(others(avx2, "f64")[2]).partition("\\n")[2])
    def mm256_fmadd_from_pd(n: size, a: [f64][4] @ AVX2, b: [f64][4] @ AVX2, c: [f64][4] @ AVX2):
        assert stride(a, 0) == 1
        assert stride(b, 0) == 1
        assert stride(c, 0) == 1
        assert n < 4
        for i in seq(0, 4):
            if n <= i:
                c[i] += a[i] * b[i]
    """
    width, s, spelling = machine.vec_width(precision), SUFFIX[precision], SPELLING[machine.name]
    prefix, helpers = spelling["prefix"], HELPERS[machine.name]
    known = {"s": s, "w": width, "n": "{n}", "c": "{c_data}", "from": "&{src_data} - {n}"}
    given, names = ", ".join(f"{{a{k}_data}}" for k in range(width)), ", ".join(f"a{k}: V" for k in range(width))
    added = f"{prefix}_fmadd_{s}({{a_data}}, {{b_data}}, {{c_data}})"
    rows = (
        (
            "sums",
            f"{{dst_data}} = {prefix}_add_{s}({{dst_data}}, {spelling['sums'].format(**known)}({given}))",
            f"dst: V, {names}",
            "\n".join(f"for i in seq(0, {{w}}):\n    dst[{k}] += a{k}[i]" for k in range(width)),
        ),
        (
            "loadu_from",
            f"{{dst_data}} = {spelling['load'].format(**known)}",
            f"n: size, dst: V, src: [{precision}][{{w}} - n] @ DRAM",
            "assert n < {w}\nfor i in seq(0, {w}):\n"
            "    if n <= i:\n        dst[i] = src[i - n]\n    else:\n        dst[i] = 0.0",
        ),
        (
            "fmadd_from",
            f"{{c_data}} = {spelling['merge'].format(new=added, **known)}",
            "n: size, a: V, b: V, c: V",
            "assert n < {w}\nfor i in seq(0, {w}):\n    if n <= i:\n        c[i] += a[i] * b[i]",
        ),
    )
    return tuple(instruction(machine, precision, name, c, helpers, *rest) for name, c, *rest in rows)
