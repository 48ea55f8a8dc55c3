"""The loop of a search, with measures of our own."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from exo_strat import *
from exo_strat.tuning import *


@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]


def by(width: object) -> Op:
    return at("for i in _: _", divide_loop(width, ("io", "ii"), tail="cut"))


WIDTHS = by(hole("width", (2, 4, 8, 16)))


def width_of(p: Proc) -> int:
    """The width of the strips; 1 of the loop as it was."""
    return next((w for w in (2, 3, 4, 8, 16) if f"for ii in seq(0, {w})" in str(p)), 1)


@dataclass
class Fake:
    """Strips of eight are the fastest. It notes what it is asked."""

    seconds: Callable[[int], float | Ended] = lambda w: abs(w - 8) + 1.0
    fault: Callable[[int], object] = lambda w: None
    asked: list[tuple[int, int | None]] = field(default_factory=list)

    def prepare(self, p: Proc) -> Prepared:
        self.fault(width_of(p))
        return Prepared(str(p), width_of(p))

    def time(self, candidate: Prepared, best: Prepared | None) -> Timed | Ended:
        self.asked.append((candidate.code, best and best.code))
        found = self.seconds(candidate.code)
        return found if isinstance(found, Ended) else Timed(found)


def widths(found: Tuning) -> list[int]:
    return [t.values["width"] for t in found.tried]


def test_the_fastest_is_found_and_scheduled_again() -> None:
    measure = Fake()
    found = tune(WIDTHS, scale, measure, search=exhaustive(), jobs=1)
    assert found.best is not None and found.best.values == {"width": 8} and found.best.seconds == 1.0
    assert found.best_op == by(8)
    assert found.best_proc == schedule(by(8), scale)
    assert found.stopped == "nothing is left to try"
    assert measure.asked == [(2, None), (4, 2), (8, 4), (16, 8)]  # each beside the best so far


@pytest.mark.parametrize("search", [exhaustive, random_search, lambda: best_first(lambda v: v["width"]), optuna_search])
def test_a_search_is_repeated_by_its_seed(search: Callable[[], Search]) -> None:
    if search is optuna_search:
        pytest.importorskip("optuna")
    one, two = (tune(WIDTHS, scale, Fake(), search=search(), jobs=1, batch=2) for _ in range(2))
    assert one.tried == two.tried and sorted(widths(one)) == [2, 4, 8, 16]


def test_defaults_come_first_and_a_model_orders_the_rest() -> None:
    op = by(hole("width", (2, 4, 8, 16), default=4))
    measure = Fake()
    found = tune(op, scale, measure, search=exhaustive(), jobs=2, batch=4, model=lambda p: -float(width_of(p)))
    assert [w for w, _ in measure.asked] == [4, 16, 8, 2]
    assert found.correlation == pytest.approx(-0.2)  # times 5, 9, 1, 7


def test_of_several_candidates_only_what_a_model_likes_is_measured_at_first() -> None:
    """The fastest costs least: it is the second that is measured, of eight."""
    op = by(hole("width", (2, 3, 4, 5, 6, 7, 8, 9)))

    def width(p: Proc) -> int:
        return next(w for w in range(2, 10) if f"for ii in seq(0, {w})" in str(p))

    class Counted(Fake):
        def prepare(self, p: Proc) -> Prepared:
            return Prepared(str(p), width(p))

    measure = Counted(lambda w: float(abs(w - 8) + 1))
    options = {"search": exhaustive(), "jobs": 2, "batch": 4, "model": lambda p: float(abs(width(p) - 8)), "screen": 4}
    found = tune(op, scale, measure, trials=3, **options)  # type: ignore[arg-type]
    assert [w for w, _ in measure.asked] == [2, 5, 8]  # the defaults, then the best of each batch
    assert [(t.values["width"], t.status) for t in found.tried[3:]] == [(n, "ranked") for n in (7, 9, 6, 4, 3)]
    assert all(t.seconds is None and t.cost is not None for t in found.tried[3:])
    everything = tune(op, scale, Counted(), **options)  # type: ignore[arg-type]
    assert sorted(widths(everything)) == list(range(2, 10)) and everything.stopped == "nothing is left to try"
    assert all(t.status == "measured" for t in everything.tried)


def known(**seconds: float) -> list[Tried]:
    """What records tell of some widths."""
    return [Tried({}, {"width": int(name[1:])}, "measured", t) for name, t in seconds.items()]


def test_what_is_known_to_be_slower_is_not_measured_again() -> None:
    """The best that is known and what is close to it are compared in one run, the defaults too."""
    measure = Fake()
    found = tune(WIDTHS, scale, measure, search=exhaustive(), jobs=1, before=known(w2=7.0, w4=1.02, w8=1.0, w16=9.0))
    assert [w for w, _ in measure.asked] == [2, 8, 4] and found.best_op == by(8)


def test_known_times_are_as_the_machine_is_now() -> None:
    """It is three times as slow as it was."""
    heard: list[list[tuple[int, float | None]]] = []

    def search(space: Space, history: History) -> None:
        heard.append([(t.decisions["width"], t.seconds) for t in history])

    tune(WIDTHS, scale, Fake(lambda w: 3.0), search=search, jobs=1, before=known(w8=1.0, w16=2.0))
    assert heard[-1] == [(16, 6.0), (2, 3.0), (8, 3.0)]


def test_searches_that_share_programs_schedule_each_once() -> None:
    """A strategy of another's place is not asked again: what it would do now is not heard of."""
    programs = Programs()
    first = tune(WIDTHS, scale, Fake(), search=exhaustive(), jobs=1, programs=programs)
    refused = at("for i in _: _", divide_loop(hole("width", (2, 4, 8, 16)), ("io", "io"), tail="cut"))
    second = tune(refused, scale, Fake(), search=exhaustive(), jobs=1, programs=programs)
    assert second.tried == first.tried and all(t.status == "measured" for t in first.tried)


