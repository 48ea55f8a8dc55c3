"""Work in processes of its own: whatever becomes of it, the one who asked goes on, and nothing is left behind."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from exo_strat.tuning.apart import MOST, Ended, Workers, apart


class Unreadable:
    """What can be sent, and not be read."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return int, ("no number",)


def segfault() -> None:
    faulthandler.disable()  # pytest's would print the stack
    ctypes.string_at(0)


def abort() -> None:
    faulthandler.disable()
    os.abort()


def spin() -> None:
    while True:
        pass


def noted() -> None:
    error = TypeError("no loop")
    error.add_note("in the strategy rows")
    raise error


@pytest.mark.parametrize(
    ("fate", "status", "words"),
    [
        (segfault, "crashed", "SIGSEGV"),
        (abort, "crashed", "SIGABRT"),
        (lambda: os._exit(0), "crashed", "without a result"),
        (lambda: os._exit(3), "crashed", "with an error"),
        (lambda: 1 / 0, "crashed", "ZeroDivisionError"),
        (noted, "crashed", "TypeError: no loop: in the strategy rows"),
        (lambda: lambda: 0, "crashed", "pickle"),
        (Unreadable, "crashed", "can't be read: ValueError"),
    ],
    ids=["segfault", "abort", "exit", "error", "exception", "noted", "unpicklable", "unreadable"],
)
def test_whatever_a_task_does_the_others_have_results(fate: Callable[[], object], status: str, words: str) -> None:
    one, bad, two = apart([lambda: "one", fate, lambda: "two"], 2, 60.0)
    assert (one, two) == ("one", "two")
    assert isinstance(bad, Ended) and bad.status == status and words in bad.reason


def test_a_process_remembers_for_the_next_task() -> None:
    memo = list[int]()

    def count(k: int) -> int:
        if k == 3:
            abort()
        memo.append(k)
        return len(memo)

    with closing(Workers(count, 1)) as workers:
        assert workers([0, 1], 60.0) + workers([2], 60.0) == [1, 2, 3]
        crashed, after = workers([3, 4], 60.0)
        assert isinstance(crashed, Ended) and after == 1, "another process goes on"
        assert workers([5] * MOST, 60.0)[-2:] == [MOST, 1]
    assert memo == []


def test_a_task_without_end_is_stopped() -> None:
    (hung,) = apart([spin], 1, 1.0)
    assert hung == Ended("hung", "it was stopped after 1 s")


def test_results_larger_than_a_pipe_come_whole() -> None:
    found = apart([lambda k=k: bytes([k]) * 5_000_000 for k in range(3)], 3, 60.0)  # type: ignore[misc]
    assert [(len(x), x[0]) for x in found if isinstance(x, bytes)] == [(5_000_000, k) for k in range(3)]


def test_no_more_run_at_once_than_asked(tmp_path: Path) -> None:
    def count() -> int:
        mark = tmp_path / str(os.getpid())
        mark.touch()
        time.sleep(0.05)
        there = len(list(tmp_path.iterdir()))
        mark.unlink()
        return there

    found = apart([count] * 6, 2, 60.0)
    assert max(n for n in found if isinstance(n, int)) <= 2


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be looked after does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(true: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


def test_a_key_ends_what_runs_and_is_heard(interruptible: None) -> None:
    pids: list[int] = []
    parent, read = os.getpid(), os.pipe()

    def press() -> None:
        os.write(read[1], f"{os.getpid()} ".encode())
        os.kill(parent, signal.SIGINT)
        time.sleep(60)

    with pytest.raises(KeyboardInterrupt):
        apart([press], 1, 60.0)
    pids = [int(x) for x in os.read(read[0], 100).split()]
    assert len(pids) == 1 and not alive(pids[0])


CHILDREN = """
import os, sys, time
from exo_strat.tuning import apart
apart.GRACE = 0.5
def spin():
    print(os.getpid(), flush=True)
    while True:
        pass
apart.apart([spin], 1, 1.0 if sys.argv[1] == "limited" else 60.0)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it is looked up in /proc whether a process runs")
def test_what_runs_ends_by_itself_where_the_parent_was_killed() -> None:
    """Nobody is there to stop it when its time is over."""
    parent = subprocess.Popen([sys.executable, "-c", CHILDREN, "limited"], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    assert until(lambda: not alive(child))
