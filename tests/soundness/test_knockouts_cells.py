"""What is known of elements that are taken as indices, knocked out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from exo_strat import Proc, at, proc_from_source, schedule
from exo_strat.frontend import check_cells
from exo_strat.ir import cells
from exo_strat.ir.nodes import Call, Cell
from exo_strat.logic.effects import accesses
from exo_strat.logic.forms import affine
from exo_strat.logic.solver import elements, proofs
from exo_strat.primitives import PRIMITIVES, framework
from exo_strat.testing import Miscompiled, assert_equivalent

Caught = Callable[..., None]


@pytest.fixture(autouse=True)
def _nothing_is_remembered() -> Iterator[None]:
    memos: tuple[Any, ...] = (elements._grounded, proofs._prove)
    for memo in memos:
        memo.cache_clear()
    yield
    for memo in memos:
        memo.cache_clear()


@pytest.mark.parametrize("primitive", ["reverse_loop"])
def test_the_iterators_in_places_are_not_renamed(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    subst = affine._subst_atom
    monkeypatch.setattr(affine, "_subst_atom", lambda a, env: None if isinstance(a, affine.Element) else subst(a, env))
    must_be_caught(primitive, "scattered")


@pytest.mark.parametrize("primitive", ["parallelize_loop"])
def test_rising_is_turned_round(primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught) -> None:
    ge = elements.ge
    monkeypatch.setattr(elements, "ge", lambda x, y=0: ge(-x, 0) if y == 0 and _is_step(x) else ge(x, y))
    must_be_caught(primitive, "rows")


def _is_step(x: Any) -> bool:
    """Whether a form is the difference of two elements."""
    return len(x.terms) == 2 and all(isinstance(a, affine.Element) for a, _ in x.terms)


@pytest.mark.parametrize("primitive", ["reorder_stmts"])
def test_a_read_in_a_place_is_no_access(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    reads_of = accesses.reads_of
    monkeypatch.setattr(accesses, "reads_of", lambda e: () if isinstance(e, Cell) else reads_of(e))
    must_be_caught(primitive, "clamped")


@pytest.mark.parametrize("primitive", ["stage_mem"])
def test_nobody_looks_at_what_indices_are_taken_from(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(framework, "_cells_still_good", lambda _: None)
    must_be_caught(primitive, "gathered")


@pytest.mark.parametrize("primitive", ["parallelize_loop"])
def test_what_a_callee_writes_is_ignored(primitive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    swap = proc_from_source("def swap(n: size, idx: i32[n]):\n    for i in seq(0, n):\n        idx[i] = 0.0")
    text = """
    def foo(n: size, idx: i32[n], x: f32[n]):
        assert within(idx, 0, n)
        swap(n, idx)
        for i in seq(0, n):
            x[idx[i]] = f32(i)
    """
    asserted = text.replace("n)\n        swap", "n) and distinct(idx)\n        swap")
    written = cells.written_args
    own = {id(swap.tree): frozenset[Any]()}
    with pytest.raises(ValueError, match="idx is written here"):
        proc_from_source(asserted, {"swap": swap})
    for where in (cells, check_cells):
        monkeypatch.setattr(where, "written_args", lambda tree: own[id(tree)] if id(tree) in own else written(tree))
    p: Proc = proc_from_source(asserted, {"swap": swap})
    assert any(isinstance(s, Call) for s in p.tree.body)
    q = schedule(at("for i in _: _", PRIMITIVES[primitive]()), p)
    monkeypatch.undo()
    with pytest.raises(Miscompiled):
        assert_equivalent(p, q)
