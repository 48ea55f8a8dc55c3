"""Searches: functions that say which candidate to try next.

    Search = (Space, history) -> assignment, or None when there is nothing left to try

A search is pure: the same space and the same history give the same answer, in any process. What is random is drawn from
a seed and the length of the history. Nothing is proposed that is known already (see `Known`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any, Final, Literal, TypeAlias

from ..ops.holes import Hole, Told
from ..ops.spaces import Space
from ..source import show

Status: TypeAlias = Literal["measured", "refused", "crashed", "hung", "wrong", "same", "ranked", "asked"]
Values: TypeAlias = Mapping[str, Any]
"""Values of holes, by full name."""


@dataclass(frozen=True)
class Tried:
    """A candidate and what came of it.

    `values` is the assignment that was asked for, `decisions` the holes that the run of the strategy came to, with
    their values; both by full name. `seconds` is the median time of a call, `spread` the distance of its quartiles, in
    seconds, both None for what was not measured. `reason` says in words why it was not. A candidate that is the `same`
    program as another has that one's times. `cost` is what a model says of the program, if one was given; one that is
    only `ranked` costs too much by it to have been measured yet. While a search goes on, `asked` is the status of what
    it proposed and nothing is known of yet. Where a model takes the place of measuring, `seconds` is its number, and
    `unit` what it counts, or an empty text.
    """

    values: Values
    decisions: Values
    status: Status
    seconds: float | None = None
    spread: float | None = None
    reason: str = ""
    cost: float | None = None
    unit: str | None = None

    @property
    def came_of(self) -> str:
        """The status in words: what a model says was not measured."""
        return "modelled" if self.status == "measured" and self.unit is not None else self.status

    def __str__(self) -> str:
        chosen = ", ".join(f"{name} = {value!r}" for name, value in self.values.items()) or "the strategy as it is"
        cost = "" if self.seconds is None else f", {number(self.seconds, self.unit)}"
        return f"{chosen}: {self.came_of}{cost}{f' ({self.reason})' if self.reason else ''}"


History: TypeAlias = Sequence[Tried]
Search: TypeAlias = Callable[[Space, History], "dict[str, Any] | None"]
Rank: TypeAlias = Callable[[Values], float]
"""What a model says that an assignment costs: the less, the better."""


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(0.00123), duration(12)
    ('1.23 ms', '12 s')
    """
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-9:.3g} ns"


def number(seconds: float, unit: str | None) -> str:
    """A time in words; or a model's number, with what it counts.

    >>> number(0.00123, None), number(1200, "cycles"), number(6, "")
    ('1.23 ms', '1200 cycles', '6')
    """
    return duration(seconds) if unit is None else f"{seconds:.6g} {unit}".rstrip()


def best_of(history: History) -> Tried | None:
    """The fastest candidate that was measured, the first of several."""
    timed = [t for t in history if t.status == "measured" and t.seconds is not None]
    return min(timed, key=lambda t: t.seconds or 0.0, default=None)


