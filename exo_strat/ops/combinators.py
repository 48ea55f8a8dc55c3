"""The combinators: Ops made of Ops.

Success and failure are meant as in strategy languages: `seq` fails if a part fails, `try_else` goes
on with the *original* state after a failure, and commits after a success. Paper: section 3.4 and
6.3.1.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import count
from typing import Any, TypeAlias

from returns.result import Failure as Err
from returns.result import Success

from ..cursors.cursor import Cursor
from ..cursors.proc import InvalidCursorError, Proc
from ..source import Pieces, Text, brief, call, show
from .failure import Exhausted, Failure, InvalidCursor, NotApplicable, SchedulingError, invalid
from .holes import Hole
from .moves import AnyMove, Move, find, run_move, takes_arguments
from .strategy import Atomic, Composed, Fail, Op, Outcome, Steps, blame, bottom_up, check_op, freeze, inner_first

FUEL = 10_000
"""How often `repeat` tries."""

Top: TypeAlias = Callable[[Cursor], Iterable[Cursor]]


@dataclass(frozen=True, repr=False)
class Identity(Atomic):
    def apply(self, p: Proc, c: Cursor) -> Outcome:
        return Success((p, c))

    def source(self) -> Pieces:
        return (Text("identity"),)


identity: Op = Identity()


def fail(message: str = "this strategy always fails") -> Op:
    """The Op that always fails."""
    return Fail(message)


def _flat(kind: type[Op], name: str, ops: tuple[Op, ...]) -> tuple[Op, ...]:
    for op in ops:
        check_op(op, f"{name} is made of Ops")
    return tuple(x for op in ops for x in (op.parts() if type(op) is kind else (op,)))


@dataclass(frozen=True, repr=False)
class Seq(Composed):
    ops: tuple[Op, ...]

    def steps(self, p: Proc, c: Cursor) -> Steps:
        for op in self.ops:
            outcome = yield op, p, c
            if not isinstance(outcome, Success):
                return outcome
            p, c = outcome.unwrap()
        return Success((p, c))

    def source(self) -> Pieces:
        match self.ops:
            case (focus(target), *rest):
                return call("on", target, *rest)
        return call("seq", *self.ops)


def seq(*ops: Op) -> Op:
    """One Op after the other; fails if one fails. Associative; `identity` is its unit.

    >>> seq(identity, seq(fail("a"), identity))
    seq(identity, fail('a'), identity)
    """
    flat = _flat(Seq, "seq", ops)
    return Seq(flat) if len(flat) > 1 else (*flat, identity)[0]


@dataclass(frozen=True, repr=False)
class TryElse(Composed):
    ops: tuple[Op, ...]

    def steps(self, p: Proc, c: Cursor) -> Steps:
        causes: list[Failure] = []
        for op in self.ops:
            outcome = yield op, p, c
            if isinstance(outcome, Success):
                return outcome
            causes.append(outcome.failure())
        return Err(NotApplicable("no alternative applies", self, c, tuple(causes)))

    def source(self) -> Pieces:
        if len(self.ops) == 2 and self.ops[1] == identity:
            return call("attempt", self.ops[0])
        return call("try_else", *self.ops)


def try_else(*ops: Op) -> Op:
    """The first Op that applies at the original state; keeps the causes if none does."""
    flat = _flat(TryElse, "try_else", ops)
    return TryElse(flat) if len(flat) > 1 else (*flat, fail())[0]


def attempt(op: Op) -> Op:
    """`op` if it applies, else nothing: `try_else(op, identity)`."""
    return try_else(op, identity)


@dataclass(frozen=True, repr=False)
class repeat(Composed):
    """`op` again and again until it fails. Never fails itself, but for running out of fuel (`Exhausted`)."""

    op: Op
    limit: int = FUEL

    def steps(self, p: Proc, c: Cursor) -> Steps:
        for _ in range(self.limit):
            outcome = yield self.op, p, c
            if not isinstance(outcome, Success):
                return Success((p, c))
            q, d = outcome.unwrap()
            if q is p and d == c:
                return Err(Exhausted("the repeated Op applies without changing anything, so it never ends", self, c))
            p, c = q, d
        return Err(Exhausted(f"still applicable after {self.limit} repetitions", self, c))





@dataclass(frozen=True, repr=False)
class repeat_n(Composed):
    """`op` exactly `n` times; fails if one of them does. Raises `TypeError` for what is no Op, or no number."""

    op: Op
    n: int

    def __post_init__(self) -> None:
        times = freeze(self.n)
        if not isinstance(self.op, Op) or not isinstance(times, int | Hole):
            raise TypeError(f"repeat_n(op, n) takes an Op and then how often, not {self.op!r} and {self.n!r}")
        object.__setattr__(self, "n", times)

    def steps(self, p: Proc, c: Cursor) -> Steps:
        for _ in range(self.n):
            outcome = yield self.op, p, c
            if not isinstance(outcome, Success):
                return outcome
            p, c = outcome.unwrap()
        return Success((p, c))



@dataclass(frozen=True, repr=False)
class reduce(Composed):
    """`op` at every cursor that the traversal order yields from the focus. Paper: section 3.4.

    The targets are taken from the version at the start and carried forward; one that an earlier step
    removed is skipped (`gone="fail"`: fails). Returns the last cursor; the focus if there is none.
    """

    op: Op
    top: Top
    gone: str = "skip"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gone not in ("skip", "fail"):
            raise ValueError(f"gone must be 'skip' or 'fail', not {self.gone!r}")

    def steps(self, p: Proc, c: Cursor) -> Steps:
        for target in tuple(self.top(c)):
            here = p.forward(target)
            if not here.is_valid:
                if self.gone == "skip":
                    continue
                return Err(InvalidCursor("an earlier step of the traversal removed this target", self, p.root()))
            outcome = yield self.op, p, here
            if not isinstance(outcome, Success):
                return outcome
            p, c = outcome.unwrap()
        return Success((p, p.forward(c)))



@dataclass(frozen=True, repr=False)
class nav(Atomic):
    """Move the focus; the procedure stays as it is. Paper: section 6.3.1. Raises `TypeError` for what is no move:
    a cursor is gone to by `at(cursor, op)` or `on(cursor, op)`, a pattern by `moves.find(pattern)`."""

    move: AnyMove

    def __post_init__(self) -> None:
        if not callable(self.move) or isinstance(self.move, Proc) or takes_arguments(self.move):
            raise TypeError(f"nav(move) takes a move or a function of a cursor, not {_shortly(self.move)}")

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        moved = run_move(self.move, c)
        if isinstance(moved, Success):
            return Success((p, moved.unwrap()))
        return Err(moved.failure().at(self, c))



def _shortly(value: object) -> str:
    """What was given in place of a move, and what to write instead."""
    if isinstance(value, Cursor):
        return "a cursor: write at(cursor, op) or on(cursor, op)"
    if takes_arguments(value):
        return f"moves.{getattr(value, '__name__', '')}: call it"
    return f"a text: write moves.find({value!r})" if isinstance(value, str) else repr(value)


@dataclass(frozen=True, repr=False)
class SaveC(Composed):
    op: Op

    def steps(self, p: Proc, c: Cursor) -> Steps:
        outcome = yield self.op, p, c
        if not isinstance(outcome, Success):
            return outcome
        q, _ = outcome.unwrap()
        back = q.forward(c)
        if back.is_valid:
            return Success((q, back))
        return Err(InvalidCursor("the saved focus was removed", self, q.root()))

    def source(self) -> Pieces:
        match self.op:
            case Seq((focus(target), *rest)):
                return call("at", target, seq(*rest))
            case Seq((nav(move), *rest)):
                pattern = move.pattern() if isinstance(move, Move) else None
                return call("reframe", move, seq(*rest)) if pattern is None else call("at", pattern, seq(*rest))
        return call("savec", self.op)


def savec(op: Op) -> Op:
    """`op`, and then the focus where it was, carried forward. Paper: section 6.3.1."""
    return op if isinstance(op, SaveC) else SaveC(op)


def reframe(move: AnyMove, op: Op) -> Op:
    """`op` at another place, relative to the focus, which stays. Paper: section 6.3.1."""
    return savec(seq(nav(move), op))


def at(place: str | AnyMove | Cursor, op: Op) -> Op:
    """`op` at a place given by a pattern, a move or a cursor; the focus stays.

    An Op on gaps is applied beside what matches: `at(moves.find("x[_] = _") >> moves.after, fission())`.
    """
    check_op(op, "at(place, op) takes a place and then an Op")
    if isinstance(place, Cursor):
        return savec(seq(focus(place), op))
    if not isinstance(place, str) and (not callable(place) or isinstance(place, Proc) or takes_arguments(place)):
        raise TypeError(f"at(place, op) takes a pattern, a move or a cursor, not {_shortly(place)}")
    return reframe(find(place) if isinstance(place, str) else place, op)


@dataclass(frozen=True, repr=False)
class focus(Atomic):
    """Move the focus to a cursor, carried forward. Fails with `InvalidCursor` where the code is gone."""

    target: Cursor

    def __post_init__(self) -> None:
        given: object = self.target
        if not isinstance(given, Cursor):
            other = "at(place, op) takes patterns and moves"
            raise TypeError(f"focus(cursor) and on(cursor, op) take a cursor, not {given!r}: {other}")

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        try:
            here = p.forward(self.target)
        except InvalidCursorError as e:
            return Err(invalid(e).at(self, c))
        if not here.is_valid:
            return Err(InvalidCursor("the place is gone").at(self, c))
        return Success((p, here))



def on(target: Cursor, *ops: Op) -> Op:
    """Ops at a cursor, carried forward, one after the other: `seq(focus(target), *ops)`. Returns where the last leads.

    `at(target, op)` does the same and then goes back to the focus. Fails where the code is gone, or an Op fails.

    >>> from exo_strat import divide_loop, moves, proc_from_source, schedule, unroll_loop
    >>> p = proc_from_source('''
    ... def zero(n: size, x: f32[2 * n]):
    ...     for i in seq(0, 2 * n):
    ...         x[i] = 0.0
    ... ''')
    >>> op = on(p.find_loop("i"), divide_loop(2, ("io", "ii"), perfect=True), nav(moves.body >> moves.nth(0)))
    >>> print(schedule(op >> unroll_loop(), p))
    def zero(n: size, x: f32[2 * n] @ DRAM):
        for io in seq(0, 2 * n / 2):
            x[2 * io + 0] = 0.0
            x[2 * io + 1] = 0.0
    >>> on(p.find_loop("i"), unroll_loop())
    on(zero.body()[0], unroll_loop())
    """
    return seq(focus(target), *ops)


@dataclass(frozen=True, repr=False)
class Lift(Atomic):
    fn: Callable[..., Proc]
    args: tuple[Any, ...]

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        try:
            made: Any = self.fn(p, *((c,) if _takes_place(self.fn) else ()), *self.args)
            q = made[0] if isinstance(made, tuple) and made else made  # some return a new callee, too
            if not isinstance(q, Proc):
                raise TypeError(f"lift takes functions that return a procedure, but {show(self.fn)} returned {made!r}")
            back = q.forward(c)
        except SchedulingError as e:
            return Err(e.failure)
        except InvalidCursorError as e:
            return Err(invalid(e).at(self, c))
        return Success((q, back if back.is_valid else q.root()))

    def source(self) -> Pieces:
        return call("lift", self.fn, *self.args)


def lift(fn: Callable[..., Proc], *args: Any) -> Op:
    """An Op from a function in the paper's direct form, `fn(p, c, *args) -> Proc`. Paper: section 3.4.

    A primitive stands for its direct form; of a procedure as a whole, as `rename`, it is called without the focus.
    `SchedulingError` and `InvalidCursorError` become failures; anything else is a bug and is raised.
    The focus stays (the root, if it was removed).

    >>> from exo_strat import reorder_stmts
    >>> lift(reorder_stmts)
    lift(reorder_stmts.direct)
    """
    fn = getattr(fn, "direct", fn)
    if not callable(fn):
        raise TypeError(f"lift takes a function (p, c, *args) -> Proc, not {fn!r}")
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # one that is written in C, say
        return Lift(fn, freeze(args))
    if signature.return_annotation in ("Op", Op):
        raise TypeError(f"{show(fn)} makes an Op, as lift does: write {show(fn)}(..) in its place")
    try:
        signature.bind(*("p", "c")[: 1 + _takes_place(fn)], *args)
    except TypeError as e:
        raise TypeError(f"lift({show(fn)}, ..) calls {show(fn)}{signature}: {e}") from None
    return Lift(fn, freeze(args))


def _takes_place(fn: object) -> bool:
    """Whether a function in the direct form takes a cursor after the procedure."""
    return getattr(fn, "takes_reference", True) is True


@dataclass(frozen=True, repr=False)
class when(Composed):
    """`op` where a predicate on the focus holds; fails elsewhere."""

    pred: Callable[[Cursor], bool]
    op: Op = identity

    def steps(self, p: Proc, c: Cursor) -> Steps:
        if not self.pred(c):
            return Err(NotApplicable(f"{show(self.pred)} does not hold here", self, c))
        outcome = yield self.op, p, c
        return outcome



@dataclass(frozen=True, repr=False)
class where(Composed):
    """Succeeds if `op` would, and changes nothing."""

    op: Op

    def steps(self, p: Proc, c: Cursor) -> Steps:
        outcome = yield self.op, p, c
        return Success((p, c)) if isinstance(outcome, Success) else outcome



@dataclass(frozen=True, repr=False)
class not_(Composed):
    """Succeeds, changing nothing, if `op` would fail."""

    op: Op

    def steps(self, p: Proc, c: Cursor) -> Steps:
        outcome = yield self.op, p, c
        if isinstance(outcome, Success):
            return Err(NotApplicable(f"{brief(show(self.op))} applies", self, c))
        return Success((p, c))



@dataclass(frozen=True, repr=False)
class guard(Composed):
    """`then` after `test` if that applies, else `orelse`: unlike `try_else`, commits once `test` applied."""

    test: Op
    then: Op
    orelse: Op = identity

    def steps(self, p: Proc, c: Cursor) -> Steps:
        outcome = yield self.test, p, c
        if isinstance(outcome, Success):
            q, d = outcome.unwrap()
            return (yield self.then, q, d)
        return (yield self.orelse, p, c)



@dataclass(frozen=True, repr=False)
class Choose(Composed):
    cost: Callable[[Proc], Any]
    ops: tuple[Op, ...]

    def steps(self, p: Proc, c: Cursor) -> Steps:
        best: tuple[Any, Outcome] | None = None
        causes: list[Failure] = []
        for op in self.ops:
            outcome = yield op, p, c
            if not isinstance(outcome, Success):
                causes.append(outcome.failure())
                continue
            price = self.cost(outcome.unwrap()[0])
            if best is None or price < best[0]:
                best = price, outcome
        if best is None:
            return Err(NotApplicable("no alternative applies", self, c, tuple(causes)))
        return best[1]

    def source(self) -> Pieces:
        return call("choose", self.cost, *self.ops)


def choose(cost: Callable[[Proc], Any], *ops: Op) -> Op:
    """Of the Ops that apply, the one whose result costs least; the first of equals."""
    return Choose(cost, ops)


@dataclass(frozen=True, repr=False)
class Rec(Composed):
    label: str

    def steps(self, p: Proc, c: Cursor) -> Steps:
        raise TypeError(f"{self.label} stands outside the fix that binds it")

    def source(self) -> Pieces:
        return (Text(self.label),)


@dataclass(frozen=True, repr=False)
class Fix(Composed):
    label: str
    body: Op

    def steps(self, p: Proc, c: Cursor) -> Steps:
        unfolded = _unfold(self)
        outcome = yield unfolded, p, c
        return outcome if isinstance(outcome, Success) else Err(blame(outcome.failure(), unfolded, self))

    def source(self) -> Pieces:
        return Text(f"fix(lambda {self.label}: "), self.body, Text(")")


def fix(f: Callable[[Any], Op]) -> Op:
    """The recursive Op x with x = f(x).

    >>> fix(lambda x: try_else(fail("leaf"), x))
    fix(lambda x: try_else(fail('leaf'), x))
    """
    base = f.__code__.co_varnames[0]
    labels = (base if n == 0 else f"{base}{n}" for n in count())
    # A label is taken if an enclosing `fix` uses it in Ops that `f` closes over.
    label = next(x for x in labels if x not in free_labels(f(Rec(x + "'"))))
    return Fix(label, f(Rec(label)))


@bottom_up
def free_labels(op: Op) -> frozenset[str]:
    """The recursive calls in an Op that no `fix` in it binds."""
    if isinstance(op, Rec):
        return frozenset((op.label,))
    found = frozenset[str]().union(*map(free_labels, op.parts()))
    return found - {op.label} if isinstance(op, Fix) else found


def _put(op: Op, label: str, value: Op) -> Op:
    """An Op with `value` in the places of a label; the same object if it has none."""
    new: dict[int, Op] = {}

    def swapped(old: Any) -> Any:
        return tuple(map(swapped, old)) if isinstance(old, tuple) else new.get(id(old), old)

    for here in inner_first(op, lambda o: label in free_labels(o)):
        parts = {f.name: swapped(getattr(here, f.name)) for f in fields(here)}
        new[id(here)] = value if isinstance(here, Rec) else replace(here, **parts)
    return new.get(id(op), op)


@lru_cache(maxsize=1024)
def _unfold(op: Fix) -> Op:
    return _put(op.body, op.label, op)
