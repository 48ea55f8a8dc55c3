"""The search for the numbers that are best on this processor; see `trials`.

Each number is measured in a process of its own, in which copies of the library with different profiles take turns. A
number is only changed if what it changes is faster by `WORTH` in the mean, and still is when it is measured once more.
Numbers that were found count for those after them.
"""

from __future__ import annotations

import ctypes
import math
import os
import shutil
import signal
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from .choices import Choices
from .places import library
from .trials import TRIALS, Amount, Call, Threshold

WORTH: Final = 1.03
"""How many times as fast something has to be to be chosen."""

CLEAR: Final = math.log(1.02)
"""What a call gains less by, as a logarithm, it may gain by chance: both ways may even be one, where something else
decides."""

SAMPLE: Final = 0.0005
"""Seconds of calls that are timed together."""

VARIABLE: Final = "EXO_BLAS_PROFILE"
THREADS: Final = "EXO_NUM_THREADS"


class Found(NamedTuple):
    """What is best, and how many times as fast as before what it changes is, in the mean; the same number and 1, if
    there is nothing better."""

    name: str
    value: int
    gain: float


def tuned(now: Choices, seconds: float, names: Sequence[str] = ()) -> Iterator[Found | str]:
    """Measure numbers, all of them unless some are named, for about so many seconds in all: a `Found` for each, or its
    name where measuring it failed. Raises `KeyError` for a name that has no trial."""
    wanted = [n for n in (names or TRIALS) if cores() > 1 or not TRIALS[n].threads]
    better: dict[str, int] = {}
    end = perf_counter() + seconds
    for i, name in enumerate(wanted):
        share = max(0.0, end - perf_counter()) / (len(wanted) - i)
        found = apart(now, better, name, share)
        if found is not None and found.gain > 1:
            better[name] = found.value
        yield found or name


def apart(now: Choices, better: Mapping[str, int], name: str, seconds: float) -> Found | None:
    """What `measured` gives, in another process; None if that dies."""
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as folder:
        process = context.Process(target=_told, args=(theirs, Copies(Path(folder), now, better, name), seconds))
        process.start()
        theirs.close()
        try:
            found: Found = ours.recv()
        except EOFError:
            return None
        finally:
            process.kill()
            process.join()
    return found


