"""The product of a sparse matrix and a vector: rows in parallel, each sum in a scalar, by primitives alone.

The columns of row i and their values stand at places ptr[i] to ptr[i + 1] - 1 of `col` and `v`. What the procedure
asserts of these buffers is what makes the rewrites right, and what is checked at each call.
"""

from __future__ import annotations

import numpy as np

from backends.jit import jit
from exo_strat import *

ROWS = hole("rows", (16, 64, 256), default=64)
"""How many rows a thread takes at once: for a search to choose."""


@proc
def product(n: size, m: size, nnz: size, ptr: i32[n + 1], col: i32[nnz], v: f32[nnz], x: f32[m], y: f32[n]):
    assert within(ptr, 0, nnz + 1) and rising(ptr)
    assert within(col, 0, m)
    for i in seq(0, n):
        y[i] = 0.0
        for k in seq(ptr[i], ptr[i + 1]):
            y[i] += v[k] * x[col[k]]


sums_in_scalars = at("y[_] = _\nfor k in _: _", stage_mem("y[i]", "sum"))
rows_in_parallel = at("for i in _: _", divide_loop(ROWS, ("io", "ii"), tail="guard")) >> at(
    "for io in _: _", parallelize_loop()
)
fast = schedule(sums_in_scalars >> rows_in_parallel, product)


def main() -> None:
    print(fast)
    random = np.random.default_rng(0)
    dense = np.where(random.random((1000, 800)) < 0.02, random.integers(-9, 10, (1000, 800)), 0).astype(np.float32)
    row, col = np.nonzero(dense)
    ptr = np.searchsorted(row, np.arange(1001)).astype(np.int32)
    v, col = dense[row, col], col.astype(np.int32)
    x, y = random.integers(-9, 10, 800).astype(np.float32), np.empty(1000, np.float32)
    f = jit(fast)
    f(1000, 800, len(v), ptr, col, v, x, y)
    print("same as the dense product:", bool(np.array_equal(y, dense @ x)))
    col[7] = 800
    try:
        f(1000, 800, len(v), ptr, col, v, x, y)
    except ValueError as e:
        print(e)


if __name__ == "__main__":
    main()
