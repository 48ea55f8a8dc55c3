"""Neon, the vectors of every 64-bit Arm: four f32 or i32, or two f64, a register.

Lanes can't be masked: what fills no vector is left to scalar code. Every instruction is an attribute of this module, by
its name: `from backends.neon import neon_fma_f32`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pyrsistent import pmap

from .c import VectorMemory
from .families import GENERIC_NEON
from .kernel import Machine, Proc
from .neon_functions import HELPERS_F32, HELPERS_F64, functions
from .simd import Operation, Registers, instructions


class _Neon(VectorMemory):
    cpu_flags: ClassVar[tuple[str, ...]] = ("asimd",)
    architecture: ClassVar[str] = "aarch64"
    header: ClassVar[str] = "arm_neon.h"

    def registers(self) -> Mapping[str, tuple[str, int]]:
        return {"f32": ("float32x4_t", 4), "f64": ("float64x2_t", 2), "i32": ("int32x4_t", 4)}


NEON = _Neon("NEON")
"""Vector registers of 128 bits; the innermost extent of a buffer is 4 (f32, i32) or 2 (f64)."""

_EITHER = (
    Operation("load", "dst:V src:M", "dst[i] = src[i]", "dst = ld1q(&src)"),
    Operation("store", "dst:M src:V", "dst[i] = src[i]", "st1q(&dst, src)"),
    Operation("acc_store", "dst:M a:V", "dst[i] += a[i]", "st1q(&dst, addq(ld1q(&dst), a))"),
    Operation("mov", "dst:V src:V", "dst[i] = src[i]", "dst = src"),
    Operation("broadcast", "dst:V src:E", "dst[i] = src[0]", "dst = dupq_n(src)"),
    Operation("zero", "dst:V", "dst[i] = 0.0", "dst = dupq_n(0)"),
    Operation("broadcast_value", "dst:V value:S", "dst[i] = value", "dst = dupq_n(value)"),
    Operation("add", "dst:V a:V b:V", "dst[i] = a[i] + b[i]", "dst = addq(a, b)"),
    Operation("sub", "dst:V a:V b:V", "dst[i] = a[i] - b[i]", "dst = subq(a, b)"),
    Operation("mul", "dst:V a:V b:V", "dst[i] = a[i] * b[i]", "dst = mulq(a, b)"),
    Operation("max", "dst:V a:V b:V", "dst[i] = fmax(a[i], b[i])", "dst = maxq(a, b)"),
    Operation("min", "dst:V a:V b:V", "dst[i] = fmin(a[i], b[i])", "dst = minq(a, b)"),
    Operation("neg", "dst:V a:V", "dst[i] = -a[i]", "dst = negq(a)"),
    Operation("abs", "dst:V a:V", "dst[i] = abs(a[i])", "dst = absq(a)"),
    Operation("relu", "dst:V a:V", "dst[i] = relu(a[i])", "dst = maxq(a, dupq_n(0))"),
    Operation("acc", "dst:V a:V", "dst[i] += a[i]", "dst = addq(dst, a)"),
    Operation("acc_max", "dst:V a:V", "dst[i] = max(dst[i], a[i])", "dst = maxq(a, dst)"),
    Operation("acc_min", "dst:V a:V", "dst[i] = min(dst[i], a[i])", "dst = minq(a, dst)"),
    Operation("reduce_add", "dst:S a:V", "dst += a[i]", "dst += addvq(a)"),
    Operation("reduce_add_to", "dst:E a:V", "dst[0] += a[i]", "dst += addvq(a)"),
)
"""What floats and integers have. Sums of integers may overflow on the way, as those of C."""

_FLOAT = (
    Operation("div", "dst:V a:V b:V", "dst[i] = a[i] / b[i]", "dst = divq(a, b)"),
    Operation("sqrt", "dst:V a:V", "dst[i] = sqrt(a[i])", "dst = sqrtq(a)"),
    Operation(
        "select", "dst:V x:V v:V y:V z:V", "dst[i] = select(x[i], v[i], y[i], z[i])", "dst = bslq(cltq(x, v), y, z)"
    ),
    Operation("fma", "a:V b:V c:V", "c[i] += a[i] * b[i]", "c = fmaq(c, a, b)"),
    Operation("fma_broadcast", "a:E b:V c:V", "c[i] += a[0] * b[i]", "c = fmaq(c, dupq_n(a), b)"),
    Operation("fms", "a:V b:V c:V", "c[i] += -a[i] * b[i]", "c = fmsq(c, a, b)"),
    Operation("fma_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] + c[i]", "dst = fmaq(c, a, b)"),
    Operation("fnms_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] - c[i]", "dst = negq(fmsq(c, a, b))"),
    Operation("fmsacc", "a:V b:V c:V", "c[i] += -(a[i] * b[i])", "c = fmsq(c, a, b)"),
    Operation("fmsacc_to", "dst:V a:V b:V c:V", "dst[i] = c[i] + -(a[i] * b[i])", "dst = fmsq(c, a, b)"),
    Operation("fms_to", "dst:V a:V b:V c:V", "dst[i] = c[i] - a[i] * b[i]", "dst = fmsq(c, a, b)"),
)

_INTEGER = (
    Operation("muladd", "a:V b:V c:V", "c[i] += a[i] * b[i]", "c = mlaq(c, a, b)"),
    Operation("muladd_broadcast", "a:E b:V c:V", "c[i] += a[0] * b[i]", "c = mlaq(c, dupq_n(a), b)"),
    Operation("mulsub", "a:V b:V c:V", "c[i] += -a[i] * b[i]", "c = mlsq(c, a, b)"),
    Operation("muladd_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] + c[i]", "dst = mlaq(c, a, b)"),
    Operation("mulsub_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] - c[i]", "dst = negq(mlsq(c, a, b))"),
    Operation("nmuladd_to", "dst:V a:V b:V c:V", "dst[i] = c[i] - a[i] * b[i]", "dst = mlsq(c, a, b)"),
)

_CONVERT = (
    Operation("load_f32", "dst:V src:f32", "dst[i] = src[i]", "dst = exo_widen(&src)"),
    Operation("store_f32", "dst:f32 src:V", "dst[i] = src[i]", "exo_narrow(&dst, src)"),
)


def _narrow(precision: str, value: str) -> Operation:
    """A load of four narrower numbers; `value` has them."""
    return Operation(f"load_{precision}", f"dst:V src:{precision}", "dst[i] = src[i]", f"dst = {value}")


_INTEGERS = ("i8", "u8", "i16", "u16")
_NARROW = (
    *(_narrow(t, f"exo_load4_{t}(&src)") for t in ("f16", "bf16")),
    *(_narrow(t, f"exo_floats(exo_load4_{t}(&src))") for t in _INTEGERS),
    Operation("store_f16", "dst:f16 src:V", "dst[i] = src[i]", "exo_store4_f16(&dst, src)"),
    Operation("store_bf16", "dst:bf16 src:V", "dst[i] = src[i]", "exo_store4_bf16(&dst, src)"),
)
_NARROW_INTEGERS = tuple(_narrow(t, f"exo_load4_{t}(&src)") for t in _INTEGERS)

_INCLUDE = f"#include <{NEON.header}>"
_HELPERS = f"""\
{_INCLUDE}
// Two f32 in memory as a register of f64, and back.
static inline float64x2_t exo_widen(const float *p) {{ return vcvt_f64_f32(vld1_f32(p)); }}
static inline void exo_narrow(float *p, float64x2_t a) {{ vst1_f32(p, vcvt_f32_f64(a)); }}"""
_NARROW_HELPERS = f"""\
{_INCLUDE}
#include <string.h>
// Four narrower numbers in memory as a register, and back.
static inline float32x4_t exo_floats(int32x4_t a) {{ return vcvtq_f32_s32(a); }}
static inline int32x4_t exo_load4_i8(const void *p) {{
    int32_t bits;
    memcpy(&bits, p, 4);
    return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(bits)))));
}}
static inline int32x4_t exo_load4_u8(const void *p) {{
    uint32_t bits;
    memcpy(&bits, p, 4);
    return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(bits))))));
}}
static inline int32x4_t exo_load4_i16(const void *p) {{
    int16x4_t a;
    memcpy(&a, p, 8);
    return vmovl_s16(a);
}}
static inline int32x4_t exo_load4_u16(const void *p) {{
    uint16x4_t a;
    memcpy(&a, p, 8);
    return vreinterpretq_s32_u32(vmovl_u16(a));
}}
static inline float32x4_t exo_load4_f16(const void *p) {{
    float16x4_t a;
    memcpy(&a, p, 8);
    return vcvt_f32_f16(a);
}}
static inline void exo_store4_f16(void *p, float32x4_t a) {{
    const float16x4_t narrow = vcvt_f16_f32(a);
    memcpy(p, &narrow, 8);
}}
// A number of bf16 is the upper half of one of f32.
static inline float32x4_t exo_load4_bf16(const void *p) {{
    uint16x4_t a;
    memcpy(&a, p, 8);
    return vreinterpretq_f32_u32(vshll_n_u16(a, 16));
}}
// Rounded to the nearest, of two to the even one; of what is no number, one that is none.
static inline void exo_store4_bf16(void *p, float32x4_t a) {{
    const uint32x4_t bits = vreinterpretq_u32_f32(a), high = vshrq_n_u32(bits, 16);
    const uint32x4_t half = vaddq_u32(vandq_u32(high, vdupq_n_u32(1)), vdupq_n_u32(0x7fff));
    const uint32x4_t number = vshrq_n_u32(vaddq_u32(bits, half), 16), none = vorrq_u32(high, vdupq_n_u32(0x40));
    const uint16x4_t narrow = vmovn_u32(vbslq_u32(vceqq_f32(a, a), number, none));
    memcpy(p, &narrow, 8);
}}"""


def _registers(suffix: str, precision: str, lanes: int, helpers: str) -> Registers:
    return Registers("neon", suffix, precision, lanes, NEON, "", helpers, "vNAME_SUFFIX")


F32: tuple[Proc, ...] = (
    *instructions(_registers("f32", "f32", 4, _INCLUDE), (*_EITHER, *_FLOAT)),
    *instructions(_registers("f32", "f32", 4, HELPERS_F32), functions(4)),
    *instructions(_registers("f32", "f32", 4, _NARROW_HELPERS), _NARROW),
)
F64: tuple[Proc, ...] = (
    *instructions(_registers("f64", "f64", 2, _HELPERS), (*_EITHER, *_FLOAT, *_CONVERT)),
    *instructions(_registers("f64", "f64", 2, HELPERS_F64), functions(2)),
)
I32: tuple[Proc, ...] = (
    *instructions(_registers("s32", "i32", 4, _INCLUDE), (*_EITHER, *_INTEGER)),
    *instructions(_registers("s32", "i32", 4, _NARROW_HELPERS), _NARROW_INTEGERS),
)

NEON_MACHINE = Machine(
    name="neon",
    vec_widths=pmap({"f32": 4, "f64": 2, "i32": 4}),
    mem_type=NEON,
    instructions=pmap({"f32": F32, "f64": F64, "i32": I32}),
    supports_predication=False,
    cpu_flags=NEON.cpu_flags,
    registers=32,
    processor=GENERIC_NEON,
)

_BY_NAME = {p.name(): p for p in (*F32, *F64, *I32)}


def __getattr__(name: str) -> Proc:
    if name in _BY_NAME:
        return _BY_NAME[name]
    raise AttributeError(f"Neon has no instruction {name}; it has {', '.join(sorted(_BY_NAME))}")
