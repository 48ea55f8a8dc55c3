"""Code rearrangement (paper, appendix A.2)."""

from __future__ import annotations

from ..cursors.cursor import BlockCursor, StmtCursor
from ..cursors.kinds import BinaryOpCursor
from ..cursors.rewrite import Rewrite
from ..ir.span import Span
from ..logic.questions import safety
from .framework import Trial, Where, primitive
from .helpers.references import ref
from .helpers.refusing import applicable, require

__all__ = ["commute_expr", "reorder_stmts"]


@primitive("A.2", same_values=True)
def reorder_stmts(rw: Rewrite, block: BlockCursor, second: object = None) -> Where:
    """`s1; s2  ~>  s2; s1`, if they commute.

    The target is the block of both, or a statement or block with the statement after it as `second` (a
    cursor, pattern or name). Returns the statement that was second and is now first; cursors follow their
    statements. Fails with `NotApplicable` if the two are not neighbours, and with `Unsafe` if one defines
    what the other uses, or writes what the other touches.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     x[0] = 1.0
    ...     y[0] = 2.0
    ... ''')
    >>> print(reorder_stmts.direct(p, "x[_] = _", "y[_] = _"))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        y[0] = 2.0
        x[0] = 1.0

    Refused: the second statement reads what the first writes.

    >>> q = proc_from_source('''
    ... def foo(x: f32, y: f32):
    ...     x = 1.0
    ...     y = x
    ... ''')
    >>> print(reorder_stmts("y = _")(q, q.find("x = _")).failure())
    reorder_stmts(second='y = _'): not true: the two statements commute
    one writes x, the other reads x
        def foo(x: f32 @ DRAM, y: f32 @ DRAM):
    -->     x = 1.0
            y = x
    """
    s = block.span
    if second is not None:
        other = ref(rw, second, StmtCursor)
        applicable(other.path == s.path(len(block)), "the second statement must follow the first", other)
        one, two = s, Span(s.parent, s.label, s.hi, s.hi + 1)
    else:
        applicable(len(block) == 2, f"two neighbouring statements are needed, not {len(block)}", block)
        one, two = s._replace(hi=s.lo + 1), s._replace(lo=s.lo + 1)
    require(safety.commute(rw.proc.tree, one, two), block)
    rw.swap(one, two)
    return s.path()


@primitive("A.2", same_values=True, by_form=True, again=True, trial=Trial(chains="seldom"))
def commute_expr(rw: Rewrite, e: BinaryOpCursor) -> Where:
    """`x + y  ~>  y + x` and `x * y  ~>  y * x`.

    Both hold for rounded numbers too, and operands have no effects, so there is nothing to prove. Returns the
    expression.

    Fails with `NotApplicable` on other operators.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     x[0] = x[0] * 2.0
    ... ''')
    >>> print(commute_expr.direct(p, "_ * _"))
    def foo(n: size, x: f32[n] @ DRAM):
        x[0] = 2.0 * x[0]

    Refused: `y - x` is another value.

    >>> q = proc_from_source('''
    ... def foo(x: f32, y: f32):
    ...     x = x - y
    ... ''')
    >>> print(commute_expr()(q, q.find("x - y")).failure())
    commute_expr(): '-' does not commute
        def foo(x: f32 @ DRAM, y: f32 @ DRAM):
    -->     x = x - y
    """
    node = e.node
    applicable(node.op in ("+", "*"), f"{node.op!r} does not commute", e)
    rw.set(e.path, lhs=node.rhs, rhs=node.lhs)
    return e.path
