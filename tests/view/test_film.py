"""The film: what is shown of each version, and where its lines come from."""

from __future__ import annotations

from itertools import pairwise

import pytest
from returns.result import Success

from exo_strat import *
from exo_strat.cursors.blocks import forward_path
from exo_strat.ir.printing import print_lines
from exo_strat.ir.walk import get
from exo_strat.testing.choices import Choices
from exo_strat.testing.harness import applications
from exo_strat.testing.programs import random_proc
from exo_strat.testing.shapes import SHAPES
from exo_strat.view import Film, film, reels
from exo_strat.view.film import Was, obligations


@proc
def gemm(m: size, n: size, k: size, a: f32[m, k], b: f32[k, n], c: f32[m, n]):
    for i in seq(0, m):
        for j in seq(0, n):
            for l in seq(0, k):  # noqa: E741
                c[i, j] += a[i, l] * b[l, j]


TILED = seq(
    at("for i in _: _", divide_loop(4, ("io", "ii"), tail="cut")),
    at("for j in _: _", divide_loop(8, ("jo", "ji"), tail="guard")),
    at("for ii in _: _", reorder_loops()),
    at("for ii in _: _ #1", attempt(unroll_loop())),
)


def lines_before(found: Film, k: int) -> list[tuple[Was, int]]:
    """Of each line of a version: what it was, and which line of the version before."""
    return [(r.was, r.a + n) for r in found.frames[k].runs for n in range(r.b if r.was is Was.SAME else 1)]


def assert_true_to(found: Film, versions: list[Proc]) -> None:
    """Every version is shown as it prints, and every line comes from where a cursor to it would."""
    assert len(found.frames) == len(versions)
    for k, p in enumerate(versions):
        assert found.lines(k) == str(p).splitlines()
    for k, (p, q) in enumerate(pairwise(versions), 1):
        old, new, came = print_lines(p.tree), print_lines(q.tree), lines_before(found, k)
        assert q.rewritten is not None
        for path, _ in old:
            to = None if path is None else forward_path(path, q.rewritten.edits)
            shown = [i for i, (at_, _) in enumerate(new) if at_ == to and to is not None]
            for i in shown:
                was, line = came[i]
                assert was in (Was.SAME, Was.EDITED)
                assert forward_path(old[line][0] or (), q.rewritten.edits) == to
        for i, (was, line) in enumerate(came):
            path = new[i][0]
            if was is Was.SAME:
                assert old[line][1] == new[i][1]
            if was is Was.COPIED and path is not None:
                assert get(q.tree, path) is get(p.tree, old[line][0] or ())


def versions_of(p: Proc) -> list[Proc]:
    return [*p.versions()][::-1]


def test_a_film_is_true_to_the_versions() -> None:
    q = schedule(TILED, gemm)
    assert_true_to(film(q), versions_of(q))


def test_a_strategy_is_filmed_from_where_it_began() -> None:
    start = schedule(rename("product"), gemm)
    outcome, t = trace(TILED, start)
    found = film(outcome.unwrap()[0], t)
    assert_true_to(found, versions_of(outcome.unwrap()[0])[1:])
    assert found.lines(0) == str(start).splitlines()


def test_random_rewrites_are_shown_as_they_are() -> None:
    seen = 0
    for seed in range(60):
        ch = Choices.seeded(seed)
        p = random_proc(ch, tuple(SHAPES))
        if p is None:
            continue
        for primitive in list(PRIMITIVES.values())[seed % 7 :: 7]:
            for start, op, c in applications(ch, p, primitive):
                made = op(start) if c is None else op(start, c)
                if isinstance(made, Success):
                    q = made.unwrap()[0]
                    assert_true_to(film(q), versions_of(q))
                    seen += 1
    assert seen > 100


def test_lines_that_stay_move_and_come_are_told_apart() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        x[i] = 1.0
        y[i] = 2.0
