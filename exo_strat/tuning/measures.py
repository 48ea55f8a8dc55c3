"""What candidates cost: what a measure takes and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ..cursors.proc import Proc
from .apart import Ended
from .keys import program_key


@dataclass(frozen=True)
class Timed:
    """The median time of a call of a candidate, in seconds, and the distance of the quartiles. `beside` is the median
    of the best one so far in the same run, if it took part: times of one run can be compared. Where it is no time but
    a model's number, `unit` is what the model counts, or an empty text."""

    seconds: float
    spread: float = 0.0
    beside: float | None = None
    unit: str | None = None


@dataclass(frozen=True)
class Prepared:
    """A scheduled Proc as it is measured. Those of one `key` are the same program, and are measured once; `code` is
    what measuring needs of it, and is pickled."""

    key: str
    code: Any = None


class Measure(Protocol):
    """What candidates cost: `backends.measuring` measures on this machine, `Modelled` asks a model."""

    def prepare(self, p: Proc) -> Prepared | Ended:
        """What is needed of a Proc: compiled, for example. It is called in a process of its own, several at once."""

    def time(self, candidate: Prepared, best: Prepared | None) -> Timed | Ended:
        """What a candidate takes, beside the best one so far. Nothing else runs meanwhile."""


@dataclass(frozen=True)
class Modelled:
    """Candidates cost what a model says of their Procs: cycles of a simulated machine, for example. `unit` is what it
    counts, for who reads it."""

    model: Callable[[Proc], float]
    unit: str = ""

    def prepare(self, p: Proc) -> Prepared:
        return Prepared(program_key(p), self.model(p))

    def time(self, candidate: Prepared, best: Prepared | None) -> Timed:
        return Timed(candidate.code, unit=self.unit)
