"""Work in processes of its own: a crash or a hang of it ends it, and nothing else."""

from __future__ import annotations

import gc
import os
import pickle
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import IO, Any, Final, Generic, TypeVar

from .search import Status

A = TypeVar("A")
T = TypeVar("T")

GRACE: Final = 5.0
"""Seconds after its time is over in which a process is ended by who started it; after that, by the system: so that
nothing goes on where the one who started it was ended itself."""
MOST: Final = 32
"""So many tasks a process does: then another one goes on, and what the first one remembered is given back."""

LOOK: Final = 1.0
"""Seconds after which the one who waits looks up: of a key that was pressed another thread may have been told, such as
a library's, which does not wake this one."""


@dataclass(frozen=True)
class Ended:
    """Why a candidate came to nothing: its status, and the reason in words."""

    status: Status
    reason: str


@dataclass
class _Worker(Generic[A, T]):
    """A process that does one task after the other, and sends what each one makes."""

    process: BaseProcess
    pipe: Connection
    errors: IO[bytes]
    done: int = 0
    task: int = -1
    until: float = float("inf")

    def give(self, task: int, sent: bytes, limit: float) -> None:
        """The next task."""
        self.task, self.until, self.done = task, time.monotonic() + limit, self.done + 1
        self.errors.seek(0)
        self.errors.truncate()
        with suppress(BrokenPipeError):  # it has ended, as its result will say
            self.pipe.send_bytes(sent)

    def result(self, limit: float) -> T | Ended:
        """What it made, once it sent it or ended, or its time is over."""
        if not self.pipe.poll():
            return Ended("hung", f"it was stopped after {limit:g} s")
        try:
            made: T = self.pipe.recv()
            return made
        except (EOFError, ConnectionResetError):
            self.process.join()
            return Ended("crashed", f"{_how(self.process.exitcode)}{self._said()}")
        except Exception as e:  # whatever a class of the user's raises where it is read
            return Ended("crashed", f"its result can't be read: {type(e).__name__}: {e}")

    def _said(self) -> str:
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        raised = [line for line in lines if _RAISED.match(line)]  # notes come after it
        return "".join(f": {line}" for line in dict.fromkeys((*raised[-1:], *lines[-1:])))

    def end(self) -> None:
        """End it and what it started."""
        if self.process.is_alive():
            try:
                os.killpg(self.process.ident or 0, signal.SIGKILL)
            except ProcessLookupError:  # it is no leader yet
                self.process.kill()
        self.process.join()
        self.pipe.close()
        self.errors.close()


_RAISED = re.compile(r"[A-Za-z_][\w.]*: ")
"""A line of a traceback that tells an exception."""


def _how(status: int | None) -> str:
    if status is not None and status < 0:
        return f"the process ended with {signal.Signals(-status).name}"
    return "the process ended with an error" if status else "the process ended without a result"


class Workers(Generic[A, T]):
    """Forked processes that apply a function, `jobs` of them at once; to be closed.

    One does several tasks, so that what it remembers of one serves the next. Where it crashes, or takes too long, that
    is what comes of the task, and another process does the others.
    """

    def __init__(self, function: Callable[[A], T], jobs: int) -> None:
        self.function, self.jobs = function, jobs
        self.idle: list[_Worker[A, T]] = []
        self.busy: list[_Worker[A, T]] = []

    def __call__(self, arguments: Sequence[A], limit: float) -> list[T | Ended]:
        """What the function makes of each argument, or how that ended: each may take `limit` seconds. Arguments and
        results are pickled, the function is not."""
        waiting, made = list[tuple[int, bytes]](), dict[int, T | Ended]()
        for k, argument in reversed([*enumerate(arguments)]):
            try:
                waiting.append((k, pickle.dumps((argument, limit))))
            except (pickle.PicklingError, AttributeError, TypeError) as e:
                made[k] = Ended("crashed", f"it can't be handed to a process: {type(e).__name__}: {e}")
        while waiting or self.busy:
            while waiting and len(self.busy) < self.jobs:
                with uninterrupted():
                    self.busy.append(self.idle.pop() if self.idle else _started(self.function))
                    self.busy[-1].give(*waiting.pop(), limit)
            left = min(w.until for w in self.busy) - time.monotonic()
            wait([w.pipe for w in self.busy], min(max(left, 0), LOOK))
            for w in [w for w in self.busy if w.pipe.poll() or w.until <= time.monotonic()]:
                made[w.task] = found = w.result(limit)
                with uninterrupted():
                    self.busy.remove(w)
                    if isinstance(found, Ended) or w.done >= MOST:
                        w.end()
                    else:
                        self.idle.append(w)
        return [made[k] for k in range(len(arguments))]

    def close(self) -> None:
        """End all processes."""
        with uninterrupted():
            for w in (*self.idle, *self.busy):
                w.end()
            self.idle, self.busy = [], []


def apart(tasks: Sequence[Callable[[], T]], jobs: int, limit: float) -> list[T | Ended]:
    """The results of tasks in forked processes, each of which may take `limit` seconds; `jobs` of them at once. Results
    are pickled, tasks are not. Where the process crashed or was stopped, it is said instead."""

    def do(k: int) -> T:
        return tasks[k]()

    with closing(Workers(do, jobs)) as workers:
        return workers(range(len(tasks)), limit)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """A key that is pressed to interrupt counts afterwards: no process is left of which nobody knows."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _started(function: Callable[[A], T]) -> _Worker[A, T]:
    context = get_context("fork")
    ours, theirs = context.Pipe()
    errors = tempfile.TemporaryFile()  # noqa: SIM115, its end is the child's
    process = context.Process(target=_run, args=(function, theirs, ours, errors.fileno()), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours, errors)


def _run(function: Callable[[Any], Any], pipe: Connection, parents: Connection, errors: int) -> None:
    """In the child, which is alone in its group, so that a key pressed for the parent doesn't end it. It ends with the
    parent, whose end of the pipe nobody else has."""
    os.setsid()
    parents.close()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    os.dup2(errors, 2)
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115, what it was may be no file
    gc.disable()
    while True:
        try:
            argument, limit = pipe.recv()
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_REAL, limit + GRACE)
        pipe.send(function(argument))
        signal.setitimer(signal.ITIMER_REAL, 0.0)
