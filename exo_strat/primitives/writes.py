"""Merging writes (paper, appendix A.6). Imports `framework` and `logic.safety`."""

from __future__ import annotations

from ..cursors.cursor import BlockCursor, StmtCursor
from ..cursors.rewrite import Rewrite
from ..ir.nodes import Assign, Binary, Reduce
from ..ir.walk import get
from ..logic import safety
from ..logic.effects import accesses, reads_of, resolve, windows_at
from .framework import Where, applicable, primitive, ref, require


@primitive()
def merge_writes(rw: Rewrite, block: BlockCursor, second: object = None) -> Where:
    """Two neighbouring writes to one location become one. Paper: A.6.

    `x = e1; x = e2  ~>  x = e2` and `x += e1; x = e2  ~>  x = e2`; `x = e1; x += e2  ~>  x = e1 + e2`;
    `x += e1; x += e2  ~>  x += e1 + e2`, if e2 does not read x. The target is the block of both, or the
    first with the second as argument. Returns the statement that is left.
    """
    if second is not None:
        other = ref(rw, second, StmtCursor)
        applicable(other.path == block.span.path(len(block)), "the second statement must follow the first", other)
        block = block.expand(0, 1)
    applicable(len(block) == 2, f"two neighbouring statements are needed, not {len(block)}", block)
    tree, span = rw.proc.tree, block.span
    one, two = get(tree, span.path(0)), get(tree, span.path(1))
    kinds = isinstance(one, Assign | Reduce) and isinstance(two, Assign | Reduce)
    applicable(kinds, "both statements must be assignments or reductions", block)
    assert isinstance(one, Assign | Reduce) and isinstance(two, Assign | Reduce)
    applicable(one.sym == two.sym, "the statements write different buffers", block)
    for x, y in zip(one.idx, two.idx, strict=True):
        require(safety.equal_at(tree, span.path(), x, y, "both statements write the same location"), block)
    views = windows_at(tree, span.path())
    written = resolve(accesses(one)[-1], views)
    reads = [resolve(a, views) for e in (*two.idx, two.rhs) for a in reads_of(e)]
    what = "the second value does not depend on the first write"
    require(safety.apart(tree, span.path(), written, reads, what), block)
    if isinstance(two, Reduce):
        if isinstance(one, Reduce):
            applicable(one.op == two.op, "the statements accumulate by different operators", block)
        applicable(two.op in "+*", f"values cannot be combined by {two.op!r}", block)
        merged = Binary(two.op, one.rhs, two.rhs)
        rw.delete(span._replace(lo=span.lo + 1))
        rw.replace((*span.path(), ("rhs", None)), merged)
    else:
        rw.delete(span._replace(hi=span.lo + 1))
    return span.path()


