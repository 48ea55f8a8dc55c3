"""Programs as importers write them, tidied: what goes, and what has to stay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import strategies as st

from exo_strat import AllocCursor, Op, Proc, at, expand_dim, proc_from_source, schedule
from exo_strat.testing import check_strategy, every, examples
from importers.c import from_c
from importers.numpy import from_numpy
from strategies.normal import is_tidy, tidy
from strategies.normal.tidying import drop_unit_dim, privatize
from strategies.stencils import time_tile

Same = Callable[..., None]


def body(p: Proc) -> str:
    lines = [line for line in str(p).replace(" @ DRAM", "").splitlines()[1:] if "assert " not in line]
    return dedent("\n".join(lines))


def object_code(made: str) -> str:
    """The procedure of a file that was imported."""
    return made[made.index("def ") :]


def imported(text: str, name: str, folder: Path) -> Proc:
    file = folder / "kernel.c"
    file.write_text(text)
    return proc_from_source(object_code(from_c(file, name)))


COVARIANCE = """
void covariance(int n, int m, double data[n][m], double cov[m][m], double mean[m]) {
    double s, d;
    for (int j = 0; j < m; j++) {
        s = 0.0;
        for (int i = 0; i < n; i++) s += data[i][j];
        mean[j] = s;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) { d = data[i][j] - mean[j]; data[i][j] = d; }
    for (int i = 0; i < m; i++)
        for (int j = i; j < m; j++) {
            s = 0.0;
            for (int k = 0; k < n; k++) s += data[k][i] * data[k][j];
            cov[i][j] = s;
            cov[j][i] = cov[i][j];
        }
}
"""


def test_variables_at_the_top_of_a_function(tmp_path: Path, computes_the_same: Same) -> None:
    p = imported(COVARIANCE, "covariance", tmp_path)
    q = schedule(tidy(), p)
    assert body(q) == dedent("""
    for j in seq(0, m):
        s_1: f64
        s_1 = 0.0
        for i in seq(0, n):
            s_1 += data[i, j]
        mean[j] = s_1
    for i in seq(0, n):
        for j in seq(0, m):
            data[i, j] = data[i, j] - mean[j]
    for i in seq(0, m):
        for j in seq(i, m):
            s_3: f64
            s_3 = 0.0
            for k in seq(0, n):
                s_3 += data[k, i] * data[k, j]
            cov[i, j] = s_3
            cov[j, i] = cov[i, j]""").strip("\n")
    for n, m in [(1, 1), (3, 4)]:
        computes_the_same(p, q, n=n, m=m)


GRADIENT = """
void gradient(int n, int m, const float x[n][m], float g[n][m]) {
    float dx[n][m], dy[n][m];
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) dx[i][j] = x[i][j + 1] - x[i][j - 1];
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) dy[i][j] = x[i + 1][j] - x[i - 1][j];
    for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++)
        g[i][j] = dx[i][j] * dx[i][j] + dy[i][j];
}
"""


def test_arrays_between_loops(tmp_path: Path, computes_the_same: Same) -> None:
    """One is used twice, and so stays, as a scalar."""
    p = imported(GRADIENT, "gradient", tmp_path)
    q = schedule(tidy(), p)
    assert body(q) == dedent("""
    for i in seq(1, n - 1):
        for j in seq(1, m - 1):
            dx: f32
            dx = x[i, j + 1] - x[i, j - 1]
            g[i, j] = dx * dx + (x[i + 1, j] - x[i - 1, j])""").strip("\n")
    computes_the_same(p, q, n=4, m=5)


SOFTMAX = """
def softmax(n: size, m: size, x: f32[n, m], result: f32[n, m]):
    largest: f32[n, 1]
    for i in seq(0, n):
        largest[i, 0] = x[i, 0]
        for j in seq(1, m):
            largest[i, 0] = max(largest[i, 0], x[i, j])
    e: f32[n, m]
    for i in seq(0, n):
        for j in seq(0, m):
            e[i, j] = x[i, j] - largest[i, 0]
    t: f32[n, 1]
    for i in seq(0, n):
        t[i, 0] = 0.0
        for j in seq(0, m):
            t[i, 0] += e[i, j]
    for i in seq(0, n):
        for j in seq(0, m):
            result[i, j] = e[i, j] - t[i, 0]
