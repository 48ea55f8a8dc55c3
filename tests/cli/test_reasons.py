"""What may be in the way of vectors, in words of the user's loop."""

from __future__ import annotations

import pytest

from exo_strat import ForCursor, proc_from_source
from exo_strat.cli.reasons import in_the_way

ARGS = "n: size, m: size, x: f32[2 * n + 2], y: f32[n], d: f64[n], k: i32[n], a: f32[n, m], b: f32[n, n, m, n + 1]"


@pytest.mark.parametrize(
    ("loop", "said"),
    [
        ("y[i] = x[i]", ""),
        ("y[i] += y[i]", ""),
        ("y[i] = x[2 * i]", ""),
        ("x[i + 1] = x[i]", "x[i]: another iteration of i may write it, as x[i + 1]"),
        ("x[i] = x[i + n]", "x[i + n]: another iteration of i may write it, as x[i]"),
        ("y[i] = a[i, 0]", "a[i, 0]: its elements lie m apart from one i to the next"),
        ("b[0, i, 0, 0] = y[i]", "b[0, i, 0, 0]: its elements lie m * (n + 1) apart from one i to the next"),
        ("d[i] = x[i]", "several precisions: d is f64, x is f32"),
        ("y[i] = x[k[i]]", "x[k[i]]: which element that is comes from data"),
        ("x[k[i]] += y[i]", "x[k[i]]: which element that is comes from data"),
        ("for j in seq(0, m): a[i, j] = y[i]", ""),
        ("for j in seq(0, m): y[i] += a[i, j] * x[j % 2]", ""),
        ("for j in seq(0, n): y[i] += a[j, 0]", "a[j, 0]: its elements lie m apart from one j to the next"),
    ],
)
def test_what_is_in_the_way_is_said_of_an_innermost_loop(loop: str, said: str) -> None:
    body = loop.replace(": ", ":\n            ")
    p = proc_from_source(f"def foo({ARGS}):\n    assert within(k, 0, n)\n    for i in seq(0, n):\n        {body}\n")
    nest = p.find_loop("i")
    assert isinstance(nest, ForCursor)
    assert in_the_way(nest) == said
