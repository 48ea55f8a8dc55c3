"""Control integers as polynomials of arguments and iterators.

Sizes, bounds and indices of a program are computed in integer variables. Their values are kept here, in closed form:
`k = i * n + j` is the polynomial, and wherever k is used it is put in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, TypeAlias


@dataclass(frozen=True)
class Symbol:
    """An argument or an iterator. `iterator` ones come first where they are printed."""

    name: str
    id: int
    iterator: bool = False

    @property
    def order(self) -> tuple[int, int, str]:
        return (0 if self.iterator else 1, self.id, self.name)

    def text(self) -> str:
        return self.name


@dataclass(frozen=True)
class Quotient:
    """The floor of a quotient by a positive number."""

    of: Poly
    by: int

    @property
    def order(self) -> tuple[int, int, str]:
        return (2, 0, self.text())

    def text(self) -> str:
        inner = self.of.text()
        return f"{inner if self.of.is_atom() else f'({inner})'} / {self.by}"


@dataclass(frozen=True)
class Least:
    """The smaller of two numbers. The larger one is `-Least(-a, -b)`."""

    a: Poly
    b: Poly

    @property
    def order(self) -> tuple[int, int, str]:
        return (3, 0, self.text())

    def text(self) -> str:
        return f"min({self.a.text()}, {self.b.text()})"


class Indexed(Protocol):
    """An array of integers. What stands before has the index that the source computes; `placed` is one for each
    dimension that the array gets."""

    name: str
    shared: bool
    """Whether it is read here only, and may be changed elsewhere: its elements as indices are `now(x[i])`."""

    def placed(self, indices: tuple[Poly, ...]) -> tuple[Poly, ...]:
        """The indices of an element."""


@dataclass(frozen=True)
class Element:
    """An integer that is read from an array, or from a single place. Of one that may change, `moment` is a number of
    its own: what is read at another moment is another number."""

    array: Indexed
    indices: tuple[Poly, ...]
    moment: int = 0

    @property
    def changes(self) -> bool:
        """Whether the same place may hold another number at another time."""
        return self.moment > 0 or any(e.changes for i in self.indices for e in elements(i))

    @property
    def order(self) -> tuple[int, int, str]:
        return (1, self.moment, f"{self.array.name}{[i.text() for i in self.indices]}")

    def text(self) -> str:
        placed = self.array.placed(self.indices) if self.indices else ()
        text = f"{self.array.name}[{', '.join(i.text() for i in placed)}]" if placed else self.array.name
        return f"now({text})" if self.array.shared else text


Atom: TypeAlias = Symbol | Quotient | Least | Element
Monomial: TypeAlias = tuple[Atom, ...]


@dataclass(frozen=True)
class Poly:
    """A polynomial: pairs of a product of atoms and its coefficient, in a fixed order, no coefficient 0."""

    terms: tuple[tuple[Monomial, int], ...]

    # -- arithmetic -------------------------------------------------------------------------------

    def __add__(self, other: Poly | int) -> Poly:
        return _sum([*self.terms, *poly(other).terms])

    def __sub__(self, other: Poly | int) -> Poly:
        return self + poly(other) * -1

    def __mul__(self, other: Poly | int) -> Poly:
        pairs = ((_product(m, n), a * b) for m, a in self.terms for n, b in poly(other).terms)
        return _sum(pairs)

    def __neg__(self) -> Poly:
        return self * -1

    def over(self, by: int) -> Poly:
        """The floor of the quotient by a positive number; what divides comes out."""
        whole = _sum((m, c // by) for m, c in self.terms if c % by == 0)
        rest = _sum((m, c) for m, c in self.terms if c % by)
        if rest.constant is not None:
            return whole + rest.constant // by
        match rest.terms:
            case (((Quotient(of=inner, by=first),), 1),):
                return whole + of(Quotient(inner, first * by))
            case _:
                return whole + of(Quotient(rest, by))

    # -- parts ------------------------------------------------------------------------------------

    @cached_property
    def constant(self) -> int | None:
        """The value, if it is a number."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def offset(self) -> int:
        """The constant term."""
        return next((c for m, c in self.terms if not m), 0)

    @property
    def degree(self) -> int:
        """How many atoms a term multiplies at most."""
        return max((sum(map(_degree, m)) for m, _ in self.terms), default=0)

    def is_affine(self) -> bool:
        """Whether no term multiplies atoms, inside of quotients neither."""
        return self.degree <= 1

    def is_polynomial(self) -> bool:
        """Whether all that it is made of are symbols."""
        return all(isinstance(a, Symbol) for m, _ in self.terms for a in m)

    def is_atom(self) -> bool:
        """Whether it prints as one word."""
        return self.constant is not None or (len(self.terms) == 1 and self.terms[0][1] == 1 and self._is_symbol())

    def operand(self) -> str:
        """As an operand of a product or quotient: in brackets, unless it is one word."""
        return self.text() if self.is_atom() else f"({self.text()})"

    def _is_symbol(self) -> bool:
        m, c = self.terms[0] if len(self.terms) == 1 else ((), 0)
        return len(m) == 1 and c == 1 and isinstance(m[0], Symbol)

    @property
    def symbol(self) -> Symbol | None:
        """The symbol that it is, if it is just one."""
        found = self.terms[0][0][0] if self._is_symbol() else None
        return found if isinstance(found, Symbol) else None

    def symbols(self) -> frozenset[Symbol]:
        """All that it depends on."""
        return frozenset(_symbols(self))

    def coefficient(self, s: Symbol) -> Poly | None:
        """What s is multiplied by; None if it stands in a quotient, or is multiplied by itself."""
        parts: list[tuple[Monomial, int]] = []
        for m, c in self.terms:
            count = sum(a == s for a in m)
            if count > 1 or any(not isinstance(a, Symbol) and s in of(a).symbols() for a in m):
                return None
            if count:
                rest = list(m)
                rest.remove(s)
                parts.append((tuple(rest), c))
        return _sum(parts)

    def replaced(self, values: Mapping[Symbol, Poly]) -> Poly:
        """With polynomials in the place of symbols."""
        if not any(s in values for s in self.symbols()):
            return self
        total = number(0)
        for m, c in self.terms:
            term = number(c)
            for a in m:
                term = term * _replaced(a, values)
            total = total + term
        return total

    def with_element(self, e: Element, value: Poly) -> Poly:
        """With a polynomial in the place of an element, where that stands by itself."""
        total = number(0)
        for m, c in self.terms:
            term = number(c)
            for a in m:
                term = term * (value if a == e else of(a))
            total = total + term
        return total

    # -- text -------------------------------------------------------------------------------------

    def text(self) -> str:
        """As object code.

        >>> i, n = of(Symbol("i", 1, True)), of(Symbol("n", 0))
        >>> (n - i - 1).text(), (i * 2 + 3).text(), ((n + 1).over(2) * 2).text(), number(-1).text()
        ('n - i - 1', '2 * i + 3', '2 * ((n + 1) / 2)', '-1')
        >>> (-i.over(2)).text(), (n - i.over(2)).text()
        ('-(i / 2)', 'n - i / 2')
        """
        if self.constant is not None:
            return str(self.constant)
        remainder = self._remainder()
        if remainder is not None:
            return f"{remainder.of.operand()} % {remainder.by}"
        named: list[tuple[Monomial | str, int]] = [_turned(t) for t in self.terms if t[0]]
        first = next((k for k, t in enumerate(named) if t[1] > 0), 0)
        terms: list[tuple[Monomial | str, int]] = [named[first], *named[:first], *named[first + 1 :]]
        if terms[0][1] < 0 < self.offset:
            terms.insert(0, ((), self.offset))
        elif self.offset:
            terms.append(((), self.offset))
        out = ""
        for m, c in terms:
            part = _term(m, abs(c), bool(out) or c > 0)
            sign = ("-" if c < 0 else "") if not out else (" - " if c < 0 else " + ")
            out += sign + part
        return out

    def _remainder(self) -> Quotient | None:
        """The quotient of which it is what is left: `n - 4 * (n / 4)` is `n % 4`."""
        found = [m[0] for m, c in self.terms if len(m) == 1 and isinstance(m[0], Quotient) and c == -m[0].by]
        return next((q for q in found if isinstance(q, Quotient) and self + of(q) * q.by == q.of), None)

    def __str__(self) -> str:
        return self.text()


