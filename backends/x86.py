"""The operations that AVX2 and AVX-512 spell alike, and stores that pass the caches. Imports `simd`."""

from __future__ import annotations

from .simd import Operation

COMMON = (
    Operation("mov", "dst:V src:V", "dst[i] = src[i]", "dst = src"),
    Operation("set1", "dst:V src:E", "dst[i] = src[0]", "dst = set1(src)"),
    Operation("setzero", "dst:V", "dst[i] = 0.0", "dst = setzero()"),
    Operation("set1_value", "dst:V value:S", "dst[i] = value", "dst = set1(value)"),
    Operation("add", "dst:V a:V b:V", "dst[i] = a[i] + b[i]", "dst = add(a, b)"),
    Operation("sub", "dst:V a:V b:V", "dst[i] = a[i] - b[i]", "dst = sub(a, b)"),
    Operation("mul", "dst:V a:V b:V", "dst[i] = a[i] * b[i]", "dst = mul(a, b)"),
    Operation("div", "dst:V a:V b:V", "dst[i] = a[i] / b[i]", "dst = div(a, b)"),
    Operation("max", "dst:V a:V b:V", "dst[i] = fmax(a[i], b[i])", "dst = max(a, b)"),
    Operation("min", "dst:V a:V b:V", "dst[i] = fmin(a[i], b[i])", "dst = min(a, b)"),
    Operation("neg", "dst:V a:V", "dst[i] = -a[i]", "dst = sub(set1(-0.0), a)"),
    Operation("relu", "dst:V a:V", "dst[i] = relu(a[i])", "dst = max(a, setzero())"),
    Operation("sqrt", "dst:V a:V", "dst[i] = sqrt(a[i])", "dst = sqrt(a)"),
    Operation("acc", "dst:V a:V", "dst[i] += a[i]", "dst = add(dst, a)"),
    Operation("acc_max", "dst:V a:V", "dst[i] = max(dst[i], a[i])", "dst = max(a, dst)"),
    Operation("acc_min", "dst:V a:V", "dst[i] = min(dst[i], a[i])", "dst = min(a, dst)"),
    Operation("fmadd", "a:V b:V c:V", "c[i] += a[i] * b[i]", "c = fmadd(a, b, c)"),
    Operation("fmadd_set1", "a:E b:V c:V", "c[i] += a[0] * b[i]", "c = fmadd(set1(a), b, c)"),
    Operation("fnmadd", "a:V b:V c:V", "c[i] += -a[i] * b[i]", "c = fnmadd(a, b, c)"),
    Operation("fmadd_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] + c[i]", "dst = fmadd(a, b, c)"),
    Operation("fmsub_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] - c[i]", "dst = fmsub(a, b, c)"),
    Operation("fnmadd_to", "dst:V a:V b:V c:V", "dst[i] = c[i] - a[i] * b[i]", "dst = fnmadd(a, b, c)"),
)
"""The operations that AVX2 and AVX-512 spell alike."""

STREAMS = (
    Operation(
        "stream", "dst:M src:V", "dst[i] = src[i]",
        "if ((uintptr_t)&dst % sizeof src == 0) stream(&dst, src); else storeu(&dst, src)", fence="_mm_sfence();",
    ),
)  # fmt: skip
"""Stores that pass the caches. The processor takes only addresses that are a multiple of the register's size, and the
object language knows none, so the code asks; elsewhere they are ordinary stores. Other threads may see them late."""
