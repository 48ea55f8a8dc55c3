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
    Operation("smaller", "dst:V a:V b:V", "dst[i] = select(a[i], b[i], a[i], b[i])", "dst = min(a, b)"),
    Operation("larger", "dst:V a:V b:V", "dst[i] = select(b[i], a[i], a[i], b[i])", "dst = max(a, b)"),
    Operation("acc", "dst:V a:V", "dst[i] += a[i]", "dst = add(dst, a)"),
    Operation("acc_max", "dst:V a:V", "dst[i] = max(dst[i], a[i])", "dst = max(a, dst)"),
    Operation("acc_min", "dst:V a:V", "dst[i] = min(dst[i], a[i])", "dst = min(a, dst)"),
    Operation("fmadd", "a:V b:V c:V", "c[i] += a[i] * b[i]", "c = fmadd(a, b, c)"),
    Operation("fmadd_set1", "a:E b:V c:V", "c[i] += a[0] * b[i]", "c = fmadd(set1(a), b, c)"),
    Operation("fnmadd", "a:V b:V c:V", "c[i] += -a[i] * b[i]", "c = fnmadd(a, b, c)"),
    Operation("fmadd_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] + c[i]", "dst = fmadd(a, b, c)"),
    Operation("fmsub_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] - c[i]", "dst = fmsub(a, b, c)"),
    Operation("fnmadd_to", "dst:V a:V b:V c:V", "dst[i] = c[i] - a[i] * b[i]", "dst = fnmadd(a, b, c)"),
    Operation("fnmacc", "a:V b:V c:V", "c[i] += -(a[i] * b[i])", "c = fnmadd(a, b, c)"),
    Operation("fnmacc_to", "dst:V a:V b:V c:V", "dst[i] = c[i] + -(a[i] * b[i])", "dst = fnmadd(a, b, c)"),
    Operation("fma", "dst:V a:V b:V c:V", "dst[i] = fma(a[i], b[i], c[i])", "dst = fmadd(a, b, c)"),
)
"""The operations that AVX2 and AVX-512 spell alike."""


def joined(lanes: int, function: str) -> Operation:
    """The last n lanes of one register, then the first of another: what lies in memory between what both show."""
    last, first = f"dst[i] = a[i + {lanes} - n]", "dst[i] = b[i - n]"
    return Operation("joined", "dst:V a:V b:V", last, "", f"dst = {function}(a, b, n)", first)


def pairs(exchanged: str, loaded: str, merge: str, suffix: str) -> tuple[Operation, ...]:
    """Registers as pairs of lanes, such as the real and the imaginary parts of numbers.

    `exchanged` is the intrinsic that exchanges the lanes of each pair of `a`, `loaded` the one that loads the first n
    lanes, and zeros, and `merge` is as in `Registers`; the helpers' names end in `suffix`.
    """
    other, load = "i + 1 - 2 * (i % 2)", exchanged.replace("OF", loaded)
    return (
        Operation("exchange", "dst:V a:V", f"dst[i] = a[{other}]", f"dst = {exchanged.replace('OF', 'a')}"),
        Operation(
            "loadu_exchanged", "dst:V src:M", f"dst[i] = src[{other}]",
            f"dst = {exchanged.replace('OF', 'loadu(&src)')}",
            f"dst = {merge.replace('OLD', 'dst').replace('NEW', load)}", group=2,
        ),
        Operation(
            "maskz_loadu_exchanged", "dst:V src:M", f"dst[i] = src[{other}]", "", f"dst = {load}", "dst[i] = 0.0",
            group=2,
        ),
        Operation("set1_pair", "dst:V src:P", "dst[i] = src[i % 2]", f"dst = exo_pair{suffix}(&src)"),
        Operation("reduce_add_pairs", "dst:P a:V", "dst[i % 2] += a[i]", f"exo_add_pairs{suffix}(&dst, a)"),
    )  # fmt: skip


STREAMS = (
    Operation(
        "stream", "dst:M src:V", "dst[i] = src[i]",
        "if ((uintptr_t)&dst % sizeof src == 0) stream(&dst, src); else storeu(&dst, src)", fence="_mm_sfence();",
    ),
)  # fmt: skip
"""Stores that pass the caches. The processor takes only addresses that are a multiple of the register's size, and the
object language knows none, so the code asks; elsewhere they are ordinary stores. Other threads may see them late."""