def _degree(a: Atom) -> int:
    return 1 if isinstance(a, Symbol | Element) else max(q.degree for q in _inside(a))


def _inside(a: Quotient | Least | Element) -> tuple[Poly, ...]:
    """The polynomials in an atom."""
    if isinstance(a, Element):
        return a.indices
    return (a.of,) if isinstance(a, Quotient) else (a.a, a.b)


def _turned(t: tuple[Monomial, int]) -> tuple[Monomial | str, int]:
    """A term as it is printed: a minimum that is taken away is a maximum."""
    m, c = t
    if len(m) == 1 and isinstance(m[0], Least) and c < 0:
        return f"max({(-m[0].a).text()}, {(-m[0].b).text()})", -c
    return t


def _term(m: Monomial | str, c: int, binary: bool) -> str:
    """A term without its sign. `-i / 2` would be the quotient of -i, unless the sign is that of a difference."""
    if isinstance(m, str):
        return m if c == 1 else f"{c} * {m}"
    plain = len(m) == 1 and c == 1 and binary
    factors = [f"({a.text()})" if isinstance(a, Quotient) and not plain else a.text() for a in m]
    return " * ".join([*([str(c)] if c != 1 or not m else []), *factors])


def _sum(terms: Iterable[tuple[Monomial, int]]) -> Poly:
    total: dict[Monomial, int] = {}
    for m, c in terms:
        total[m] = total.get(m, 0) + c
    kept = [(m, c) for m, c in total.items() if c]
    return Poly(tuple(sorted(kept, key=lambda t: (not t[0], len(t[0]), [a.order for a in t[0]]))))