"""


def test_statements_on_whole_arrays(computes_the_same: Same) -> None:
    """The row of e stays: all of it is needed after its sum is known. What stands between two loops moves up."""
    p = proc_from_source(SOFTMAX)
    q = schedule(tidy(), p)
    assert body(q) == dedent("""
    for i in seq(0, n):
        e: f32[m]
        largest: f32
        t: f32
        largest = x[i, 0]
        for j in seq(1, m):
            largest = max(largest, x[i, j])
        t = 0.0
        for j in seq(0, m):
            e[j] = x[i, j] - largest
            t += e[j]
        for j in seq(0, m):
            result[i, j] = e[j] - t""").strip("\n")
    computes_the_same(p, q, n=3, m=4)


@pytest.mark.parametrize(
    "text",
    [
        # an element is overwritten before the next iteration needs it
        """
        def foo(n: size, x: f32[n]):
            assert n >= 3
            t: f32[n - 2]
            for i in seq(0, n - 2):
                t[i] = x[i] + x[i + 2]
            for i in seq(0, n - 2):
                x[i + 1] = t[i]
        """,
        # the value of the iteration before is used
        """
        def foo(n: size, x: f32[n]):
            t: f32
            t = 0.0
            for i in seq(0, n):
                x[i] += t
                t = x[i]
        """,
        # would be computed in each iteration
        """
        def foo(n: size, x: f32[n], a: f32):
            t: f32
            t = a * a
            for i in seq(0, n):
                x[i] = x[i] * t
        """,
        # no temporaries
        """
        def foo(n: size, x: f32[n], y: f32[n]):
            for i in seq(0, n):
                x[i] = 0.0
            for i in seq(0, n):
                y[i] = x[i]
        """,
    ],
)
def test_what_stays(text: str) -> None:
    p = proc_from_source(text)
    assert is_tidy(p) and schedule(tidy(), p) is p


def test_one_variable_for_several_sums(computes_the_same: Same) -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[n], y: f32[4]):
        s: f32
        s = 0.0
        for i in seq(0, n):
            s += x[i]
        y[0] = s * s
        for i in seq(0, n):
            s = x[i] * x[i]
            x[i] = s * s
        s = 1.0
        for i in seq(0, n):
            s = s * x[i]
        y[1] = s
    """)
    q = schedule(tidy(), p)
    assert body(q) == dedent("""
    s_2: f32
    s_3: f32
    s_2 = 0.0
    for i in seq(0, n):
        s_2 += x[i]
    y[0] = s_2 * s_2
    for i in seq(0, n):
        s_1: f32
        s_1 = x[i] * x[i]
        x[i] = s_1 * s_1
    s_3 = 1.0
    for i in seq(0, n):
        s_3 = s_3 * x[i]
    y[1] = s_3""").strip("\n")
    computes_the_same(p, q, n=4)


