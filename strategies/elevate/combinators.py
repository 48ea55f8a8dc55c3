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

All traversals of `exo_strat` that these are, but for `fmap` and `body`, which act inside a map:

>>> from exo_strat import rename
>>> s = rename("a")
>>> id_ == identity, fail == fail_with(), s @ try_ == attempt(s), s @ repeat == fixpoint(s), s @ not_ == succeeds_not(s)
(True, True, True, True, True)
>>> s @ all_ == traversals.all_(s), s @ one == traversals.one(s), s @ some == traversals.some(s)
(True, True, True)
>>> s @ topDown == traversals.once_td(s), s @ bottomUp == traversals.once_bu(s)
(True, True)
>>> s @ allTopdown == traversals.everywhere_td(s), s @ allBottomup == traversals.everywhere_bu(s)
(True, True)
>>> s @ tryAll == traversals.try_everywhere_bu(s), s @ alltd == traversals.frontier_td(s)
(True, True)
>>> s @ sometd == traversals.some_td(s), s @ somebu == s @ somebottomup == traversals.some_bu(s)
(True, True)
>>> s @ normalize == s @ everywhere == traversals.normalize(s), s @ downup == traversals.down_up(s, s)
(True, True)
>>> s @ body == s @ fmap == at(moves.body >> moves.nth(0), s), lChoice == leftChoice
(True, True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from returns.pipeline import is_successful
from toolz import compose

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
    """`f <+ s`: f, or s where f fails; once f has succeeded, s is not tried any more.

    Returns where the one that succeeds leads. Also called `lChoice`.

    >>> leftChoice(fail, id_) == fail | id_
    True
    """
    return try_else(f, s)


lChoice = leftChoice

try_ = Traversal("try_", attempt)
repeat = Traversal("repeat", fixpoint)


def repeatNTimes(n: int) -> Traversal:
    """s exactly n times; fails if one of them fails; `id_` for n <= 0.

    >>> from exo_strat import rename
    >>> rename("a") @ repeatNTimes(2) == repeat_n(rename("a"), 2)
    True
    """
    return Traversal("repeatNTimes", lambda k, s: repeat_n(s, k), (n,))


def applyNTimes(n: int, f: Callable[[Op], Op]) -> Traversal:
    """`f(f(..f(s)))`: a function of strategies, such as `fmap`, n times.

    >>> applyNTimes(2, try_)(id_) == try_(try_(id_))
    True
    """
    return Traversal("applyNTimes", _iterated, (n, f))


def _iterated(n: int, f: Callable[[Op], Op], s: Op) -> Op:
    iterated: Op = compose(*[f] * n)(s)
    return iterated


# -- one level ----------------------------------------------------------------------------------------

all_ = Traversal("all_", traversals.all_)
one = Traversal("one", traversals.one)
some = Traversal("some", traversals.some)

_INSIDE = "s inside the map in focus: at the first statement of the loop's body. Fails where there is none."
body = Traversal("body", lambda s: at(moves.body >> moves.nth(0), s), meaning=_INSIDE)
fmap = body

# -- whole trees --------------------------------------------------------------------------------------

topDown = Traversal(
    "topDown", traversals.once_td,
    meaning="`s <+ one(topDown(s))`: once, at the first place where s succeeds, the outer before the inner ones.",
)
bottomUp = Traversal(
    "bottomUp", traversals.once_bu,
    meaning="`one(bottomUp(s)) <+ s`: once, the inner places before the outer ones.",
)
allTopdown = Traversal(
    "allTopdown", traversals.everywhere_td,
    meaning="`s ; all(allTopdown(s))`: everywhere; fails if s fails anywhere.",
)
allBottomup = Traversal("allBottomup", traversals.everywhere_bu, meaning="`all(allBottomup(s)) ; s`.")
tryAll = Traversal(
    "tryAll", traversals.try_everywhere_bu,
    meaning="`all(tryAll(s)) ; try(s)`: wherever s succeeds, bottom-up. ELEVATE nests another `try` at each level.",
)
alltd = Traversal(
    "alltd", traversals.frontier_td,
    meaning="`s <+ all(alltd(s))`: at the outermost places where s succeeds; never fails.",
)
sometd = Traversal(
    "sometd", traversals.some_td,
    meaning="`s <+ some(sometd(s))`: at the outermost places where s succeeds, at least one.",
)
somebu = Traversal("somebu", traversals.some_bu, meaning="`some(somebu(s)) <+ s`.")
somebottomup = somebu
normalize = Traversal("normalize", traversals.normalize, meaning="`repeat(topDown(s))`: until s succeeds nowhere.")
everywhere = normalize


def downup2(down: Op, up: Op) -> Op:
    """`down ; all(downup2(down, up)) ; up`: `allTopdown(down) ; allBottomup(up)` in one pass.

    The focus stays. Fails if either fails anywhere.

    >>> downup2(id_, fail) == traversals.down_up(id_, fail)
    True
    """
    return traversals.down_up(down, up)


downup = Traversal("downup", lambda s: downup2(s, s), meaning="`downup2(s, s)`: s on the way in and on the way out.")


def _places(c: Cursor) -> Iterator[Cursor]:
    yield c
    yield from traversals.nlr(c)


@dataclass(frozen=True)
class NthPlace:
    """The move to the place with number n, from 0, in top-down order, of those where `s` succeeds.

    Calls s at each. Raises `InvalidCursorError` if there are too few.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: f32[n, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for k in seq(0, 4):
    ...             y[i] += x[i, k]
    ... ''')
    >>> NthPlace(1, id_)(p.root()) == p.find_loop("i")
    True
    """

    n: int
    s: Op

    def __call__(self, c: Cursor) -> Cursor:
        found = (place for place in _places(c) if is_successful(self.s(c.proc, place)))
        for i, place in enumerate(found):
            if i == self.n:
                return place
        raise InvalidCursorError(f"there is no place number {self.n} where {self.s} applies")


def skip(n: int) -> Traversal:
    """s at the (n+1)-th place, in top-down order, where it would succeed: `skip(0) = topDown`.

    The focus stays. Fails if s succeeds at n places or fewer.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: f32[n, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for k in seq(0, 4):
    ...             y[i] += x[i, k]
    ... ''')
    >>> from exo_strat import rename_variable
    >>> print(schedule(rename_variable("j") @ skip(1), p).find_loop("j").hi().text())
    4
    """
    return Traversal("skip", lambda k, s: at(NthPlace(k, s), s), (n,))


def position(n: int) -> Traversal:
    """s at the place with number n, from 0, in top-down order; fails if s fails there.

    The focus stays. Fails if there are fewer places, or s fails at that one.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: f32[n, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for k in seq(0, 4):
    ...             y[i] += x[i, k]
    ... ''')
    >>> from exo_strat import rename_variable
    >>> schedule(rename_variable("row") @ position(1), p).body()[0].name()
    'row'
    """
    return Traversal("position", lambda k, s: at(NthPlace(k, identity), s), (n,))


# -- predicates ---------------------------------------------------------------------------------------

not_ = Traversal("not_", succeeds_not, meaning="Succeeds, changing nothing, where s would fail.")


def liftPredicate(f: Callable[[Cursor], bool]) -> Op:
    """Succeeds, changing nothing, where a predicate on the place holds.

    >>> from exo_strat import ForCursor, proc_from_source
    >>> at_a_loop = liftPredicate(lambda c: isinstance(c, ForCursor))
    >>> at_a_loop(proc_from_source("def foo(x: f32): x = 0.0")).failure().message
    'lambda c: isinstance(c, ForCursor) does not hold here'
    """
    return when(f)


def ifThenElse(p: Op, t: Op, e: Op) -> Op:
    """`(p ; (t <+ id)) <+ e`: t acts on what p made of the program, and may fail.

    Returns where the last one leads. Fails only if both p and e fail.

    >>> ifThenElse(id_, fail, id_) == id_ >> (fail | id_) | id_
    True
    """
    return leftChoice(seq(p, attempt(t)), e)


def if_(p: Op, t: Op) -> Op:
    """`ifThenElse(p, t, id_)`.

    Never fails.

    >>> if_(id_, fail) == ifThenElse(id_, fail, id_)
    True
    """
    return ifThenElse(p, t, id_)


@dataclass(frozen=True)
class EqualTo:
    """The predicate that holds at statements which are that object code, in which `_` stands for anything.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: f32[n, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for k in seq(0, 4):
    ...             y[i] += x[i, k]
    ... ''')
    >>> EqualTo("y[_] = _")(p.find("y[_] = _")), EqualTo("y[_] = _")(p.root())
    (True, False)
    """

    pattern: str

    def __call__(self, c: Cursor) -> bool:
        return c in c.find_all(self.pattern)


def isEqualTo(pattern: str) -> Op:
    """Succeeds at a statement which is that object code, in which `_` stands for anything.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: f32[n, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for k in seq(0, 4):
    ...             y[i] += x[i, k]
    ... ''')
    >>> schedule(isEqualTo("y[_] += _") >> fail | id_, p, p.find("y[_] = _")) is p
    True
    """
    return when(EqualTo(pattern))


def contains(pattern: str) -> Op:
    """`topDown(isEqualTo(pattern))`.

    Succeeds, changing nothing, where such a statement is; the focus stays.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: f32[n, 4], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for k in seq(0, 4):
    ...             y[i] += x[i, k]
    ... ''')
    >>> contains("y[_] += _")(p).unwrap() == (p, p.root())
    True
    """
    return topDown(isEqualTo(pattern))
