"""The body of a parallel loop is a function of its own, so that its pointers stay `restrict`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pyrsistent import pmap

from backends import jit
from backends.c import compile
from backends.x86_avx2 import AVX2, mm256_loadu_ps, mm256_storeu_ps
from exo_strat import Config, Control, Proc

Code = Callable[..., Proc]


def test_pointers_of_the_body_are_restrict_parameters(code: Code) -> None:
    p = code("""
    def p(n: size, on: bool, x: f32[n], y: [f32][n], z: f32[n]):
        t: f32[n]
        a: f32
        a = 2.0
        for i in seq(0, n):
            t[i] = x[i]
        for i in par(0, n):
            if on:
                z[i] = a * t[i] + y[i]
    """)
    made = compile([p]).source
    pointers = [f"float *restrict {name}" for name in "zat"]
    types = ["bool on", pointers[0], "int64_t i", *pointers[1:], "struct exo_win_1f32c y"]
    assert f"static void exo_par_p_i_body({', '.join(types)}) {{" in made
    assert "exo_par_p_i_body(on, z, i, a, t, y);" in made
    n, (x, y, z) = 7, np.random.default_rng(0).random((3, 7), np.float32)
    jit(p)(n, True, x, y, z)
    assert np.allclose(z, 2 * x + y)


def test_loops_in_loops_and_loops_of_one_name(code: Code) -> None:
    p = code("""
    def p(n: size, x: f32[n, n]):
        for i in par(0, n):
            for j in par(0, n):
                x[i, j] = 1.0
        for i in par(0, n):
            x[i, i] += 1.0
    """)
    lines = compile([p]).source.splitlines()
    names = [line.split("(")[0].split()[-1] for line in lines if line.startswith("static void")]
    assert names == ["exo_par_p_j_body", "exo_par_p_i_body", "exo_par_p_i_1_body"]
    x = np.zeros((3, 3), np.float32)
    jit(p)(3, x)
    assert np.array_equal(x, 1 + np.eye(3))


def test_two_ways_to_one_buffer_stay_in_the_function(code: Code) -> None:
    """A window and its buffer as two `restrict` parameters would let the C compiler mix up reads and writes."""
    p = code("""
    def p(x: f32[2, 8]):
        row = x[0, 0:8]
        for i in par(0, 8):
            x[1, i] = row[i]
            row[i] = x[1, i] + 1.0
    """)
    assert "exo_par" not in compile([p]).source
    x = np.arange(16, dtype=np.float32).reshape(2, 8)
    jit(p)(x)
    assert np.array_equal(x, [np.arange(8) + 1, np.arange(8)])


def test_registers_stay_in_the_function(code: Code) -> None:
    p = code(
        """
    def p(n: size, x: f32[8], y: f32[n, 8]):
        v: f32[8] @ AVX2
        mm256_loadu_ps(v[0:8], x[0:8])
        for i in par(0, n):
            mm256_storeu_ps(y[i, 0:8], v[0:8])
    """,
        AVX2=AVX2,
        mm256_loadu_ps=mm256_loadu_ps,
        mm256_storeu_ps=mm256_storeu_ps,
    )
    assert "exo_par" not in compile([p]).source


def test_constants_of_config_state_are_passed(code: Code) -> None:
    state = Config("State", pmap({"n": Control("size")}))
    p = code(
        """
    def p(y: f32[2]):
        t: f32[2, State.n % 4 + 1]
        for i in par(0, 2):
            t[i, 0] = 1.0
            y[i] = t[i, 0]
    """,
        State=state,
    )
    assert "int64_t t_dim1" in compile([p]).source
