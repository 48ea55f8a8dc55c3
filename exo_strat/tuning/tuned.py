"""`tuned`: a strategy whose holes are filled from records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from math import log
from typing import Any, Final
from warnings import warn

from returns.result import Success

from ..cursors.cursor import Cursor
from ..cursors.proc import Proc
from ..ops.combinators import identity
from ..ops.spaces import Filled
from ..ops.strategy import Atomic, Composed, Op, Outcome, Steps, check_op
from ..source import Pieces, brief, call, show
from .keys import program_key, strategy_key
from .records import NOWHERE, Record, Setting, Sizes, Values
from .search import Tried, number

WITHIN: Final = 0.03
"""What is slower by no more than this, as a part of the time, counts as being as fast."""


class SlowerWarning(UserWarning):
    """The best that is known of a strategy is slower than the procedure as it was."""


@dataclass(frozen=True, repr=False)
class remark(Atomic):
    """Changes nothing; says something in a trace, and so in what `explain` prints.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source("def foo(x: f32):\\n    x = 1.0")
    >>> schedule(remark("nothing is known of foo"), p) == p
    True
    """

    text: str

    @property
    def total(self) -> bool:
        return True

    @property
    def again(self) -> bool:
        return True

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        return Success((p, c))


@dataclass(frozen=True, repr=False)
class Tuned(Composed):
    """A strategy with the record of each program that is known; see `tuned`."""

    op: Op
    records: tuple[Record, ...]
    setting: Setting
    sizes: Sizes

    @property
    def shows_holes(self) -> bool:
        return False

    def steps(self, p: Proc, c: Cursor) -> Steps:
        found = self.record(p, c)
        if found is None:
            return (yield remark(f"no record of {p.name()} fits: holes have their defaults") >> self.op, p, c)
        return (yield remark(told(found)) >> Filled(self.op, found.values), p, c)

    def record(self, p: Proc, c: Cursor | None = None) -> Record | None:
        """The record whose values a program gets, if there is one. Records tell of whole programs, so there is none at
        a cursor to a part."""
        if not self.records or (c is not None and c != p.root()):
            return None
        key = program_key(p)
        return next((r for r in self.records if r.program_key == key), None)

    def source(self) -> Pieces:
        return call("tuned", self.op, self.records, self.setting, dict(self.sizes))

    def __reduce__(self) -> tuple[Any, ...]:
        return tuned, (self.op, self.records, self.setting, dict(self.sizes))


def told(record: Record) -> str:
    """A record in words."""
    at = ", ".join(f"{name} = {n}" for name, n in record.sizes)
    how = "by a model" if record.setting == NOWHERE else "measured"
    return f"{how}{' at ' * bool(at)}{at}: {cost(record)}, {record.date}"


def cost(record: Record) -> str:
    """The time of a record in words; of one that was made nowhere, the model's number."""
    return number(record.seconds, "" if record.setting == NOWHERE else None)


def tuned(
    op: Op,
    records: Iterable[Record],
    setting: Setting = NOWHERE,
    sizes: Mapping[str, int] | None = None,
) -> Op:
    """`op`, with its holes filled from what was measured: from a record of the program that it is applied to, of this
    very strategy with its source, in the same setting, by this version of exo_strat. Where there is none, holes have
    their defaults. `explain` shows which it was.

    Of several records that fit, the fastest at the sizes that are nearest to those given counts. Without sizes, it is
    the one whose values are best over all sizes that were measured: fewest sizes at which they were not measured, then
    the least mean of ratios to the best.

    The records that fit are chosen when the Op is made, and are part of it; nothing is read when it runs. A value that
    a hole doesn't have is refused. All rewrites are proved as ever. A `SlowerWarning` says where a program is slower
    with these values than without the strategy, if the records tell that, as those of `exo-strat tune` do.

    Raises `NoKeyError` if the strategy has no key: see `strategy_key`.

    >>> from exo_strat import explain, hole, proc_from_source, rename, schedule, trace
    >>> from exo_strat.tuning.records import recorded, setting
    >>> from exo_strat.tuning.search import Tried
    >>> p = proc_from_source("def foo(x: f32):\\n    x = 1.0")
    >>> op = rename(hole("name", ("slow", "fast")))
    >>> measured = Tried({}, {"name": "fast"}, "measured", 2e-6, 1e-7)
    >>> known = recorded(op, p, [measured], setting(), {}, "2026-11-24")
    >>> schedule(tuned(op, known), p).name(), schedule(tuned(op, ()), p).name()
    ('fast', 'slow')
    """
    check_op(op, "tuned(op, records) takes an Op")
    wanted = tuple(sorted((sizes or {}).items()))
    given = tuple(records)
    key = strategy_key(op) if given else ""
    fitting: dict[str, list[Record]] = {}
    for r in given:
        if r.fits(key, setting):
            fitting.setdefault(r.program_key, []).append(r)
    best = (_best(found, dict(wanted)) for _, found in sorted(fitting.items()))
    chosen = tuple(r for r in best if r is not None)
    for r in chosen:
        alike = [x for x in fitting[r.program_key] if x.values == r.values and (not wanted or x.sizes == r.sizes)]
        warn_if_slower(op, alike, given, setting)
    return Tuned(op, chosen, setting, wanted)


def as_it_was(records: Iterable[Record], program_key: str, setting: Setting) -> dict[Sizes, Record]:
    """The times of a program without a strategy, at each of the sizes: they are kept as those of `identity`."""
    key = strategy_key(identity)
    table = fastest(r for r in records if r.program_key == program_key and r.fits(key, setting))
    return {at: next(iter(row.values())) for at, row in table.items()}


