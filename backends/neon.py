"""Neon, the vectors of every 64-bit Arm: four f32 or two f64 a register.

Lanes can't be masked: what fills no vector is left to scalar code. Every instruction is an attribute of this module, by
its name: `from backends.neon import neon_fma_f32`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pyrsistent import pmap

from .c import VectorMemory
from .kernel import Machine, Proc
from .simd import Operation, Registers, instructions


class _Neon(VectorMemory):
    cpu_flags: ClassVar[tuple[str, ...]] = ("asimd",)
    architecture: ClassVar[str] = "aarch64"
    header: ClassVar[str] = "arm_neon.h"

    def registers(self) -> Mapping[str, tuple[str, int]]:
        return {"f32": ("float32x4_t", 4), "f64": ("float64x2_t", 2)}


NEON = _Neon("NEON")
"""Vector registers of 128 bits; the innermost extent of a buffer is 4 (f32) or 2 (f64)."""

_OPERATIONS = (
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
    Operation("div", "dst:V a:V b:V", "dst[i] = a[i] / b[i]", "dst = divq(a, b)"),
    Operation("max", "dst:V a:V b:V", "dst[i] = fmax(a[i], b[i])", "dst = maxq(a, b)"),
    Operation("min", "dst:V a:V b:V", "dst[i] = fmin(a[i], b[i])", "dst = minq(a, b)"),
    Operation("neg", "dst:V a:V", "dst[i] = -a[i]", "dst = negq(a)"),
    Operation("abs", "dst:V a:V", "dst[i] = abs(a[i])", "dst = absq(a)"),
    Operation("relu", "dst:V a:V", "dst[i] = relu(a[i])", "dst = maxq(a, dupq_n(0))"),
    Operation("sqrt", "dst:V a:V", "dst[i] = sqrt(a[i])", "dst = sqrtq(a)"),
    Operation(
        "select", "dst:V x:V v:V y:V z:V", "dst[i] = select(x[i], v[i], y[i], z[i])", "dst = bslq(cltq(x, v), y, z)"
    ),
    Operation("acc", "dst:V a:V", "dst[i] += a[i]", "dst = addq(dst, a)"),
    Operation("acc_max", "dst:V a:V", "dst[i] = max(dst[i], a[i])", "dst = maxq(a, dst)"),
    Operation("acc_min", "dst:V a:V", "dst[i] = min(dst[i], a[i])", "dst = minq(a, dst)"),
    Operation("fma", "a:V b:V c:V", "c[i] += a[i] * b[i]", "c = fmaq(c, a, b)"),
    Operation("fma_broadcast", "a:E b:V c:V", "c[i] += a[0] * b[i]", "c = fmaq(c, dupq_n(a), b)"),
    Operation("fms", "a:V b:V c:V", "c[i] += -a[i] * b[i]", "c = fmsq(c, a, b)"),
    Operation("fma_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] + c[i]", "dst = fmaq(c, a, b)"),
    Operation("fnms_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] - c[i]", "dst = negq(fmsq(c, a, b))"),
    Operation("fms_to", "dst:V a:V b:V c:V", "dst[i] = c[i] - a[i] * b[i]", "dst = fmsq(c, a, b)"),
    Operation("reduce_add", "dst:S a:V", "dst += a[i]", "dst += addvq(a)"),
    Operation("reduce_add_to", "dst:E a:V", "dst[0] += a[i]", "dst += addvq(a)"),
)

_CONVERT = (
    Operation("load_f32", "dst:V src:f32", "dst[i] = src[i]", "dst = exo_widen(&src)"),
    Operation("store_f32", "dst:f32 src:V", "dst[i] = src[i]", "exo_narrow(&dst, src)"),
)

_INCLUDE = f"#include <{NEON.header}>"
_HELPERS = f"""\
{_INCLUDE}
// Two f32 in memory as a register of f64, and back.
static inline float64x2_t exo_widen(const float *p) {{ return vcvt_f64_f32(vld1_f32(p)); }}
static inline void exo_narrow(float *p, float64x2_t a) {{ vst1_f32(p, vcvt_f32_f64(a)); }}"""


def _registers(precision: str, lanes: int, helpers: str) -> Registers:
    return Registers("neon", precision, precision, lanes, NEON, "", helpers, "vNAME_SUFFIX")


F32: tuple[Proc, ...] = instructions(_registers("f32", 4, _INCLUDE), _OPERATIONS)
F64: tuple[Proc, ...] = instructions(_registers("f64", 2, _HELPERS), (*_OPERATIONS, *_CONVERT))

NEON_MACHINE = Machine(
    name="neon",
    vec_widths=pmap({"f32": 4, "f64": 2}),
    mem_type=NEON,
    instructions=pmap({"f32": F32, "f64": F64}),
    supports_predication=False,
    cpu_flags=NEON.cpu_flags,
    registers=32,
)

_BY_NAME = {p.name(): p for p in (*F32, *F64)}


def __getattr__(name: str) -> Proc:
    if name in _BY_NAME:
        return _BY_NAME[name]
    raise AttributeError(f"Neon has no instruction {name}; it has {', '.join(sorted(_BY_NAME))}")
