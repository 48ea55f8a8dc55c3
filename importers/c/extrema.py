"""Smallest and largest values: `if (e > x) x = e;`, which is a reduction of the object language.

In C and in what is generated, a NaN in e leaves x as it is. So the condition must be false for it, and `x` must be what
is kept then.
"""

from __future__ import annotations

from typing import Final

from ..control import Poly
from .program import (
    Access,
    Arithmetic,
    Branch,
    Chosen,
    Compare,
    Cond,
    Converted,
    Data,
    Extern,
    Lit,
    Negative,
    Read,
    Scalar,
    Stmt,
    Store,
    Whole,
)
from .syntax import Variable
from .typing import element_type

OPERATORS: Final = {"<": "min", ">": "max"}
"""What keeps e in `e < x` and `e > x`."""
TURNED: Final = {"<": ">", ">": "<"}


def kept(s: Branch) -> Stmt:
    """`if e > x: x = e` as `x = max(x, e)`; another branch as it is."""
    if len(s.yes) == 1 and not s.no and isinstance(s.yes[0], Store) and s.yes[0].op == "=":
        store = s.yes[0]
        op = _operator(s.cond, store.target, store.value)
        if op is not None:
            return Store(store.target, op, store.value, s.place)
    return s


def of_choice(target: Access | Variable, value: Data) -> tuple[str, Data]:
    """The operator and operand of `x = e if e > x else x`; of another assignment `=`, and the value."""
    if isinstance(value, Chosen) and _is_at(value.no, target):
        op = _operator(value.cond, target, value.yes)
        if op is not None:
            return op, value.yes
    return "=", value


def _operator(c: Cond, target: Access | Variable, value: Data) -> str | None:
    """`min` or `max`, if a condition says that a value of the target's type is smaller, or larger."""
    if not isinstance(c, Compare) or c.op not in OPERATORS or isinstance(c.lhs, Poly) or isinstance(c.rhs, Poly):
        return None
    for op, e, old in ((c.op, c.lhs, c.rhs), (TURNED[c.op], c.rhs, c.lhs)):
        if _is_at(old, target) and same(e, value):
            return OPERATORS[op]
    return None


def _is_at(e: Data, target: Access | Variable) -> bool:
    """Whether a value is what a store replaces."""
    if isinstance(target, Variable):
        return isinstance(e, Scalar) and e.var is target and e.type == element_type(target)
    return isinstance(e, Read) and e.type == element_type(target.var) and _same_place(e.access, target)


def _same_place(a: Access, b: Access) -> bool:
    return a.var is b.var and a.indices == b.indices


def same(a: Data, b: Data) -> bool:
    """Whether two values are the same operations on the same places, of the same types."""
    match a, b:
        case Read(access=here, type=t), Read(access=there, type=u):
            return t == u and _same_place(here, there)
        case Scalar(var=one, type=t), Scalar(var=two, type=u):
            return t == u and one is two
        case Arithmetic(op=op, lhs=x, rhs=v, type=t), Arithmetic(op=other, lhs=y, rhs=w, type=u):
            return t == u and op == other and same(x, y) and same(v, w)
        case Negative(arg=x, type=t), Negative(arg=y, type=u):
            return t == u and same(x, y)
        case Converted(arg=x, type=t), Converted(arg=y, type=u):
            return t == u and same(x, y)
        case Extern(name=f, args=args, type=t), Extern(name=g, args=others, type=u):
            return t == u and f == g and len(args) == len(others) and all(map(same, args, others))
        case Lit() | Whole(), _:
            return a == b
        case _:
            return False
