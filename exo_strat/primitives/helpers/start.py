"""What a minimum or maximum may start from.

Accumulating a value by `min` or `max` a second time changes nothing. So partial results may start from the value that
the buffer itself was set to, as long as nothing but accumulations by the same operator came after.
"""

from __future__ import annotations

from pyrsistent import pvector

from ...frontend.scope import declarations
from ...ir import build as b
from ...ir.names import Sym
from ...ir.nodes import Assign, Expr, For, Interval, ProcDef
from ...ir.reductions import IDEMPOTENT
from ...ir.span import Span
from ...ir.types import Tensor
from ...ir.walk import mentions
from ...logic.questions import safety


def least_value(tree: ProcDef, s: Span, buffer: Sym, op: str) -> Expr | None:
    """A value that every location of a buffer has accumulated already when control reaches a run of statements: what
    the whole buffer was set to, if since then it was only accumulated into by `op`. None if no such value is found.

    The expression means there what it meant when the buffer was set.
    """
    if op not in IDEMPOTENT:
        return None
    parent, label, at = s.parent, s.label, s.lo
    while True:
        for k in range(at - 1, -1, -1):
            before = Span(parent, label, k, k + 1)
            if not safety.only_accumulates(tree, before, buffer, op):
                return _set_to(tree, before, Span(parent, label, k + 1, at + 1), buffer, op)
        position = parent[-1][1] if parent else None
        if position is None:
            return None
        parent, label, at = parent[:-1], parent[-1][0], position


def _set_to(tree: ProcDef, first: Span, rest: Span, buffer: Sym, op: str) -> Expr | None:
    """The value to which a statement sets all of a buffer, if the statements after it, up to the one in question and
    with it, only accumulate and don't change the expression."""
    (stmt,) = first.members(tree)
    iters: list[Sym] = []
    while isinstance(stmt, For) and len(stmt.body) == 1:
        iters.append(stmt.iter)
        stmt = stmt.body[0]
    if not isinstance(stmt, Assign) or stmt.sym != buffer or not mentions(stmt.rhs).isdisjoint(iters):
        return None
    stays = all(safety.unchanged(tree, part, stmt.rhs) for part in (first, rest))
    only = safety.only_accumulates(tree, rest, buffer, op)
    return stmt.rhs if stays and only and _sets_all(tree, first, stmt, bool(iters)) else None


def _sets_all(tree: ProcDef, first: Span, stmt: Assign, loops: bool) -> bool:
    """Whether a statement, an assignment or loops around one, writes all of its buffer."""
    t = declarations(tree)[stmt.sym]
    if not isinstance(t, Tensor):
        return not loops
    whole = pvector(Interval(b.ZERO, n) for n in t.shape)
    return bool(safety.fully_written(tree, first, stmt.sym, whole))
