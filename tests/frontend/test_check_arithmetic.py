"""Products and quotients of control integers: what may be multiplied, and by what is divided."""

from __future__ import annotations

import pytest

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import CheckError
from exo_strat.interp import run

HEAD = "def foo(n: size, m: size, d: index, x: f32[n, m], h: f32[n * m]):\n"


@pytest.mark.parametrize(
    "body",
    [
        "for k in seq(0, n * m):\n    x[k / m, k % m] = h[k]",
        "for i in seq(0, n):\n    for j in seq(0, m):\n        h[m * i + j] = x[i, j]",
        "for i in seq(0, n):\n    for j in seq(0, m):\n        h[n * m - 1 - (i * m + j)] = x[i, j]",
        "for k in seq(0, n * m):\n    if k % m == m - 1:\n        h[k] = x[k / m, m - 1]",
        "t: f32[n / m + 1]\nfor i in seq(0, n / m + 1):\n    t[i] = 0.0",
        "assert d >= 3\nfor k in seq(0, n):\n    x[k, 0] = f32(k / (d - 2))",
    ],
)
def test_what_is_in_bounds(body: str) -> None:
    text = HEAD + "\n".join("    " + line for line in body.splitlines())
    assert proc_from_source(str(proc_from_source(text))).tree is not None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x[d / d, 0] = 0.0", "the divisor may be less than 1; for example d = .*: the divisor is"),
        ("x[n / (m - 1), 0] = 0.0", r"n / \(m - 1\): the divisor may be less than 1; for example m = 1: "),
        ("if m > 1:\n    x[n % (m - 1), 0] = 0.0", "may be less than 1"),  # it is asked in the whole procedure
        ("for i in seq(0, n):\n    if i / min(1, 0) == 0:\n        x[i, 0] = 0.0", "what is at least 1 only"),
        ("if n < 1:\n    x[0, n % (n - n)] = 0.0", "what is at least 1 only"),  # it never runs, so all is proved there
        ("for i in seq(1, n):\n    x[n / i, 0] = 0.0", "literals and control arguments only"),
        ("for i in seq(1, n):\n    x[i * i, 0] = 0.0", "one factor of a product"),
        ("for k in seq(0, n * m):\n    x[k / n, k % m] = 0.0", "dimension 0"),
        ("for k in seq(0, n * m):\n    x[k / m, k % n] = 0.0", "dimension 1"),
        ("for k in seq(0, n * m + 1):\n    x[k / m, k % m] = 0.0", "dimension 0"),
        ("for k in seq(-1, n * m):\n    x[k / m, k % m] = 0.0", "dimension 0"),
        ("for i in seq(0, n):\n    for j in seq(0, m + 1):\n        h[m * i + j] = 0.0", "dimension 0"),
        ("assert n % m == 0\nx[0, 0] = 0.0", "in assertions and in shapes of arguments"),
    ],
)
def test_what_is_not(body: str, message: str) -> None:
    text = HEAD + "\n".join("    " + line for line in body.splitlines())
    with pytest.raises(CheckError, match=message):
        proc_from_source(text)


def test_the_quotient_is_a_floor() -> None:
    p = proc_from_source("""
    def foo(m: size, x: f32[8], y: f32[8]):
        for k in seq(-4, 4):
            x[k + 4] = f32(k / m)
            y[k + 4] = f32(k % m)
    """)
    for m in (1, 2, 3, 7):
        out = run(p, {"m": m, "x": [0] * 8, "y": [0] * 8}).outputs
        assert list(out["x"]) == [k // m for k in range(-4, 4)] and list(out["y"]) == [k % m for k in range(-4, 4)]
