"""Products as C has them, with sums and factors in variables, and loops that may have no iteration."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import avx2, plain_c
from exo_strat import CallCursor, ForCursor, IfCursor, Proc, at, identity, on, proc_from_source, schedule, trace
from exo_strat.testing import assert_equivalent
from strategies.auto import auto
from strategies.auto.guards import where_it_runs
from strategies.inspect import nest_shape, statements
from strategies.normal import sum_in_place


def product(
    value: str, first: str = "0.0", store: str = "=", kinds: str = "f64 f64", added: str = "a[i, p] * b[p, j]"
) -> Proc:
    """A product whose sum is a variable, of one precision, for elements of another one."""
    of_sum, kind = kinds.split()
    return proc_from_source(f"""
def product(m: size, n: size, k: size, x: {kind}, a: {kind}[m, k], b: {kind}[k, n], d: {kind}[n], c: {kind}[m, n]):
    for i in seq(0, m):
        for j in seq(0, n):
            s: {of_sum}
            s = {first}
            for p in seq(0, k):
                s += {added}
            c[i, j] {store} {value}
""")


def has_product(p: Proc) -> bool:
    return any(isinstance(s, CallCursor) and s.subproc().name() == "product" for s in statements(p.root()))


# -- sums in place ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "shape"),
    [
        (product("s"), "seq m > seq n > [c =; seq k > c +=]"),
        (product("s", store="+="), "seq m > seq n > seq k > c +="),
        (product("s", first="c[i, j]"), "seq m > seq n > seq k > c +="),
        (product("s", first="d[j]"), "seq m > seq n > [c =; seq k > c +=]"),
        (product("s + c[i, j]"), "seq m > seq n > seq k > c +="),
        (product("c[i, j] - s"), "seq m > seq n > seq k > c +="),
        (product("x * s", store="+="), "seq m > seq n > seq k > c +="),
        (product("x * s + 2.0 * c[i, j]"), "seq m > seq n > [c =; seq k > c +=]"),
        (product("s * d[j] + x if s > 0.0 else 0.0"), "seq m > seq n > [c =; seq k > c +=; c =]"),
        (product("s / d[j]"), "seq m > seq n > [c =; seq k > c +=; c *=]"),
        (product("s", added="a[i, p] + b[p, j]"), "seq m > seq n > [c =; seq k > c +=]"),
    ],
)
def test_a_sum_is_put_where_it_goes(p: Proc, shape: str) -> None:
    q = schedule(at("s: _", sum_in_place()), p)
    assert str(nest_shape(q.body()[0])) == shape
    assert assert_equivalent(p, q) > 0


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (product("s", kinds="f32 f64"), "f64"),  # a sum that is rounded each time is another number
        (product("s", kinds="f64 f32", added="f64(a[i, p] * b[p, j])"), "f32"),
        (product("s", added="a[i, p] * c[i, j]"), "c[i, j]"),  # the element is read meanwhile
        (product("s * s", store="+="), ""),
        (product("s", first="1.0", store="+="), ""),
        (product("s + s * c[i, j]"), ""),
    ],
)
def test_a_sum_stays_where_its_element_would_be_another(p: Proc, words: str) -> None:
    _, t = trace(at("s: _", sum_in_place()), p)
    assert t.failure is not None and words in t.failure.reason()


def test_rows_with_sums_in_variables_are_a_factorization_in_blocks() -> None:
    p = proc_from_source("""
def cholesky(n: size, a: f64[n, n]):
    for i in seq(0, n):
        for j in seq(0, i):
            s: f64 = a[i, j]
            for k in seq(0, j):
                s = s - a[i, k] * a[j, k]
            a[i, j] = s / a[j, j]
        d: f64 = a[i, i]
        for k in seq(0, i):
            d = d - a[i, k] * a[i, k]
        a[i, i] = sqrt(d)
""")
    q = schedule(auto(plain_c, "f64"), p)
    assert has_product(q)
    for n in (1, 7, 33, 200):
        lower = np.tril(np.random.default_rng(0).random((n, n))) + n * np.eye(n)
        a = lower @ lower.T
        jit(q)(n, a)
        assert np.allclose(np.tril(a), lower)


def test_what_is_read_of_other_elements_meanwhile_is_proved() -> None:
    p = proc_from_source("""
