"""The law of forwarding: what primitives declare is what cursors do, and faults in forwarding are seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import pytest
from returns.result import Success

from exo_strat import PRIMITIVES, Op, Proc, fission, proc_from_source, unroll_loop
from exo_strat.cursors import blocks
from exo_strat.cursors.cursor import Cursor, ExprCursor, NodeCursor
from exo_strat.cursors.edits import Replace
from exo_strat.cursors.kinds import AssignCursor, ForCursor, ReduceCursor
from exo_strat.cursors.proc import InvalidCursorError, _next_version
from exo_strat.ir.walk import walk
from exo_strat.primitives.framework import declared_ways
from exo_strat.testing.applications import applications
from exo_strat.testing.choices import Choices
from exo_strat.testing.equivalence import Malformed
from exo_strat.testing.forwarding import assert_forwarding, marked, violations, ways
from exo_strat.testing.harness import shapes_for
from exo_strat.testing.programs import random_proc

FEWEST, MOST = 5, 40
"""Of how many applications of a primitive to random programs its forwarding is seen: more than the fewest only until
all ways that it declares were."""


RARE = {
    ("bind_expr", "values elsewhere", "replaced"),  # with `cse`
    ("bind_expr", "values elsewhere", "gone"),
    ("inline", "values elsewhere", "first copy"),  # windows that index buffers are passed through
    ("lift_scope", "values inside", "gone"),
    ("lift_scope", "values elsewhere", "gone"),  # bounds that depend on the loop around
    ("merge_writes", "values elsewhere", "gone"),
    ("reorder_loops", "values inside", "gone"),
    ("resize_dim", "values elsewhere", "first copy"),  # the ends of windows
    ("stage_mem", "values elsewhere", "first copy"),  # what a minimum or maximum starts from
    ("simplify", "elsewhere", "replaced"),  # of a procedure, what comes to nothing
    ("simplify", "inside", "replaced"),  # a branch that only adds 0.0
    ("simplify", "values inside", "lost"),
    ("simplify", "values elsewhere", "lost"),
    ("lift_scope", "values inside", "replaced"),
}
"""Ways that so few applications are too few for."""


@dataclass(frozen=True)
class Applied:
    """A primitive that was applied to a marked version."""

    m: Proc
    q: Proc
    target: Cursor
    op: Op

    def problems(self) -> list[str]:
        return list(violations(self.m, self.q, self.target, self.op))


def applied(name: str) -> Iterator[Applied]:
    """Accepted applications of a primitive, always the same ones."""
    for seed in range(1000):
        ch = Choices.seeded(seed)
        p = random_proc(ch, shapes_for(PRIMITIVES[name]))
        for q, op, c in applications(ch, p, PRIMITIVES[name]) if p is not None else ():
            m = marked(q)
            target = m.forward(c)
            outcome = op(m, target)
            if isinstance(outcome, Success) and outcome.unwrap()[0] is not m:
                yield Applied(m, outcome.unwrap()[0], target, op)


def some(name: str) -> list[Applied]:
    """As many of them as it takes to see all ways that a primitive declares."""
    spec, found = PRIMITIVES[name].spec, list[Applied]()
    unseen = {(role, way) for role, words in spec.cursors.items() for way in words if words != {"stay"}}
    unseen = {(role, way) for role, way in unseen if (name, role, way) not in RARE}
    for a in applied(name):
        found.append(a)
        unseen -= {(g.role, g.way) for g in ways(a.m, a.q, a.target)}
        if (not unseen and len(found) >= FEWEST) or len(found) == MOST:
            break
    assert not unseen, f"{name} declares what was not seen: {sorted(unseen)}"
    return found


# -- planted faults -----------------------------------------------------------------------------------

Fault = Callable[[NodeCursor, Proc, Cursor], Cursor]


def to_first_expression(c: NodeCursor, q: Proc, there: Cursor) -> Cursor:
    return next(d for d in q.root().descendants() if isinstance(d, ExprCursor)) if _is(there, ExprCursor) else there


def changed_assignments_to_last(c: NodeCursor, q: Proc, there: Cursor) -> Cursor:
    return _last(c, q, there, AssignCursor, ReduceCursor)


def changed_loops_to_last(c: NodeCursor, q: Proc, there: Cursor) -> Cursor:
    return _last(c, q, there, ForCursor)


FAULTS: list[Fault] = [to_first_expression, changed_assignments_to_last, changed_loops_to_last]


def _is(c: Cursor, *kinds: type[Cursor]) -> bool:
    return isinstance(c, kinds)


def _last(c: NodeCursor, q: Proc, there: Cursor, *kinds: type[Cursor]) -> Cursor:
    changed = isinstance(there, NodeCursor) and isinstance(there, kinds) and there.node is not c.node
    return [d for d in q.root().descendants() if isinstance(d, kinds)][-1] if changed else there


def goes(a: Applied) -> list[object]:
    """Where each cursor goes, as far as it can be said."""
    try:
        return [a.q.forward(c)._where() for c in a.m.root().descendants()]
    except (AttributeError, IndexError, AssertionError, InvalidCursorError, TypeError) as e:
        return [type(e)]  # the path leads nowhere


def is_caught(a: Applied) -> bool:
    try:
        return bool(a.problems())
    except (AttributeError, IndexError, AssertionError, InvalidCursorError, TypeError):
        return True


def without_some_edit(a: Applied) -> Iterator[Applied]:
    """The same application with one edit that cursors do not follow, or with one that they do not survive."""
    made = a.q.rewritten
    assert made is not None
    for k, e in enumerate(made.edits):
        others: list[tuple[object, ...]] = [()]
        if isinstance(e, Replace):
            others.append((replace(e, keep=frozenset(), moved=()),))
        for other in others:
            edits = (*made.edits[:k], *other, *made.edits[k + 1 :])
            yield replace(a, q=_next_version(a.m, a.q.tree, replace(made, edits=edits), True))  # type: ignore[arg-type]


def is_only_of_gone(a: Applied, b: Applied) -> bool:
    """Whether two ways to forward differ only for cursors to nodes that don't stand any more where they stood: of
    these it can be declared where they may go, and not seen where they should."""
    return all(
        x.way in ("replaced", "gone", "lost") or a.q.forward(x.cursor)._where() == b.q.forward(x.cursor)._where()
        for x in ways(a.m, a.q, a.target)
    )


def is_lost_as_declared(a: Applied, b: Applied) -> bool:
    """Whether two ways to forward differ only for cursors that lead nowhere, as the primitive declares of some."""
    declared = PRIMITIVES[a.op.spec.name].spec.cursors  # type: ignore[attr-defined]
    return all(
        a.q.forward(x.cursor)._where() == there or (there is None and "lost" in declared[x.role])
        for x in ways(a.m, a.q, a.target)
        for there in [b.q.forward(x.cursor)._where()]
    )


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_cursors_go_where_they_are_declared_to_go_and_faults_are_caught(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = some(name)
    for a in found:
        assert a.problems() == []
    right, forwarded, seen = [goes(a) for a in found], NodeCursor.forwarded, set[str]()
    for fault in FAULTS:

        def planted(c: NodeCursor, proc: Proc, steps: object, fault: Fault = fault) -> Cursor:
            return fault(c, proc, forwarded(c, proc, steps))  # type: ignore[arg-type]

        monkeypatch.setattr(NodeCursor, "forwarded", planted)
        for a, paths in zip(found, right, strict=True):
            if goes(a) != paths:
                assert is_caught(a), f"{fault.__name__} in {a.op} at {a.target!r} of\n{a.m}"
                seen.add(fault.__name__)
    monkeypatch.setattr(NodeCursor, "forwarded", forwarded)
    assert "to_first_expression" in seen
    for k, a in enumerate(islice(applied(name), MOST)):
        if k >= FEWEST and "its own" in seen:
            break
        for b in without_some_edit(a):
            if goes(b) != goes(a) and (is_caught(b) or not (is_only_of_gone(a, b) or is_lost_as_declared(a, b))):
                assert is_caught(b), f"an edit that is not followed, in {a.op} at {a.target!r} of\n{a.m}"
                seen.add("its own")
    assert "its own" in seen, f"faults that show: {seen}"


# -- the law itself -----------------------------------------------------------------------------------


def test_a_way_that_is_not_declared_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    p = proc_from_source("def foo(x: f32[4]):\n    for i in seq(0, 2):\n        x[i] = 1.0")
    op, c = unroll_loop(), p.find_loop("i")
    q = op(p, c).unwrap()[0]  # type: ignore[arg-type]
    assert_forwarding(p, op, c, q)  # type: ignore[arg-type]
    monkeypatch.setattr(unroll_loop, "_spec", replace(unroll_loop.spec, cursors=declared_ways({})))
    op = unroll_loop()
    with pytest.raises(Malformed, match=r"as unroll_loop\(\) does not declare: cursors=.\"target\": \"gone\"."):
        assert_forwarding(p, op, c, q)  # type: ignore[arg-type]


def test_a_declaration_uses_the_words_there_are() -> None:
    assert declared_ways({"target": "gone, stay"})["target"] == {"gone", "stay"}
    with pytest.raises(ValueError, match="no role or way of cursors: away, body"):
        declared_ways({"body": "stay", "target": "away"})


def test_marks_are_no_part_of_a_program() -> None:
    p = proc_from_source("def foo(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = x[i] + 1.0")
    m = marked(p)
    assert m == p and str(m) == str(p) and hash(m) == hash(p) and m.origin is p
    assert all(n._mark[1] == path for path, n in walk(m.tree) if hasattr(n, "_mark"))  # type: ignore[union-attr]
    assert len({id(n) for path, n in walk(m.tree) if hasattr(n, "_mark")}) == sum(
        1 for _, n in walk(m.tree) if hasattr(n, "_mark")
    )


def test_a_block_that_loses_a_part_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was once: only the statements of the block itself counted."""
    p = proc_from_source(
        "def foo(x: f32[4], y: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 1.0\n        y[i] = 1.0"
    )
    op, c = fission(), p.find("x[_] = _").after()  # type: ignore[union-attr]
    q = op(p, c).unwrap()[0]
    assert_forwarding(p, op, c, q)
    monkeypatch.setattr(blocks, "statements", lambda node, path: [(path, node)])
    with pytest.raises(Malformed, match="does not hold all of it"):
        assert_forwarding(p, op, c, q)
