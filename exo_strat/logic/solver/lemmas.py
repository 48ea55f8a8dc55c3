"""True statements about products, for questions in which a product as a mere unknown is not enough.

A quotient by a form, `Ratio`, is known by its products: those are of divisor and quotient. Each lemma holds for all
integers, so adding it never changes what is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from ..forms.affine import quotient
from ..forms.formula import (
    And,
    Atom,
    BoolAtom,
    Eq,
    Formula,
    Ge,
    Lin,
    Mul,
    Or,
    Ratio,
    atoms,
    conj,
    disj,
    eq,
    ge,
    gt,
    le,
    lt,
    ne,
    product,
)

Row: TypeAlias = tuple[bool, Lin]
"""A sum, of which something says that it is zero, or that it is not negative."""


def lemmas(formulas: Sequence[Formula]) -> Iterator[list[Formula]]:
    """What follows for the products and quotients in `formulas`, in three parts, each of which costs more to use: from
    the bounds of what is divided; from the signs and the order of factors; from sums with a common factor."""
    rows = tuple(dict.fromkeys(r for f in formulas for r in _rows(f)))
    yield list(_bounds(formulas, rows))
    products = _closed(formulas)
    out = [f for m in products for f in _signs(m)]
    for m, n in combinations(products, 2):
        out += _order(m, n)
    yield out
    yield list(_multiples(rows, products))


def _closed(formulas: Sequence[Formula]) -> list[Mul]:
    """The products in formulas, and those of some of their factors."""
    found = dict.fromkeys(m for f in formulas for a in atoms(f) for m in _products(a))
    todo = list(found)
    while todo:
        m = todo.pop()
        for f in dict.fromkeys(m.factors):
            parts = [a for a, _ in _other(m, f).terms if isinstance(a, Mul) and a not in found]
            found.update(dict.fromkeys(parts))
            todo += parts
    return sorted(found, key=lambda m: m.order)


def _bounds(formulas: Sequence[Formula], rows: Sequence[Row]) -> Iterator[Formula]:
    """A quotient is less than e if what is divided is less than e times the divisor; if not, it is at least e."""
    for a in dict.fromkeys(a for f in formulas for a in atoms(f) if isinstance(a, Ratio)):
        for _, x in rows:
            for least, e in ((False, quotient(x + a.lin + 1, a.by)), (True, quotient(a.lin - x, a.by))):
                if a.lin + (x + 1 if not least else -x) == product(e, a.by):
                    yield disj(lt(a.by, 1), lt(x, 0), ge(Lin.of(a), e) if least else lt(Lin.of(a), e))


def _multiples(rows: Sequence[Row], products: Sequence[Mul]) -> Iterator[Formula]:
    """What is not negative stays so when it is multiplied by what is not negative; what is zero, by anything. Of the
    sums that are asked about, and the bounds of quotients, where that gives no products but those that there are."""
    known = frozenset(products)
    factors = dict.fromkeys(f for m in products for f in m.factors)
    for is_eq, x in rows:
        for c in map(Lin.of, factors):
            times = product(x, c)
            if all(a in known for a, _ in times.terms if isinstance(a, Mul)):
                whole = eq(times, 0) if is_eq else ge(times, 0)
                yield disj(ne(x, 0), whole) if is_eq else disj(lt(x, 0), lt(c, 0), whole)


def _rows(f: Formula) -> Iterator[Row]:
    """The sums of which a formula says that they are zero, or not negative, and the bounds of its quotients."""
    match f:
        case Ge(lin=x) | Eq(lin=x):
            yield isinstance(f, Eq), x
        case And(fs=fs) | Or(fs=fs):
            for g in fs:
                yield from _rows(g)
            return
        case _:
            pass
    for a in atoms(f):
        if isinstance(a, Ratio):
            rest = a.lin - product(Lin.of(a), a.by)
            yield False, rest
            yield False, a.by - 1 - rest


def _products(a: Atom | BoolAtom) -> list[Mul]:
    """The products that an atom is, or is known by."""
    if isinstance(a, Ratio):
        return [p for p, _ in product(Lin.of(a), a.by).terms if isinstance(p, Mul)]
    return [a] if isinstance(a, Mul) else []


def _signs(m: Mul) -> Iterator[Formula]:
    """A zero factor makes the product zero; factors of at least 1 make it at least as large as each. A factor below
    zero turns that round."""
    whole = Lin.of(m)
    for f in dict.fromkeys(m.factors):
        a, b = Lin.of(f), _other(m, f)
        yield disj(gt(a, 0), lt(a, 0), eq(whole, 0))
        yield disj(lt(a, 1), lt(b, 1), conj(ge(whole, a), ge(whole, b)))
        yield disj(lt(a, 0), lt(b, 0), ge(whole, 0))
        yield disj(ge(a, 0), lt(b, 1), conj(le(whole, a), le(whole, -b)))
        yield disj(ge(b, 0), lt(a, 1), conj(le(whole, b), le(whole, -a)))


def _order(m: Mul, n: Mul) -> Iterator[Formula]:
    """Of two products with a common factor that isn't negative, the smaller has the smaller other factor: `a < b` gives
    `a*c + c <= b*c`. Equal other factors make equal products."""
    common: list[Atom] = [f for f in m.factors if f in n.factors]
    for c in dict.fromkeys(common):
        a, b = _other(m, c), _other(n, c)
        for x, y in ((a, b), (b, a)):
            step = le(product(x, Lin.of(c)) + Lin.of(c), product(y, Lin.of(c)))
            yield disj(ge(x, y), lt(Lin.of(c), 0), step)
        yield disj(lt(a, b), lt(b, a), eq(product(a, Lin.of(c)), product(b, Lin.of(c))))


def _other(m: Mul, c: Atom) -> Lin:
    """The product of the factors of `m` other than one `c`."""
    k = m.factors.index(c)
    out = Lin(1)
    for f in (*m.factors[:k], *m.factors[k + 1 :]):
        out = product(out, Lin.of(f))
    return out
