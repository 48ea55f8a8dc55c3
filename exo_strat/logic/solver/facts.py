"""Facts, sorted out once for all that is asked about them.

Facts that share no unknown with a question have no part in it but that they may contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..forms.affine import Term
from ..forms.formula import FALSE, And, Formula, Ge, Leaf, Opaque, Truth
from .problem import Definition, components, leaves_of, opaques_of, set_aside


@dataclass(frozen=True, slots=True)
class Known:
    """Conjuncts of facts, less those that only define an unknown (`aside`), in groups that share no unknown.

    `group_of` has the number of each unknown's group.
    """

    kept: tuple[Formula, ...]
    groups: tuple[tuple[Formula, ...], ...]
    group_of: Mapping[Leaf, int]
    opaques: frozenset[Opaque]
    aside: tuple[Definition, ...]
    absurd: bool
    """Whether one of them is false."""

    def beside(self, asked: Sequence[Formula]) -> tuple[list[Formula], list[tuple[Formula, ...]]]:
        """The facts connected with what is asked, in order, and the groups of the others."""
        met = {self.group_of.get(leaf) for f in asked for leaf in leaves_of(f)}
        others = [group for n, group in enumerate(self.groups) if n not in met]
        return [f for f in self.kept if any(self.group_of[leaf] in met for leaf in leaves_of(f)[:1])], others


@lru_cache(maxsize=1 << 12)
def sorted_out(facts: tuple[Formula, ...], asked: frozenset[Opaque]) -> Known:
    """The facts, for a question that mentions the opaque unknowns `asked`."""
    all_of_them = conjuncts(facts)
    kept, aside = set_aside(all_of_them, asked)
    groups = tuple([tuple(group) for group in components(kept)])
    group_of = {leaf: n for n, group in enumerate(groups) for f in group for leaf in leaves_of(f)}
    opaques = frozenset([a for f in kept for a in opaques_of(f)])
    return Known(tuple(kept), groups, group_of, opaques, tuple(aside), FALSE in all_of_them)


@lru_cache(maxsize=1 << 12)
def least_of(facts: tuple[Formula, ...]) -> Mapping[tuple[Term, ...], int]:
    """Of the facts that a sum and a constant are not negative, the least constant for each sum."""
    least: dict[tuple[Term, ...], int] = {}
    for f in facts:
        if isinstance(f, Ge):
            least[f.lin.terms] = min(f.lin.const, least.get(f.lin.terms, f.lin.const))
    return least


def conjuncts(formulas: Iterable[Formula]) -> list[Formula]:
    """The conjuncts of `formulas`, each once."""
    flat: dict[Formula, None] = {}
    for f in formulas:
        if isinstance(f, And):
            flat.update(dict.fromkeys(f.fs))
        elif not (isinstance(f, Truth) and f.value):
            flat[f] = None
    return list(flat)
