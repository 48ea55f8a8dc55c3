"""The harness finds what goes wrong when a guard is dropped and a question about it is not asked, or is asked with
something left out; see `test_knockouts`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from exo_strat.ir.span import Span
from exo_strat.ir.walk import walk
from exo_strat.logic.effects.accesses import Access, effects
from exo_strat.logic.effects.dependence import SAFE, Verdict, clash
from exo_strat.logic.questions import speculation as idle
from exo_strat.primitives import guards

Caught = Callable[..., None]

OF = pytest.mark.parametrize("primitive", ["drop_guard"])


@OF
@pytest.mark.parametrize("question", ["may_idle", "_unnoticed", "clash", "cover"])
def test_a_question_that_is_not_asked(
    primitive: str, question: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(idle, question, lambda *_, **__: SAFE)
    must_be_caught(primitive, "lanes")


@OF
def test_lanes_out_of_bounds(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(guards, "well_formed_at", lambda *_: None)
    must_be_caught(primitive, "lanes")


@OF
@pytest.mark.parametrize("kind", ["R", "A"])
def test_reads_that_do_not_count(
    primitive: str, kind: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    """Who else reads, or accumulates into, what is written in addition."""
    monkeypatch.setattr(idle, "effects", lambda *args: [a for a in effects(*args) if a.kind != kind])
    must_be_caught(primitive, "lanes")


@OF
def test_results_are_local(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    """Arguments are taken for buffers that nobody reads."""
    accesses = idle.Added.accesses

    def inside(added: idle.Added, blk: Span) -> list[Access]:
        return [a for a in accesses(added, blk) if blk.parent or blk.lo]

    monkeypatch.setattr(idle.Added, "accesses", inside)
    must_be_caught(primitive, "anything nest temporary")


@OF
def test_code_that_may_trap(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    monkeypatch.setattr(idle, "_lack", lambda *_: None)
    must_be_caught(primitive, "lanes")


@OF
def test_a_read_by_the_code_itself_where_the_condition_is_true(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    """Reads of the guarded code itself are left out."""

    def others(tree: Any, facts: Any, writes: Any, reads: Any, *rest: Any, **named: Any) -> Verdict:
        own = {id(n) for a in writes for _, n in walk(a.node)}
        return clash(tree, facts, writes, [a for a in reads if id(a.node) not in own], *rest, **named)

    monkeypatch.setattr(idle, "clash", others)
    must_be_caught(primitive, "lanes")
