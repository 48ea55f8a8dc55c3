"""Searching for a failure among seeded random choices, and making it smaller. Imports choices only.

Hypothesis draws most of its examples by changing earlier ones a little. For whole programs independent
examples find more: the same faults in a tenth of the time. So searches are seeded; what they find is
shrunk as hypothesis does it, by making the sequence of choices shorter and its members smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from .choices import Choices

Test = Callable[[Choices], None]

MOST_RUNS = 600
"""How often a failing test is run to make its choices smaller."""


def search(test: Test, seeds: Iterable[int], shrink: bool = True) -> None:
    """Runs a test with the choices of each seed; returns if all pass.

    Raises the `AssertionError` of the first that fails, or with `shrink` of the simplest choices found for
    which it fails in the same way.
    """
    for seed in seeds:
        recorded: list[int] = []
        try:
            test(Choices.seeded(seed, recorded))
        except AssertionError as e:
            if not shrink:
                raise
            raise _smallest(test, recorded, e) from None


def _smallest(test: Test, choices: Sequence[int], error: AssertionError) -> AssertionError:
    """The error of the smallest choices found for which a test fails with an error of the same class."""
    best, tried, runs = list(choices), {tuple(choices)}, 0
    progress = True
    while progress:
        progress = False
        for candidate in _smaller(best):
            if tuple(candidate) in tried:
                continue
            if runs == MOST_RUNS:
                return error
            runs += 1
            tried.add(tuple(candidate))
            recorded: list[int] = []
            try:
                test(Choices.replayed(candidate, recorded))
            except AssertionError as e:
                if type(e) is type(error) and _size(recorded) < _size(best):
                    best, error, progress = recorded, e, True
                    break
    return error


def _size(choices: Sequence[int]) -> tuple[int, Sequence[int]]:
    return len(choices), choices


def _smaller(choices: Sequence[int]) -> Iterator[list[int]]:
    """Smaller sequences of choices: parts left out, then set to the simplest choice, then single ones lowered."""
    n = len(choices)
    for width in (n // 2, n // 4, 8, 4, 2, 1):
        for at in range(0, n - width + 1, max(1, width // 2)) if width else ():
            yield [*choices[:at], *choices[at + width :]]
    for width in (8, 4, 1):
        for at in range(0, n, width):
            if any(choices[at : at + width]):
                yield [*choices[:at], *[0] * len(choices[at : at + width]), *choices[at + width :]]
    for at, k in enumerate(choices):
        for less in (k // 2, k - 1):
            if less > 0:
                yield [*choices[:at], less, *choices[at + 1 :]]
