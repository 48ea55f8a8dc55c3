"""Polynomials in sizes: how much of something there is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from math import comb, gcd
from typing import Final

from exo_strat import forms

ZERO: Final = forms.Lin(0)


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum of products of sizes, over a number. Prints as a Python expression.

    >>> from exo_strat import Sym
    >>> n = Amount.of(forms.Lin.of(forms.V(Sym("n", 1))))
    >>> print(n * n * 2 + 1, (n * n * 2 + 1).at(n=10))
    2 * n**2 + 1 201
    """

    form: forms.Lin = ZERO
    by: int = 1

    @staticmethod
    def of(x: int | forms.Lin | Amount, by: int = 1) -> Amount:
        """A number or a form, over another number, as an amount in lowest terms."""
        if isinstance(x, Amount):
            return x
        form = forms.Lin.of(x)
        g = gcd(by, form.const, *(k for _, k in form.terms))
        return Amount(forms.Lin(form.const // g, tuple((a, k // g) for a, k in form.terms)), by // g)

    def __add__(self, other: Amount | int) -> Amount:
        other = Amount.of(other)
        return Amount.of(self.form * other.by + other.form * self.by, self.by * other.by)

    def __mul__(self, other: Amount | int) -> Amount:
        other = Amount.of(other)
        return Amount.of(forms.product(self.form, other.form), self.by * other.by)

    def __sub__(self, other: Amount) -> Amount:
        return self + other * -1

    def most(self, other: Amount) -> Amount:
        """An amount that is at least as large as both: term by term the larger one."""
        x, y = self.form * other.by, other.form * self.by
        atoms = dict.fromkeys(a for a, _ in (*x.terms, *y.terms))
        larger = [(a, max(x.coefficient(a), y.coefficient(a))) for a in atoms]
        return Amount.of(forms.Lin.sum(max(x.const, y.const), larger), self.by * other.by)

    def over(self, i: forms.Atom, lo: forms.Lin, hi: forms.Lin) -> Amount | None:
        """The sum for `i` from `lo` up to, not including, `hi`; None if it is no polynomial."""
        out = Amount()
        for factors, k in self.terms():
            rest = [forms.Lin.of(a) for a in factors if a != i]
            if any(i in forms.lin_atoms(x) for x in rest):
                return None
            power = factors.count(i)
            times = Amount.of(reduce(forms.product, rest, forms.Lin(k.numerator)), k.denominator)
            out = out + (_powers(Amount.of(hi), power) - _powers(Amount.of(lo), power)) * times
        return out

    def at(self, **sizes: int) -> int:
        """The number for given sizes. Raises `KeyError` for a size that is missing."""
        variables = [a for a in self.atoms() if isinstance(a, forms.V)]
        return forms.value_of(self.form, {a: sizes[a.sym.name] for a in variables}) // self.by

    def atoms(self) -> tuple[forms.Atom, ...]:
        """What it is made of."""
        return tuple(forms.lin_atoms(self.form))

    def terms(self) -> list[tuple[tuple[forms.Atom, ...], Fraction]]:
        """Products of atoms with their factors, the longest first."""
        found = [(a.factors if isinstance(a, forms.Mul) else (a,), k) for a, k in self.form.terms]
        found += [((), self.form.const)] if self.form.const else []
        ordered = sorted(found, key=lambda t: (-len(t[0]), [a.order for a in t[0]]))
        return [(atoms, Fraction(k, self.by)) for atoms, k in ordered]

    def __str__(self) -> str:
        return " + ".join(_term(atoms, k) for atoms, k in self.terms()).replace("+ -", "- ") or "0"


@lru_cache(maxsize=64)
def _bernoulli(n: int) -> Fraction:
    """The n-th Bernoulli number, the first one negative."""
    return Fraction(1) if n == 0 else -sum((comb(n + 1, k) * _bernoulli(k) for k in range(n)), Fraction(0)) / (n + 1)


def _powers(n: Amount, k: int) -> Amount:
    """The sum of the k-th powers of the numbers from 0 up to, not including, n (Faulhaber's formula)."""
    out, power = Amount(), Amount.of(1)
    for j in range(k, -1, -1):
        factor = Fraction(comb(k + 1, j), k + 1) * _bernoulli(j)
        power = power * n
        out = out + power * Amount.of(factor.numerator, factor.denominator)
    return out


def _term(atoms: tuple[forms.Atom, ...], k: Fraction) -> str:
    powers = {_text(a): atoms.count(a) for a in atoms}
    factors = [f"{x}**{n}" if n > 1 else x for x, n in powers.items()]
    sign = "-" if k == -1 and factors else ""
    return sign + " * ".join(factors if factors and k in (1, -1) else [str(k), *factors])


def _text(a: forms.Atom) -> str:
    if isinstance(a, forms.Quot):
        return f"(({Amount.of(a.lin)}) // {a.c})"
    assert isinstance(a, forms.V)
    return a.sym.name
