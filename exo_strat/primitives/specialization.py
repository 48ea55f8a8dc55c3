"""Copies of code for special cases (paper, appendix A.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pyrsistent import PVector, pvector

from ..cursors.cursor import BlockCursor
from ..cursors.rewrite import Rewrite
from ..frontend.scope import types_at
from ..ir.nodes import Expr, If, Stmt, Var
from ..ir.span import Span
from ..ir.types import bool_
from ..ir.walk import Path, is_bool
from ..logic.forms import is_opaque
from ..logic.questions import evaluation
from .framework import Trial, Where, primitive
from .helpers.arguments import Kind
from .helpers.references import ExprLike, expr_arg
from .helpers.refusing import applicable, argument
from .helpers.scoping import escaping, evaluated_early, ready

__all__ = ["specialize"]


@primitive(
    "A.3",
    same_values=True,
    cursors={"target": "first copy", "inside": "first copy", "values inside": "stay, first copy"},
    again=True,
    grows=True,
    trial=Trial(programs="temporary assigned patch handed guarded"),
)
def specialize(
    rw: Rewrite, block: BlockCursor, conds: Annotated[ExprLike | Sequence[ExprLike], Kind("conditions")]
) -> Where:
    """`s  ~>  if c0: s else: if c1: s ... else: s`, for conditions c0, c1, ... in scope before s.

    The target is a statement or a block; `conds` is one condition or several, in object code. Each copy binds
    variables of its own. Returns the outer `if`; cursors into s point into the first copy.

    A condition on sizes or iterators can always be asked. One that reads data or config fields must have a value:
    all that it reads is in bounds, and surely written before or read by s itself; in a parallel loop, no other
    iteration may write it.

    Fails with `Unsafe` if that is not known, with `BadArgument` if a condition is none, and with `NotApplicable` if
    s defines what later code uses.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[m]):
    ...     for i in seq(0, m):
    ...         x[i] = 0.0
    ... ''')
    >>> print(specialize.direct(p, "for i in _: _", ["m == 8", "m == 4"]))
    def foo(n: size, m: size, x: f32[m] @ DRAM):
        if m == 8:
            for i in seq(0, m):
                x[i] = 0.0
        elif m == 4:
            for i in seq(0, m):
                x[i] = 0.0
        else:
            for i in seq(0, m):
                x[i] = 0.0

    Refused: the condition reads `a`, which was never written.

    >>> q = proc_from_source('''
    ... def foo(x: f32):
    ...     a: f32
    ...     x = 0.0
    ... ''')
    >>> print(specialize("a < 1.0")(q, q.find("x = _")).failure())
    specialize('a < 1.0'): not true: a, which the expression reads, is surely written before
    it reads a
        def foo(x: f32 @ DRAM):
            a: f32 @ DRAM
    -->     x = 0.0
    """
    tree, span = rw.proc.tree, block.span
    asked = conds if isinstance(conds, tuple | list) else (conds,)
    argument(len(asked) > 0, "at least one condition is needed")
    tests = [_condition(rw, c, span.path()) for c in asked]
    applicable(not escaping(tree, span), "a name defined in the block is used after it", block)
    for c in tests:
        if is_opaque(c):
            ready(rw, evaluation.has_value(tree, block.span, c), block, "new code")
    stmts = span.members(tree)
    rest: PVector[Stmt] = rw.copy(stmts)
    for c in reversed(tests[1:]):
        rest = pvector([If(c, rw.copy(stmts), rest)])
    path = rw.wrap(span, If(tests[0], pvector(), rest))
    rw.spread(Span(path, "body", 0, len(stmts)), Span(path, "orelse", 0, len(rest)))
    if any(map(is_opaque, tests)):
        evaluated_early(rw, path)
    return path


def _condition(rw: Rewrite, value: ExprLike, at: Path) -> Expr:
    """A condition that is in scope at `at`."""
    e, types = expr_arg(rw, value, at), types_at(rw.proc.tree, at)
    truth = is_bool(e) or (isinstance(e, Var) and types[e.sym] == bool_)
    argument(truth, f"a condition is needed, not {value!r}")
    return e
