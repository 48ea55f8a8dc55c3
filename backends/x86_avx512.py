"""AVX-512, as x86-64-v4 has it (F, BW, DQ and VL): sixteen f32 or i32, or eight f64, a register.

Every instruction is an attribute of this module, by its name: `from backends.x86_avx512 import mm512_fmadd_ps`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pyrsistent import pmap

from .c import VectorMemory
from .families import ZEN_4
from .kernel import Machine, Proc
from .simd import Operation, Registers, instructions
from .x86 import (
    COMMON,
    INTEGER,
    NARROW,
    STREAMS,
    TRANSPOSES,
    bitwise,
    integer_loads,
    integer_stores,
    joined,
    narrow,
    pairs,
)


class _Avx512(VectorMemory):
    cc_flags: ClassVar[tuple[str, ...]] = ("-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mfma")
    cpu_flags: ClassVar[tuple[str, ...]] = ("avx512f", "avx512bw", "avx512dq", "avx512vl", "fma")
    architecture: ClassVar[str] = "x86_64"

    def registers(self) -> Mapping[str, tuple[str, int]]:
        return {"f32": ("__m512", 16), "f64": ("__m512d", 8), "i32": ("__m512i", 16)}


AVX512 = _Avx512("AVX512")
"""Vector registers of 512 bits; the innermost extent of a buffer is 16 (f32, i32) or 8 (f64)."""

_HELPERS = """\
#include <immintrin.h>
#include <math.h>
// The mask of the lanes below n, which is 1 to the number of lanes.
static inline __mmask16 exo_lanes16(int64_t n) { return (__mmask16)((1u << n) - 1); }
static inline __mmask8 exo_lanes8(int64_t n) { return (__mmask8)((1u << n) - 1); }
// The first n lanes from the last to the first: lane n - 1 - i is taken modulo the number of lanes.
static inline __m512 exo_turned_ps(__m512 a, int64_t n) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_permutexvar_ps(_mm512_sub_epi32(_mm512_set1_epi32((int)n - 1), lanes), a);
}
static inline __m512d exo_turned_pd(__m512d a, int64_t n) {
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm512_permutexvar_pd(_mm512_sub_epi64(_mm512_set1_epi64(n - 1), lanes), a);
}
// What lies in memory so.
static inline void exo_loadr_ps(__m512 *dst, const float *src) { *dst = exo_turned_ps(_mm512_loadu_ps(src), 16); }
static inline void exo_loadr_pd(__m512d *dst, const double *src) { *dst = exo_turned_pd(_mm512_loadu_pd(src), 8); }
// The last n lanes of one, then the first of another. Where all but one or two come from the first, and n is a literal,
// that is one instruction without a table; else a permutation.
static inline __m512 exo_joined_ps(__m512 a, __m512 b, int64_t n) {
    const __m512i low = _mm512_castps_si512(a), high = _mm512_castps_si512(b);
    if (n == 15) return _mm512_castsi512_ps(_mm512_alignr_epi32(high, low, 1));
    if (n == 14) return _mm512_castsi512_ps(_mm512_alignr_epi32(high, low, 2));
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_permutex2var_ps(a, _mm512_add_epi32(_mm512_set1_epi32(16 - (int)n), lanes), b);
}
static inline __m512d exo_joined_pd(__m512d a, __m512d b, int64_t n) {
    const __m512i low = _mm512_castpd_si512(a), high = _mm512_castpd_si512(b);
    if (n == 7) return _mm512_castsi512_pd(_mm512_alignr_epi64(high, low, 1));
    if (n == 6) return _mm512_castsi512_pd(_mm512_alignr_epi64(high, low, 2));
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm512_permutex2var_pd(a, _mm512_add_epi64(_mm512_set1_epi64(8 - n), lanes), b);
}
// A positive number is m * 2^e, with m from 3/4 to less than 3/2. The processor's e is for m from 1 to less than 2: it
// is 1 more where that m is 3/2 or more. -inf of 0, inf of inf, and else NaN of what is not positive.
static inline __m512 exo_exponent_ps(__m512 x) {
    const __mmask16 negative = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ);
    const __m512 e = _mm512_getexp_ps(x), m = _mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
    const __mmask16 more = _mm512_cmp_ps_mask(m, _mm512_set1_ps(1.5f), _CMP_GE_OQ);
    return _mm512_mask_mov_ps(_mm512_mask_add_ps(e, more, e, _mm512_set1_ps(1)), negative, _mm512_set1_ps(NAN));
}
static inline __m512d exo_exponent_pd(__m512d x) {
    const __mmask8 negative = _mm512_cmp_pd_mask(x, _mm512_setzero_pd(), _CMP_LT_OQ);
    const __m512d e = _mm512_getexp_pd(x), m = _mm512_getmant_pd(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
    const __mmask8 more = _mm512_cmp_pd_mask(m, _mm512_set1_pd(1.5), _CMP_GE_OQ);
    return _mm512_mask_mov_pd(_mm512_mask_add_pd(e, more, e, _mm512_set1_pd(1)), negative, _mm512_set1_pd(NAN));
}
// x, or -x where the whole number k is odd: its lowest bit becomes a sign.
static inline __m512 exo_alternate_ps(__m512 x, __m512 k) {
    const __m512i sign = _mm512_slli_epi32(_mm512_cvtps_epi32(k), 31);
    return _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(x), sign));
}
static inline __m512d exo_alternate_pd(__m512d x, __m512d k) {
    const __m512d shifted = _mm512_add_pd(k, _mm512_set1_pd(0x1.8p52));
    const __m512i sign = _mm512_slli_epi64(_mm512_castpd_si512(shifted), 63);
    return _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(x), sign));
}
// 1 / sqrt(x): of positive numbers a step of Halley's from the processor's estimate, which has 14 digits.
static inline __m512 exo_rsqrt_ps(__m512 x) {
    const __m512 one = _mm512_set1_ps(1), most = _mm512_set1_ps(INFINITY);
    const __mmask16 positive = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ);
    if (__builtin_expect(_mm512_mask_cmp_ps_mask(positive, x, most, _CMP_LT_OQ) != 0xffff, 0)) {
        return _mm512_div_ps(one, _mm512_sqrt_ps(x));
    }
    const __m512 y = _mm512_rsqrt14_ps(x), e = _mm512_fnmadd_ps(_mm512_mul_ps(x, y), y, one);
    const __m512 step = _mm512_fmadd_ps(e, _mm512_set1_ps(0.375f), _mm512_set1_ps(0.5f));
    return _mm512_fmadd_ps(_mm512_mul_ps(y, e), step, y);
}
static inline __m512d exo_rsqrt_pd(__m512d x) { return _mm512_div_pd(_mm512_set1_pd(1), _mm512_sqrt_pd(x)); }
// A pair of numbers in all pairs of lanes; and the sums of the even and of the odd lanes, added to a pair of numbers.
static inline __m512d exo_pair_pd(const double *src) { return _mm512_broadcast_f64x2(_mm_setr_pd(src[0], src[1])); }
static inline __m512 exo_pair_ps(const float *src) {
    const __m128 pair = _mm_setr_ps(src[0], src[1], 0, 0);
    return _mm512_castpd_ps(_mm512_broadcastsd_pd(_mm_castps_pd(pair)));
}
static inline void exo_add_pairs_pd(double *dst, __m512d a) {
    const __m256d h = _mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1));
    const __m128d s = _mm_add_pd(_mm256_castpd256_pd128(h), _mm256_extractf128_pd(h, 1));
    _mm_storeu_pd(dst, _mm_add_pd(_mm_loadu_pd(dst), s));
}
static inline void exo_add_pairs_ps(float *dst, __m512 a) {
    const __m256 h = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    const __m128 s = _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    const __m128 old = _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)dst);
    _mm_storel_pi((__m64 *)dst, _mm_add_ps(old, _mm_add_ps(s, _mm_movehl_ps(s, s))));
}
// The larger or the smaller of what is there and a.
static inline void exo_max_ps(float *dst, float a) { *dst = a > *dst ? a : *dst; }
static inline void exo_min_ps(float *dst, float a) { *dst = a < *dst ? a : *dst; }
static inline void exo_max_pd(double *dst, double a) { *dst = a > *dst ? a : *dst; }
static inline void exo_min_pd(double *dst, double a) { *dst = a < *dst ? a : *dst; }"""


def _registers(suffix: str, precision: str, lanes: int) -> Registers:
    merge = f"mask_mov(OLD, exo_lanes{lanes}(n), NEW)"
    return Registers("mm512", suffix, precision, lanes, AVX512, merge, _HELPERS)


def _operations(suffix: str, lanes: int) -> tuple[Operation, ...]:
    """The rows where AVX-512 is not like AVX2: memory, masks and comparisons."""
    mask = f"exo_lanes{lanes}(n)"
    ldexp = "ldexpf" if suffix == "ps" else "ldexp"
    load, less = "dst[i] = src[i]", f"_mm512_cmp_{suffix}_mask(x, v, _CMP_LT_OQ)"
    return (
        Operation("loadu", "dst:V src:M", load, "dst = loadu(&src)", f"dst = mask_loadu(dst, {mask}, &src)"),
        Operation("maskz_loadu", "dst:V src:M", load, "", f"dst = maskz_loadu({mask}, &src)", "dst[i] = 0.0"),
        Operation("loadr", "dst:V src:M", f"dst[i] = src[{lanes - 1} - i]", f"exo_loadr_{suffix}(&dst, &src)"),
        Operation(
            "maskz_loadr", "dst:V src:M", "dst[i] = src[n - 1 - i]", "",
            f"dst = exo_turned_{suffix}(maskz_loadu({mask}, &src), n)", "dst[i] = 0.0",
        ),
        Operation("storeu", "dst:M src:V", load, "storeu(&dst, src)", f"mask_storeu(&dst, {mask}, src)"),
        Operation(
            "storer", "dst:M src:V", f"dst[{lanes - 1} - i] = src[i]",
            f"storeu(&dst, exo_turned_{suffix}(src, {lanes}))",
        ),
        Operation(
            "acc_storeu", "dst:M a:V", "dst[i] += a[i]", "storeu(&dst, add(loadu(&dst), a))",
            f"mask_storeu(&dst, {mask}, add(maskz_loadu({mask}, &dst), a))",
        ),
        joined(lanes, f"exo_joined_{suffix}"),
        *COMMON,
        *pairs(
            f"permute(OF, {'0xb1' if suffix == 'ps' else '0x55'})", f"maskz_loadu({mask}, &src)",
            f"mask_mov(OLD, {mask}, NEW)", f"_{suffix}",
        ),
        Operation("abs", "dst:V a:V", "dst[i] = abs(a[i])", "dst = abs(a)"),
        Operation(
            "select", "dst:V x:V v:V y:V z:V", "dst[i] = select(x[i], v[i], y[i], z[i])",
            f"dst = mask_blend({less}, z, y)",
        ),
        Operation(
            "rint", "dst:V a:V", "dst[i] = rint(a[i])",
            "dst = roundscale(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)",
        ),
        Operation("ldexp", "dst:V a:V k:V", f"dst[i] = {ldexp}(a[i], k[i])", "dst = scalef(a, k)"),
        Operation("exponent", "dst:V a:V", "dst[i] = exponent(a[i])", f"dst = exo_exponent_{suffix}(a)"),
        Operation("rsqrt", "dst:V a:V", "dst[i] = rsqrt(a[i])", f"dst = exo_rsqrt_{suffix}(a)"),
        Operation(
            "alternate", "dst:V a:V k:V", "dst[i] = alternate(a[i], k[i])", f"dst = exo_alternate_{suffix}(a, k)"
        ),
        Operation(
            "significand", "dst:V a:V", "dst[i] = significand(a[i])",
            "dst = getmant(a, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero)",
        ),
        Operation(
            "reduce_add", "dst:S a:V", "dst += a[i]", "dst += reduce_add(a)", f"dst += mask_reduce_add({mask}, a)"
        ),
        Operation(
            "reduce_add_to", "dst:E a:V", "dst[0] += a[i]", "dst += reduce_add(a)", f"dst += mask_reduce_add({mask}, a)"
        ),
        Operation("reduce_max", "dst:S a:V", "dst = max(dst, a[i])", f"exo_max_{suffix}(&dst, reduce_max(a))"),
        Operation("reduce_min", "dst:S a:V", "dst = min(dst, a[i])", f"exo_min_{suffix}(&dst, reduce_min(a))"),
    )  # fmt: skip


_CONVERT = (
    Operation(
        "loadu_cvtps", "dst:V src:f32", "dst[i] = src[i]", "dst = _mm512_cvtps_pd(_mm256_loadu_ps(&src))",
        "dst = _mm512_mask_cvtps_pd(dst, exo_lanes8(n), _mm256_maskz_loadu_ps(exo_lanes8(n), &src))",
    ),
    Operation(
        "maskz_loadu_cvtps", "dst:V src:f32", "dst[i] = src[i]", "",
        "dst = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(exo_lanes8(n), &src))", "dst[i] = 0.0",
    ),
    Operation(
        "storeu_cvtps", "dst:f32 src:V", "dst[i] = src[i]", "_mm256_storeu_ps(&dst, _mm512_cvtpd_ps(src))",
        "_mm256_mask_storeu_ps(&dst, exo_lanes8(n), _mm512_cvtpd_ps(src))",
    ),
)  # fmt: skip


_NARROW_HELPERS = f"""\
{NARROW}
// The lower 8 or 16 bits of each lane.
static inline __m128i exo_low8_mm512(__m512i a) {{ return _mm512_cvtepi32_epi8(a); }}
static inline __m256i exo_low16_mm512(__m512i a) {{ return _mm512_cvtepi32_epi16(a); }}
// The upper halves, rounded to the nearest, of two to the even one; of what is no number, one that is none.
static inline __m256i exo_bf16s_mm512(__m512 a) {{
    const __m512i bits = _mm512_castps_si512(a), high = _mm512_srli_epi32(bits, 16);
    const __m512i half = _mm512_add_epi32(_mm512_and_epi32(high, _mm512_set1_epi32(1)), _mm512_set1_epi32(0x7fff));
    const __m512i number = _mm512_srli_epi32(_mm512_add_epi32(bits, half), 16);
    const __mmask16 is_none = _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q);
    return _mm512_cvtepi32_epi16(_mm512_mask_or_epi32(number, is_none, high, _mm512_set1_epi32(0x40)));
}}"""


def _with_narrow(suffix: str, precision: str) -> Registers:
    """Registers of 32-bit numbers, with what loads of narrower ones need."""
    return Registers("mm512", suffix, precision, 16, AVX512, _below(suffix), _NARROW_HELPERS)


def _below(suffix: str) -> str:
    """NEW in the lanes below n, OLD in the others."""
    return f"_mm512_mask_mov_{suffix}(OLD, {_LANES}, NEW)"


_LANES = "(__mmask16)((1u << n) - 1)"

_INTEGER = (
    Operation(
        "loadu", "dst:V src:M", "dst[i] = src[i]", "dst = _mm512_loadu_si512(&src)",
        f"dst = mask_loadu(dst, {_LANES}, &src)",
    ),
    Operation(
        "maskz_loadu", "dst:V src:M", "dst[i] = src[i]", "", f"dst = maskz_loadu({_LANES}, &src)", "dst[i] = 0.0"
    ),
    Operation(
        "storeu", "dst:M src:V", "dst[i] = src[i]", "_mm512_storeu_si512(&dst, src)",
        f"mask_storeu(&dst, {_LANES}, src)",
    ),
    Operation("setzero", "dst:V", "dst[i] = 0.0", "dst = _mm512_setzero_si512()"),
    *INTEGER,
    *bitwise("{}"),
    Operation(
        "select", "dst:V x:V v:V y:V z:V", "dst[i] = select(x[i], v[i], y[i], z[i])",
        "dst = mask_blend(_mm512_cmplt_epi32_mask(x, v), z, y)",
    ),
    Operation(
        "reduce_add", "dst:S a:V", "dst += a[i]", "dst += reduce_add(a)", f"dst += mask_reduce_add({_LANES}, a)"
    ),
    Operation(
        "reduce_add_to", "dst:E a:V", "dst[0] += a[i]", "dst += reduce_add(a)", f"dst += mask_reduce_add({_LANES}, a)"
    ),
)  # fmt: skip

F32: tuple[Proc, ...] = (
    *instructions(_registers("ps", "f32", 16), _operations("ps", 16)),
    *instructions(_with_narrow("ps", "f32"), narrow("mm512", 16, _below("ps"))),
)
F64: tuple[Proc, ...] = instructions(_registers("pd", "f64", 8), (*_operations("pd", 8), *_CONVERT))
I32: tuple[Proc, ...] = instructions(
    _with_narrow("epi32", "i32"),
    (*_INTEGER, *integer_loads("mm512", 16, _below("epi32")), *integer_stores("mm512", 16)),
)

_STREAMS = {
    "f32": instructions(_registers("ps", "f32", 16), STREAMS),
    "f64": instructions(_registers("pd", "f64", 8), STREAMS),
}

AVX512_MACHINE = Machine(
    name="avx512",
    vec_widths=pmap({"f32": 16, "f64": 8, "i32": 16}),
    mem_type=AVX512,
    instructions=pmap({"f32": F32, "f64": F64, "i32": I32}),
    streams=pmap(_STREAMS),
    transposes=TRANSPOSES,
    supports_predication=True,
    cc_flags=AVX512.cc_flags,
    cpu_flags=AVX512.cpu_flags,
    registers=32,
    processor=ZEN_4,
)

_BY_NAME = {p.name(): p for p in (*F32, *F64, *I32, *_STREAMS["f32"], *_STREAMS["f64"])}


def __getattr__(name: str) -> Proc:
    if name in _BY_NAME:
        return _BY_NAME[name]
    raise AttributeError(f"AVX-512 has no instruction {name}; it has {', '.join(sorted(_BY_NAME))}")
