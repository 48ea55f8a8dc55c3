"""Products by sums along vectors: `in_lanes` on tiles of AVX2. The doctest of `optimize_dots` has its kernels."""

from __future__ import annotations

import pytest

from backends.x86_avx2 import AVX2_MACHINE
from exo_strat import Proc, partial_eval, proc_from_source, schedule
from strategies.blas.dots import in_lanes

PRODUCT = """
def foo(m: size, n: size, k: size, a: [f32][m, k], b: [f32][k, n], c: [f32][m, n]):
    assert stride(a, 1) == 1
    assert stride(b, 0) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            t: f32
            t = 0.0
            for p in seq(0, k):
                t += a[i, p] * b[p, j]
            c[i, j] += t
"""


@pytest.fixture
def foo() -> Proc:
    return proc_from_source(PRODUCT)


def test_what_is_read_is_shared_by_the_sums_of_a_tile(foo: Proc) -> None:
    tile = schedule(partial_eval(m=2, n=2), foo)
    text = str(schedule(in_lanes(AVX2_MACHINE, "f32", 2), tile))
    whole, _, rest = text.partition("if 0 < k % 8:")
    for part, load in ((whole, "mm256_loadu_ps("), (rest, "mm256_maskz_loadu_ps(")):
        assert part.count(load) == 4
        assert part.count("fmadd_ps(") == 4
    assert rest.count("mm256_reduce_add_ps(") == 4