def _told(to: Connection, copies: Copies, seconds: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that waits for this one ends it
    to.send(measured(copies, seconds))


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


def measured(copies: Copies, seconds: float) -> Found:
    """The best value of a number."""
    trial, now = TRIALS[copies.name], copies.own.value
    threads = (1, cores()) if trial.threads else (1,)  # what helps several must not cost one
    if isinstance(trial, Amount):
        value, gain = amount(copies, trial, now, threads, seconds)
    else:
        value, gain = threshold(copies, trial, now, threads, seconds)
    return Found(copies.name, value, gain) if gain >= WORTH else Found(copies.name, now, 1.0)


class Copies:
    """The library with different values of a number, while others are `better` than they were."""

    def __init__(self, folder: Path, now: Choices, better: Mapping[str, int], name: str) -> None:
        self.folder, self.now, self.better, self.name = folder, now, dict(better), name
        self.own = now.numbers[name]
        self.made: dict[int, ctypes.CDLL] = {}

    def __call__(self, value: int) -> ctypes.CDLL:
        """The library with that value, or with the nearest one that it may have."""
        value = min(max(value, self.own.least), self.own.most)
        if value not in self.made:
            profile, copy = self.folder / f"{value}.profile", self.folder / f"{value}.so"
            profile.write_text(self.now.profile({**self.better, self.name: value}))
            shutil.copy(library(64), copy)  # another file is another library to the system
            before = os.environ.get(VARIABLE)
            os.environ[VARIABLE] = str(profile)
            try:
                self.made[value] = ctypes.CDLL(str(copy))
            finally:
                if before is None:
                    del os.environ[VARIABLE]
                else:
                    os.environ[VARIABLE] = before
        return self.made[value]


def threshold(copies: Copies, trial: Threshold, now: int, threads: Sequence[int], seconds: float) -> tuple[int, float]:
    """Where to change from one way to the other, and what that gains."""
    first, second = copies(copies.own.most), copies(copies.own.least)
    quantities = trial.quantities
    cases = [tuple(c for letter in "sd" for c in trial.calls(letter, q)) for q in quantities]
    share = seconds / 2 / len(cases)
    gains = [mean_of(second, first, calls, threads, share) for calls in cases]  # logarithms: what the second way gains
    was = sum(q < now for q in quantities)
    at = best_place(gains, was)
    changed = [i for i in range(min(at, was), max(at, was)) if abs(gains[i]) >= CLEAR]
    sign = 1 if at < was else -1
    if not changed or sign * statistics.mean(gains[i] for i in changed) < math.log(WORTH):
        return now, 1.0
    share = seconds / 2 / len(changed)
    again = statistics.mean(sign * mean_of(second, first, cases[i], threads, share) for i in changed)
    return place(quantities, at), math.exp(again)


def best_place(gains: Sequence[float], was: int) -> int:
    """From which quantity on the second way is to be gone, if it gains so much at each: of several places that are as
    good, the one nearest to where it `was`.

    >>> best_place([-0.2, 0.1, -0.3, 0.2, 0.1], 0), best_place([0.01, 0.01, 0.2], 3)
    (3, 2)
    """
    clear = [g if abs(g) >= CLEAR else 0.0 for g in gains]
    sums = [math.fsum(clear[i:]) for i in range(len(clear) + 1)]
    return max(range(len(sums)), key=lambda i: (sums[i], -abs(i - was)))


def place(quantities: Sequence[int], at: int) -> int:
    """The number that is above the quantities before a place, and not above those from it on.

    >>> place((10, 40), 1), place((10, 40), 0), place((10, 40), 2)
    (20, 10, 80)
    """
    if at == 0:
        return quantities[0]
    return math.isqrt(quantities[at - 1] * quantities[at]) if at < len(quantities) else 2 * quantities[-1]


def amount(copies: Copies, trial: Amount, now: int, threads: Sequence[int], seconds: float) -> tuple[int, float]:
    """The best amount, and what it gains."""
    calls = tuple(c for letter in "sd" for c in trial.calls(letter, 0))
    others = [v for v in trial.values if v != now]
    share = seconds / 2 / len(others)
    gain, best = max((mean_of(copies(v), copies(now), calls, threads, share), v) for v in others)
    if gain < math.log(WORTH):
        return now, 1.0
    return best, math.exp(mean_of(copies(best), copies(now), calls, threads, seconds / 2))


def mean_of(
    one: ctypes.CDLL, other: ctypes.CDLL, calls: Sequence[Call], threads: Sequence[int], seconds: float
) -> float:
    """The logarithm of how many times as fast one library is as another, in the mean of some calls, with each number of
    threads."""
    found = []
    for number in threads:
        os.environ[THREADS] = str(number)  # each call reads it
        found += [faster(c.of(one), c.of(other), seconds / len(calls) / len(threads)) for c in calls]
    return statistics.mean(found)


def faster(one: Callable[[], None], other: Callable[[], None], seconds: float) -> float:
    """The same of one call: the median of what is measured in turns, at least five times; nothing, if not three of four
    times the same one is faster, as where other programs use the processors."""
    once = timed(other, 1)
    times = max(1, round(SAMPLE / max(timed(other, 1), 1e-7))) if once < SAMPLE else 1
    timed(one, times)
    found: list[float] = []
    end = perf_counter() + seconds
    while len(found) < 5 or (perf_counter() < end and len(found) < 200):
        pair = timed(one, times), timed(other, times)
        found.append(math.log(pair[1] / pair[0]))
    sure = max(sum(gain > 0 for gain in found), sum(gain < 0 for gain in found)) >= 0.75 * len(found)
    return statistics.median(found) if sure else 0.0


def timed(call: Callable[[], None], times: int) -> float:
    start = perf_counter()
    for _ in range(times):
        call()
    return perf_counter() - start
