"""Work in processes of its own: a crash or a hang of it ends it, and nothing else."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import IO, Any, Final, Generic, TypeVar

from .search import Status

T = TypeVar("T")

GRACE: Final = 5.0
"""Seconds after its time is over in which a process is ended by who started it; after that, by the system: so that
nothing goes on where the one who started it was ended itself."""


@dataclass(frozen=True)
class Ended:
    """Why a candidate came to nothing: its status, and the reason in words."""

    status: Status
    reason: str


@dataclass(frozen=True)
class _Child(Generic[T]):
    """A process under way, which sends its result."""

    task: int
    process: BaseProcess
    results: Connection
    errors: IO[bytes]
    until: float

    def result(self, limit: float) -> T | Ended:
        """What it made, once it sent it or ended, or its time is over."""
        if not self.results.poll():
            return Ended("hung", f"it was stopped after {limit:g} s")
        try:
            made: T = self.results.recv()
            return made
        except EOFError:
            self.process.join()
            return Ended("crashed", f"{_how(self.process.exitcode)}{self._said()}")
        except Exception as e:  # whatever a class of the user's raises where it is read
            return Ended("crashed", f"its result can't be read: {type(e).__name__}: {e}")

    def _said(self) -> str:
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ""

    def end(self) -> None:
        """End it and what it started."""
        if self.process.is_alive():
            try:
                os.killpg(self.process.ident or 0, signal.SIGKILL)
            except ProcessLookupError:  # it is no leader yet
                self.process.kill()
        self.process.join()
        self.results.close()
        self.errors.close()


def _how(status: int | None) -> str:
    if status is not None and status < 0:
        return f"the process ended with {signal.Signals(-status).name}"
    return "the process ended with an error" if status else "the process ended without a result"


def apart(tasks: Sequence[Callable[[], T]], jobs: int, limit: float) -> list[T | Ended]:
    """The results of tasks, each in a forked process that may take `limit` seconds; `jobs` of them at once. Results are
    pickled, tasks are not. Where the process crashed or was stopped, it is said instead."""
    waiting, made = list(enumerate(tasks))[::-1], dict[int, T | Ended]()
    running: list[_Child[T]] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                with uninterrupted():
                    running.append(_started(*waiting.pop(), limit))
            left = min(c.until for c in running) - time.monotonic()
            wait([c.results for c in running], max(left, 0))
            for c in [c for c in running if c.results.poll() or c.until <= time.monotonic()]:
                made[c.task] = c.result(limit)
                with uninterrupted():
                    c.end()
                    running.remove(c)
    finally:
        with uninterrupted():
            for c in running:
                c.end()
    return [made[k] for k in range(len(tasks))]


@contextmanager
def uninterrupted() -> Iterator[None]:
    """A key that is pressed to interrupt counts afterwards: no process is left of which nobody knows."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _started(number: int, task: Callable[[], T], limit: float) -> _Child[T]:
    context = get_context("fork")
    results, sends = context.Pipe(duplex=False)
    errors = tempfile.TemporaryFile()  # noqa: SIM115, its end is the child's
    process = context.Process(target=_run, args=(task, sends, errors.fileno(), limit), daemon=True)
    process.start()
    sends.close()
    return _Child(number, process, results, errors, time.monotonic() + limit)


def _run(task: Callable[[], Any], sends: Connection, errors: int, limit: float) -> None:
    """In the child, which is alone in its group, so that a key pressed for the parent doesn't end it."""
    os.setsid()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limit + GRACE)
    os.dup2(errors, 2)
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115, what it was may be no file
    gc.disable()
    sends.send(task())
