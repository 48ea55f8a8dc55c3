"""Faults that show before a strategy is applied; and what is known of how Ops may end, held against runs.

Strategies are drawn as data, and applied to random programs.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from returns.result import Success

from exo_strat import (
    DRAM,
    PRIMITIVES,
    Exhausted,
    InvalidCursor,
    Op,
    Proc,
    Trace,
    at,
    attempt,
    can_fail,
    can_succeed,
    choose,
    divide_loop,
    expect,
    fail,
    fix,
    guard,
    identity,
    lint,
    moves,
    named,
    nav,
    not_,
    parallelize_loop,
    reduce,
    remove_loop,
    rename,
    reorder_loops,
    repeat,
    repeat_n,
    savec,
    seq,
    set_memory,
    simplify,
    strategy,
    trace,
    try_else,
    unroll_loop,
    when,
    where,
)
from exo_strat.ops.combinators import free_labels
from exo_strat.ops.prospects import prospects
from exo_strat.ops.traversals import (
    all_,
    everywhere_bu,
    everywhere_td,
    frontier_td,
    loops,
    normalize,
    nowhere,
    once_td,
    one,
    some,
    try_everywhere_td,
)
from exo_strat.testing import procs
from exo_strat.testing.applications import applications
from exo_strat.testing.choices import Choices
from exo_strat.testing.harness import shapes_for
from exo_strat.testing.programs import random_proc

A, B = unroll_loop(), divide_loop(4, ("io", "ii"))


@named
def until_done(op: Op) -> Op:
    return repeat(attempt(op))


@strategy
def opaque(p, c, op):  # type: ignore[no-untyped-def]
    yield op


FAULTY: list[tuple[Op, str, Op | None]] = [
    (repeat(attempt(A)), "R7", repeat(A)),
    (repeat(attempt(A), limit=7), "R7", repeat(A, limit=7)),
    (repeat(identity), "R7", None),
    (repeat(simplify()), "R7", None),
    (repeat(repeat(A)), "R7", None),
    (repeat(frontier_td(A)), "R7", None),
    (repeat(where(A)), "R7", None),
    (repeat(nav(moves.here)), "R7", None),
    (repeat(reorder_loops()), "R5", None),
    (normalize(reorder_loops()), "R5", None),
    (normalize(try_else(rename("a"), set_memory(DRAM))), "R5", None),
    (until_done(A), "R7", repeat(A)),
    (fix(lambda x: x), "R3", None),
    (fix(lambda x: try_else(x, A)), "R3", None),
    (fix(lambda x: seq(where(A), attempt(x))), "R3", None),
    (fix(lambda x: once_td(A)), "R3", once_td(A)),
    (everywhere_td(B), "R3", None),
    (try_everywhere_td(B), "R3", None),
    (repeat(fail()), "R4", identity),
    (repeat_n(A, 0), "S2", identity),
    (try_else(identity, A), "C3", identity),
    (try_else(A, simplify(), B), "C3", try_else(A, simplify())),
    (try_else(attempt(A), B), "C3", attempt(A)),
    (attempt(simplify()), "C3", simplify()),
    (try_else(fail("no"), A), "C2", A),
    (try_else(A, once_td(fail()), B), "C2", try_else(A, B)),
    (try_else(A, B, A), "C4", try_else(A, B)),
    (try_else(A, seq(A, B)), "C5", A),
    (guard(identity, A, B), "G1", seq(identity, A)),
    (guard(fail(), A, B), "G1", B),
    (choose(len, A, B, A), "C4", choose(len, A, B)),  # type: ignore[arg-type]
    (seq(fail("no"), A), "S3", fail("no")),
    (seq(A, not_(attempt(B)), A), "S3", seq(A, not_(attempt(B)))),
    (seq(where(A), A, B), "T3", seq(A, B)),
    (seq(where(seq(A, B)), A, B), "T3", seq(A, B)),
    (seq(repeat(A), repeat(A)), "R6", repeat(A)),
    (seq(repeat(A), not_(A)), "R5", repeat(A)),
    (not_(not_(A)), "T2", where(A)),
    (not_(attempt(A)), "T1", None),
    (not_(fail()), "T1", identity),
    (where(attempt(A)), "T3", identity),
    (where(where(A)), "T3", where(A)),
    (savec(where(A)), "K4", where(A)),
    (all_(identity), "A1", identity),
    (one(fail("no")), "A1", fail("no")),
    (opaque(repeat(attempt(A))), "R7", repeat(A)),
]

SOUND: list[Op] = [
    repeat(A),
    repeat(at("for i in _: _", A)),
    normalize(A),
    repeat(try_else(A, seq(nav(moves.parent), reorder_loops()))),
    repeat_n(reorder_loops(), 2),
    attempt(A),
    try_else(A, B, fail("neither unrolls nor divides")),
    try_else(seq(A, B), A),
    seq(expect("seq 4"), A),
    seq(where(A), B),
    guard(A, B),
    fix(lambda x: try_else(A, one(x))),
    fix(lambda x: attempt(seq(A, x))),
    fix(lambda x: seq(attempt(A), all_(x))),
    seq(simplify(), fail("always")),
    when(bool, A),
    nowhere(A),
    everywhere_td(attempt(A)),
    everywhere_bu(attempt(B)),
    opaque(A),
    savec(nav(moves.parent)),
]


@pytest.mark.parametrize(("op", "law", "better"), FAULTY, ids=lambda x: str(x)[:40])
def test_a_fault_names_a_law_and_what_to_write_instead(op: Op, law: str, better: Op | None) -> None:
    faults = lint(op)
    assert faults, "no fault was found"
    assert faults[0].law.startswith(f"{law}: ") and faults[0].better == better


@pytest.mark.parametrize("op", SOUND, ids=lambda x: str(x)[:40])
def test_no_fault_is_found_where_there_is_none(op: Op) -> None:
    assert lint(op) == ()


def test_a_fault_prints() -> None:
    assert str(lint(seq(rename("a"), until_done(A)))[0]) == """\
