"""Merging writes (paper, appendix A.6)."""

from __future__ import annotations

from typing import Annotated

from ..cursors.cursor import BlockCursor, StmtCursor
from ..cursors.rewrite import Rewrite
from ..frontend.scope import declarations
from ..ir.nodes import Assign, ProcDef, Reduce
from ..ir.precisions import converted, element
from ..ir.reductions import combined
from ..ir.span import Span, span_of
from ..ir.walk import get
from ..logic.questions import accesses, reads_of, resolve, safety, windows_at
from ..ops.failure import NotApplicable
from .framework import Trial, Where, primitive
from .helpers.arguments import Kind
from .helpers.references import ref
from .helpers.refusing import applicable, refuse, require

__all__ = ["merge_writes"]


@primitive(
    "A.6",
    same_values=True,
    cursors={
        "target": "stay, gone",
        "elsewhere": "stay, gone",
        "values inside": "stay, gone",
        "values elsewhere": "stay, gone",
    },
    trial=Trial(programs="two_writes two_writes rivals", at=(("two writes", 85),)),
)
def merge_writes(rw: Rewrite, block: BlockCursor, second: Annotated[object, Kind("the second write")] = None) -> Where:
    """Two neighbouring writes to one location become one.

    `x = e1; x = e2  ~>  x = e2` and `x += e1; x = e2  ~>  x = e2`; `x = e1; x += e2  ~>  x = e1 + e2`; `x += e1; x
    += e2  ~>  x += e1 + e2`; and so with `*`, and with `min` and `max`, which take the extern functions `fmin` and
    `fmax` for the value. What each write converts still is converted: `x = i32(e1) + i32(e2)`. The target is the
    block of both, or the first with the second as argument. Both must write the same location, each under any name,
    and e2 must not read it. Returns the statement that is left: the second if that is an assignment, else the
    first.

    Fails with `NotApplicable` if the two are not neighbouring writes to one buffer, or accumulate by different
    operators; with `Unsafe` if the locations may differ, or if e2 may read the location.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[4], y: f32[4]):
    ...     for i in seq(0, 4):
    ...         x[i] = 0.0
    ...         x[i] += y[i]
    ... ''')
    >>> print(merge_writes.direct(p, "x[_] = _", "x[_] += _"))
    def foo(x: f32[4] @ DRAM, y: f32[4] @ DRAM):
        for i in seq(0, 4):
            x[i] = 0.0 + y[i]

    Refused: the second write reads what the first one wrote.

    >>> q = proc_from_source('''
    ... def foo(x: f32, y: f32):
    ...     x = y
    ...     x = 2.0 * x
    ... ''')
    >>> print(merge_writes()(q, q.body()).failure())
    merge_writes(): not true: the second value does not depend on the first write
    one writes x, the other reads x
        def foo(x: f32 @ DRAM, y: f32 @ DRAM):
    -->     x = y
            x = 2.0 * x
    """
    if second is not None:
        other = ref(rw, second, StmtCursor)
        applicable(other.path == block.span.path(len(block)), "the second statement must follow the first", other)
        block = block.expand(0, 1)
    applicable(len(block) == 2, f"two neighbouring statements are needed, not {len(block)}", block)
    tree, span = rw.proc.tree, block.span
    one, two = get(tree, span.path(0)), get(tree, span.path(1))
    if not isinstance(one, Assign | Reduce) or not isinstance(two, Assign | Reduce):
        refuse(NotApplicable("both statements must be assignments or reductions", place=block))
    _same_place_and_independent(tree, span, one, two, block)
    if isinstance(two, Assign):
        rw.delete(span._replace(hi=span.lo + 1))
        return span.path()
    same = isinstance(one, Assign) or one.op == two.op
    applicable(same, f"the first accumulates by another operator than {two.op}", block)
    types = declarations(tree)
    values = (converted(e, element(types[one.sym]), types) for e in (one.rhs, two.rhs))
    rw.replace((*span.path(), ("rhs", None)), combined(two.op, *values))
    rw.carry((*span.path(1), ("rhs", None)), (*span.path(), ("rhs", None)))
    rw.spread(span_of(span.path(1)), span_of(span.path()))
    rw.delete(span_of(span.path(1)))
    return span.path()


def _same_place_and_independent(
    tree: ProcDef, span: Span, one: Assign | Reduce, two: Assign | Reduce, block: BlockCursor
) -> None:
    """Owed: both write one location, and the value of the second does not depend on what the first wrote."""
    views, what = windows_at(tree, span.path()), "both statements write the same location"
    written, again = (resolve(accesses(s)[-1], views) for s in (one, two))
    applicable(written.buffer == again.buffer, "the statements write different buffers", block)
    if one.sym == two.sym:
        for x, y in zip(one.idx, two.idx, strict=True):
            require(safety.equal_at(tree, span.path(), x, y, what), block)
    else:
        require(safety.same_location(tree, span.path(), written, again, what), block)
    reads = [resolve(a, views) for e in (*two.idx, two.rhs) for a in reads_of(e)]
    what = "the second value does not depend on the first write"
    require(safety.apart(tree, span.path(), written, reads, what), block)
