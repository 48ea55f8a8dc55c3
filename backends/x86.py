"""The operations that AVX2 and AVX-512 spell alike, stores that pass the caches, and transpositions."""

from __future__ import annotations

from pyrsistent import pmap

from .kernel import Proc, proc_from_source
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

_TRANSPOSE = """
@instr({c!r}, {helper!r})
def mm256_transpose_{suffix}(
    dst: [{precision}][4, {columns}] @ DRAM, src: [{precision}][4, {columns}] @ DRAM
):
    assert stride(dst, 1) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        for j in seq(0, {columns}):
            dst[i, j] = src[i, j]
"""

_TRANSPOSE_PS = """\
#include <immintrin.h>
// Four numbers of each of eight columns, to four rows: pairs of columns, then pairs of pairs.
static inline void exo_transpose_ps(float *dst, int64_t row, const float *src, int64_t column) {
    __m256 c[4];
    for (int j = 0; j < 4; j++) {
        const float *low = src + j * column, *high = low + 4 * column;
        c[j] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
    }
    for (int i = 0; i < 4; i += 2) {
        const __m256 a = i == 0 ? _mm256_unpacklo_ps(c[0], c[1]) : _mm256_unpackhi_ps(c[0], c[1]);
        const __m256 b = i == 0 ? _mm256_unpacklo_ps(c[2], c[3]) : _mm256_unpackhi_ps(c[2], c[3]);
        _mm256_storeu_ps(dst + i * row, _mm256_shuffle_ps(a, b, 0x44));
        _mm256_storeu_ps(dst + (i + 1) * row, _mm256_shuffle_ps(a, b, 0xee));
    }
}"""

_TRANSPOSE_PD = """\
#include <immintrin.h>
// Four numbers of each of four columns, to four rows, two at a time.
static inline void exo_transpose_pd(double *dst, int64_t row, const double *src, int64_t column) {
    for (int i = 0; i < 4; i += 2) {
        __m256d c[2];
        for (int j = 0; j < 2; j++) {
            const double *low = src + i + j * column, *high = low + 2 * column;
            c[j] = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
        }
        _mm256_storeu_pd(dst + i * row, _mm256_unpacklo_pd(c[0], c[1]));
        _mm256_storeu_pd(dst + (i + 1) * row, _mm256_unpackhi_pd(c[0], c[1]));
    }
}"""


def _transpose(suffix: str, precision: str, columns: int, helper: str) -> tuple[Proc, ...]:
    c = f"exo_transpose_{suffix}(&{{dst_data}}, {{dst_stride_0}}, &{{src_data}}, {{src_stride_1}});"
    source = _TRANSPOSE.format(suffix=suffix, precision=precision, columns=columns, c=c, helper=helper)
    return (proc_from_source(source),)


TRANSPOSES = pmap({
    "f32": _transpose("ps", "f32", 8, _TRANSPOSE_PS),
    "f64": _transpose("pd", "f64", 4, _TRANSPOSE_PD),
})  # fmt: skip
"""Copies of a few columns to rows, from memory to memory."""
