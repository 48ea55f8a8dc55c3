"""`schedule`: what it does besides calling an Op. `strategy`: at which kinds of focus it acts."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest

from exo_strat import (
    AssignCursor,
    BlockCursor,
    Cursor,
    ForCursor,
    Machine,
    NotApplicable,
    Op,
    Proc,
    ProcCursor,
    ReduceCursor,
    SchedulingError,
    Script,
    at,
    divide_loop,
    fission,
    identity,
    proc_from_source,
    schedule,
    strategy,
    unroll_loop,
    when,
)

if TYPE_CHECKING:
    from exo_strat import AllocCursor as OnlyForTypes

P = proc_from_source("""
def foo(x: f32[4]):
    for i in seq(0, 4):
        x[i] = 0.0
""")


def is_off(c: Cursor) -> bool:
    """Whether Python looks for no garbage."""
    return not gc.isenabled()


def is_off_after_a_schedule(c: Cursor) -> bool:
    """The same after a schedule in a schedule."""
    schedule(identity, P)
    return not gc.isenabled()


def test_python_looks_for_no_garbage_during_a_schedule() -> None:
    assert schedule(when(is_off) >> when(is_off_after_a_schedule), P) == P
    assert gc.isenabled()


def test_it_looks_again_after_a_failure() -> None:
    with pytest.raises(SchedulingError):
        schedule(at("for k in _: _", unroll_loop()), P)
    assert gc.isenabled()


def test_it_stays_off_if_it_was() -> None:
    gc.disable()
    try:
        schedule(identity, P)
        assert not gc.isenabled()
    finally:
        gc.enable()


# -- the kind of the focus ----------------------------------------------------------------------------

Update = AssignCursor | ReduceCursor
SEEN: list[Cursor] = []


@strategy
def of_loops(p: Proc, c: ForCursor) -> Script:
    SEEN.append(c)
    yield identity
    return c


@strategy
def of_updates(p: Proc, c: Update, times: int = 1) -> Script:
    SEEN.append(c)
    yield identity
    return c


@strategy
def of_blocks(p: Proc, c: BlockCursor) -> Script:
    SEEN.append(c)
    yield identity
    return c


@strategy
def of_procedures(p: Proc, c: ProcCursor) -> Script:
    SEEN.append(c)
    yield identity
    return c


@strategy
def of_anything(p: Proc, c: Cursor) -> Script:
    SEEN.append(c)
    yield identity
    return c


@strategy
def of_whatever(p, c):  # type: ignore[no-untyped-def]
    SEEN.append(c)
    yield identity
    return c


@strategy
def of_any(p: Proc, c: Any) -> Script:
    SEEN.append(c)
    yield identity
    return c


@strategy
def of_a_kind_for_types(p: Proc, c: OnlyForTypes) -> Script:
    yield identity
    return c


LOOP, STORE, ROOT = P.find_loop("i"), P.find("x[_] = _"), P.root()


@pytest.mark.parametrize(
    ("op", "place", "seen"),
    [
        (of_loops(), LOOP, LOOP),
        (of_updates(2), STORE, STORE),
        (of_blocks(), STORE, STORE.as_block()),
        (of_procedures(), STORE, ROOT),
        *[(op(), c, c) for op in (of_anything, of_whatever, of_any) for c in (LOOP, STORE, ROOT, LOOP.body())],
    ],
    ids=str,
)
def test_a_strategy_acts_at_the_kind_of_focus_that_it_declares(op: Op, place: Cursor, seen: Cursor) -> None:
    SEEN.clear()
    assert op(P, place).unwrap() == (P, seen)
    assert [seen] == SEEN


@pytest.mark.parametrize(
    ("op", "place", "message"),
    [
        (of_loops(), ROOT, "this acts on a loop, but the focus is a procedure"),
        (of_loops(), LOOP.body(), "this acts on a loop, but the focus is a block of statements"),
        (of_updates(), LOOP, "this acts on an assignment or a reduction, but the focus is a loop"),
        (of_blocks(), ROOT, "this acts on a block of statements, but the focus is a procedure"),
    ],
    ids=str,
)
def test_at_another_kind_of_focus_it_fails_before_it_starts(op: Op, place: Cursor, message: str) -> None:
    SEEN.clear()
    assert op(P, place).failure() == NotApplicable(message, op, place)
    assert not SEEN


def test_it_fails_in_the_words_of_primitives() -> None:
    ours, theirs = of_loops()(P, STORE).failure(), divide_loop(2, ("a", "b"))(P, STORE).failure()
    assert (type(ours), ours.message, ours.place) == (type(theirs), theirs.message, theirs.place)
    gap = "this acts on a gap between statements, but the focus is an assignment; moves.after goes to the one after it"
    assert fission()(P, STORE).failure().message.startswith(gap)


def test_a_kind_that_is_imported_for_types_only_is_named() -> None:
    with pytest.raises(TypeError, match=r"of_a_kind_for_types .* 'OnlyForTypes' is not defined: import it outside"):
        of_a_kind_for_types()(P)


def test_a_strategy_begins_with_the_procedure_and_a_cursor() -> None:
    def wrong(machine: Machine, p: Proc, c: Cursor) -> Script:
        return (yield machine, p, c)

    def short(p: Proc) -> Script:
        return (yield p)

    for fn in (wrong, short):
        with pytest.raises(TypeError, match="the first two parameters"):
            strategy(fn)
