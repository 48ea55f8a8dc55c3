"""One strategy for any program: what it sees in a nest, what it makes of it, and that the results are the same."""

from __future__ import annotations

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import avx2, best_machine, plain_c
from exo_strat import (
    Failure,
    ForCursor,
    Machine,
    Op,
    Proc,
    ReduceCursor,
    at,
    decisions,
    explain,
    on,
    proc_from_source,
    schedule,
    space,
    trace,
)
from exo_strat.testing import assert_equivalent, check_strategy
from exo_strat.tuning import remark
from strategies.auto import auto, contiguous_innermost, for_numpy, in_order, in_rectangles
from strategies.auto.fusion import in_one_pass
from strategies.auto.products import product_of
from strategies.inspect import nest, nest_shape, statements

PLAN: Op = auto(plain_c, "f64")


def product(sum_: str, arguments: str = "a: f64[m, k], b: f64[k, n]", bounds: str = "k") -> Proc:
    return proc_from_source(f"""
def product(m: size, n: size, k: size, {arguments}, c: f64[m, n]):
    for i in seq(0, m):
        for j in seq(0, n):
            for p in seq(0, {bounds}):
                c[i, j] += {sum_}
""")


LU = proc_from_source("""
def lu(n: size, a: f64[n, n]):
    for k in seq(0, n):
        for i in seq(k + 1, n):
            a[i, k] = a[i, k] / a[k, k]
        for i in seq(k + 1, n):
            for j in seq(k + 1, n):
                a[i, j] += -(a[i, k] * a[k, j])
""")


# -- products -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sum_", "arguments", "written"),
    [
        ("a[i, p] * b[p, j]", "a: f64[m, k], b: f64[k, n]", "a[i, p] * b[p, j]"),
        ("b[p, j] * a[i, p]", "a: f64[m, k], b: f64[k, n]", "b[p, j] * a[i, p]"),
        ("-(x * a[p, i]) * b[j, p]", "x: f64, a: f64[k, m], b: f64[n, k]", "-(x0 * a[p, i]) * b[j, p]"),
        ("a[i, p] * (2.0 * b[p, j])", "a: f64[m, k], b: f64[k, n]", "a[i, p] * (2.0 * b[p, j])"),
        ("a[i + 1, p] * b[p, j]", "a: f64[m + 1, k], b: f64[k, n]", "a[i, p] * b[p, j]"),
    ],
)
def test_a_product_is_seen_whatever_its_order(sum_: str, arguments: str, written: str) -> None:
    found = product_of(product(sum_, arguments).find_loop("i"))
    assert found is not None and found.source.endswith(f"c[i, j] += {written}")


@pytest.mark.parametrize(
    ("sum_", "arguments", "bounds"),
    [
        ("a[i, p] * b[p, j]", "a: f64[m, k], b: f64[k, n]", "k - k / 2"),  # the depth may be 0: that is asked later
        ("a[i, p] + b[p, j]", "a: f64[m, k], b: f64[k, n]", "k"),
        ("a[i, p] * a[i, p]", "a: f64[m, k], b: f64[k, n]", "k"),
        ("a[i, p] * b[p, j] * b[p, j]", "a: f64[m, k], b: f64[k, n]", "k"),
        ("a[i, p] * b[p, i]", "a: f64[m, k], b: f64[k, m]", "k"),
        ("a[i, p] * b[p, 2 * j]", "a: f64[m, k], b: f64[k, 2 * n]", "k"),
        ("a[i, p] * b[p, j]", "a: f64[m, k + m], b: f64[k + m, n]", "i + 1"),
    ],
)
def test_what_is_no_product_is_not_taken_for_one(sum_: str, arguments: str, bounds: str) -> None:
    found = product_of(product(sum_, arguments, bounds).find_loop("i"))
    assert (found is None) == (bounds != "k - k / 2")


def test_loops_in_any_order() -> None:
    p = product("a[i, p] * b[p, j]")
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)):
        q = schedule(at("for i in _: _", in_order(order)), p)
        assert [x.name() for x in nest(q.body()[0])] == ["ijp"[k] for k in order]


def test_the_contiguous_loop_goes_inside_unless_it_can_not() -> None:
    p = schedule(at("for i in _: _", contiguous_innermost()), product("a[i, p] * b[p, j]"))
    assert [x.name() for x in nest(p.body()[0])] == ["i", "p", "j"]
    carried = proc_from_source("""
def carried(n: size, x: f64[n + 1, n + 1]):
    for j in seq(0, n):
        for i in seq(0, n):
            x[i, j + 1] = x[i + 1, j]
""")
    kept = schedule(at("for j in _: _", contiguous_innermost()), carried)
    assert [x.name() for x in nest(kept.body()[0])] == ["j", "i"]


