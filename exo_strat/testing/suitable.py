"""Which targets suit a primitive: those on which it is likely to be accepted, or refused for a reason that is not its
form."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..cursors.cursor import BlockCursor, Cursor, ExprCursor
from ..cursors.kinds import (
    AllocCursor,
    ArgCursor,
    AssignCursor,
    CallCursor,
    ExternCursor,
    ForCursor,
    IfCursor,
    SelectCursor,
)
from ..cursors.proc import Proc
from ..ir.cells import written_args
from ..ir.nodes import Assign, Binary, Call, For, If, Node, Read, Reduce, Unary
from ..ir.types import Scalar
from ..ir.walk import LOGICAL, get, is_control, mentions, parts
from ..logic.forms import is_opaque
from ..logic.questions import skeleton
from .library import callees


def _is_nest(c: Cursor) -> bool:
    """Whether a loop's body is one loop."""
    return isinstance(c, ForCursor) and len(c.body()) == 1 and isinstance(c.body()[0], ForCursor)


def _is_passed(c: Cursor) -> bool:
    """Whether an expression is an element, or a single value, that a call gets by reference and does not write."""
    call = c.parent() if isinstance(c, ExprCursor) and isinstance(c.node, Read) else None
    node, k = (call.node if isinstance(call, CallCursor) else None), c.place()[-1][1]
    if not isinstance(node, Call) or k is None:
        return False
    formal = node.f.tree.args[k]
    return isinstance(formal.type, Scalar) and formal.sym not in written_args(node.f.tree)


def _is_data(c: Cursor) -> bool:
    """Whether an expression is a data value."""
    return isinstance(c, ExprCursor) and not is_control(c.node)


def _compares_data(c: Cursor) -> bool:
    """Whether an expression, or what an `if` does, is chosen by comparisons of data."""
    return isinstance(c, SelectCursor | IfCursor) and all(not is_control(x) for x in _compared(c.node.cond))


def _compared(e: Node) -> list[Node]:
    """What the comparisons of a condition compare; a condition that is no comparison is such itself."""
    if isinstance(e, Unary) or (isinstance(e, Binary) and e.op in LOGICAL):
        return [x for part in parts(e) for x in _compared(part)]
    return parts(e) or [e]


def _is_two_writes(c: Cursor) -> bool:
    """Whether a block is two writes, to a buffer of one name."""
    stmts = list(c.stmts) if isinstance(c, BlockCursor) else []
    names = {s.sym for s in stmts if isinstance(s, Assign | Reduce)}
    return len(stmts) == 2 and len(names) == 1 and all(isinstance(s, Assign | Reduce) for s in stmts)


def _is_sum(c: Cursor) -> bool:
    """Whether a block is an assignment and a loop after it."""
    stmts = list(c.stmts) if isinstance(c, BlockCursor) else []
    return len(stmts) == 2 and isinstance(stmts[0], Assign) and isinstance(stmts[1], For)


def _counts_from_a_field(c: Cursor) -> bool:
    """Whether a loop starts at a config field."""
    return isinstance(c, ForCursor) and isinstance(c.node, For) and is_opaque(c.node.lo)


def _reads_itself(c: Cursor) -> bool:
    """Whether an assignment reads the buffer that it writes."""
    s = c.node if isinstance(c, AssignCursor) else None
    return isinstance(s, Assign) and s.sym in mentions(s.rhs)


def _is_used_in_one_scope(c: Cursor) -> bool:
    """Whether one loop or branch, and nothing else, uses an allocation."""
    if not isinstance(c, AllocCursor):
        return False
    label, k = c.path[-1]
    assert k is not None
    using = [s for s in getattr(get(c.proc.tree, c.path[:-1]), label)[k + 1 :] if c.sym in mentions(s)]
    return len(using) == 1 and isinstance(using[0], For | If)


def _is_all_of_a_scope(c: Cursor) -> bool:
    """Whether a loop or branch is all of its parent's block."""
    return isinstance(c, ForCursor | IfCursor) and len(c.path) > 1 and c._sibling(1) is None and c._sibling(-1) is None


def _has_two_dimensions(c: Cursor) -> bool:
    return isinstance(c, AllocCursor) and len(c.shape()) > 1


def _is_like_a_callee(c: Cursor) -> bool:
    """Whether a block has the form of the body of a procedure of the library, and starts with a loop."""
    return isinstance(c, BlockCursor) and isinstance(c[0], ForCursor) and bool(alike(c))


def alike(c: BlockCursor) -> list[Proc]:
    """The procedures of the library whose bodies have the form of a block."""
    form = [skeleton(s) for s in c.stmts]
    return [p for _, p in sorted(callees().items()) if [skeleton(s) for s in p.tree.body] == form]


SUITABLE: Mapping[str, Callable[[Cursor], bool]] = {
    "a call of a function": lambda c: isinstance(c, ExternCursor) and c.function().result is None,
    "a matrix": lambda c: isinstance(c, ArgCursor) and c.is_tensor() and len(c.shape()) == 2,
    "a nest": _is_nest,
    "a start and a loop": _is_sum,
    "a tensor": lambda c: isinstance(c, ArgCursor) and c.is_tensor(),
    "a choice by data": _compares_data,
    "all of a scope": _is_all_of_a_scope,
    "counts from a field": _counts_from_a_field,
    "data": _is_data,
    "inside a scope": lambda c: len(c.place()) > 1,
    "like a callee": _is_like_a_callee,
    "passed to a call": _is_passed,
    "reads what it writes": _reads_itself,
    "two dimensions": _has_two_dimensions,
    "two writes": _is_two_writes,
    "used in one scope": _is_used_in_one_scope,
}
"""The kinds of targets that primitives ask for (`Trial.at`)."""
