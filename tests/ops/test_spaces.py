"""Strategies with holes: what they are as values, what fills them, where a value comes from."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from returns.result import Success

from exo_strat import (
    Cursor,
    Op,
    Proc,
    SchedulingError,
    Script,
    Space,
    at,
    attempt,
    decisions,
    divide_loop,
    explain,
    fail,
    hole,
    identity,
    limited,
    lint,
    moves,
    named,
    pick,
    proc_from_source,
    rename,
    repeat_n,
    schedule,
    scoped,
    seq,
    simplify,
    space,
    strategy,
    trace,
    unroll_loop,
)

ZERO = proc_from_source("""
def zero(n: size, m: size, x: f32[n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            x[i, j] = 0.0
""")


def strips(width: Any, tail: Any = "cut", loop: str = "i") -> Op:
    return at(f"for {loop} in _: _", divide_loop(width, (f"{loop}o", f"{loop}i"), tail=tail))


@strategy
def drawn(p: Proc, c: Cursor, times: int) -> Script:
    width = yield hole("width", (2, 4, 8))
    yield strips(width * times)


@named
def both(times: int, tail: Any = "cut") -> Op:
    return drawn(times) >> strips(hole("width", (3, 5)), tail, "j")


def fit(rows: int, columns: int) -> bool:
    return rows * columns <= 24


# -- values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "op",
    [
        strips(hole("width", (4, 8), default=8), hole("tail", ("cut", "guard"))),
        at(moves.body >> moves.nth(hole("which", (0, -1))), simplify()),
        repeat_n(simplify(), hole("times", (1, 2))),
        pick("how", {"a": simplify(), "b": pick("inner", {"c": identity, "d": strips(hole("w", (2, 4)))})}),
        scoped("first", strips(hole("width", (4, 8)))),
        limited(strips(hole("rows", (4, 8))) >> strips(hole("columns", (3, 9)), loop="j"), fit, "rows", "columns"),
        both(hole("times", (1, 2))).fill({"times": 2, "both.width": 5, "both.drawn.width": 4}),
    ],
    ids=str,
)
def test_an_op_with_holes_is_a_value(op: Op) -> None:
    text = repr(op)
    assert eval(text, {**globals(), "reframe": __import__("exo_strat").reframe}) == op
    again = pickle.loads(pickle.dumps(op))
    assert again == op and hash(again) == hash(op) and repr(again) == text


def test_holes_that_differ_are_different() -> None:
    assert strips(hole("w", (4, 8))) != strips(hole("w", (4, 8), default=8)) != strips(hole("v", (4, 8), default=8))
    assert not hole("w", (1, 2)).takes(True) and not hole("w", (1, 2)).takes(1.0)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: hole("a b", (1,)), "Python name"),
        (lambda: hole("a.b", (1,)), "Python name"),
        (lambda: hole("a", ()), "no candidates"),
        (lambda: hole("a", (1, 2, 1)), "1 stands twice"),
        (lambda: pick("how", {}), "at least one Op"),
        (lambda: pick("how", {"a": identity}, default="b"), "can't be 'b'"),
        (lambda: scoped("a b", identity), "Python name"),
        (lambda: limited(strips(hole("w", (4,))), fit, "w", "v"), "no hole 'v' to limit: its holes are w"),
        (lambda: space(strips(hole("w", (4, 8))) >> strips(hole("w", (4, 9)))), "stands twice, and not for the same"),
        (lambda: strips(hole("w", (4, 8))).fill({"v": 4}), "has no hole 'v': its holes are w"),
        (
            lambda: strips(hole("width", (4, 8))).fill({"widht": 4}),
            r"has no hole 'widht' \(did you mean 'width'\?\): its holes are width",
        ),
        (lambda: strips(hole("w", (4, 8))).fill({"w": 5}), "can't be 5: its candidates are 4, 8"),
        (lambda: strips(hole("w", (4, 8))).fill({"w": 4.0}), "can't be 4.0"),
        (lambda: both(1).fill({"both.width": 4}), "can't be 4: its candidates are 3, 5"),
    ],
)
def test_what_makes_no_sense_is_said(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()


def test_what_is_no_op_is_no_choice() -> None:
    with pytest.raises(TypeError, match="chooses among Ops, not simplify: call it"):
        pick("how", {"a": simplify})  # type: ignore[dict-item]


# -- filling ------------------------------------------------------------------------------------------


def test_a_default_may_be_a_further_candidate() -> None:
    assert hole("kc", (128, 256), default=344).candidates == (128, 256, 344)


def test_arguments_are_filled_in_their_places() -> None:
    op = attempt(pick("how", {"a": strips(hole("w", (4, 8)), hole("tail", ("cut", "guard"))), "b": simplify()}))
    assert op.fill({"w": 8}) == attempt(strips(8, "cut"))
    assert op.fill({"how": "b"}) == attempt(simplify())
    assert schedule(op, ZERO) == schedule(op.fill({}), ZERO)


def test_holes_of_one_name_in_one_strategy_are_one_choice() -> None:
    op = strips(hole("w", (4, 8))) >> strips(hole("w", (4, 8)), loop="j")
    assert space(op).names == ("w",)
    assert op.fill({"w": 8}) == strips(8) >> strips(8, loop="j")
    assert decisions(op, ZERO, values={"w": 8})[0].unwrap()[0].tree == schedule(op.fill({"w": 8}), ZERO).tree


def test_a_hole_belongs_to_the_function_in_which_it_is_written() -> None:
    op = both(hole("times", (1, 2), default=2), tail=hole("tail", ("cut", "guard")))
    assert space(op).names == ("times", "tail", "both.width")
    assert space(op, ZERO).names == ("times", "tail", "both.width", "both.drawn.width")
    filled = op.fill({"times": 1, "both.width": 5, "both.drawn.width": 8})
    assert "seq(0, 8)" in str(schedule(filled, ZERO)) and "seq(0, 5)" in str(schedule(filled, ZERO))
    assert space(filled, ZERO) == Space()


def test_what_is_filled_inside_a_strategy_stays_so() -> None:
    op = scoped("one", both(1).fill({"both.drawn.width": 8})) >> identity
    assert space(op, ZERO) == Space()
    refused = decisions(op, ZERO, values={"one.both.drawn.width": 2})[0]
    assert refused.failure().message == "it has no hole 'one.both.drawn.width': it has none"


def test_an_op_in_an_argument_is_filled_from_outside() -> None:
    @named
    def twice(op: Op) -> Op:
        return op >> unroll_loop()

    inner = divide_loop(hole("w", (4, 8)), ("io", "ii"), tail="cut")
    assert space(twice(inner)).names == ("w",)
    assert twice(inner).fill({"w": 8}) == twice(divide_loop(8, ("io", "ii"), tail="cut"))
    assert space(twice(both(1))).names == ("twice.both.width",)


def test_a_value_that_is_no_candidate_of_a_drawn_hole_is_refused() -> None:
    outcome = both(1).fill({"both.drawn.width": 3})(ZERO)
    assert not isinstance(outcome, Success)
    assert "both.drawn.width can't be 3: its candidates are 2, 4, 8" in str(outcome.failure())
    outcome, _ = decisions(strips(hole("w", (4, 8))), ZERO, values={"w": 5})
    assert "w can't be 5" in str(outcome.failure())


@strategy
def branching(p: Proc, c: Cursor) -> Script:
    width = yield hole("width", (2, 4, 8))
    if width == 8:
        yield hole("rare", (1, 2))
    yield strips(width)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("branching.widht", "it has no hole 'branching.widht' (did you mean 'branching.width'?)"),
        ("branchng.width", "(did you mean 'branching.width'?)"),
        ("branching.inner.width", "it has no hole 'branching.inner.width'"),
        ("width", "its holes are branching.width"),
    ],
)
def test_a_name_that_no_hole_has_is_refused_when_that_is_known(name: str, said: str) -> None:
    for outcome in (branching().fill({name: 4})(ZERO), decisions(branching(), ZERO, values={name: 4})[0]):
        assert said in outcome.failure().message
    with pytest.raises(SchedulingError, match="it has no hole"):
        schedule(identity >> branching().fill({name: 4}), ZERO)


def test_a_hole_that_is_not_reached_may_have_a_value() -> None:
    """In a branch, in another option, in an alternative that is not tried."""
    op = pick("how", {"a": branching(), "b": strips(5)})
    for values in ({"branching.rare": 2}, {"how": "b", "branching.width": 4}, {"how": "b", "branching.rare": 2}):
        assert isinstance(op.fill(values)(ZERO), Success)
        assert isinstance(decisions(op, ZERO, values=values)[0], Success)
    assert op.fill({"how": "b", "branching.width": 4}) == strips(5)
    either = strips(5) | branching()
    assert isinstance(either.fill({"branching.width": 4})(ZERO), Success)
    assert "no hole" in str(either.fill({"branching.widht": 4})(ZERO))


def test_values_outside_of_a_limit_are_refused() -> None:
    op = limited(strips(hole("rows", (4, 8))) >> strips(hole("columns", (3, 9)), loop="j"), fit, "rows", "columns")
    with pytest.raises(ValueError, match="fit does not hold of rows = 8, columns = 9"):
        op.fill({"rows": 8, "columns": 9})
    outcome, made = decisions(attempt(op) >> rename("whole"), ZERO, values={"rows": 8, "columns": 9})
    assert len(outcome.unwrap()[0].history()) == 1 and [d.name for d in made] == ["rows", "columns"]


# -- spaces -------------------------------------------------------------------------------------------

NESTED = pick(
    "how",
    {
        "a": strips(hole("w", (2, 4))) >> strips(hole("v", (3, 5, 7)), loop="j"),
        "b": strips(hole("u", (2, 4))),
        "c": identity,
    },
)


def test_holes_count_where_the_choice_leads_to_them() -> None:
    found = space(NESTED)
    assert found.size == 9 and len(list(found.assignments())) == 9
    assert list(found.assignments())[-1] == {"how": "c"}
    assert found.defaults() == {"how": "a", "w": 2, "v": 3}
    assert found.completed({"how": "b", "w": 4}) == {"how": "b", "u": 2}
    with pytest.raises(ValueError, match="can't be 9"):
        found.completed({"v": 9})


def test_a_hole_under_two_labels_counts_under_both() -> None:
    w = hole("w", (2, 4))
    found = space(pick("how", {"a": strips(w), "b": strips(w, "guard"), "c": identity}))
    assert found.size == 5 and [c.under for c in found.choices][1] == ((("how", "a"),), (("how", "b"),))


def test_a_space_that_is_not_known_yet_says_so() -> None:
    assert str(space(drawn(1))) == "no holes are known before it runs: space(op, p)"
    assert str(space(drawn(1), ZERO)) == "drawn.width: 2, 4, 8 (default 2)"
    assert str(space(strips(4))) == "no holes"
    op = pick("how", {"as it is": identity, "drawn": drawn(1)})
    assert str(space(op)).endswith("\nfurther holes may be known when it runs: space(op, p)")


def test_the_holes_of_other_options_are_in_the_space() -> None:
    inner = pick("inner", {"none": identity, "in strips": branching()})
    found = space(pick("how", {"as it is": identity, "drawn": drawn(1), "more": inner}), ZERO)
    assert found.names == ("how", "inner", "drawn.width", "branching.width")
    assert str(found).splitlines()[2:] == [
        "drawn.width: 2, 4, 8 (default 2, where how = 'drawn')",
        "branching.width: 2, 4, 8 (default 2, where how = 'more' and inner = 'in strips')",
    ]
    assert found.size == 1 + 3 + 1 + 3


def test_random_assignments_and_neighbours_are_in_the_space() -> None:
    op = NESTED >> strips(hole("rows", (4, 8, 16)))
    found = space(limited(op, lambda rows, how: rows < 16 or how == "c", "rows", "how"))
    everything = list(found.assignments())
    assert all(found.random(Random(k)) in everything for k in range(20))
    assert found.random(Random(7)) == found.random(Random(7))
    for values in everything:
        assert all(near in everything and near != values for near in found.neighbours(values))


def test_limits_that_nothing_meets_leave_nothing() -> None:
    found = space(limited(strips(hole("rows", (4, 8))), lambda rows: rows > 9, "rows"))
    assert list(found.assignments()) == [] and found.random(Random(1)) is None


def test_spaces_of_several_runs_are_joined() -> None:
    op = pick("how", {"a": drawn(1), "b": both(1)})
    first, second = space(op, ZERO), space(op.fill({"how": "b"}), ZERO)
    assert first.names == ("how", "both.width", "drawn.width", "both.drawn.width") and second == Space()
    outcome, made = decisions(op, ZERO, values={"how": "b"})
    assert isinstance(outcome, Success) and [d.name for d in made] == ["how", "both.drawn.width", "both.width"]


# -- what is told of them -----------------------------------------------------------------------------


def test_explain_tells_what_was_chosen() -> None:
    text = explain(trace(pick("how", {"a": both(1), "b": identity}), ZERO)[1])
    lines = [line.strip() for line in text.splitlines()]
    for said in ("how = 'a' (of 'a', 'b')", "both.drawn.width = 2 (of 2, 4, 8)", "both.width = 3 (of 3, 5)"):
        assert said in lines


def test_lint_finds_choices_that_are_none() -> None:
    @named
    def deaf(tail: str) -> Op:
        return strips(4)

    rows, columns = hole("rows", (4, 100)), hole("columns", (2, 6))
    faulty = {
        "one candidate": strips(hole("w", (4,))),
        "can't be 'b'": pick("how", {"a": simplify(), "b": fail()}),
        "the hole is unused": deaf(hole("tail", ("cut", "guard"))),
        "never holds where rows is 100": limited(strips(rows) >> strips(columns, loop="j"), fit, "rows", "columns"),
    }
    for said, op in faulty.items():
        [fault] = lint(op)
        assert said in fault.why
    assert not lint(pick("how", {"a": both(hole("times", (1, 2))), "b": simplify()}))
    laws = [fault.law[:2] for fault in lint(seq(pick("how", {"a": fail(), "b": fail("no")}), simplify()))]
    assert laws == ["S3", "H2"]