""")
    found = film(fission.direct(p, p.find("x[_] = _").after()))
    assert found.lines(1) == [
        "def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):",
        "    for i in seq(0, n):",
        "        x[i] = 1.0",
        "    for i in seq(0, n):",
        "        y[i] = 2.0",
    ]
    kinds = [was for was, _ in lines_before(found, 1)]
    assert kinds[:3] == [Was.SAME] * 3 and kinds[4] in (Was.SAME, Was.EDITED), "the assignments stay what they are"


def test_the_steps_lead_from_version_to_version() -> None:
    outcome, t = trace(TILED, gemm)
    found = film(outcome.unwrap()[0], t)
    whole = found.steps[0]
    assert (whole.depth, whole.first, whole.last) == (0, 0, len(found.frames) - 1)
    made = {s.last for s in found.steps if s.last == s.first + 1}
    assert made == set(range(1, len(found.frames)))


def test_a_rewrite_that_is_taken_back_leads_to_no_version() -> None:
    divided = at("for i in _: _", divide_loop(4, ("io", "ii"), tail="cut"))
    outcome, t = trace((divided >> fail("no")) | simplify(), gemm)
    found = film(outcome.unwrap()[0], t)
    [step] = [s for s in found.steps if s.op.startswith("divide_loop(")]
    assert (step.first, step.last, step.failed) == (0, -1, False)


def test_what_was_proved_is_told_of_each_rewrite() -> None:
    outcome, t = trace(TILED, gemm)
    found = film(outcome.unwrap()[0], t)
    proved = [o for f in found.frames[1:] for o in f.obligations or ()]
    assert [(o.answer, o.words.split(":")[0]) for o in proved] == [("proved", "the loop's range is not negative")]
    assert all(o.questions >= 1 and o.seconds >= 0 for o in proved)
    assert all(f.obligations is None for f in film(outcome.unwrap()[0]).frames)


def test_a_rewrite_that_changes_nothing_proves_nothing_of_the_one_before() -> None:
    last = at("for ii in _: _", attempt(parallelize_loop())) >> simplify() >> simplify()
    outcome, t = trace(at("for i in _: _", divide_loop(4, ("io", "ii"), tail="guard")) >> last, gemm)
    found = film(outcome.unwrap()[0], t)
    assert t.inside[-1].result is t.inside[-1].place.proc
    made = [x for x in t.walk() if x.result is not None and x.result.parent is x.place.proc and not x.inside]
    assert [f.obligations for f in found.frames[1:]] == [tuple(obligations(x.questions)) for x in made]
    assert any("no two iterations of ii" in o.words for f in found.frames for o in f.obligations or ())


def test_an_else_goes_with_its_branch() -> None:
    @proc
    def two(n: size, m: size, x: f32[n]):
        for i in seq(0, n):
            x[i] = 1.0
        if n < m:
            x[0] = 2.0
        else:
            x[0] = 3.0

    found = film(specialize.direct(two, two.find_loop("i"), ("n < 8",)))
    elses = [came for text, came in zip(found.lines(1), lines_before(found, 1), strict=True) if text == "    else:"]
    assert elses == [(Was.NEW, -1), (Was.SAME, found.lines(0).index("    else:"))]


def test_a_call_leads_to_the_film_of_what_it_calls() -> None:
    """Also where two procedures that are called have one name."""

    @proc
    def put(x: f32):
        x = 1.0  # noqa: F841

    @proc
    def again(x: f32):
        x = 2.0  # noqa: F841

    other = rename.direct(again, "put")

    @proc
    def both(x: f32, y: f32):
        put(x)
        other(y)

    procs = reels(both)
    found = film(both, among=procs)
    assert [procs[k] for k in found.calls.values()] == [put, other]
    assert [found.lines(0)[line].strip() for line in found.calls] == ["put(x)", "put_1(y)"]


def test_a_refused_alternative_has_its_reason_and_a_picture() -> None:
    p = proc_from_source("""
def shift(n: size, x: f32[n + 1]):
    for i in seq(0, n):
        x[i + 1] = x[i]
""")
    outcome, t = trace(at("for i in _: _", parallelize_loop()) | rename("other"), p)
    found = film(outcome.unwrap()[0], t)
    [refusal] = {s.refusal for s in found.steps if s.refusal is not None and s.refusal.picture}
    assert "i' = " in refusal.reason and refusal.picture.startswith("<svg")
    assert "--> " in refusal.place


def test_a_refused_strategy_is_filmed_as_far_as_it_came() -> None:
    _, t = trace(TILED >> at("for nowhere in _: _", unroll_loop()), gemm)
    found = film(t.reached, t)
    assert found.failure and len(found.frames) == len(t.rewrites()) + 1


@pytest.mark.parametrize("op", [rename("bar"), TILED])
def test_films_are_the_same_each_time(op: Op) -> None:
    p = schedule(op, gemm)
    assert film(p) == film(p)