class Known:
    """Which assignments need not be tried, as it is known what comes of them.

    A run of a strategy is determined by the holes that it comes to. So another assignment that agrees in these makes
    the same run. One that a rewrite refused after it came to two of ten holes stands for all that agree in the two.
    """

    def __init__(self, space: Space, history: History) -> None:
        self._defaults = {c.name: c.default for c in space.choices}
        self._runs: dict[tuple[str, ...], set[tuple[Any, ...]]] = {}
        for t in history:
            met = t.values if t.status == "asked" else t.decisions
            names = tuple(sorted(met))
            self._runs.setdefault(names, set()).add(self._key(names, met))

    def __contains__(self, values: Values) -> bool:
        return any(self._key(names, values) in runs for names, runs in self._runs.items())

    def _key(self, names: tuple[str, ...], values: Values) -> tuple[Any, ...]:
        found = [values.get(n, self._defaults.get(n)) for n in names]
        return tuple((type(v), v) for v in found)  # True is 1, but another candidate

    def new(self, assignments: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
        """The first that is not known."""
        return next((a for a in assignments if a not in self), None)


MOST: Final = 1_000_000
"""How many assignments are gone through for one that is new."""


def exhaustive() -> Search:
    """All assignments within the limits, in the order of the candidates."""

    def search(space: Space, history: History) -> dict[str, Any] | None:
        return Known(space, history).new(_all(space))

    return search


def _all(space: Space) -> Iterator[dict[str, Any]]:
    return islice(space.assignments(), MOST)


DRAWS: Final = 200
"""How often a random assignment is drawn until one is new; then the first new one of all is taken."""


def random_search(seed: int = 0) -> Search:
    """Random assignments within the limits; it ends when there is no other left."""

    def search(space: Space, history: History) -> dict[str, Any] | None:
        known = Known(space, history)
        return known.new(_drawn(space, _random(seed, len(history)))) or known.new(_all(space))

    return search


def _random(*seed: object) -> Random:
    return Random("/".join(map(str, seed)))


def _drawn(space: Space, random: Random, most: int = DRAWS) -> Iterator[dict[str, Any]]:
    for _ in range(most):
        values = space.random(random)
        if values is None:
            return
        yield values


@dataclass
class _Ranked:
    """What a model said, remembered: it is asked once of each assignment."""

    rank: Rank
    said: dict[tuple[tuple[str, type, Any], ...], float] = field(default_factory=dict)

    def __call__(self, values: Values) -> float:
        key = tuple((name, type(v), v) for name, v in sorted(values.items()))
        if key not in self.said:
            self.said[key] = self.rank(values)
        return self.said[key]


def best_first(rank: Rank, starts: int = 8, among: int = 1000, seed: int = 0) -> Search:
    """The `starts` assignments that cost least according to a model; then those that differ in one hole from the best
    one measured, and from the second best where these are known, and so on; then all others, by their costs.

    Of a space of more than `among` assignments, so many random ones are ranked, and neighbours of what is measured.
    `scheduled_cost` makes a rank of a model of scheduled Procs.

    >>> from exo_strat import divide_loop, hole, space
    >>> rows = space(divide_loop(hole("rows", (4, 6, 8)), ("io", "ii"), tail="cut"))
    >>> best_first(lambda values: abs(values["rows"] - 7))(rows, ())
    {'rows': 6}
    """
    ranked = _Ranked(rank)

    def search(space: Space, history: History) -> dict[str, Any] | None:
        known = Known(space, history)
        pool = list(islice(space.assignments(), among + 1))
        if len(pool) > among:
            pool = list(_drawn(space, _random(seed), among))
        by_cost = sorted(pool, key=ranked)
        near = _near(space, history, known, lambda found: sorted(found, key=ranked)) if len(history) >= starts else None
        return near or known.new(by_cost) or known.new(_all(space))

    return search


def _near(
    space: Space, history: History, known: Known, ordered: Callable[[Iterable[dict[str, Any]]], list[dict[str, Any]]]
) -> dict[str, Any] | None:
    """What differs in one hole from the fastest that was measured; from the second where these are known, and so on."""
    timed = [t for t in history if t.status == "measured"]
    for t in sorted(timed, key=lambda t: t.seconds or 0.0):
        near = known.new(ordered(space.neighbours(space.completed(t.values))))
        if near is not None:
            return near
    return None


def climbing(seed: int = 0, starts: int = 8) -> Search:
    """Random assignments, so many; then, in turns, one that differs in one hole from the fastest, and a random one.
    What is near the fastest is known after some time: then what is near the second fastest, and so on.

    >>> from exo_strat import divide_loop, hole, space
    >>> width, tail = hole("width", (4, 8)), hole("tail", ("cut", "guard"))
    >>> strips = space(divide_loop(width, ("io", "ii"), tail=tail))
    >>> fast, slow = ({"width": 4, "tail": "cut"}, {"width": 8, "tail": "guard"})
    >>> history = [Tried(fast, fast, "measured", 1.0), Tried(slow, slow, "measured", 2.0)]
    >>> climbing(starts=2)(strips, history) in ({"width": 8, "tail": "cut"}, {"width": 4, "tail": "guard"})
    True
    """
    otherwise = random_search(seed)

    def search(space: Space, history: History) -> dict[str, Any] | None:
        if len(history) < starts or len(history) % 2:
            return otherwise(space, history)
        random = _random(seed, len(history))

        def shuffled(found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
            drawn = list(found)
            random.shuffle(drawn)
            return drawn

        return _near(space, history, Known(space, history), shuffled) or otherwise(space, history)

    return search


def starting(first: Iterable[Values], then: Search) -> Search:
    """Some assignments, in this order; then what another search proposes: to go on from what is known of other sizes,
    for example. Values that no hole has any more, and those that limits exclude, are left out.

    >>> from exo_strat import divide_loop, hole, space
    >>> rows = space(divide_loop(hole("rows", (4, 6, 8)), ("io", "ii"), tail="cut"))
    >>> starting([{"rows": 7}, {"rows": 8}], exhaustive())(rows, ())
    {'rows': 8}
    """
    given = tuple(dict(values) for values in first)

    def search(space: Space, history: History) -> dict[str, Any] | None:
        offered = (meant(space, values) for values in given)
        new = Known(space, history).new(values for values in offered if values is not None and space.admits(values))
        return new or then(space, history)

    return search


def meant(space: Space, values: Values) -> dict[str, Any] | None:
    """Values as the holes of a space have them, where they are known by their texts; None if a hole does not have one.
    Of a hole that the space does not know, its run will tell."""
    found = dict(values)
    for c in space.choices:
        if c.name in found:
            value = found[c.name]
            if isinstance(value, Told):
                value = next((x for x in c.candidates if show(x) == value.text), value)
            if not Hole(c.name, c.candidates, None).takes(value):
                return None
            found[c.name] = value
    return found
