"""The loop of a search: candidates are scheduled and compiled in parallel processes, and measured one at a time."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from returns.result import Success
from rich.console import Console

from ..cursors.cursor import Cursor
from ..cursors.proc import Proc
from ..ops.holes import Decision
from ..ops.spaces import Choice, Space, run_with, space
from ..ops.strategy import Op, check_op
from .apart import Ended, Workers, uninterrupted
from .before import as_now, close, slower
from .found import Tuning
from .measures import Measure, Prepared
from .programs import Program, Programs
from .progress import progress
from .search import Rank, Search, Tried, Values, random_search, starting

OVER: Final = "are over"
"""How it ends what is said of a search that stopped as its time was over."""
LIMIT: Final = 120.0
"""Seconds after which the scheduling and compiling of a candidate counts as a hang, unless said."""


def tune(
    op: Op,
    p: Proc,
    measure: Measure,
    *,
    place: Cursor | None = None,
    search: Search | None = None,
    seconds: float | None = None,
    trials: int | None = None,
    jobs: int | None = None,
    batch: int | None = None,
    model: Callable[[Proc], float] | None = None,
    screen: int = 1,
    unscheduled: bool = False,
    before: Sequence[Tried] = (),
    programs: Programs | None = None,
    limit: float = LIMIT,
    console: Console | None = None,
    told: Callable[[Tried], None] = lambda tried: None,
    clock: Callable[[], float] = time.monotonic,
) -> Tuning:
    """Search for the values of a strategy's holes with which it makes the fastest program of a procedure.

    The defaults are tried first, then what `search` proposes (`random_search()` unless said), until it has nothing
    left, so many `seconds` have passed, so many `trials` were made, refused ones counted, or a key is pressed to
    interrupt it, which loses nothing. With `unscheduled` the procedure as it is takes part, too.

    Of what is known from `before`, at the same sizes (`known_at`), the best and what is close to it are tried after the
    defaults, so that they are compared in one run. The others are not tried again, and the search goes on from them.

    Candidates are scheduled and compiled in `batch`es, in `jobs` processes: as many as there are processors unless
    said, and batches of as many. One that crashes, or takes longer than `limit` seconds, is remembered as such, one
    that a rewrite refuses with the reason. Searches with the same strategy and procedure that share `programs` schedule
    each candidate once. Then they are measured one by one; where a `model`
    is given, those first that cost least according to it, and only one of `screen` candidates: the others wait, as
    those of later batches may cost less; they are not counted until they are measured. On a terminal it is shown how
    far the search is. Of each candidate it is `told` what came of it, as soon as that is known.

    Given the seed of `search`, the size of batches and the times, the same candidates are tried again. Raises nothing
    for what becomes of candidates; it warns of one that computes something else, which is a bug of this library.

    >>> from exo_strat import at, divide_loop, hole, proc_from_source
    >>> from exo_strat.tuning import Modelled
    >>> p = proc_from_source('''
    ... def scale(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 2.0 * x[i]
    ... ''')
    >>> op = at("for i in _: _", divide_loop(hole("width", (4, 8, 16)), ("io", "ii"), tail="cut"))
    >>> def model(p):
    ...     return 1.0 if "seq(0, 8)" in str(p) else 1.5
    >>> print(tune(op, p, Modelled(model), jobs=1))
    3 tried (3 modelled): nothing is left to try
    best: width = 8: modelled, 1
    """
    check_op(op, "tune(op, p, measure) takes an Op")
    jobs = jobs or _processors()
    known, made = tuple(before), Programs() if programs is None else programs
    run = _Run(op, p, place, measure, model, jobs, limit, clock, seconds, trials, space(op), told, known, made, screen)
    stopped = "interrupted"
    with closing(run.workers), progress(console or Console(stderr=True)) as run.show, suppress(KeyboardInterrupt):
        first = [t.decisions for t in close(known)]
        stopped = run.all(starting(first, search or random_search()), batch or jobs * screen, unscheduled)
    return Tuning(op, p, place, run.space, (*run.tried, *run.ranked()), run.unscheduled, stopped)


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class _Made:
    """What a process made of an assignment: the decisions and the program, what measuring needs of that, its cost."""

    program: Program
    prepared: Prepared | Ended
    cost: float | None = None


@dataclass
class _Run:
    """A search under way."""

    op: Op
    proc: Proc
    place: Cursor | None
    measure: Measure
    model: Callable[[Proc], float] | None
    jobs: int
    limit: float
    clock: Callable[[], float]
    seconds: float | None
    trials: int | None
    space: Space
    told: Callable[[Tried], None]
    before: tuple[Tried, ...]
    programs: Programs
    screen: int = 1
    waiting: list[tuple[_Made | Ended, Values]] = field(default_factory=list)
    tried: list[Tried] = field(default_factory=list)
    unscheduled: Tried | None = None
    best: tuple[Tried, Prepared] | None = None
    known: dict[str, Tried] = field(default_factory=dict)
    show: Callable[[int, Tried | None], None] = lambda count, best: None

    def __post_init__(self) -> None:
        self.began = self.clock()
        self.workers = Workers(self._made, self.jobs)

    def all(self, search: Search, batch: int, unscheduled: bool) -> str:
        """Go on until the end, and say why it is."""
        if unscheduled:
            (made,) = self.workers([Program((), Proc(self.proc.tree))], self.limit)
            self.unscheduled = self._measured(made, {})
        asked = [self.space.defaults()]
        while True:
            asked = self._asked(search, asked, batch)
            if not asked and not self.waiting:
                return "nothing is left to try"
            self._try(asked)
            over = self._over()
            if over:
                return over
            asked = []

    def _asked(self, search: Search, asked: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
        """What is tried next: what is asked already, and what the search proposes beside it."""
        if self.trials is not None:
            most = max(1, min(most, (self.trials - len(self.tried)) * self.screen))
        slow = as_now(slower(self.before), self.before, self.tried, self.space)
        known = (*slow, *self.tried, *self.ranked())
        while len(asked) < most:
            proposed = search(self.space, (*known, *(Tried(a, a, "asked") for a in asked)))
            if proposed is None:
                break
            asked.append(proposed)
        return asked

    def _over(self) -> str:
        if self.trials is not None and len(self.tried) >= self.trials:
            return f"{self.trials} trials were made"
        if self.seconds is not None and self.clock() - self.began >= self.seconds:
            return f"{self.seconds:g} s {OVER}"
        return ""

    def ranked(self) -> tuple[Tried, ...]:
        """What was scheduled, and is not measured as others cost less according to the model."""
        return tuple(
            Tried(values, _met(made), "ranked", cost=made.cost)
            for made, values in self.waiting
            if isinstance(made, _Made) and _is_open(made) and made.cost is not None
        )

    def _try(self, asked: Sequence[dict[str, Any]]) -> None:
        """Schedule and compile a batch, then measure it: the defaults first, others by what the model says; of several
        only some. What ended only because the time is over is not known."""
        left, defaults = self._left(), self.space.defaults()
        made = self.workers([self.programs.find(values, defaults) or values for values in asked], left)
        pairs = list(zip(made, asked, strict=True))
        if left < self.limit:
            pairs = [(m, values) for m, values in pairs if not (isinstance(m, Ended) and m.status == "hung")]
        for m, _ in pairs:
            if not isinstance(m, Ended):
                self.space = grown(self.space, m.program.decisions)
                self.programs.add(m.program)
        if not self.tried:
            self._add(*pairs.pop(0))
        self.waiting = sorted([*self.waiting, *pairs], key=lambda pair: _cost(pair[0]))
        many = len(self.waiting) if self.screen == 1 or not asked else -(-len(pairs) // self.screen)
        costly = [pair for pair in self.waiting if _is_open(pair[0])][many:]
        chosen = [pair for pair in self.waiting if not any(pair is other for other in costly)]
        while chosen and not self._over():
            self._add(*chosen.pop(0))
        self.waiting = [*chosen, *costly]

    def _add(self, made: _Made | Ended, values: Values) -> None:
        """What becomes of a candidate."""
        found = self._measured(made, values)
        with uninterrupted():
            self.tried.append(found)
            self.told(found)
        self.show(len(self.tried), self.best and self.best[0])

    def _left(self) -> float:
        """How long a candidate may take to be scheduled. The first is waited for."""
        if self.seconds is None or not self.tried:
            return self.limit
        return max(0.0, min(self.limit, self.seconds - (self.clock() - self.began)))

    # -- a candidate ----------------------------------------------------------------------------

    def _made(self, asked: Values | Program) -> _Made:
        """What comes of an assignment, or of what was made of it before; in another process."""
        if not isinstance(asked, Program):
            outcome, decisions = run_with(self.op, self.proc, self.place, asked)
            if isinstance(outcome, Success):
                asked = Program(decisions, Proc(outcome.unwrap()[0].tree))  # how it was made need not be pickled
            else:
                asked = Program(decisions, Ended("refused", outcome.failure().headline()))
        if isinstance(asked.made, Ended):
            return _Made(asked, asked.made)
        return _Made(asked, self.measure.prepare(asked.made), self.model(asked.made) if self.model else None)

    def _measured(self, made: _Made | Ended, values: Values) -> Tried:
        """What becomes of a candidate; measured, if it is a new program."""
        if isinstance(made, Ended):
            return Tried(values, values, made.status, reason=made.reason)
        met = _met(made)
        if isinstance(made.prepared, Ended):
            return Tried(values, met, made.prepared.status, reason=made.prepared.reason, cost=made.cost)
        again = self.known.get(made.prepared.key)
        if again is None:
            tried = self._timed(made.prepared, Tried(values, met, "measured", cost=made.cost))
        elif again is self.unscheduled:  # the procedure as it was has no values: now it has
            tried = replace(again, values=values, decisions=met, cost=made.cost)
        else:
            return _same(again, values, met)
        self.known[made.prepared.key] = tried
        return tried

    def _timed(self, prepared: Prepared, asked: Tried) -> Tried:
        best, beside = self.best or (None, None)
        found = self.measure.time(prepared, beside)
        if isinstance(found, Ended):
            if found.status == "wrong":
                warnings.warn(WRONG.format(values=dict(asked.values), why=found.reason), RuntimeWarning, stacklevel=2)
            return replace(asked, status=found.status, reason=found.reason)
        slower = 1.0  # than when the best one was measured
        if best is not None and best.seconds and found.beside:
            slower = found.beside / best.seconds
        tried = replace(asked, seconds=found.seconds / slower, spread=found.spread / slower, unit=found.unit)
        if best is None or _seconds(tried) < _seconds(best):
            self.best = tried, prepared
        return tried


WRONG: Final = "a schedule of proved rewrites computes something else: {why}; please report this as a bug ({values})"


def _met(made: _Made) -> dict[str, Any]:
    """The values of the holes that a run came to."""
    return {d.name: d.value for d in made.program.decisions}


def _is_open(made: _Made | Ended) -> bool:
    """Whether it can be measured."""
    return isinstance(made, _Made) and isinstance(made.prepared, Prepared)


def _cost(made: _Made | Ended) -> float:
    """The cost by which a batch is ordered."""
    return made.cost if isinstance(made, _Made) and made.cost is not None else float("inf")


def _seconds(t: Tried) -> float:
    return float("inf") if t.seconds is None else t.seconds


def _same(again: Tried, values: Values, met: Values) -> Tried:
    """A candidate that is the same program as another, of which it is known what comes."""
    what = f"the same program as that of {dict(again.values)}"
    status = "same" if again.status == "measured" else again.status
    reason = f"{what}: {again.reason}" if again.reason else what
    return replace(again, values=values, decisions=met, status=status, reason=reason)


def grown(known: Space, made: Iterable[Decision]) -> Space:
    """A space with the holes that a run came to. Where the candidates of a hole depend on earlier choices, it has them
    all: what is none of a run's is refused there."""
    choices = {c.name: c for c in known.choices}
    for d in made:
        c = choices.setdefault(d.name, Choice(d.name, d.hole.candidates, d.hole.default, hidden=True))
        more = tuple(x for x in d.hole.candidates if not replace(d.hole, candidates=c.candidates).takes(x))
        if more:
            choices[d.name] = replace(c, candidates=(*c.candidates, *more))
    return Space(tuple(choices.values()), known.limits)


def scheduled_cost(op: Op, p: Proc, model: Callable[[Proc], float], place: Cursor | None = None) -> Rank:
    """What a model of scheduled Procs says of assignments to the holes of a strategy: for `best_first`. What a rewrite
    refuses costs more than anything else."""

    def rank(values: Values) -> float:
        outcome, _ = run_with(op, p, place, values)
        return model(outcome.unwrap()[0]) if isinstance(outcome, Success) else float("inf")

    return rank
