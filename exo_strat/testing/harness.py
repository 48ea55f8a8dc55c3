"""Checking rewrites on random programs, with a count of what was accepted and what was refused.

A test in which nothing is ever accepted, or nothing refused, says little:
`Tally` keeps count, so that tests can ask for a quota.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from math import inf
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from returns.result import Success

from ..cursors.cursor import Cursor
from ..cursors.proc import Proc
from ..ops.failure import Failure
from ..ops.strategy import Atomic, Op
from ..ops.strategy import check_op as require_op
from ..primitives import Primitive, PrimitiveForm
from .applications import applications
from .choices import Choices
from .counterexamples import assert_real, claims
from .equivalence import Malformed, assert_equivalent, assert_lawful
from .forms import FORMS, formed
from .forwarding import assert_forwarding
from .laws import assert_focus, assert_head_stays
from .programs import check_shapes, random_proc
from .reasons import Reasons
from .search import search, smallest
from .shapes import SHAPES
from .targets import targets


@dataclass
class Tally:
    """How often rewrites were accepted, how often on a program that has a meaning, by which kind of failure and for
    which reasons they were refused, and whether the counterexamples of the refusals are real (see `counterexamples`).
    """

    accepted: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: Counter[tuple[str, str]] = field(default_factory=Counter)
    reasons: Reasons = field(default_factory=Reasons)
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def trying(self, name: str) -> Iterator[None]:
        """Counts the time that is spent on a rewrite, and notes its name at a failure."""
        begin = time.perf_counter()
        try:
            yield
        except AssertionError as e:
            e.add_note(name)
            raise
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin

    def refusals(self, name: str) -> int:
        """How often a rewrite was refused, for whatever reason."""
        return sum(k for (op, _), k in self.refused.items() if op == name)

    def unsafe(self, name: str) -> int:
        """How often a rewrite was refused as its condition of safety does not hold."""
        return self.refused[name, "Unsafe"]

    def claimed(self, name: str) -> int:
        """How many refusals of a rewrite gave a counterexample."""
        return sum(k for (op, kind), k in self.examples.items() if op == name and kind != "none")

    def tried(self, name: str) -> int:
        """How often a rewrite was applied."""
        return self.accepted[name] + self.refusals(name)

    def __str__(self) -> str:
        names = sorted({*self.accepted, *(n for n, _ in self.refused)})
        rows = [f"{'':20}{'accepted':>10}{'compared':>10}  refused"]
        for n in names:
            why = ", ".join(f"{k} {kind}" for (op, kind), k in sorted(self.refused.items()) if op == n)
            rows.append(f"{n:20}{self.accepted[n]:10}{self.compared[n]:10}  {why or '-'}")
        never = [n for n in names if not self.accepted[n]]
        return "\n".join([*rows, *(f"{n} was never accepted:\n{self.reasons.told(n)}" for n in never)])


def check_op(op: Op, p: Proc, c: Cursor | None, tally: Tally, name: str = "", most: float = inf) -> Proc | None:
    """Applies an Op once; if it succeeds, asserts that the result is lawful and computes the same, unless `most` of its
    results were compared already. If a primitive is refused, asserts that the counterexample, if there is one, is real;
    that of a strategy may be about a version that only it has seen.

    Returns the result, or None if the Op was refused.
    """
    name, text = name or str(op), str(p)
    with claims() as claimed:
        outcome = op(p) if c is None else op(p, c)
    if not isinstance(outcome, Success):
        failure: Failure = outcome.failure()
        str(failure)  # must print
        tally.refused[name, type(failure).__name__] += 1
        tally.reasons.add(name, failure, p)
        if isinstance(op, Atomic):
            tally.examples[name, assert_real(p, failure, claimed)] += 1
        if str(p) != text:
            raise Malformed(f"the procedure that {op} was refused on changed: it was\n{text}\n\nand is\n{p}")
        return None
    q: Proc = outcome.unwrap()[0]
    focus: Cursor = outcome.unwrap()[1]
    if tally.compared[name] >= most:
        return q
    assert_lawful(p, q, text, op)
    if isinstance(op, Atomic):
        assert_forwarding(p, op, c, q)
    assert_focus(p, q, focus, op)
    assert_head_stays(p, q, op)
    tally.accepted[name] += 1
    tally.compared[name] += assert_equivalent(p, q, how=op, narrower=_is_narrower(p, q)) > 0
    return q


def narrows(op: object) -> bool:
    """Whether a procedure may admit fewer inputs after an Op."""
    return isinstance(op, Primitive) and op.spec.narrows


def _is_narrower(p: Proc, q: Proc) -> bool:
    """Whether a later version is another procedure, which may admit fewer inputs: only those count then."""
    made = (v.rewritten for v in takewhile(lambda v: v is not p, q.versions()))
    return q.origin is not p.origin and any(m is not None and narrows(m.op) for m in made)


def check_primitive(
    primitive: PrimitiveForm[...],
    programs: int,
    tally: Tally,
    shapes: Sequence[str] = (),
    shrink: bool = True,
    enough: Callable[[], bool] = lambda: False,
    first: int = 0,
    most: float = inf,
    form: str = "",
) -> None:
    """Applies a primitive at its targets in random programs, with random arguments; see `check_op`.

    `programs` says how many are drawn: of shapes that suit the primitive, or of the `shapes` given. Program number k is
    the same in every call; those from number `first` on are drawn. So calls with `first` 0 and 1000 draw different
    programs, and may run side by side. `tally` counts what happens. The drawing ends early when `enough()` is true: for
    example, when the tally has what a test asks for. After `most` results were compared, further ones are not looked
    at: this saves time if only refusals are still missing. Given the name of a `form`, only programs that have it count
    (see `forms`). With `shrink` the first failure found is made smaller.

    Raises `Miscompiled` if a result computes something else; `Malformed` if a result is no lawful version: for example,
    a cursor goes elsewhere than the primitive declares; `Unreal` if a counterexample cannot happen.
    """

    check_shapes(shapes)
    seeds = takewhile(lambda _: not enough(), range(first, first + programs))
    search(_once([primitive], shapes, tally, most, form), seeds, shrink)


def check_primitives(primitives: Sequence[PrimitiveForm[...]], program: int, tally: Tally, form: str = "") -> None:
    """Applies several primitives to one random program, which saves the time that drawing one for each would take; see
    `check_primitive`. The program is of a shape that suits one of them. An error is about the smallest program found on
    which that primitive goes wrong, and has a note with its name."""
    recorded: list[int] = []
    try:
        _once(primitives, (), tally, inf, form)(Choices.seeded(program, recorded))
    except AssertionError as e:
        wrong = [p for p in primitives if p.spec.name in e.__notes__]
        raise smallest(_once(wrong, (), Tally(), inf, form, primitives), recorded, e) from None


def _once(
    primitives: Sequence[PrimitiveForm[...]],
    shapes: Sequence[str],
    tally: Tally,
    most: float,
    form: str,
    suiting: Sequence[PrimitiveForm[...]] = (),
) -> Callable[[Choices], None]:
    """The test that draws a program and applies each primitive: a program of the shapes given, or else of those that
    suit one of the primitives, or of those that it is to be `suiting`. What is recorded is the choices of the program
    and of the primitive that went wrong, if one does."""
    of = FORMS[form] if form else None

    def once(ch: Choices) -> None:
        suited = shapes or shapes_for(ch.pick(suiting or primitives))
        p = random_proc(ch, of.shapes.split() if of and of.shapes and ch.chance(25) else suited)
        p = formed(ch, p, of) if of and p is not None else p
        if p is None:
            return
        drawn = ch.count
        for primitive in primitives:
            ch.forget(drawn)
            with tally.trying(primitive.spec.name):
                for q, op, c in applications(ch, p, primitive, of):
                    check_op(op, q, c, tally, primitive.spec.name, most)

    return once


def every(*kinds: type[Cursor]) -> Callable[[Proc], list[Cursor]]:
    """All cursors of some kinds in a procedure, outer before inner: where a strategy may start.

    >>> from exo_strat import ForCursor, proc_from_source
    >>> p = proc_from_source("def foo():\\n    for i in seq(0, 8):\\n        for j in seq(0, 4):\\n            pass")
    >>> [c.name() for c in every(ForCursor)(p)]
    ['i', 'j']
    """
    return lambda p: targets(p, kinds)


def check_strategy(
    op: Op,
    programs: st.SearchStrategy[Proc] | None = None,
    at: Callable[[Proc], Iterable[Cursor]] | None = None,
    max_examples: int = 100,
    at_least: int = 1,
    shrink: bool = True,
) -> Tally:
    """Property-tests a strategy of your own: on random programs it must keep the meaning wherever it succeeds.

    `programs` draws the procedures (any strategy of hypothesis; default: all shapes of programs, always the
    same ones), `at` gives the cursors of each to start from (`every(ForCursor)`; default: the root). With
    `shrink=False` the first failure found is not made smaller, which takes long for a slow strategy. Returns how often
    it succeeded and failed.

    Raises `Miscompiled` with the smallest program found for which the result differs; or an `AssertionError` if
    it succeeded on fewer than `at_least` programs with a meaning: such a test tests nothing.

    >>> from exo_strat import simplify
    >>> check_strategy(simplify(), max_examples=10).accepted["simplify()"]
    10
    """
    require_op(op, "check_strategy takes an Op")
    tally, name = Tally(), str(op)

    def on(p: Proc) -> None:
        for c in [p.root()] if at is None else at(p):
            check_op(op, p, c, tally)

    def once(ch: Choices) -> None:
        p = random_proc(ch, tuple(SHAPES))
        if p is not None:
            on(p)

    if programs is None:
        search(once, range(max_examples), shrink)
    else:
        _run(on, programs, max_examples, shrink)
    met = tally.compared[name]
    if met < at_least:
        raise AssertionError(
            f"{name} succeeded on {met} programs that have a meaning, {at_least} are asked for: start it from other "
            f"cursors (at=...) or draw other programs (programs=...)\n{tally}"
        )
    return tally


def _run(test: Callable[[Proc], None], programs: st.SearchStrategy[Proc], max_examples: int, shrink: bool) -> None:
    """Runs a test on programs that hypothesis draws."""
    run: Any = given(programs)(test)
    settings(
        max_examples=max_examples,
        deadline=None,
        database=None,
        derandomize="EXO_STRAT_EXAMPLES" not in os.environ,
        suppress_health_check=list(HealthCheck),
        phases=[phase for phase in Phase if shrink or phase not in (Phase.shrink, Phase.explain)],
        print_blob=False,
    )(run)()


def shapes_for(op: PrimitiveForm[...]) -> tuple[str, ...]:
    """The shapes of programs to test a primitive on: those that suit it, and now and then any."""
    suited = op.spec.trial.programs.split()
    return (*suited, *suited, "anything") if suited else tuple(SHAPES)


def examples(n: int) -> int:
    """How many examples a test with its own number makes: `n`, or in `make soak` as many times more as
    the profile makes more than its usual hundred."""
    soak = os.environ.get("EXO_STRAT_EXAMPLES")
    return n if soak is None else max(1, n * int(soak) // 100)