NARROW = """\
#include <immintrin.h>
#include <string.h>
#ifndef EXO_BYTES
#define EXO_BYTES
// So many bytes of memory, and zeros; and back.
static inline __m128i exo_first(const void *src, size_t bytes) {
    __m128i a = _mm_setzero_si128();
    memcpy(&a, src, bytes);
    return a;
}
static inline __m256i exo_first_of_32(const void *src, size_t bytes) {
    __m256i a = _mm256_setzero_si256();
    memcpy(&a, src, bytes);
    return a;
}
static inline void exo_put(void *dst, __m128i a, size_t bytes) { memcpy(dst, &a, bytes); }
static inline void exo_put_of_32(void *dst, __m256i a, size_t bytes) { memcpy(dst, &a, bytes); }
#endif"""
"""What loads and stores of narrower numbers need, beside what a processor has of its own: once in a file, though both
AVX2 and AVX-512 need it."""

_INTEGERS = {
    "i8": ("cvtepi8_epi32", 1),
    "u8": ("cvtepu8_epi32", 1),
    "i16": ("cvtepi16_epi32", 2),
    "u16": ("cvtepu16_epi32", 2),
}


INTEGER = (
    Operation("mov", "dst:V src:V", "dst[i] = src[i]", "dst = src"),
    Operation("add", "dst:V a:V b:V", "dst[i] = a[i] + b[i]", "dst = add(a, b)"),
    Operation("sub", "dst:V a:V b:V", "dst[i] = a[i] - b[i]", "dst = sub(a, b)"),
    Operation("mul", "dst:V a:V b:V", "dst[i] = a[i] * b[i]", "dst = mullo(a, b)"),
    Operation("max", "dst:V a:V b:V", "dst[i] = fmax(a[i], b[i])", "dst = max(a, b)"),
    Operation("min", "dst:V a:V b:V", "dst[i] = fmin(a[i], b[i])", "dst = min(a, b)"),
    Operation("abs", "dst:V a:V", "dst[i] = abs(a[i])", "dst = abs(a)"),
    Operation("neg", "dst:V a:V", "dst[i] = -a[i]", "dst = sub(set1(0), a)"),
    Operation("relu", "dst:V a:V", "dst[i] = relu(a[i])", "dst = max(a, set1(0))"),
    Operation("muladd", "a:V b:V c:V", "c[i] += a[i] * b[i]", "c = add(c, mullo(a, b))"),
    Operation("muladd_set1", "a:E b:V c:V", "c[i] += a[0] * b[i]", "c = add(c, mullo(set1(a), b))"),
    Operation("muladd_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] + c[i]", "dst = add(mullo(a, b), c)"),
    Operation("mulsub_to", "dst:V a:V b:V c:V", "dst[i] = a[i] * b[i] - c[i]", "dst = sub(mullo(a, b), c)"),
    Operation("nmuladd_to", "dst:V a:V b:V c:V", "dst[i] = c[i] - a[i] * b[i]", "dst = sub(c, mullo(a, b))"),
    Operation("set1", "dst:V src:E", "dst[i] = src[0]", "dst = set1(src)"),
    Operation("set1_value", "dst:V value:S", "dst[i] = value", "dst = set1(value)"),
    Operation("acc", "dst:V a:V", "dst[i] += a[i]", "dst = add(dst, a)"),
    Operation("acc_max", "dst:V a:V", "dst[i] = max(dst[i], a[i])", "dst = max(a, dst)"),
    Operation("acc_min", "dst:V a:V", "dst[i] = min(dst[i], a[i])", "dst = min(a, dst)"),
    Operation("smaller", "dst:V a:V b:V", "dst[i] = select(a[i], b[i], a[i], b[i])", "dst = min(a, b)"),
    Operation("larger", "dst:V a:V b:V", "dst[i] = select(b[i], a[i], a[i], b[i])", "dst = max(a, b)"),
    Operation("shr", "dst:V a:V b:V", "dst[i] = a[i] >> b[i]", "dst = srav(a, b)"),
    Operation("shl", "dst:V a:V b:V", "dst[i] = a[i] << b[i]", "dst = sllv(a, b)"),
)
"""The operations on integers that AVX2 and AVX-512 spell alike. Sums may overflow on the way, as those of C."""


