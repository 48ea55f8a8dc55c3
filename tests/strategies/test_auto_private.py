"""Private sums for blocks of rows: where there are any, and that results are the same for any number of threads."""

from __future__ import annotations

import pytest

from backends.targets import avx2, plain_c
from exo_strat import AllocCursor, ForCursor, IfCursor, Proc, at, attempt, proc_from_source, schedule
from exo_strat.testing import assert_equivalent
from strategies.auto import auto, private_sums
from strategies.inspect import statements

COLUMNS = proc_from_source("""
def columns(m: size, n: size, a: f64[m, n], w: f64[m], z: f64[n]):
    for i in seq(0, m):
        for j in seq(0, n):
            z[j] += a[i, j] * w[i]
""")
BOTH = proc_from_source("""
def both(n: size, a: f64[n, n], x: f64[n], y: f64[n], z: f64[n], w: f64[n]):
    for i in seq(0, n):
        for j in seq(0, n):
            y[i] += a[i, j] * x[j]
    for i in seq(0, n):
        for j in seq(0, n):
            z[i] += a[j, i] * w[j]
""")
WRITTEN = proc_from_source("""
def written(n: size, a: f64[n, n], x: f64[n], y: f64[n], z: f64[n], u: f64[n]):
    for i in seq(0, n):
        for j in seq(0, n):
            a[i, j] += x[i] * y[j]
            z[j] += a[i, j] * x[i]
            u[n - 1 - j] -= a[i, j]
""")


def of_blocks(p: Proc, rows: int) -> Proc:
    return schedule(at("for i in _: _", private_sums(rows)), p)


@pytest.mark.parametrize("p", [COLUMNS, WRITTEN], ids=lambda p: p.name())
def test_it_computes_the_same(p: Proc) -> None:
    assert assert_equivalent(p, of_blocks(p, 2)) > 0


@pytest.mark.parametrize("machine", [plain_c, avx2], ids=str)
@pytest.mark.parametrize("p", [COLUMNS, BOTH, WRITTEN], ids=lambda p: p.name())
def test_auto_shares_rows_that_add_to_the_same_elements(p: Proc, machine) -> None:
    q = schedule(auto(machine, "f64", threads=2), p)
    shared = [s for s in statements(q.root()) if isinstance(s, ForCursor) and s.mode() == "par"]
    assert shared and "255" in shared[0].hi().text(), "blocks of 256 rows"
    assert schedule(auto(machine, "f64"), p) != q
    assert "part" not in str(schedule(auto(machine, "f64"), p)), "one thread needs no sums of its own"
    if machine is plain_c:
        assert assert_equivalent(p, q) > 0


@pytest.mark.parametrize(
    "statement",
    [
        "y[i] += a[i, j]",  # a row's own sum
        "z[j] = a[i, j]",  # no sum
        "z[j] += z[n - 1 - j]",  # read, too
        "z[i] += a[i, j]\n            z[j] += a[j, i]",  # not the same elements
        "z[j] += a[i, j]\n            y[j] = a[i, j]",  # the last row counts
        "z[j] *= a[i, j]\n            z[j] += a[i, j]",
    ],
)
def test_other_loops_stay(statement: str) -> None:
    p = proc_from_source(f"""
def foo(n: size, a: f64[n, n], y: f64[n], z: f64[n]):
    for i in seq(0, n):
        for j in seq(0, n):
            {statement}
    """)
    assert schedule(attempt(at("for i in _: _", private_sums(2))), p) is p


BAND = """
def band(n: size, a: f64[n, 5], x: f64[n], z: f64[n]):
    for i in seq(0, n):
        for j in seq(max(0, i - 2), min(n, i + 3)):
            z[j] += a[i, j - i + 2] * x[i]
"""
HISTOGRAM = """
def hist(n: size, m: size, idx: i32[n], w: f64[n], h: f64[m]):
    assert within(idx, 0, m)
    for i in seq(0, n):
        h[idx[i]] += w[i]
"""
COLUMN = """
def column(m: size, n: size, idx: i32[n], w: f64[m, n], h: f64[m]):
    assert within(idx, 0, m)
    for i in seq(0, n):
        for j in seq(0, m):
            h[idx[i]] += w[j, i]
"""
GAPS = """
def gaps(m: size, n: size, a: f64[m, n], z: f64[2 * n]):
    for i in seq(0, m):
        for j in seq(0, n):
            z[2 * j] += a[i, j]
"""
GUARD = """
def guard(m: size, n: size, a: f64[m, n], w: f64[m], z: f64[n]):
    for i in seq(0, m):
        if w[i] > 0.0:
            for j in seq(0, n):
                z[j] += a[i, j]
"""


@pytest.mark.parametrize("text", [BAND, HISTOGRAM, COLUMN, GAPS, GUARD])
def test_a_loop_that_adds_to_few_of_the_elements_or_not_always_stays(text: str) -> None:
    """Private sums would be more than what is added up, and change the sign of a zero that nobody adds to."""
    p = proc_from_source(text)
    assert schedule(attempt(at("for i in _: _", private_sums(2))), p) is p
    assert "part" not in str(schedule(auto(plain_c, "f64", threads=2), p))


def test_few_rows_are_as_on_one_thread() -> None:
    q = schedule(auto(plain_c, "f64", threads=2), COLUMNS)
    [choice] = q.body()
    assert isinstance(choice, IfCursor) and choice.cond().text().startswith("m >= 512 and n >= ")
    assert not [s for s in statements(choice.orelse()) if isinstance(s, AllocCursor) and s.name() == "part"]


def test_sums_that_are_rounded_as_written_stay() -> None:
    assert "part" not in str(schedule(auto(plain_c, "f64", rounded=True, threads=2), COLUMNS))


def test_a_loop_of_one_block_stays() -> None:
    p = proc_from_source("""
def foo(a: f64[64, 64], z: f64[64]):
    for i in seq(0, 64):
        for j in seq(0, 64):
            z[j] += a[i, j]
    """)
    assert schedule(attempt(at("for i in _: _", private_sums(64))), p) is p
    assert assert_equivalent(p, of_blocks(p, 32)) > 0
