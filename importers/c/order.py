"""Order of evaluation: C leaves open which operand comes first, so what one changes no other may use."""

from __future__ import annotations

from ..report import stop
from .syntax import Assign, Comma, Expr, Step, Use
from .walks import inside, sometimes


def check_order(e: Expr) -> None:
    """Raise a problem if a variable is changed inside of an expression that uses it elsewhere, or only sometimes."""
    if isinstance(e, Comma):
        for p in e.parts:
            check_order(p)
        return
    for x in inside(e):
        if not isinstance(x, Assign | Step) or x is e:
            continue
        before = inside(x.value) if isinstance(x, Assign) else ()  # what is assigned is computed first
        if sum(y == x.target for y in inside(e)) - sum(y == x.target for y in before) != 1:
            name = x.target.var.c_name if isinstance(x.target, Use) else "a place in memory"
            what = f"{name} is changed and used in one expression"
            raise stop(x.place, what, "C doesn't say what is done first", "write two statements")
    for x in inside(e):
        if any(isinstance(y, Assign | Step) for s in sometimes(x) for y in inside(s)):
            what = "an assignment or a step behind ?, && or ||"
            raise stop(x.place, what, "it happens only sometimes", "write an if")
