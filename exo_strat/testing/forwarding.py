"""Where cursors go in a rewrite, compared with what became of the nodes that they point to.

Forwarding follows the edits of a rewrite. To check it, this looks at the trees alone. Every node of a copy of the old
tree gets a mark (`ir.memo`), which no edit reads and which a node that is rebuilt keeps. So the marks of the new tree
say where each node of the old one stands now. Each cursor must be there, or go another way that the primitive declares
(`Spec.cursors`); the page of all primitives prints these declarations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pyrsistent import pvector
from returns.result import Success

from ..cursors.blocks import forward_path
from ..cursors.cursor import BlockCursor, Cursor, NodeCursor, ProcCursor, StmtCursor
from ..cursors.proc import Proc, Rewritten, _next_version
from ..ir.nodes import Node, Stmt
from ..ir.types import Control, Scalar
from ..ir.walk import Path, walk
from ..ops.strategy import Op
from ..primitives import Primitive
from .equivalence import demand


@dataclass(frozen=True)
class Gone:
    """A cursor of an old version: what it is to the rewrite (`framework.ROLES`), and the way it went
    (`framework.WAYS`), or what is wrong with where it went, which is `there`."""

    cursor: NodeCursor
    there: Cursor
    role: str
    way: str
    wrong: str = ""


def marked(p: Proc) -> Proc:
    """A version of `p` with the same tree, in which every node is an object of its own and has a mark."""
    return _next_version(p, _mark(p.tree, (), object()), Rewritten("marked", (), ()), True)


def _mark(node: Any, path: Path, run: object) -> Any:
    if isinstance(node, Scalar | Control):
        return node
    values = {label: getattr(node, label) for label in type(node).__match_args__}
    for label, is_list in node.CHILDREN:
        if is_list:
            members = [_mark(c, (*path, (label, i)), run) for i, c in enumerate(values[label])]
            values[label] = pvector(members)
        else:
            values[label] = _mark(values[label], (*path, (label, None)), run)
    new = type(node)(*values.values())
    object.__setattr__(new, "_mark", (run, path))
    return new


def ways(m: Proc, q: Proc, target: Cursor) -> Iterator[Gone]:
    """The way of every cursor of a marked version in a rewrite of it, at `target`."""
    stands = _stands(m, q)
    for c in m.root().descendants():
        there = q.forward(c)
        way, wrong = _way(c, there, stands[c.path])
        if way == "replaced":
            wrong = _misplaced(c, there, stands)
        if way in ("lost", "place") and _around(c, q) in [s[:-1] for s in stands[c.path]]:
            wrong = "it still stands where it stood"
        yield Gone(c, there, _role(c, target), way, wrong)


def _stands(m: Proc, q: Proc) -> Mapping[Path, list[Path]]:
    """Where the nodes of a marked version stand in another one, in textual order."""
    run = m.tree._mark[0]  # type: ignore[index]
    stands: dict[Path, list[Path]] = {path: [] for path, _ in walk(m.tree)}
    for path, n in walk(q.tree):
        mark = _mark_of(n)
        if mark is not None and mark[0] is run:
            stands[mark[1]].append(path)
    return stands


def _mark_of(n: Node) -> tuple[object, Path] | None:
    return getattr(n, "_mark", None)


def _way(c: NodeCursor, there: Cursor, stands: list[Path]) -> tuple[str, str]:
    if not isinstance(there, NodeCursor):
        return ("lost", "a statement that is still there is lost" if _is_stmt(c) else "") if stands else ("gone", "")
    if there.path in stands:
        if len(stands) == 1:
            return "stay", ""
        last = there.path == stands[-1]
        neither = "it is neither the first copy nor the last one" if there.path not in (stands[0], stands[-1]) else ""
        return "last copy" if last else "first copy", neither
    if not stands:
        return "replaced", ""
    known = _mark_of(there.node)
    return "place", "it is at another node" if known is not None or _is_stmt(c) else ""


def _is_stmt(c: NodeCursor) -> bool:
    return isinstance(c.node, Stmt)


def _misplaced(c: NodeCursor, there: Cursor, stands: Mapping[Path, list[Path]]) -> str:
    """What is wrong with the place of a node that was replaced: it must be in what its surroundings became."""
    above = next(c.path[:n] for n in range(len(c.path) - 1, -1, -1) if stands[c.path[:n]] or n == 0)
    inside = isinstance(there, NodeCursor) and any(there.path[: len(s)] == s for s in stands[above])
    return "" if inside else "it is not in what its surroundings became"


def _around(c: NodeCursor, q: Proc) -> Path | None:
    """Where the node that holds a cursor's node is now."""
    return forward_path(c.path[:-1], q.rewritten.edits if q.rewritten is not None else ())


def _role(c: NodeCursor, target: Cursor) -> str:
    targets = [*target] if isinstance(target, BlockCursor) else [target] if isinstance(target, NodeCursor) else []
    if c in targets:
        return "target"
    around = not isinstance(target, ProcCursor) and any(c.path[: len(t.path)] == t.path for t in targets)
    where = "inside" if around else "elsewhere"
    return where if _is_stmt(c) or c.path[:-1] == () else f"values {where}"


def assert_forwarding(p: Proc, op: Op, c: Cursor | None, q: Proc) -> None:
    """Asserts that cursors go the ways that a primitive declares, for every cursor of `p` when `op` at `c` made `q`.

    Raises `Malformed`.
    """
    m = marked(p)
    target = m.root() if c is None else m.forward(c)
    outcome = op(m, target)
    same = isinstance(outcome, Success) and outcome.unwrap()[0].tree == q.tree
    demand(same, p, q, "the rewrite makes another program of an equal one", op)
    r: Proc = outcome.unwrap()[0]
    for problem in violations(m, r, target, op):
        demand(False, p, q, problem, op)
    for s in p.root().statements():
        there, expected = q.forward(s), r.forward(m.forward(s))
        demand(there._where() == expected._where(), p, q, f"a cursor to {s!r} leads to {there!r}, or {expected!r}", op)


def violations(m: Proc, q: Proc, target: Cursor, op: Op) -> Iterator[str]:
    """What is wrong with where the cursors of a marked version go in a rewrite of it, in words."""
    if q is m:
        return
    declared = op.spec.cursors if isinstance(op, Primitive) else None
    for g in ways(m, q, target):
        if g.wrong:
            yield f"a cursor to {g.cursor!r} leads to {g.there!r}: {g.wrong}"
        elif declared is not None and g.way not in declared[g.role]:
            known = ", ".join(sorted({*declared[g.role], g.way} - {"stay"}))
            missing = f'cursors={{"{g.role}": "{known}"}} (and "stay" if some do)'
            yield f"a cursor to {g.cursor!r} leads to {g.there!r}, as {op} does not declare: {missing}"
    yield from _blocks(m, q)


def _blocks(m: Proc, q: Proc) -> Iterator[str]:
    """Blocks of one or two statements that do not cover what is left of them."""
    for s in m.root().statements():
        b = s.as_block()
        for block in (b, *([b.expand(0, 1)] if s._sibling(1) is not None else [])):
            there = q.forward(block)
            left = [x for x in (q.forward(d) for x in block for d in x.statements()) if isinstance(x, StmtCursor)]
            held = all(isinstance(there, BlockCursor) and there.span.covers(x.path) for x in left)
            if not held or (isinstance(there, BlockCursor) and there.span.hi <= there.span.lo):
                yield f"a block at {s!r} becomes {there!r}, which does not hold all of it"
