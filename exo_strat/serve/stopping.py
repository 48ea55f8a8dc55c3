"""Requests that end before they are done: by the signal SIGINT, or as their time is over.

Between requests the signal does nothing, so a client that asks too late loses no session.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Stopped(BaseException):
    """A request was stopped. No `Exception`, so that no code of a user's takes it for one of its own."""


class Stopper:
    """Stops what runs under `stoppable`. Installs handlers of signals, so there is one in a process."""

    def __init__(self) -> None:
        self.runs = False
        self.over = False

    def install(self) -> None:
        """Listen to signals."""
        signal.signal(signal.SIGINT, self._stop)
        signal.signal(signal.SIGALRM, self._time_is_over)

    def _stop(self, *_: Any) -> None:
        over, self.over = self.over, False
        if self.runs:
            self.runs = False
            raise Stopped("timeout" if over else "interrupted")

    def _time_is_over(self, *_: Any) -> None:
        # SIGINT is what code blocks that must not be stopped half-way
        self.over = True
        os.kill(os.getpid(), signal.SIGINT)

    @contextmanager
    def stoppable(self, limit: float | None) -> Iterator[None]:
        """What runs inside raises `Stopped` after so many seconds, or when the signal comes. Nothing outside does."""
        try:
            self.over, self.runs = False, True
            signal.setitimer(signal.ITIMER_REAL, limit or 0.0)
            yield
        finally:
            self.runs = False
            signal.setitimer(signal.ITIMER_REAL, 0.0)
