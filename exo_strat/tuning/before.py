"""What is known of candidates before a search begins, from other searches: their times are not quite true any more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from ..ops.spaces import Space
from .search import Tried, meant

NEAR: Final = 0.05
"""Times of two runs differ by so much, as a part, for no reason: what was slower than the best by no more is measured
again beside it."""


def close(before: Iterable[Tried]) -> tuple[Tried, ...]:
    """The candidates that may be the best, the fastest one first: these are measured again.

    >>> times = {"a": 1.04, "b": 1.0, "c": 1.2}
    >>> known = [Tried({"name": n}, {"name": n}, "measured", t) for n, t in times.items()]
    >>> [t.values["name"] for t in close(known)], [t.values["name"] for t in slower(known)]
    (['b', 'a'], ['c'])
    """
    timed = sorted((t.seconds, k, t) for k, t in enumerate(before) if t.seconds is not None)
    return tuple(t for seconds, _, t in timed if seconds <= timed[0][0] * (1 + NEAR))


def slower(before: Sequence[Tried]) -> tuple[Tried, ...]:
    """All others: they need not be measured again."""
    again = close(before)
    return tuple(t for t in before if t.seconds is not None and not any(t is other for other in again))


def as_now(known: Iterable[Tried], before: Iterable[Tried], tried: Iterable[Tried], space: Space) -> tuple[Tried, ...]:
    """What is known, with times as they would be now: of what was measured `before` and was `tried` again, the times
    tell how much slower the machine is. Values are as the holes of a space have them; what has others now is left out.
    """
    then = {_names(t): t.seconds for t in _meant(before, space) if t.seconds}
    pairs = [(t.seconds, then[_names(t)]) for t in tried if t.seconds and _names(t) in then]
    times = median(now / (was or now) for now, was in pairs) if pairs else 1.0
    return tuple(replace(t, seconds=(t.seconds or 0.0) * times) for t in _meant(known, space))


def _meant(known: Iterable[Tried], space: Space) -> Iterable[Tried]:
    for t in known:
        values = meant(space, t.decisions)
        if values is not None:
            yield replace(t, values=values, decisions=values)


def _names(t: Tried) -> tuple[tuple[str, type, object], ...]:
    return tuple((n, type(v), v) for n, v in sorted(t.decisions.items()))
