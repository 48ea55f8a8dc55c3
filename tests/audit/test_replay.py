"""What a replay hears: every question that a fresh process would ask, whatever is remembered."""

from __future__ import annotations

import pytest
from returns.result import Success

from exo_strat import Proc, at, divide_loop, fission, proc_from_source, reorder_loops, schedule, unroll_loop
from exo_strat.audit import Replayed, ReplayError, cvc5, distinct, recheck, replay
from exo_strat.audit.check import NoSecondSolverError
from exo_strat.audit.replay import versions
from exo_strat.cursors.proc import Rewritten, _next_version
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.direct import call_eqv, inline, rename, set_memory, stage_mem
from exo_strat.ir.memo import forget
from exo_strat.ir.memory import DRAM_STACK
from exo_strat.logic.solver.answers import Question, listening
from exo_strat.primitives import PRIMITIVES
from exo_strat.testing.applications import applications
from exo_strat.testing.choices import Choices
from exo_strat.testing.harness import examples, shapes_for
from exo_strat.testing.programs import random_proc

BLUR = """
def blur(n: size, x: f32[n + 2], y: f32[n]):
    for i in seq(0, n):
        y[i] = x[i] + x[i + 1]
        y[i] += x[i + 2]
"""

BLOCKED = at("for i in _: _", divide_loop(8, ("io", "ii"), tail="cut"))


def heard(steps: tuple[Replayed, ...]) -> list[Question]:
    return [q for s in steps for q in s.questions]


def test_every_rewrite_and_the_definition_are_replayed() -> None:
    blur = proc_from_source(BLUR)
    p = schedule(BLOCKED >> at("for ii in _: _", unroll_loop()), blur)
    steps = replay(p)
    assert [(s.proc, s.number, s.op.partition("(")[0]) for s in steps] == [
        ("blur", 0, ""),
        ("blur", 1, "divide_loop"),
        ("blur", 2, "unroll_loop"),
    ]
    assert str(steps[0]) == "the definition of blur"
    assert str(steps[1]).endswith("at `for i in seq(0, n):`")
    assert all(s.questions for s in steps[:2])
    assert any("out of bounds" in q.obligation for q in steps[0].questions)


def test_what_is_remembered_does_not_hide_a_question() -> None:
    forget()
    with listening() as fresh:
        p = schedule(BLOCKED, proc_from_source(BLUR))
    warm = heard(replay(p))
    assert warm == fresh
    assert heard(replay(p)) == warm
    assert warm != []


def test_the_target_of_a_rewrite_may_be_a_block_or_a_gap() -> None:
    p = proc_from_source(BLUR)
    loop = p.find_loop("i")
    staged = stage_mem(p, loop.body(), "y[i:i + 1]", "t")  # type: ignore[union-attr]
    split = fission()(p, loop.body()[0].after())  # type: ignore[union-attr, index]
    assert isinstance(split, Success)
    for q in (staged, split.unwrap()[0]):
        assert replay(q)[-1].number == 1


def test_callees_and_procedures_given_to_rewrites_are_replayed_too() -> None:
    double = proc_from_source("def double(n: size, x: [f32][n]):\n    for i in seq(0, n):\n        x[i] = 2.0 * x[i]")
    env = {"double": double}
    caller = proc_from_source("def twice(x: f32[9]):\n    double(9, x[0:9])\n    double(4, x[0:4])", env)
    fast = rename(schedule(BLOCKED, double), "double_fast")
    p = inline(call_eqv(caller, "double(_)", fast), "double_fast(_)")
    made = [(s.proc, s.number) for s in replay(p)]
    assert sorted(made) == [("double", 0), ("double", 1), ("double_fast", 2), ("twice", 0), ("twice", 1), ("twice", 2)]
    assert [v for _, v in versions(caller)] == [double, caller]


def test_versions_that_two_procedures_share_are_replayed_once() -> None:
    double = proc_from_source("def double(n: size, x: [f32][n]):\n    for i in seq(0, n):\n        x[i] = 2.0 * x[i]")
    one = rename(schedule(BLOCKED, double), "one")
    two = rename(schedule(BLOCKED, double), "two")
    both = proc_from_source(
        "def both(x: f32[9]):\n    one(9, x[0:9])\n    two(4, x[0:4])\n    double(3, x[0:3])",
        {"one": one, "two": two, "double": double},
    )
    assert sorted((s.proc, s.number) for s in replay(both)) == [
        ("both", 0), ("double", 0), ("double", 1), ("double", 1), ("one", 2), ("two", 2),
    ]  # fmt: skip


def test_a_history_that_was_tampered_with_is_reported() -> None:
    p = schedule(BLOCKED, proc_from_source(BLUR))
    assert p.parent is not None
    assert p.rewritten is not None
    other = set_memory(stage_mem(p.parent, "for i in _: _", "y[0:n]", "t"), "t", DRAM_STACK)
    forged = _next_version(p.parent, other.tree, p.rewritten, True)
    with pytest.raises(ReplayError, match="gives another procedure now"):
        replay(forged)


def test_an_edit_that_no_primitive_made_is_reported() -> None:
    p = proc_from_source(BLUR)
    rw = Rewrite(p)
    rw.set((("body", 0),), mode="par")
    with pytest.raises(ReplayError, match="is not one that can be replayed"):
        replay(rw.finish("by hand", (("body", 0),)))


def test_a_rewrite_that_is_refused_now_is_reported() -> None:
    text = "def sweep(n: size, a: f32[n + 1, n + 1]):\n    for i in seq(0, n):\n        for j in seq(0, n):\n"
    p = proc_from_source(text + "            a[i + 1, j] = a[i, j + 1]")
    forged = _next_version(p, p.tree, Rewritten(reorder_loops(), (), (("body", 0),), p.find_loop("i")), True)  # type: ignore[arg-type]
    with pytest.raises(ReplayError, match=r"refused now: .*iterations of i and j"):
        replay(forged)


def test_progress_is_told_from_nothing_to_all() -> None:
    seen: list[tuple[int, int]] = []
    replay(schedule(BLOCKED, proc_from_source(BLUR)), lambda done, total: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2), (2, 2)]


def accepted(name: str, programs: int) -> list[Proc]:
    """What a primitive makes of random programs."""
    found: list[Proc] = []
    for seed in range(programs):
        ch = Choices.seeded(seed, [])
        p = random_proc(ch, shapes_for(PRIMITIVES[name]))
        outcomes = [op(q, c) for q, op, c in applications(ch, p, PRIMITIVES[name])] if p is not None else []
        found += [o.unwrap()[0] for o in outcomes if isinstance(o, Success)]
    return found


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_random_rewrites_replay_and_a_second_solver_confirms_them(name: str) -> None:
    obligations = distinct(step for q in accepted(name, examples(4)) for step in replay(q))
    try:
        findings = recheck(obligations, cvc5())
    except NoSecondSolverError as e:
        pytest.skip(str(e))
    assert [(f.obligation.text, f.said) for f in findings if f.outcome == "disagrees"] == []
