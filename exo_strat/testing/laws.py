"""Further laws of rewrites: the cursor that comes back is a place, and what a procedure asks of its caller stays."""

from __future__ import annotations

from dataclasses import replace

from pyrsistent import pvector

from ..cursors.cursor import BlockCursor, Cursor
from ..cursors.proc import Proc
from ..ir.nodes import Arg, Binary, Claim, Expr
from ..ir.types import Tensor
from ..ir.walk import get
from ..logic.forms import is_opaque, lin
from .equivalence import demand
from .signatures import signature_steps


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
    left = [*map(_asserted, new.preds)]
    asserted = all(_asserted(e) in left for e in old.preds)
    more = len(new.preds) > len(old.preds)
    demand(asserted, p, q, "an assertion is gone", how)
    demand(not more or q.origin is not p.origin, p, q, "the same procedure asserts more", how)


def _asserted(e: Expr) -> object:
    """What is asserted, however the bounds of elements are written."""
    if isinstance(e, Binary) and e.op == "and":
        return _asserted(e.lhs), _asserted(e.rhs)
    return (e.kind, e.sym, *map(lin, e.args)) if isinstance(e, Claim) else e


def _taken(a: Arg) -> object:
    """What an argument may be, however its extents are written."""
    if not isinstance(a.type, Tensor):
        return a.type, a.mem
    return replace(a.type, shape=pvector()), [e if is_opaque(e) else lin(e) for e in a.type.shape], a.mem


def _is_place(q: Proc, c: Cursor) -> bool:
    if isinstance(c, BlockCursor):
        block = getattr(get(q.tree, c.span.parent), c.span.label)
        return c.proc is q and 0 <= c.span.lo < c.span.hi <= len(block)
    return c.proc is q and c.is_valid
