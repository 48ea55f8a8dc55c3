"""Amounts of work and data, compared with what runs do."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exo_strat import ForCursor, InvalidCursorError, Proc, proc_from_source
from exo_strat.interp import Array
from exo_strat.testing import samples
from exo_strat.testing.recording import record
from strategies.inspect import flops, footprint, intensity


def loop(p: Proc, name: str) -> ForCursor:
    found = p.find_loop(name)
    assert isinstance(found, ForCursor)
    return found


@pytest.fixture
def gemm() -> Proc:
    return proc_from_source("""
def gemm(m: size, n: size, k: size, a: f32[m, k], b: f32[k, n], c: f32[m, n]):
    for i in seq(0, m):
        for j in seq(0, n):
            for l in seq(0, k):
                c[i, j] += a[i, l] * b[l, j]
""")


def test_a_product_of_matrices(gemm: Proc) -> None:
    assert str(flops(gemm.root())) == "2 * m * n * k"
    assert str(footprint(gemm.root())) == "4 * m * n + 4 * m * k + 4 * n * k"
    assert intensity(gemm.root()).at(m=100, n=100, k=100) == Fraction(2 * 100**3, 12 * 100**2)
    assert str(footprint(loop(gemm, "l"), "a")) == "4 * k"
    assert flops(loop(gemm, "l")).at(k=7) == 14


def test_triangles_are_summed_exactly() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n, n], r: f32):
    for i in seq(0, n):
        for j in seq(i, n):
            for k in seq(0, j + 1):
                r += x[i, j]
""")
    for n in range(1, 7):
        assert flops(p.root()).at(n=n) == sum(j + 1 for i in range(n) for j in range(i, n))


def test_a_difference_is_one_operation() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        x[i] -= 2.0 * y[i]
        x[i] *= -y[i]
""")
    assert str(flops(p.root())) == "4 * n"


def test_tiles_and_calls() -> None:
    double = proc_from_source("""
def double(k: size, v: [f32][k]):
    for i in seq(0, k):
        v[i] = 2.0 * v[i]
""")
    p = proc_from_source(
        """
def foo(n: size, x: f32[8 * n]):
    for io in seq(0, (n + 1) / 2):
        for ii in seq(0, 2):
            if 2 * io + ii < n:
                double(8, x[16 * io + 8 * ii:16 * io + 8 * ii + 8])
""",
        {"double": double},
    )
    assert str(flops(p.root())) == "16 * ((n + 1) // 2)"
    assert flops(p.root()).at(n=5) == 48  # two of the tiles of the last iteration are guarded: counted as run
    assert str(footprint(p.root())) == "32 * n"


def test_of_two_branches_the_larger_one_counts() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n], flag: bool):
    for i in seq(0, n):
        if flag:
            x[i] = x[i] * x[i] + 1.0
        else:
            x[i] = -x[i]
""")
    assert str(flops(p.root())) == "2 * n"
    q = proc_from_source("""
def foo(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = x[i] * 2.0 + 1.0 if i > 0 else -x[i]
""")
    assert str(flops(q.root())) == "2 * n"


def test_what_is_no_polynomial() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n]):
    for i in seq(0, n):
        for j in seq(0, i / 2):
            x[i] += x[j]
""")
    assert str(flops(loop(p, "j"))) == "((i) // 2)"
    with pytest.raises(InvalidCursorError, match="no polynomial of i"):
        flops(p.root())


def test_the_footprint_of_dense_accesses_is_what_a_run_touches(gemm: Proc) -> None:
    for given in samples(gemm, limit=4):
        log = record(gemm.tree, given)
        sizes = {s.name: v for s, v in log.args.items() if isinstance(v, int)}
        touched = {(id(e.cells), e.at) for e in log.events}
        assert footprint(gemm.root()).at(**sizes) == 4 * len(touched)
        assert any(isinstance(v, Array) for v in log.args.values())


def test_the_loop_in_focus_is_counted_whole(gemm: Proc) -> None:
    i = loop(gemm, "i")
    assert isinstance(i, ForCursor)
    assert str(flops(i.body())) == "2 * n * k"


def test_a_loop_between_two_bounds_that_are_not_affine_is_no_loop_of_none() -> None:
    p = proc_from_source("def f(n: size, s: f32):\n    for j in seq(max(0, n - 2), min(n, 7)):\n        s += 1.0 * 2.0")
    with pytest.raises(InvalidCursorError, match="not affine"):
        flops(p.root())
