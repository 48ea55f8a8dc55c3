"""Packed triangles as memories: where elements are, and that nothing else is accessed."""

from __future__ import annotations

import numpy as np
import pytest

from backends import jit
from backends.c import MemoryAccessError, compile
from examples.exo_blas.programs.storage import PACKED_LOWER, PACKED_UPPER, ROOM
from exo_strat import Memory, direct, proc_from_source

SUM = """
def total(n: size, a: [f32][n, n], s: f32):
    assert stride(a, 1) == 1
    for i in seq(0, n):
        for j in seq({}):
            s += a[i, j]
"""


def stored(columns: str, memory: Memory) -> str:
    p = proc_from_source(SUM.format(columns))
    matrix = next(a for a in p.args() if a.name() == "a")
    return compile([direct.set_memory(p, matrix, memory)]).text


def test_rows_follow_each_other_without_gaps() -> None:
    assert "a.data[i * (i + 1) / 2 + j]" in stored("0, i + 1", PACKED_LOWER)
    assert "a.data[i * (2 * a.strides[0] - 1 - i) / 2 + j]" in stored("i, n", PACKED_UPPER)


@pytest.mark.parametrize(
    "columns, memory", [("0, n", PACKED_LOWER), ("i, n", PACKED_LOWER), ("0, i + 1", PACKED_UPPER)]
)
def test_what_is_not_stored_is_not_accessed(columns: str, memory: Memory) -> None:
    with pytest.raises(MemoryAccessError, match="is not known"):
        stored(columns, memory)


def test_windows_have_no_names() -> None:
    source = """
def first(n: size, a: [f32][n, n] @ PACKED_LOWER, s: f32):
    for i in seq(0, n):
        w = a[i, 0:i + 1]
        s += w[0]
"""
    with pytest.raises(MemoryAccessError, match="access the buffer"):
        compile([proc_from_source(source, {"PACKED_LOWER": PACKED_LOWER})])


def test_a_window_on_several_rows_has_no_strides() -> None:
    source = """
@instr("take({a});")
def take(a: [f32][1, 1]):
    a[0, 0] = 0.0
"""
    take = proc_from_source(source)
    caller = """
def p(n: size, a: [f32][n, n] @ PACKED_LOWER):
    take(a[0:1, 0:1])
"""
    with pytest.raises((MemoryAccessError, ValueError), match="not equally far apart"):
        compile([proc_from_source(caller, {"PACKED_LOWER": PACKED_LOWER, "take": take})])


def test_a_copy_of_a_few_elements_is_on_the_stack() -> None:
    source = """
def sum_of(n: size, x: [f32][n], s: f32):
    u: f32[n] @ ROOM
    for i in seq(0, n):
        u[i] = x[i]
    for i in seq(0, n):
        s += u[i]
"""
    sum_of = proc_from_source(source, {"ROOM": ROOM})
    text = compile([sum_of]).text
    assert "float exo_few_u[512], *u = exo_times(sizeof(float), n) <= sizeof exo_few_u ? exo_few_u : exo_alloc(" in text
    assert "if (u != exo_few_u) exo_free(u);" in text
    for n in (1, 512, 513, 5000):
        total = np.zeros((), np.float32)
        jit(sum_of)(n, np.ones(n, np.float32), total)
        assert total == n
