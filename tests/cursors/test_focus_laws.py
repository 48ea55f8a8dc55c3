"""The laws of the Ops that move or keep the focus (K2 to K7), on random Ops and small programs.

Two Ops are equal if on every program and focus both fail, or both succeed with the same program and
focus. No Op here removes the statement that it stands on; where that matters the test says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyrsistent import pvector
from returns.result import Failure as Err
from returns.result import Success

from exo_strat import moves
from exo_strat.cursors.cursor import Cursor, StmtCursor
from exo_strat.cursors.proc import Proc
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir.build import data, num
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import Assign, For, Pass
from exo_strat.ir.span import span_of
from exo_strat.ops.combinators import SaveC, fail, identity, lift, nav, reframe, savec, seq, try_else, where
from exo_strat.ops.failure import InvalidCursor, NotApplicable, SchedulingError
from exo_strat.ops.moves import Move
from exo_strat.ops.strategy import Atomic, Op, Outcome
from exo_strat.testing import examples as cases

PROGRAMS = [
    proc_from_source(text)
    for text in (
        "def p(x: f32):\n    x = 0.0\n    x = 1.0\n    x = 2.0",
        "def p(x: f32):\n    for i in seq(0, 4):\n        x = 0.0\n        for j in seq(0, 4):\n            x = 1.0\n"
        "    x = 2.0",
        "def p(n: size, x: f32):\n    if n > 2:\n        x = 0.0\n    else:\n        x = 1.0\n        x = 2.0",
    )
]


def rewritten(kind: str, p: Proc, c: Cursor) -> Proc:
    """A small change at a statement."""
    if not isinstance(c, StmtCursor) or (kind == "bump" and not isinstance(c.node, Assign)):
        raise SchedulingError(NotApplicable(f"{kind} does not apply here"))
    rw = Rewrite(p)
    if kind == "bump":
        rw.set(c.path, rhs=data(c.node.rhs.value + 1.0))  # type: ignore[union-attr]
    elif kind == "wrap":
        rw.wrap(span_of(c.path), For(Sym("k", 0), num(0), num(1), pvector()))
    elif kind == "insert":
        rw.insert_before(c.path, Pass())
    else:
        rw.delete(span_of(c.path))
    return rw.finish(kind, c.path)


@dataclass(frozen=True, repr=False)
class Change(Atomic):
    """A change at the focus, which stays where it was."""

    kind: str

    def apply(self, p: Proc, c: Cursor) -> Outcome:
        try:
            q = rewritten(self.kind, p, c)
        except SchedulingError as e:
            return Err(e.failure)
        back = q.forward(c)
        return Success((q, back if back.is_valid else q.root()))

    def __repr__(self) -> str:
        return self.kind


steps = st.sampled_from(
    [moves.here, moves.parent, moves.next_(), moves.prev(), moves.body >> moves.nth(0), moves.root >> moves.body,
     moves.as_block, moves.find("x = 1.0")]
)  # fmt: skip
paths = st.lists(steps, min_size=1, max_size=2).map(lambda ms: ms[0] if len(ms) == 1 else ms[0] >> ms[1])
changes = st.sampled_from([Change("bump"), Change("wrap"), Change("insert")])
ops = st.recursive(
    st.one_of(st.sampled_from([identity, fail()]), changes, paths.map(nav)),
    lambda s: st.one_of(
        st.tuples(s, s).map(lambda t: seq(*t)), st.tuples(s, s).map(lambda t: try_else(*t)), s.map(savec)
    ),
    max_leaves=4,
)


@st.composite
def places(draw: st.DrawFn) -> tuple[Proc, Cursor]:
    p = draw(st.sampled_from(PROGRAMS))
    stmts = [c for c in p.root().descendants() if isinstance(c, StmtCursor)]
    return p, draw(st.sampled_from([p.root(), *stmts, *[c.as_block() for c in stmts]]))


def observe(op: Op, p: Proc, c: Cursor) -> object:
    """What can be seen of an outcome: the program and the focus, None for failure."""
    outcome = op(p, c)
    if not isinstance(outcome, Success):
        return None
    q, there = outcome.unwrap()
    return q.tree, type(there), there._where()


@dataclass(frozen=True)
class Law:
    name: str
    lhs: Callable[..., Op]
    rhs: Callable[..., Op]
    parts: tuple[st.SearchStrategy[object], ...]
    quota: int = 5


HELD = [
    Law("K2 here", lambda: nav(moves.here), lambda: identity, ()),
    Law("K2 composes", lambda m, n: seq(nav(m), nav(n)), lambda m, n: nav(m >> n), (paths, paths)),
    Law("K3", lambda m: savec(nav(m)), lambda m: where(nav(m)), (paths,)),
    Law("K4 idempotent", lambda s: SaveC(SaveC(s)), lambda s: savec(s), (ops,)),
    Law("K4 id", lambda: savec(identity), lambda: identity, ()),
    Law("K4 fail", lambda: savec(fail()), lambda: fail(), (), 0),
    Law("K4 choice", lambda p, q: savec(try_else(p, q)), lambda p, q: try_else(savec(p), savec(q)), (ops, ops)),
    Law("K4 seq", lambda p, q: savec(seq(savec(p), savec(q))), lambda p, q: seq(savec(p), savec(q)), (ops, ops)),
    Law("K6", lambda m, s: reframe(m, s), lambda m, s: savec(seq(nav(m), s)), (paths, ops)),
    Law("K6 here", lambda s: reframe(moves.here, s), lambda s: savec(s), (ops,)),
    Law(
        "K6 nested",
        lambda m, n, s: reframe(m, reframe(n, s)),
        lambda m, n, s: reframe(m >> n, s),
        (paths, paths, ops),
    ),
    Law("K7", lambda s: savec(s), lambda s: s, (changes.map(lambda s: lift(Lifted(s.kind))),)),
]


@dataclass(frozen=True)
class Lifted:
    """A change in the paper's direct form."""

    kind: str

    def __call__(self, p: Proc, c: Cursor) -> Proc:
        return rewritten(self.kind, p, c)


