"""When two instances of code touch the same location.

Two accesses clash if they may be to one location in two instances that stand in a given relation, and
are neither both reads nor both accumulations by one operator. One quantifier-free question a pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from ...ir.names import Sym
from ...ir.nodes import Assign, Call, For, If, Node, ProcDef, Read, Reduce, WindowExpr
from ...ir.printing import names_at, print_expr
from ...ir.walk import Path, asked_at_entry, child
from ..forms.affine import OTHER, Atom, Leaf, Lin, Model, V, lin_atoms
from ..forms.formula import Formula, atoms, conj, eq
from ..forms.translate import is_opaque
from ..solver.answers import Sat, Unsat
from ..solver.proofs import satisfiable
from .accesses import CALLEE, Access, Buffer, Seen, move
from .context import asked_first, show_model


@dataclass(frozen=True)
class Safe:
    """The question is answered: no obligation is left."""

    def __bool__(self) -> Literal[True]:
        return True


@dataclass(frozen=True)
class Clash:
    """What stands against it: the obligation that does not hold in words, values for which it fails if
    they are known to be possible, and the accesses in object code."""

    obligation: str
    counterexample: Mapping[str, int] | None = None
    details: str = ""

    def __bool__(self) -> Literal[False]:
        return False

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in (self.counterexample or {}).items())
        return "; ".join(filter(None, (self.obligation, self.details, values)))

    def said(self, obligation: str | None = None, details: str | None = None, shown: bool = True) -> Clash:
        """The same in other words; without the counterexample unless it is still `shown`."""
        return Clash(
            self.obligation if obligation is None else obligation,
            self.counterexample if shown else None,
            self.details if details is None else details,
        )


@dataclass(frozen=True)
class Undecided:
    """The solver gave up on the obligation; with the accesses in object code."""

    obligation: str
    details: str = ""

    def __bool__(self) -> Literal[False]:
        return False

    def __str__(self) -> str:
        return "; ".join(filter(None, (self.obligation, self.details)))

    def said(self, obligation: str | None = None, details: str | None = None, shown: bool = True) -> Undecided:
        """The same in other words."""
        return Undecided(
            self.obligation if obligation is None else obligation, self.details if details is None else details
        )


@dataclass(frozen=True)
class Given:
    """The question is answered where all elements of these arguments were written by the caller: a version that
    relies on it says so (`Rewrite.reads_more`)."""

    needs: frozenset[Sym]

    def __bool__(self) -> Literal[False]:
        return False


Verdict: TypeAlias = Safe | Clash | Undecided
"""The answer to a question of safety: true if it is `Safe`."""
SAFE = Safe()
Readiness: TypeAlias = Verdict | Given
"""Whether what code reads was written before; so no `Verdict`: who asks has something to note."""


def prime(a: Access, outer: Iterable[Sym] = (), instance: str = OTHER) -> Access:
    """Another instance of an access: its own iterators, and the given ones around it, renamed."""
    env: dict[Atom, Lin] = {V(i.sym, i.instance): Lin.of(V(i.sym, i.instance + instance)) for i in a.iters}
    env |= {V(s): Lin.of(V(s, instance)) for s in outer}
    return move(a, env)


def same_place(a: Access, b: Access) -> Formula:
    """That two accesses to one buffer are to one location, as far as their positions are known."""
    return conj(*(eq(x, y) for x, y in positions(a, b) if x is not None and y is not None))


def positions(a: Access, b: Access) -> Iterator[tuple[Lin | None, Lin | None]]:
    """What is equal of two accesses to one buffer where they are to one location, and only there."""
    if a.seen is not None and b.seen is not None and seen_alike(a.seen, b.seen):
        return zip(a.seen.index, b.seen.index, strict=True)
    return zip(a.index, b.index, strict=True)


def seen_alike(a: Seen, b: Seen) -> bool:
    """Whether the extents by which two accesses are seen are equal; the first one moves no element."""
    return len(a.shape) == len(b.shape) and a.shape[1:] == b.shape[1:]


def surely_at(a: Access, b: Access) -> bool:
    """Whether `a` surely happens, and whether its location is that of `b` is surely told by `same_place`."""
    if a.seen is not None and b.seen is not None and seen_alike(a.seen, b.seen):
        return a.seen.exact and None not in b.seen.index
    return a.exact and None not in b.index


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
    excuse: Callable[[Access, Access], bool] | None = None,
) -> Verdict:
    """Whether accesses of two instances clash. `second` is already renamed apart; with `order_free`
    false, accumulations to one location clash too (a race). `excuse` tells of two accesses that may be to one
    location whether they do no harm. A clash that surely happens is preferred."""
    others: dict[object, list[tuple[int, Access]]] = {}
    places: dict[object, int] = {}  # accesses that are alike but for their kind and time pose one question
    for b in second:
        others.setdefault(b.buffer, []).append((places.setdefault((b.index, b.seen, b.guard), len(places)), b))
    apart: set[tuple[int, int]] = set()
    found: Verdict = SAFE
    for a in first:
        here = places.setdefault((a.index, a.seen, a.guard), len(places))
        for there, b in others.get(a.buffer, ()):
            if (here, there) in apart:
                continue
            if a.kind == b.kind == "R" or (order_free and commuting(a, b)):
                continue
            answer = satisfiable([a.guard, b.guard, same_place(a, b), relation], what, facts)
            if isinstance(answer, Unsat):
                apart.add((here, there))
                continue
            if excuse is not None and excuse(a, b):
                continue
            details = show_pair(tree, a, b)
            if not isinstance(answer, Sat):
                found = Undecided(what, details)
            elif not (surely_at(a, b) and surely_at(b, a)):
                found = Clash(what, None, details)
            else:
                return Clash(what, example(tree, answer.model, relation, a, b), details)
    return found


def example(tree: ProcDef, model: Model, *about: Formula | Access) -> Mapping[str, int]:
    """The part of a model that is about the given formulas and accesses, in the names of `tree`, and the integer
    arguments that it needs. Iterators of callees are left out: they have no name here."""
    asked = {leaf for x in about for leaf in _leaves(x) if not (isinstance(leaf, V) and CALLEE in leaf.instance)}
    asked |= {V(a.sym) for a in tree.args}
    return show_model(tree, model, asked)


def _leaves(x: Formula | Access) -> Iterator[Leaf]:
    if isinstance(x, Access):
        yield from atoms(x.guard)
        index = (*x.index, *(x.seen.index if x.seen is not None else ()))
        yield from (leaf for i in index if i is not None for leaf in lin_atoms(i))
    else:
        yield from atoms(x)


def if_reached(tree: ProcDef, path: Path, verdict: Verdict) -> Verdict:
    """The verdict on code at `path`, without a counterexample if a condition, range or assertion around it
    reads data or config fields: then nobody knows whether control gets there with those values."""
    if isinstance(verdict, Clash) and verdict.counterexample is not None and not _reached(tree, path):
        return replace(verdict, counterexample=None)
    return verdict


def _reached(tree: ProcDef, path: Path) -> bool:
    node: Node = tree
    asked = asked_at_entry(tree)
    for label, k in path:
        if isinstance(node, For):
            asked += [node.lo, node.hi]
        elif isinstance(node, If):
            asked.append(node.cond)
        elif (condition := asked_first(node, label)) is not None:
            asked.append(condition[0])
        if k is not None and k == len(getattr(node, label)):  # just after the last statement
            break
        node = child(node, (label, k))
    return not any(map(is_opaque, asked))


_VERBS = {"R": "reads", "W": "writes", "A": "accumulates into"}


def show(tree: ProcDef, a: Access) -> str:
    """An access in words."""
    return f"{_VERBS[a.kind]} {_target(a, names_at(tree))}"


def show_pair(tree: ProcDef, a: Access, b: Access) -> str:
    """Two accesses in words."""
    return f"one {show(tree, a)}, the other {show(tree, b)}"


def _target(a: Access, names: Mapping[Sym, str]) -> str:
    match a.node:
        case Assign(sym=s, idx=idx) | Reduce(sym=s, idx=idx):
            return print_expr(Read(s, idx), names)
        case Read() | WindowExpr() as e:
            return print_expr(e, names)
        case Call(f=f):
            return f"{buffer_name(a.buffer, names)} in a call of {f.tree.name}"
        case _:
            return buffer_name(a.buffer, names)


def buffer_name(buffer: Buffer, names: Mapping[Sym, str]) -> str:
    """A buffer or config field in words."""
    return names.get(buffer, buffer.name) if isinstance(buffer, Sym) else f"{buffer[1]}.{buffer[2]}"
