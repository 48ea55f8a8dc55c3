"""Searching for a failure among seeded random choices, and making it smaller.

Hypothesis draws most of its examples by changing earlier ones a little. For whole programs independent
examples find more: the same faults in a tenth of the time. So searches are seeded; what they find is
shrunk as hypothesis does it, by making the sequence of choices shorter and its members smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from .choices import Choices

Test = Callable[[Choices], None]

MOST_RUNS: Final = 2000
"""How often a failing test is run to make its choices smaller."""
MORE_SEEDS: Final = 30
"""Of how many further seeds a simpler failure is looked for: what is shrunk keeps its shape, more or less."""


def search(test: Test, seeds: Iterable[int], shrink: bool = True) -> None:
    """Runs a test with the choices of each seed; returns if all pass.

    Raises the `AssertionError` of the first that fails, or with `shrink` of the simplest choices found for
    which it fails in the same way.
    """
    rest = iter(seeds)
    for seed in rest:
        recorded: list[int] = []
        try:
            test(Choices.seeded(seed, recorded))
        except AssertionError as e:
            if not shrink:
                raise
            raise smallest(test, recorded, e, islice(rest, MORE_SEEDS)) from None


def smallest(test: Test, recorded: Sequence[int], error: AssertionError, further: Iterable[int] = ()) -> AssertionError:
    """The error of the simplest choices found for which a test fails in the same way as with those recorded, and
    `further` seeds to begin with."""
    reducer = _Reducer(test, [*recorded], error)
    for seed in further:
        again: list[int] = []
        reducer.tries(Choices.seeded(seed, again), again)
    return reducer.smallest()


@dataclass
class _Reducer:
    """The smallest choices found so far for which a test fails with an error of one class, and the error."""

    test: Test
    best: list[int]
    error: AssertionError
    tried: set[tuple[int, ...]] = field(default_factory=set)

    def accepts(self, candidate: Sequence[int]) -> bool:
        """Whether other choices fail too, and are smaller; if so they are the best."""
        if tuple(candidate) in self.tried or len(self.tried) >= MOST_RUNS:
            return False
        self.tried.add(tuple(candidate))
        recorded: list[int] = []
        return self.tries(Choices.replayed(candidate, recorded), recorded)

    def tries(self, choices: Choices, recorded: list[int]) -> bool:
        """The same of choices that are added to `recorded` as they are made."""
        try:
            self.test(choices)
        except AssertionError as e:
            if type(e) is type(self.error) and (len(recorded), recorded) < (len(self.best), self.best):
                self.best, self.error = recorded, e
                return True
        return False

    def sweep(self, step: Step, width: int) -> None:
        """One kind of change, at each place in turn."""
        at = 0
        while at < len(self.best):
            if not self.accepts(step(self.best, at, at + width)):
                at += max(1, width // 2) if step in (_leave_out, _simplest) else 1

    def smallest(self) -> AssertionError:
        """The error of the smallest choices found for which the test fails in the same way."""
        before: list[int] = []
        while before != self.best:
            before = self.best
            for step, width in STEPS:
                self.sweep(step, width)
        return self.error


Step = Callable[[Sequence[int], int, int], list[int]]
"""A change of the choices from one position to another."""


def _leave_out(choices: Sequence[int], lo: int, hi: int) -> list[int]:
    return [*choices[:lo], *choices[hi:]]


def _decline(choices: Sequence[int], lo: int, hi: int) -> list[int]:
    """The first is made the simplest choice, and what followed from it left out."""
    return [*choices[:lo], 0, *choices[hi:]]


def _lower_and_leave_out(choices: Sequence[int], lo: int, hi: int) -> list[int]:
    """The first, maybe the number of what follows, is lowered, and one of those left out."""
    return [*choices[:lo], max(0, choices[lo] - 1), *choices[hi:]]


def _simplest(choices: Sequence[int], lo: int, hi: int) -> list[int]:
    return [*choices[:lo], *[0] * len(choices[lo:hi]), *choices[hi:]]


def _halved(choices: Sequence[int], lo: int, hi: int) -> list[int]:
    return [*choices[:lo], *(k // 2 for k in choices[lo:hi]), *choices[hi:]]


def _lowered(choices: Sequence[int], lo: int, hi: int) -> list[int]:
    return [*choices[:lo], *(max(0, k - 1) for k in choices[lo:hi]), *choices[hi:]]


STEPS: Final[Sequence[tuple[Step, int]]] = (
    (_leave_out, 16), (_simplest, 8), (_leave_out, 8), (_leave_out, 4), (_leave_out, 2), (_leave_out, 1),
    *((_decline, width) for width in range(24, 1, -1)), (_simplest, 4), (_simplest, 1),
    *((_lower_and_leave_out, width) for width in (2, 3, 5, 8)), (_halved, 1), (_lowered, 1),
)  # fmt: skip
