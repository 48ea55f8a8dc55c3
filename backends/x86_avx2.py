"""AVX2, FMA and F16C: eight f32 or i32, or four f64, a register.

Every instruction is an attribute of this module, by its name: `from backends.x86_avx2 import mm256_fmadd_ps`.
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


class _Avx2(VectorMemory):
    cc_flags: ClassVar[tuple[str, ...]] = ("-mavx2", "-mfma", "-mf16c")
    cpu_flags: ClassVar[tuple[str, ...]] = ("avx2", "fma", "f16c")
    architecture: ClassVar[str] = "x86_64"

    def registers(self) -> Mapping[str, tuple[str, int]]:
        return {"f32": ("__m256", 8), "f64": ("__m256d", 4), "i32": ("__m256i", 8)}


AVX2 = _Avx2("AVX2")
"""Vector registers of 256 bits; the innermost extent of a buffer is 8 (f32, i32) or 4 (f64)."""

_HELPERS = """\
#include <immintrin.h>
#include <math.h>
// All bits set in the lanes below n, which is 1 to the number of lanes.
static inline __m256i exo_mask8(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline __m256i exo_mask4(int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
static inline __m128i exo_half4(int64_t n) {
    return _mm_cmpgt_epi32(_mm_set1_epi32((int)n), _mm_setr_epi32(0, 1, 2, 3));
}
// The lanes below n, piece by piece: a masked store takes some processors as long as a dozen others.
static inline void exo_half_store4(float *dst, int64_t n, __m128 a) {
    if (n >= 4) {
        _mm_storeu_ps(dst, a);
        return;
    }
    if (n & 2) {
        _mm_storel_pi((__m64 *)dst, a);
        dst += 2;
        a = _mm_movehl_ps(a, a);
    }
    if (n & 1) _mm_store_ss(dst, a);
}
static inline void exo_store8(float *dst, int64_t n, __m256 a) {
    if (n >= 8) {
        _mm256_storeu_ps(dst, a);
        return;
    }
    if (n >= 4) _mm_storeu_ps(dst, _mm256_castps256_ps128(a));
    if (n >= 4) exo_half_store4(dst + 4, n - 4, _mm256_extractf128_ps(a, 1));
    else exo_half_store4(dst, n, _mm256_castps256_ps128(a));
}
static inline void exo_store4(double *dst, int64_t n, __m256d a) {
    if (n >= 4) {
        _mm256_storeu_pd(dst, a);
        return;
    }
    if (n >= 2) _mm_storeu_pd(dst, _mm256_castpd256_pd128(a));
    if (n == 3) _mm_store_sd(dst + 2, _mm256_extractf128_pd(a, 1));
    if (n == 1) _mm_store_sd(dst, _mm256_castpd256_pd128(a));
}
// What lies in memory from the last lane to the first.
static inline void exo_turned8(__m256 *dst, const float *src) {
    *dst = _mm256_permutevar8x32_ps(_mm256_loadu_ps(src), _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}
static inline void exo_turned4(__m256d *dst, const double *src) {
    *dst = _mm256_permute4x64_pd(_mm256_loadu_pd(src), 0x1b);
}
// What goes to memory so.
static inline void exo_store_turned8(float *dst, __m256 a) {
    _mm256_storeu_ps(dst, _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)));
}
static inline void exo_store_turned4(double *dst, __m256d a) {
    _mm256_storeu_pd(dst, _mm256_permute4x64_pd(a, 0x1b));
}
// The first n, likewise: lane n - 1 - i is taken modulo the number of lanes, so that the zeros from n on stay there.
static inline __m256 exo_turned_below8(const float *src, int64_t n) {
    const __m256i from = _mm256_sub_epi32(_mm256_set1_epi32((int)n - 1), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return _mm256_permutevar8x32_ps(_mm256_maskload_ps(src, exo_mask8(n)), from);
}
static inline __m256d exo_turned_below4(const double *src, int64_t n) {
    const __m256i pairs = _mm256_setr_epi32(0, 1, -2, -1, -4, -3, -6, -5);
    const __m256i from = _mm256_add_epi32(_mm256_set1_epi32(2 * (int)n - 2), pairs);
    const __m256 first = _mm256_castpd_ps(_mm256_maskload_pd(src, exo_mask4(n)));
    return _mm256_castps_pd(_mm256_permutevar8x32_ps(first, from));
}
// The last n lanes of one, then the first of another: halves, then what is between them. An n that is a literal leaves
// the instructions of its case.
static inline __m256d exo_joined4(__m256d a, __m256d b, int64_t n) {
    const __m256d middle = _mm256_permute2f128_pd(a, b, 0x21);
    if (n == 4) return a;
    if (n == 2) return middle;
    return n == 3 ? _mm256_shuffle_pd(a, middle, 5) : _mm256_shuffle_pd(middle, b, 5);
}
static inline __m256 exo_joined8(__m256 a, __m256 b, int64_t n) {
    const __m256 middle = _mm256_permute2f128_ps(a, b, 0x21);
    const __m256i low = _mm256_castps_si256(n > 4 ? a : middle), high = _mm256_castps_si256(n > 4 ? middle : b);
    if (n == 8) return a;
    if (n == 4) return middle;
    if (n % 4 == 3) return _mm256_castsi256_ps(_mm256_alignr_epi8(high, low, 4));
    return _mm256_castsi256_ps(n % 4 == 2 ? _mm256_alignr_epi8(high, low, 8) : _mm256_alignr_epi8(high, low, 12));
}
// x * 2^k, for whole k from -252 to 252 (single precision) or -2044 to 2044 (double): by two factors.
static inline __m256 exo_power8(__m256i k) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(k, _mm256_set1_epi32(127)), 23));
}
static inline __m256 exo_ldexp8(__m256 x, __m256 k) {
    const __m256i whole = _mm256_cvtps_epi32(k), half = _mm256_srai_epi32(whole, 1);
    return _mm256_mul_ps(_mm256_mul_ps(x, exo_power8(half)), exo_power8(_mm256_sub_epi32(whole, half)));
}
// In double precision k is shifted to the lowest bits of a number of 52 bits behind the point.
static inline __m256d exo_power4(__m256d k) {
    const __m256d shifted = _mm256_add_pd(k, _mm256_set1_pd(0x1.8p52 + 1023));
    return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(shifted), 52));
}
static inline __m256d exo_ldexp4(__m256d x, __m256d k) {
    const __m256d half = _mm256_floor_pd(_mm256_mul_pd(k, _mm256_set1_pd(0.5)));
    return _mm256_mul_pd(_mm256_mul_pd(x, exo_power4(half)), exo_power4(_mm256_sub_pd(k, half)));
}
// A positive number is m * 2^e, with m from 3/4 to less than 3/2: what its bits exceed those of 3/4 by has e above the
// digits. Small numbers are made larger first, by 2^25 or 2^54. Those and what is no positive number are seldom.
static inline int exo_is_odd8(__m256 x) {
    const __m256i shifted = _mm256_add_epi32(_mm256_castps_si256(x), _mm256_set1_epi32(0x7f800000));
    return _mm256_movemask_epi8(_mm256_cmpgt_epi32(shifted, _mm256_set1_epi32((int)0xfeffffff)));
}
static inline __m256 exo_above8(__m256 x) {
    const __m256i above = _mm256_sub_epi32(_mm256_castps_si256(x), _mm256_set1_epi32(0x3f400000));
    return _mm256_cvtepi32_ps(_mm256_srai_epi32(above, 23));
}
static __attribute__((noinline)) __m256 exo_odd_exponent8(__m256 x) {
    const __m256 zero = _mm256_setzero_ps(), small = _mm256_cmp_ps(x, _mm256_set1_ps(0x1p-126f), _CMP_LT_OQ);
    const __m256 larger = _mm256_mul_ps(x, _mm256_blendv_ps(_mm256_set1_ps(1), _mm256_set1_ps(0x1p25f), small));
    __m256 e = _mm256_sub_ps(exo_above8(larger), _mm256_and_ps(small, _mm256_set1_ps(25)));
    e = _mm256_blendv_ps(x, e, _mm256_cmp_ps(x, _mm256_set1_ps(INFINITY), _CMP_LT_OQ));
    const __m256 none = _mm256_or_ps(_mm256_set1_ps(-INFINITY), _mm256_cmp_ps(x, zero, _CMP_LT_OQ));  // -inf or NaN
    return _mm256_blendv_ps(e, none, _mm256_cmp_ps(x, zero, _CMP_LE_OQ));
}
static inline __m256 exo_exponent8(__m256 x) {
    return __builtin_expect(exo_is_odd8(x), 0) ? exo_odd_exponent8(x) : exo_above8(x);
}
static inline __m256 exo_significand8(__m256 x) {
    if (__builtin_expect(exo_is_odd8(x), 0)) {
        const __m256 small = _mm256_cmp_ps(x, _mm256_set1_ps(0x1p-126f), _CMP_LT_OQ), one = _mm256_set1_ps(1);
        x = _mm256_mul_ps(x, _mm256_blendv_ps(one, _mm256_set1_ps(0x1p25f), small));
        const __m256 most = _mm256_cmp_ps(x, _mm256_set1_ps(INFINITY), _CMP_LT_OQ);
        x = _mm256_blendv_ps(one, x, _mm256_and_ps(most, _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_GT_OQ)));
    }
    const __m256i bits = _mm256_castps_si256(x), above = _mm256_sub_epi32(bits, _mm256_set1_epi32(0x3f400000));
    return _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_and_si256(above, _mm256_set1_epi32((int)0xff800000))));
}
static inline int exo_is_odd4(__m256d x) {
    const __m256d least = _mm256_set1_pd(0x1p-1022), most = _mm256_set1_pd(INFINITY);
    const __m256d normal = _mm256_and_pd(_mm256_cmp_pd(x, least, _CMP_GE_OQ), _mm256_cmp_pd(x, most, _CMP_LT_OQ));
    return _mm256_movemask_pd(normal) != 15;
}
static inline __m256d exo_above4(__m256d x) {
    // and 1024 more, so that it is positive
    const __m256i biased = _mm256_add_epi64(_mm256_castpd_si256(x), _mm256_set1_epi64x(0x0018000000000000));
    const __m256d shifted = _mm256_castsi256_pd(_mm256_srli_epi64(biased, 52));
    return _mm256_sub_pd(_mm256_or_pd(shifted, _mm256_set1_pd(0x1p52)), _mm256_set1_pd(0x1p52 + 1024));
}
static __attribute__((noinline)) __m256d exo_odd_exponent4(__m256d x) {
    const __m256d zero = _mm256_setzero_pd(), small = _mm256_cmp_pd(x, _mm256_set1_pd(0x1p-1022), _CMP_LT_OQ);
    const __m256d larger = _mm256_mul_pd(x, _mm256_blendv_pd(_mm256_set1_pd(1), _mm256_set1_pd(0x1p54), small));
    __m256d e = _mm256_sub_pd(exo_above4(larger), _mm256_and_pd(small, _mm256_set1_pd(54)));
    e = _mm256_blendv_pd(x, e, _mm256_cmp_pd(x, _mm256_set1_pd(INFINITY), _CMP_LT_OQ));
    const __m256d none = _mm256_or_pd(_mm256_set1_pd(-INFINITY), _mm256_cmp_pd(x, zero, _CMP_LT_OQ));  // -inf or NaN
    return _mm256_blendv_pd(e, none, _mm256_cmp_pd(x, zero, _CMP_LE_OQ));
}
static inline __m256d exo_exponent4(__m256d x) {
    return __builtin_expect(exo_is_odd4(x), 0) ? exo_odd_exponent4(x) : exo_above4(x);
}
static inline __m256d exo_significand4(__m256d x) {
    if (__builtin_expect(exo_is_odd4(x), 0)) {
        const __m256d small = _mm256_cmp_pd(x, _mm256_set1_pd(0x1p-1022), _CMP_LT_OQ), one = _mm256_set1_pd(1);
        x = _mm256_mul_pd(x, _mm256_blendv_pd(one, _mm256_set1_pd(0x1p54), small));
        const __m256d most = _mm256_cmp_pd(x, _mm256_set1_pd(INFINITY), _CMP_LT_OQ);
        x = _mm256_blendv_pd(one, x, _mm256_and_pd(most, _mm256_cmp_pd(x, _mm256_setzero_pd(), _CMP_GT_OQ)));
    }
    const __m256i bits = _mm256_castpd_si256(x), digits = _mm256_set1_epi64x(0xfffffffffffff);
    const __m256i above = _mm256_sub_epi64(bits, _mm256_set1_epi64x(0x3fe8000000000000));
    return _mm256_castsi256_pd(_mm256_sub_epi64(bits, _mm256_andnot_si256(digits, above)));
}
// x, or -x where the whole number k is odd: its lowest bit becomes a sign.
static inline __m256 exo_alternate8(__m256 x, __m256 k) {
    return _mm256_xor_ps(x, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtps_epi32(k), 31)));
}
static inline __m256d exo_alternate4(__m256d x, __m256d k) {
    const __m256d shifted = _mm256_add_pd(k, _mm256_set1_pd(0x1.8p52));
    return _mm256_xor_pd(x, _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(shifted), 63)));
}
// 1 / sqrt(x): of normal numbers a step of Halley's from the processor's estimate, which has 11 digits.
static inline __m256 exo_rsqrt8(__m256 x) {
    const __m256 one = _mm256_set1_ps(1);
    if (__builtin_expect(exo_is_odd8(x), 0)) return _mm256_div_ps(one, _mm256_sqrt_ps(x));
    const __m256 y = _mm256_rsqrt_ps(x), e = _mm256_fnmadd_ps(_mm256_mul_ps(x, y), y, one);
    const __m256 step = _mm256_fmadd_ps(e, _mm256_set1_ps(0.375f), _mm256_set1_ps(0.5f));
    return _mm256_fmadd_ps(_mm256_mul_ps(y, e), step, y);
}
static inline __m256d exo_rsqrt4(__m256d x) { return _mm256_div_pd(_mm256_set1_pd(1), _mm256_sqrt_pd(x)); }
// t + s; a t that is known to be zero takes no instruction.
static inline double exo_plus(double t, double s) { return __builtin_constant_p(t) && t == 0 ? s : t + s; }
static inline float exo_plusf(float t, float s) { return __builtin_constant_p(t) && t == 0 ? s : t + s; }
// The sum of the lanes.
static inline double exo_sum4(__m256d a) {
    __m128d s = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}
