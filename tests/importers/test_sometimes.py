"""Branches that the importer makes of expressions, and expressions that it makes of branches."""

from __future__ import annotations

import pytest

BEGINS = """
void around(int n, const float *x, float *y) {
    for (int i = 0; i < n; i++) {
        int r = i + 1;
        USE
        if (r COND) r = 0;
        y[i] = x[r];
    }
}
"""


@pytest.mark.parametrize(
    ("use", "cond", "extent"),
    [
        ("", "== n", "n"),
        ("", ">= n", "n"),
        ("", "> n - 1", "n"),
        ("", "> n", "n + 1"),
        ("", "== n - 1", "n + 1"),
        ("y[i] = 2 * x[r];", "== n", "n + 1"),  # there it is not yet anew
    ],
)
def test_an_index_that_begins_anew_is_inside(use: str, cond: str, extent: str, roundtrip) -> None:
    source = BEGINS.replace("USE", use).replace("COND", cond)
    text = roundtrip(source, "around", [{"n": n} for n in (1, 2, 5)])
    assert f"x: f32[{extent}]" in text


def test_of_two_operands_the_one_behind_is_a_branch(roundtrip) -> None:
    loop = "for (int i = 0; i < n; i++) if (x[i] > 0 && ++k > 2) k = 1;"
    source = f"int f(int n, const int *x) {{ int k = 0; {loop} return k; }}"
    text = roundtrip(source, "f", [{"n": n} for n in (1, 9)])
    assert "if x[i] > 0:\n            k += 1\n            if k > 2:" in text


def test_what_is_an_expression_stays_one(roundtrip) -> None:
    source = "void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = i > 2 && x[i] > 0 ? x[i - 1] : 1; }"
    assert "x[i] = x[i - 1] if i > 2 and x[i] > 0.0 else 1.0" in roundtrip(source, "f", [{"n": n} for n in (1, 9)])
