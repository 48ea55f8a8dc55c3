"""What linear inequalities say of one unknown: Fourier's and Motzkin's elimination. Imports `affine`.

A constraint is a form that is not negative. Dropping one only loosens the result, so that whoever asks for a
range of values gets one that has them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import gcd
from typing import Final

from .affine import Affine, Atom, Floor

LIMIT: Final = 200
"""How many constraints are kept between two steps: the shortest ones."""


def limits(constraints: Iterable[Affine], atom: Atom) -> tuple[tuple[Affine, ...], tuple[Affine, ...]]:
    """The lower and the upper limits, both inclusive, that constraints set to an atom, in free forms.

    The atom meets every one of them wherever the constraints hold.
    """
    return _limits(_connected(constraints, atom), atom)


@lru_cache(maxsize=1024)
def _limits(constraints: tuple[Affine, ...], atom: Atom) -> tuple[tuple[Affine, ...], tuple[Affine, ...]]:
    system = _tightest(constraints)
    for q in _quotients(system):
        rest = q.form - Affine.of(q) * q.by
        system = _tightest([*system, rest, -rest + (q.by - 1)])
        # a quotient is a whole number, which is lost where it is eliminated before what it is the quotient of
        below, above = _of(system, q)
        system = _tightest([*system, *(Affine.of(q) - x for x in below), *(x - Affine.of(q) for x in above)])
    return _of(system, atom)


def _connected(constraints: Iterable[Affine], atom: Atom) -> tuple[Affine, ...]:
    """The constraints that say something of an atom, together with others."""
    left = [(x, {a for a in _inside(x) if a.is_bound}) for x in constraints]
    reached: set[Atom] = {atom}
    found: dict[Affine, None] = {}
    while near := [pair for pair in left if pair[1] & reached]:
        left = [pair for pair in left if not pair[1] & reached]
        found.update(dict.fromkeys(x for x, _ in near))
        reached = reached.union(*(atoms for _, atoms in near))
    return tuple(found)


def _inside(x: Affine) -> Iterator[Atom]:
    """The atoms of a form, and those in its quotients."""
    for a in x.atoms():
        yield a
        if isinstance(a, Floor):
            yield from _inside(a.form)


def _of(system: list[Affine], atom: Atom) -> tuple[tuple[Affine, ...], tuple[Affine, ...]]:
    """The limits of an atom, by eliminating all others that are not free."""
    while left := _bound(system, atom):
        system = _without(system, min(left, key=lambda a: (_cost(system, a), a.order)))
    below, above = [], []
    for x in system:
        k = x.factor(atom)
        rest = x - Affine.of(atom) * k
        if k > 0:
            below.append((-rest).ceiling(k))
        elif k < 0:
            above.append(rest.floor(-k))
    return tuple(dict.fromkeys(below)), tuple(dict.fromkeys(above))


def _quotients(constraints: Iterable[Affine]) -> list[Floor]:
    """The quotients of what is not free in the constraints, each after those inside it."""
    found: dict[Floor, None] = {}

    def visit(x: Affine) -> None:
        for a in x.atoms():
            if isinstance(a, Floor) and a.is_bound and a not in found:
                visit(a.form)
                found[a] = None

    for x in constraints:
        visit(x)
    return list(found)


def _bound(system: Iterable[Affine], kept: Atom) -> list[Atom]:
    return list(dict.fromkeys(a for x in system for a in x.atoms() if a.is_bound and a != kept))


def _cost(system: Iterable[Affine], atom: Atom) -> int:
    """How many constraints eliminating an atom makes."""
    signs = [x.factor(atom) for x in system]
    return sum(k > 0 for k in signs) * sum(k < 0 for k in signs)


def _without(system: list[Affine], atom: Atom) -> list[Affine]:
    """What the constraints say of the other atoms."""
    free = [x for x in system if not x.factor(atom)]
    below = [x for x in system if x.factor(atom) > 0]
    above = [x for x in system if x.factor(atom) < 0]
    return _tightest([*free, *(x * -y.factor(atom) + y * x.factor(atom) for x in below for y in above)])


def _tightest(system: Iterable[Affine]) -> list[Affine]:
    """The constraints in lowest terms, of those that differ by a constant the strongest, without true ones."""
    best: dict[tuple[tuple[Atom, int], ...], int] = {}
    for x in system:
        if x.terms:
            g = gcd(*(k for _, k in x.terms))
            terms, const = tuple((a, k // g) for a, k in x.terms), x.const // g
            best[terms] = min(const, best.get(terms, const))
    kept = [Affine(const, terms) for terms, const in best.items()]
    return sorted(kept, key=lambda x: len(x.terms))[:LIMIT] if len(kept) > LIMIT else kept
