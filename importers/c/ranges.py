"""Between which numbers integer data is, where that is known: of variables, and of elements that a condition tests."""

from __future__ import annotations

from ..control import Poly
from . import conversions
from .context import Context
from .program import Access, Compare, Cond, Converted, Data, Lit, Logic, Read, Scalar
from .syntax import Variable
from .types import Int

Range = tuple[int, int]
OWN = ("local", "argument")
"""Where variables are that no other function sees."""
Key = Variable | tuple[Variable, tuple[Poly, ...]]


def given(ctx: Context, v: Variable, value: Data) -> None:
    """A variable of the function gets a value."""
    ctx.ranges.pop(v, None)
    if isinstance(v.type, Int) and isinstance(value.type, Int) and v.storage in OWN:
        ctx.ranges[v] = conversions.value_range(value)


def stored(ctx: Context, a: Access) -> None:
    """An element of an array is written: of none of that array anything is known any more."""
    for k in [k for k in ctx.ranges if isinstance(k, tuple) and k[0] is a.var]:
        del ctx.ranges[k]


def called(ctx: Context) -> None:
    """A function is called: what outlives this one may be other than before."""
    ctx.ranges = {k: r for k, r in ctx.ranges.items() if isinstance(k, Variable) and k.storage in OWN}


def of_place(ctx: Context, a: Access) -> Range | None:
    """What is known of an element."""
    return ctx.ranges.get((a.var, a.indices))


def narrow(ctx: Context, c: Cond) -> None:
    """What a condition on integer data says, where it holds."""
    if isinstance(c, Logic) and c.op == "and":
        narrow(ctx, c.lhs)
        narrow(ctx, c.rhs)
    if not isinstance(c, Compare) or isinstance(c.lhs, Poly) or isinstance(c.rhs, Poly):
        return
    turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
    for e, op, other in ((c.lhs, c.op, c.rhs), (c.rhs, turned[c.op], c.lhs)):
        inner = e
        while isinstance(inner, Converted):
            inner = inner.arg
        known = isinstance(inner, Scalar | Read) and isinstance(inner.type, Int) and isinstance(e.type, Int)
        if not known or not isinstance(other, Lit) or not isinstance(other.value, int):
            continue
        if conversions.value_range(e) != conversions.value_range(inner):
            continue
        lo, hi = conversions.value_range(inner)
        k = other.value
        ends = {"<": (lo, k - 1), "<=": (lo, k), ">": (k + 1, hi), ">=": (k, hi), "==": (k, k), "!=": (lo, hi)}[op]
        found = max(lo, ends[0]), min(hi, ends[1])
        if found[0] <= found[1]:
            ctx.ranges[_key(inner)] = found


def _key(e: Data) -> Key:
    assert isinstance(e, Scalar | Read)
    return e.var if isinstance(e, Scalar) else (e.access.var, e.access.indices)


def union(a: Range, b: Range) -> Range:
    """The least range around two."""
    return min(a[0], b[0]), max(a[1], b[1])


def joined(a: dict[Key, Range], b: dict[Key, Range]) -> dict[Key, Range]:
    """What is known after a branch."""
    return {k: union(a[k], b[k]) for k in a if k in b}
