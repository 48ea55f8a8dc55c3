"""What a strategy did: each Op tried, where, how it ended, time, questions.

`trace(op, p)` is `op(p)` with an observer of the driver. It gives the same outcome, and a value to look at;
nothing is recorded otherwise.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from returns.result import Success

from ..cursors.cursor import Cursor
from ..cursors.proc import Proc
from ..ir.memo import forget
from ..logic.solver import Question, listening
from .failure import Failure
from .holes import Decision
from .strategy import Op, Outcome, check_op, evaluate


@dataclass(frozen=True)
class Counts:
    """How much a strategy did.

    `rewrites`: the primitive rewrites that led to the result, or to where the strategy was refused. `steps`: the Ops
    that succeeded, combinators and traversals too, whether or not their work was kept (what ELEVATE's paper counts).
    `tried`: the same with those that failed. `questions`: what the solver was asked.
    """

    rewrites: int
    steps: int
    tried: int
    questions: int


@dataclass(frozen=True, eq=False)
class Trace:
    """One Op tried: where, how it ended, how long it took, and the traces of the Ops tried inside it, in order.

    `questions` are those that the Op asked itself, `decisions` the values of holes in the Ops that it applied, and of
    those that it drew. Ops that a Python function calls (in `lift`, or in a
    `@strategy` without `yield`) have no traces of their own: they count as work of the Op that calls them.
    """

    op: Op
    place: Cursor
    outcome: Outcome
    seconds: float
    questions: tuple[Question, ...]
    inside: tuple[Trace, ...]
    decisions: tuple[Decision, ...] = ()

    @property
    def failure(self) -> Failure | None:
        """Why the Op was refused; None if it succeeded."""
        return None if isinstance(self.outcome, Success) else self.outcome.failure()

    @property
    def result(self) -> Proc | None:
        """The procedure that the Op made; None if it was refused."""
        return self.outcome.unwrap()[0] if isinstance(self.outcome, Success) else None

    def walk(self) -> Iterator[Trace]:
        """This trace and all those inside it, in order of time."""
        stack = [self]
        while stack:
            t = stack.pop()
            yield t
            stack.extend(reversed(t.inside))

    @property
    def reached(self) -> Proc:
        """The version to which the Op came: its result, or that in which it was refused."""
        t = self
        while t.inside and t.failure is not None and t.inside[-1].failure is t.failure:
            t = t.inside[-1]
        return t.place.proc if t.result is None else t.result

    def rewrites(self) -> tuple[Proc, ...]:
        """The versions from the original (left out) to the one that was reached, one a primitive rewrite. Each
        knows what made it: see `Proc.parent` and `Proc.rewritten`."""
        made = len(self.reached.history()) - len(self.place.proc.history())
        return tuple(p for p, _ in zip(self.reached.versions(), range(made), strict=False))[::-1]

    @property
    def counts(self) -> Counts:
        """How much was done, here and inside."""
        everything = tuple(self.walk())
        succeeded = sum(t.failure is None for t in everything)
        questions = sum(len(t.questions) for t in everything)
        return Counts(len(self.rewrites()), succeeded, len(everything), questions)

    def __repr__(self) -> str:
        return f"<Trace of {self.op!r}: {'refused' if self.failure else 'succeeded'}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from .derivation import trace_html

        return trace_html(self)


@dataclass
class _Open:
    """An Op that is being tried."""

    op: Op
    place: Cursor
    start: float
    questions: list[Question] = field(default_factory=list)
    inside: list[Trace] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)


class _Recorder:
    """Builds traces while the driver runs. `heard` grows with each question."""

    def __init__(self, heard: list[Question]) -> None:
        self.heard = heard
        self.open: list[_Open] = []
        self.done: list[Trace] = []
        self.first: list[Decision] = []

    def enter(self, op: Op, place: Cursor) -> None:
        self._hear()
        self.open.append(_Open(op, place, time.perf_counter(), decisions=self.first))
        self.first = []

    def decided(self, decision: Decision) -> None:
        """The innermost Op has the hole, or the whole strategy before it begins."""
        (self.open[-1].decisions if self.open else self.first).append(decision)

    def leave(self, outcome: Outcome) -> None:
        self._hear()
        o = self.open.pop()
        seconds = time.perf_counter() - o.start
        t = Trace(o.op, o.place, outcome, seconds, tuple(o.questions), tuple(o.inside), tuple(o.decisions))
        (self.open[-1].inside if self.open else self.done).append(t)

    def _hear(self) -> None:
        """What was asked since the last event was asked by the innermost Op."""
        if self.open:
            self.open[-1].questions += self.heard
        self.heard.clear()


def trace(op: Op, p: Proc, c: Cursor | None = None) -> tuple[Outcome, Trace]:
    """`op(p, c)` together with the tree of all that was tried.

    The analysis forgets first what it remembers of earlier questions, so that the counts depend on the
    arguments only; a traced run is slower for that, and its times are good for comparing its parts.

    >>> from exo_strat import proc_from_source, rename, fail
    >>> p = proc_from_source('''
    ... def foo(x: f32):
    ...     x = 1.0
    ... ''')
    >>> outcome, t = trace(fail("no") | rename("bar"), p)
    >>> t.counts
    Counts(rewrites=1, steps=2, tried=3, questions=0)
    """
    check_op(op, "trace(op, p) takes an Op and then a procedure")
    if not isinstance(p, Proc):
        raise TypeError(f"trace(op, p) takes an Op and then a procedure, not {p!r}")
    forget()
    with listening() as heard:
        recorder = _Recorder(heard)
        outcome = evaluate(op, p, p.root() if c is None else c, recorder)
    return outcome, recorder.done[0]