def _product(m: Monomial, n: Monomial) -> Monomial:
    return tuple(sorted((*m, *n), key=lambda a: a.order))


def _symbols(p: Poly) -> Iterator[Symbol]:
    for m, _ in p.terms:
        for a in m:
            if isinstance(a, Symbol):
                yield a
            else:
                yield from (s for q in _inside(a) for s in _symbols(q))


def _replaced(a: Atom, values: Mapping[Symbol, Poly]) -> Poly:
    if isinstance(a, Symbol):
        return values.get(a, of(a))
    if isinstance(a, Least):
        return least(a.a.replaced(values), a.b.replaced(values))
    if isinstance(a, Element):
        return of(replace(a, indices=tuple(i.replaced(values) for i in a.indices)))
    return a.of.replaced(values).over(a.by)


def number(value: int) -> Poly:
    """A constant."""
    return Poly((((), value),)) if value else Poly(())


def least(a: Poly, b: Poly) -> Poly:
    """The smaller of two.

    >>> i, n = of(Symbol("i", 1, True)), of(Symbol("n", 0))
    >>> least(i, n).text(), least(n, n + 1).text(), most(i - 1, number(0)).text(), (n - most(i, n)).text()
    ('min(i, n)', 'n', 'max(i - 1, 0)', 'n + min(-i, -n)')
    """
    d = (a - b).constant
    if d is not None:
        return a if d <= 0 else b
    read = {p: any(True for _ in elements(p)) for p in (a, b)}
    return of(Least(*sorted((a, b), key=lambda p: (p.constant is not None, not read[p], p.text()))))


def most(a: Poly, b: Poly) -> Poly:
    """The larger of two."""
    return -least(-a, -b)


def extremes(p: Poly) -> list[tuple[Least, int]]:
    """The minima that stand by themselves in a sum, with their coefficients."""
    return [(m[0], c) for m, c in p.terms if len(m) == 1 and isinstance(m[0], Least)]