static inline float exo_sum8(__m256 a) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
// A pair of numbers in all pairs of lanes; and the sums of the even and of the odd lanes, added to a pair of numbers.
static inline __m256d exo_pair4(const double *src) { return _mm256_setr_pd(src[0], src[1], src[0], src[1]); }
static inline __m256 exo_pair8(const float *src) {
    const __m128 pair = _mm_setr_ps(src[0], src[1], 0, 0);
    return _mm256_castpd_ps(_mm256_broadcastsd_pd(_mm_castps_pd(pair)));
}
static inline void exo_add_pairs4(double *dst, __m256d a) {
    const __m128d s = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    _mm_storeu_pd(dst, _mm_add_pd(_mm_loadu_pd(dst), s));
}
static inline void exo_add_pairs8(float *dst, __m256 a) {
    const __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 old = _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)dst);
    _mm_storel_pi((__m64 *)dst, _mm_add_ps(old, _mm_add_ps(s, _mm_movehl_ps(s, s))));
}
// The largest or the smallest of what is there and the lanes.
static inline void exo_max4(double *dst, __m256d a) {
    __m128d s = _mm_max_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    *dst = _mm_cvtsd_f64(_mm_max_sd(_mm_max_sd(s, _mm_unpackhi_pd(s, s)), _mm_set_sd(*dst)));
}
static inline void exo_min4(double *dst, __m256d a) {
    __m128d s = _mm_min_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    *dst = _mm_cvtsd_f64(_mm_min_sd(_mm_min_sd(s, _mm_unpackhi_pd(s, s)), _mm_set_sd(*dst)));
}
static inline void exo_max8(float *dst, __m256 a) {
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    *dst = _mm_cvtss_f32(_mm_max_ss(_mm_max_ss(s, _mm_movehdup_ps(s)), _mm_set_ss(*dst)));
}
static inline void exo_min8(float *dst, __m256 a) {
    __m128 s = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    s = _mm_min_ps(s, _mm_movehl_ps(s, s));
    *dst = _mm_cvtss_f32(_mm_min_ss(_mm_min_ss(s, _mm_movehdup_ps(s)), _mm_set_ss(*dst)));
}"""


def _mask(suffix: str, lanes: int) -> str:
    return f"_mm256_castsi256_{suffix}(exo_mask{lanes}(n))"


def _registers(suffix: str, precision: str, lanes: int) -> Registers:
    merge = f"blendv(OLD, NEW, {_mask(suffix, lanes)})"
    return Registers("mm256", suffix, precision, lanes, AVX2, merge, _HELPERS)


def _operations(suffix: str, lanes: int) -> tuple[Operation, ...]:
    """The rows where AVX2 is not like AVX-512: memory, masks and comparisons."""
    bits = f"exo_mask{lanes}(n)"
    mask, load = _mask(suffix, lanes), "dst[i] = src[i]"
    ldexp = "ldexpf" if suffix == "ps" else "ldexp"
    plus = "dst = exo_plusf" if suffix == "ps" else "dst = exo_plus"
    whole, partial = f"{plus}(dst, exo_sum{lanes}(a))", f"{plus}(dst, exo_sum{lanes}(and(a, {mask})))"
    return (
        Operation(
            "loadu", "dst:V src:M", load, "dst = loadu(&src)", f"dst = blendv(dst, maskload(&src, {bits}), {mask})"
        ),
        Operation("maskz_loadu", "dst:V src:M", load, "", f"dst = maskload(&src, {bits})", "dst[i] = 0.0"),
        Operation("loadr", "dst:V src:M", f"dst[i] = src[{lanes - 1} - i]", f"exo_turned{lanes}(&dst, &src)"),
        Operation(
            "maskz_loadr", "dst:V src:M", "dst[i] = src[n - 1 - i]", "",
            f"dst = exo_turned_below{lanes}(&src, n)", "dst[i] = 0.0",
        ),
        Operation("storeu", "dst:M src:V", load, "storeu(&dst, src)", f"exo_store{lanes}(&dst, n, src)"),
        Operation("storer", "dst:M src:V", f"dst[{lanes - 1} - i] = src[i]", f"exo_store_turned{lanes}(&dst, src)"),
        Operation(
            "acc_storeu", "dst:M a:V", "dst[i] += a[i]", "storeu(&dst, add(loadu(&dst), a))",
            f"exo_store{lanes}(&dst, n, add(maskload(&dst, {bits}), a))",
        ),
        joined(lanes, f"exo_joined{lanes}"),
        *COMMON,
        *pairs(
            f"permute(OF, {'0xb1' if suffix == 'ps' else '0x5'})", f"maskload(&src, {bits})",
            f"blendv(OLD, NEW, {mask})", str(lanes),
        ),
        Operation("abs", "dst:V a:V", "dst[i] = abs(a[i])", "dst = andnot(set1(-0.0), a)"),
        Operation(
            "select", "dst:V x:V v:V y:V z:V", "dst[i] = select(x[i], v[i], y[i], z[i])",
            "dst = blendv(z, y, cmp(x, v, _CMP_LT_OQ))",
        ),
        Operation(
            "rint", "dst:V a:V", "dst[i] = rint(a[i])", "dst = round(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)"
        ),
        Operation("ldexp", "dst:V a:V k:V", f"dst[i] = {ldexp}(a[i], k[i])", f"dst = exo_ldexp{lanes}(a, k)"),
        Operation("exponent", "dst:V a:V", "dst[i] = exponent(a[i])", f"dst = exo_exponent{lanes}(a)"),
        Operation("rsqrt", "dst:V a:V", "dst[i] = rsqrt(a[i])", f"dst = exo_rsqrt{lanes}(a)"),
        Operation(
            "alternate", "dst:V a:V k:V", "dst[i] = alternate(a[i], k[i])", f"dst = exo_alternate{lanes}(a, k)"
        ),
        Operation("significand", "dst:V a:V", "dst[i] = significand(a[i])", f"dst = exo_significand{lanes}(a)"),
        Operation("reduce_add", "dst:S a:V", "dst += a[i]", whole, partial),
        Operation("reduce_add_to", "dst:E a:V", "dst[0] += a[i]", whole, partial),
        Operation("reduce_max", "dst:S a:V", "dst = max(dst, a[i])", f"exo_max{lanes}(&dst, a)"),
        Operation("reduce_min", "dst:S a:V", "dst = min(dst, a[i])", f"exo_min{lanes}(&dst, a)"),
    )  # fmt: skip


_CONVERT = (
    Operation(
        "loadu_cvtps", "dst:V src:f32", "dst[i] = src[i]", "dst = _mm256_cvtps_pd(_mm_loadu_ps(&src))",
        f"dst = blendv(dst, _mm256_cvtps_pd(_mm_maskload_ps(&src, exo_half4(n))), {_mask('pd', 4)})",
    ),
    Operation(
        "maskz_loadu_cvtps", "dst:V src:f32", "dst[i] = src[i]", "",
        "dst = _mm256_cvtps_pd(_mm_maskload_ps(&src, exo_half4(n)))", "dst[i] = 0.0",
    ),
    Operation(
        "storeu_cvtps", "dst:f32 src:V", "dst[i] = src[i]", "_mm_storeu_ps(&dst, _mm256_cvtpd_ps(src))",
        "exo_half_store4(&dst, n, _mm256_cvtpd_ps(src))",
    ),
)  # fmt: skip


_NARROW_HELPERS = f"""\
{NARROW}
// The lanes below n of the second, and the others of the first.
static inline __m256i exo_below8_epi32(__m256i old, __m256i a, int64_t n) {{
    const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return _mm256_blendv_epi8(old, a, below);
}}
static inline __m256 exo_below8_ps(__m256 old, __m256 a, int64_t n) {{
    return _mm256_castsi256_ps(exo_below8_epi32(_mm256_castps_si256(old), _mm256_castps_si256(a), n));
}}
// The upper halves, rounded to the nearest, of two to the even one; of what is no number, one that is none.
static inline __m128i exo_bf16s_mm256(__m256 a) {{
    const __m256i bits = _mm256_castps_si256(a), high = _mm256_srli_epi32(bits, 16);
    const __m256i half = _mm256_add_epi32(_mm256_and_si256(high, _mm256_set1_epi32(1)), _mm256_set1_epi32(0x7fff));
    const __m256i number = _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
    const __m256i none = _mm256_or_si256(high, _mm256_set1_epi32(0x40));
    const __m256i is_none = _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_UNORD_Q));
    const __m256i found = _mm256_blendv_epi8(number, none, is_none);
    return _mm_packus_epi32(_mm256_castsi256_si128(found), _mm256_extracti128_si256(found, 1));
}}
// The lower 8 or 16 bits of each lane.
static inline __m128i exo_low8_mm256(__m256i a) {{
    const __m256i low = _mm256_shuffle_epi8(a, _mm256_set1_epi64x(0x0c080400));
    return _mm_unpacklo_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
}}
static inline __m128i exo_low16_mm256(__m256i a) {{
    const __m256i low = _mm256_shuffle_epi8(a, _mm256_set1_epi64x(0x0d0c090805040100));
    return _mm_unpacklo_epi64(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
}}
// The sum of the lanes.
static inline int32_t exo_sum_epi32(__m256i a) {{
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    s = _mm_add_epi32(s, _mm_unpackhi_epi64(s, s));
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 1)));
}}"""


def _with_narrow(suffix: str, precision: str) -> Registers:
    """Registers of 32-bit numbers, with what loads of narrower ones need."""
    return Registers("mm256", suffix, precision, 8, AVX2, f"exo_below8_{suffix}(OLD, NEW, n)", _NARROW_HELPERS)


_ADD_LANES = "dst += exo_sum_epi32(a)", "dst += exo_sum_epi32(exo_below8_epi32(_mm256_setzero_si256(), a, n))"

_INTEGER = (
    Operation(
        "loadu", "dst:V src:M", "dst[i] = src[i]", "dst = exo_first_of_32(&src, 32)",
        "dst = exo_below8_epi32(dst, exo_first_of_32(&src, 4 * n), n)",
    ),
    Operation(
        "maskz_loadu", "dst:V src:M", "dst[i] = src[i]", "", "dst = exo_first_of_32(&src, 4 * n)", "dst[i] = 0.0"
    ),
    Operation(
        "storeu", "dst:M src:V", "dst[i] = src[i]", "exo_put_of_32(&dst, src, 32)", "exo_put_of_32(&dst, src, 4 * n)"
    ),
    Operation("setzero", "dst:V", "dst[i] = 0.0", "dst = _mm256_setzero_si256()"),
    *INTEGER,
    *bitwise("_mm256_{}_si256"),
    Operation(
        "select", "dst:V x:V v:V y:V z:V", "dst[i] = select(x[i], v[i], y[i], z[i])",
        "dst = _mm256_blendv_epi8(z, y, cmpgt(v, x))",
    ),
    Operation("reduce_add", "dst:S a:V", "dst += a[i]", *_ADD_LANES),
    Operation("reduce_add_to", "dst:E a:V", "dst[0] += a[i]", *_ADD_LANES),
)  # fmt: skip

F32: tuple[Proc, ...] = (
    *instructions(_registers("ps", "f32", 8), _operations("ps", 8)),
    *instructions(_with_narrow("ps", "f32"), narrow("mm256", 8, "exo_below8_ps(OLD, NEW, n)")),
)
F64: tuple[Proc, ...] = instructions(_registers("pd", "f64", 4), (*_operations("pd", 4), *_CONVERT))
I32: tuple[Proc, ...] = instructions(
    _with_narrow("epi32", "i32"),
    (*_INTEGER, *integer_loads("mm256", 8, "exo_below8_epi32(OLD, NEW, n)"), *integer_stores("mm256", 8)),
)

_STREAMS = {
    "f32": instructions(_registers("ps", "f32", 8), STREAMS),
    "f64": instructions(_registers("pd", "f64", 4), STREAMS),
}

AVX2_MACHINE = Machine(
    name="avx2",
    vec_widths=pmap({"f32": 8, "f64": 4, "i32": 8}),
    mem_type=AVX2,
    instructions=pmap({"f32": F32, "f64": F64, "i32": I32}),
    streams=pmap(_STREAMS),
    transposes=TRANSPOSES,
    supports_predication=True,
    cc_flags=AVX2.cc_flags,
    cpu_flags=AVX2.cpu_flags,
    registers=16,
    processor=ZEN_4,
)

_BY_NAME = {p.name(): p for p in (*F32, *F64, *I32, *_STREAMS["f32"], *_STREAMS["f64"])}


def __getattr__(name: str) -> Proc:
    if name in _BY_NAME:
        return _BY_NAME[name]
    raise AttributeError(f"AVX2 has no instruction {name}; it has {', '.join(sorted(_BY_NAME))}")
