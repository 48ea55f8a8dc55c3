"""What functions are made of, on Neon: scaling by powers of two, exponents, signs, inverse square roots."""

from __future__ import annotations

from .simd import Operation


def functions(lanes: int) -> tuple[Operation, ...]:
    """The rows, for so many lanes; the helpers, whose names end in that number, are those of the precision."""
    ldexp = "ldexpf" if lanes == 4 else "ldexp"
    return (
        Operation("rsqrt", "dst:V a:V", "dst[i] = rsqrt(a[i])", "dst = divq(dupq_n(1), sqrtq(a))"),
        Operation("rint", "dst:V a:V", "dst[i] = rint(a[i])", "dst = rndnq(a)"),
        Operation("fma_once", "dst:V a:V b:V c:V", "dst[i] = fma(a[i], b[i], c[i])", "dst = fmaq(c, a, b)"),
        Operation("ldexp", "dst:V a:V k:V", f"dst[i] = {ldexp}(a[i], k[i])", f"dst = exo_ldexp{lanes}(a, k)"),
        Operation("exponent", "dst:V a:V", "dst[i] = exponent(a[i])", f"dst = exo_exponent{lanes}(a)"),
        Operation("significand", "dst:V a:V", "dst[i] = significand(a[i])", f"dst = exo_significand{lanes}(a)"),
        Operation(
            "alternate", "dst:V a:V k:V", "dst[i] = alternate(a[i], k[i])", f"dst = exo_alternate{lanes}(a, k)"
        ),
    )


HELPERS_F32 = """\
#include <arm_neon.h>
#include <math.h>
// x * 2^k, for whole k from -252 to 252, by two factors.
static inline float32x4_t exo_power4(int32x4_t k) {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(k, vdupq_n_s32(127)), 23));
}
static inline float32x4_t exo_ldexp4(float32x4_t x, float32x4_t k) {
    const int32x4_t whole = vcvtq_s32_f32(k), half = vshrq_n_s32(whole, 1);
    return vmulq_f32(vmulq_f32(x, exo_power4(half)), exo_power4(vsubq_s32(whole, half)));
}
// A positive number is m * 2^e, with m from 3/4 to less than 3/2: what its bits exceed those of 3/4 by has e above the
// digits. Small numbers are made larger first.
static inline float32x4_t exo_normal4(float32x4_t x) {
    return vbslq_f32(vcltq_f32(x, vdupq_n_f32(0x1p-126f)), vmulq_f32(x, vdupq_n_f32(0x1p25f)), x);
}
static inline int32x4_t exo_above4(float32x4_t x) {
    return vsubq_s32(vreinterpretq_s32_f32(x), vdupq_n_s32(0x3f400000));
}
static inline float32x4_t exo_exponent4(float32x4_t x) {
    const float32x4_t zero = vdupq_n_f32(0), most = vdupq_n_f32(INFINITY);
    const float32x4_t e = vcvtq_f32_s32(vshrq_n_s32(exo_above4(exo_normal4(x)), 23));
    const float32x4_t less = vsubq_f32(e, vdupq_n_f32(25));
    const float32x4_t found = vbslq_f32(vcltq_f32(x, vdupq_n_f32(0x1p-126f)), less, e);
    const float32x4_t none = vbslq_f32(vcltq_f32(x, zero), vdupq_n_f32(NAN), vnegq_f32(most));
    return vbslq_f32(vcleq_f32(x, zero), none, vbslq_f32(vcltq_f32(x, most), found, x));
}
static inline float32x4_t exo_significand4(float32x4_t x) {
    const uint32x4_t some = vandq_u32(vcgtq_f32(x, vdupq_n_f32(0)), vcltq_f32(x, vdupq_n_f32(INFINITY)));
    const float32x4_t y = exo_normal4(vbslq_f32(some, x, vdupq_n_f32(1)));
    const int32x4_t e = vandq_s32(exo_above4(y), vdupq_n_s32((int)0xff800000));
    return vreinterpretq_f32_s32(vsubq_s32(vreinterpretq_s32_f32(y), e));
}
// x, or -x where the whole number k is odd: its lowest bit becomes a sign.
static inline float32x4_t exo_alternate4(float32x4_t x, float32x4_t k) {
    const int32x4_t sign = vshlq_n_s32(vcvtq_s32_f32(k), 31);
    return vreinterpretq_f32_s32(veorq_s32(vreinterpretq_s32_f32(x), sign));
}"""

HELPERS_F64 = """\
#include <arm_neon.h>
#include <math.h>
// x * 2^k, for whole k from -2044 to 2044, by two factors.
static inline float64x2_t exo_power2(int64x2_t k) {
    return vreinterpretq_f64_s64(vshlq_n_s64(vaddq_s64(k, vdupq_n_s64(1023)), 52));
}
static inline float64x2_t exo_ldexp2(float64x2_t x, float64x2_t k) {
    const int64x2_t whole = vcvtq_s64_f64(k), half = vshrq_n_s64(whole, 1);
    return vmulq_f64(vmulq_f64(x, exo_power2(half)), exo_power2(vsubq_s64(whole, half)));
}
// A positive number is m * 2^e, with m from 3/4 to less than 3/2: what its bits exceed those of 3/4 by has e above the
// digits. Small numbers are made larger first.
static inline float64x2_t exo_normal2(float64x2_t x) {
    return vbslq_f64(vcltq_f64(x, vdupq_n_f64(0x1p-1022)), vmulq_f64(x, vdupq_n_f64(0x1p54)), x);
}
static inline int64x2_t exo_above2(float64x2_t x) {
    return vsubq_s64(vreinterpretq_s64_f64(x), vdupq_n_s64(0x3fe8000000000000));
}
static inline float64x2_t exo_exponent2(float64x2_t x) {
    const float64x2_t zero = vdupq_n_f64(0), most = vdupq_n_f64(INFINITY);
    const float64x2_t e = vcvtq_f64_s64(vshrq_n_s64(exo_above2(exo_normal2(x)), 52));
    const float64x2_t less = vsubq_f64(e, vdupq_n_f64(54));
    const float64x2_t found = vbslq_f64(vcltq_f64(x, vdupq_n_f64(0x1p-1022)), less, e);
    const float64x2_t none = vbslq_f64(vcltq_f64(x, zero), vdupq_n_f64(NAN), vnegq_f64(most));
    return vbslq_f64(vcleq_f64(x, zero), none, vbslq_f64(vcltq_f64(x, most), found, x));
}
static inline float64x2_t exo_significand2(float64x2_t x) {
    const uint64x2_t some = vandq_u64(vcgtq_f64(x, vdupq_n_f64(0)), vcltq_f64(x, vdupq_n_f64(INFINITY)));
    const float64x2_t y = exo_normal2(vbslq_f64(some, x, vdupq_n_f64(1)));
    const int64x2_t e = vandq_s64(exo_above2(y), vdupq_n_s64((int64_t)0xfff0000000000000));
    return vreinterpretq_f64_s64(vsubq_s64(vreinterpretq_s64_f64(y), e));
}
// x, or -x where the whole number k is odd: its lowest bit becomes a sign.
static inline float64x2_t exo_alternate2(float64x2_t x, float64x2_t k) {
    const int64x2_t sign = vshlq_n_s64(vcvtq_s64_f64(k), 63);
    return vreinterpretq_f64_s64(veorq_s64(vreinterpretq_s64_f64(x), sign));
}"""
