"""Generated C computes what the object code says."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pyrsistent import pmap

from backends import jit
from backends.c import compile
from exo_strat import Config, Control, Proc, Scalar, f32

Code = Callable[..., Proc]


def f32s(*shape: int, start: float = 0.0) -> np.ndarray:
    return (np.arange(np.prod(shape)) + start).astype(np.float32).reshape(shape)


def test_a_window_of_a_window_is_the_right_part(code: Code) -> None:
    p = code("""
    def p(x: f32[6, 8], y: f32[3]):
        rows = x[1:5, 2:8]
        column = rows[0:3, 4]
        for i in seq(0, 3):
            y[i] = column[i]
            column[i] = 0.0
    """)
    x, y = f32s(6, 8), f32s(3)
    want = x[1:4, 6].copy()
    jit(p)(x, y)
    assert np.array_equal(y, want) and not x[1:4, 6].any() and x[1, 5] == 13


def test_a_window_is_passed_to_a_procedure_that_reads_it_and_to_one_that_writes_it(code: Code) -> None:
    total = code("""
    def total(n: size, x: [f32][n], r: f32):
        for i in seq(0, n):
            r += x[i]
    """)
    clear = code("""
    def clear(n: size, x: [f32][n]):
        for i in seq(0, n):
            x[i] = 0.0
    """)
    p = code(
        """
    def p(n: size, x: [f32][n, n], r: f32[2]):
        r[1] = 0.0
        w = x[0:n, 0]
        total(n, w[0:n], r[1])
        total(n, x[0, 0:n], r[1])
        clear(n, x[0:n, 0])
    """,
        total=total,
        clear=clear,
    )
    big, r = f32s(8, 8), f32s(2)
    x = big[::2, ::-2]
    want = x[:, 0].sum() + x[0].sum()
    jit(p)(4, x, r)
    assert r[1] == want and not x[:, 0].any() and big[1].all()


def test_names_that_c_keeps_for_itself(code: Code) -> None:
    p = code("""
    def axpy(int_: size, double: f32, restrict: f32[int_], exo_alloc: f32[int_]):
        for float in seq(0, int_):
            free: f32
            free = restrict[float]
            axpy: f32
            axpy = double * free
            exo_alloc[float] += axpy
    """)
    x, y = f32s(5), f32s(5)
    jit(p)(5, 2.0, x, y)
    assert np.array_equal(y, 3 * x)


def test_an_inner_variable_never_hides_an_outer_one(code: Code) -> None:
    p = code("""
    def p(y: f32[4]):
        for i in seq(0, 2):
            for i_1 in seq(0, 1):
                t: f32[2]
                for j in seq(0, 2):
                    t[j] = 1.0
                y[2 * i + i_1] = t[0]
            for i_1 in seq(0, 1):
                y[2 * i + i_1 + 1] = 2.0
    """)
    y = f32s(4)
    jit(p)(y)
    assert y.tolist() == [1, 2, 1, 2]


def test_division_is_floor_division_also_below_zero(code: Code) -> None:
    p = code("""
    def p(y: i32[21, 2]):
        for i in seq(-10, 11):
            for q in seq(-4, 5):
                if i / 3 == q:
                    y[i + 10, 0] = 1.0
                    for k in seq(0, q + 4):
                        y[i + 10, 0] += 1.0
            for r in seq(0, 3):
                if i % 3 == r:
                    y[i + 10, 1] = 0.0
                    for k in seq(0, r):
                        y[i + 10, 1] += 1.0
    """)
    y = np.zeros((21, 2), np.int32)
    jit(p)(y)
    n = np.arange(-10, 11)
    assert np.array_equal(y[:, 0] - 5, n // 3) and np.array_equal(y[:, 1], n % 3)
    assert "exo_floor_div(i, 3)" in compile([p]).source


def test_division_of_what_is_never_negative_is_plain(code: Code) -> None:
    p = code("""
    def p(n: size, x: f32[n]):
        for i in seq(0, n):
            x[(n - 1 - i) / 2] = x[i % 4 / 4]
    """)
    assert "exo_floor" not in compile([p]).source


def test_data_is_divided_as_real_numbers(code: Code) -> None:
    p = code("""
    def p(y: f64[2], z: f32[1]):
        y[0] = 3.0 / 2.0
        y[1] = y[0] / 2.0
        z[0] = 1.0 / 3.0
    """)
    y, z = np.zeros(2), f32s(1)
    jit(p)(y, z)
    assert y.tolist() == [1.5, 0.75] and z[0] == np.float32(1) / np.float32(3)


def test_assignment_converts_between_precisions(code: Code) -> None:
    p = code("""
    def p(n: size, x: f32[n], y: f32[n], r: f64):
        r = 0.0
        for i in seq(0, n):
            a: f64
            b: f64
            a = x[i]
            b = y[i]
            r += a * b
    """)
    x = (1 + f32s(100) / 7).astype(np.float32)
    r = np.zeros(())
    jit(p)(100, x, x, r)
    assert abs(float(r) - float(np.dot(x.astype(float), x.astype(float)))) < 1e-9


@pytest.mark.parametrize("memory", ["DRAM", "DRAM_STACK", "DRAM_STATIC"])
def test_a_buffer_lives_until_its_last_alias_is_used(code: Code, memory: str) -> None:
    p = code(f"""
    def p(y: f32[64]):
        t: f32[64] @ {memory}
        w = t[1:64]
        for i in seq(0, 64):
            t[i] = 3.0
        for i in seq(0, 63):
            y[i] = w[i]
        y[63] = w[62]
    """)
    y = f32s(64)
    jit(p)(y)
    assert (y == 3).all()


@pytest.mark.parametrize("mode", ["par", "vec"])
def test_parallel_loops_run(code: Code, mode: str) -> None:
    p = code(f"""
    def p(n: size, x: f32[n], y: f32[n]):
        for i in {mode}(0, n):
            t: f32[4] @ DRAM_STATIC
            for j in seq(0, 4):
                t[j] = x[i]
            y[i] = t[0] + t[3]
    """)
    x, y = f32s(1000), f32s(1000)
    f = jit(p)
    f(1000, x, y)
    assert np.array_equal(y, 2 * x)
    assert f.module.parallel == (mode == "par")


def test_externs_evaluate_their_arguments_at_the_right_precision(code: Code) -> None:
    p = code("""
    def p(n: size, x: f32[n], y: f32[n], z: f64[n]):
        for i in seq(0, n):
            y[i] = sqrt(relu(x[i]) + abs(x[i])) + select(x[i], 0.0, 1.0, 2.0)
            z[i] = sin(z[i]) * fmax(z[i], 0.25)
    """)
    x, y, z = f32s(9, start=-4), f32s(9), np.linspace(0, 1, 9)
    want_y = np.sqrt(np.maximum(x, 0) + np.abs(x)) + np.where(x < 0, np.float32(1), np.float32(2))
    want_z = np.sin(z) * np.maximum(z, 0.25)
    f = jit(p)
    f(9, x, y, z)
    assert np.allclose(y, want_y) and np.allclose(z, want_z, rtol=1e-15)
    assert "sqrtf(a0)" in f.module.source and "sin(a0)" in f.module.source


def test_the_absolute_value_of_a_negative_zero_is_zero(code: Code) -> None:
    x, k = np.array([-0.0, -2.0, 3.0, 0.0], np.float32), np.array([-7, 0, 5, -128], np.int8)
    jit(code("""
    def p(x: f32[4], k: i8[4]):
        for i in seq(0, 4):
            x[i] = abs(x[i])
            if i < 3:
                k[i] = abs(k[i])
    """))(x, k)
    assert x.tolist() == [0, 2, 3, 0] and not np.signbit(x).any() and k.tolist() == [7, 0, 5, -128]


def test_config_state_outlives_a_call_and_bounds_are_read_once(code: Code) -> None:
    fields: dict[str, Scalar | Control] = {"scale": f32, "on": Control("bool"), "n": Control("index")}
    cfg = Config("Cfg", pmap(fields))
    p = code(
        """
    def p(x: f32[8], set: bool):
        if set:
            Cfg.scale = 2.0
            Cfg.on = True
            Cfg.n = 3
        for i in seq(0, Cfg.n):
            Cfg.n = 1
            if i < 8:
                if i >= 0:
                    if Cfg.on:
                        x[i] = Cfg.scale * x[i]
    """,
        Cfg=cfg,
    )
    x = f32s(8, start=1)
    f = jit(p)
    f(x, True)
    assert x.tolist() == [2, 4, 6, 4, 5, 6, 7, 8]
    f(x, False)
    assert x[:2].tolist() == [4, 4]


def test_two_versions_of_one_procedure_get_names_of_their_own(code: Code) -> None:
    one = code("""
    def f(x: f32):
        x = 1.0
    """)
    two = code("""
    def f(x: f32):
        x = 2.0
    """)
    p = code(
        """
    def p(x: f32[2]):
        first(x[0])
        second(x[1])
    """,
        first=one,
        second=two,
    )
    x = f32s(2)
    jit(p)(x)
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize("dtype", ["f16", "f64", "i8", "u16", "i64"])
def test_every_precision(code: Code, dtype: str) -> None:
    p = code(f"""
    def p(n: size, a: {dtype}, x: {dtype}[n]):
        for i in seq(0, n):
            x[i] = a * x[i] + 2.0
    """)
    t = {"f16": np.float16, "f64": np.float64, "i8": np.int8, "u16": np.uint16, "i64": np.int64}[dtype]
    x = np.arange(5).astype(t)
    jit(p)(5, 3, x)
    assert x.tolist() == [2, 5, 8, 11, 14]


def test_the_module_is_the_same_every_time_and_compiles_without_warnings(code: Code, tmp_path: Path) -> None:
    inner = code("""
    def inner(n: size, x: [f32][n], y: f32[n]):
        assert stride(x, 0) == 1
        for i in seq(0, n):
            y[i] += relu(x[i])
    """)
    p = code(
        """
    def p(n: size, x: f32[n, 2 * n], y: f32[n]):
        assert n % 4 == 0
        t: f32[n]
        for i in seq(0, n):
            t[i] = 0.5
        inner(n, x[n / 2, n:2 * n], t)
        for i in seq(0, n):
            y[i] = t[i]
    """,
        inner=inner,
    )
    module = compile([p], "demo")
    assert module == compile([p], "demo")
    assert "static void inner(" in module.source and "inner" not in module.header
    assert "requires n % 4 == 0" in module.header
    assert "void p(int64_t n, const float *restrict x, float *restrict y) {" in module.source
    (tmp_path / "demo.h").write_text(module.header)
    (tmp_path / "demo.c").write_text(module.source)
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "demo.c", "-o", "demo.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