# -- what is in loops together ------------------------------------------------------------------------


def passes(second: str) -> Proc:
    return proc_from_source(f"""
def passes(n: size, a: f64[n, n], b: f64[n, n], x: f64[n], y: f64[n], z: f64[n]):
    for i in seq(0, n):
        for j in seq(0, n):
            y[i] += a[i, j] * x[j]
    for i in seq(0, n):
        for j in seq(0, n):
            {second}
""")


@pytest.mark.parametrize(
    ("second", "shape"),
    [
        ("z[i] += a[j, i] * x[j]", "seq n > seq n > [y +=; z +=]"),
        ("z[j] += a[i, j] * y[i]", "seq n > [seq n > y +=; seq n > z +=]"),
        ("a[i, j] += x[i] * x[j]", "seq n > seq n > [y +=; a +=]"),
    ],
)
def test_a_matrix_is_read_once(second: str, shape: str) -> None:
    p = passes(second)
    q = schedule(on(p.body()[0], in_one_pass()), p)
    assert str(nest_shape(q.body()[0])) == shape
    assert assert_equivalent(p, q) > 0


@pytest.mark.parametrize("second", ["z[i] += b[i, j] * x[j]", "z[j] += a[j, i] * y[i]", "x[j] += a[i, j] * z[i]"])
def test_nests_are_not_fused_that_share_no_matrix_or_need_each_other(second: str) -> None:
    p = passes(second)
    assert isinstance(in_one_pass()(p, p.body()[0]).failure(), Failure)


def test_a_pass_over_a_matrix_is_no_sweep_over_time() -> None:
    p = proc_from_source("""
def both(m: size, n: size, a: f64[m, n], p: f64[n], r: f64[m], q: f64[m], s: f64[n]):
    for i in seq(0, m):
        for j in seq(0, n):
            s[j] += r[i] * a[i, j]
            q[i] += a[i, j] * p[j]
""")
    q = schedule(auto(avx2, "f64"), p)
    assert [x.hi().text() for x in q.body() if isinstance(x, ForCursor)] == ["m / 4", "m % 4"]


def test_rows_that_a_loop_has_for_itself_become_a_product() -> None:
    p = proc_from_source("""
def turned(q: size, m: size, n: size, x: f64[q, m, n], w: f64[n, n]):
    for r in seq(0, q):
        for j in seq(0, m):
            t: f64[n]
            for k in seq(0, n):
                t[k] = 0.0
            for s in seq(0, n):
                for k in seq(0, n):
                    t[k] += x[r, j, s] * w[s, k]
            for k in seq(0, n):
                x[r, j, k] = t[k]
""")
    q = schedule(PLAN, p)
    assert str(nest_shape(q.body()[0])).startswith("seq q > [t:; seq m > seq n > t =; product();")  # so threads share q
    assert assert_equivalent(p, q) > 0


def test_a_sum_of_products_is_two_products() -> None:
    p = product("2.0 * (a[i, p] * b[p, j] + b[j, p] * a[p, i])", "a: f64[m + k, m + k], b: f64[k + n, k + n]")
    q = schedule(PLAN, p)
    assert len(q.find_all("_(_)")) == 2 and assert_equivalent(p, q) > 0


# -- triangles ----------------------------------------------------------------------------------------


def test_a_factorization_in_blocks() -> None:
    """The block on the diagonal and the rows beside it, the columns below it, and what is left, which they change."""
    p = schedule(on(LU.body()[0], in_rectangles(2)), LU)
    blocks = p.body()[0].body()
    corner, below = (str(nest_shape(s)).replace("2 * ko", "ko2") for s in blocks)
    assert "seq ko2 + ki + 1:ko2 + 2" in corner and "seq ko2 + 2:n" in below
    assert assert_equivalent(LU, p) > 0


@pytest.mark.parametrize("size", [2, 3])
def test_triangles_that_begin_or_end_by_the_row(size: int) -> None:
    for begin, end in (("0", "i + 1"), ("i", "n"), ("i + 1", "n")):
        p = proc_from_source(f"""
def update(n: size, m: size, a: f64[n, m], c: f64[n, n]):
    for i in seq(0, n):
        for j in seq({begin}, {end}):
            for k in seq(0, m):
                c[i, j] += a[i, k] * a[j, k]
""")
        q = schedule(on(p.body()[0], in_rectangles(size)), p)
        assert len([s for s in statements(q.root()) if isinstance(s, ReduceCursor)]) >= 2
        assert assert_equivalent(p, q) > 0


