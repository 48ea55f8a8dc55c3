"""Loops that compute at one precision on data of another: conversions are loads and stores of vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

from backends import available
from backends.bf16 import from_bf16, to_bf16
from backends.c import compile
from backends.jit import jit
from backends.targets import avx2, avx512, neon
from exo_strat import Machine, Op, Proc, at, explain, proc_from_source, schedule, trace
from strategies import std
from strategies.blas.level1 import optimize_level_1

Array: TypeAlias = "np.ndarray[Any, Any]"
Plan = Callable[[Machine, str], Op]
PLANS: dict[str, Plan] = {
    "vectorize": lambda machine, precision: std.vectorize_for(machine, precision, strict=True),
    "level 1": optimize_level_1,
}
DTYPES = {
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32,
}  # fmt: skip
SUMS = [
    ("f32", "f64", "loadu_cvtps_pd"),
    ("f16", "f32", "loadu_f16_ps"),
    ("bf16", "f32", "loadu_bf16_ps"),
    ("i8", "f32", "loadu_i8_ps"),
    ("u8", "f32", "loadu_u8_ps"),
    ("i16", "f32", "loadu_i16_ps"),
    ("u16", "f32", "loadu_u16_ps"),
    ("i8", "i32", "loadu_i8_epi32"),
    ("u8", "i32", "loadu_u8_epi32"),
    ("i16", "i32", "loadu_i16_epi32"),
    ("u16", "i32", "loadu_u16_epi32"),
]


def dot(narrow: str, wide: str) -> Proc:
    return proc_from_source(f"""
    def dot(n: size, x: {narrow}[n], y: {narrow}[n], s: {wide}):
        for i in seq(0, n):
            s += {wide}(x[i]) * {wide}(y[i])
    """)


def stored(x: Array, precision: str) -> Array:
    """Numbers as a kernel takes them."""
    return to_bf16(x) if precision == "bf16" else x.astype(DTYPES[precision])


def scheduled(plan: str, p: Proc, machine: Machine, precision: str) -> Proc:
    return schedule(at("for i in _: _", PLANS[plan](machine, precision)), p)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize(("narrow", "wide", "load"), SUMS)
def test_products_of_narrow_numbers_are_added_in_wide_ones(plan: str, narrow: str, wide: str, load: str) -> None:
    q = scheduled(plan, dot(narrow, wide), avx2, wide)
    assert f"mm256_{load}(" in str(q) and "for l in" not in str(q)
    if not available(avx2):
        pytest.skip("this processor has no AVX2")
    kernel, rng = jit(q, avx2), np.random.default_rng(7)
    for n in (1, 3, 7, 8, 9, 15, 31, 64, 257, 1000):
        x, y = (rng.integers(0, 16, n) for _ in "xy")
        s = np.full((), 5, DTYPES[wide])
        kernel(n, stored(x, narrow), stored(y, narrow), s)
        assert s == 5 + np.dot(x, y)


def test_integers_wrap_on_the_way_only() -> None:
    """The lanes' sums may be larger than the whole one, which fits."""
    if not available(avx2):
        pytest.skip("this processor has no AVX2")
    kernel = jit(scheduled("level 1", dot("i32", "i32"), avx2, "i32"), avx2)
    x = np.array([2**15, -(2**15)] * 40, np.int32)
    y, s = np.full(80, 2**15, np.int32), np.zeros((), np.int32)
    kernel(80, x, y, s)
    assert s == 0


def test_images_are_computed_in_integers() -> None:
    p = proc_from_source("""
    def brighten(n: size, k: i32, r: u8[n], g: u8[n], y: u8[n], z: i16[n]):
        for i in seq(0, n):
            v: i32
            v = 77 * i32(r[i]) + 179 * i32(g[i]) + k >> 8
            if v < 0:
                v = 0
            y[i] = v if v < 255 else 255
            z[i] = -300 if v > 255 else i32(g[i]) & 15
    """)
    q = schedule(at("for i in _: _", std.vectorize_for(avx2, "i32", tail="cut", strict=True)), p)
    assert all(f"mm256_{name}_epi32(" in str(q) for name in ("storeu_u8", "storeu_i16", "shr", "bitand", "select"))
    if not available(avx2):
        pytest.skip("this processor has no AVX2")
    kernel, rng = jit(q, avx2), np.random.default_rng(7)
    for n, k in ((1, 0), (23, -20000), (40, 20000)):
        r, g = (rng.integers(0, 256, n).astype(np.uint8) for _ in "rg")
        y, z = np.empty(n, np.uint8), np.empty(n, np.int16)
        kernel(n, k, r, g, y, z)
        v = 77 * r.astype(int) + 179 * g.astype(int) + k >> 8
        np.testing.assert_array_equal(y, np.clip(v, 0, 255))
        np.testing.assert_array_equal(z, np.where(v > 255, -300, g.astype(int) & 15))


