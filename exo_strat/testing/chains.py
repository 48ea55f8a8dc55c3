"""Chains of rewrites: several primitives and strategies in a row, and at the end a comparison with the first program.

One rewrite at a time is checked in `harness`; here it is what rewrites leave to the next ones:
notes of fields and arguments, facts, forwarded cursors, copies of one variable, buffers in other memories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from returns.result import Success

from ..cursors.cursor import Cursor
from ..cursors.kinds import CallCursor
from ..cursors.proc import Proc
from ..ops.strategy import Op
from ..primitives import PRIMITIVES, call_eqv
from .applications import application
from .choices import Choices
from .equivalence import assert_equivalent, assert_lawful
from .harness import narrows
from .laws import assert_head_stays
from .targets import targets

Finish = Callable[[Proc, Proc], object]
"""A further comparison of the first program and the last one, which raises an `AssertionError`."""

Keep = Callable[[Proc], bool]
"""Whether a chain may go on from a program."""

TRIES = 8
"""How many rewrites are tried for each that is to succeed."""
Drawn = tuple[str, Op, Cursor]
"""A rewrite, what it is counted as, and where it starts."""
Draw = Callable[[Choices, Proc], Drawn | None]
"""Draws a rewrite of a program, or none if there is nowhere to start."""


def starting(op: Op, at: Callable[[Proc], Iterable[Cursor]]) -> Draw:
    """Draws a strategy, started at one of some cursors of a program."""

    def draw(ch: Choices, p: Proc) -> Drawn | None:
        found = list(at(p))
        return (str(op), op, ch.pick(found)) if found else None

    return draw


@dataclass
class Chains:
    """What came out: how many chains were drawn, how many were compared, and how often each rewrite succeeded and
    failed in one."""

    drawn: int = 0
    compared: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, other: Chains) -> None:
        """Counts those of another, too."""
        self.drawn += other.drawn
        self.compared += other.compared
        self.accepted += other.accepted
        self.refused += other.refused


def always(_: Proc) -> bool:
    """Any program."""
    return True


def check_chain(
    ch: Choices, p: Proc, strategies: Sequence[Draw], tally: Chains, finish: Iterable[Finish] = (), often: int = 25,
    keep: Keep = always,
) -> Proc:  # fmt: skip
    """Rewrites a program by a random chain of 2 to 10 primitives and strategies. Asserts that the last version is
    lawful and computes the same; so do the functions in `finish`. `often` of a hundred that are tried are strategies.
    What `keep` says no to is dropped, as if it had not been drawn.

    Raises `Miscompiled` or `Malformed`.
    """
    text, q, steps = str(p), p, 2 + ch.upto(8)
    for name, made in _steps(ch, p, partial(_drawn, strategies=strategies, often=often), steps, tally, keep):
        tally.accepted[name] += 1
        q = made
    tally.drawn += 1
    how = " >> ".join(map(str, q.history()))
    assert_lawful(p, q, text, how)
    assert_head_stays(p, q, how)
    narrower = any(map(narrows, q.history()))
    tally.compared += assert_equivalent(p, q, how=how, narrower=narrower) > 0
    for compare in finish:
        compare(p, q)
    return q


def _steps(
    ch: Choices, p: Proc, draw: Draw, steps: int, tally: Chains, keep: Keep
) -> Iterator[tuple[str, Proc]]:
    """The rewrites that succeed and change something, each by name, with what they make of the program."""
    done = 0
    for _ in range(TRIES * steps):
        drawn = draw(ch, p)
        if drawn is None:
            continue
        name, op, c = drawn
        outcome = op(p, c)
        if not isinstance(outcome, Success):
            tally.refused[name] += 1
            continue
        q = outcome.unwrap()[0]
        if q is not p and keep(q):
            p, done = q, done + 1
            yield name, p
        if done == steps:
            return


def _drawn(ch: Choices, p: Proc, strategies: Sequence[Draw], often: int) -> Drawn | None:
    """A primitive or strategy by name, and where it starts; None if it has nowhere to start."""
    if strategies and ch.chance(often):
        return ch.pick(strategies)(ch, p)
    calls = [c for c in targets(p, (CallCursor,)) if isinstance(c, CallCursor)] if ch.chance(15) else []
    if calls:
        call = ch.pick(calls)
        return "call_eqv", call_eqv(_rewritten(ch, call.subproc())), call
    return _primitive(ch, p)


def _rewritten(ch: Choices, p: Proc) -> Proc:
    """A procedure after up to three primitives: another version of what is called."""
    for _ in range(3 * (1 + ch.upto(2))):
        drawn = _primitive(ch, p)
        outcome = drawn and drawn[1](p, drawn[2])
        p = outcome.unwrap()[0] if isinstance(outcome, Success) else p
    return p


def _primitive(ch: Choices, p: Proc) -> Drawn | None:
    form = ch.pick([op for op in PRIMITIVES.values() if op.spec.trial.chains != "never"])
    if form.spec.trial.chains == "seldom" and ch.chance(70):
        return None
    drawn = application(ch, p, form)
    return drawn and (form.spec.name, *drawn)
