"""How far sweeps have to be shifted, so that whatever an iteration needs lies in no later tile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from toolz import first

from .sweeps import Distance

OUTER_LIMIT = 2
"""How much a loop is skewed by each loop outside of it, at most: stencils of one row reach no farther."""


@dataclass(frozen=True)
class Skew:
    """How far a loop of each sweep is shifted.

    Iteration i of sweep k becomes iteration `i + time * t + outer[0] * i0 + .. + starts[k]`, where t counts time steps
    and i0, .. are the iterations, shifted themselves, of the loops outside.
    """

    time: int
    outer: tuple[int, ...]
    starts: tuple[int, ...]


def find_skews(distances: Sequence[Distance], sweeps: int, loops: int) -> tuple[Skew, ...] | None:
    """The least skews with which no distance is negative along any of the outer loops; None if there are none.

    `sweeps` is the number of sweeps, `loops` that of loops, the outermost ones, that are to be tiled.

    >>> from exo_strat import proc_from_source
    >>> from .sweeps import distances, sweeps_of
    >>> p = proc_from_source('''
    ... def jacobi(T: size, n: size, x: f32[n], y: f32[n]):
    ...     for t in seq(0, T):
    ...         for i in seq(1, n - 1):
    ...             y[i] = x[i - 1] + x[i] + x[i + 1]
    ...         for i in seq(1, n - 1):
    ...             x[i] = y[i - 1] + y[i] + y[i + 1]
    ... ''')
    >>> sweeps = sweeps_of(p.find_loop("t"))
    >>> find_skews(distances(p.find_loop("t"), sweeps), 2, 1)
    (Skew(time=2, outer=(), starts=(0, 1)),)
    """
    found: list[Skew] = []
    apart: list[tuple[int | None, ...]] = [() for _ in distances]  # along the loops that are skewed already
    for d in range(loops):
        skew = first((*_candidates(distances, apart, sweeps, d), None))
        if skew is None:
            return None
        found.append(skew)
        apart = [(*outer, _skewed(x, outer, skew, d)) for x, outer in zip(distances, apart, strict=True)]
    return tuple(found)


def _candidates(
    distances: Sequence[Distance], apart: Sequence[tuple[int | None, ...]], sweeps: int, d: int
) -> Iterator[Skew]:
    """The skews of loop d that make its distances no less than 0, the smaller ones first; rather by time than by the
    loops outside, as rows of a tile then begin in one column."""
    farthest = max((abs(s) for x in distances if (s := x.space[d]) is not None), default=0)
    limit = farthest * sweeps
    tried = product(range(limit + 1), *[range(OUTER_LIMIT + 1)] * d)
    for time, *outer in sorted(tried, key=lambda k: (sum(k[1:]), k)):
        trial = Skew(time, tuple(outer), (0,) * sweeps)
        known = [(x, _skewed(x, o, trial, d)) for x, o in zip(distances, apart, strict=True)]
        starts = _starts([(x.before, x.after, n) for x, n in known if n is not None], sweeps)
        if starts is not None:
            yield Skew(time, tuple(outer), starts)


def _skewed(x: Distance, outer: Sequence[int | None], skew: Skew, d: int) -> int | None:
    """A distance along loop d after it is skewed, given those along the loops outside; None if it is not constant."""
    steps = [k * o if o is not None else None for k, o in zip(skew.outer, outer, strict=True) if k]
    parts = [x.space[d], *steps]
    if None in parts:
        return None
    return sum(s for s in parts if s is not None) + skew.time * x.time + skew.starts[x.after] - skew.starts[x.before]


def _starts(owed: Sequence[tuple[int, int, int]], sweeps: int) -> tuple[int, ...] | None:
    """The least shifts with `starts[b] - starts[a] + n >= 0` for each (a, b, n): longest paths, by Bellman and Ford.
    None if there is a cycle of a negative sum."""
    starts = [0] * sweeps
    for _ in range(sweeps + 1):
        before = list(starts)
        for a, b, n in owed:
            starts[b] = max(starts[b], starts[a] - n)
        if starts == before:
            return tuple(starts)
    return None