def test_it_is_told_what_came_of_each_candidate_at_once() -> None:
    heard: list[Tried] = []

    def times(width: int) -> float:
        if width == 8:
            assert [t.values for t in heard] == [{"width": 2}, {"width": 4}]
            raise KeyboardInterrupt
        return float(width)

    found = tune(WIDTHS, scale, Fake(times), search=exhaustive(), jobs=1, told=heard.append)
    assert tuple(heard) == found.tried


def test_what_the_end_of_the_time_stops_is_no_hang() -> None:
    """The second candidate takes longer than what is left."""
    op = by(hole("width", (2, 4)))
    found = tune(op, scale, Fake(fault=lambda w: time.sleep(30) if w == 4 else None), jobs=1, seconds=2.0)
    assert widths(found) == [2] and found.stopped == "2 s are over"


def test_what_is_refused_is_remembered_with_the_reason_and_not_measured() -> None:
    measure = Fake()
    found = tune(by(hole("width", (2, 0, 8))), scale, measure, search=exhaustive(), jobs=1)
    assert [t.status for t in found.tried] == ["measured", "refused", "measured"]
    assert "0" in found.tried[1].reason and found.tried[1].seconds is None
    assert [w for w, _ in measure.asked] == [2, 8]


def test_a_refusal_stands_for_all_that_would_meet_it() -> None:
    """The second hole is not reached where the first one's value is refused."""
    op = by(hole("width", (2, 0))) >> rename(hole("name", ("a", "b", "c")))
    found = tune(op, scale, Modelled(lambda p: 1.0), search=exhaustive(), jobs=1)
    assert [t.status for t in found.tried] == ["measured", "measured", "measured", "refused"]
    assert found.tried[3].decisions == {"width": 0}


def test_the_same_program_is_measured_once() -> None:
    op = pick("how", {"one": by(4), "two": by(4), "three": by(8)})
    measure = Fake()
    found = tune(op, scale, measure, search=exhaustive(), jobs=1)
    assert [t.status for t in found.tried] == ["measured", "same", "measured"]
    assert found.tried[1].seconds == found.tried[0].seconds and "{'how': 'one'}" in found.tried[1].reason
    assert len(measure.asked) == 2


