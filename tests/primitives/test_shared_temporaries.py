"""Code that uses one temporary may change places all the same: each instance writes the temporary before it reads it,
and nobody reads what the last one left there.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat import Proc, proc_from_source
from exo_strat.direct import fission, fuse, parallelize_loop, reorder_loops, reorder_stmts
from exo_strat.ops.failure import Failure, Unsafe

Same = Callable[..., None]
Refused = Callable[..., Failure]

SUM = proc_from_source("def first(t: [f32][2], y: f32):\n    y += t[0]")


def nest(body: str, before: str = "pass", after: str = "pass") -> Proc:
    lines = "".join(f"                    {line}\n" for line in body.splitlines())
    return proc_from_source(
        f"""
        def foo(n: size, x: f32[n, n], y: f32[n, n], r: f32):
            t: f32[2]
            {before}
            for i in seq(0, n):
                for j in seq(0, n):
{lines}
            {after}
        """,
        {"first": SUM},
    )


THROUGH = "t[0] = x[i, j]\ny[i, j] = t[0] * t[0]"
PAIR = "for k in seq(0, 2):\n    t[k] = x[i, j]\nt[1] += 1.0\ny[i, j] = t[0] * t[1]"
WINDOW = "w = t[0:1]\nw[0] = x[i, j]\ny[i, j] = t[0]"


CHOICE = "if x[i, j] < 40.0:\n    t[0] = 0.0\nelse:\n    t[0] = x[i, j]\ny[i, j] = t[0]"
CHOSEN_PAIR = (
    "if x[i, j] < 40.0:\n    for k in seq(0, 2):\n        t[k] = 0.0\nelse:\n    for l in seq(0, 2):\n"
    "        t[l] = x[i, j]\ny[i, j] = t[0] + t[1]"
)


@pytest.mark.parametrize("text", [THROUGH, PAIR, WINDOW, CHOICE, CHOSEN_PAIR])
@pytest.mark.parametrize("after", ["pass", "t[0] = 1.0\n            r = t[0]"])
def test_iterations_that_share_a_temporary_change_places(text: str, after: str, same: Same) -> None:
    p = nest(text, after=after)
    same(p, reorder_loops(p, "i j"), n=3)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        (THROUGH, "pass", "r = t[0]"),
        (THROUGH, "w = t[0:2]", "r = w[0]"),
        (THROUGH, "pass", "first(t[0:2], r)"),
        (THROUGH, "pass", "if t[0] < 1.0:\n                r = 0.0"),
        ("y[i, j] = t[0]\nt[0] = x[i, j]", "t[0] = 0.0", "pass"),
        ("t[0] += x[i, j]\ny[i, j] = t[0]", "t[0] = 0.0", "pass"),
        ("if x[i, j] < 1.0:\n    t[0] = x[i, j]\ny[i, j] = t[0]", "t[0] = 0.0", "pass"),
        ("if x[i, j] < 1.0:\n    t[0] = 1.0\nelse:\n    t[1] = 2.0\ny[i, j] = t[0]", "t[0] = 0.0", "pass"),
        ("if x[i, j] < 1.0:\n    y[i, j] = t[0]\n    t[0] = 1.0\nelse:\n    t[0] = 2.0", "t[0] = 0.0", "pass"),
        ("t[1] = x[i, j]\ny[i, j] = t[0] + t[1]\nt[0] = x[i, j]", "t[0] = 0.0", "pass"),
        ("r = x[i, j]\ny[i, j] = r", "pass", "pass"),
    ],
)
def test_a_value_that_somebody_else_reads(text: str, before: str, after: str, refused: Refused) -> None:
    f = refused(reorder_loops, nest(text, before, after), "i j")
    assert isinstance(f, Unsafe) and "change places commute" in f.message


TWO = """
def foo(n: size, x: f32[n], y: f32[n], r: f32[n]):
    t: f32
    for k in seq(0, n):
        {first}
        for i in seq(0, n):
            t = x[i]
            x[i] = t * t
        for j in seq(0, n):
            if j < {end}:
                t = y[j]
                y[j] = t * t
        {last}
"""


@pytest.mark.parametrize(
    ("first", "last"), [("pass", "pass"), ("t = 1.0", "pass"), ("t = r[k]\n        r[k] = t", "pass")]
)
def test_two_loops_that_share_a_temporary(first: str, last: str, same: Same) -> None:
    p = proc_from_source(TWO.format(first=first, last=last, end=1))
    q = fuse(p, "i", "j")
    same(p, q, n=3)
    apart = fission(q, q.find("x[_] = _").after())
    same(p, apart, n=3)
    same(p, reorder_stmts(p, "i", "j"), n=3)


@pytest.mark.parametrize(("first", "last"), [("pass", "r[k] = t"), ("r[k] = t", "pass")])
def test_the_last_value_is_read_later(first: str, last: str, refused: Refused) -> None:
    """The first loop would leave the last value, also for the next iteration of the loop around."""
    p = proc_from_source(TWO.format(first=first, last=last, end=1).replace("t: f32", "t: f32\n    t = 0.0"))
    assert isinstance(refused(fuse, p, "i", "j"), Unsafe)
    assert isinstance(refused(reorder_stmts, p, "i", "j"), Unsafe)


def test_a_shared_temporary_is_a_race(refused: Refused) -> None:
    f = refused(parallelize_loop, nest(THROUGH), "i")
    assert isinstance(f, Unsafe) and f.details == "one writes t[0], the other writes t[0]"
