"""Merging two writes to one location."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.direct import merge_writes
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, Unsafe
from exo_strat.ops.strategy import Op
from exo_strat.primitives import merge_writes as merge_op

Same = Callable[..., None]
Body = Callable[[Proc], str]
Refused = Callable[..., Failure]
Applied = Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]


def two(first: str, second: str) -> Proc:
    return proc_from_source(
        f"def foo(n: size, x: f32[n + 4], y: f32[n + 4]):\n    w = x[1:4]\n"
        f"    for i in seq(0, n):\n        {first}\n        {second}\n        y[i] += x[i]\n"
    )


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ("x[i] = y[i]", "x[i] = 2.0 * y[i]", "x[i] = 2.0 * y[i]"),
        ("x[i] += y[i]", "x[i] = 2.0 * y[i]", "x[i] = 2.0 * y[i]"),
        ("x[i] = x[i]", "x[i] += 2.0 * y[i]", "x[i] = x[i] + 2.0 * y[i]"),
        ("x[i] += x[i]", "x[i] += 2.0 * y[i]", "x[i] += x[i] + 2.0 * y[i]"),
        ("x[i] = y[i]", "x[2 * i - i] = x[i + 1]", "x[2 * i - i] = x[i + 1]"),
        ("x[2] = y[i]", "w[1] += 2.0 * y[i]", "x[2] = y[i] + 2.0 * y[i]"),
        ("w[1] += y[i]", "x[2] = 2.0 * y[i]", "x[2] = 2.0 * y[i]"),
    ],
)
def test_two_writes_become_one(
    first: str, second: str, merged: str, same: Same, body: Body, applied: Applied
) -> None:
    p = two(first, second)
    pair = p.find_loop("i").body()[0].as_block().expand(0, 1)
    last = p.find("y[_] += _")
    q, c = applied(merge_op(), p, pair)
    assert f"seq(0, n):\n    {merged}\n    y[i] += x[i]" in body(q)
    assert c == q.find_loop("i").body()[0] and q.forward(last) == q.find("y[_] += _")
    same(p, q, n=3)
    assert merge_writes(p, pair[0], pair[1]) == q


def test_what_is_left_is_the_statement_that_it_was(applied: Applied) -> None:
    for first, second, left in (("x[i] = 1.0", "x[i] = 2.0", 1), ("x[i] = 1.0", "x[i] += 2.0", 0)):
        p = two(first, second)
        pair = p.find_loop("i").body()
        q, c = applied(merge_op(), p, pair[0].as_block().expand(0, 1))
        assert q.forward(pair[left]) == c and not q.forward(pair[1 - left]).is_valid


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x[i] = y[i]", "x[i] = 2.0 * x[i]"),
        ("x[i] = y[i]", "x[i] += x[n - 1]"),
        ("x[2] = y[i]", "x[2] = w[1]"),
        ("w[1] = y[i]", "w[1] += x[2]"),
        ("x[i] = y[i]", "x[i] = relu(1.0 + x[i + n - n])"),
    ],
)
def test_the_second_value_must_not_depend_on_the_first(first: str, second: str, refused: Refused) -> None:
    p = two(first, second)
    f = refused(merge_writes, p, p.find_loop("i").body()[0].as_block().expand(0, 1))
    assert isinstance(f, Unsafe) and "depend on the first write" in f.message


def test_both_must_write_one_location(refused: Refused) -> None:
    p = two("x[i] = y[i]", "x[n - 1] = y[0]")
    f = refused(merge_writes, p, p.find("x[_] = _"), p.find("x[_] = _ #1"))
    assert isinstance(f, Unsafe) and f.counterexample is not None
    assert f.counterexample["i"] != f.counterexample["n"] - 1
    p = two("x[3] = y[i]", "w[1] = y[i]")
    assert isinstance(refused(merge_writes, p, p.find("x[_] = _"), p.find("w[_] = _")), Unsafe)
    for first, second in (("x[i] = y[i]", "y[i] = 2.0"), ("x[i] = y[i]", "pass")):
        p = two(first, second)
        block = p.find_loop("i").body()[0].as_block().expand(0, 1)
        assert isinstance(refused(merge_writes, p, block), NotApplicable)


def test_they_must_be_neighbours(refused: Refused) -> None:
    p = two("x[i] = y[i]", "y[i] = x[i]")
    assert isinstance(refused(merge_writes, p, p.find("x[_] = _"), p.find("y[_] += _")), NotApplicable)
    assert isinstance(refused(merge_writes, p, p.find_loop("i").body()), NotApplicable)
