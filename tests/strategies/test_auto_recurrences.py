"""Rows whose elements wait for each other, and what `auto` makes of sweeps."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import avx2, avx512
from exo_strat import ForCursor, IfCursor, Machine, Proc, at, proc_from_source, schedule, space
from exo_strat.testing import assert_equivalent
from strategies.auto import auto, rows_in_turns
from strategies.inspect import nest_shape

FILTER = proc_from_source("""
def both_ways(m: size, n: size, a: f64, x: f64[m, n], y: f64[m, n], z: f64[m, n], s: f64[m, n]):
    for i in seq(0, m):
        y[i, 0] = x[i, 0]
        for j in seq(1, n):
            y[i, j] = x[i, j] + a * y[i, j - 1]
    for i in seq(0, m):
        z[i, n - 1] = x[i, n - 1]
        for j in seq(n - 2, -1, -1):
            z[i, j] = x[i, j] + a * z[i, j + 1]
    for i in seq(0, m):
        for j in seq(0, n):
            s[i, j] = y[i, j] + z[i, j]
""")


def test_rows_of_recurrences_are_taken_together_with_what_comes_next() -> None:
    q = schedule(at("for i in _: _", rows_in_turns(avx2, "f64", 2)), FILTER)
    assert [s.name() for s in q.body()] == ["io", "ii"]
    loops = [str(nest_shape(s)) for s in q.body()[0].body() if isinstance(s, ForCursor)]
    assert loops[:2] == ["seq 1:n > [y =; y =]", "seq n - 1 > [z =; z =]"]
    assert_equivalent(FILTER, q)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (5, 3), (8, 20)])
def test_auto_takes_them_so(m: int, n: int) -> None:
    q = schedule(auto(avx2, "f64"), FILTER)
    x = np.random.default_rng(m).random((m, n))
    wanted, found = ([x.copy() for _ in range(4)] for _ in range(2))
    jit(FILTER)(m, n, 0.5, *wanted)
    jit(q, avx2)(m, n, 0.5, *found)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def rows(value: str) -> Proc:
    return proc_from_source(f"""
def rows(m: size, n: size, x: f64[m + 1, n]):
    for i in seq(1, m):
        for j in seq(1, n):
            x[i, j] = {value}
""")


def test_rows_that_need_each_other_do_not_take_turns() -> None:
    failed = at("for i in _: _", rows_in_turns(avx2, "f64", 4))(rows("x[i, j - 1] + x[i - 1, j]"))
    assert "x[i, j] = x[i, j - 1]" not in str(failed)  # a row later by a column: jamming is right
    none = at("for i in _: _", rows_in_turns(avx2, "f64", 4))(rows("2.0 * x[i, j]"))
    assert none.failure().message == "no element waits for the one before in its row"


def test_numbers_given_for_each_step_do_not_hide_a_sweep_over_time() -> None:
    p = proc_from_source("""
def driven(T: size, n: size, x: f64[n, n], f: f64[T]):
    for t in seq(0, T):
        for j in seq(0, n):
            x[0, j] = f[t]
        for i in seq(1, n):
            for j in seq(0, n):
                x[i, j] = 0.5 * (x[i - 1, j] + x[i, j])
""")
    q = schedule(auto(avx2, "f64"), p)
    [choice] = q.body()
    assert isinstance(choice, IfCursor)
    tiles = choice.orelse()[0]
    assert isinstance(tiles, ForCursor) and tiles.name() == "to"


@pytest.mark.parametrize("n", [1, 4, 19, 40])
def test_what_is_taken_from_the_last_element_to_the_first_is_in_vectors(n: int) -> None:
    p = proc_from_source("""
def turned(n: size, s: f64, x: f64[n], y: f64[n], z: f64[n]):
    for i in seq(0, n):
        s += x[n - 1 - i] * y[i]
    for i in seq(0, n):
        z[i] = y[i] + x[n - 1 - i]
""")
    q = schedule(auto(avx2, "f64"), p)
    assert q.root().find_all("mm256_loadr_pd(_)") and q.root().find_all("mm256_maskz_loadr_pd(_)")
    x, y, z = np.random.default_rng(n).random((3, n))
    s = np.zeros(1)
    jit(q, avx2)(n, s, x, y, z)
    np.testing.assert_allclose(z, y + x[::-1], rtol=1e-12)
    np.testing.assert_allclose(s, [x[::-1] @ y], rtol=1e-12)


def averaged(others: str = "") -> Proc:
    return proc_from_source(f"""
def averaged(steps: size, n: size, x: f64[n], y: f64[n], z: f64[n]):
    for t in seq(0, steps):
        for i in seq(1, n - 1):
            y[i] = x[i - 1] + x[i] + x[i + 1]{others}
        for i in seq(1, n - 1):
            x[i] = y[i - 1] + y[i] + y[i + 1]{others}
""")


@pytest.mark.parametrize(
    ("machine", "others", "shared"),
    [
        (avx2, "", False),  # half of the loads that would be spared take one line
        (avx2, " + z[i]", True),
        (avx512, "", True),  # each of them takes two
    ],
    ids=str,
)
def test_neighbours_share_vectors_where_that_spares_loads(machine: Machine, others: str, shared: bool) -> None:
    assert ("joined" in str(schedule(auto(machine, "f64"), averaged(others)))) == shared


@pytest.mark.parametrize(("rows", "shared"), [(1, True), (3, False)])
def test_neighbours_share_no_vectors_where_registers_are_too_few(rows: int, shared: bool) -> None:
    """Three rows of a filter take six registers beside those of its nine numbers."""
    p = proc_from_source(f"""
def filtered(h: size, w: size, k: f32[{rows}, 3], x: f32[h + 2, w + 2], y: f32[h, w]):
    for i in seq(0, h):
        for j in seq(0, w):
            y[i, j] = 0.0
            for di in seq(0, {rows}):
                for dj in seq(0, 3):
                    y[i, j] += k[di, dj] * x[i + di, j + dj]
    """)
    plan = auto(avx2, "f32")
    [choice] = [c for c in space(plan, p).choices if c.name.endswith("neighbours")]
    assert (choice.default != 0) == shared
    assert ("joined" in str(schedule(plan, p))) == shared
