"""The bounds that conditions set to a variable, by elimination.

Conditions are affine forms that are at least 0. The bounds follow from them, but need not say all of what they say:
who uses them proves that they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import NamedTuple

from ...ir import build as b
from ...ir.names import Sym
from ...ir.nodes import Binary, Expr, For, ProcDef
from ...ir.walk import Path
from ...logic.forms import And, Eq, Formula, Ge, Lin, Quot, Truth, V, cond, ge, is_opaque, lin_atoms
from ...logic.questions import env_of, facts_at, flatten, prove, to_expr


class Bounds(NamedTuple):
    """Forms of which a variable is at least each (`lower`), and less than each (`upper`); and the conditions that do
    not mention it."""

    lower: tuple[Lin, ...]
    upper: tuple[Lin, ...]
    others: tuple[Lin, ...]


def conditions_of(f: Formula) -> tuple[Lin, ...] | None:
    """The forms that are at least 0 exactly where a formula holds, if it says no more and no less."""
    match f:
        case Truth(value=True):
            return ()
        case Ge(lin=x):
            return (without_quotients(x),)
        case Eq(lin=x):
            return (without_quotients(x), without_quotients(-x))
        case And(fs=fs):
            parts = [conditions_of(g) for g in fs]
            return None if None in parts else tuple(x for part in parts if part for x in part)
        case _:
            return None


def without_quotients(x: Lin) -> Lin:
    """A form that is at least 0 exactly where another one is, and has no quotient by c but c times as a multiple."""
    for q, k in x.terms:
        if isinstance(q, Quot) and abs(k) == 1:
            rest = x - Lin(0, ((q, k),))
            return without_quotients(rest * q.c + q.lin if k > 0 else rest * q.c + (q.c - 1) - q.lin)
    return x


def bounds_on(i: Sym, conditions: Iterable[Lin]) -> Bounds | None:
    """The bounds of a variable; None if it stands in a quotient, product or minimum.

    >>> i, n = Sym("i", 1), Sym("n", 2)
    >>> bounds_on(i, [Lin.of(V(i)) * 2 - 3, Lin.of(V(n)) - Lin.of(V(i))])
    Bounds(lower=(2,), upper=(n_2 + 1,), others=())
    """
    lower, upper, others = list[Lin](), list[Lin](), list[Lin]()
    for x in conditions:
        k = x.coefficient(V(i))
        rest = x.without(V(i))
        if rest is None:
            return None
        if k > 0:
            lower.append((k - 1 - rest).div(k))
        elif k < 0:
            upper.append(rest.div(-k) + 1)
        else:
            others.append(x)
    return Bounds(tuple(lower), tuple(upper), tuple(others))


def eliminated(i: Sym, conditions: Sequence[Lin]) -> tuple[Lin, ...]:
    """Conditions without a variable that hold wherever there is a value for it with which all of them hold."""
    v = V(i)
    below = [x for x in conditions if x.coefficient(v) > 0]
    above = [x for x in conditions if x.coefficient(v) < 0]
    joined = [x * -y.coefficient(v) + y * x.coefficient(v) for x in below for y in above]
    return (*(x for x in conditions if v not in lin_atoms(x)), *joined)


class Ranges(NamedTuple):
    """New bounds of two nested loops, and the condition that they have the same iterations as the old ones."""

    outer: tuple[Expr, Expr]
    inner: tuple[Expr, Expr]
    same: Expr


def exchanged(tree: ProcDef, path: Path, outer: For, inner: For) -> Ranges | None:
    """Bounds with which the inner one of two nested loops can stand outside. None if a bound is no sum of multiples of
    variables, with maxima at starts and minima at ends."""
    i, j = outer.iter, inner.iter
    inside = all_of([in_range(i, outer.lo, outer.hi), in_range(j, inner.lo, inner.hi)])
    env = env_of(tree)
    conditions = None if is_opaque(inside) else conditions_of(cond(inside, env))
    of_inner = None if conditions is None else bounds_on(i, conditions)
    if conditions is None or of_inner is None:
        return None
    of_outer = bounds_on(j, eliminated(i, conditions))
    if of_outer is None or not (of_outer.lower and of_outer.upper and of_inner.lower and of_inner.upper):
        return None
    facts = facts_at(tree, path)
    first = ends(of_outer, facts)
    around = in_range(j, *first)
    second = ends(of_inner, (*facts, *flatten(cond(around, env))))
    return Ranges(first, second, Binary("==", inside, all_of([around, in_range(i, *second)])))


def in_range(i: Sym, lo: Expr, hi: Expr) -> Expr:
    """The condition that a variable is in a range."""
    return Binary("and", Binary("<=", lo, b.var(i)), Binary("<", b.var(i), hi))


def ends(
    bounds: Bounds, facts: Sequence[Formula], lo: Sequence[Expr] = (), hi: Sequence[Expr] = ()
) -> tuple[Expr, Expr]:
    """The start and the end of a range within bounds, and within the ends `lo` and `hi`. Bounds are left out that
    others are known to imply."""
    lower = [to_expr(x) for x in _needed(bounds.lower, facts, lambda x, y: ge(x, y))]
    upper = [to_expr(x) for x in _needed(bounds.upper, facts, lambda x, y: ge(y, x))]
    return reduce(b.maximum, [*lo, *lower]), reduce(b.minimum, [*hi, *upper])


def _needed(forms: Iterable[Lin], facts: Sequence[Formula], implies: Callable[[Lin, Lin], Formula]) -> list[Lin]:
    """The forms that no other one is known to imply."""
    kept = list(dict.fromkeys(forms))
    for x in tuple(kept):
        if any(y != x and prove(facts, implies(y, x), "one bound implies another") for y in kept):
            kept.remove(x)
    return kept


def all_of(conditions: Sequence[Expr]) -> Expr:
    """All of some conditions; true of none."""
    return reduce(lambda x, y: Binary("and", x, y), conditions) if conditions else b.TRUE
