"""Candidates measured on this machine."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from mmap import PAGESIZE

import numpy as np
import pytest

from backends.jit import jit
from backends.measuring import _Run, differing, measuring, race
from exo_strat import Proc, at, divide_loop, hole, parallelize_loop, proc_from_source, schedule
from exo_strat.tuning import Ended, Prepared, Timed, exhaustive, tune

SCALE = proc_from_source("""
def scale(n: size, a: f32, x: f32[n], i: i32[n]):
    for k in seq(0, n):
        x[k] = a * x[k]
        i[k] = i[k] + i[k]
""")


def test_a_strategy_is_tuned_and_what_wins_computes_the_same() -> None:
    op = at("for k in _: _", divide_loop(hole("width", (4, 8)), ("ko", "ki"), tail="cut"))
    found = tune(op, SCALE, measuring(SCALE, {"n": 2000}), search=exhaustive(), jobs=1)
    assert [t.status for t in found.tried] == ["measured", "measured"] and found.best is not None
    assert found.best.seconds is not None and 0 < found.best.seconds < 0.1


def test_what_computes_something_else_is_wrong() -> None:
    other = proc_from_source(str(SCALE).replace("a * x[k]", "a + x[k]"))
    measure = measuring(SCALE, {"n": 100})
    found = measure.time(Prepared("other", other), None)
    assert isinstance(found, Ended) and found.status == "wrong" and "x is" in found.reason


def test_a_crash_and_a_hang_end_the_candidate_only(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = measuring(SCALE, {"n": 100})
    ready = measure.prepare(SCALE)
    assert isinstance(ready, Prepared)
    with monkeypatch.context() as m:
        m.setattr("backends.measuring.race", lambda runs: os.kill(os.getpid(), signal.SIGKILL))
        crashed = measure.time(ready, None)
    assert isinstance(crashed, Ended) and crashed.status == "crashed" and "SIGKILL" in crashed.reason
    hung = replace(measure, limit=0.0).time(ready, None)
    assert isinstance(hung, Ended) and hung.status == "hung"
    assert isinstance(measure.time(ready, ready), Timed)


def test_what_has_one_thread_stays_on_one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = schedule(at("for k in _: _", parallelize_loop()), SCALE)
    measure = measuring(SCALE, {"n": 100})
    monkeypatch.setattr("os.sched_setaffinity", lambda *_: os.kill(os.getpid(), signal.SIGKILL), raising=False)
    alone, together = (measure.time(Prepared(p.name(), p), None) for p in (SCALE, shared))
    assert isinstance(together, Timed)
    pinned = replace(measure, pinned=True).time(Prepared("pinned", shared), None)
    assert measure.processor is None or (isinstance(alone, Ended) and isinstance(pinned, Ended))


class Known(_Run):
    """A run with samples that are known."""

    def __init__(self, *times: float) -> None:
        self.times = [times[0], *times]

    def sample(self) -> float:
        return self.times.pop(0) if len(self.times) > 1 else self.times[0]


@pytest.mark.parametrize("offset", (0, 3, 16))
def test_arrays_are_measured_where_in_a_page_they_are_given(offset: int) -> None:
    x = np.arange(5000, dtype=np.float32)[offset:][:100]
    run = _Run(jit(SCALE), measuring(SCALE, {"n": 100}, arguments={"x": x}).arguments)
    mine = run.given["x"]
    assert (mine.ctypes.data - x.ctypes.data) % PAGESIZE == 0 and not np.shares_memory(mine, x)
    assert np.array_equal(mine, x) and mine.shape == x.shape


def test_races_are_short_where_it_is_clear_who_wins() -> None:
    assert len(race([Known(0.09), Known(0.01)])[0]) == 1
    assert len(race([Known(0.012), Known(0.01)])[0]) == 3
    assert len(race([Known(0.0101), Known(0.01)])[0]) == 15
    assert len(race([Known(0.01)])[0]) == 3


def test_what_is_faster_is_looked_at_longer() -> None:
    assert len(race([Known(0.005), Known(0.01)])[0]) == 15


@pytest.mark.parametrize(("seconds", "samples"), [(0.3, 15), (0.5, 10), (3.0, 3), (7.0, 2), (12.0, 1)])
def test_calls_that_take_seconds_are_made_less_often(seconds: float, samples: int) -> None:
    """Else what is good would be taken for hung."""
    assert len(race([Known(seconds), Known(1.01 * seconds)])[0]) == samples


def test_what_others_had_of_the_processor_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second passes in each sample, and the process has a hundredth of it."""
    times = ((float(k), k / 100) for k in range(100))
    monkeypatch.setattr("backends.measuring.now", lambda: next(times))
    assert _Run(jit(SCALE), measuring(SCALE, {"n": 10}).arguments).sample() == pytest.approx(0.01)


def test_sizes_must_be_as_the_procedure_asserts() -> None:
    p = proc_from_source("""
def pairs(n: size, m: size, x: f32[n]):
    assert n % 2 == 0 and n < m
    for i in seq(0, n):
        x[i] = 0.0
""")
    with pytest.raises(ValueError, match=r"pairs asserts .* which does not hold of n = 3, m = 9"):
        measuring(p, {"n": 3, "m": 9})
    assert measuring(p, {"n": 4, "m": 9}).arguments["n"] == 4


