"""True statements about products, for questions in which a product as a mere unknown is not enough.

 Each lemma holds for all integers, so adding it never changes what is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ..forms.formula import Atom, Formula, Lin, Mul, atoms, conj, disj, eq, ge, gt, le, lt, product


def lemmas(formulas: Sequence[Formula]) -> list[Formula]:
    """What follows for the products in `formulas` from the signs and the order of their factors."""
    found = dict.fromkeys(a for f in formulas for a in atoms(f) if isinstance(a, Mul))
    todo = list(found)
    while todo:
        m = todo.pop()
        for f in dict.fromkeys(m.factors):
            parts = [a for a, _ in _other(m, f).terms if isinstance(a, Mul) and a not in found]
            found.update(dict.fromkeys(parts))
            todo += parts
    products = sorted(found, key=lambda m: m.order)
    out = [f for m in products for f in _signs(m)]
    for m, n in combinations(products, 2):
        out += _order(m, n)
    return out


def _signs(m: Mul) -> Iterator[Formula]:
    """A zero factor makes the product zero; factors of at least 1 make it at least as large as each."""
    whole = Lin.of(m)
    for f in dict.fromkeys(m.factors):
        a, b = Lin.of(f), _other(m, f)
        yield disj(gt(a, 0), lt(a, 0), eq(whole, 0))
        yield disj(lt(a, 1), lt(b, 1), conj(ge(whole, a), ge(whole, b)))
        yield disj(lt(a, 0), lt(b, 0), ge(whole, 0))


def _order(m: Mul, n: Mul) -> Iterator[Formula]:
    """Of two products with a common factor that isn't negative, the smaller has the smaller other factor:
    `a < b` gives `a*c + c <= b*c`."""
    common: list[Atom] = [f for f in m.factors if f in n.factors]
    for c in dict.fromkeys(common):
        a, b = _other(m, c), _other(n, c)
        for x, y in ((a, b), (b, a)):
            step = le(product(x, Lin.of(c)) + Lin.of(c), product(y, Lin.of(c)))
            yield disj(ge(x, y), lt(Lin.of(c), 0), step)


def _other(m: Mul, c: Atom) -> Lin:
    """The product of the factors of `m` other than one `c`."""
    k = m.factors.index(c)
    out = Lin(1)
    for f in (*m.factors[:k], *m.factors[k + 1 :]):
        out = product(out, Lin.of(f))
    return out
