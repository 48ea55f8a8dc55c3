"""Further laws of rewrites: cursors find what is still there, and what a procedure asks of its caller stays.

Trees share what an edit leaves alone. So a statement that the old tree and the new one both hold, once each, is the
same statement, and a cursor to it must lead there. Statements that were changed or copied are not looked at, nor are
expressions: a cursor to one stands for its place in the statement. Imports `equivalence`, `signatures`, cursors and
`logic.translate`.
"""

from __future__ import annotations

from dataclasses import replace

from pyrsistent import pvector

from ..cursors.cursor import BlockCursor, Cursor, NodeCursor, at_path
from ..cursors.proc import Proc
from ..ir.nodes import Arg, ProcDef, Stmt
from ..ir.types import Tensor
from ..ir.walk import Path, get, walk
from ..logic.translate import is_opaque, lin
from .equivalence import demand
from .signatures import signature_steps


def assert_forwarding(p: Proc, q: Proc, how: object = None) -> None:
    """Asserts that cursors to statements of `p` lead to where these stand in `q`, if they still do.

    So it is after one primitive rewrite. After several, what stands there may be a copy, if what was copied changed.
    Raises `Malformed`.
    """
    there = _places(q.tree)
    for node, path in _places(p.tree).items():
        place = there.get(node)
        if path is not None and place is not None:
            c = q.forward(at_path(p, path))
            found = isinstance(c, NodeCursor) and c.path == place
            demand(found, p, q, f"what stood at {path} stands at {place}, but a cursor to it became {c!r}", how)


def assert_focus(p: Proc, q: Proc, focus: Cursor, how: object = None) -> None:
    """Asserts that `focus`, the cursor that a rewrite returned, is a place in `q`. Raises `Malformed`."""
    demand(_is_place(q, focus), p, q, f"the cursor that was returned points to nothing of it: {focus!r}", how)


def assert_head_stays(p: Proc, q: Proc, how: object = None) -> None:
    """Asserts that `q` asserts what `p` does, and no more unless it is another procedure; and that an instruction
    stays one and takes what it took: its C text was written for that.

    Raises `Malformed`.
    """
    old, new = p.tree, q.tree
    if old.instr is not None:
        kept = new.instr is not None and [*map(_taken, old.args)] == [*map(_taken, new.args)]
        demand(kept, p, q, "an instruction stays no instruction, or takes other arguments", how)
    if signature_steps(p, q):
        demand(q.origin is not p.origin, p, q, "the same procedure takes other arguments", how)
        return
    asserted = all(e in new.preds for e in old.preds)
    more = len(new.preds) > len(old.preds)
    demand(asserted, p, q, "an assertion is gone", how)
    demand(not more or q.origin is not p.origin, p, q, "the same procedure asserts more", how)


def _taken(a: Arg) -> object:
    """What an argument may be, however its extents are written."""
    if not isinstance(a.type, Tensor):
        return a.type, a.mem
    return replace(a.type, shape=pvector()), [e if is_opaque(e) else lin(e) for e in a.type.shape], a.mem


def _places(tree: ProcDef) -> dict[int, Path | None]:
    """Where each statement stands, by identity; None if in several places."""
    found: dict[int, Path | None] = {}
    for path, n in walk(tree):
        if isinstance(n, Stmt):
            found[id(n)] = None if id(n) in found else path
    return found


def _is_place(q: Proc, c: Cursor) -> bool:
    if isinstance(c, BlockCursor):
        block = getattr(get(q.tree, c.span.parent), c.span.label)
        return c.proc is q and 0 <= c.span.lo < c.span.hi <= len(block)
    return c.proc is q and c.is_valid
