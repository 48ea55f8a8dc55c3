"""Failures as values: what is left of one in another process."""

from __future__ import annotations

import pickle

import pytest

from exo_strat import SchedulingError, at, divide_loop, proc_from_source, schedule


def test_a_failure_says_the_same_in_another_process() -> None:
    p = proc_from_source("def foo(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0")
    with pytest.raises(SchedulingError) as found:
        schedule(at("for i in _: _", divide_loop(4, ("io", "ii"), tail="perfect")), p)
    told = pickle.loads(pickle.dumps(found.value))
    assert isinstance(told, SchedulingError)
    assert str(told) == str(found.value)
    assert "for i in seq(0, n)" in str(told)