repeat(attempt(unroll_loop())), in until_done(unroll_loop())
    attempt(unroll_loop()) can't fail, so nothing ends the repetition
    law R7: repeat(attempt(s)) and repeat(identity) never end
    instead: repeat(unroll_loop())"""


def test_each_fault_is_reported_once() -> None:
    endless = repeat(attempt(A))
    assert len(lint(seq(endless, B, endless))) == 1


# -- on runs ------------------------------------------------------------------------------------------------

LEAVES = st.sampled_from([  # none goes up or makes more to go into, so that every traversal ends
    identity, fail("no"), reorder_loops(), unroll_loop(), simplify(), remove_loop(), parallelize_loop(),
    nav(moves.here), nav(moves.body >> moves.nth(0)), expect("seq _ > ..."), opaque(reorder_loops()),
])  # fmt: skip


def _composed(s: st.SearchStrategy[Op]) -> st.SearchStrategy[Op]:
    one_op: list[Callable[[Op], Op]] = [
        attempt, where, not_, savec, all_, one, some, once_td, frontier_td, everywhere_td, nowhere, normalize_a_little,
        lambda x: repeat(x, 4), lambda x: repeat_n(x, 2), lambda x: when(lambda c: len(str(c)) % 2 == 0, x),
        lambda x: at("for _ in _: _", x), lambda x: reduce(x, loops), lambda x: fix(lambda y: try_else(x, one(y))),
    ]  # fmt: skip
    return st.one_of(
        st.builds(lambda f, x: f(x), st.sampled_from(one_op), s),
        st.builds(lambda f, x: f(*x), st.sampled_from([seq, try_else]), st.lists(s, min_size=2, max_size=3)),
        st.builds(guard, s, s, s),
        st.builds(lambda *x: choose(lambda p: len(str(p)), *x), s, s),
    )


@named
def normalize_a_little(op: Op) -> Op:
    return repeat(once_td(op), 4)


STRATEGIES = st.recursive(LEAVES, _composed, max_leaves=5)
PROGRAMS = procs(["nest", "sequence", "decided"])


def left_aside(t: Trace) -> bool:
    """Whether something happened that the laws leave aside."""
    return any(isinstance(x.failure, Exhausted | InvalidCursor) for x in t.walk())


@given(STRATEGIES, PROGRAMS)
def test_what_is_said_not_to_happen_does_not(op: Op, p: Proc) -> None:
    for t in trace(op, p, p.body()[0])[1].walk():
        if left_aside(t):
            continue
        f = prospects(t.op)
        assert f.fails if t.failure else f.succeeds
        if isinstance(t.outcome, Success):
            q, c = t.outcome.unwrap()
            assert f.rewrites or q is t.place.proc
            assert f.moves or c == q.forward(t.place)
            again = trace(t.op, q, c)[1]
            assert f.ends or again.failure is None or left_aside(again)


UNEQUAL = ("R7", "R5: repeat(s) = repeat(s) >> not_(s)", "R3: fix(f)")
"""The laws that say that an Op never ends: what is suggested is another one."""


@given(STRATEGIES, PROGRAMS)
def test_what_is_suggested_does_the_same(op: Op, p: Proc) -> None:
    faults = [f for f in lint(op) if f.better is not None and not f.law.startswith(UNEQUAL)]
    for fault in [f for f in faults if not free_labels(f.op)][:3]:
        old, new = (trace(o, p, p.body()[0])[1] for o in (fault.op, fault.better) if o is not None)
        if left_aside(old) or left_aside(new):
            continue
        assert (old.failure is None) == (new.failure is None), str(fault)
        if isinstance(old.outcome, Success) and isinstance(new.outcome, Success):
            (q, c), (r, d) = old.outcome.unwrap(), new.outcome.unwrap()
            assert q == r and c.place() == d.place(), str(fault)


def test_the_generator_meets_most_laws() -> None:
    seen: set[str] = set()

    @settings(max_examples=800, database=None, derandomize=True)
    @given(STRATEGIES)
    def draw(op: Op) -> None:
        seen.update(f.law.partition(":")[0] for f in lint(op))

    draw()
    assert seen >= {"R7", "R5", "R4", "C2", "C3", "C4", "S3", "T3", "G1", "A1"}


TOTAL = {name for name, op in PRIMITIVES.items() if op.spec.total}
AGAIN = {name for name, op in PRIMITIVES.items() if op.spec.again}


@pytest.mark.parametrize("name", sorted(AGAIN | TOTAL))
def test_these_primitives_apply_again_where_they_lead(name: str) -> None:
    met = 0
    for seed in range(8):
        choices = Choices.seeded(seed)
        p = random_proc(choices, shapes_for(PRIMITIVES[name]))
        for q, op, c in applications(choices, p, PRIMITIVES[name]) if p is not None else ():
            outcome = op(q, c)
            assert name not in TOTAL or isinstance(outcome, Success)
            if isinstance(outcome, Success):
                met += 1
                again = op(*outcome.unwrap())
                assert isinstance(again, Success) or "runs at least once" in again.failure().message
    assert met or name in RARE


RARE = ("call_eqv", "rearrange_dim", "transpose", "reorder_loops")
"""Primitives that few of the programs here suit."""


def test_what_can_fail_and_succeed() -> None:
    assert can_fail(A) and can_succeed(A)
    assert not can_fail(attempt(A)) and not can_succeed(seq(A, fail("no")))
