"""What keeps its order where some things change places."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence


def longest_rising(numbers: Sequence[int]) -> tuple[int, ...]:
    """The positions of a longest part of a sequence that rises.

    >>> longest_rising([3, 1, 2, 0, 5])
    (1, 2, 4)
    """
    ends: list[int] = []  # of the rising parts of each length, the position of the least last number
    before: list[int] = []
    for i, number in enumerate(numbers):
        length = bisect_left(ends, number, key=numbers.__getitem__)
        before.append(ends[length - 1] if length else -1)
        ends[length : length + 1] = [i]
    return tuple(reversed([*_chain(before, ends[-1] if ends else -1)]))


def _chain(before: Sequence[int], i: int) -> Iterable[int]:
    while i >= 0:
        yield i
        i = before[i]
