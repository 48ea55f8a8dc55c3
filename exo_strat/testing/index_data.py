"""Data that indices are taken from: such as a procedure asserts."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from ..interp import Array
from ..ir.names import Sym
from ..ir.nodes import Arg, Binary, Cell, Claim, Const, Expr, Node, ProcDef, StrideExpr, Unary, Var
from ..ir.precisions import element, integer_range
from ..ir.types import Control
from ..ir.walk import walk

FEW: Final = 12
"""How far numbers lie apart of which nothing is asserted, about."""


def fill_indices(
    a: Array, tree: ProcDef, arg: Arg, env: Mapping[Sym, int], random: Random, chosen: Mapping[str, int]
) -> None:
    """Fills an argument with numbers that the procedure admits, if there are such: those that are chosen by the name of
    an element, such as `idx[2]`, and others."""
    assert not isinstance(arg.type, Control)
    claims = [n for p in tree.preds for _, n in walk(p) if isinstance(n, Claim) and n.sym == arg.sym]
    least, most = integer_range(element(arg.type))
    lo, hi = max(least, -FEW // 4), min(most + 1, FEW)
    for c in claims:
        if c.kind == "within":
            lo, hi = (value_of(e, env) for e in c.args)
    kinds = {c.kind for c in claims}
    given = {_place(k): v for k, v in chosen.items() if k.partition("[")[0] == arg.sym.name and _place(k) is not None}
    places = list(a.places())
    shape = a.shape
    fixed = {_flat(place, shape): v for place, v in given.items() if place is not None and len(place) == len(shape)}
    numbers = _numbers(len(places), max(lo, least), min(hi, most + 1), kinds, fixed, random)
    for at, n in zip(places, numbers, strict=True):
        a.cells[at] = n


def about_elements(e: Expr) -> bool:
    """Whether an assertion is about single elements of a buffer."""
    return any(isinstance(n, Cell) for _, n in walk(e))


def _place(name: str) -> tuple[int, ...] | None:
    """The place of an element by its name."""
    inside = name.partition("[")[2].rstrip("]")
    parts = inside.split(", ") if inside else []
    return tuple(map(int, parts)) if all(p.lstrip("-").isdigit() for p in parts) else None


def _flat(place: Sequence[int], shape: Sequence[int]) -> int:
    at = 0
    for k, n in zip(place, shape, strict=True):
        at = at * n + k
    return at


def _numbers(
    count: int, lo: int, hi: int, kinds: set[str], fixed: Mapping[int, int], random: Random
) -> list[int]:
    """Numbers from `lo` to `hi - 1`; distinct or rising, if they are to be."""
    if hi <= lo:
        raise ValueError("no number is within the bounds")
    if "rising" in kinds:
        drawn = sorted(_drawn(count, lo, hi, random))
        for k in range(count):
            below = max((v for at, v in fixed.items() if at <= k), default=lo)
            above = min((v for at, v in fixed.items() if at >= k), default=hi - 1)
            drawn[k] = fixed.get(k, min(max(drawn[k], below), above))
        return drawn
    if "distinct" in kinds:
        others = [n for n in range(lo, min(hi, lo + 4 * count + FEW)) if n not in fixed.values()]
        if len(others) < count - len(fixed):
            raise ValueError("there are too few numbers")
        rest = iter(random.sample(others, count - len([k for k in fixed if k < count])))
        return [fixed[k] if k in fixed else next(rest) for k in range(count)]
    return [fixed.get(k, n) for k, n in enumerate(_drawn(count, lo, hi, random))]


def _drawn(count: int, lo: int, hi: int, random: Random) -> list[int]:
    """Numbers from `lo` to `hi - 1`; in a third of the draws only the least and the greatest. If they rise, all
    else is between two of them, such as a row that is everything."""
    if random.randrange(3):
        return [random.randrange(lo, hi) for _ in range(count)]
    share = random.random()
    return [lo if random.random() < share else hi - 1 for _ in range(count)]


ARITHMETIC: Final[Mapping[str, Callable[[int, int], int]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv, "%": operator.mod,
    "min": min, "max": max,
}  # fmt: skip


def value_of(e: Node, env: Mapping[Sym, int]) -> int:
    """The value of an extent of an argument."""
    match e:
        case Const(value=v):
            return int(v)
        case Var(sym=s):
            return env[s]
        case Unary(arg=a):
            return -value_of(a, env)
        case Binary(op=op, lhs=x, rhs=y):
            return ARITHMETIC[op](value_of(x, env), value_of(y, env))
        case StrideExpr():
            return 1
        case _:
            raise ValueError(f"{e!r} is no extent that depends on the control arguments alone")
