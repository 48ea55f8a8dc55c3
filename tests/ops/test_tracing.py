"""Traces: a tree of what was tried, and counts of it."""

from __future__ import annotations

from returns.result import Success

from exo_strat import (
    Counts,
    Trace,
    attempt,
    direct,
    divide_loop,
    fail,
    identity,
    lift,
    proc_from_source,
    rename,
    reorder_loops,
    repeat_n,
    seq,
    trace,
    try_else,
    where,
)
from exo_strat.ops.strategy import Op, Outcome

P = proc_from_source("""
def p(n: size, m: size, x: f32[n, m], y: f32[n]):
    for i in seq(0, n):
        for j in seq(0, m):
            y[i] += x[i, j]
""")
LOOP = P.body()[0]


def tree(t: Trace) -> object:
    """A trace as nested lists, what was refused marked."""
    return [("" if t.failure is None else "not ") + repr(t.op), *map(tree, t.inside)]


def seen(outcome: Outcome) -> object:
    """What can be compared of outcomes of two runs."""
    if isinstance(outcome, Success):
        p, c = outcome.unwrap()
        return p, c.place()
    return outcome.failure()


def test_a_trace_is_a_tree_of_what_was_tried() -> None:
    a, b = rename("a"), rename("b")
    outcome, t = trace(seq(try_else(seq(a, fail("no")), b), where(a)), P)
    assert isinstance(outcome, Success) and outcome.unwrap()[0].name() == "b"
    assert tree(t) == [
        "seq(try_else(seq(rename('a'), fail('no')), rename('b')), where(rename('a')))",
        [
            "try_else(seq(rename('a'), fail('no')), rename('b'))",
            ["not seq(rename('a'), fail('no'))", ["rename('a')"], ["not fail('no')"]],
            ["rename('b')"],
        ],
        ["where(rename('a'))", ["rename('a')"]],
    ]


def test_a_trace_changes_no_outcome() -> None:
    for op in (reorder_loops(), divide_loop(4, ("io", "ii"), tail="guard"), fail("no"), divide_loop(0, ("a", "b"))):
        outcome, t = trace(op, P, LOOP)
        assert outcome is t.outcome and seen(outcome) == seen(op(P, LOOP))


def test_counts() -> None:
    op = seq(attempt(fail("no")), reorder_loops(), where(rename("q")))
    counts = trace(op, P, LOOP)[1].counts
    # succeeded: seq, try_else, identity, reorder_loops, where, rename; what `where` tried is not kept
    assert (counts.rewrites, counts.steps, counts.tried) == (1, 6, 7)
    assert trace(fail("no"), P)[1].counts == Counts(0, 0, 1, 0)
    assert trace(identity, P)[1].counts == Counts(0, 1, 1, 0)


def test_questions_belong_to_the_op_that_asks_them() -> None:
    op = seq(where(rename("q")), divide_loop(4, ("io", "ii"), tail="perfect"))
    _, t = trace(op, P, LOOP)
    renamed, divided = t.inside
    assert t.failure is not None and not t.questions and not renamed.questions
    assert len(divided.questions) == t.counts.questions > 0


def test_counts_do_not_depend_on_what_was_done_before() -> None:
    op: Op = seq(divide_loop(4, ("io", "ii"), tail="cut"), reorder_loops() | identity)
    first = trace(op, P, LOOP)[1].counts
    op(P, LOOP)
    assert trace(op, P, LOOP)[1].counts == first


def test_rewrites_are_the_versions_that_led_to_the_result() -> None:
    twice = lift(lambda p, c: direct.rename(direct.rename(p, "a"), "b"))
    _, t = trace(seq(twice, where(rename("c")), rename("d")), P)
    assert [p.name() for p in t.rewrites()] == ["a", "b", "d"]
    assert t.rewrites()[0].parent is P and t.rewrites()[-1] is t.result
    assert [p.name() for p in t.inside[0].rewrites()] == ["a", "b"]


def test_what_is_refused_has_the_rewrites_up_to_there() -> None:
    refused = try_else(seq(rename("c"), fail("no")), fail("nor"))
    t = trace(seq(rename("a"), where(rename("z")), rename("b"), refused, rename("d")), P)[1]
    assert t.result is None and [p.name() for p in t.rewrites()] == ["a", "b"]
    assert t.reached.name() == "b" and t.counts.rewrites == 2


def test_traces_may_be_nested() -> None:
    seen: list[Counts] = []

    def look(p, c):  # type: ignore[no-untyped-def]
        seen.append(trace(rename("a"), p)[1].counts)
        return p

    assert trace(lift(look), P)[1].counts == Counts(0, 1, 1, 0)
    assert seen == [Counts(1, 1, 1, 0)]


def test_a_long_trace_meets_no_recursion_limit() -> None:
    deep: Op = identity
    for _ in range(3000):
        deep = where(deep)
    assert trace(deep, P)[1].counts.steps == 3001
    assert trace(repeat_n(identity, 3000), P)[1].counts.steps == 3001
