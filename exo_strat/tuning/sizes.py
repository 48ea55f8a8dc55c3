"""Decisions over sizes, in object code: where a program is small it runs what is fastest there, where it is large
another version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt, log, prod
from typing import Any, Final, TypeAlias, cast

from returns.result import Success

from ..cursors.cursor import BlockCursor, Cursor
from ..cursors.kinds import CallCursor, IfCursor
from ..cursors.proc import Proc
from ..ir.room import with_room
from ..ops.failure import NotApplicable, Refused
from ..ops.spaces import Filled
from ..ops.strategy import Composed, Op, Steps, check_op, freeze
from ..primitives import call_eqv, extract_subproc, rename, specialize
from ..source import Pieces, call, show
from .keys import program_key, strategy_key
from .records import NOWHERE, Record, Setting, Sizes, Values
from .tuned import TINY, WITHIN, fastest, remark, warn_if_slower

MOST: Final = 5_000
"""How many groups of sizes are looked at for the fewest cases. Where there are more, cases are cut off greedily."""


@dataclass(frozen=True, repr=False)
class Cut:
    """Two cases: `small` where the argument `size` is at most `at`, and else `large`. A case is a further cut, or the
    values of holes, by full name.

    >>> Cut("n", 64, {"width": 4}, Cut("m", 8, {"width": 8}, {"width": 16}))
    Cut('n', 64, {'width': 4}, Cut('m', 8, {'width': 8}, {'width': 16}))
    """

    size: str
    at: int
    small: Case | Mapping[str, Any]
    large: Case | Mapping[str, Any]

    def __post_init__(self) -> None:
        for name in ("small", "large"):
            object.__setattr__(self, name, _case(getattr(self, name)))

    def source(self) -> Pieces:
        return call("Cut", self.size, self.at, _shown(self.small), _shown(self.large))

    def __repr__(self) -> str:
        return show(self)


Case: TypeAlias = "Cut | Values"


def _case(given: object) -> Case:
    if isinstance(given, Mapping):
        given = sorted((name, freeze(value)) for name, value in given.items())
    return given if isinstance(given, Cut) else cast(Values, freeze(given))


def _shown(case: object) -> object:
    return case if isinstance(case, Cut) else dict(cast(Values, case))


# -- object code --------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class BySizes(Composed):
    """A strategy that has other values in other cases; see `by_sizes`."""

    op: Op
    cases: Case

    @property
    def shows_holes(self) -> bool:
        return False

    def steps(self, p: Proc, c: Cursor) -> Steps:
        if not isinstance(self.cases, Cut):
            return (yield Filled(self.op, self.cases), p, c)
        if c != p.root():
            raise Refused(NotApplicable("cases of sizes are made of a whole procedure", place=c))
        name, made = p.name(), 0
        stack: list[tuple[Case, BlockCursor]] = [(self.cases, p.body())]
        while stack:
            case, block = stack.pop()
            if isinstance(case, Cut):
                outcome = yield specialize(f"{case.size} <= {case.at}"), p, block
                if not isinstance(outcome, Success):
                    return outcome
                p, branch = outcome.unwrap()
                assert isinstance(branch, IfCursor)
                stack += [(cast(Case, case.large), branch.orelse()), (cast(Case, case.small), branch.body())]
                continue
            made += 1
            outcome = yield extract_subproc(f"{name}_{made}"), p, block
            if not isinstance(outcome, Success):
                return outcome
            p, here = outcome.unwrap()
            callee = cast(CallCursor, here).subproc()
            outcome = yield Filled(self.op, case) >> rename(callee.name()), callee, callee.root()
            if not isinstance(outcome, Success):
                return outcome
            outcome = yield call_eqv(outcome.unwrap()[0]), p, here
            if not isinstance(outcome, Success):
                return outcome
            p, _ = outcome.unwrap()
        return Success((p, p.root()))

    def source(self) -> Pieces:
        return call("by_sizes", self.op, _shown(self.cases))


def by_sizes(op: Op, cases: Case | Mapping[str, Any]) -> Op:
    """`s  ~>  if n <= 64: foo_1(..) else: foo_2(..)`: `op`, with other values in its holes where sizes are others.

    The body of the procedure becomes a procedure of its own for each case, which `op` rewrites with the values of this
    case, by the primitives specialize, extract_subproc and call_eqv; the last takes no version that computes something
    else, or is called otherwise. Returns the procedure. Fails where it is not applied to a whole procedure, and where a
    size is no argument. Paper: section 6.2.2 specializes sizes so.

    >>> from exo_strat import at, divide_loop, hole, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> op = at("for i in _: _", divide_loop(hole("width", (4, 8)), ("io", "ii"), tail="guard"))
    >>> q = schedule(by_sizes(op, Cut("n", 64, {"width": 4}, {"width": 8})), p)
    >>> print(q)
    def foo(n: size, x: f32[n] @ DRAM):
        if n <= 64:
            foo_1(n, x)
        else:
            foo_2(n, x)
    >>> print(q.find("foo_1(_)").subproc())
    def foo_1(n: size, x: f32[n] @ DRAM):
        assert n <= 64
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                if 4 * io + ii < n:
                    x[4 * io + ii] = 0.0
    """
    check_op(op, "by_sizes(op, cases) takes an Op")
    return BySizes(op, _case(cases))


# -- from records -------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Sized(Composed):
    """A strategy with records of each program that is known; see `sized`."""

    op: Op
    records: tuple[Record, ...]
    setting: Setting
    within: float

    @property
    def shows_holes(self) -> bool:
        return False

    def steps(self, p: Proc, c: Cursor) -> Steps:
        found = self.decided(p) if c == p.root() else None
        if found is None:
            found = remark(f"no record of {p.name()} fits: holes have their defaults") >> self.op
        return (yield found, p, c)

    def decided(self, p: Proc) -> Op | None:
        """What it is for a program, without the records: `by_sizes` of the cases. None if no record fits."""
        key = program_key(p) if self.records else ""
        found = [r for r in self.records if r.program_key == key]
        return by_sizes(self.op, cases(found, self.within)) if found else None

    def source(self) -> Pieces:
        given = {} if self.within == WITHIN else {"within": self.within}
        return call("sized", self.op, self.records, self.setting, **given)

    def __reduce__(self) -> tuple[Any, ...]:
        return sized, (self.op, self.records, self.setting, self.within)


def sized(op: Op, records: Iterable[Record], setting: Setting = NOWHERE, within: float = WITHIN) -> Op:
    """`op`, with its holes filled from what was measured at several sizes, in a branch for each case: see `by_sizes`
    and `cases`. Records fit as those of `tuned` do; where none does, holes have their defaults. A `SlowerWarning` says
    where the program is slower at best than without the strategy, if the records tell that. `within` says by how much
    of the best time a case may be slower, at each size that was measured.

    Raises `NoKeyError` if the strategy has no key: see `strategy_key`.
    """
    check_op(op, "sized(op, records) takes an Op")
    given = tuple(records)
    key = strategy_key(op) if given else ""
    fitting: dict[str, list[Record]] = {}
    for r in given:
        if r.fits(key, setting):
            fitting.setdefault(r.program_key, []).append(r)
    for found in fitting.values():
        warn_if_slower(op, found, given, setting)
    return Sized(op, tuple(r for _, found in sorted(fitting.items()) for r in _needed(found, within)), setting, within)


def _needed(records: Sequence[Record], within: float) -> list[Record]:
    """The records on which the cases rest: of the assignments in them, and the best at each of the sizes."""
    used = set(_leaves(cases(records, within)))
    found: list[Record] = []
    for row in fastest(records).values():
        rest = [r for values, r in row.items() if values in used]
        best = next(iter(row.values()))
        found += rest if best in rest else [best, *rest]
    return found


def _leaves(case: Case) -> list[Values]:
    if isinstance(case, Cut):
        return _leaves(cast(Case, case.small)) + _leaves(cast(Case, case.large))
    return [case]


@with_room
def cases(records: Iterable[Record], within: float = WITHIN) -> Case:
    """The fewest cases in which a program is at each size that was measured at most so much slower than the best one
    there. Of as many cases, those with the least mean ratio to the best times. Between two sizes that were measured,
    one case begins at their geometric mean.

    The records are of one strategy on one program, and at least one. One that lacks a size which others tell does not
    count. Cases are made by cutting at one size after another. The fewest are found exactly, unless there are very many
    sizes.

    >>> from exo_strat.tuning.records import NOWHERE, Record
    >>> def at(n, width, seconds):
    ...     return Record("p", "", "s", "", NOWHERE, (("n", n),), (("width", width),), seconds, 0.0, "", "")
    >>> cases([at(10, 4, 1.0), at(10, 8, 1.5), at(90, 4, 3.0), at(90, 8, 2.0), at(1000, 8, 9.0)])
    Cut('n', 30, {'width': 4}, {'width': 8})
    """
    table = fastest(records)
    names = sorted({name for at in table for name, _ in at})
    told = {at: row for at, row in table.items() if len(at) == len(names)}
    if not told:
        raise ValueError("no record tells all sizes" if table else "there are no records")
    return _Search(names, told, within).fewest(tuple(told))[2]


_Found: TypeAlias = "tuple[int, float, Case]"
"""How many cases, how slow they are in sum, and what they are."""


class _Search:
    """A search for the fewest cases, by groups of sizes that cuts leave together."""

    def __init__(self, names: Sequence[str], table: Mapping[Sizes, Mapping[Values, Record]], within: float) -> None:
        self.names = names
        best = {at: min(r.seconds for r in row.values()) for at, row in table.items()}
        self.slow = {
            at: {values: log(max(r.seconds, TINY) / max(best[at], TINY)) for values, r in row.items()}
            for at, row in table.items()
        }
        self.most = log(1 + within) + 1e-12  # of a time that is slower by just as much
        steps = (len({dict(at)[name] for at in table}) for name in names)
        self.exact = prod(n * (n + 1) // 2 for n in steps) <= MOST
        self.known: dict[tuple[Sizes, ...], _Found] = {}

    def fewest(self, points: tuple[Sizes, ...]) -> _Found:
        if points not in self.known:
            self.known[points] = self._one(points) or self._cut(points)
        return self.known[points]

    def _one(self, points: Sequence[Sizes]) -> _Found | None:
        """One case for all of some sizes."""
        first, *rest = (self.slow[at] for at in points)
        fit = [v for v in first if all(row.get(v, self.most + 1) <= self.most for row in (first, *rest))]
        if not fit:
            return None
        total = {v: sum(self.slow[at][v] for at in points) for v in fit}
        values = min(fit, key=lambda v: (total[v], repr(v)))
        return 1, total[values], values

    def _cut(self, points: Sequence[Sizes]) -> _Found:
        """The best of the ways to cut sizes in two."""
        found: list[_Found] = []
        for name, at, small, large in self._ways(points):
            one, two = self.fewest(small), self.fewest(large)
            found.append((one[0] + two[0], one[1] + two[1], Cut(name, at, one[2], two[2])))
        return min(found, key=lambda f: f[:2])

    def _ways(self, points: Sequence[Sizes]) -> list[tuple[str, int, tuple[Sizes, ...], tuple[Sizes, ...]]]:
        ways = []
        for name in self.names:
            for a, b in pairwise(sorted({dict(at)[name] for at in points})):
                small = tuple(at for at in points if dict(at)[name] <= a)
                large = tuple(at for at in points if dict(at)[name] > a)
                ways.append((name, isqrt(a * b) if a > 0 else a, small, large))
        if self.exact:
            return ways
        whole = [max((len(side) for side in way[2:] if self._one(side)), default=0) for way in ways]
        return [ways[whole.index(max(whole))]]
