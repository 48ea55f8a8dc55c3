"""The harness finds what goes wrong when rewrites of arithmetic, inlined values and windows, calls that do nothing
and reductions leave out a condition, or get something a little wrong; see `test_knockouts`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyrsistent import pvector

from exo_strat.ir import build as b
from exo_strat.ir.nodes import Binary, Interval, Read, WindowExpr
from exo_strat.ir.reductions import made_by
from exo_strat.logic.effects import dependence
from exo_strat.logic.effects.dependence import SAFE
from exo_strat.logic.questions import evaluation, safety
from exo_strat.primitives import arithmetic, inlining, staging, stubs, writes
from exo_strat.primitives.procs import Actuals

Caught = Callable[..., None]

def always(answer: object) -> Callable[..., object]:
    return lambda *_, **__: answer


# where the condition stands, its name, what it is replaced by, who asks, shapes of programs if not the usual ones
CONDITIONS: list[tuple[Any, str, object, str, str]] = [
    (arithmetic, "ASSOCIATIVE", ("+", "*", "-"), "left_reassociate_expr", ""),
    (arithmetic, "ASSOCIATIVE", ("+", "*", "-", "/"), "left_reassociate_expr", ""),
    (arithmetic, "_made_by", lambda e, op: e if isinstance(e, Binary) else None, "left_reassociate_expr", ""),
    # split_write
    (arithmetic, "_not_read", always(SAFE), "split_write", ""),
    (safety, "apart", always(SAFE), "split_write", ""),
    (arithmetic, "windows_at", always({}), "split_write", "windows"),
    (arithmetic, "parts", lambda op, e: made[1:] if (made := made_by(e)) else None, "split_write", ""),
    (arithmetic, "made_by", lambda e: ("+", *made[1:]) if (made := made_by(e)) else None, "split_write", ""),
    # fold_into_reduce
    (arithmetic, "_same_place", always(SAFE), "fold_into_reduce", ""),
    (safety, "equal_at", always(SAFE), "fold_into_reduce", ""),
    (arithmetic, "made_by", lambda e: ("+", e.lhs, e.rhs) if isinstance(e, Binary) else None, "fold_into_reduce", ""),
    (arithmetic, "made_by", lambda e: ("max", *made[1:]) if (made := made_by(e)) else None, "fold_into_reduce", ""),
    # lift_reduce_constant
    (arithmetic, "_is_zero", always(True), "lift_reduce_constant", ""),
    (arithmetic, "_only_sums", always(None), "lift_reduce_constant", ""),
    (arithmetic, "_same_place", always(SAFE), "lift_reduce_constant", ""),
    (safety, "unchanged", always(SAFE), "lift_reduce_constant", ""),
    (evaluation, "has_value", always(SAFE), "lift_reduce_constant", ""),
    (arithmetic, "_surely_runs", always(True), "lift_reduce_constant", ""),
    # inline_assign
    (inlining, "_not_after", always(None), "inline_assign", ""),
    (inlining, "_not_later", always(None), "inline_assign", ""),
    (inlining, "_is_after", always(False), "inline_assign", ""),
    (inlining, "_shared_loops", always(()), "inline_assign", ""),
    (inlining, "_operands_stay", always(None), "inline_assign", ""),
    (inlining, "_evaluates_later", always(False), "inline_assign", ""),
    (safety, "apart", always(SAFE), "inline_assign", ""),
    (safety, "carried", always(SAFE), "inline_assign", ""),
    (safety, "equal_at", always(SAFE), "inline_assign", ""),
    # insert_noop_call
    (stubs, "_does_nothing", always(None), "insert_noop_call", ""),
    (stubs, "call_error", always(None), "insert_noop_call", ""),
    (safety, "effects", always([]), "insert_noop_call", ""),
    (evaluation, "runs", always(SAFE), "insert_noop_call", "temporary"),
    # reductions
    (writes, "combined", lambda op, one, two: Binary("+", one, two), "merge_writes", ""),
    (staging, "NEUTRAL", {"+": 0.0, "*": 0.0}, "stage_mem", "accumulation patch rivals"),
    (staging, "NEUTRAL", {"+": 0.0, "*": 1.0, "min": 0.0, "max": 0.0}, "stage_mem", "accumulation patch rivals"),
]


@pytest.mark.parametrize(("where", "name", "answer", "primitive", "shapes"), CONDITIONS)
def test_a_condition_that_is_not_asked(
    where: Any, name: str, answer: object, primitive: str, shapes: str, monkeypatch: pytest.MonkeyPatch,
    must_be_caught: Caught,
) -> None:  # fmt: skip
    monkeypatch.setattr(where, name, answer)
    must_be_caught(primitive, shapes)


# -- windows --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("primitive", ["inline_window"])
def test_offsets_of_a_window_that_are_lost(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(Actuals, "_read", lambda _, actual, idx: kept(actual, idx))
    must_be_caught(primitive)


def kept(actual: Any, idx: Any) -> Any:
    """An element of a window, as if the window began where its buffer does."""
    if not idx:
        return actual
    inner = iter(idx)
    return Read(actual.sym, pvector(next(inner) if isinstance(d, Interval) else d.pt for d in actual.idx))


@pytest.mark.parametrize("primitive", ["inline_window"])
def test_a_window_of_a_window_that_is_taken_for_one_of_the_buffer(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(Actuals, "_window", lambda _, actual, dims: WindowExpr(actual.sym, actual.idx))
    must_be_caught(primitive, "windows")


@pytest.mark.parametrize("primitive", ["inline_window"])
def test_a_point_of_a_window_that_is_lost(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    def first(_: Actuals, actual: Any, idx: Any) -> Any:
        inner = iter(idx)
        place = [b.add(d.lo, next(inner)) if isinstance(d, Interval) else b.ZERO for d in actual.idx] if idx else []
        return Read(actual.sym, pvector(place)) if idx else actual

    monkeypatch.setattr(Actuals, "_read", first)
    must_be_caught(primitive)


# -- accumulations by different operators -----------------------------------------------------------------


@pytest.mark.parametrize("primitive", ["reorder_stmts", "fission", "fuse", "reorder_loops"])
def test_accumulations_that_commute_whatever_the_operator(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(dependence, "commuting", lambda one, two: one.kind == two.kind and one.kind in "RA")
    must_be_caught(primitive, "rivals")


@pytest.mark.parametrize("primitive", ["remove_loop", "add_loop"])
def test_accumulations_that_are_repeated_whatever_the_operator(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(safety, "IDEMPOTENT", frozenset(("+", "*", "min", "max")))
    must_be_caught(primitive, "rivals")


@pytest.mark.parametrize("primitive", ["stage_mem"])
def test_a_block_that_accumulates_by_two_operators(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(safety, "only_accumulates", always(True))
    must_be_caught(primitive, "rivals")
