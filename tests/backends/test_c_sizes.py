"""Products and quotients by sizes in C: floors, and what may not overflow."""

from __future__ import annotations

import numpy as np
import pytest

from backends import c, jit
from exo_strat import direct, proc_from_source

FLOORS = proc_from_source("""
def floors(m: size, x: f32[8], y: f32[8]):
    for k in seq(-4, 4):
        x[k + 4] = f32(k / m)
        y[k + 4] = f32(k % m)
""")

ADD = proc_from_source("""
def add(n: size, m: size, x: f32[n, m], y: f32[n * m]):
    for i in seq(0, n):
        for j in seq(0, m):
            x[i, j] += y[m * i + j]
""")


def test_quotients_of_negative_numbers_are_floors() -> None:
    run = jit(FLOORS)
    for m in (1, 2, 3, 7, 10**6):
        x, y = np.zeros(8, np.float32), np.zeros(8, np.float32)
        run(m, x, y)
        assert list(x) == [k // m for k in range(-4, 4)] and list(y) == [k % m for k in range(-4, 4)]


def test_rows_and_columns_in_one_loop() -> None:
    one = direct.collapse_loops(ADD, "i j", "k")
    assert "k / m" in c.compile([one], "module").source  # k is not negative: C's own division will do
    for p in (one, direct.divide_loop(one, "k", 4, ["ko", "ki"], tail="cut"), direct.shift_loop(one, "k", -3)):
        x, y = np.ones((3, 5), np.float32), np.arange(15, dtype=np.float32)
        jit(p)(3, 5, x, y)
        assert np.array_equal(x.reshape(-1), y + 1)


def test_a_product_of_sizes_must_fit() -> None:
    one = direct.collapse_loops(ADD, "i j", "k")
    assert "requires |n|, |m| <= 2147483648: then no integer overflows" in c.compile([one], "module").header
    with pytest.raises(ValueError, match="n = 4294967296 is beyond 2147483648"):
        jit(one)(2**32, 1, np.zeros((3, 5), np.float32), np.zeros(15, np.float32))


def test_a_buffer_of_less_than_one_element_where_nothing_runs() -> None:
    p = proc_from_source("""
    def ends(n: size, x: f32[n]):
        if n > 3:
            t: f32[n - 3] @ DRAM_STACK
            t[0] = x[0]
            x[n - 1] = t[0]
    """)
    two = direct.partial_eval(p, n=2)
    assert "t: f32[2 - 3]" in str(two)
    x = np.array([1, 2], np.float32)
    jit(two)(x)
    assert list(x) == [1, 2]