def test_ranges_that_begin_elsewhere(computes_the_same: Same) -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[n], y: f32[n + 3]):
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i] + 1.0
        for i in seq(3, n + 3):
            y[i] = t[i - 3]
    """)
    q = schedule(tidy(), p)
    assert body(q) == "for i in seq(0, n):\n    y[i + 3] = x[i] + 1.0"


def test_a_variable_that_is_read_after_its_loop(computes_the_same: Same) -> None:
    p = proc_from_source("""
    def foo(n: size, x: f32[n], y: f32[n]):
        t: f32
        for i in seq(0, n):
            t = x[i]
            x[i] = t * t
        y[0] = t
    """)
    q = schedule(tidy(), p)
    assert is_tidy(q)
    computes_the_same(p, q, n=4)


def test_a_step_of_a_stencil_tidied_and_tiled(computes_the_same: Same) -> None:
    p = proc_from_source("""
    def jacobi(T: size, n: size, x: f32[n]):
        assert n >= 3
        for t in seq(0, T):
            left: f32[n - 2]
            for i in seq(0, n - 2):
                left[i] = x[i] + x[i + 1]
            next: f32[n - 2]
            for i in seq(0, n - 2):
                next[i] = left[i] + x[i + 2]
            for i in seq(0, n - 2):
                x[i + 1] = next[i]
    """)
    q = schedule(tidy(), p)
    assert "left" not in str(q)
    computes_the_same(p, schedule(at("for t in _: _", time_tile(2, 3)), q), T=5, n=9)


def relax(steps, x):  # type: ignore[no-untyped-def]
    for _t in range(steps):
        left = x[1:-1] + x[:-2]
        x[1:-1] = 0.5 * (left + x[2:])


def fields(steps, ex, ey, hz, source):  # type: ignore[no-untyped-def]
    for t in range(steps):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]


def test_numpy_tidied_and_tiled(computes_the_same: Same) -> None:
    """The sum on the left needs no array; the right side does, as it is complete before an element changes."""
    p = proc_from_source(object_code(from_numpy(relax, steps="int", x="f64[n]")))
    q = schedule(tidy(), p)
    assert body(q) == dedent("""
    for t in seq(0, steps):
        t_1: f64[n - 2]
        for i in seq(0, n - 2):
            t_1[i] = 0.5 * (x[i + 1] + x[i] + x[i + 2])
        for i in seq(0, n - 2):
            x[i + 1] = t_1[i]""").strip("\n").replace("for t in", "for _t in").replace("t_1", "t")
    r = schedule(at("for _t in _: _", time_tile(2, 3)), q)
    computes_the_same(p, r, steps=5, n=9)


def test_fields_of_numpy_tiled(computes_the_same: Same) -> None:
    shape = "f64[n, m]"
    text = object_code(from_numpy(fields, steps="int", ex=shape, ey=shape, hz=shape, source="f64[steps]"))
    p = proc_from_source(text)
    assert is_tidy(p)
    q = schedule(at("for t in _: _", time_tile(2, 3, 4)), p)
    assert [str(q).count(f"for {x} in") for x in ("to", "io", "jo", "ti", "ii", "ji")] == [1, 1, 1, 1, 4, 4]
    computes_the_same(p, q, steps=4, n=5, m=7)


# -- random programs ----------------------------------------------------------------------------------

STATEMENTS = (
    "t = x[i]",
    "t = 2.0",
    "t += y[i]",
    "x[i] = t * t",
    "y[i] = t",
    "u[i] = x[i]",
    "u[i] += t",
    "x[i] += u[i]",
)


@st.composite
def loops_with_temporaries(draw: st.DrawFn) -> Proc:
    """Up to three loops that share a scalar and an array."""
    loops = draw(st.lists(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=4), min_size=1, max_size=3))
    before = draw(st.sampled_from(("t = 1.0", "u[0] = 1.0", "pass")))
    after = draw(st.sampled_from(("y[0] = t", "y[0] += u[n - 1]", "pass")))
    lines = ["t: f32", "u: f32[n]", before]
    for body_ in loops:
        lines += ["for i in seq(0, n):", *(f"    {s}" for s in body_)]
    return proc_from_source("\n    ".join(["def foo(n: size, x: f32[n], y: f32[n]):", *lines, after]))


@pytest.mark.parametrize("op", [privatize(), expand_dim(1, 0) >> drop_unit_dim()], ids=str)
def test_a_step_keeps_the_meaning(op: Op) -> None:
    check_strategy(op, loops_with_temporaries(), at=every(AllocCursor), max_examples=examples(30))


def test_it_keeps_the_meaning_of_loops_with_temporaries() -> None:
    check_strategy(tidy(), loops_with_temporaries(), max_examples=examples(30))