def chosen(p: Poly, e: Least, side: Poly) -> Poly:
    """A sum with one side of a minimum in its place."""
    kept = Poly(tuple((m, c) for m, c in p.terms if m != (e,)))
    return kept + side * sum(c for m, c in p.terms if m == (e,))


def elements(p: Poly) -> Iterator[Element]:
    """The elements of arrays in a polynomial, those inside of their indices last."""
    for m, _ in p.terms:
        for a in m:
            if isinstance(a, Element):
                yield a
            if not isinstance(a, Symbol):
                yield from (e for q in _inside(a) for e in elements(q))


def opaque(p: Poly, names: Callable[[Element], Symbol]) -> Poly:
    """A polynomial with symbols in the place of elements of arrays."""
    total = number(0)
    for m, c in p.terms:
        term = number(c)
        for a in m:
            if isinstance(a, Element):
                term = term * of(names(a))
            elif isinstance(a, Least):
                term = term * least(opaque(a.a, names), opaque(a.b, names))
            else:
                term = term * (opaque(a.of, names).over(a.by) if isinstance(a, Quotient) else of(a))
        total = total + term
    return total


def digits(index: Poly, inner: Sequence[Poly]) -> tuple[Poly, ...]:
    """A flat index as one for each dimension, of which the last ones have these extents."""
    strides = [number(1)]
    for e in reversed(inner):
        strides.insert(0, strides[0] * e)
    found: list[Poly] = []
    rest = index
    for s in strides[:-1]:
        parts = divided(rest, s)
        quotient, rest = parts if parts is not None else (number(0), rest)
        found.append(quotient)
    return (*found, rest)


def product(factors: Iterable[Poly]) -> Poly:
    """All of these multiplied."""
    out = number(1)
    for e in factors:
        out = out * e
    return out


def of(atom: Atom) -> Poly:
    """A symbol or quotient by itself."""
    return Poly((((atom,), 1),))


def poly(value: Poly | int) -> Poly:
    """A polynomial, maybe of a number."""
    return number(value) if isinstance(value, int) else value


def divided(p: Poly, by: Poly) -> tuple[Poly, Poly] | None:
    """Quotient and remainder of polynomials, by the leading term of `by`; None if that doesn't come out.

    >>> i, j, n = of(Symbol("i", 1, True)), of(Symbol("j", 2, True)), of(Symbol("n", 0))
    >>> [str(x) for x in divided(i * n + i + j, n + 1)]
    ['i', 'j']
    """
    if not by.terms:
        return None
    lead, c = max(by.terms, key=lambda t: (len(t[0]), [a.order for a in t[0]]))
    quotient, rest = number(0), p
    for _ in range(64):
        found = next(((m, k) for m, k in rest.terms if k % c == 0 and _contains(m, lead)), None)
        if found is None:
            return quotient, rest
        part = Poly(((_without(found[0], lead), found[1] // c),))
        quotient, rest = quotient + part, rest - part * by
    return None


def _contains(m: Monomial, part: Monomial) -> bool:
    return all(sum(x == a for x in m) >= sum(x == a for x in part) for a in part)


def _without(m: Monomial, part: Monomial) -> Monomial:
    rest = list(m)
    for a in part:
        rest.remove(a)
    return tuple(rest)


def assertion(p: Poly) -> str:
    """That a polynomial is not negative, with its negative terms on the other side.

    >>> n, m = of(Symbol("n", 0)), of(Symbol("m", 1))
    >>> assertion(n - m), assertion(n - 2), assertion(n * -1 + 40)
    ('m <= n', 'n >= 2', 'n <= 40')
    """
    plus = Poly(tuple((m, c) for m, c in p.terms if c > 0 and m))
    minus = Poly(tuple((m, -c) for m, c in p.terms if c < 0 and m))
    if not minus.terms:
        return f"{plus} >= {-p.offset}"
    return f"{minus} <= {plus + p.offset}"
