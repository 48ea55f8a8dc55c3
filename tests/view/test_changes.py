"""What a version changed: the kinds of lines, and where each was."""

from __future__ import annotations

import pytest
from returns.result import Success

from exo_strat import *
from exo_strat.testing.choices import Choices
from exo_strat.testing.harness import applications
from exo_strat.testing.programs import random_proc
from exo_strat.testing.shapes import SHAPES
from exo_strat.view import film
from exo_strat.view.changes import Changes, Kind, changes


@proc
def square(n: size, x: f32[n, n]):
    for i in seq(0, n):
        for j in seq(0, n):
            x[i, j] = 2.0 * x[i, j]
    x[0, 0] = 1.0


def last_change(p: Proc) -> Changes:
    found = film(p)
    return changes(found, len(found.frames) - 1)


def kinds(p: Proc) -> tuple[list[str], list[str]]:
    """The kinds of the lines before and after the last rewrite."""
    c = last_change(p)
    return [str(line.kind) for line in c.before], [str(line.kind) for line in c.after]


def test_what_is_new_and_edited() -> None:
    even = add_assertion.direct(square, "n % 4 == 0")
    q = schedule(at("for j in _: _", divide_loop(4, ("jo", "ji"), tail="perfect")), even)
    old, new = kinds(q)
    assert old == ["same", "same", "same", "edited", "edited", "same"]
    assert new == ["same", "same", "same", "edited", "new", "edited", "same"]


def test_what_is_gone() -> None:
    p = proc_from_source("def foo(x: f32[4]):\n    pass\n    x[0] = 1.0")
    assert kinds(delete_pass.direct(p)) == (["same", "gone", "same"], ["same", "same"])


@pytest.mark.parametrize("k", [-1, 0, 2])
def test_what_no_rewrite_made_has_no_changes(k: int) -> None:
    with pytest.raises(ValueError, match=f"no rewrite made version {k} of 2"):
        changes(film(rename.direct(square, "bar")), k)


def test_loops_that_change_places() -> None:
    c = last_change(reorder_loops.direct(square, "i"))
    assert [line.text.strip() for line in c.after[1:3]] == ["for j in seq(0, n):", "for i in seq(0, n):"]
    assert [str(line.kind) for line in c.after] == ["same", "moved", "same", "same", "same"] or [
        str(line.kind) for line in c.after
    ] == ["same", "moved", "moved", "same", "same"]


def test_copies_lead_to_what_was_copied() -> None:
    p = proc_from_source("def foo(x: f32[2]):\n    for i in seq(0, 2):\n        x[0] = 1.0")
    c = last_change(unroll_loop.direct(p, "i"))
    copies = [line for line in c.after if line.kind is Kind.COPIED]
    assert copies and all(c.before[line.other].text.strip() == line.text.strip() for line in copies)
    assert c.before[1].kind is Kind.GONE


def test_random_rewrites_are_classified_consistently() -> None:
    seen = 0
    for seed in range(20):
        ch = Choices.seeded(seed)
        p = random_proc(ch, tuple(SHAPES))
        if p is None:
            continue
        for primitive in list(PRIMITIVES.values())[seed % 7 :: 7]:
            for start, op, c in applications(ch, p, primitive):
                made = op(start) if c is None else op(start, c)
                if isinstance(made, Success) and (q := made.unwrap()[0]).parent is not None:
                    assert_consistent(last_change(q), str(q.parent).splitlines(), str(q).splitlines())
                    seen += 1
    assert seen > 30


def assert_consistent(c: Changes, old: list[str], new: list[str]) -> None:
    assert [line.text for line in c.before] == old and [line.text for line in c.after] == new
    for i, line in enumerate(c.after):
        assert line.kind is not Kind.GONE
        if line.kind is Kind.NEW:
            assert line.other == -1
        elif line.kind is not Kind.COPIED:
            assert c.before[line.other].other == i and c.before[line.other].kind is line.kind
        if line.kind is Kind.SAME:
            assert old[line.other] == line.text
    for line in c.before:
        assert (line.kind is Kind.GONE) == (line.other == -1)
