"""Whether statements read a variable before they set it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .syntax import Assign, Block, Comma, Declare, Expr, If, Jump, Loop, Stmt, Use, Variable
from .walks import children, own, statements


def is_read(v: Variable, rest: Sequence[Stmt]) -> bool:
    """Whether statements, one after the other, may read a variable before they set it. Where a jump may leave some of
    them out, nothing that they set counts."""
    if any(isinstance(t, Jump) for s in rest for t in statements(s)):
        return any(_of_expression(v, e) for s in rest for t in statements(s) for e in own(t))
    return _of_all(_of_statement(v, s) for s in rest) is True


def _of_all(found: Iterable[bool | None]) -> bool | None:
    """What comes first: True is a read, False a value, None neither."""
    return next((f for f in found if f is not None), None)


def _of_statement(v: Variable, s: Stmt) -> bool | None:
    match s:
        case Block(parts=parts):
            return _of_all(_of_statement(v, p) for p in parts)
        case If(cond=cond, yes=yes, no=no):
            return _of_all((_of_expression(v, cond), _either(_of_statement(v, yes), _of_statement(v, no))))
        case Loop(first=first, cond=cond, step=step, body=body):
            asked = None if cond is None else _of_expression(v, cond)
            stepped = None if step is None else _of_expression(v, step)
            # there may be no iteration
            run = _either(None, _of_all((_of_statement(v, body), stepped)))
            return _of_all((_of_statement(v, first), asked, run))
        case Declare(var=var):
            return _of_all((*(_of_expression(v, e) for e in own(s)), False if var is v else None))
        case _:
            return _of_all(_of_expression(v, e) for e in own(s))


def _either(a: bool | None, b: bool | None) -> bool | None:
    """Of two ways, of which one is taken."""
    return True if a or b else a if a is b else None


def _of_expression(v: Variable, e: Expr) -> bool | None:
    match e:
        case Comma(parts=parts):
            return _of_all(_of_expression(v, p) for p in parts)
        case Assign(op="", target=Use(var=var), value=value):
            return _of_all((_of_expression(v, value), False if var is v else None))
        case Use(var=var):
            return True if var is v else None
        case _:
            # what is set inside of another expression may be left out, or come later
            return True if any(_mentions(v, c) for c in children(e)) else None


def _mentions(v: Variable, e: Expr) -> bool:
    return (isinstance(e, Use) and e.var is v) or any(_mentions(v, c) for c in children(e))