def test_a_triangle_inside_a_loop_without_iterations_is_left_alone() -> None:
    """Such as the rest of a block that smaller ones divide."""
    p = proc_from_source("""
def rest(n: size, m: size, a: f64[n, m], b: f64[m, m], c: f64[n, m]):
    for i in seq(n, n):
        for j in seq(0, m):
            for k in seq(j + 1, m):
                c[i, j] += a[i, k] * b[k, j]
""")
    assert isinstance(decisions(at("for i in _: _", in_rectangles(8)), p)[0].failure(), Failure)
    assert assert_equivalent(p, schedule(PLAN, p)) > 0


# -- the whole ----------------------------------------------------------------------------------------


def test_a_product_computes_the_same() -> None:
    p = product("-(2.0 * a[i, p]) * b[p, j]", bounds="k - k / 2")
    q = schedule(PLAN, p)
    assert "product(" in str(q) and assert_equivalent(p, q) > 0


@pytest.mark.long
def test_a_factorization_computes_the_same() -> None:
    n = 150
    rng = np.random.default_rng(3)
    a = rng.random((n, n)) + n * np.eye(n)
    lower_upper = a.copy()
    jit(schedule(PLAN, LU))(n, lower_upper)
    lower = np.tril(lower_upper, -1) + np.eye(n)
    np.testing.assert_allclose(lower @ np.triu(lower_upper), a, rtol=1e-12)


def test_all_numbers_are_holes_and_nothing_may_be_done() -> None:
    stencil = proc_from_source("""
def heat(T: size, n: size, x: f64[n + 2], y: f64[n + 2]):
    for t in seq(0, T):
        for i in seq(0, n):
            y[i + 1] = 0.5 * x[i] + 0.5 * x[i + 2]
        for i in seq(0, n):
            x[i + 1] = y[i + 1]
""")
    found = space(PLAN, stencil)
    here = "auto.planned.by_nest.by_steps.through_time"
    assert found.names == ("auto.how", f"{here}.steps", f"{here}.outer")
    assert decisions(PLAN, stencil, values={"auto.how": "as it is"})[0].unwrap()[0] == stencil
    small = PLAN.fill({found.names[1]: 4, found.names[2]: 8})
    assert assert_equivalent(stencil, schedule(small, stencil)) > 0


def test_what_it_can_do_nothing_with_stays() -> None:
    p = proc_from_source("def foo(x: f64, y: i32[4]):\n    x = 1.0\n    for i in seq(1, 4):\n        y[i] = y[i - 1]")
    assert str(schedule(auto(avx2, "f64"), p)) == str(p)


def test_what_all_elements_share_is_computed_once() -> None:
    p = proc_from_source("""
def scaled(n: size, v: f64, x: f64[n], y: f64[n]):
    for i in seq(0, n):
        y[i] = x[i] / sqrt(v / f64(n) + 1.0)
""")
    q = schedule(auto(avx2, "f64"), p)
    assert str(q).count("sqrt") == 1 and assert_equivalent(p, q) > 0


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("for i in seq(0, n):\n        for j in seq(0, n):\n            y[i] += a[i, j] * x[j]", "several rows"),
        ("for i in seq(0, n):\n        y[i] = x[i]", "along the innermost loop"),
        ("for i in seq(1, n):\n        y[i] += y[i - 1]", "stays as it is"),
    ],
)
def test_it_says_what_it_did(first: str, said: str) -> None:
    p = proc_from_source(f"def foo(n: size, a: f64[n, n], x: f64[n], y: f64[n]):\n    {first}")
    assert said in explain(trace(auto(avx2, "f64"), p)[1])


@pytest.mark.parametrize("machine", [plain_c, avx2], ids=["c", "avx2"])
def test_sweeps_of_several_precisions_and_of_no_data(machine: Machine) -> None:
    several = proc_from_source("""
def several(n: size, x: i16[n + 1], y: f32[n + 1], r: f32):
    for t in seq(0, n):
        for i in seq(0, n):
            y[i] = f32(x[i]) + y[i + 1]
        r = y[0]
""")
    nothing = proc_from_source("""
def nothing(n: size):
    for t in seq(0, n):
        for i in seq(0, n):
            pass
""")
    for p in (several, nothing):
        for precision in ("", "f32"):
            assert assert_equivalent(p, schedule(auto(machine, precision), p)) > 0


@pytest.mark.long
@pytest.mark.parametrize("plan", [auto(plain_c), auto(avx2, "f32"), auto(avx2, rounded=True)])
def test_random_programs_compute_the_same_and_it_never_fails(plan: Op) -> None:
    tally = check_strategy(plan, max_examples=60, at_least=30, shrink=False)
    assert not tally.refusals(str(plan))


