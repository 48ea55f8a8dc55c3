"""Order of evaluation: C leaves open which operand comes first, so what one changes no other may use."""

from __future__ import annotations

from ..report import stop
from .syntax import Assign, Binary, Choice, Comma, Expr, Step, Use
from .typing import LOGICAL
from .walks import children, inside, sometimes


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
        others = sum(y == x.target for y in inside(e)) - sum(y == x.target for y in before) - 1
        if others:
            name = x.target.var.c_name if isinstance(x.target, Use) else "a place in memory"
            what = f"{name} is changed and used in one expression"
            why = "C doesn't say what is done first"
            if _ordered(e, x) == others:
                why = "C says at `?`, `,`, `&&` or `||` what is done first, but here it is one step"
            raise stop(x.place, what, why, "write two statements")
    for x in inside(e):
        if any(isinstance(y, Assign | Step) for s in sometimes(x) for y in inside(s)):
            what = "an assignment or a step behind ?, && or ||"
            raise stop(x.place, what, "it happens only sometimes", "write an if")


def _ordered(e: Expr, change: Assign | Step) -> int:
    """How often what is changed in an expression is used where C says whether that is before or after the change."""
    found, here = 0, e
    while here is not change:
        operands = children(here)
        at = next(k for k, c in enumerate(operands) if any(y is change for y in inside(c)))
        if isinstance(here, Choice | Comma) or (isinstance(here, Binary) and here.op in LOGICAL):
            rest = (*operands[:at], *operands[at + 1 :])
            found += sum(y == change.target for c in rest for y in inside(c))
        here = operands[at]
    return found
