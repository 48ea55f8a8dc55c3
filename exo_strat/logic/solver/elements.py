"""What is known of all elements of a buffer, put into terms of those elements that a question is about.

The engines know elements as plain unknowns. So a question gets, for each element that it mentions and each two of one
buffer, what follows from the statements about all of them (`Every`). For questions without quantifiers that is all that
there is to say: whatever values the elements mentioned have, if they meet these conditions the others can be chosen so
that the whole buffer meets its statements.

The statements are about the elements that exist. A question may mention others, of which nothing is said but that
equal places hold equal numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce

from ...ir.names import Sym
from ..forms.affine import Term
from ..forms.formula import (
    TRUE,
    And,
    Element,
    Every,
    Formula,
    Ge,
    HashedOnce,
    Lin,
    atoms,
    conj,
    disj,
    eq,
    ge,
    le,
    lt,
    ne,
    neg,
    product,
)
from .facts import least_of


@dataclass
class _Stated:
    """What is stated of all elements of a buffer."""

    shape: tuple[Lin, ...] | None = None
    ranges: list[tuple[Lin, Lin]] = field(default_factory=list)
    distinct: bool = False
    rising: bool = False


def grounded(formulas: Iterable[Formula], about: Formula = TRUE) -> tuple[Formula, ...]:
    """Formulas with what they state of all elements put into terms of the elements that they mention, or that `about`
    does."""
    return _grounded(formulas if isinstance(formulas, tuple) else tuple(formulas), _elements_of(about))


@lru_cache(maxsize=1 << 14)
def _elements_of(f: Formula) -> tuple[Element, ...]:
    return tuple(a for a in atoms(f) if isinstance(a, Element))


@lru_cache(maxsize=1 << 13)
def _grounded(formulas: tuple[Formula, ...], more: tuple[Element, ...]) -> tuple[Formula, ...]:
    plain, stated = _split(formulas)
    found = dict.fromkeys([*(a for f in plain for a in _elements_of(f)), *more])
    if not found and not stated:
        return formulas
    known = _Known(least_of(plain), {}, stated)
    return HashedOnce((*plain, *dict.fromkeys(known.instances(list(found)))))


@lru_cache(maxsize=1 << 12)
def _split(formulas: tuple[Formula, ...]) -> tuple[tuple[Formula, ...], Mapping[Sym, _Stated]]:
    """The formulas that the engines read, and what the others state of each buffer."""
    plain: list[Formula] = []
    stated: dict[Sym, _Stated] = {}
    for f in (g for h in formulas for g in (h.fs if isinstance(h, And) else (h,))):
        if not isinstance(f, Every):
            plain.append(f)
            continue
        known = stated.setdefault(f.sym, _Stated())
        if f.kind == "shape":
            known.shape = f.forms
        elif f.kind == "within":
            known.ranges.append((f.forms[0], f.forms[1]))
        elif f.kind == "distinct":
            known.distinct = True
        else:
            known.rising = True
    return tuple(plain), stated


@dataclass
class _Known:
    """The facts of a question as they are stated, what places exist, and what is stated of all of a buffer."""

    facts: Mapping[tuple[Term, ...], int]
    inside: dict[Element, Formula]
    stated: Mapping[Sym, _Stated]

    def instances(self, elements: list[Element]) -> Iterator[Formula]:
        """What follows for some elements, and for those that this mentions in turn."""
        for s in self.stated.values():
            for f in _of_all(s):
                elements += [a for a in _elements_of(f) if a not in elements]
                yield f
        done = 0
        while done < len(elements):  # bounds may be elements, too
            a = elements[done]
            for f in self._of_one(a):
                elements += [b for b in _elements_of(f) if b not in elements]
                yield f
            for b in elements[:done]:
                if (a.sym, a.moment, len(a.index)) == (b.sym, b.moment, len(b.index)):
                    yield from self._of_two(b, a)
            done += 1

    def _exists(self, a: Element) -> Formula | None:
        """That an element is one of its buffer; None if nothing is known of its buffer."""
        known = self.stated.get(a.sym)
        if known is None or known.shape is None or len(known.shape) != len(a.index):
            return None
        if a not in self.inside:
            bounds = [f for x, n in zip(a.index, known.shape, strict=True) for f in (ge(x, 0), lt(x, n))]
            self.inside[a] = conj(*(f for f in bounds if not self._is_stated(f)))
        return self.inside[a]

    def _is_stated(self, f: Formula) -> bool:
        return isinstance(f, Ge) and self.facts.get(f.lin.terms, f.lin.const + 1) <= f.lin.const

    def _of_one(self, a: Element) -> Iterator[Formula]:
        exists, known = self._exists(a), self.stated.get(a.sym)
        if known is not None and exists is not None:
            for lo, hi in known.ranges:
                yield disj(neg(exists), conj(ge(Lin.of(a), lo), lt(Lin.of(a), hi)))
                if known.distinct and known.rising and known.shape is not None:  # there are others on both sides
                    ahead, behind = a.index[0], known.shape[0] - 1 - a.index[0]
                    yield disj(neg(exists), conj(ge(Lin.of(a), lo + ahead), lt(Lin.of(a) + behind, hi)))

    def _of_two(self, a: Element, b: Element) -> Iterator[Formula]:
        apart = disj(*(ne(x, y) for x, y in zip(a.index, b.index, strict=True)))
        yield disj(apart, eq(Lin.of(a), Lin.of(b)))
        exist, known = (self._exists(a), self._exists(b)), self.stated.get(a.sym)
        if known is None or exist[0] is None or exist[1] is None or a.moment is not None:
            return
        missing = (neg(exist[0]), neg(exist[1]))
        if known.distinct:
            yield disj(*missing, neg(apart), ne(Lin.of(a), Lin.of(b)))
        if known.rising:
            for one, two in ((a, b), (b, a)):
                ahead = two.index[0] - one.index[0]
                yield disj(*missing, lt(ahead, 0), ge(Lin.of(two) - Lin.of(one), ahead if known.distinct else 0))


def _of_all(s: _Stated) -> Iterator[Formula]:
    """What follows whatever elements a question mentions: there is at least one, and if none are equal there are no
    more than values for them."""
    for lo, _ in s.ranges:
        for _, hi in s.ranges:
            yield lt(lo, hi)
            if s.distinct and s.shape is not None:
                yield le(reduce(product, s.shape), hi - lo)


def mentions_elements_of(f: Formula, chosen: Sequence[object]) -> bool:
    """Whether a formula has an element whose place depends on some unknowns."""
    return any(a in chosen for e in _elements_of(f) for x in e.index for a in atoms(eq(x, 0)))