def integer_loads(prefix: str, lanes: int, merge: str) -> tuple[Operation, ...]:
    """Loads of narrower integers into registers of i32, as in `narrow`."""
    rows = list[Operation]()
    for precision, (convert, size) in _INTEGERS.items():
        params, lane, most = f"dst:V src:{precision}", "dst[i] = src[i]", size * lanes
        whole, part = (f"_{prefix}_{convert}({_first(n, most)})" for n in (str(most), f"{size} * n"))
        merged = f"dst = {merge.replace('OLD', 'dst').replace('NEW', part)}"
        rows.append(Operation(f"loadu_{precision}", params, lane, f"dst = {whole}", merged))
        rows.append(Operation(f"maskz_loadu_{precision}", params, lane, "", f"dst = {part}", "dst[i] = 0.0"))
    return tuple(rows)


def integer_stores(prefix: str, lanes: int) -> tuple[Operation, ...]:
    """Stores of registers of i32 as narrower integers. What does not fit these has no meaning; C keeps the lower bits,
    and so does this."""
    rows = list[Operation]()
    for precision, (_, size) in _INTEGERS.items():
        put = f"exo_put{'_of_32' * (size * lanes > 16)}(&dst, exo_low{8 * size}_{prefix}(src), "
        statements = f"{put}{size * lanes})", f"{put}{size} * n)"
        rows.append(Operation(f"storeu_{precision}", f"dst:{precision} src:V", "dst[i] = src[i]", *statements))
    return tuple(rows)


def bitwise(spelling: str) -> tuple[Operation, ...]:
    """The operations on bits. `spelling` is the intrinsic, with `{}` for its name, which may speak of no lanes."""
    signs = {"and": "&", "or": "|", "xor": "^"}
    return tuple(
        Operation(f"bit{name}", "dst:V a:V b:V", f"dst[i] = a[i] {sign} b[i]", f"dst = {spelling.format(name)}(a, b)")
        for name, sign in signs.items()
    )


def narrow(prefix: str, lanes: int, merge: str) -> tuple[Operation, ...]:
    """Loads of narrower numbers into registers of f32, and stores of f16 and bf16, which round to nearest.

    `merge` is as in `Registers`, with intrinsics in full."""
    rows = [
        Operation(
            f"storeu_{precision}", f"dst:{precision} src:V", "dst[i] = src[i]",
            _narrowed(prefix, precision, str(2 * lanes), 2 * lanes), _narrowed(prefix, precision, "2 * n", 2 * lanes),
        )
        for precision in ("f16", "bf16")
    ]  # fmt: skip
    for precision in ("f16", "bf16", *_INTEGERS):
        params, lane = f"dst:V src:{precision}", "dst[i] = src[i]"
        size = _INTEGERS.get(precision, ("", 2))[1]
        whole, part = (_widened(prefix, precision, n, size * lanes) for n in (str(size * lanes), f"{size} * n"))
        merged = f"dst = {merge.replace('OLD', 'dst').replace('NEW', part)}"
        rows.append(Operation(f"loadu_{precision}", params, lane, f"dst = {whole}", merged))
        rows.append(Operation(f"maskz_loadu_{precision}", params, lane, "", f"dst = {part}", "dst[i] = 0.0"))
    return tuple(rows)


def _widened(prefix: str, precision: str, count: str, most: int) -> str:
    """So many bytes of numbers of a precision as a register of f32."""
    of = _first(count, most)
    if precision == "f16":
        return f"_{prefix}_cvtph_ps({of})"
    if precision == "bf16":  # the upper half of an f32
        bits = f"_{prefix}_slli_epi32(_{prefix}_cvtepu16_epi32({of}), 16)"
        return f"_{prefix}_castsi{prefix[2:]}_ps({bits})"
    return f"_{prefix}_cvtepi32_ps(_{prefix}_{_INTEGERS[precision][0]}({of}))"


def _first(count: str, most: int) -> str:
    """So many bytes, of at most 16 or 32, as a register of integers."""
    return f"exo_first{'_of_32' * (most > 16)}(&src, {count})"


def _narrowed(prefix: str, precision: str, count: str, most: int) -> str:
    """A register of f32 as so many bytes of f16 or bf16."""
    narrow = f"_{prefix}_cvtps_ph(src, _MM_FROUND_TO_NEAREST_INT)" if precision == "f16" else f"exo_bf16s_{prefix}(src)"
    return f"exo_put{'_of_32' * (most > 16)}(&dst, {narrow}, {count})"


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
