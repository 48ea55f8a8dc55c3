"""Polynomials in sizes: how much of something there is. Imports `affine`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from math import comb

from .affine import Affine, Atom, Floor, Free


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum of products of sizes, with rational factors. Prints as a Python expression.

    >>> from exo_strat import Sym
    >>> n = Amount.of(Affine.of(Free(Sym("n", 1))))
    >>> print(n * n * 2 + 1, (n * n * 2 + 1).at(n=10))
    2 * n**2 + 1 201
    """

    terms: tuple[tuple[tuple[Atom, ...], Fraction], ...] = ()

    @staticmethod
    def of(x: int | Affine) -> Amount:
        """A number or an affine form as an amount."""
        form = Affine(x) if isinstance(x, int) else x
        return Amount.sum([((), Fraction(form.const)), *(((a,), Fraction(k)) for a, k in form.terms)])

    @staticmethod
    def sum(terms: Iterable[tuple[tuple[Atom, ...], Fraction]]) -> Amount:
        """The amount with these terms, in any order and with repetitions."""
        total: dict[tuple[Atom, ...], Fraction] = {}
        for atoms, k in terms:
            key = tuple(sorted(atoms, key=lambda a: a.order))
            total[key] = total.get(key, Fraction(0)) + k
        kept = [t for t in total.items() if t[1]]
        return Amount(tuple(sorted(kept, key=lambda t: (-len(t[0]), [a.order for a in t[0]]))))

    def __add__(self, other: Amount | int) -> Amount:
        return Amount.sum([*self.terms, *(Amount.of(other) if isinstance(other, int) else other).terms])

    def __mul__(self, other: Amount | int | Fraction) -> Amount:
        factors = other.terms if isinstance(other, Amount) else (((), Fraction(other)),)
        return Amount.sum((x + y, j * k) for x, j in self.terms for y, k in factors)

    def __sub__(self, other: Amount) -> Amount:
        return self + other * -1

    def most(self, other: Amount) -> Amount:
        """An amount that is at least as large as both: term by term the larger one."""
        mine, theirs = dict(self.terms), dict(other.terms)
        keys = dict.fromkeys([*mine, *theirs])
        return Amount.sum((k, max(mine.get(k, Fraction(0)), theirs.get(k, Fraction(0)))) for k in keys)

    def over(self, i: Atom, lo: Affine, hi: Affine) -> Amount | None:
        """The sum for `i` from `lo` up to, not including, `hi`; None if it is no polynomial."""
        out = Amount()
        for atoms, k in self.terms:
            power = atoms.count(i)
            rest = tuple(a for a in atoms if a != i)
            if any(isinstance(a, Floor) and _mentions(a, i) for a in rest):
                return None
            out = out + (_powers(Amount.of(hi), power) - _powers(Amount.of(lo), power)) * Amount.sum([(rest, k)])
        return out

    def at(self, **sizes: int) -> int:
        """The number for given sizes. Raises `KeyError` for a size that is missing."""
        total = sum((k * _product(_value(a, sizes) for a in atoms) for atoms, k in self.terms), Fraction(0))
        return int(total)

    def atoms(self) -> Iterator[Atom]:
        """What it is made of."""
        return (a for atoms, _ in self.terms for a in atoms)

    def __str__(self) -> str:
        return " + ".join(_term(atoms, k) for atoms, k in self.terms).replace("+ -", "- ") or "0"


def _product(values: Iterable[int]) -> int:
    return reduce(lambda x, y: x * y, values, 1)


def _mentions(a: Atom, i: Atom) -> bool:
    return a == i or (isinstance(a, Floor) and any(_mentions(x, i) for x in a.form.atoms()))


@lru_cache(maxsize=64)
def _bernoulli(n: int) -> Fraction:
    """The n-th Bernoulli number, the first one negative."""
    return Fraction(1) if n == 0 else -sum((comb(n + 1, k) * _bernoulli(k) for k in range(n)), Fraction(0)) / (n + 1)


def _powers(n: Amount, k: int) -> Amount:
    """The sum of the k-th powers of the numbers from 0 up to, not including, n (Faulhaber's formula)."""
    out, power = Amount(), Amount.of(1)
    for j in range(k, -1, -1):
        power = power * n
        out = out + power * (Fraction(comb(k + 1, j), k + 1) * _bernoulli(j))
    return out


def _value(a: Atom, sizes: dict[str, int]) -> int:
    if isinstance(a, Floor):
        return (a.form.const + sum(k * _value(x, sizes) for x, k in a.form.terms)) // a.by
    assert isinstance(a, Free)
    return sizes[a.sym.name]


def _term(atoms: tuple[Atom, ...], k: Fraction) -> str:
    counted = {a: atoms.count(a) for a in dict.fromkeys(atoms)}
    factors = [_text(a) + (f"**{n}" if n > 1 else "") for a, n in counted.items()]
    if not factors:
        return str(k)
    if k in (1, -1):
        return ("-" if k < 0 else "") + " * ".join(factors)
    return " * ".join([str(k), *factors])


def _text(a: Atom) -> str:
    if isinstance(a, Floor):
        inner = Amount.of(a.form)
        return f"(({inner}) // {a.by})"
    assert isinstance(a, Free)
    return a.sym.name
