"""A matrix product, scheduled step by step: tile, hold a tile of C in a register block, compile, check.

    python examples/matmul.py
"""

from __future__ import annotations

import numpy as np

from backends.jit import jit
from exo_strat import *


@proc
def matmul(M: size, N: size, K: size, A: f32[M, K], B: f32[K, N], C: f32[M, N]):
    assert M % 4 == 0
    assert N % 16 == 0
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += A[i, k] * B[k, j]


# Ops are values: name the steps, print them, put them together.
tile = seq(
    at("for i in _: _", divide_loop(4, ("io", "ii"), tail="perfect")),
    at("for j in _: _", divide_loop(16, ("jo", "ji"), tail="perfect")),
    at("for ii in _: _", reorder_loops()),  # io, jo, ii, ji, k
)
k_outside = seq(at("for ji in _: _", reorder_loops()), at("for ii in _: _", reorder_loops()))
hold_c = at("for k in _: _", stage_mem("C[4*io : 4*io+4, 16*jo : 16*jo+16]", "c"))
schedule_matmul = tile >> k_outside >> hold_c >> at("c: _", set_memory(DRAM_STACK)) >> simplify()

if __name__ == "__main__":
    print(schedule_matmul)
    fast = schedule(schedule_matmul, matmul)
    print(fast)
    for step in fast.history():
        print("#", step)

    rng = np.random.default_rng(0)
    a, b, c = (rng.random(shape, np.float32) for shape in ((8, 5), (5, 32), (8, 32)))
    expected = c + a @ b
    jit(fast)(8, 32, 5, a, b, c)
    assert np.allclose(c, expected)
    print("same as NumPy")
