"""What a call does, in fewer accesses.

A procedure that calls another one twice, which calls a third one twice, and so on, would have a number of accesses
that is exponential in the depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from ..forms.formula import TRUE

if TYPE_CHECKING:
    from .accesses import Access, Tick

MANY = 8  # so many accesses of a call may be equal but for their time, before they are summed up
WIDE = 4096  # so many accesses of a call may be to different places of one buffer


def summed(found: list[Access]) -> list[Access]:
    """The accesses of a call, or fewer that stand for them.

    Of many accesses that are equal but for their time, the first and the last stay as they are, and one that is not
    exact stands for all between (`_between`). So questions about what may happen still find each access, and questions
    about what surely happens find less: only accesses that are really there, at their own times. The same is right for
    a great number of accesses to different places: one that is not exact stands for them, anywhere in the buffer, at
    any time, under no condition.
    """
    if len(found) <= MANY:
        return found
    by_place: dict[object, list[Access]] = {}
    for a in found:
        by_place.setdefault((a.buffer, a.kind, a.index, a.seen, a.guard, a.iters, a.exact, a.op, a.joint), []).append(a)
    by_buffer: dict[object, list[Access]] = {}
    for same in by_place.values():
        by_buffer.setdefault((same[0].buffer, same[0].kind, same[0].op), []).extend(_ends(same))
    return [a for some in by_buffer.values() for a in (some if len(some) <= WIDE else [_anywhere(some[0])])]


def _ends(same: list[Access]) -> list[Access]:
    """Accesses that are equal but for their time: if they are many, the first, the last, and one for all between."""
    if len(same) <= MANY:
        return same
    first, *between = {(a.when, a.end): a for a in same}.values()
    return [first, *between] if len(between) < MANY else [first, _between(between[:-1]), between[-1]]


def _between(some: Sequence[Access]) -> Access:
    """One access for some that are equal but for their time.

    If each comes before the next one, it is from the start of the first to the end of the last. It is only before, or
    after, what all of them are before, or after: what an assignment before the first is to all of them, it still is.
    Otherwise its time is what all times begin with, which is not known to be before or after any time that begins so.
    """
    first, last = some[0], some[-1]
    if all(_sooner(a.end, b.when) for a, b in pairwise(some)):
        return replace(_perhaps(first), until=last.end)
    times = [t for a in some for t in (a.when, a.end)]
    common = tuple(ticks[0] for ticks in takewhile(_all_equal, zip(*times, strict=False)))
    return replace(_perhaps(first), when=common, until=None)


def _perhaps(a: Access) -> Access:
    """The same access, which need not happen."""
    return a.placed((), a.iters, a.guard, sure=False)


def _sooner(a: Sequence[Tick], b: Sequence[Tick]) -> bool:
    """Whether a time surely lies before another one for the same values of all iterators."""
    for s, t in zip(a, b, strict=False):
        if s != t:
            return s.ordered and t.ordered and not s.at.terms and not t.at.terms and s.at.const < t.at.const
    return False


def _all_equal(ticks: tuple[Tick, ...]) -> bool:
    return all(t == ticks[0] for t in ticks)


def _anywhere(a: Access) -> Access:
    """Any number of accesses of one kind to one buffer."""
    somewhere = (None,) * len(a.index)
    return replace(a, index=somewhere, guard=TRUE, iters=(), exact=False, when=(), until=None, joint=False, seen=None)


__all__ = ["MANY", "WIDE", "summed"]