@pytest.mark.parametrize(("m", "n"), [(1, 1), (5, 3), (19, 40)])
def test_sums_of_columns_are_rows_of_sums(m: int, n: int) -> None:
    p = proc_from_source("""
def means(m: size, n: size, x: f64[m, n], y: f64[n]):
    for j in seq(0, n):
        t: f64
        t = 0.0
        for i in seq(0, m):
            t += x[i, j]
        y[j] = 0.5 * t
""")
    q = schedule(auto(avx2, "f64"), p)
    assert "x[4 * io + 3, 4 * joo:4 * joo + 4]" in str(q)
    x, y = np.random.default_rng(m).random((m, n)), np.zeros(n)
    jit(q, avx2)(m, n, x, y)
    np.testing.assert_allclose(y, 0.5 * x.sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize("op", ["max", "min"])
def test_the_largest_so_far_stays_where_a_value_is_no_number(op: str) -> None:
    p = proc_from_source(f"""
def most(n: size, x: f64[n], y: f64[n]):
    for i in seq(0, n):
        y[i] = {op}(y[i], x[i])
""")
    x, y = np.full(37, np.nan), np.arange(37.0)
    jit(schedule(auto(best_machine(), "f64"), p), best_machine())(37, x, y)
    assert (y == np.arange(37.0)).all()


def test_the_tiles_and_blocks_of_a_product_are_holes() -> None:
    p = proc_from_source("""
def gemm(n: size, a: f64[n, n], b: f64[n, n], c: f64[n, n]):
    for i in seq(0, n):
        for j in seq(0, n):
            for k in seq(0, n):
                c[i, j] += a[i, k] * b[k, j]
""")
    op = auto(avx2, "f64")
    holes = {name.rsplit(".", 1)[-1]: name for name in space(op, p).names}
    assert {"rows", "vectors", "width", "depth"} <= holes.keys()
    q = schedule(op.fill({holes["rows"]: 4, holes["depth"]: 128}), p)
    text = "\n".join(str(f) for f in (q, *(s.subproc() for s in q.root().find_all("_(_)"))))
    assert "n / 128" in text or "k / 128" in text
    rng = np.random.default_rng(0)
    a, b, c = (rng.random((150, 150)) for _ in range(3))
    wanted = c + a @ b
    jit(q, avx2)(150, a, b, c)
    assert np.allclose(c, wanted)


@pytest.mark.parametrize("value", ["-0.0", "x[i] / -0.0", "-0.0 - x[i]"])
def test_a_negative_zero_stays_negative_in_vectors(value: str) -> None:
    p = proc_from_source(f"def foo(n: size, x: f64[n], y: f64[n]):\n    for i in seq(0, n):\n        y[i] = {value}\n")
    x, wanted, y = np.tile([0.0, 1.0], 20), np.zeros(40), np.zeros(40)
    jit(p)(40, x, wanted)
    jit(schedule(for_numpy(avx2), p), avx2)(40, x, y)
    assert (y.view(np.int64) == wanted.view(np.int64)).all()


def test_a_division_stays_one() -> None:
    """A reciprocal is rounded, and is infinite where the divisor is tiny. The last loop is that of a softmax."""
    p = proc_from_source("""
def foo(n: size, x: f32[n], y: f32[n], s: f32):
    sum: f32 = 0.0
    for i in seq(0, n):
        y[i] = y[i] / s
        sum += x[i]
    for i in seq(0, n):
        x[i] = x[i] / sum
""")
    fast, plain = jit(schedule(auto(avx2), p), avx2), jit(p)
    rng = np.random.default_rng(0)
    for tiny in (np.float32(1e-39), np.float32(3e-42), np.float32(3.0)):
        y = (rng.random(37).astype(np.float32) * 3 * tiny).astype(np.float32)
        x = np.zeros(37, np.float32)
        x[0], y[0] = tiny, tiny  # so the sum has one order only
        slow, quick = (x.copy(), y.copy()), (x.copy(), y.copy())
        plain(37, *slow, tiny)
        fast(37, *quick, tiny)
        assert slow[1][0] == 1.0 and slow[0][0] == 1.0
        assert all((a.view(np.int32) == b.view(np.int32)).all() for a, b in zip(slow, quick, strict=True))


def test_where_a_product_takes_the_reciprocal_the_trace_says_so() -> None:
    p = proc_from_source("""
def cholesky(n: size, a: f64[n, n]):
    for i in seq(0, n):
        for j in seq(0, i):
            s: f64 = a[i, j]
            for k in seq(0, j):
                s -= a[i, k] * a[j, k]
            a[i, j] = s / a[j, j]
""")
    _, t = trace(auto(avx2), p)
    assert any("multiplying with the reciprocal" in x.op.text for x in t.walk() if isinstance(x.op, remark))
