"""Questions in the form that the engines read: numbered variables.

Variables are numbered in the order in which they occur, so questions that differ in names only are one
question, for the memo and for the engines. Quotients and minima become variables with their defining inequalities,
truth values become variables in [0, 1], products become plain variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from ..forms.formula import (
    And,
    BoolAtom,
    Element,
    Eq,
    Formula,
    Ge,
    Leaf,
    Least,
    Lin,
    Mul,
    Not,
    Opaque,
    Or,
    Quot,
    Ratio,
    Truth,
    atoms,
    product,
)

COMPUTED: Final = (Quot, Ratio, Mul, Least)
"""The atoms that are no unknowns, but computed from some."""

Terms: TypeAlias = tuple[tuple[int, int], ...]


class Row(NamedTuple):
    """`sum(coefficient * variable) + const`, which is zero, or at least zero."""

    is_eq: bool
    terms: Terms
    const: int


class Join(NamedTuple):
    """All of `parts`, or any of them."""

    is_all: bool
    parts: tuple[Node, ...]


Node: TypeAlias = Row | Join


class Problem(NamedTuple):
    """Can all of `nodes` hold? The variables are 0 to `size - 1`."""

    nodes: tuple[Node, ...]
    size: int


def encode(formulas: Iterable[Formula]) -> tuple[Problem, tuple[Leaf, ...]]:
    """The question whether all `formulas` can hold, and what its variables are."""
    formulas = tuple(formulas)
    e = _Encoder(formulas)
    nodes = [e.node(f) for f in formulas]
    return Problem((*nodes, *e.definitions), len(e.numbers)), tuple(e.numbers)


class _Encoder:
    def __init__(self, facts: Iterable[Formula]) -> None:
        self.stated = frozenset(f.lin for f in facts if isinstance(f, Ge))
        self.numbers: dict[Leaf, int] = {}
        self.definitions: list[Node] = []

    def number(self, leaf: Leaf) -> int:
        known = self.numbers.get(leaf)
        if known is not None:
            return known
        n = self.numbers[leaf] = len(self.numbers)
        if isinstance(leaf, BoolAtom):
            self.definitions += [Row(False, ((n, 1),), 0), Row(False, ((n, -1),), 1)]
        elif isinstance(leaf, Quot):
            remainder = leaf.lin - Lin.of(leaf) * leaf.c
            self.definitions += [self.row(False, remainder), self.row(False, leaf.c - 1 - remainder)]
        elif isinstance(leaf, Ratio):
            remainder = leaf.lin - product(Lin.of(leaf), leaf.by)
            floor = Join(True, (self.row(False, remainder), self.row(False, leaf.by - 1 - remainder)))
            other = Join(True, (self.row(False, -leaf.by), self.row(True, leaf.lin - Lin.of(leaf))))
            self.definitions.append(floor if leaf.by - 1 in self.stated else Join(False, (floor, other)))
        elif isinstance(leaf, Mul):
            for factor in leaf.factors:  # so that a model has a value for each
                self.number(factor)
        elif isinstance(leaf, Element):
            for x in leaf.index:
                for inner, _ in x.terms:
                    self.number(inner)
        elif isinstance(leaf, Least):
            above = leaf.lin - Lin.of(leaf)
            smaller = Join(False, (Row(False, ((n, 1),), 0), self.row(False, -above)))
            self.definitions += [Row(False, ((n, -1),), 0), self.row(False, above), smaller]
        return n

    def row(self, is_eq: bool, x: Lin) -> Row:
        return Row(is_eq, tuple(sorted([(self.number(a), k) for a, k in x.terms])), x.const)

    def node(self, f: Formula) -> Node:
        match f:
            case Ge(lin=x):
                return self.row(False, x)
            case Eq(lin=x):
                return self.row(True, x)
            case BoolAtom():
                return Row(False, ((self.number(f), 1),), -1)
            case Not(f=BoolAtom() as b):
                return Row(False, ((self.number(b), -1),), 0)
            case Not(f=Eq(lin=x)):
                return Join(False, (self.row(False, x - 1), self.row(False, -x - 1)))
            case And(fs=fs) | Or(fs=fs):
                return Join(isinstance(f, And), tuple([self.node(g) for g in fs]))
            case Truth(value=v):
                return Join(v, ())
            case _:
                raise TypeError(f"this must be grounded before it is asked: {f}")


def encode_exists(
    facts: Iterable[Formula], goal: Formula, exists: Iterable[Leaf]
) -> tuple[Problem, tuple[Node, ...], tuple[int, ...]]:
    """The facts, the goal, and the numbers of the variables that the goal may choose: those of `exists`
    and the quotients and minima that only the goal mentions."""
    facts = tuple(facts)
    e = _Encoder(facts)
    nodes = (*[e.node(f) for f in facts], *e.definitions)
    fixed, e.definitions = set(e.numbers.values()), []
    chosen = [e.number(leaf) for leaf in exists]
    part = e.node(goal)
    chosen += [n for leaf, n in e.numbers.items() if isinstance(leaf, Quot | Least) and n not in fixed]
    return Problem(nodes, len(e.numbers)), (part, *e.definitions), tuple(dict.fromkeys(chosen))


def decode(values: Sequence[int], leaves: tuple[Leaf, ...]) -> dict[Leaf, int | bool]:
    """A model in terms of the unknowns; quotients, products and minima are left out, as they follow."""
    return {
        leaf: bool(v) if isinstance(leaf, BoolAtom) else v
        for leaf, v in zip(leaves, values, strict=True)
        if not isinstance(leaf, COMPUTED)
    }


def satisfied(node: Node, values: Sequence[int]) -> bool:
    """Whether `node` holds for these values of the variables."""
    if isinstance(node, Join):
        results = (satisfied(p, values) for p in node.parts)
        return all(results) if node.is_all else any(results)
    total = node.const
    for v, k in node.terms:
        total += k * values[v]
    return total == 0 if node.is_eq else total >= 0


@lru_cache(maxsize=1 << 16)
def leaves_of(f: Formula) -> tuple[Leaf, ...]:
    """The unknowns of `f`, without the quotients, products and minima that they stand in."""
    return tuple(a for a in atoms(f) if not isinstance(a, COMPUTED))


def components(formulas: Sequence[Formula]) -> list[list[Formula]]:
    """`formulas` in groups that share no unknown, in order of their first members."""
    group_of: dict[Leaf, int] = {}
    parent = list(range(len(formulas)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, f in enumerate(formulas):
        for leaf in leaves_of(f):
            j = root(group_of.setdefault(leaf, i))
            k = root(i)
            parent[max(j, k)] = min(j, k)
    groups: dict[int, list[Formula]] = {}
    for i, f in enumerate(formulas):
        groups.setdefault(root(i), []).append(f)
    return list(groups.values())


class Definition(NamedTuple):
    """An unknown that is a given affine form and is mentioned nowhere else."""

    unknown: Opaque
    value: Lin


def set_aside(
    formulas: Sequence[Formula], elsewhere: frozenset[Opaque] = frozenset()
) -> tuple[list[Formula], list[Definition]]:
    """`formulas` without those that only define an opaque unknown, such as a stride that nobody asks for.

    What is left can hold exactly if all can; the definitions then give the missing values in order.
    `elsewhere` are the unknowns that other formulas mention.
    """
    uses = dict.fromkeys(elsewhere, 1)
    for f in formulas:
        for a in opaques_of(f):
            uses[a] = uses.get(a, 0) + 1
    if not uses:
        return list(formulas), []
    kept: list[Formula] = []
    aside: list[Definition] = []
    for f in reversed(formulas):
        d = next((d for d in _definitions(f) if uses[d.unknown] == 1), None)
        if d is None:
            kept.append(f)
        else:
            aside.append(d)
            for a in opaques_of(f):
                uses[a] -= 1
    return kept[::-1], aside[::-1]


@lru_cache(maxsize=1 << 14)
def opaques_of(f: Formula) -> tuple[Opaque, ...]:
    """The opaque unknowns of `f`."""
    return tuple(a for a in leaves_of(f) if isinstance(a, Opaque))


@lru_cache(maxsize=1 << 14)
def _definitions(f: Formula) -> tuple[Definition, ...]:
    """The ways to read an equation as the definition of an opaque unknown."""
    out: list[Definition] = []
    if isinstance(f, Eq):
        for a, k in f.lin.terms:
            if isinstance(a, Opaque) and abs(k) == 1:
                rest = f.lin.without(a)
                if rest is not None:
                    out.append(Definition(a, rest * -k))
    return tuple(out)
