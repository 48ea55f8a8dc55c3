"""Reductions by `+`, `*`, `min` and `max` under the rewrites that tell them apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exo_strat.cursors.proc import Proc
from exo_strat.direct import (
    add_loop,
    delete_buffer,
    fission,
    fuse,
    merge_writes,
    parallelize_loop,
    remove_loop,
    reorder_loops,
    reorder_stmts,
    simplify,
    stage_mem,
)
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ops.failure import Failure, NotApplicable, Unsafe

Body = Callable[[Proc], str]
Same = Callable[..., None]
Refused = Callable[..., Failure]

FORMS = {"+": "s += {}", "*": "s *= {}", "min": "s = min(s, {})", "max": "s = max(s, {})"}
OPERATORS = sorted(FORMS)


def foo(stmts: str) -> Proc:
    """A procedure with these statements."""
    lines = "\n".join(f"    {line}" for line in stmts.strip("\n").splitlines())
    return proc_from_source(f"def foo(n: size, x: f32[n], y: f32[n], s: f32):\n{lines}")


@pytest.mark.parametrize("one", OPERATORS)
@pytest.mark.parametrize("two", OPERATORS)
def test_accumulations_commute_with_those_by_the_same_operator(
    one: str, two: str, same: Same, refused: Refused
) -> None:
    first, second = FORMS[one].format("x[i]"), FORMS[two].format("y[i]")
    row = foo(f"for i in seq(0, n):\n    {first}\n    {second}")
    pair = foo(f"for i in seq(0, n):\n    {first}\nfor i in seq(0, n):\n    {second}")
    block = row.find_loop("i").body()  # type: ignore[union-attr]
    gap = block[0].after()
    loops = pair.body()
    if one == two:
        for p, q in [
            (row, reorder_stmts(row, block)),
            (row, fission(row, gap)),
            (pair, fuse(pair, loops[0], loops[1])),
        ]:
            same(p, q, n=3)
        return
    assert isinstance(refused(reorder_stmts, row, block), Unsafe)
    assert isinstance(refused(fission, row, gap), Unsafe)
    assert isinstance(refused(fuse, pair, loops[0], loops[1]), Unsafe)


@pytest.mark.parametrize("op", OPERATORS)
def test_the_order_of_a_nest_does_not_matter_for_one_operator(op: str, same: Same, refused: Refused) -> None:
    nest = "for i in seq(0, n):\n    for j in seq(0, 2):\n        {}\n        {}"
    p = foo(nest.format(FORMS[op].format("x[i]"), FORMS[op].format("2.0")))
    same(p, reorder_loops(p, "i j"), n=3)
    other = "max" if op == "+" else "+"
    p = foo(nest.format(FORMS[op].format("x[i]"), FORMS[other].format("2.0")))
    assert isinstance(refused(reorder_loops, p, "i j"), Unsafe)


@pytest.mark.parametrize("op", OPERATORS)
def test_an_accumulation_by_any_operator_is_a_race(op: str, refused: Refused) -> None:
    p = foo(f"for i in seq(0, n):\n    {FORMS[op].format('x[i]')}")
    assert isinstance(refused(parallelize_loop, p, "i"), Unsafe)


@pytest.mark.parametrize(
    ("stmts", "again"),
    [
        ("s = max(s, x[0])", True),
        ("s = min(s, x[0])", True),
        ("s = max(s, x[0])\n    s = min(s, y[0])", True),  # bounded from below, then from above
        ("s = max(s, x[0])\n    x[0] = 1.0", False),  # the bound changes
        ("s = max(s, x[0])\n    s += 1.0", False),
        ("s = max(s, x[0])\n    y[0] = s\n    s = min(s, 2.0)", False),  # y[0] sees what the last run left
        ("s = max(s, s * 2.0)", False),
        ("s *= x[0]", False),
        ("s += x[0]", False),
        ("s = 1.0\n    s *= x[0]", True),
    ],
)
def test_bounds_may_be_repeated_sums_and_products_not(stmts: str, again: bool, same: Same, refused: Refused) -> None:
    p = foo(f"for i in seq(0, 3):\n    {stmts}")
    if again:
        same(p, remove_loop(p, "i"), n=2)
        q = foo(stmts.replace("\n    ", "\n"))
        if len(q.body()) == 1:
            same(q, add_loop(q, q.body()[0], "i", 4), n=2)
    else:
        assert isinstance(refused(remove_loop, p, "i"), Unsafe)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("s *= x[0]\ns *= y[0]", "s *= x[0] * y[0]"),
        ("s = x[0]\ns *= y[0]", "s = x[0] * y[0]"),
        ("s = min(s, x[0])\ns = min(s, y[0])", "s = min(s, fmin(y[0], x[0]))"),
        ("s = x[0]\ns = max(s, y[0])", "s = fmax(y[0], x[0])"),
        ("s = max(s, x[0])\ns = y[0]", "s = y[0]"),
    ],
)
def test_two_writes_by_one_operator_are_merged(before: str, after: str, body: Body, same: Same) -> None:
    p = foo(before)
    q = merge_writes(p, p.body()[0:2])
    assert body(q) == after
    same(p, q, n=2)


@pytest.mark.parametrize("before", ["s *= x[0]\ns += y[0]", "s = min(s, x[0])\ns = max(s, y[0])"])
def test_writes_by_two_operators_are_not_merged(before: str, refused: Refused) -> None:
    p = foo(before)
    assert isinstance(refused(merge_writes, p, p.body()[0:2]), NotApplicable)


def test_what_accumulates_nothing_is_simplified_away(body: Body) -> None:
    p = foo("s += 0.0\ns *= 1.0\ns *= 0.0 + 1.0\ns = 1.0")
    assert body(simplify(p)) == "s = 1.0"
    p = foo("s *= 0.0\ns += 1.0\ns = max(s, 0.0)")
    assert simplify(p) is p


def test_a_product_is_staged_from_one(body: Body, same: Same) -> None:
    p = foo("for i in seq(0, n):\n    s *= x[i]")
    q = stage_mem(p, "for i in _: _", "s", "t", accum=True)
    assert body(q).splitlines() == ["t: f32 @ DRAM", "t = 1.0", "for i in seq(0, n):", "    t *= x[i]", "s *= t"]
    same(p, q, n=3)


@pytest.mark.parametrize("op", ["min", "max"])
def test_a_bound_has_no_neutral_number_and_is_loaded(op: str, body: Body, same: Same, refused: Refused) -> None:
    p = foo(f"for i in seq(0, n):\n    {FORMS[op].format('x[i]')}")
    assert "no neutral number" in str(refused(stage_mem, p, "for i in _: _", "s", "t", accum=True))
    q = stage_mem(p, "for i in _: _", "s", "t")
    assert body(q).splitlines()[1:] == ["t = s", "for i in seq(0, n):", f"    t = {op}(t, x[i])", "s = t"]
    same(p, q, n=3)


def test_accumulations_by_two_operators_are_not_staged_as_one(refused: Refused) -> None:
    p = foo("for i in seq(0, n):\n    s *= x[i]\n    s += y[i]")
    assert isinstance(refused(stage_mem, p, "for i in _: _", "s", "t", accum=True), NotApplicable)


def test_a_dead_buffer_goes_with_all_that_is_accumulated_into_it(body: Body) -> None:
    p = foo("t: f32\nt = 1.0\nt *= x[0]\nt = min(t, y[0])\ns = 1.0")
    assert body(delete_buffer(p, "t")) == "s = 1.0"
