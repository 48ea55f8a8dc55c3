"""Formulas over affine forms, as canonical, hashable data.

Formulas are kept in negation normal form: `Not` stands on `Eq` and `BoolAtom` only. Build them with the
lower-case constructors, which fold and tighten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import Final, TypeAlias

from ...ir.frozen import fast_init
from ...ir.names import Sym
from .affine import (
    Atom,
    BoolAtom,
    Element,
    Leaf,
    Least,
    Lin,
    Model,
    Mul,
    Opaque,
    Quot,
    Ratio,
    Term,
    V,
    lin_atoms,
    product,
    sides,
    subst_lin,
    value_of,
)

__all__ = [
    "FALSE",
    "TRUE",
    "And",
    "Atom",
    "BoolAtom",
    "Element",
    "Eq",
    "Every",
    "Formula",
    "Ge",
    "HashedOnce",
    "Leaf",
    "Least",
    "Lin",
    "Model",
    "Mul",
    "Not",
    "Opaque",
    "Or",
    "Quot",
    "Ratio",
    "Term",
    "Truth",
    "V",
    "atoms",
    "between",
    "bool_atoms",
    "conj",
    "disj",
    "eq",
    "evaluate",
    "ge",
    "gt",
    "iff",
    "implies",
    "le",
    "lin_atoms",
    "lins",
    "lt",
    "map_lins",
    "ne",
    "neg",
    "product",
    "subst",
    "subst_lin",
    "value_of",
]

# -- formulas ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Truth:
    """`TRUE` or `FALSE`."""

    value: bool

    def __repr__(self) -> str:
        return str(self.value)


@fast_init
@dataclass(frozen=True, slots=True)
class Ge:
    """`lin >= 0`; `lin` is no constant."""

    lin: Lin

    def __hash__(self) -> int:
        return self.lin.__hash__()

    def __repr__(self) -> str:
        return f"{self.lin!r} >= 0"


@fast_init
@dataclass(frozen=True, slots=True)
class Eq:
    """`lin == 0`."""

    lin: Lin

    def __hash__(self) -> int:
        return ~self.lin.__hash__()

    def __repr__(self) -> str:
        return f"{self.lin!r} == 0"


@fast_init
@dataclass(frozen=True, slots=True)
class Not:
    """The negation of an `Eq` or a `BoolAtom`."""

    f: Eq | BoolAtom

    def __repr__(self) -> str:
        return f"not ({self.f!r})"


@fast_init
@dataclass(frozen=True, slots=True)
class And:
    """All of `fs`: two or more, none of them an `And`."""

    fs: tuple[Formula, ...]
    _hash: int = field(init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", hash(self.fs))
            return self._hash


@fast_init
@dataclass(frozen=True, slots=True)
class Or:
    """Any of `fs`: two or more, none of them an `Or`."""

    fs: tuple[Formula, ...]
    _hash: int = field(init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", ~hash(self.fs))
            return self._hash


@fast_init
@dataclass(frozen=True, slots=True)
class Every:
    """What holds for all elements of a buffer that never changes, by `kind`: "shape", that it has the extents `forms`;
    "within", that each is at least the first of `forms` and less than the second; "distinct", that no two are equal;
    "rising", that none is less than the one before. It only stands among what is known: it has no negation."""

    kind: str
    sym: Sym
    forms: tuple[Lin, ...] = ()


class HashedOnce(tuple["Formula", ...]):
    """Formulas that many questions share, each of which is looked up."""

    _hash: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = tuple.__hash__(self)
            return self._hash


Formula: TypeAlias = Truth | Ge | Eq | BoolAtom | Not | And | Or | Every

TRUE: Final = Truth(True)
FALSE: Final = Truth(False)


def ge(x: Lin | int, y: Lin | int = 0) -> Formula:
    """`x >= y`, divided by the common factor of its coefficients and rounded. A minimum or maximum that is a term
    becomes two conditions: both hold, or one of them."""
    d = Lin.of(x) - y
    if not d.terms:
        return TRUE if d.const >= 0 else FALSE
    if isinstance(d.terms[-1][0], Least) and (found := sides(d)) is not None:
        op, one, two = found
        return (conj if op == "min" else disj)(ge(one), ge(two))
    g = gcd(*[k for _, k in d.terms])
    return Ge(d if g == 1 else Lin(d.const // g, tuple([(a, k // g) for a, k in d.terms])))


def le(x: Lin | int, y: Lin | int) -> Formula:
    """`x <= y`."""
    return ge(Lin.of(y), x)


def gt(x: Lin | int, y: Lin | int) -> Formula:
    """`x > y`."""
    return ge(Lin.of(x) - 1, y)


def lt(x: Lin | int, y: Lin | int) -> Formula:
    """`x < y`."""
    return ge(Lin.of(y) - 1, x)


def eq(x: Lin | int, y: Lin | int) -> Formula:
    """`x == y`; false at once where the coefficients' common factor does not divide the constant."""
    d = Lin.of(x) - y
    if not d.terms:
        return TRUE if d.const == 0 else FALSE
    if isinstance(d.terms[-1][0], Least):
        return conj(ge(d), ge(-d))
    g = gcd(*[k for _, k in d.terms])
    if d.const % g:
        return FALSE
    if d.terms[0][1] < 0:
        g = -g
    return Eq(d if g == 1 else Lin(d.const // g, tuple([(a, k // g) for a, k in d.terms])))


def ne(x: Lin | int, y: Lin | int) -> Formula:
    """`x != y`."""
    return neg(eq(x, y))


def between(lo: Lin | int, x: Lin | int, hi: Lin | int) -> Formula:
    """`lo <= x < hi`."""
    return conj(ge(x, lo), lt(x, hi))


def _join(fs: tuple[Formula, ...], cls: type[And] | type[Or], absorbing: Truth) -> Formula:
    flat: dict[Formula, None] = {}
    for f in fs:
        for g in f.fs if isinstance(f, cls) else (f,):
            if isinstance(g, Truth):
                if g.value == absorbing.value:
                    return absorbing
            else:
                flat[g] = None
    if len(flat) == 1:
        return next(iter(flat))
    if any(neg(g) in flat for g in flat if _is_negative(g)):
        return absorbing
    return cls(tuple(flat)) if flat else neg(absorbing)


def _is_negative(f: Formula) -> bool:
    """Whether `f` is that one of two formulas, each the negation of the other, that has a minus or a `not` in front."""
    return isinstance(f, Not) or (isinstance(f, Ge) and f.lin.terms[0][1] < 0)


def conj(*fs: Formula) -> Formula:
    """All of `fs`; `TRUE` of none."""
    return _join(fs, And, FALSE) if len(fs) != 1 else fs[0]


def disj(*fs: Formula) -> Formula:
    """Any of `fs`; `FALSE` of none."""
    return _join(fs, Or, TRUE) if len(fs) != 1 else fs[0]


def neg(f: Formula) -> Formula:
    """Not `f`, pushed down to the leaves."""
    match f:
        case Truth(value=v):
            return FALSE if v else TRUE
        case Ge(lin=x):
            return Ge(-1 - x)
        case Eq() | BoolAtom():
            return Not(f)
        case Not(f=g):
            return g
        case And(fs=fs):
            return disj(*[neg(g) for g in fs])
        case Or(fs=fs):
            return conj(*[neg(g) for g in fs])
        case Every():
            raise TypeError(f"what holds for all elements of {f.sym} has no negation")


def implies(f: Formula, g: Formula) -> Formula:
    """`f` implies `g`."""
    return disj(neg(f), g)


def iff(f: Formula, g: Formula) -> Formula:
    """`f` exactly when `g`."""
    if isinstance(f, Truth):
        return g if f.value else neg(g)
    if isinstance(g, Truth):
        return f if g.value else neg(f)
    return conj(implies(f, g), implies(g, f))


# -- substitution, atoms, evaluation -------------------------------------------------------------


def map_lins(f: Formula, g: Callable[[Lin], Lin]) -> Formula:
    """`f` with `g` applied to each affine form; the same object if nothing changed."""
    match f:
        case Ge(lin=x):
            y = g(x)
            return f if y is x else ge(y)
        case Eq(lin=x):
            y = g(x)
            return f if y is x else eq(y, 0)
        case Not(f=inner):
            k = map_lins(inner, g)
            return f if k is inner else neg(k)
        case And(fs=fs) | Or(fs=fs):
            new = [map_lins(h, g) for h in fs]
            if all(a is b for a, b in zip(new, fs, strict=True)):
                return f
            return conj(*new) if isinstance(f, And) else disj(*new)
        case Every(forms=forms):
            mapped = [g(x) for x in forms]
            return f if all(a is b for a, b in zip(mapped, forms, strict=True)) else Every(f.kind, f.sym, tuple(mapped))
        case _:
            return f


def subst(f: Formula, env: Mapping[Atom, Lin]) -> Formula:
    """`f` with atoms replaced by affine forms, also inside quotients and products.

    >>> from exo_strat.ir.names import Sym
    >>> i, n = V(Sym("i", 1)), V(Sym("n", 2))
    >>> subst(Ge(Lin.of(i)), {i: Lin.of(n) - 1})
    n_2 - 1 >= 0
    """
    return map_lins(f, lambda x: subst_lin(x, env)) if env else f


def lins(f: Formula) -> Iterator[Lin]:
    """The affine forms of `f`, in order."""
    match f:
        case Ge(lin=x) | Eq(lin=x):
            yield x
        case Not(f=inner):
            yield from lins(inner)
        case And(fs=fs) | Or(fs=fs):
            for g in fs:
                yield from lins(g)
        case Every(forms=forms):
            yield from forms
        case _:
            return


def bool_atoms(f: Formula) -> Iterator[BoolAtom]:
    """The truth values of `f`, in order."""
    match f:
        case BoolAtom():
            yield f
        case Not(f=inner):
            yield from bool_atoms(inner)
        case And(fs=fs) | Or(fs=fs):
            for g in fs:
                yield from bool_atoms(g)
        case _:
            return


def atoms(f: Formula) -> tuple[Leaf, ...]:
    """Every integer atom (nested ones too) and truth value of `f`, each once, in order."""
    found: dict[Leaf, None] = {a: None for x in lins(f) for a in lin_atoms(x)}
    found.update((b, None) for b in bool_atoms(f))
    return tuple(found)


def evaluate(f: Formula, env: Model) -> bool:
    """Whether `f` holds under `env`, which gives each unknown of it a value."""
    match f:
        case Truth(value=v):
            return v
        case Ge(lin=x):
            return value_of(x, env) >= 0
        case Eq(lin=x):
            return value_of(x, env) == 0
        case BoolAtom():
            return bool(env[f])
        case Not(f=g):
            return not evaluate(g, env)
        case And(fs=fs):
            return all(evaluate(g, env) for g in fs)
        case Or(fs=fs):
            return any(evaluate(g, env) for g in fs)
        case Every():
            raise TypeError(f"no model has all elements of {f.sym}")
