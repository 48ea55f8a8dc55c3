"""Whether two Ops commute: on random programs, with the smallest one found on which they don't.

Both Ops are applied where both apply. They *commute* there if one order leads to the same program as the other;
they *join* if further uses of the two lead from the one result to a program to which they lead from the other; else
they *diverge*, as far as was looked. That all divergences join is what makes a set of rewrites confluent: which of
them comes first does not matter in the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from returns.result import Success

from ..cursors.cursor import Cursor
from ..cursors.proc import Proc
from ..ir.nodes import ProcDef
from ..ir.walk import alpha_normal
from ..ops.combinators import identity
from ..ops.strategy import Op, State
from ..source import show
from .choices import Choices
from .programs import random_proc
from .search import search
from .shapes import SHAPES

Verdict: TypeAlias = Literal["commute", "join", "diverge"]
WORSE: Final[tuple[Verdict, ...]] = ("commute", "join", "diverge")
MOST: Final = 10
"""So many programs are looked at on the way from either result."""


@dataclass(frozen=True)
class Witness:
    """A program and a place at which two Ops do not commute, with the results of the two orders; None for an order
    whose second Op was refused."""

    program: Proc
    place: Cursor
    verdict: Verdict
    ab: Proc | None
    ba: Proc | None


@dataclass(frozen=True)
class Commutation:
    """What `commutes` found: how often two Ops commute, join and diverge, and the smallest witness of the worst."""

    a: Op
    b: Op
    counts: Counter[Verdict]
    witness: Witness | None

    @property
    def verdict(self) -> Verdict | None:
        """The worst that was seen; None if the Ops never applied at one place."""
        return next((v for v in reversed(WORSE) if self.counts[v]), None)

    def __bool__(self) -> bool:
        """Whether the Ops met, and commuted wherever they did."""
        return self.verdict == "commute"

    def __str__(self) -> str:
        a, b = show(self.a), show(self.b)
        if self.verdict is None:
            return f"{a} and {b} never applied at one place: start from other cursors (at=...) or draw other programs"
        seen = ", ".join(f"{self.counts[v]} {v}" for v in WORSE if self.counts[v])
        lines = [f"{a} and {b} {self.verdict} ({seen})"]
        if self.witness is not None:
            w = self.witness
            lines += ["on", str(w.place)]
            for order, q in ((f"{a}, then {b} at the same place,", w.ab), (f"{b}, then {a} at the same place,", w.ba)):
                lines += [f"{order} does not apply"] if q is None else [f"{order} gives", str(q)]
        return "\n".join(lines)


def commutes(
    a: Op,
    b: Op,
    programs: st.SearchStrategy[Proc] | None = None,
    at: Callable[[Proc], Iterable[Cursor]] | None = None,
    max_examples: int = 100,
    modulo: Op = identity,
) -> Commutation:
    """Whether two Ops commute on random programs; if not, whether the results join, and the smallest program found.

    `programs` draws the procedures (any strategy of hypothesis; default: all shapes of programs, always the same
    ones), `at` gives the cursors of each to start from (default: the root). Results are equal if they differ in
    names of variables only, after `modulo` (`simplify()`, say) was applied to both.

    >>> from exo_strat import rename, simplify
    >>> commutes(simplify(), rename("other"), max_examples=5).verdict
    'commute'
    >>> found = commutes(rename("one"), rename("other"), max_examples=5)
    >>> found.verdict, found.witness.ab.name(), found.witness.ba.name()
    ('join', 'other', 'one')
    """
    diamond = _Diamond(a, b, modulo)
    counts: Counter[Verdict] = Counter()
    drawn = _searched(max_examples) if programs is None else _drawn(programs, max_examples)

    def places(p: Proc) -> Iterable[Cursor]:
        return [p.root()] if at is None else at(p)

    def tally(p: Proc) -> bool:
        counts.update(v for c in places(p) if (v := diamond.verdict(c)) is not None)
        return False

    drawn(tally)
    worst = next((v for v in reversed(WORSE) if counts[v]), "commute")
    if worst == "commute":
        return Commutation(a, b, counts, None)
    smallest = drawn(lambda p: any(diamond.verdict(c) == worst for c in places(p)))
    assert smallest is not None, "what was met once is met again"
    return Commutation(a, b, counts, next(w for c in places(smallest) if (w := diamond.witness(c)).verdict == worst))


# -- one place ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Diamond:
    """Two Ops, applied in both orders."""

    a: Op
    b: Op
    modulo: Op

    def verdict(self, c: Cursor) -> Verdict | None:
        """How the two orders compare at a place; None if not both Ops apply there."""
        return self.witness(c).verdict if self._applies(self.a, c) and self._applies(self.b, c) else None

    def witness(self, c: Cursor) -> Witness:
        """The two orders at a place."""
        ab, ba = (self._then(first, second, c) for first, second in ((self.a, self.b), (self.b, self.a)))
        return Witness(c.proc, c, self._compared(c, ab, ba), ab, ba)

    def _applies(self, op: Op, c: Cursor) -> bool:
        return isinstance(op(c.proc, c), Success)

    def _then(self, first: Op, second: Op, c: Cursor) -> Proc | None:
        """One after the other, both at the place itself."""
        for state in _after(first, (c.proc, c)):
            for q, _ in _after(second, state):
                return q
        return None

    def _compared(self, c: Cursor, ab: Proc | None, ba: Proc | None) -> Verdict:
        if ab is not None and ba is not None and self._normal(ab) == self._normal(ba):
            return "commute"
        left, right = (self._reached(op, c) for op in (self.a, self.b))
        return "join" if any(tree in right for tree in left) else "diverge"

    def _reached(self, op: Op, c: Cursor) -> list[ProcDef]:
        """The programs to which the two Ops lead after one of them was applied, the nearest first."""
        todo = list(_after(op, (c.proc, c)))
        found: list[ProcDef] = []
        while todo and len(found) < MOST:
            state = todo.pop(0)
            tree = self._normal(state[0])
            if tree not in found:
                found.append(tree)
                todo += [s for o in (self.a, self.b) for s in _after(o, state)]
        return found

    def _normal(self, p: Proc) -> ProcDef:
        outcome = self.modulo(p)
        return alpha_normal(outcome.unwrap()[0].tree if isinstance(outcome, Success) else p.tree)


def _after(op: Op, state: State) -> Iterator[State]:
    """The state after an Op, at the place where it was applied; none if it was refused or the place is gone."""
    p, c = state
    outcome = op(p, c)
    if isinstance(outcome, Success):
        q: Proc = outcome.unwrap()[0]
        here = q.forward(c)
        if here.is_valid:
            yield q, here


# -- many programs ------------------------------------------------------------------------------------

Drawn: TypeAlias = Callable[[Callable[[Proc], bool]], Proc | None]
"""The smallest program found that has a property; None if none has."""


class _Found(AssertionError):
    """A program that was looked for."""

    def __init__(self, program: Proc) -> None:
        super().__init__(program)
        self.program = program


def _searched(max_examples: int) -> Drawn:
    def smallest(has: Callable[[Proc], bool]) -> Proc | None:
        def once(ch: Choices) -> None:
            p = random_proc(ch, tuple(SHAPES))
            if p is not None and has(p):
                raise _Found(p)

        try:
            search(once, range(max_examples))
        except _Found as found:
            return found.program
        return None

    return smallest


def _drawn(programs: st.SearchStrategy[Proc], max_examples: int) -> Drawn:
    usual = settings(
        max_examples=max_examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )

    def smallest(has: Callable[[Proc], bool]) -> Proc | None:
        try:
            return find(programs, has, settings=usual)
        except NoSuchExample:
            return None

    return smallest
