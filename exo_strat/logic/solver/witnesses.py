"""Witnesses: values that make a goal true, read off its equations and bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..forms.formula import FALSE, And, Atom, Eq, Formula, Ge, Lin, Or, atoms, conj, subst


def instances(goal: Formula, chosen: Sequence[Atom]) -> Iterator[Formula]:
    """`goal` with each atom of `chosen` replaced by a witness: each instance implies that there are values
    of `chosen` for which `goal` holds.

    An equation forces its witness. A quotient and remainder `c*q + r == e, 0 <= r < c` are found so: `r` is
    `e - c*q`, and the bounds that remain for `q` meet in `e / c`.
    """
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
            yield from instances(p, left)
        return
    choice = next((p for p in parts if isinstance(p, Or)), None)
    forced = _forced(parts, left)
    if forced is not None:
        options = [forced]
    elif choice is not None:
        rest = [p for p in parts if p is not choice]
        for p in choice.fs:
            yield from instances(conj(*rest, p), left)
        return
    else:
        options = _bounded(parts, left[0])
    for y, witness in options:
        yield from instances(subst(goal, {y: witness}), left)


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
    return [(y, w) for w in out] or [(y, Lin(0))]
