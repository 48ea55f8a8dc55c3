"""Indices from buffers in C, and what Python and C callers owe."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from backends import c
from backends.c import BackendError, RangeError
from backends.jit import jit
from exo_strat import Proc, at, parallelize_loop, proc_from_source, schedule
from exo_strat.interp import run

PRODUCT = """
def product(n: size, m: size, nnz: size, ptr: i32[n + 1], col: i32[nnz], v: f32[nnz], x: f32[m], y: f32[n]):
    assert within(ptr, 0, nnz + 1) and rising(ptr)
    assert within(col, 0, m)
    for i in seq(0, n):
        y[i] = 0.0
        for k in seq(ptr[i], ptr[i + 1]):
            y[i] += v[k] * x[col[k]]
"""
SCATTER = """
def scatter(n: size, m: size, idx: [i32][n], x: f32[n], y: f32[m]):
    assert within(idx, 0, m) and distinct(idx)
    assert idx[0] == 1
    for i in seq(0, n):
        y[idx[i]] = x[i]
"""


def ints(*numbers: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(numbers, np.int32)


def floats(*numbers: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(numbers, np.float32)


@pytest.mark.parametrize("parallel", [False, True])
def test_a_sparse_product_is_the_dense_one(parallel: bool) -> None:
    p = proc_from_source(PRODUCT)
    f = jit(schedule(at("for i in _: _", parallelize_loop()), p) if parallel else p)
    dense = np.array([[0, 2, 0], [0, 0, 0], [1, 0, 3], [0, 4, 0]], np.float32)
    row, col = np.nonzero(dense)
    ptr, y = np.searchsorted(row, np.arange(5)).astype(np.int32), np.empty(4, np.float32)
    f(4, 3, 4, ptr, col.astype(np.int32), dense[row, col], floats(1, 2, 3), y)
    assert (y == dense @ floats(1, 2, 3)).all()


@pytest.mark.parametrize(
    "ptr, col, message",
    [
        (ints(0, 2, 1, 3), ints(0, 1, 0), r"rising\(ptr\): ptr\[1\] = 2, ptr\[2\] = 1"),
        (ints(0, 2, 2, 4), ints(0, 1, 0), r"within\(ptr, 0, nnz \+ 1\): ptr\[3\] = 4"),
        (ints(0, 2, 2, 3), ints(0, 2, 0), r"within\(col, 0, m\): col\[1\] = 2"),
        (ints(0, 2, 2, 3), ints(0, 1, -1), r"within\(col, 0, m\): col\[2\] = -1"),
    ],
)
def test_python_is_told_which_element_is_wrong(ptr: object, col: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        jit(proc_from_source(PRODUCT))(3, 2, 3, ptr, col, floats(1, 2, 3), floats(1, 1), floats(0, 0, 0))


def test_data_is_looked_at_at_each_call() -> None:
    f, idx, y = jit(proc_from_source(SCATTER)), ints(1, 0, 7, 7, 2, 2)[::2], floats(0, 0, 0)
    idx[:] = 1, 0, 2
    call = f.bind(3, 3, idx, floats(5, 6, 7), y)
    call()
    assert y.tolist() == [6, 5, 7]
    idx[2] = 0
    for again in (call, lambda: f(3, 3, idx, floats(5, 6, 7), y)):
        with pytest.raises(ValueError, match=r"distinct\(idx\): idx\[1\] = 0, idx\[2\] = 0"):
            again()
    idx[:] = 0, 1, 2
    with pytest.raises(ValueError, match=r"== 1: idx\[0\] = 0"):
        call()


def test_a_bound_is_read_once() -> None:
    p = proc_from_source("def foo(k: u8, x: f32[256]):\n    for i in seq(0, k):\n        k = 9.0\n        x[k] += 1.0")
    k, x = np.array([3], np.uint8), np.zeros(256, np.float32)
    jit(p)(k, x)
    assert x[9] == x.sum() == 3


def test_elements_that_are_written_count() -> None:
    text = "def count(n: size, m: size, b: i32[n], h: f32[m]):\n    for i in seq(0, n):\n        b[i] -= 1.0\n"
    p = proc_from_source(text + "        h[min(max(b[i], 0), m - 1)] += 1.0")
    b, h = ints(-3, 1, 2, 9), np.zeros(3, np.float32)
    jit(p)(4, 3, b, h)
    assert h.tolist() == [2, 1, 1] and b.tolist() == [-4, 0, 1, 8]


def test_indices_that_64_bits_may_not_hold_are_refused() -> None:
    text = "def foo(n: size, idx: u64[n], x: f32[n]):\n    assert within(idx, 0, n)\n    x[idx[0]] = 0.0"
    jit(proc_from_source(text))
    with pytest.raises((RangeError, BackendError)):
        c.compile([proc_from_source(text.replace("within(idx, 0, n)", "0 <= idx[0] and idx[0] < n"))])


MAIN = """
#include <stdio.h>
#include "m.h"
int main(void) {
    float x[3] = {0};
    const int32_t good[] = {0, 2, 2, 3}, falls[] = {0, 2, 1, 3}, far[] = {0, 2, 2, 4};
    const int32_t col[] = {1, 0, 1}, out[] = {1, 0, 2};
    printf("%d%d%d%d%d", product_admits(3, 2, 3, good, col, x, x, x), product_admits(3, 2, 3, falls, col, x, x, x),
           product_admits(3, 2, 3, far, col, x, x, x), product_admits(3, 2, 3, good, out, x, x, x),
           product_admits(0, 2, 3, good, col, x, x, x));
    int32_t idx[] = {1, 9, 0, 9, 2, 9};
    struct exo_win_1i32c w = {idx, {2}};
    printf("%d", scatter_admits(3, 3, w, x, x));
    idx[4] = 0;
    printf("%d", scatter_admits(3, 3, w, x, x));
    idx[0] = 2;
    printf("%d\\n", scatter_admits(3, 3, w, x, x));
}
"""


def test_c_asks_whether_arguments_are_admitted(tmp_path: Path) -> None:
    module = c.compile([proc_from_source(PRODUCT), proc_from_source(SCATTER)], "m")
    struct = next(line.split()[1] for line in module.header.splitlines() if line.startswith("struct exo_win"))
    (tmp_path / "m.h").write_text(module.header)
    (tmp_path / "m.c").write_text(module.source)
    (tmp_path / "main.c").write_text(MAIN.replace("exo_win_1i32c", struct))
    program = tmp_path / "main"
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-fsanitize=address,undefined"]
    subprocess.run(["cc", *flags, "main.c", "m.c", "-o", program], cwd=tmp_path, check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "10000" + "100\n"


NAMES = """
#include <stdio.h>
#include "m.h"
int main(void) {
    float x[4] = {0};
    const int32_t same[] = {1, 1}, apart[] = {1, 0}, far[] = {0, 99, 1, 99};
    printf("%d%d", one_admits(2, same, x), one_admits(2, apart, x));
    printf("%d%d", two_admits(2, same, x), two_admits(2, apart, x));
    printf("%d%d", three_admits(2, far, x), three_admits(2, apart, x));
    struct exo_win_1i32c dense = {far, {1}}, sparse = {far, {2}};
    printf("%d%d%d\\n", four_admits(2, dense, x), four_admits(2, sparse, x), four_admits(1, dense, x));
}
"""


def test_c_asks_whatever_the_arguments_are_called_and_where_they_are(tmp_path: Path) -> None:
    head = "(n: size, {0}: i32[n], x: f32[n]):\n    assert "
    texts = (
        "def one" + head.format("next") + "distinct(next)\n    x[0] = 1.0",
        "def two(values: size, idx: i32[values], x: f32[values]):\n    assert distinct(idx)\n    x[0] = 1.0",
        "def three" + head.format("i0") + "within(i0, 0, n)\n    x[0] = 1.0",
        "def four(n: size, idx: [i32][n], x: f32[n]):\n    assert stride(idx, 0) == 1\n    assert within(idx, 0, n)\n"
        "    x[idx[0]] = 1.0",
    )
    module = c.compile([proc_from_source(t) for t in texts], "m")
    (tmp_path / "m.h").write_text(module.header)
    (tmp_path / "m.c").write_text(module.source)
    (tmp_path / "main.c").write_text(NAMES)
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-fsanitize=address,undefined"]
    subprocess.run(["cc", *flags, "main.c", "m.c", "-o", tmp_path / "main"], cwd=tmp_path, check=True)
    out = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout
    assert out == "01" + "01" + "01" + "001" + "\n"


@pytest.mark.parametrize(
    "assertion, idx, broken",
    [
        ("n <= 3 or index(idx[3]) < 5", (0, 1), None),
        ("n <= 3 or index(idx[3]) < 5", (0, 1, 2, 7), r"n = 4, idx\[3\] = 7$"),
        ("not (n > 3 and index(idx[3]) > 5)", (0, 1), None),
        ("not (n > 3 and index(idx[3]) > 5)", (0, 1, 2, 9), r"n = 4, idx\[3\] = 9$"),
        ("n < 4 or index(idx[n - 4]) == 0", (1, 7, 9), None),
        ("n > 2 and index(idx[2]) < 3", (0, 1), "n > 2: n = 2$"),
        ("n > 2 and index(idx[2]) < 3", (0, 1, 3), r"< 3: idx\[2\] = 3$"),
        ("n > 1 and (index(idx[0]) < 3 or n > 2)", (4, 1), r"idx\[0\] = 4, n = 2$"),
    ],
)
def test_an_assertion_looks_no_further_than_it_has_to(assertion: str, idx: tuple[int, ...], broken: str | None) -> None:
    p = proc_from_source(f"def foo(n: size, idx: i32[n], y: f32[n]):\n    assert {assertion}\n    y[0] = 1.0")
    y = np.zeros(len(idx), np.float32)
    assert (run(p, {"n": len(idx), "idx": list(idx), "y": [0] * len(idx)}).trap is None) == (broken is None)
    if broken is None:
        jit(p)(len(idx), ints(*idx), y)
        assert y[0] == 1.0
    else:
        with pytest.raises(ValueError, match=broken):
            jit(p)(len(idx), ints(*idx), y)


def test_the_header_names_it() -> None:
    header = c.compile([proc_from_source(PRODUCT)], "m").header
    assert "// requires within(ptr, 0, nnz + 1) and rising(ptr)" in header and "bool product_admits(" in header
    other: Proc = proc_from_source(PRODUCT.replace("def product", "def product_admits"))
    with pytest.raises(BackendError, match="rename the procedure"):
        c.compile([proc_from_source(PRODUCT), other], "m")


def test_a_condition_on_an_element_as_an_index() -> None:
    p = proc_from_source("""
def p(n: size, idx: u8[n], x: f32[256], r: f32):
    for i in seq(0, n):
        if idx[i] < n:
            r += x[idx[i]]
""")
    r = np.array(0, np.float32)
    jit(p)(3, np.array([0, 200, 2], np.uint8), np.arange(256, dtype=np.float32), r)
    assert r == 2.0
