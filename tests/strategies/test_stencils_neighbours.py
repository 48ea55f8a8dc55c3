"""Loops that read an array at neighbouring places."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import available_targets, avx2
from exo_strat import ForCursor, Machine, Proc, at, proc_from_source, schedule
from exo_strat.testing import assert_equivalent
from strategies import std
from strategies.auto import auto
from strategies.stencils import neighbours, share_neighbours

VECTORS = [m for m in available_targets() if m.vec_widths]
FIVE = proc_from_source("""
def five(n: size, x: f32[n + 4], y: f32[n]):
    for i in seq(0, n):
        y[i] = x[i] + 2.0 * x[i + 1] + 3.0 * x[i + 2] + 2.0 * x[i + 3] + x[i + 4]
""")


def loop(p: Proc, name: str) -> ForCursor:
    found = p.find_loop(name)
    assert isinstance(found, ForCursor)
    return found


def shared(p: Proc, machine: Machine, vectors: int, precision: str = "f32") -> Proc:
    return schedule(at("for i in _: _", std.if_it_runs(share_neighbours(machine, precision, vectors))), p)


@pytest.mark.parametrize("machine", VECTORS, ids=str)
@pytest.mark.parametrize("vectors", [1, 2])
def test_each_vector_is_loaded_once(machine: Machine, vectors: int) -> None:
    q = shared(FIVE, machine, vectors)
    prefix = "mm256" if machine is avx2 else "mm512"
    whole = q.find_loop("io")
    assert len(whole.find_all(f"{prefix}_loadu_ps(_)")) == vectors
    assert len(whole.find_all(f"{prefix}_maskz_loadu_ps(_)")) == 1
    assert len(whole.find_all(f"{prefix}_joined_ps(_)")) == 4 * vectors
    assert_equivalent(FIVE, q)


@pytest.mark.parametrize("machine", VECTORS, ids=str)
@pytest.mark.parametrize("n", [1, 7, 16, 33, 100])
def test_nothing_beyond_the_array_is_read(machine: Machine, n: int) -> None:
    x, found, wanted = np.random.default_rng(n).random(n + 4).astype("f4"), *np.zeros((2, n), "f4")
    jit(FIVE)(n, x, wanted)
    jit(shared(FIVE, machine, 2), machine)(n, x, found)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_arrays_that_are_written_are_not_shared() -> None:
    p = proc_from_source("""
def steps(n: size, x: f32[2 * n + 2]):
    for i in seq(0, n):
        x[i] = x[i] + x[i + 1] + x[i + 2]
""")
    assert neighbours(loop(p, "i")) == ()
    failed = at("for i in _: _", share_neighbours(avx2, "f32", 1))(p).failure()
    assert "no array is read at 3 neighbouring places" in str(failed)


def test_two_places_are_too_few_and_rows_are_told_apart() -> None:
    p = proc_from_source("""
def cross(n: size, x: f32[3, n + 2], y: f32[n]):
    for i in seq(0, n):
        y[i] = x[0, i] + x[0, i + 2] + x[1, i] + x[1, i + 1] + x[1, i + 2] + x[2, i]
""")
    [row] = neighbours(loop(p, "i"))
    assert (str(row.index[0]), sorted(row.places)) == ("1", [0, 1, 2])
    q = shared(p, avx2, 2)
    assert len(q.find_all("mm256_joined_ps(_)")) == 4
    assert_equivalent(p, q)


def test_auto_has_the_rows_of_tiles_through_time_in_vectors() -> None:
    p = proc_from_source("""
def jacobi(steps: size, n: size, a: f64[n, n], b: f64[n, n]):
    for t in seq(0, steps):
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                b[i, j] = 0.2 * (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j])
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                a[i, j] = 0.2 * (b[i - 1, j] + b[i, j - 1] + b[i, j] + b[i, j + 1] + b[i + 1, j])
""")
    q = schedule(auto(avx2, "f64"), p)
    assert q.find_loop("to").find_all("mm256_joined_pd(_)")
    for n in (3, 20, 70):
        wanted, found = (np.random.default_rng(n).random((2, n, n)) for _ in range(2))
        jit(p)(5, n, *wanted)
        jit(q, avx2)(5, n, *found)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_a_sum_over_rows_is_no_sweep_over_time() -> None:
    p = proc_from_source("""
def columns(m: size, n: size, a: f64[m, n], q: f64[m], r: f64[n]):
    for i in seq(0, m):
        for j in seq(0, n):
            r[j] += q[i] * a[i, j]
""")
    assert [x.name() for x in schedule(auto(avx2, "f64"), p).body() if isinstance(x, ForCursor)] == ["io", "ii"]
