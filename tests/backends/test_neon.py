"""Neon: every instruction and the strategies' kernels, as 64-bit Arm code in an emulator (`make soak`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from backends import available, jit, neon
from backends.bf16 import to_bf16
from backends.c import AllocationError, CModule, compile
from backends.native import UnsupportedTargetError
from backends.neon import F32, F64, I32, NEON, NEON_MACHINE
from backends.simd import Operation, instructions
from exo_strat import Machine, Proc, at, proc_from_source, schedule
from exo_strat.testing import WrongInstructionError, check_instructions
from exo_strat.testing.instructions import driver
from strategies import std
from strategies.axpy import schedule_axpy
from strategies.gemm import schedule_sgemm
from strategies.gemv import schedule_gemv, schedule_gemv_t
from strategies.mathlib import approximate_all

OnArm = Callable[..., Callable[..., None]]
Vector = np.ndarray[Any, Any]
DTYPES = {"f16": np.float16, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16}


@pytest.mark.cross
def test_every_instruction_does_what_its_body_says(on_arm: OnArm) -> None:
    assert sorted(check_instructions(NEON_MACHINE)) == sorted(p.name() for p in (*F32, *F64, *I32))


@pytest.mark.cross
def test_a_wrong_operand_order_is_found_in_the_emulator(on_arm: OnArm) -> None:
    row = Operation("fms", "a:V b:V c:V", "c[i] += -a[i] * b[i]", "c = fmsq(a, b, c)")
    (wrong,) = instructions(neon._registers("f32", "f32", 4, "#include <arm_neon.h>"), [row])
    table = tuple(wrong if p.name() == "neon_fms_f32" else p for p in F32)
    with pytest.raises(WrongInstructionError, match=r"^neon_fms_f32 does not do what its body says"):
        check_instructions(replace(NEON_MACHINE, instructions={"f32": table}))


@cache
def kernel(scheduled: Callable[[Machine], Proc]) -> Proc:
    return scheduled(NEON_MACHINE)


def matrix(*shape: int) -> Vector:
    return np.random.default_rng(shape).uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.cross
@pytest.mark.parametrize("n", [1, 3, 4, 15, 16, 83])
def test_axpy_on_arm(n: int, on_arm: OnArm) -> None:
    x, y = matrix(n), matrix(n + 1)[:n].copy()
    wanted = y + np.float32(0.75) * x
    on_arm(kernel(schedule_axpy))(n, 0.75, x, y)
    np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.cross
@pytest.mark.parametrize("n", [1, 2, 7, 8, 83])
def test_code_in_double_precision_on_arm(n: int, on_arm: OnArm) -> None:
    p = proc_from_source("""
def blend(n: size, a: f64, x: f64[n], y: f64[n]):
    for i in seq(0, n):
        y[i] = a * x[i] + fmax(-y[i], abs(x[i]))
""")
    fast = schedule(at("for i in _: _", std.vectorize_for(NEON_MACHINE, "f64")), p)
    assert "neon_fma_to_f64" in str(fast)
    x, y = matrix(n).astype(np.float64), matrix(n + 1)[:n].astype(np.float64)
    wanted = 0.75 * x + np.maximum(-y, abs(x))
    on_arm(fast)(n, 0.75, x, y)
    np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.cross
@pytest.mark.parametrize("narrow", ["f16", "bf16", "i8", "u8", "i16", "u16"])
def test_narrow_numbers_on_arm(narrow: str, on_arm: OnArm) -> None:
    """Products are added in f32; f16 and bf16 are rounded as scalar code does, what is no number included."""
    p = proc_from_source(f"""
def dot(n: size, x: {narrow}[n], y: {narrow}[n], s: f32[1]):
    for i in seq(0, n):
        s[0] += f32(x[i]) * f32(y[i])
""")
    fast, rng = schedule(at("for i in _: _", std.vectorize_for(NEON_MACHINE, "f32", strict=True)), p), matrix(8)
    x, y, s = (rng * 40).round(), np.abs(rng * 20).round(), np.array([1], np.float32)
    x = abs(x) if narrow[0] == "u" else x
    on_arm(fast)(8, *(to_bf16(v) if narrow == "bf16" else v.astype(DTYPES[narrow]) for v in (x, y)), s)
    assert s[0] == 1 + np.dot(x, y)
    if narrow in ("f16", "bf16"):
        p = proc_from_source(f"""
def narrow(n: size, x: f32[n], y: {narrow}[n]):
    for i in seq(0, n):
        y[i] = {narrow}(x[i])
