"""What linear inequalities say of one unknown: Fourier's and Motzkin's elimination.

A constraint is a form that is not negative. Dropping one only loosens the result, so that whoever asks for a
range of values gets one that has them all. Variables are free: they mean something where the answer is to be used.
`bound` makes integers that don't, such as an iterator of a loop inside, and those are eliminated.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import gcd
from typing import Final, TypeAlias

from exo_strat import forms

Limits: TypeAlias = tuple[tuple[forms.Lin, ...], tuple[forms.Lin, ...]]

LIMIT: Final = 200
"""How many constraints are kept between two steps: the shortest ones."""


def bound(*key: object) -> forms.Lin:
    """An integer that is known inside only; `key` tells it from every other one."""
    return forms.Lin.of(forms.Opaque(key))


def is_bound(a: forms.Atom) -> bool:
    """Whether an atom is known inside only, or is made of such."""
    return any(isinstance(b, forms.Opaque) for b in forms.lin_atoms(forms.Lin.of(a)))


def limits(constraints: Iterable[forms.Lin], atom: forms.Atom) -> Limits:
    """The lower and the upper limits, both inclusive, that constraints set to an atom, in free forms.

    The atom meets every one of them wherever the constraints hold.
    """
    return _limits(_connected(constraints, atom), atom)


@lru_cache(maxsize=1024)
def _limits(constraints: tuple[forms.Lin, ...], atom: forms.Atom) -> Limits:
    system = _tightest(constraints)
    # each quotient after those inside it
    atoms = dict.fromkeys(a for x in system for a in [*forms.lin_atoms(x)][::-1])
    for q in [a for a in atoms if isinstance(a, forms.Quot) and is_bound(a)]:
        whole = forms.Lin.of(q)
        system = _tightest([*system, q.lin - whole * q.c, whole * q.c + (q.c - 1) - q.lin])
        # a quotient is a whole number, which is lost where it is eliminated before what it is the quotient of
        below, above = _of(system, q)
        system = _tightest([*system, *(whole - x for x in below), *(x - whole for x in above)])
    return _of(system, atom)


def _connected(constraints: Iterable[forms.Lin], atom: forms.Atom) -> tuple[forms.Lin, ...]:
    """The constraints that say something of an atom, together with others."""
    left = {x: set(filter(is_bound, forms.lin_atoms(x))) for x in constraints}
    reached, found = {atom}, list[forms.Lin]()
    while near := [x for x, atoms in left.items() if atoms & reached]:
        found += near
        reached = reached.union(*map(left.pop, near))
    return tuple(found)


def _of(system: list[forms.Lin], atom: forms.Atom) -> Limits:
    """The limits of an atom, by eliminating all others that are not free."""
    while left := {a: None for x in system for a, _ in x.terms if is_bound(a) and a != atom}:
        system = _without(system, min(left, key=lambda a: (_cost(system, a), a.order)))
    parts = [(x.coefficient(atom), x - forms.Lin.of(atom) * x.coefficient(atom)) for x in system]
    below = dict.fromkeys((k - 1 - rest).div(k) for k, rest in parts if k > 0)
    return tuple(below), tuple(dict.fromkeys(rest.div(-k) for k, rest in parts if k < 0))


def _cost(system: Iterable[forms.Lin], atom: forms.Atom) -> int:
    """How many constraints eliminating an atom makes."""
    signs = [x.coefficient(atom) for x in system]
    return sum(k > 0 for k in signs) * sum(k < 0 for k in signs)


def _without(system: list[forms.Lin], atom: forms.Atom) -> list[forms.Lin]:
    """What the constraints say of the other atoms."""
    parts = [(x.coefficient(atom), x) for x in system]
    pairs = [y * j - x * k for j, x in parts if j > 0 for k, y in parts if k < 0]
    return _tightest([*(x for k, x in parts if not k), *pairs])


def _tightest(system: Iterable[forms.Lin]) -> list[forms.Lin]:
    """The constraints in lowest terms, of those that differ by a constant the strongest, without true ones."""
    best: dict[tuple[forms.Term, ...], int] = {}
    for x in system:
        if x.terms:
            g = gcd(*(k for _, k in x.terms))
            terms, const = tuple((a, k // g) for a, k in x.terms), x.const // g
            best[terms] = min(const, best.get(terms, const))
    kept = [forms.Lin(const, terms) for terms, const in best.items()]
    return sorted(kept, key=lambda x: len(x.terms))[:LIMIT] if len(kept) > LIMIT else kept