@pytest.mark.parametrize("plan", PLANS)
def test_results_are_narrowed_as_they_are_stored(plan: str) -> None:
    p = proc_from_source("""
    def scale(n: size, a: f64, x: f32[n], y: f32[n]):
        for i in seq(0, n):
            y[i] = f32(a * f64(x[i]) + f64(y[i]))
    """)
    q = scheduled(plan, p, avx2, "f64")
    assert "mm256_storeu_cvtps_pd(" in str(q)
    half = proc_from_source("""
    def scale(n: size, a: f32, x: f16[n], y: f16[n]):
        for i in seq(0, n):
            y[i] = f16(a * f32(x[i]) + f32(y[i]))
    """)
    r = scheduled(plan, half, avx2, "f32")
    assert "mm256_storeu_f16_ps(" in str(r)
    if not available(avx2):
        pytest.skip("this processor has no AVX2")
    rng = np.random.default_rng(3)
    for n in (1, 4, 7, 8, 13, 100):
        for kernel, a, dtype in ((jit(q, avx2), 1.1, np.float32), (jit(r, avx2), 1.5, np.float16)):
            x, y = (rng.random(n).astype(dtype) for _ in "xy")
            wanted = a * x.astype(np.float64) + y.astype(np.float64)
            kernel(n, a, x, y)
            np.testing.assert_allclose(y.astype(np.float64), wanted, rtol=1e-3 if dtype is np.float16 else 1e-6)


@pytest.mark.parametrize("machine", [avx2, avx512], ids=str)
def test_bf16_is_rounded_as_in_scalar_code(machine: Machine) -> None:
    """To the nearest, of two to the even one; infinities and what is no number stay."""
    p = proc_from_source("""
    def narrow(n: size, x: f32[n], y: bf16[n]):
        for i in seq(0, n):
            y[i] = bf16(x[i])
    """)
    q = scheduled("vectorize", p, machine, "f32")
    assert "_storeu_bf16_ps(" in str(q)
    if not available(machine):
        pytest.skip(f"this processor has no {machine}")
    rng, kernel = np.random.default_rng(5), jit(q, machine)
    x = rng.integers(0, 2**32, 100_003, np.uint32).view(np.float32)
    x[:6] = np.inf, -np.inf, np.nan, 1 + 2.0**-8, 1 + 3 * 2.0**-8, np.finfo(np.float32).max
    wanted, found = np.zeros(x.size, np.uint16), np.zeros(x.size, np.uint16)
    jit(p)(x.size, x, wanted)
    kernel(x.size, x, found)
    np.testing.assert_array_equal(found, wanted)
    number = ~np.isnan(x)
    np.testing.assert_array_equal(from_bf16(found)[number], from_bf16(to_bf16(x[number])))


@pytest.mark.parametrize("machine", [avx512, neon], ids=str)
def test_other_machines_convert_too(machine: Machine) -> None:
    assert "loop" not in str(compile([scheduled("vectorize", dot("f32", "f64"), machine, "f64")], "m").source)
    for narrow, wide, load in SUMS:
        wanted = load if machine.name == "avx512" else f"neon_load_{narrow}_{wide.replace('i', 's')}"
        assert wanted in str(scheduled("vectorize", dot(narrow, wide), machine, wide))


def test_what_has_no_instruction_is_named() -> None:
    p = proc_from_source("""
    def logistic(n: size, x: f32[n], y: f32[n]):
        for i in seq(0, n):
            y[i] = sigmoid(x[i])
    """)
    with pytest.warns(std.NoInstructionWarning, match=r"no instruction computes .*sigmoid"):
        _, t = trace(at("for i in _: _", optimize_level_1(avx2, "f32")), p)
    (line,) = (x.strip() for x in explain(t).splitlines() if x.strip().startswith("no instruction computes"))
    assert line == "no instruction computes `v[ii] = sigmoid(v_1[ii])`"
