"""Faults of strategies that show before they are applied, by the laws of strategies.

Each rule is a law read from left to right: an Op of the form on its left says more than it does. `lint` looks at
an Op and all those that it is made of, and into equations (`@named`). What a `@strategy` does is known only when
it runs: of those the arguments are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from textwrap import indent
from typing import Final, TypeAlias

from ..source import brief, layout, show
from .combinators import (
    Choose,
    Fix,
    Identity,
    Rec,
    SaveC,
    Seq,
    TryElse,
    free_labels,
    guard,
    identity,
    not_,
    repeat,
    repeat_n,
    seq,
    try_else,
    when,
    where,
)
from .holes import Hole
from .prospects import prospects
from .spaces import Limited, Pick
from .strategy import Atomic, Named, Op, bottom_up, check_op, fill_holes, has_holes
from .traversals import All, One, Some

PACKAGE: Final = __name__.partition(".")[0]


@dataclass(frozen=True)
class Fault:
    """Something in a strategy that does nothing, or never ends: the Op it is about, the law that says so, why it
    applies, and what to write in its place, if that is known. `within` is the equation that the Op is part of,
    if it is not written out in the strategy.

    A law has its usual name and its equation; `s` fails where `fail` stands in it, and can't where `identity` does.
    """

    op: Op
    law: str
    why: str
    better: Op | None = None
    within: Op | None = None

    def __str__(self) -> str:
        place = "" if self.within is None else f", in {brief(show(self.within))}"
        text = f"{layout(show(self.op))}{place}\n    {self.why}\n    law {self.law}"
        if self.better is None:
            return text
        return f"{text}\n{indent(f'instead: {layout(show(self.better))}', '    ')}"


Rule: TypeAlias = Callable[[Op], Iterator[Fault]]


def lint(op: Op) -> tuple[Fault, ...]:
    """The faults of a strategy, outer ones first; each once. That none is found proves nothing.

    >>> from exo_strat import attempt, lint, repeat, unroll_loop
    >>> print(*lint(repeat(attempt(unroll_loop()))))
    repeat(attempt(unroll_loop()))
        attempt(unroll_loop()) can't fail, so nothing ends the repetition
        law R7: repeat(attempt(s)) and repeat(identity) never end
        instead: repeat(unroll_loop())
    """
    check_op(op, "lint(op) takes an Op")
    found: dict[str, Fault] = {}
    stack: list[tuple[Op, Op | None, Sequence[Rule]]] = [(op, None, RULES)]
    seen: set[tuple[Op, int]] = set()
    while stack:
        here, within, rules = stack.pop()
        if (key := (here, len(rules))) in seen:
            continue
        seen.add(key)
        for rule in rules:
            for fault in rule(here):
                found.setdefault(f"{show(fault.op)} {fault.law}", replace(fault, within=within))
        stack.extend((part, within, rules) for part in reversed(here.parts()))
        if isinstance(here, Named):
            here = fill_holes(here, lambda h: h.default)
            assert isinstance(here, Named)
            ours = here.fn.__module__.partition(".")[0] == PACKAGE
            stack.append((here.definition(), within or here, ENDLESS if ours else rules))
    return tuple(found.values())


# -- repetition ---------------------------------------------------------------------------------------


def _endless(op: Op) -> Iterator[Fault]:
    match op:
        case repeat(inner, limit):
            f = prospects(inner)
            if f.ends or not f.succeeds:
                return
            law, text = "R7: repeat(attempt(s)) and repeat(identity) never end", brief(show(inner))
            if not f.fails:
                kept = _without_identity(inner)
                better = None if kept is None else repeat(kept, limit)
                yield Fault(op, law, f"{text} can't fail, so nothing ends the repetition", better)
            elif not f.changes:
                yield Fault(op, law, f"{text} changes nothing, so if it succeeds once it does so for ever")
            else:
                law = "R5: repeat(s) = repeat(s) >> not_(s)"
                yield Fault(op, law, f"where {text} has succeeded it does so again, so nothing ends the repetition")


def _without_identity(op: Op) -> Op | None:
    """What is attempted."""
    if isinstance(op, TryElse) and op.ops[-1] == identity:
        rest = try_else(*op.ops[:-1])
        return rest if prospects(rest).fails else None
    return None


def _turning(op: Op) -> Iterator[Fault]:
    match op:
        case Fix(label, body) if label in _first(body):
            law = "R3: fix(f) = f(fix(f))"
            yield Fault(op, law, f"{label} is called again in the state in which it was called, so this never ends")
        case Fix(label, body) if label not in free_labels(body):
            yield Fault(op, "R3: fix(lambda x: s) = s", f"{label} is not called: there is no recursion", body)


def _growing(op: Op) -> Iterator[Fault]:
    """Recursions into what was just made."""
    match op:
        case Fix(label, Seq((first, *rest))) if any(label in free_labels(o) for o in rest):
            made = first.ops[0] if isinstance(first, TryElse) else first
            if isinstance(made, Atomic) and made.grows:
                why = f"{brief(show(made))} makes a place inside to which it applies again, and {label} goes there"
                yield Fault(op, "R3: fix(f) = f(fix(f))", f"{why}: work from the inside out (everywhere_bu)")


@bottom_up
def _first(op: Op) -> frozenset[str]:
    """The recursive calls that an Op may make in the state that it is applied in."""
    match op:
        case Rec(label):
            return frozenset((label,))
        case Seq(ops):
            return _until(ops, lambda o: prospects(o).changes)
        case TryElse(ops):
            return _until(ops, lambda o: not prospects(o).fails)
        case Fix(label, body):
            return _first(body) - {label}
        case Named() if not has_holes(op):
            return _first(op.definition())
        case repeat(inner) | repeat_n(inner) | SaveC(inner) | where(inner) | not_(inner) | when(_, inner):
            return _first(inner)
        case Choose(_, ops):
            return _until(ops, lambda _: False)
        case guard(test, then, orelse):
            return _first(test) | _first(orelse) | (frozenset() if prospects(test).changes else _first(then))
    return frozenset()


def _until(ops: Sequence[Op], last: Callable[[Op], bool]) -> frozenset[str]:
    """The same of Ops that are applied in one state, up to the last that is."""
    found: frozenset[str] = frozenset()
    for op in ops:
        found |= _first(op)
        if last(op):
            break
    return found


def _repeated_in_vain(op: Op) -> Iterator[Fault]:
    match op:
        case repeat_n(_, n) if not isinstance(n, Hole) and n <= 0:
            yield Fault(op, "S2: repeat_n(s, 0) = identity", "no repetition is asked for", identity)
        case repeat(inner) if not prospects(inner).succeeds:
            yield Fault(op, "R4: repeat(fail) = identity", f"{brief(show(inner))} can't succeed", identity)


# -- choice -------------------------------------------------------------------------------------------


def _dead_alternatives(op: Op) -> Iterator[Fault]:
    if not isinstance(op, TryElse):
        return
    for n, o in enumerate(op.ops[:-1]):
        if not prospects(o).fails:
            dead = " and ".join(brief(show(d)) for d in op.ops[n + 1 :])
            why = f"{brief(show(o))} can't fail, so {dead} is never tried"
            yield Fault(op, "C3: identity | s = identity", why, try_else(*op.ops[: n + 1]))
            return
    yield from _hopeless_alternatives(op)


def _hopeless_alternatives(op: TryElse) -> Iterator[Fault]:
    """Alternatives that fail where they are tried. The last may be there for its message."""
    for n, o in enumerate(op.ops):
        rest = try_else(*op.ops[:n], *op.ops[n + 1 :])
        if not prospects(o).succeeds and n < len(op.ops) - 1:
            yield Fault(op, "C2: fail | s = s", f"{brief(show(o))} can't succeed", rest)
            continue
        first = _steps(o)[0]
        if first in op.ops[:n]:
            law = "C4: s | s = s" if o == first else "C5: s | s >> q = s >> (identity | q) = s"
            why = f"{brief(show(o))} is tried only where {brief(show(first))} has failed, so it fails too"
            yield Fault(op, law, why, rest)


def _one_way(op: Op) -> Iterator[Fault]:
    match op:
        case guard(test, then, orelse) if not prospects(test).fails:
            why = f"{brief(show(test))} can't fail, so {brief(show(orelse))} is never tried"
            if orelse != identity:
                yield Fault(op, "G1: guard(identity, p, q) = p", why, seq(test, then))
        case guard(test, then, orelse) if not prospects(test).succeeds:
            why = f"{brief(show(test))} can't succeed, so {brief(show(then))} is never applied"
            yield Fault(op, "G1: guard(fail, p, q) = q", why, orelse)
        case Choose(cost, ops) if len(set(ops)) < len(ops):
            kept = tuple(o for n, o in enumerate(ops) if o not in ops[:n])
            yield Fault(op, "C4: choose(cost, s, s) = choose(cost, s)", "an Op is listed twice", Choose(cost, kept))


# -- sequence and tests -------------------------------------------------------------------------------


def _dead_steps(op: Op) -> Iterator[Fault]:
    if not isinstance(op, Seq):
        return
    for n, o in enumerate(op.ops):
        if not prospects(o).succeeds:
            if n < len(op.ops) - 1:
                after = brief(show(seq(*op.ops[n + 1 :])))
                why = f"{brief(show(o))} can't succeed, so {after} is never applied"
                yield Fault(op, "S3: fail >> s = fail", why, seq(*op.ops[: n + 1]))
            return


def _steps(op: Op) -> tuple[Op, ...]:
    return op.ops if isinstance(op, Seq) else (op,)


def _neighbours(op: Op) -> Iterator[Fault]:
    """Steps that the next ones make superfluous."""
    if not isinstance(op, Seq):
        return
    for n, (a, b) in enumerate(zip(op.ops, op.ops[1:], strict=False)):
        without = (*op.ops[:n], *op.ops[n + 1 :])
        match a, b:
            case where(inner), _ if op.ops[n + 1 :][: len(parts := _steps(inner))] == parts:
                why = f"{brief(show(inner))} is applied next, and fails by itself"
                yield Fault(op, "T3: where(s) >> s = s", why, seq(*without))
            case repeat(inner), repeat(again) if inner == again:
                why = f"{brief(show(inner))} fails after the first repetition"
                yield Fault(op, "R6: repeat(s) >> repeat(s) = repeat(s)", why, seq(*without))
            case repeat(inner), not_(again) if inner == again:
                why = f"{brief(show(inner))} fails after the repetition: this is always so"
                yield Fault(op, "R5: repeat(s) >> not_(s) = repeat(s)", why, seq(*op.ops[: n + 1], *op.ops[n + 2 :]))


def _tests(op: Op) -> Iterator[Fault]:
    if not isinstance(op, not_ | where):
        return
    inner = op.op
    f, text = prospects(inner), brief(show(inner))
    match op:
        case not_(not_(tested)):
            yield Fault(op, "T2: not_(not_(s)) = where(s)", "this is a test that succeeds where s does", where(tested))
        case not_() if not f.fails:
            yield Fault(op, "T1: not_(identity) = fail", f"{text} can't fail, so this always does")
        case not_() if not f.succeeds:
            yield Fault(op, "T1: not_(fail) = identity", f"{text} can't succeed, so this always does", identity)
        case where() if not f.fails:
            yield Fault(op, "T3: where(identity) = identity", f"{text} can't fail: nothing is tested", identity)
        case where() if not f.changes:
            yield Fault(op, "T3: where(where(s)) = where(s)", f"{text} changes nothing anyway", inner)


# -- places -------------------------------------------------------------------------------------------


def _idle(op: Op) -> Iterator[Fault]:
    """Combinators around something that can't do anything there."""
    match op:
        case SaveC(Identity() | where() | not_() as inner):
            yield Fault(op, "K4: savec(identity) = identity", f"{brief(show(inner))} leaves the focus as it is", inner)
        case All(inner) if not prospects(inner).fails and not prospects(inner).changes:
            yield Fault(op, "A1: all_(identity) = identity", f"{brief(show(inner))} does nothing", identity)
        case One(inner) | Some(inner) if not prospects(inner).succeeds:
            yield Fault(op, "A1: one(fail) = some(fail) = fail", f"{brief(show(inner))} can't succeed", inner)