def warn_if_slower(op: Op, found: Iterable[Record], given: Iterable[Record], setting: Setting) -> None:
    """Warn of the first of the sizes at which the fastest of some records of a strategy on a program is slower than the
    program as it was."""
    rows = fastest(found)
    best = [next(iter(row.values())) for row in rows.values()]
    plain = as_it_was(given, best[0].program_key, setting) if best else {}
    slower = [r for r in best if r.sizes in plain and r.seconds > plain[r.sizes].seconds * (1 + WITHIN)]
    if slower:
        r = slower[0]
        at = ", ".join(f"{name} = {n}" for name, n in r.sizes)
        warn(
            f"{r.program}{' at ' * bool(at)}{at} is slower by {brief(show(op))}, at best {cost(r)}, than as it was, "
            f"{cost(plain[r.sizes])}: leave the strategy out there",
            SlowerWarning,
            stacklevel=3,
        )


def _best(records: list[Record], sizes: Mapping[str, int]) -> Record | None:
    """The record to take, of those of one program. One that lacks a size which is asked for does not count."""
    if not sizes:
        return min(overall(records), key=_order)
    told = [r for r in records if sizes.keys() <= dict(r.sizes).keys()]
    near = min((distance(r, sizes) for r in told), default=0.0)
    return min((r for r in told if distance(r, sizes) == near), key=_order, default=None)


def _order(r: Record) -> tuple[object, ...]:
    """Faster ones first; those as fast in the order of their texts, so that no order of lines matters."""
    return r.seconds, r.spread, r.sizes, repr(r.values), r.date


def distance(r: Record, sizes: Mapping[str, int]) -> float:
    """How far a record's sizes are from those asked for: by how many times they differ, as a sum of logarithms."""
    known = dict(r.sizes)
    return sum(abs(log(max(known[n], 0) + 1) - log(max(sizes[n], 0) + 1)) for n in sorted(sizes))


def known_values(
    op: Op, p: Proc, records: Iterable[Record], setting: Setting = NOWHERE, sizes: Mapping[str, int] | None = None
) -> tuple[dict[str, Any], ...]:
    r"""What a search for the best values at some sizes may begin with (see `starting`): from the records that fit, the
    best values at the nearest sizes, at the next ones and so on; then the second best at each.

    >>> from exo_strat import hole, proc_from_source, rename
    >>> from exo_strat.tuning.records import recorded
    >>> from exo_strat.tuning.search import Tried
    >>> p = proc_from_source("def foo(n: size, x: f32[n]):\n    x[0] = 1.0")
    >>> op = rename(hole("name", ("a", "b")))
    >>> times = {10: {"a": 1.0, "b": 2.0}, 1000: {"a": 9.0, "b": 8.0}}
    >>> known = [
    ...     r
    ...     for n, row in times.items()
    ...     for name, t in row.items()
    ...     for r in recorded(op, p, [Tried({}, {"name": name}, "measured", t, 0.0)], NOWHERE, {"n": n}, "2026-11-24")
    ... ]
    >>> known_values(op, p, known, sizes={"n": 900})
    ({'name': 'b'}, {'name': 'a'})
    """
    given = tuple(records)
    if not given:
        return ()
    strategy, program, wanted = strategy_key(op), program_key(p), dict(sizes or {})
    table = fastest(r for r in given if r.program_key == program and r.fits(strategy, setting))
    rows = [row for at, row in table.items() if wanted.keys() <= dict(at).keys()]
    rows.sort(key=lambda row: distance(next(iter(row.values())), wanted))
    ranked = zip_longest(*rows)
    return tuple(dict(v) for v in dict.fromkeys(v for place in ranked for v in place if v is not None))


def known_at(
    op: Op, p: Proc, records: Iterable[Record], setting: Setting = NOWHERE, sizes: Mapping[str, int] | None = None
) -> tuple[Tried, ...]:
    """What the records that fit tell of candidates at these very sizes: what a search knows `before` it begins.

    >>> from exo_strat import hole, proc_from_source, rename
    >>> from exo_strat.tuning.records import recorded
    >>> p = proc_from_source("def foo(x: f32):\\n    x = 1.0")
    >>> op, slow = rename(hole("name", ("a", "b"))), Tried({}, {"name": "a"}, "measured", 2.0, 0.0)
    >>> known_at(op, p, recorded(op, p, [slow], NOWHERE, {}, "2026-11-24"))[0].seconds
    2.0
    """
    given = tuple(records)
    if not given:
        return ()
    strategy, program = strategy_key(op), program_key(p)
    table = fastest(r for r in given if r.program_key == program and r.fits(strategy, setting))
    row = table.get(tuple(sorted((sizes or {}).items())), {})
    return tuple(Tried(dict(v), dict(v), "measured", r.seconds, r.spread) for v, r in row.items())


def fastest(records: Iterable[Record]) -> dict[Sizes, dict[Values, Record]]:
    """The fastest record of each assignment at each of the sizes."""
    table: dict[Sizes, dict[Values, Record]] = {}
    for r in sorted(records, key=_order):
        table.setdefault(r.sizes, {}).setdefault(r.values, r)
    return {at: table[at] for at in sorted(table)}


def overall(records: Iterable[Record]) -> list[Record]:
    """The records of the assignment that is best over all sizes."""
    table = fastest(records)
    best = {at: min(r.seconds for r in row.values()) for at, row in table.items()}
    found: dict[Values, list[Record]] = {}
    for row in table.values():
        for values, r in row.items():
            found.setdefault(values, []).append(r)

    def order(values: Values) -> tuple[object, ...]:
        ratios = (log(max(r.seconds, TINY) / max(best[r.sizes], TINY)) for r in found[values])
        return -len(found[values]), sum(ratios) / len(found[values]), repr(values)

    return found[min(found, key=order)]


TINY = 1e-12
"""Seconds that nothing takes, in the place of none at all."""
