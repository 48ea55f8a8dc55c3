"""When two instances of code touch the same location. Imports effects, solver and context.

Two accesses clash if they may be to one location in two instances that stand in a given relation, and
are neither both reads nor both accumulations by one operator. One quantifier-free question a pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..ir.names import Sym
from ..ir.nodes import Assign, Node, ProcDef, Read, ReadConfig, Reduce, WriteConfig
from ..ir.printing import names_at, print_expr
from .affine import Atom, Leaf, Lin, Model, V, lin_atoms
from .answers import Sat, Unsat
from .context import show_model
from .effects import CALLEE, Access, move
from .formula import Formula, atoms, conj, eq
from .solver import satisfiable


@dataclass(frozen=True)
class Safe:
    """The question is answered: no obligation is left."""


@dataclass(frozen=True)
class Clash:
    """What stands against it: the obligation that does not hold in words, values for which it fails if
    they are known to be possible, whether the solver only gave up, and the accesses in object code."""

    obligation: str
    counterexample: Mapping[str, int] | None = None
    unknown: bool = False
    details: str = ""


Verdict: TypeAlias = Safe | Clash
SAFE = Safe()


def prime(a: Access, outer: Iterable[Sym] = (), tag: int = 1) -> Access:
    """Another instance of an access: its own iterators, and the given ones around it, renamed."""
    env: dict[Atom, Lin] = {V(i.sym, i.tag): Lin.of(V(i.sym, i.tag + tag)) for i in a.iters}
    env |= {V(s): Lin.of(V(s, tag)) for s in outer}
    return move(a, env)


def same_place(a: Access, b: Access) -> Formula:
    """That two accesses to one buffer are to one location, as far as their positions are known."""
    return conj(*(eq(x, y) for x, y in zip(a.index, b.index, strict=False) if x is not None and y is not None))


def commuting(a: Access, b: Access) -> bool:
    """Whether order does not matter even at one location."""
    return (a.kind == b.kind == "R") or (a.kind == b.kind == "A" and a.op == b.op)


def clash(
    tree: ProcDef,
    facts: Sequence[Formula],
    first: Iterable[Access],
    second: Iterable[Access],
    relation: Formula,
    what: str,
    order_free: bool = True,
) -> Verdict:
    """Whether accesses of two instances clash. `second` is already renamed apart; with `order_free`
    false, accumulations to one location clash too (a race). A clash that surely happens is preferred."""
    others: dict[object, list[Access]] = {}
    for b in second:
        others.setdefault(b.buffer, []).append(b)
    found: Verdict = SAFE
    for a in first:
        for b in others.get(a.buffer, ()):
            if a.kind == b.kind == "R" or (order_free and commuting(a, b)):
                continue
            answer = satisfiable([*facts, a.guard, b.guard, same_place(a, b), relation])
            if isinstance(answer, Unsat):
                continue
            details = show_pair(tree, a, b)
            if not isinstance(answer, Sat):
                found = Clash(what, None, True, details)
            elif not (a.exact and b.exact):
                found = Clash(what, None, False, details)
            else:
                return Clash(what, example(tree, answer.model, relation, a, b), False, details)
    return found


def example(tree: ProcDef, model: Model, *about: Formula | Access) -> Mapping[str, int]:
    """The part of a model that is about the given formulas and accesses, in the names of `tree`. Iterators
    of callees are left out: they have no name here."""
    asked = {leaf for x in about for leaf in _leaves(x)}
    return show_model(tree, {x: v for x, v in model.items() if x in asked})


def _leaves(x: Formula | Access) -> Iterator[Leaf]:
    if isinstance(x, Access):
        yield from _leaves(x.guard)
        yield from (leaf for i in x.index if i is not None for leaf in lin_atoms(i))
    else:
        yield from (leaf for leaf in atoms(x) if not (isinstance(leaf, V) and leaf.tag >= CALLEE))


_VERBS = {"R": "reads", "W": "writes", "A": "accumulates into"}


def show(tree: ProcDef, a: Access) -> str:
    """An access in words."""
    return f"{_VERBS[a.kind]} {_target(a.node, names_at(tree))}"


def show_pair(tree: ProcDef, a: Access, b: Access) -> str:
    """Two accesses in words."""
    return f"one {show(tree, a)}, the other {show(tree, b)}"


def _target(node: Node, names: Mapping[Sym, str]) -> str:
    match node:
        case Assign(sym=s, idx=idx) | Reduce(sym=s, idx=idx):
            return print_expr(Read(s, idx), names)
        case WriteConfig(config=c, field=f) | ReadConfig(config=c, field=f):
            return f"{c.name}.{f}"
        case _:
            return print_expr(node, names)  # type: ignore[arg-type]
