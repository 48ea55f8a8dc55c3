"""When two instances of code touch the same location. Imports effects, solver and context.

Two accesses clash if they may be to one location in two instances that stand in a given relation, and
are neither both reads nor both accumulations by one operator. One quantifier-free question a pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ..ir.names import Sym
from ..ir.nodes import Assign, Node, ProcDef, Read, ReadConfig, Reduce, WriteConfig
from ..ir.printing import names_at, print_expr
from .affine import Atom, Lin, V, subst_lin
from .answers import Sat, Unsat
from .context import show_model
from .effects import Access
from .formula import Formula, conj, eq, subst
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


def move(a: Access, env: Mapping[Atom, Lin]) -> Access:
    """An access with unknowns replaced (an iterator by an iterator, or an outer variable by a value)."""
    renamed = []
    for i in a.iters:
        to = env.get(i)
        renamed.append(i if to is None else next(t for t in _vars(to)))
    return replace(
        a,
        index=tuple(None if x is None else subst_lin(x, env) for x in a.index),
        guard=subst(a.guard, env),
        iters=tuple(renamed),
        when=tuple(subst_lin(t, env) for t in a.when),
    )


def _vars(x: Lin) -> Iterable[V]:
    return (t for t, _ in x.terms if isinstance(t, V))


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
    false, accumulations to one location clash too (a race)."""
    others: dict[object, list[Access]] = {}
    for b in second:
        others.setdefault(b.buffer, []).append(b)
    for a in first:
        for b in others.get(a.buffer, ()):
            if (commuting(a, b) and (order_free or a.kind == "R")) or not (a.writes or b.writes):
                continue
            answer = satisfiable([*facts, a.guard, b.guard, same_place(a, b), relation])
            if isinstance(answer, Unsat):
                continue
            if isinstance(answer, Sat):
                real = a.exact and b.exact
                return Clash(what, show_model(tree, answer.model) if real else None, False, show_pair(tree, a, b))
            return Clash(what, None, True, show_pair(tree, a, b))
    return SAFE


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
