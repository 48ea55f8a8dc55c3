"""Whether a location was surely written before it is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ...ir.nodes import ProcDef
from ...ir.printing import names_at
from ..forms.affine import V
from ..forms.formula import FALSE, Formula, conj, disj, eq, lt
from ..solver.answers import Refuted
from ..solver.proofs import prove_exists
from .accesses import Access, Buffer, Tick
from .dependence import SAFE, Clash, Undecided, Verdict, buffer_name, example, prime, same_place, show

WITNESS: Final = "!"
"""The instance of the iterators of a write that covers a place."""


def before(a: Sequence[Tick], b: Sequence[Tick]) -> Formula:
    """That the time `a` surely lies before the time `b`: lexicographically, where there is an order."""
    if not a or not b:
        return FALSE
    sooner = lt(a[0].at, b[0].at) if a[0].ordered and b[0].ordered else FALSE
    return disj(sooner, conj(eq(a[0].at, b[0].at), before(a[1:], b[1:])))


def cover(tree: ProcDef, facts: Sequence[Formula], read: Access, writes: Iterable[Access], what: str) -> Verdict:
    """Whether every instance of `read` finds its location written by some of `writes` before."""
    details = f"it {show(tree, read)}"
    if None in read.index:
        return Clash(what, details=details)
    known = [*facts, read.guard]
    stores = [w for w in writes if w.buffer == read.buffer and w.kind == "W"]
    iters: list[V] = []
    goals: list[Formula] = []
    for w in stores:
        if w.exact:
            late = prime(w, instance=WITNESS)
            goal = conj(late.guard, same_place(late, read), before(late.end, read.when))
            if len(stores) > 1 and prove_exists(known, late.iters, goal, what):
                return SAFE
            iters += late.iters
            goals.append(goal)
    answer = prove_exists(known, tuple(dict.fromkeys(iters)), disj(*goals), what)
    if answer:
        return SAFE
    if isinstance(answer, Refuted):
        real = read.exact and all(w.exact for w in stores)
        return Clash(what, example(tree, answer.model, read, *goals) if real else None, details)
    return Undecided(what, details)


def all_covered(tree: ProcDef, facts: Sequence[Formula], accesses: Sequence[Access], buffer: Buffer) -> Verdict:
    """Whether each read of a buffer among `accesses` is preceded, among them, by a write that covers it."""
    what = f"{buffer_name(buffer, names_at(tree))} is surely written before it is read"
    writes = [a for a in accesses if a.buffer == buffer and a.kind == "W"]
    for a in accesses:
        if a.buffer == buffer and a.reads:
            verdict = cover(tree, facts, a, writes, what)
            if not verdict:
                return verdict
    return SAFE
