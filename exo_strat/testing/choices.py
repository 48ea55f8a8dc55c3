"""Random choices in the terms of the generators.

Everything is an integer draw with the simplest choice first, so that examples shrink towards it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


@cache
def _upto(most: int) -> st.SearchStrategy[int]:
    return st.integers(0, most)


class Choices:
    """Draws one example: with what hypothesis gives to a composite strategy, from a seed, or as before."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._next: Callable[[int], int] = lambda most: draw(_upto(most))
        self._recorded: list[int] = []

    @classmethod
    def seeded(cls, seed: int, recorded: list[int] | None = None) -> Choices:
        """Choices that a seed determines. What is drawn is also added to `recorded`."""
        random = Random(seed)
        return cls._from(lambda most: random.randint(0, most), recorded)

    @classmethod
    def replayed(cls, choices: Sequence[int], recorded: list[int] | None = None) -> Choices:
        """Given choices again, as far as they go and are possible; then the simplest ones."""
        rest = iter(choices)
        return cls._from(lambda most: min(next(rest, 0), most), recorded)

    @classmethod
    def _from(cls, draw: Callable[[int], int], recorded: list[int] | None) -> Choices:
        ch = cls(lambda _: 0)
        ch._next, ch._recorded = draw, [] if recorded is None else recorded
        return ch

    @property
    def count(self) -> int:
        """How many choices were recorded."""
        return len(self._recorded)

    def forget(self, since: int) -> None:
        """Drops what was recorded from then on, as nothing that comes later depends on it."""
        del self._recorded[since:]

    def upto(self, most: int) -> int:
        """An integer from 0 to `most`."""
        if most <= 0:
            return 0
        k = self._next(most)
        self._recorded.append(k)
        return k

    def chance(self, percent: int) -> bool:
        """True in so many cases of a hundred; shrinks to False."""
        return self.upto(99) >= 100 - percent

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; shrinks to the first."""
        return options[self.upto(len(options) - 1)]

    def weighted(self, options: Mapping[T, int]) -> T:
        """One of the options, by weight; shrinks to the first."""
        k = self.upto(sum(options.values()) - 1)
        for option, weight in options.items():
            k -= weight
            if k < 0:
                return option
        raise AssertionError("there must be an option with a weight")

    def some(self, options: Sequence[T], most: int) -> list[T]:
        """A few neighbouring options, at most so many, cyclically from a drawn one on."""
        n = len(options)
        if n <= most:
            return list(options)
        first = self.upto(n - 1)
        return [options[(first + k) % n] for k in range(most)]