def test_what_the_unscheduled_program_computes_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = measuring(SCALE, {"n": 100})
    ready = measure.prepare(SCALE)
    assert isinstance(ready, Prepared) and isinstance(measure.time(ready, None), Timed)
    assert np.array_equal(measure.wanted["i"], 2 * measure.arguments["i"])
    monkeypatch.setattr(type(measure), "_wanted", lambda self: 1 / 0)
    assert isinstance(measure.time(ready, ready), Timed)


def test_results_may_differ_by_rounding() -> None:
    x = np.linspace(-1, 1, 9)
    assert differing({"x": x}, {"x": x * (1 + 1e-13)}) == "" != differing({"x": x}, {"x": x * (1 + 1e-9)})
    assert differing({"i": np.arange(3)}, {"i": np.arange(3) + 1}) == "i is not what the unscheduled program computes"
    assert differing({"x": np.array([np.nan, 1.0])}, {"x": np.array([np.nan, 1.0])}) == ""


def test_data_that_nobody_writes_is_not_looked_at_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check is no part of the time."""
    run = _Run(jit(asserting()), measuring(asserting(), {"n": 8}).arguments)
    monkeypatch.setattr("backends.native.check_data", lambda *_: 1 / 0)
    run.call()


def asserting(claims: str = "within(at, 0, n)") -> Proc:
    return proc_from_source(f"""
def gather(n: size, at: i32[n], x: f32[n], y: f32[n]):
    assert {claims}
    for i in seq(0, n):
        y[i] = x[i]
""")


def test_what_is_not_known_is_asked_for() -> None:
    with pytest.raises(ValueError, match="takes n, too"):
        measuring(SCALE, {})
    with pytest.raises(ValueError, match="has no integer argument m; it has n"):
        measuring(SCALE, {"n": 4, "m": 5})
    with pytest.raises(ValueError, match="n is a size, which is at least 1, not 0"):
        measuring(SCALE, {"n": 0})
    assert list(measuring(asserting(), {"n": 4}, arguments={"at": np.zeros(4, np.int32)}).arguments["at"]) == [0] * 4


@pytest.mark.parametrize(
    "claims",
    [
        "within(at, 0, n)",
        "within(at, 0, n) and at[0] == n - 1 and at[1] <= 2",
        "within(at, 0, n) and distinct(at)",
        "within(at, 0, n) and distinct(at) and at[n - 1] == 0 and at[0] >= n - 1",
        "within(at, 0, n + 1) and rising(at) and at[0] == 0 and at[n - 1] == n",
        "within(at, 3, 3 + n) and rising(at) and distinct(at)",
        "within(at, 0, 2 * n) and rising(at) and 2 * at[2] + 1 == n",
        "within(at, -3, to[n - 1] - 4) and within(to, 0, 2 * n) and rising(to) and 9 < to[n - 1]",
        "rising(to) and to[0] == 5 and within(at, 0, 1)",
        "distinct(to) and within(at, 0, n) and to[0] < to[1]",
        "rising(to) and to[n - 1] < -100000 and within(at, 0, n)",
    ],
)
@pytest.mark.parametrize("n", [7, 101])
def test_elements_are_drawn_of_which_what_is_asserted_holds(claims: str, n: int) -> None:
    p = proc_from_source(f"""
def gather(n: size, at: i32[n], to: i32[n], y: f32[n]):
    assert n > 5 and {claims}
    for i in seq(0, n):
        y[i] = 0.0
""")
    for seed in range(5):
        made = measuring(p, {"n": n}, seed=seed).arguments
        jit(p)(**made)  # which checks it
    assert len({int(k) for k in made["at"]}) > 1 or "within(at, 0, 1)" in claims


def test_elements_are_uniform_in_all_that_is_asserted() -> None:
    p = proc_from_source("""
def hist(n: size, k: size, img: u8[n], counts: i32[k]):
    assert within(img, 0, k)
    for i in seq(0, n):
        counts[img[i]] += 1
""")
    counts = np.bincount(measuring(p, {"n": 100_000, "k": 256}).arguments["img"], minlength=256)
    assert counts.min() > 250 and counts.max() < 550
    measure = measuring(p, {"n": 1000, "k": 256})
    assert isinstance(measure.time(measure.prepare(p), None), Timed)


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ("distinct(at) and within(at, 0, 3)", "3 numbers for 4 elements of at"),
        ("within(at, 5, n)", "no numbers are left for the elements of at"),
        ("at[0] * at[0] == 10", "break the assertion"),
    ],
)
def test_elements_that_are_not_found_are_asked_for(claims: str, why: str) -> None:
    p = asserting(claims)
    with pytest.raises(ValueError, match=rf"asserts something of the elements of at, .*{why}"):
        measuring(p, {"n": 4})
    with pytest.raises(ValueError, match="break the assertion"):
        measuring(asserting(), {"n": 4}, arguments={"at": np.full(4, 9, np.int32)})
