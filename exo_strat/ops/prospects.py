"""What is known of how an Op may end before it is applied anywhere.

The answers are those of the laws of strategies: what they say can't happen does not, but for two things that the
laws leave aside, a `repeat` that runs out of fuel and an Op that removes the code at which a combinator stands.
Everything else that is not known may happen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

from .combinators import (
    Choose,
    Fix,
    Identity,
    Rec,
    SaveC,
    Seq,
    TryElse,
    focus,
    free_labels,
    guard,
    nav,
    not_,
    reduce,
    repeat,
    repeat_n,
    when,
    where,
)
from .holes import Hole
from .moves import here
from .sketches.expect import Expect
from .spaces import Filled, Limited, Pick, scoped
from .strategy import Atomic, Fail, Named, Op, bottom_up, has_holes
from .traversals import All, One, Some


@dataclass(frozen=True)
class Prospects:
    """What may come of an Op: that it fails, succeeds, rewrites the program, moves the focus; and that, applied
    again after a success, it fails some time (`ends`)."""

    fails: bool = True
    succeeds: bool = True
    rewrites: bool = True
    moves: bool = True
    ends: bool = True

    @property
    def changes(self) -> bool:
        """Whether it may lead to another state than it was applied in."""
        return self.rewrites or self.moves


ANYTHING: Final = Prospects()
NOTHING: Final = Prospects(False, False, False, False, False)
IDENTITY: Final = Prospects(fails=False, rewrites=False, moves=False, ends=False)

Env = Mapping[str, Prospects]


def can_fail(op: Op) -> bool:
    """Whether an Op may fail, as far as is known.

    >>> from exo_strat import attempt, identity, reorder_loops, seq
    >>> can_fail(reorder_loops()), can_fail(seq(identity, attempt(reorder_loops())))
    (True, False)
    """
    return prospects(op).fails


def can_succeed(op: Op) -> bool:
    """Whether an Op may succeed, as far as is known."""
    return prospects(op).succeeds


@bottom_up
def prospects(op: Op) -> Prospects:
    """What may come of an Op, as far as is known."""
    return _settled(op, {})


def _of(op: Op, env: Env) -> Prospects:
    """The same of an Op in which calls of enclosing recursions may stand."""
    return _settled(op, env) if free_labels(op) else prospects(op)


def _settled(op: Op, env: Env) -> Prospects:
    found = _by_kind(op, env)
    # who never fails, or leads nowhere else, succeeds again wherever it did
    return replace(found, ends=found.ends and found.fails and found.changes)


def _by_kind(op: Op, env: Env) -> Prospects:
    match op:
        case Identity():
            return IDENTITY
        case Fail():
            return replace(NOTHING, fails=True)
        case Seq(ops):
            return _sequence([_of(o, env) for o in ops])
        case TryElse(ops):
            return _choice(_reached([_of(o, env) for o in ops]))
        case Choose(_, ops):
            return _choice([_of(o, env) for o in ops])
        case guard(test, then, orelse):
            return _guarded(_of(test, env), _of(then, env), _of(orelse, env))
        case Rec(label):
            return env.get(label, ANYTHING)
        case Fix(label, body):
            return _least(label, body, env)
        case Named():
            return ANYTHING if has_holes(op) else _of(op.definition(), env)
        case Pick(_, options):
            return _any([_of(o, env) for _, o in options])
        case Atomic() if op.total or op.again:
            return Prospects(fails=not op.total, ends=False)
    return _of_one(op, env)


def _of_one(op: Op, env: Env) -> Prospects:
    """The same of the combinators that take one Op, and of moves."""
    match op:
        case repeat(inner):
            return replace(_of(inner, env), fails=False, succeeds=True)
        case Limited(inner):
            return replace(_of(inner, env), fails=True)
        case Filled(inner) | scoped(_, inner):
            return _of(inner, env)
        case repeat_n(inner, n) if not isinstance(n, Hole):
            return replace(_of(inner, env), ends=True) if n > 0 else IDENTITY
        case reduce(inner, _, gone):
            f = _of(inner, env)
            return Prospects(fails=f.fails or gone == "fail", rewrites=f.rewrites)
        case SaveC(inner):
            return replace(_of(inner, env), moves=False, ends=True)
        case when(_, inner):
            return replace(_of(inner, env), fails=True)
        case where(inner):
            return replace(_of(inner, env), rewrites=False, moves=False)
        case not_(inner):
            f = _of(inner, env)
            return Prospects(fails=f.succeeds, succeeds=f.fails, rewrites=False, moves=False)
        case All(inner):
            return replace(_of(inner, env), succeeds=True, moves=False)
        case One(inner) | Some(inner):
            return replace(_of(inner, env), fails=True, moves=False)
        case nav(move):
            return IDENTITY if move == here else Prospects(rewrites=False)
        case Expect():
            return Prospects(rewrites=False, moves=False)
        case focus():
            return Prospects(rewrites=False, ends=False)
    return ANYTHING


def _sequence(parts: Iterable[Prospects]) -> Prospects:
    parts = tuple(parts)
    return Prospects(
        fails=any(f.fails for f in parts),
        succeeds=all(f.succeeds for f in parts),
        rewrites=any(f.rewrites for f in parts),
        moves=any(f.moves for f in parts),
    )


def _reached(parts: Iterable[Prospects]) -> list[Prospects]:
    """Those of alternatives, up to the first that can't fail."""
    found: list[Prospects] = []
    for f in parts:
        found.append(f)
        if not f.fails:
            break
    return found


def _choice(parts: Iterable[Prospects]) -> Prospects:
    parts = tuple(parts)
    taken = [f for f in parts if f.succeeds]
    return Prospects(
        fails=all(f.fails for f in parts),
        succeeds=bool(taken),
        rewrites=any(f.rewrites for f in taken),
        moves=any(f.moves for f in taken),
        ends=any(f.ends for f in taken),
    )


def _any(parts: Sequence[Prospects]) -> Prospects:
    """What may come of one of several Ops, whichever that is."""
    return Prospects(*(any(getattr(f, of.name) for f in parts) for of in fields(Prospects)))


def _guarded(test: Prospects, then: Prospects, orelse: Prospects) -> Prospects:
    """What may come of a guard: either branch, if its test may lead there."""
    branches = [_sequence((replace(test, fails=False), then))] if test.succeeds else []
    branches += [orelse] if test.fails else []
    return replace(_choice(branches), fails=any(f.fails for f in branches), ends=True)


def _least(label: str, body: Op, env: Env) -> Prospects:
    """What may come of a recursion: nothing more than what some number of unfoldings shows."""
    known = NOTHING
    while (found := _of(body, {**env, label: known})) != known:
        known = found
    return known
