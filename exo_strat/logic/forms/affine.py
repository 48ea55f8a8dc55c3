"""Affine forms over integer unknowns, as canonical, hashable data.

An affine form `Lin` is a constant and integer multiples of *atoms*; an atom is an unknown `V`, a floor
quotient by a literal `Quot` or by another form `Ratio`, a product of atoms `Mul`, the smaller of 0 and another form
`Least`, an `Element` of a buffer of integers, or anything else that is an integer, `Opaque`. A remainder is no atom:
`x % c` is `x - c * Quot(x, c)`. Nor are minimum and maximum: `min(x, y)` is `x + Least(y - x)`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import Final, TypeAlias

from ...ir.frozen import fast_init
from ...ir.names import Sym

Order: TypeAlias = tuple[int, int, int, str]

OTHER: Final = "'"
"""Another instance of a variable than the one at hand."""

# -- atoms ---------------------------------------------------------------------------------------


@fast_init
@dataclass(frozen=True, slots=True)
class V:
    """An integer unknown. `instance` tells instances of one variable apart: `""` is the one at hand, `OTHER` that of
    another iteration."""

    sym: Sym
    instance: str = ""
    _hash: int = field(init=False, repr=False, compare=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, V) and self.sym == other.sym and self.instance == other.instance

    def __hash__(self) -> int:
        """Of numbers only: hashes of strings differ from process to process, and with them the order of sets."""
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", hash((self.sym.id, len(self.instance))))
            return self._hash

    @property
    def order(self) -> Order:
        return (0, self.sym.id, len(self.instance), self.instance + self.sym.name)

    def __repr__(self) -> str:
        return f"{self.sym!r}{self.instance}"


@dataclass(frozen=True, slots=True)
class Quot:
    """The floor quotient of an affine form by a literal `c >= 1`. Made by `Lin.div`."""

    lin: Lin
    c: int

    @property
    def order(self) -> Order:
        return (1, self.c, len(self.lin.terms), repr(self.lin))

    def __repr__(self) -> str:
        return f"({self.lin!r})/{self.c}"


@dataclass(frozen=True, slots=True)
class Ratio:
    """The floor quotient of an affine form by another one, `by`, that is no literal. Made by `quotient`.

    Object code divides only by what is at least 1 wherever it runs. Where `by` is less, this is `lin`: some number is
    needed there for a form to have a value in each model."""

    lin: Lin
    by: Lin

    @property
    def order(self) -> Order:
        return (1, 0, len(self.lin.terms), repr(self))

    def __repr__(self) -> str:
        return f"({self.lin!r})/({self.by!r})"


@dataclass(frozen=True, slots=True)
class Mul:
    """A product of two or more atoms, sorted. Made by `product`."""

    factors: tuple[Atom, ...]

    @property
    def order(self) -> Order:
        return (2, len(self.factors), 0, repr(self))

    def __repr__(self) -> str:
        return "*".join(map(repr, self.factors))


@dataclass(frozen=True, slots=True)
class Least:
    """`min(0, lin)`, where `lin` has no common factor and begins with a positive coefficient. Made by `minimum`."""

    lin: Lin

    @property
    def order(self) -> Order:
        return (4, 0, len(self.lin.terms), repr(self.lin))

    def __repr__(self) -> str:
        return f"min(0, {self.lin!r})"


@dataclass(frozen=True, slots=True)
class Element:
    """What stands in a place of a buffer of integers, which may itself depend on unknowns. At one `moment` equal places
    hold equal numbers; None is the moment of buffers that never change."""

    sym: Sym
    index: tuple[Lin, ...]
    moment: Hashable = None

    def __hash__(self) -> int:
        return hash((self.sym.id, self.index))

    @property
    def order(self) -> Order:
        return (3, 1, len(self.index), repr(self))

    def __repr__(self) -> str:
        when = "" if self.moment is None else f"@{self.moment!r}"
        return f"{self.sym!r}[{', '.join(map(repr, self.index))}]{when}"


@dataclass(frozen=True, slots=True)
class Opaque:
    """An integer of which nothing is known but what tells it apart; `repr(key)` must be deterministic."""

    key: Hashable
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(self.key))

    def __hash__(self) -> int:
        return self._hash

    @property
    def order(self) -> Order:
        return (3, 0, 0, repr(self.key))

    def __repr__(self) -> str:
        return f"<{self.key!r}>"


@dataclass(frozen=True, slots=True)
class BoolAtom:
    """No integer, but a truth value of which nothing is known but what tells it apart."""

    key: Hashable

    def __repr__(self) -> str:
        return f"<{self.key!r}>"


Atom: TypeAlias = V | Quot | Ratio | Mul | Least | Opaque | Element
Term: TypeAlias = tuple[Atom, int]
Leaf: TypeAlias = Atom | BoolAtom
Model: TypeAlias = Mapping[Leaf, int | bool]


def _order(term: Term) -> Order:
    return term[0].order


def _joined(terms: tuple[Term, ...], others: Iterable[Term]) -> tuple[Term, ...]:
    """The sum of sorted terms and of others, sorted."""
    total = dict(terms)
    for a, k in others:
        total[a] = total.get(a, 0) + k
    kept = [t for t in total.items() if t[1]]
    if len(total) > len(terms) and len(kept) > 1:  # else all are in their places
        kept.sort(key=_order)
    return tuple(kept)


# -- affine forms --------------------------------------------------------------------------------


@fast_init
@dataclass(frozen=True, slots=True)
class Lin:
    """`const + sum(coefficient * atom)`; terms sorted, coefficients not zero.

    >>> i = Lin.of(V(Sym("i", 1)))
    >>> (i * 4 + 3).div(4) == i
    True
    >>> (i * 4 + 3).mod(4)
    3
    """

    const: int
    terms: tuple[Term, ...] = ()
    _hash: int = field(init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:  # most are never asked
            object.__setattr__(self, "_hash", hash((self.const, self.terms)))
            return self._hash

    @staticmethod
    def of(x: int | Atom | Lin) -> Lin:
        """`x` as an affine form."""
        if isinstance(x, Lin):
            return x
        return Lin(x) if isinstance(x, int) else Lin(0, ((x, 1),))

    @staticmethod
    def sum(const: int, terms: Iterable[Term]) -> Lin:
        """`const` plus `terms`, in any order and with repetitions."""
        total: dict[Atom, int] = {}
        for a, k in terms:
            total[a] = total.get(a, 0) + k
        kept = [t for t in total.items() if t[1]]
        if len(kept) > 1:
            kept.sort(key=_order)
        return Lin(const, tuple(kept))

    @property
    def is_const(self) -> bool:
        return not self.terms

    def __add__(self, other: Lin | int) -> Lin:
        if isinstance(other, int):
            return Lin(self.const + other, self.terms) if other else self
        if not other.terms:
            return self + other.const
        if not self.terms:
            return other + self.const
        return Lin(self.const + other.const, _joined(self.terms, other.terms))

    def __radd__(self, other: int) -> Lin:
        return self + other

    def __neg__(self) -> Lin:
        return self * -1

    def __sub__(self, other: Lin | int) -> Lin:
        if isinstance(other, int):
            return self + -other
        if not other.terms:
            return self + -other.const
        negated = [(a, -k) for a, k in other.terms]
        if not self.terms:
            return Lin(self.const - other.const, tuple(negated))
        return Lin(self.const - other.const, _joined(self.terms, negated))

    def __rsub__(self, other: int) -> Lin:
        return Lin(other) - self

    def __mul__(self, k: int) -> Lin:
        if k == 1:
            return self
        return Lin(self.const * k, tuple([(a, c * k) for a, c in self.terms]) if k else ())

    def __rmul__(self, k: int) -> Lin:
        return self * k

    def coefficient(self, atom: Atom) -> int:
        """What `atom` is multiplied by; 0 if it isn't a term."""
        return next((k for a, k in self.terms if a == atom), 0)

    def without(self, atom: Atom) -> Lin | None:
        """The form less its multiple of `atom`; None if `atom` also stands inside a quotient or product."""
        rest = Lin(self.const, tuple([t for t in self.terms if t[0] != atom]))
        return None if atom in lin_atoms(rest) else rest

    def div(self, c: int) -> Lin:
        """The floor quotient by a literal `c >= 1`: whole multiples of `c` come out of the `Quot`."""
        if c < 1:
            raise ValueError(f"a divisor must be a literal of at least 1, not {c}")
        if c == 1:
            return self
        out, rest = [], []
        for a, k in self.terms:
            # The residue nearest to zero: canonical, and it keeps small coefficients readable.
            r = k % c
            if 2 * r > c:
                r -= c
            if r:
                rest.append((a, r))
            if k != r:
                out.append((a, (k - r) // c))
        return Lin.sum(self.const // c, (*out, *_quotient(Lin(self.const % c, tuple(rest)), c).terms))

    def mod(self, c: int) -> Lin:
        """The floor remainder by a literal `c >= 1`: always in `[0, c)`."""
        return self - self.div(c) * c

    def __repr__(self) -> str:
        parts = [f"{k}*{a!r}" if k not in (1, -1) else ("-" if k < 0 else "") + repr(a) for a, k in self.terms]
        if self.const or not parts:
            parts.append(str(self.const))
        return " + ".join(parts).replace("+ -", "- ")


def _quotient(x: Lin, c: int) -> Lin:
    """`x / c` for a constant in [0, c) and coefficients that are no multiples of `c`."""
    if not x.terms:
        return Lin(0)
    g = gcd(c, *(k for _, k in x.terms))
    if g > 1:
        return Lin(x.const // g, tuple([(a, k // g) for a, k in x.terms])).div(c // g)
    if len(x.terms) == 1:
        ((a, k),) = x.terms
        if isinstance(a, Quot) and k == 1:
            # (y/b + d)/c is (y + b*d)/(b*c), for floor quotients.
            return (a.lin + a.c * x.const).div(a.c * c)
    return Lin.of(Quot(x, c))


def product(x: Lin, y: Lin) -> Lin:
    """`x * y`, multiplied out; products of atoms become `Mul` atoms."""
    if x.is_const or y.is_const:
        return y * x.const if x.is_const else x * y.const
    terms: list[Term] = [(a, k * y.const) for a, k in x.terms] + [(b, k * x.const) for b, k in y.terms]
    for a, j in x.terms:
        for b, k in y.terms:
            factors = sorted((*factors_of(a), *factors_of(b)), key=lambda f: f.order)
            terms.append((Mul(tuple(factors)), j * k))
    return Lin.sum(x.const * y.const, terms)


def factors_of(a: Atom) -> tuple[Atom, ...]:
    """What an atom is the product of."""
    return a.factors if isinstance(a, Mul) else (a,)


def without_factors(a: Atom, factors: Iterable[Atom]) -> Lin | None:
    """What an atom is `factors` times; None if they are not among its own."""
    left = list(factors_of(a))
    for f in factors:
        if f not in left:
            return None
        left.remove(f)
    return Lin.of(left[0] if len(left) == 1 else Mul(tuple(left))) if left else Lin(1)


def quotient(x: Lin, by: Lin) -> Lin:
    """The floor quotient of two forms, `by` being at least 1 where it matters. Multiples of a product come out of it;
    but a remainder, `x - n * (x/n)`, stays in one piece, as it is known by its bounds.

    >>> i, j, m = (Lin.of(V(Sym(s, k))) for k, s in enumerate("ijm"))
    >>> quotient(product(i, m) + j, m), quotient(product(i, m + 1), m + 1)
    (i_0 + (j_1)/(m_2), i_0)
    """
    if by.is_const:
        return x.div(by.const) if by.const >= 1 else Lin.of(Opaque(("/", x, by)))
    whole = Lin(0)
    if len(by.terms) == 1 and not by.const:
        ((d, c),) = by.terms
        for a, k in x.terms:
            times = without_factors(a, factors_of(d))
            if times is not None and k % c == 0 and not any(isinstance(f, Ratio) for f in factors_of(a)):
                whole = whole + times * (k // c)
    else:
        (d, c), *_ = sorted(by.terms, key=lambda t: (-len(factors_of(t[0])), t[0].order))
        found = ((without_factors(a, factors_of(d)), k) for a, k in x.terms)
        multiples = (times * (k // c) for times, k in found if times is not None and k % c == 0)
        whole = next((y for y in multiples if product(y, by) == x), whole)
    rest = x - product(whole, by)
    return whole if rest == Lin(0) else whole + Lin.of(Ratio(rest, by))


def remainder(x: Lin, by: Lin) -> Lin:
    """What is left of a form divided by another one: at least 0, and less than that."""
    return x - product(quotient(x, by), by)


def minimum(x: Lin, y: Lin) -> Lin:
    """The smaller of two forms. Those of one pair share an atom, so that minimum and maximum add up to both.

    >>> i, n = Lin.of(V(Sym("i", 1))), Lin.of(V(Sym("n", 2)))
    >>> minimum(i, i + 3), minimum(i, n) + maximum(n, i) == i + n
    (i_1, True)
    """
    return x + _negative_part(y - x)


def maximum(x: Lin, y: Lin) -> Lin:
    """The larger of two forms."""
    return y - _negative_part(y - x)


def sides(x: Lin) -> tuple[str, Lin, Lin] | None:
    """What a form with a minimum or maximum among its terms is: "min" or "max" of two forms. Of `min(min(i, j), k)` the
    outer one is taken first, as the inner one stands in both."""
    minima = [(a, k) for a, k in x.terms if isinstance(a, Least)]
    for a, k in minima:
        if len(minima) == 1 or not any(a in lin_atoms(other.lin) for other, _ in minima):
            without = x - Lin(0, ((a, k),))
            return ("min" if k > 0 else "max"), without, without + a.lin * k
    return None


def _negative_part(x: Lin) -> Lin:
    """`min(0, x)`."""
    if not x.terms:
        return Lin(min(0, x.const))
    if x.terms[0][1] < 0:
        return x + _negative_part(-x)
    g = gcd(x.const, *(k for _, k in x.terms))
    return Lin(0, ((Least(Lin(x.const // g, tuple([(a, k // g) for a, k in x.terms]))), g),))


# -- substitution, atoms, evaluation -----------------------------------------------------------------


def subst_lin(x: Lin, env: Mapping[Atom, Lin]) -> Lin:
    """`x` with atoms replaced, also those inside quotients and products."""
    out, changed = Lin(x.const), False
    kept: list[Term] = []
    for a, k in x.terms:
        new = _subst_atom(a, env)
        if new is None:
            kept.append((a, k))
        else:
            changed = True
            out = out + new * k
    return out + Lin(0, tuple(kept)) if changed else x


def _subst_atom(a: Atom, env: Mapping[Atom, Lin]) -> Lin | None:
    """What `a` becomes; None if it stays."""
    hit = env.get(a)
    if hit is not None:
        return hit
    if isinstance(a, Quot):
        inner = subst_lin(a.lin, env)
        return None if inner is a.lin else inner.div(a.c)
    if isinstance(a, Ratio):
        inner, by = subst_lin(a.lin, env), subst_lin(a.by, env)
        return None if inner is a.lin and by is a.by else _ratio(inner, by)
    if isinstance(a, Least):
        inner = subst_lin(a.lin, env)
        return None if inner is a.lin else _negative_part(inner)
    if isinstance(a, Element):
        index = tuple([subst_lin(x, env) for x in a.index])
        return None if index == a.index else Lin.of(Element(a.sym, index, a.moment))
    if isinstance(a, Mul):
        new = [_subst_atom(f, env) for f in a.factors]
        if any(n is not None for n in new):
            out = Lin(1)
            for f, n in zip(a.factors, new, strict=True):
                out = product(out, Lin.of(f) if n is None else n)
            return out
    return None


def _ratio(x: Lin, by: Lin) -> Lin:
    """What a `Ratio` of two forms is, one of which may have become a literal."""
    return quotient(x, by) if not by.is_const or by.const >= 1 else x


def lin_atoms(x: Lin) -> Iterator[Atom]:
    """The atoms of an affine form, also those inside quotients, products and places, in order."""
    for a, _ in x.terms:
        if type(a) is V:  # most are
            yield a
        else:
            yield from _inside(a)


def _inside(a: Atom) -> Iterator[Atom]:
    yield a
    if isinstance(a, (Quot, Least)):
        yield from lin_atoms(a.lin)
    elif isinstance(a, Ratio):
        yield from lin_atoms(a.lin)
        yield from lin_atoms(a.by)
    elif isinstance(a, Mul):
        for f in a.factors:
            yield from _inside(f)
    elif isinstance(a, Element):
        for x in a.index:
            yield from lin_atoms(x)


def value_of(x: Lin, env: Model) -> int:
    """The number that `x` is; quotients and products are computed, not looked up."""
    return x.const + sum(k * _atom_value(a, env) for a, k in x.terms)


def _atom_value(a: Atom, env: Model) -> int:
    match a:
        case Quot(lin=x, c=c):
            return value_of(x, env) // c
        case Ratio(lin=x, by=by):
            return value_of(x, env) // max(1, value_of(by, env))
        case Least(lin=x):
            return min(0, value_of(x, env))
        case Mul(factors=fs):
            out = 1
            for f in fs:
                out *= _atom_value(f, env)
            return out
        case _:
            return int(env[a])
