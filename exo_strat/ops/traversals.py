"""Where to apply: traversal orders and traversing Ops.

Orders (`Top = Cursor -> Iterator[Cursor]`) stream the statements below a cursor, for `reduce`.
One-level traversals apply an Op to the children of the focus; whole-tree traversals are equations
over them. Their names say once or everywhere, as the literature uses "top-down" for both. Children
are statements: those of a loop, of both branches of an `if`, of the procedure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from returns.result import Failure as Err
from returns.result import Success

from ..cursors.cursor import BlockCursor, Cursor, ProcCursor, StmtCursor
from ..cursors.kinds import ForCursor, IfCursor
from ..cursors.proc import Proc
from ..source import Pieces, call
from .combinators import attempt, fix, not_, repeat, seq, try_else
from .failure import InvalidCursor, NotApplicable
from .strategy import Composed, Op, Outcome, Steps, named

# -- orders -------------------------------------------------------------------------------------------


def kids(c: Cursor) -> tuple[StmtCursor, ...]:
    """The statements directly below a cursor."""
    if isinstance(c, BlockCursor):
        return tuple(c)
    if isinstance(c, IfCursor):
        return (*c.body(), *(c.orelse() if c.has_else() else ()))
    if isinstance(c, (ForCursor, ProcCursor)):
        return tuple(c.body())
    return ()


def _walk(c: Cursor, before: bool, after: bool) -> Iterator[Cursor]:
    stack: list[tuple[Cursor, bool]] = [(k, False) for k in reversed(kids(c))]
    while stack:
        here, done = stack.pop()
        if done:
            yield here
            continue
        if before:
            yield here
        if after:
            stack.append((here, True))
        stack.extend((k, False) for k in reversed(kids(here)))


def lrn(c: Cursor) -> Iterator[Cursor]:
    """The statements below `c`, each after those inside it. Paper: section 6.3.1."""
    return _walk(c, before=False, after=True)


def nlr(c: Cursor) -> Iterator[Cursor]:
    """The statements below `c`, each before those inside it."""
    return _walk(c, before=True, after=False)


def leaves(c: Cursor) -> Iterator[Cursor]:
    """The statements below `c` that have none inside them."""
    return (s for s in nlr(c) if not kids(s))


def loops(c: Cursor) -> Iterator[Cursor]:
    """The loops below `c`, outer before inner."""
    return (s for s in nlr(c) if isinstance(s, ForCursor))


def inner_loops(c: Cursor) -> Iterator[Cursor]:
    """The loops below `c` that have no loop inside them."""
    return (s for s in loops(c) if next(loops(s), None) is None)


# -- one level ----------------------------------------------------------------------------------------


def _back(p: Proc, c: Cursor, op: Op) -> Outcome:
    here = p.forward(c)
    return Success((p, here)) if here.is_valid else Err(InvalidCursor("the traversal removed its own focus", op, c))


@dataclass(frozen=True, repr=False)
class All(Composed):
    op: Op

    def steps(self, p: Proc, c: Cursor) -> Steps:
        for kid in kids(c):
            here = p.forward(kid)
            if not here.is_valid:
                continue
            outcome = yield self.op, p, here
            if not isinstance(outcome, Success):
                return outcome
            p = outcome.unwrap()[0]
        return _back(p, c, self)

    def source(self) -> Pieces:
        return call("traversals.all_", self.op)


@dataclass(frozen=True, repr=False)
class One(Composed):
    op: Op

    def steps(self, p: Proc, c: Cursor) -> Steps:
        causes = []
        for kid in kids(c):
            outcome = yield self.op, p, kid
            if isinstance(outcome, Success):
                return _back(outcome.unwrap()[0], c, self)
            causes.append(outcome.failure())
        return Err(NotApplicable("it applies to no child", self, c, tuple(causes)))

    def source(self) -> Pieces:
        return call("traversals.one", self.op)


@dataclass(frozen=True, repr=False)
class Some(Composed):
    op: Op

    def steps(self, p: Proc, c: Cursor) -> Steps:
        causes = []
        any_applied = False
        for kid in kids(c):
            here = p.forward(kid)
            if not here.is_valid:
                continue
            outcome = yield self.op, p, here
            if isinstance(outcome, Success):
                any_applied = True
                p = outcome.unwrap()[0]
            else:
                causes.append(outcome.failure())
        if not any_applied:
            return Err(NotApplicable("it applies to no child", self, c, tuple(causes)))
        return _back(p, c, self)

    def source(self) -> Pieces:
        return call("traversals.some", self.op)


def all_(op: Op) -> Op:
    """`op` on every child of the focus, all of which must succeed; succeeds on a leaf. The focus stays."""
    return All(op)


def one(op: Op) -> Op:
    """`op` on the first child where it applies; fails on a leaf. The focus stays."""
    return One(op)


def some(op: Op) -> Op:
    """`op` on every child where it applies, at least one; fails on a leaf. The focus stays."""
    return Some(op)


# -- whole trees --------------------------------------------------------------------------------------


@named
def once_td(op: Op) -> Op:
    """`op` once, at the first place where it applies, the focus before what is inside it."""
    return fix(lambda x: try_else(op, one(x)))


@named
def once_bu(op: Op) -> Op:
    """`op` once, at the first place where it applies, what is inside before the focus."""
    return fix(lambda x: try_else(one(x), op))


@named
def everywhere_td(op: Op) -> Op:
    """`op` at every statement, the focus first; fails if one fails."""
    return fix(lambda x: seq(op, all_(x)))


@named
def everywhere_bu(op: Op) -> Op:
    """`op` at every statement, the focus last; fails if one fails."""
    return fix(lambda x: seq(all_(x), op))


@named
def try_everywhere_td(op: Op) -> Op:
    """`op` wherever it applies, the focus first; never fails."""
    return everywhere_td(attempt(op))


@named
def try_everywhere_bu(op: Op) -> Op:
    """`op` wherever it applies, the focus last; never fails."""
    return everywhere_bu(attempt(op))


@named
def down_up(down: Op, up: Op) -> Op:
    """`down` on the way in and `up` on the way out, in one pass."""
    return fix(lambda x: seq(down, all_(x), up))


@named
def frontier_td(op: Op) -> Op:
    """`op` at the outermost places where it applies, not inside them; never fails."""
    return fix(lambda x: try_else(op, all_(x)))


@named
def some_td(op: Op) -> Op:
    """`op` at the outermost places where it applies; at least one."""
    return fix(lambda x: try_else(op, some(x)))


@named
def some_bu(op: Op) -> Op:
    """`op` at the innermost places where it applies; at least one."""
    return fix(lambda x: try_else(some(x), op))


@named
def normalize(op: Op) -> Op:
    """`op` at the first place where it applies, until it applies nowhere."""
    return repeat(once_td(op))


@named
def nowhere(op: Op) -> Op:
    """Succeeds, changing nothing, if `op` applies nowhere: what `normalize(op)` establishes."""
    return not_(once_td(op))