def sums(n: size, x: f64[n + 1]):
    for i in seq(0, n):
        s: f64
        s = 0.0
        for p in seq(0, n - i):
            s += x[i + p + 1]
        x[i] = s
""")
    q = schedule(at("s: _", sum_in_place()), p)
    assert str(nest_shape(q.body()[0])) == "seq n > [x =; seq n - i > x +=]"
    assert assert_equivalent(p, q) > 0
    back = proc_from_source(str(p).replace("x[i + p + 1]", "x[i + p]"))
    assert trace(at("s: _", sum_in_place()), back)[1].failure is not None


# -- products -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["ijp", "jip", "ipj"])
def test_a_product_with_variables_is_one(order: str) -> None:
    factor = """
        for j in seq(0, n):
            c[i, j] = 0.0
        for p in seq(0, k):
            r: f32
            r = a[i, p]
            for j in seq(0, n):
                c[i, j] += r * b[p, j]
"""
    loops = {"i": "for i in seq(0, m):", "j": "for j in seq(0, n):"}
    inside = f"""
        {loops.get(order[1], "")}
            s: f32
            s = 0.0
            for p in seq(0, k):
                s += a[i, p] * b[p, j]
            c[i, j] = 2.0 * s + 3.0 * c[i, j]
"""
    p = proc_from_source(f"""
def product(m: size, n: size, k: size, a: f32[m, k], b: f32[k, n], c: f32[m, n]):
    {loops[order[0]]}{factor if order == "ipj" else inside}
""")
    q = schedule(auto(plain_c), p)
    assert has_product(q) and assert_equivalent(p, q) > 0


def test_roundings_that_are_asked_for_stay() -> None:
    p = product("x * s + c[i, j]")
    assert not has_product(schedule(auto(plain_c, rounded=True), p)) and has_product(schedule(auto(plain_c), p))


def test_a_product_of_a_file_computes_the_same() -> None:
    p = product("x * s + 2.0 * c[i, j]")
    rng = np.random.default_rng(0)
    for m, n, k in ((1, 1, 1), (2, 1, 3), (17, 33, 5), (70, 65, 67)):
        a, b, c = rng.random((m, k)), rng.random((k, n)), rng.random((m, n))
        wanted = 0.5 * a @ b + 2 * c
        jit(schedule(auto(avx2), p), avx2)(m, n, k, np.array(0.5), a, b, np.zeros(n), c)
        assert np.allclose(c, wanted)


# -- loops that may have no iteration -----------------------------------------------------------------

SMOOTH = proc_from_source("""
def smooth(n: size, m: size, steps: int, x: f32[n, m], y: f32[n, m]):
    for t in seq(0, steps):
        for i in seq(1, n - 1):
            for j in seq(2, m - 2):
                y[i, j] = x[i, j - 2] + x[i, j + 2] + x[i - 1, j] + x[i + 1, j]
        for i in seq(0, n):
            x[i, 0] += 1.0
""")


def test_a_nest_is_under_a_branch_where_all_of_its_loops_run() -> None:
    q = schedule(on(SMOOTH.body()[0], where_it_runs(identity)), SMOOTH)
    [branch] = q.body()
    assert isinstance(branch, IfCursor) and branch.cond().text() == "0 < steps and 1 < n - 1 and 2 < m - 2"
    # where they don't, what they do not do is left
    assert [str(nest_shape(s)) for s in branch.orelse()] == ["seq steps > seq n > x +="]
    assert assert_equivalent(SMOOTH, q) > 0


def test_nothing_is_left_where_all_is_empty() -> None:
    p = proc_from_source("""
def smooth(n: size, x: f32[n], y: f32[n]):
    for i in seq(1, n - 1):
        y[i] = x[i - 1] + x[i + 1]
""")
    q = schedule(auto(plain_c), p)
    [branch] = q.body()
    assert isinstance(branch, IfCursor) and not branch.has_else()
    assert assert_equivalent(p, q) > 0


def test_a_range_that_is_never_negative_is_not_asked_for() -> None:
    p = proc_from_source("""
def triangle(n: size, x: f32[n, n]):
    for i in seq(0, n):
        for j in seq(i + 1, n):
            x[i, j] = 0.0
""")
    _, t = trace(on(p.body()[0], where_it_runs(identity)), p)
    assert t.failure is not None
    assert isinstance(schedule(auto(plain_c), p).body()[0], ForCursor)