""")
        fast = schedule(at("for i in _: _", std.vectorize_for(NEON_MACHINE, "f32", strict=True)), p)
        x = np.random.default_rng(5).integers(0, 2**32, 4096, np.uint32).view(np.float32)
        x[:6] = np.inf, -np.inf, np.nan, 1 + 2.0**-8, 1 + 3 * 2.0**-8, np.finfo(np.float32).max
        found, wanted = np.zeros(x.size, np.uint16), np.zeros(x.size, np.uint16)
        on_arm(fast)(x.size, x, found)
        on_arm(p)(x.size, x, wanted)
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.cross
@pytest.mark.parametrize(("m", "n"), [(1, 1), (8, 16), (9, 17), (3, 40), (35, 7)])
def test_gemv_on_arm(m: int, n: int, on_arm: OnArm) -> None:
    a, x, y = matrix(m, n), matrix(n), matrix(m)
    wanted, wanted_t = y + a @ x, x + a.T @ y
    on_arm(kernel(schedule_gemv))(m, n, a, x, (found := y.copy()))
    on_arm(kernel(schedule_gemv_t))(m, n, a, y, (found_t := x.copy()))
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found_t, wanted_t, rtol=1e-4, atol=1e-5)


@pytest.mark.cross
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (6, 16, 8), (13, 39, 21), (385, 23, 257)])
def test_sgemm_on_arm(m: int, n: int, k: int, on_arm: OnArm) -> None:
    a, b, c = matrix(m, k), matrix(k, n), matrix(m, n)
    wanted = c + a @ b
    on_arm(kernel(schedule_sgemm))(m, n, k, a, b, c)
    np.testing.assert_allclose(c, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.cross
@pytest.mark.parametrize(("name", "precision"), [("exp", "f32"), ("log", "f64"), ("sin", "f32"), ("tanh", "f64")])
def test_functions_on_arm(name: str, precision: str, on_arm: OnArm) -> None:
    p = proc_from_source(f"""
def f(n: size, x: {precision}[n], y: {precision}[n]):
    for i in seq(0, n):
        y[i] = {"expf" if name == "exp" else name}(x[i])
""")
    plan = std.vectorize_for(NEON_MACHINE, precision, strict=True)
    p = schedule(at("for i in _: _", plan), schedule(approximate_all(precision), p))
    x = np.random.default_rng(5).uniform(0.01, 20, 83).astype(np.float32 if precision == "f32" else np.float64)
    on_arm(p)(len(x), x, (found := np.empty_like(x)))
    wanted = getattr(np, name)(x.astype(np.float64))
    np.testing.assert_allclose(found, wanted, rtol=5e-7 if precision == "f32" else 1e-15, atol=0)


# -- without an emulator ------------------------------------------------------------------------------


def test_every_instruction_compiles(compiles_for_arm: Callable[[CModule], None]) -> None:
    compiles_for_arm(compile([driver(NEON_MACHINE, p) for p in (*F32, *F64, *I32)], "instructions"))


@pytest.mark.parametrize("scheduled", [schedule_axpy, schedule_gemv, schedule_gemv_t, schedule_sgemm])
def test_every_kernel_compiles(
    scheduled: Callable[[Machine], Proc], compiles_for_arm: Callable[[CModule], None]
) -> None:
    compiles_for_arm(compile([kernel(scheduled)], "kernel"))


def test_where_a_tool_is_missing_a_test_is_skipped_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(pytest.skip.Exception, match=r"gcc-aarch64-linux-gnu .* and qemu-user"):
        request.getfixturevalue("on_arm")


def test_lanes_are_not_masked() -> None:
    assert not NEON_MACHINE.supports_predication
    assert not any("mask" in p.name() or "n: size" in str(p) for p in (*F32, *F64, *I32))


def test_every_instruction_is_an_attribute_by_its_name() -> None:
    names = [p.name() for p in (*F32, *F64, *I32)]
    assert len(set(names)) == len(names)
    assert all(getattr(neon, name).name() == name for name in names)
    with pytest.raises(AttributeError, match="Neon has no instruction neon_fma_f16"):
        _ = neon.neon_fma_f16
    with pytest.raises(AttributeError, match="neon_fma_f32"):
        _ = neon.neon_fma


def test_a_register_has_four_lanes_of_f32() -> None:
    p = proc_from_source("def wide():\n    x: f32[8] @ NEON\n    pass\n", {"NEON": NEON})
    with pytest.raises(AllocationError, match="must be 4, the lanes of f32; it is `8`"):
        compile([p])


@pytest.mark.skipif(available(NEON_MACHINE), reason="this processor has Neon")
def test_another_processor_is_told_what_it_lacks() -> None:
    with pytest.raises(UnsupportedTargetError, match="asimd"):
        jit(kernel(schedule_axpy), NEON_MACHINE)
