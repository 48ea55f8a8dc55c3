"""Affine forms over the variables of object code, for bounds inference. Imports `exo_strat` only.

A form is a constant and integer multiples of atoms. An atom is `Free`, a variable that means something
where the answer is to be used; `Bound`, one that does not, such as an iterator of a loop inside; or `Floor`,
a quotient that is not affine. A remainder is no atom: `x % c` is `x - c * Floor(x, c)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import gcd
from typing import TypeAlias

from exo_strat import Control, Sym, nodes

Order: TypeAlias = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Free:
    """A variable that is in scope outside."""

    sym: Sym

    @property
    def order(self) -> Order:
        return (0, self.sym.id, self.sym.name)

    @property
    def is_bound(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Bound:
    """An integer that is known inside only; `key` tells it from every other one."""

    key: tuple[object, ...]

    @property
    def order(self) -> Order:
        return (1, 0, repr(self.key))

    @property
    def is_bound(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor quotient of a form by a literal."""

    form: Affine
    by: int

    @property
    def order(self) -> Order:
        return (2, self.by, repr(self.form))

    @property
    def is_bound(self) -> bool:
        return any(a.is_bound for a in self.form.atoms())


Atom: TypeAlias = Free | Bound | Floor


@dataclass(frozen=True, slots=True)
class Affine:
    """`const + sum(factor * atom)`; the atoms are sorted, no factor is zero.

    >>> i = Affine.of(Free(Sym("i", 1)))
    >>> (i * 4 + 3).floor(4) == i
    True
    """

    const: int
    terms: tuple[tuple[Atom, int], ...] = ()

    @staticmethod
    def of(x: int | Atom) -> Affine:
        """A number or an atom as a form."""
        return Affine(x) if isinstance(x, int) else Affine(0, ((x, 1),))

    @staticmethod
    def sum(const: int, terms: Iterable[tuple[Atom, int]]) -> Affine:
        """The form with these terms, in any order and with repetitions."""
        total: dict[Atom, int] = {}
        for a, k in terms:
            total[a] = total.get(a, 0) + k
        kept = [t for t in total.items() if t[1]]
        return Affine(const, tuple(sorted(kept, key=lambda t: t[0].order)))

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.const + other, self.terms)
        return Affine.sum(self.const + other.const, (*self.terms, *other.terms))

    def __mul__(self, k: int) -> Affine:
        return Affine(self.const * k, tuple((a, f * k) for a, f in self.terms) if k else ())

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return self + -other

    def atoms(self) -> Iterator[Atom]:
        """The atoms."""
        return (a for a, _ in self.terms)

    def factor(self, atom: Atom) -> int:
        """What an atom is multiplied by; 0 if it is none of the terms."""
        return next((k for a, k in self.terms if a == atom), 0)

    def put(self, atom: Atom, value: Affine) -> Affine:
        """The form with an atom replaced, in quotients too."""
        out = Affine(self.const)
        for a, k in self.terms:
            new = value if a == atom else a.form.put(atom, value).floor(a.by) if isinstance(a, Floor) else Affine.of(a)
            out = out + new * k
        return out

    def floor(self, c: int) -> Affine:
        """The floor quotient by a positive literal; whole multiples come out of the `Floor`."""
        if c == 1:
            return self
        residues = [(a, k, _nearest(k, c)) for a, k in self.terms]
        whole = Affine.sum(self.const // c, [(a, (k - r) // c) for a, k, r in residues])
        rest = Affine(self.const % c, tuple((a, r) for a, _, r in residues if r))
        return whole + _quotient(rest, c)

    def ceiling(self, c: int) -> Affine:
        """The quotient by a positive literal, rounded up."""
        return (self + (c - 1)).floor(c)

    def mod(self, c: int) -> Affine:
        """The remainder by a positive literal, never negative."""
        return self - self.floor(c) * c


def _nearest(k: int, c: int) -> int:
    """The residue of `k` by `c` that is nearest to zero: it keeps factors readable."""
    r = k % c
    return r - c if 2 * r > c else r


def _quotient(rest: Affine, c: int) -> Affine:
    """`rest / c`, where neither the constant nor a factor is a multiple of `c`."""
    if not rest.terms:
        return Affine(0)
    if len(rest.terms) == 1:
        ((a, k),) = rest.terms
        if isinstance(a, Floor) and k == 1:  # (y/b + d)/c is (y + b*d)/(b*c)
            return (a.form + a.by * rest.const).floor(a.by * c)
    g = gcd(c, *(k for _, k in rest.terms))
    if g > 1:
        return Affine(rest.const // g, tuple((a, k // g) for a, k in rest.terms)).floor(c // g)
    return Affine.of(Floor(rest, c))


# -- from and to object code --------------------------------------------------------------------------

_COMPARE: Mapping[str, Callable[[Affine, Affine], tuple[Affine, ...]]] = {
    "<": lambda x, y: (y - x - 1,),
    "<=": lambda x, y: (y - x,),
    ">": lambda x, y: (x - y - 1,),
    ">=": lambda x, y: (x - y,),
    "==": lambda x, y: (x - y, y - x),
    "!=": lambda x, y: (),
}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def affine(e: nodes.Expr, env: Callable[[Sym], Affine | None]) -> Affine | None:
    """A control expression as a form, variables as `env` says; None if it is no integer that `env` knows."""
    match e:
        case nodes.Const(value=v, type=Control(name="int")):
            return Affine(int(v))
        case nodes.Var(sym=s):
            return env(s)
        case nodes.Unary(op="-", arg=a):
            x = affine(a, env)
            return None if x is None else -x
        case nodes.Binary(op=op, lhs=a, rhs=b):
            x, y = affine(a, env), affine(b, env)
            return None if x is None or y is None else _combined(op, x, y)
        case _:
            return None


def _combined(op: str, x: Affine, y: Affine) -> Affine | None:
    if op in "+-":
        return x + y if op == "+" else x - y
    if op == "*" and not (x.terms and y.terms):
        return x * y.const if not y.terms else y * x.const
    if op in "/%" and not y.terms and y.const > 0:
        return x.floor(y.const) if op == "/" else x.mod(y.const)
    return None


def known(cond: nodes.Expr, truth: bool, env: Callable[[Sym], Affine | None]) -> tuple[Affine, ...]:
    """Forms that are not negative if a condition is true, or false: a part of what follows, maybe nothing."""
    match cond:
        case nodes.Unary(op="not", arg=a):
            return known(a, not truth, env)
        case nodes.Binary(op=op, lhs=a, rhs=b) if op == ("and" if truth else "or"):
            return (*known(a, truth, env), *known(b, truth, env))
        case nodes.Binary(op=op, lhs=a, rhs=b) if op in _COMPARE:
            x, y = affine(a, env), affine(b, env)
            return () if x is None or y is None else _COMPARE[op if truth else _OPPOSITE[op]](x, y)
        case _:
            return ()


def number(n: int) -> nodes.Expr:
    """A number as object code."""
    return nodes.Const(n, Control("int"))


def expression(x: Affine) -> nodes.Expr:
    """A free form as object code: the largest factors first, remainders after them, the constant last.

    >>> from exo_strat import print_expr
    >>> i, j = Affine.of(Free(Sym("i", 1))), Affine.of(Free(Sym("j", 2)))
    >>> print_expr(expression(j - i * 2 + 1), {}), print_expr(expression(j * 4 + (i + 2).mod(3)), {})
    ('j - 2 * i + 1', '4 * j + (i + 2) % 3')
    """
    x, remainders = _remainders(x)
    terms = sorted(x.terms, key=lambda t: (t[1] < 0, -abs(t[1]), t[0].order))
    parts = [(abs(k), k < 0, _atom(a)) for a, k in terms]
    out: nodes.Expr | None = None
    for k, negative, atom in [*parts, *remainders]:
        term = atom if k == 1 else nodes.Binary("*", number(k), atom)
        if out is None:
            out = nodes.Unary("-", term) if negative else term
        else:
            out = nodes.Binary("-" if negative else "+", out, term)
    if out is None:
        return number(x.const)
    if x.const == 0:
        return out
    return nodes.Binary("-" if x.const < 0 else "+", out, number(abs(x.const)))


def _remainders(x: Affine) -> tuple[Affine, list[tuple[int, bool, nodes.Expr]]]:
    """A form as what is left of it and multiples of remainders, `k * y - c * k * Floor(y, c)` being `k * (y % c)`."""
    found: list[tuple[int, bool, nodes.Expr]] = []
    for a, f in x.terms:
        if isinstance(a, Floor) and f % a.by == 0:
            k = -f // a.by
            if all(x.factor(b) == k * g for b, g in a.form.terms):
                x = x - a.form.mod(a.by) * k
                found.append((abs(k), k < 0, nodes.Binary("%", expression(a.form), number(a.by))))
    return x, found


def _atom(a: Atom) -> nodes.Expr:
    if isinstance(a, Free):
        return nodes.Var(a.sym)
    assert isinstance(a, Floor), "what is known inside only has no name outside"
    return nodes.Binary("/", expression(a.form), number(a.by))