def compare(law: Law, examples: int) -> Counter[str]:
    seen: Counter[str] = Counter()

    @settings(max_examples=cases(examples), database=None)
    @given(st.tuples(*law.parts), places())
    def run(args: tuple[object, ...], place: tuple[Proc, Cursor]) -> None:
        left, right = observe(law.lhs(*args), *place), observe(law.rhs(*args), *place)
        seen["equal" if left == right else "different"] += 1
        seen["succeeded"] += left is not None

    run()
    return seen


@pytest.mark.parametrize("law", HELD, ids=lambda law: law.name)
def test_law_holds(law: Law) -> None:
    seen = compare(law, 100)
    assert seen["different"] == 0
    assert seen["succeeded"] >= law.quota, f"vacuous: {dict(seen)}"


def test_k5_saving_the_focus_does_not_distribute_over_seq() -> None:
    law = Law("K5", lambda p, q: savec(seq(p, q)), lambda p, q: seq(savec(p), savec(q)), (ops, ops))
    assert compare(law, 300)["different"]
    p = PROGRAMS[0]
    down = seq(nav(moves.next_()), Change("bump"))
    assert observe(law.lhs(nav(moves.next_()), down), p, p.body()[0]) != observe(
        law.rhs(nav(moves.next_()), down), p, p.body()[0]
    )


@given(places(), paths)
def test_nav_never_changes_the_procedure(place: tuple[Proc, Cursor], move: Move) -> None:
    p, c = place
    outcome = nav(move)(p, c)
    if isinstance(outcome, Success):
        assert outcome.unwrap()[0] is p
    else:
        assert isinstance(outcome.failure(), NotApplicable | InvalidCursor)


@given(places(), ops)
def test_savec_keeps_the_focus(place: tuple[Proc, Cursor], op: Op) -> None:
    p, c = place
    outcome = savec(op)(p, c)
    if isinstance(outcome, Success):
        q, there = outcome.unwrap()
        assert there == q.forward(c)


def test_savec_fails_where_the_focus_is_removed() -> None:
    p = PROGRAMS[0]
    second = p.body()[1]
    outcome = savec(Change("delete"))(p, second)
    assert isinstance(outcome.failure(), InvalidCursor) and "the saved focus was removed" in outcome.failure().message
    assert isinstance(lift(Lifted("delete"))(p, second), Success), "a lifted function goes to the root instead"


@given(places(), ops)
def test_an_op_leaves_its_input_as_it_is_and_a_focus_that_is_in_its_output(place: tuple[Proc, Cursor], op: Op) -> None:
    p, c = place
    tree, text = p.tree, str(p)
    outcome = op(p, c)
    assert p.tree is tree and str(p) == text
    if isinstance(outcome, Success):
        q, there = outcome.unwrap()
        assert there.proc is q and there.is_valid
