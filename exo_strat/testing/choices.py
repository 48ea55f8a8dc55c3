"""Drawing from hypothesis in the terms of the generators. Imports nothing of the project.

Everything is an integer draw with the simplest choice first, so that hypothesis shrinks towards it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


@cache
def _upto(most: int) -> st.SearchStrategy[int]:
    return st.integers(0, most)


class Choices:
    """Draws one example. `draw` is what hypothesis gives to a composite strategy."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def upto(self, most: int) -> int:
        """An integer from 0 to `most`."""
        found: int = self._draw(_upto(most)) if most > 0 else 0
        return found

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
