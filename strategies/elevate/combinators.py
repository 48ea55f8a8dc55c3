"""ELEVATE's combinators and traversals, by its names, as equations over `exo_strat`'s.

A strategy succeeds with a program, or fails; `f <+ s` is `f | s` here, and `f ; s` is `f >> s`. What takes a
strategy and gives one is a `Traversal`, `t(s)` or `s @ t`. Names that Python has taken end in `_`.

What differs, on purpose:

* A program is a procedure and a place in it. What ELEVATE does at a subterm is done at a statement and what is
  inside it; the place stays. Children are statements, in textual order.
* `skip` counts the places where the whole strategy applies. ELEVATE goes on with whatever part of it failed
  last (`oneUsingState`), so `skip(1)(f ; g)` may end with `g` alone. There is no `oneUsingState` here.
* A failure names the strategy and place that failed, and why; a congruence that does not fit names itself.
* Nothing counts while it runs, and nothing recurses on the host's stack; `repeat` says so if it never ends.
* `debug`, `echo` and `peek` have no place among pure strategies: `exo_strat.trace` shows all that they could.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from returns.result import Success

from exo_strat import (
    Cursor,
    InvalidCursorError,
    Op,
    at,
    attempt,
    identity,
    moves,
    repeat_n,
    seq,
    traversals,
    try_else,
    when,
)
from exo_strat import fail as fail_with
from exo_strat import not_ as succeeds_not
from exo_strat import repeat as fixpoint

from .traversal import Traversal

# -- basic --------------------------------------------------------------------------------------------

id_ = identity
fail = fail_with()


def leftChoice(f: Op, s: Op) -> Op:
    """`f <+ s`: f, or s where f fails; once f has succeeded, s is not tried any more."""
    return try_else(f, s)


lChoice = leftChoice

try_ = Traversal("try_", attempt)
repeat = Traversal("repeat", fixpoint)


def repeatNTimes(n: int) -> Traversal:
    """s exactly n times; fails if one of them fails; `id_` for n <= 0."""
    return Traversal("repeatNTimes", lambda k, s: repeat_n(s, k), (n,))


def applyNTimes(n: int, f: Callable[[Op], Op]) -> Traversal:
    """`f(f(..f(s)))`: a function of strategies, such as `fmap`, n times.

    >>> applyNTimes(2, try_)(id_) == try_(try_(id_))
    True
    """
    return Traversal("applyNTimes", _iterated, (n, f))


def _iterated(n: int, f: Callable[[Op], Op], s: Op) -> Op:
    for _ in range(n):
        s = f(s)
    return s


# -- one level ----------------------------------------------------------------------------------------

all_ = Traversal("all_", traversals.all_)
one = Traversal("one", traversals.one)
some = Traversal("some", traversals.some)

body = Traversal("body", lambda s: at(moves.body >> moves.nth(0), s))
fmap = body
"""s inside the map in focus: at the first statement of the loop's body. Fails where there is none."""

# -- whole trees --------------------------------------------------------------------------------------

topDown = Traversal("topDown", traversals.once_td)
"""`s <+ one(topDown(s))`: once, at the first place where s succeeds, the outer before the inner ones."""
bottomUp = Traversal("bottomUp", traversals.once_bu)
"""`one(bottomUp(s)) <+ s`: once, the inner places before the outer ones."""
allTopdown = Traversal("allTopdown", traversals.everywhere_td)
"""`s ; all(allTopdown(s))`: everywhere; fails if s fails anywhere."""
allBottomup = Traversal("allBottomup", traversals.everywhere_bu)
"""`all(allBottomup(s)) ; s`."""
tryAll = Traversal("tryAll", traversals.try_everywhere_bu)
"""`all(tryAll(s)) ; try(s)`: wherever s succeeds, bottom-up. ELEVATE nests another `try` at each level."""
alltd = Traversal("alltd", traversals.frontier_td)
"""`s <+ all(alltd(s))`: at the outermost places where s succeeds; never fails."""
sometd = Traversal("sometd", traversals.some_td)
"""`s <+ some(sometd(s))`: at the outermost places where s succeeds, at least one."""
somebu = Traversal("somebu", traversals.some_bu)
"""`some(somebu(s)) <+ s`."""
somebottomup = somebu
normalize = Traversal("normalize", traversals.normalize)
"""`repeat(topDown(s))`: until s succeeds nowhere."""
everywhere = normalize


def downup2(down: Op, up: Op) -> Op:
    """`down ; all(downup2(down, up)) ; up`: `allTopdown(down) ; allBottomup(up)` in one pass."""
    return traversals.down_up(down, up)


downup = Traversal("downup", lambda s: downup2(s, s))


def _places(c: Cursor) -> Iterator[Cursor]:
    yield c
    yield from traversals.nlr(c)


@dataclass(frozen=True)
class NthPlace:
    """The move to the place with number n, from 0, in top-down order, of those where `s` succeeds."""

    n: int
    s: Op

    def __call__(self, c: Cursor) -> Cursor:
        found = (place for place in _places(c) if isinstance(self.s(c.proc, place), Success))
        for i, place in enumerate(found):
            if i == self.n:
                return place
        raise InvalidCursorError(f"there is no place number {self.n} where {self.s} applies")


def skip(n: int) -> Traversal:
    """s at the (n+1)-th place, in top-down order, where it would succeed: `skip(0) = topDown`."""
    return Traversal("skip", lambda k, s: at(NthPlace(k, s), s), (n,))


def position(n: int) -> Traversal:
    """s at the place with number n, from 0, in top-down order; fails if s fails there."""
    return Traversal("position", lambda k, s: at(NthPlace(k, identity), s), (n,))


# -- predicates ---------------------------------------------------------------------------------------

not_ = Traversal("not_", succeeds_not)
"""Succeeds, changing nothing, where s would fail."""


def liftPredicate(f: Callable[[Cursor], bool]) -> Op:
    """Succeeds, changing nothing, where a predicate on the place holds."""
    return when(f)


def ifThenElse(p: Op, t: Op, e: Op) -> Op:
    """`(p ; (t <+ id)) <+ e`: t acts on what p made of the program, and may fail."""
    return leftChoice(seq(p, attempt(t)), e)


def if_(p: Op, t: Op) -> Op:
    """`ifThenElse(p, t, id_)`."""
    return ifThenElse(p, t, id_)


@dataclass(frozen=True)
class EqualTo:
    """The predicate that holds at statements which are that object code, in which `_` stands for anything."""

    pattern: str

    def __call__(self, c: Cursor) -> bool:
        return c in c.find_all(self.pattern)


def isEqualTo(pattern: str) -> Op:
    """Succeeds at a statement which is that object code, in which `_` stands for anything."""
    return when(EqualTo(pattern))


def contains(pattern: str) -> Op:
    """`topDown(isEqualTo(pattern))`."""
    return topDown(isEqualTo(pattern))
