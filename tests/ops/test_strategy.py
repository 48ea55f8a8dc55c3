"""`schedule`: what it does besides calling an Op."""

from __future__ import annotations

import gc

import pytest

from exo_strat import Cursor, SchedulingError, at, identity, proc_from_source, schedule, unroll_loop, when

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
