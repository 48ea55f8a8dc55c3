"""Witnesses: values that make a goal true, read off its equations and bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..forms.affine import quotient, without_factors
from ..forms.formula import (
    FALSE,
    And,
    Atom,
    Eq,
    Formula,
    Ge,
    Lin,
    Opaque,
    Or,
    Ratio,
    atoms,
    conj,
    ge,
    lin_atoms,
    lt,
    product,
    subst,
)


def instances(goal: Formula, chosen: Sequence[Atom]) -> Iterator[Formula]:
    """`goal` with each atom of `chosen` replaced by a witness: each instance implies that there are values
    of `chosen` for which `goal` holds.

    An equation forces its witness. A quotient and remainder `c*q + r == e, 0 <= r < c` are found so: `r` is
    `e - c*q`, and the bounds that remain for `q` meet in `e / c`.
    """
    yield from _instances(*_named(goal, chosen))


def _instances(goal: Formula, chosen: Sequence[Atom]) -> Iterator[Formula]:
    if goal == FALSE:
        return
    present = atoms(goal)
    left = [y for y in chosen if y in present]
    if not left:
        yield goal
        return
    parts = goal.fs if isinstance(goal, And | Or) else (goal,)
    if isinstance(goal, Or):
        for p in parts:
            yield from _instances(p, left)
        return
    choice = next((p for p in parts if isinstance(p, Or)), None)
    forced = _forced(parts, left)
    if forced is not None:
        options = [forced]
    elif choice is not None:
        rest = [p for p in parts if p is not choice]
        for p in choice.fs:
            yield from _instances(conj(*rest, p), left)
        return
    else:
        options = _bounded(parts, left[0])
    for y, witness in options:
        yield from _instances(subst(goal, {y: witness}), left)


def _named(goal: Formula, chosen: Sequence[Atom]) -> tuple[Formula, Sequence[Atom]]:
    """A goal in which quotients by forms have names, which are to be chosen, too."""
    while ratio := next((a for a in _ratios(goal) if any(y in _inside(a) for y in chosen)), None):
        name = Opaque(("quotient", len(chosen)))
        rest = ratio.lin - product(Lin.of(name), ratio.by)
        goal = conj(subst(goal, {ratio: Lin.of(name)}), ge(rest, 0), lt(rest, ratio.by))
        chosen = [name, *chosen]
    return goal, chosen


def _ratios(f: Formula) -> list[Ratio]:
    return [a for a in atoms(f) if isinstance(a, Ratio)]


def _inside(a: Ratio) -> list[Atom]:
    return [*lin_atoms(a.lin), *lin_atoms(a.by)]


def _forced(parts: Sequence[Formula], left: Sequence[Atom]) -> tuple[Atom, Lin] | None:
    """An atom that an equation determines, one with coefficient 1 if possible."""
    found: tuple[int, Atom, Lin] | None = None
    for p in parts:
        if not isinstance(p, Eq):
            continue
        for y in left:
            k = p.lin.coefficient(y)
            rest = p.lin.without(y)
            if k and rest is not None and (found is None or abs(k) < found[0]):
                found = (abs(k), y, (rest * (-1 if k > 0 else 1)).div(abs(k)))
    return None if found is None else found[1:]


def _bounded(parts: Sequence[Formula], y: Atom) -> list[tuple[Atom, Lin]]:
    """The least and greatest values that the bounds on `y` allow, or 0 if there are none."""
    out: dict[Lin, None] = {}
    for p in parts:
        if isinstance(p, Ge):
            k = p.lin.coefficient(y)
            rest = p.lin.without(y)
            if k and rest is not None:
                out[(k - 1 - rest).div(k) if k > 0 else rest.div(-k)] = None
        if isinstance(p, Ge | Eq):
            out.update(dict.fromkeys(_of_multiple(p.lin, y)))
    return [(y, w) for w in out] or [(y, Lin(0))]


def _of_multiple(x: Lin, y: Atom) -> Iterator[Lin]:
    """The least or greatest `y` for which a sum with a multiple of it by a form, such as `n*y`, is not negative."""
    times, rest = Lin(0), Lin(x.const)
    for a, k in x.terms:
        others = without_factors(a, [y])
        if others is None:
            rest = rest + Lin(0, ((a, k),))
        else:
            times = times + others * k
    if times.terms and y not in lin_atoms(times) and y not in lin_atoms(rest):
        yield -quotient(rest, times) if times.terms[0][1] > 0 else quotient(rest, -times)