def crash(width: int) -> None:
    if width == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    if width == 16:
        raise KeyError("sixteen")


def test_a_crash_while_compiling_ends_the_candidate() -> None:
    found = tune(WIDTHS, scale, Fake(fault=crash), search=exhaustive(), jobs=2)
    assert [t.status for t in found.tried] == ["measured", "crashed", "measured", "crashed"]
    assert "SIGKILL" in found.tried[1].reason and "KeyError: 'sixteen'" in found.tried[3].reason
    assert found.best is not None and found.best.values == {"width": 8}


def test_a_hang_while_compiling_ends_the_candidate() -> None:
    def hang(width: int) -> None:
        if width == 4:
            time.sleep(60)

    began = time.monotonic()
    op = by(hole("width", (2, 4)))
    found = tune(op, scale, Fake(fault=hang), search=exhaustive(), jobs=1, limit=2.0)
    assert [t.status for t in found.tried] == ["measured", "hung"] and "2 s" in found.tried[1].reason
    assert time.monotonic() - began < 30


def test_a_crash_and_a_hang_while_measuring_are_told() -> None:
    fates: dict[int, float | Ended] = {2: 1.0, 4: Ended("crashed", "SIGILL"), 8: Ended("hung", "after 1 s"), 16: 0.5}
    found = tune(WIDTHS, scale, Fake(fates.__getitem__), search=exhaustive(), jobs=1)
    assert [(t.status, t.reason) for t in found.tried[1:3]] == [("crashed", "SIGILL"), ("hung", "after 1 s")]
    assert found.best is not None and found.best.values == {"width": 16}


def test_a_wrong_result_is_told_loudly() -> None:
    def times(width: int) -> float | Ended:
        return Ended("wrong", "x[0] is 3, not 2") if width == 8 else float(width)

    with pytest.warns(RuntimeWarning, match=r"x\[0\] is 3, not 2; please report"):
        found = tune(WIDTHS, scale, Fake(times), search=exhaustive(), jobs=1)
    assert found.best is not None and found.best.values == {"width": 2}


def test_an_interruption_keeps_what_was_found() -> None:
    def times(width: int) -> float:
        if width == 8:
            raise KeyboardInterrupt
        return float(width)

    found = tune(WIDTHS, scale, Fake(times), search=exhaustive(), jobs=1)
    assert found.stopped == "interrupted" and widths(found) == [2, 4]
    assert found.best_op == by(2)


def test_a_key_pressed_while_candidates_are_scheduled_ends_them(interruptible: None) -> None:
    def interrupt(width: int) -> None:
        if width == 4:
            os.kill(parent, signal.SIGINT)
            time.sleep(60)

    parent = os.getpid()
    began = time.monotonic()
    found = tune(WIDTHS, scale, Fake(fault=interrupt), search=exhaustive(), jobs=1)
    assert found.stopped == "interrupted" and widths(found) == [2]
    assert time.monotonic() - began < 30


def test_a_key_of_which_another_thread_is_told_ends_them(interruptible: None) -> None:
    def press() -> None:
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    def rest(width: int) -> None:
        if width == 4:
            time.sleep(60)

    began = time.monotonic()
    threading.Timer(1, press).start()
    found = tune(WIDTHS, scale, Fake(fault=rest), search=exhaustive(), jobs=1)
    assert found.stopped == "interrupted"
    assert time.monotonic() - began < 30


def test_a_number_of_trials_ends_it() -> None:
    found = tune(WIDTHS, scale, Fake(), search=exhaustive(), jobs=1, batch=2, trials=3)
    assert widths(found) == [2, 4, 8] and found.stopped == "3 trials were made"


