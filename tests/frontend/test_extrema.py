"""`min` and `max` of control integers: in bounds of loops, in indices and conditions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from backends.jit import jit
from exo_strat import Proc, proc_from_source, schedule, simplify
from exo_strat.audit import replay
from exo_strat.direct import cut_loop, divide_loop, fission, reorder_loops, shift_loop, unroll_loop
from exo_strat.frontend.errors import CheckError, FrontendError
from exo_strat.interp import Array, run
from exo_strat.ops.failure import SchedulingError
from exo_strat.testing import assert_equivalent


def source(text: str) -> Proc:
    return proc_from_source(text)


def line(p: Proc, n: int) -> str:
    return str(p).splitlines()[n].strip()


FILL = source("""
def fill(n: size, m: size, x: f32[n]):
    for i in seq(max(0, m - 3), min(n, m + 2)):
        x[i] += 1.0
""")


def test_they_print_as_they_are_written_and_parse_again() -> None:
    assert line(FILL, 1) == "for i in seq(max(0, m - 3), min(n, m + 2)):"
    assert proc_from_source(str(FILL)) == FILL
    three = source("def f(n: size, m: size, x: f32[n]):\n    for i in seq(0, min(n, m, 4)):\n        x[i] = 0.0")
    assert line(three, 1) == "for i in seq(0, min(min(n, m), 4)):"
    assert FILL.find("for _ in seq(max(0, _), min(n, _)): _") == FILL.find_loop("i")


@pytest.mark.parametrize(("n", "m"), [(1, 1), (4, 1), (4, 9), (9, 4), (7, 7)])
def test_what_runs(n: int, m: int) -> None:
    x = Array([Fraction(0)] * n, 0, (n,), (1,))
    result = run(FILL, {"n": n, "m": m, "x": x})
    assert result.trap is None
    expected = [1 if max(0, m - 3) <= i < min(n, m + 2) else 0 for i in range(n)]
    assert result.outputs["x"] == tuple(expected)


def test_c_computes_the_same() -> None:
    np = pytest.importorskip("numpy")
    f = jit(FILL)
    for n, m in [(1, 1), (4, 1), (4, 9), (9, 4)]:
        x = np.zeros(n, np.float32)
        f(n, m, x)
        assert x.tolist() == [1.0 if max(0, m - 3) <= i < min(n, m + 2) else 0.0 for i in range(n)]


@pytest.mark.parametrize(
    ("index", "good"),
    [
        ("min(i, n - 1)", True),
        ("max(min(q, n - 1), 0)", True),
        ("min(max(q, 0), n - 1)", True),
        ("min(q, n - 1)", False),
        ("max(q, 0)", False),
        ("max(min(i + 1, n) - 1, 0)", True),
        ("min(i, n - 1) / 2", True),
        ("n - max(1, i - 2)", False),  # i may be so large that it is below 0
    ],
)
def test_clamped_indices(index: str, good: bool) -> None:
    text = f"def f(n: size, m: size, q: index, x: f32[n]):\n    for i in seq(0, m):\n        x[{index}] = 0.0"
    if good:
        source(text)
    else:
        with pytest.raises(CheckError, match="may be out of bounds"):
            source(text)


def test_a_range_up_to_the_smaller_one() -> None:
    text = "def f(n: size, m: size, x: f32[n]):\n    for i in seq(0, {}(n, m)):\n        x[i] = 0.0"
    source(text.format("min"))
    with pytest.raises(CheckError, match=r"x\[i\] may be out of bounds.* for example n = 1, i = 1"):
        source(text.format("max"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x[min(i)] = 0.0", "min takes two control integers or more"),
        ("x[min(i, 0.5)] = 0.0", "an integer control expression is needed here, not a data value"),
        ("x[0] = min(x[1], x[0])", "min is a reduction"),
        ("x[0] = 1.0 + max(x[1], x[0])", "max of data is a reduction"),
        ("x[0] = min(i, 3)", "min is a reduction"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(FrontendError, match=message):
        source(f"def f(x: f32[8]):\n    for i in seq(0, 8):\n        {text}")


def test_what_is_known_decides_a_side() -> None:
    p = source("""
    def f(n: size, x: f32[n + 8]):
        for i in seq(0, min(n, n + 2)):
            for j in seq(max(i, 0), min(i + 4, n + 8)):
                x[min(j, n + 7)] = 0.0
            for j in seq(0, min(8, n) + 2):
                x[j] = 0.0
    """)
    q = schedule(simplify(), p)
    assert [line(q, k) for k in (1, 2, 3, 4)] == [
        "for i in seq(0, n):",
        "for j in seq(i, i + 4):",
        "x[j] = 0.0",
        "for j in seq(0, min(n + 2, 10)):",
    ]
    assert schedule(simplify(), q) == q


def test_rewrites_of_such_loops() -> None:
    assert_equivalent(FILL, divide_loop(FILL, "i", 2, ["io", "ii"]))
    assert_equivalent(FILL, shift_loop(FILL, "i", 0))
    from_zero = source(str(FILL).replace("max(0, m - 3)", "0"))
    cut = cut_loop(from_zero, "i", "min(n, m)")
    assert_equivalent(from_zero, cut)
    with pytest.raises(SchedulingError, match="the cut is not after the loop's end"):
        cut_loop(from_zero, "i", "max(n, m)")
    assert [q.answer for step in replay(cut) for q in step.questions]


def test_a_loop_without_a_literal_count_is_not_unrolled() -> None:
    with pytest.raises(SchedulingError, match="constant"):
        unroll_loop(FILL, "i")
    p = source("def f(n: size, x: f32[n + 4]):\n    for i in seq(n, n + min(3, 5)):\n        x[i] = 0.0")
    assert "for" not in str(unroll_loop(p, "i"))


def test_dependences_through_a_clamp_are_seen() -> None:
    p = source("""
    def f(n: size, x: f32[n], y: f32[n]):
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = x[min(i + 1, n - 1)]
    """)
    with pytest.raises(SchedulingError, match="does not touch what the first one does later"):
        fission(p, p.find("x[_] = _").after())
    nest = source("""
    def f(n: size, x: f32[n, n]):
        for i in seq(1, n):
            for j in seq(0, n):
                x[i, j] = x[i - 1, max(j - 1, 0)]
    """)
    assert_equivalent(nest, reorder_loops(nest, "i j"))
    with pytest.raises(SchedulingError, match="change places"):
        reorder_loops(source(str(nest).replace("max(j - 1, 0)", "min(j + 1, n - 1)")), "i j")


def test_a_name_for_one() -> None:
    p = source("def f(n: size, x: f32[n]):\n    k = min(n, 8)\n    for i in seq(0, k):\n        x[i] = f32(max(i, 2))")
    assert [line(p, k) for k in (1, 2)] == ["for i in seq(0, min(n, 8)):", "x[i] = f32(max(i, 2))"]


@pytest.mark.parametrize(
    "value",
    ["max(3, k) / 3", "max(3, k) % 3", "min(n, k) % 4", "max(0, k) / 2", "min(2 * k, min(min(k, -2), -2 % 3) / 2)"],
)
def test_quotients_of_them_are_simplified_or_stay(value: str) -> None:
    p = source(f"def f(n: size, k: index, x: f64[1]):\n    x[0] = f64({value})")
    q = schedule(simplify(), p)
    assert_equivalent(p, q)
    assert len(line(q, 1)) <= len(line(p, 1))


@pytest.mark.parametrize(
    "text", ["assert k * k >= 4", "assert k * min(j, 3) >= 4", "assert k * k / 3 <= 30", "t: f32[max(n, k) * n]"]
)
def test_products_of_them_are_proved_or_not(text: str) -> None:
    assert text in str(source(f"def f(n: size, k: index, j: index, x: f32[4]):\n    {text}\n    x[0] = 1.0"))
