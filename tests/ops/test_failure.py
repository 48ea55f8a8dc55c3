"""Failures as values: what is left of one in another process."""

from __future__ import annotations

import pickle

import pytest

from exo_strat import SchedulingError, at, direct, divide_loop, proc_from_source, schedule


def test_a_failure_says_the_same_in_another_process() -> None:
    p = proc_from_source("def foo(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0")
    with pytest.raises(SchedulingError) as found:
        schedule(at("for i in _: _", divide_loop(4, ("io", "ii"), tail="perfect")), p)
    told = pickle.loads(pickle.dumps(found.value))
    assert isinstance(told, SchedulingError)
    assert str(told) == str(found.value)
    assert "for i in seq(0, n)" in str(told)


def test_what_a_message_says_is_not_said_again() -> None:
    g = proc_from_source("def g(n: size, y: [f32][n]):\n    assert n <= 8\n    for i in seq(0, n):\n        y[i] = 0.0")
    p = proc_from_source("def f(n: size, m: size, x: f32[n + m]):\n    for i in seq(0, n):\n        x[i] = 0.0")
    with pytest.raises(SchedulingError, match=r"false here; for example n = 9\nwith m = 1\n"):
        direct.replace(p, "for i in _: _", g)
    q = proc_from_source("def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0")
    with pytest.raises(SchedulingError, match=r"false here; for example n = 9\n    def f"):
        direct.replace(q, "for i in _: _", g)