def test_seconds_end_it() -> None:
    now = 0.0

    def times(width: int) -> float:
        nonlocal now
        now += 10.0
        return float(width)

    found = tune(WIDTHS, scale, Fake(times), search=exhaustive(), jobs=1, seconds=15, clock=lambda: now)
    assert widths(found) == [2, 4] and found.stopped == "15 s are over"


def test_the_default_is_waited_for() -> None:
    found = tune(WIDTHS, scale, Fake(), jobs=1, seconds=0)
    assert widths(found) == [2] and found.best is not None


def test_the_procedure_as_it_was_takes_part() -> None:
    measure = Fake(lambda w: float(w))
    found = tune(WIDTHS, scale, measure, search=exhaustive(), jobs=1, unscheduled=True)
    assert measure.asked[:2] == [(1, None), (2, 1)]
    assert found.best is found.unscheduled and found.best_op == identity and found.best_proc is scale
    assert "the procedure as it was" in str(found)


def test_a_choice_that_leaves_the_procedure_as_it_was_has_its_time() -> None:
    """So that a record can say that this choice was the best."""
    op = pick("how", {"strips": by(hole("width", (2, 4))), "as it is": identity})
    found = tune(op, scale, Fake(lambda w: float(w)), search=exhaustive(), jobs=1, unscheduled=True)
    [left] = [t for t in found.tried if dict(t.values).get("how") == "as it is"]
    assert left.status == "measured" and found.unscheduled is not None and left.seconds == found.unscheduled.seconds


def test_times_are_corrected_by_the_best_one_beside_them() -> None:
    """The machine is twice as slow when the second candidate is measured."""

    class Slower(Fake):
        def time(self, candidate: Prepared, best: Prepared | None) -> Timed:
            return Timed(1.0) if best is None else Timed(1.8, 0.2, beside=2.0)

    found = tune(by(hole("width", (2, 4))), scale, Slower(), search=exhaustive(), jobs=1)
    assert [(t.seconds, t.spread) for t in found.tried] == [(1.0, 0.0), (0.9, 0.1)]


@strategy
def strips(p: Proc, c: ForCursor) -> Script:
    width = yield hole("width", (4, 8))
    yield divide_loop(width, ("io", "ii"), tail=(yield hole("tail", ("cut", "guard"))))


def test_the_space_grows_by_what_a_run_comes_to() -> None:
    op = at("for i in _: _", pick("how", {"as it is": identity, "strips": strips()}))
    measure = Fake()
    found = tune(op, scale, measure, search=exhaustive(), jobs=1)
    assert found.space.names == ("how", "strips.width", "strips.tail")
    assert len(found.tried) == 5 and not any(t.status == "same" for t in found.tried)
    assert found.best is not None
    assert found.best.decisions == {"how": "strips", "strips.width": 8, "strips.tail": "cut"}
    assert found.best_proc == schedule(found.best_op, scale)


@strategy
def halves(p: Proc, c: ForCursor) -> Script:
    outer = yield hole("outer", (8, 16))
    yield divide_loop(outer, ("io", "ii"), tail="cut")
    yield at("for ii in _: _", divide_loop((yield hole("inner", (outer // 2, outer // 4))), ("a", "b")))


def test_candidates_may_depend_on_earlier_choices() -> None:
    """What is a candidate only elsewhere is refused."""
    found = tune(at("for i in _: _", halves()), scale, Modelled(lambda p: 1.0), search=exhaustive(), jobs=1)
    pairs = {(t.decisions["halves.outer"], t.decisions["halves.inner"]): t.status for t in found.tried}
    assert pairs == {(8, 4): "measured", (8, 2): "measured", (8, 8): "refused"} | {
        (16, 4): "measured",
        (16, 8): "measured",
        (16, 2): "refused",
    }


def test_nothing_that_can_be_measured_is_said_to_be_so() -> None:
    found = tune(by(hole("width", (0, -1))), scale, Fake(), jobs=1)
    assert found.best is None
    with pytest.raises(ValueError, match=r"no candidate could be measured; the first: width = 0: refused"):
        _ = found.best_op
