"""Rank correlation: whether a model orders candidates as measuring does."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Spearman's rank correlation of two sequences of one length, from -1 to 1; equal values share their ranks. None
    where it has no value: there are fewer than two, or all of a sequence are equal.

    >>> spearman([1, 2, 3, 4], [10, 20, 40, 30])
    0.8
    """
    a, b = _ranks(x), _ranks(y)
    n = len(a)
    middle = (n - 1) / 2
    product = sum((r - middle) * (s - middle) for r, s in zip(a, b, strict=True))
    squares = sum((r - middle) ** 2 for r in a) * sum((s - middle) ** 2 for s in b)
    return product / sqrt(squares) if squares else None


def _ranks(values: Sequence[float]) -> list[float]:
    """The place of each value in order; the mean of their places for equal ones."""
    order = sorted(values)
    first: dict[float, int] = {}
    count: dict[float, int] = {}
    for k, v in enumerate(order):
        first.setdefault(v, k)
        count[v] = count.get(v, 0) + 1
    return [first[v] + (count[v] - 1) / 2 for v in values]