# -- holes --------------------------------------------------------------------------------------------

MOST_TRIED: Final = 10_000
"""Of how many combinations of candidates it is seen at most whether a limit holds."""


def _no_choice(op: Op) -> Iterator[Fault]:
    """Holes whose value makes no difference, candidates that can't be."""
    for h in op.own_holes() if not isinstance(op, Limited) else ():
        if len(h.candidates) == 1:
            better = fill_holes(op, lambda h: h.default)
            yield Fault(op, "H1: pick(name, {label: s}) = s", f"the hole {h.name} has one candidate", better)
    match op:
        case Pick(name, options):
            for label, option in options:
                if not prospects(option).succeeds:
                    law = "H2: pick(name, {label: fail, ..}) = pick(name, {..})"
                    yield Fault(op, law, f"{name} can't be {show(label)}: {brief(show(option))} can't succeed")
        case Limited():
            yield from _outside(op)
        case Named():
            yield from _unread(op)


def _outside(op: Limited) -> Iterator[Fault]:
    """Candidates for which a limit never holds."""
    if prod(len(h.candidates) for h in op.holes) > MOST_TRIED:
        return
    within = [values for values in product(*(h.candidates for h in op.holes)) if op.within(*values)]
    for n, h in enumerate(op.holes):
        never = [x for x in h.candidates if not any(values[n] is x for values in within)]
        if never:
            law = "H3: a limit that fails is fail"
            yield Fault(op, law, f"{show(op.within)} never holds where {h.name} is {' or '.join(map(show, never))}")


def _unread(op: Named) -> Iterator[Fault]:
    """Holes in arguments of which an equation makes nothing."""
    for h in dict.fromkeys(op.own_holes()):
        made = {_defined(op, h, x) for x in h.candidates}
        if len(made) == 1 < len(h.candidates):
            why = f"{op.name} is the same whatever {h.name} is: the hole is unused"
            yield Fault(op, "H4: a hole that nothing reads is its default", why)


def _defined(op: Named, hole: Hole, value: object) -> Op:
    """The equation's Op where a hole has a value, and others their defaults."""
    closed = fill_holes(op, lambda h: value if h == hole else h.default)
    assert isinstance(closed, Named)
    return closed.definition()


ENDLESS: Final[Sequence[Rule]] = (_endless, _turning, _growing)
RULES: Final[Sequence[Rule]] = (
    *ENDLESS, _repeated_in_vain, _dead_alternatives, _one_way, _dead_steps, _neighbours, _tests, _idle, _no_choice
)  # fmt: skip
