"""Code rearrangement (paper, appendix A.2). Imports `framework` and `logic.safety`."""

from __future__ import annotations

from ..cursors.cursor import BlockCursor, StmtCursor
from ..cursors.edits import Span
from ..cursors.kinds import BinaryOpCursor
from ..cursors.rewrite import Rewrite
from ..ir.nodes import Binary
from ..logic import safety
from .framework import Where, applicable, primitive, ref, require


@primitive()
def reorder_stmts(rw: Rewrite, block: BlockCursor, second: object = None) -> Where:
    """`s1; s2  ~>  s2; s1`, if they commute. Paper: A.2.

    The target is the block of both, or the first with the second as argument. Returns the statement that
    was second and is now first. Fails with `Unsafe` if one writes what the other touches.
    """
    if second is not None:
        other = ref(rw, second, StmtCursor)
        applicable(other.path == block.span.path(len(block)), "the second statement must follow the first", other)
        block = block.expand(0, 1)
    applicable(len(block) == 2, f"two neighbouring statements are needed, not {len(block)}", block)
    s = block.span
    one, two = Span(s.parent, s.label, s.lo, s.lo + 1), Span(s.parent, s.label, s.lo + 1, s.hi)
    require(safety.commute(rw.proc.tree, safety.Blk(*one), safety.Blk(*two)), block)
    rw.swap(one, two)
    return s.path()


@primitive()
def commute_expr(rw: Rewrite, e: BinaryOpCursor) -> Where:
    """`x + y  ~>  y + x` and `x * y  ~>  y * x`. Paper: A.2. Returns the expression."""
    node = e.node
    assert isinstance(node, Binary)
    applicable(node.op in ("+", "*"), f"{node.op!r} does not commute", e)
    rw.set(e.path, lhs=node.rhs, rhs=node.lhs)
    return e.path

