"""Whether cells that come to share one place in memory get in each other's way: the question of folding and
reusing buffers.

Several cells (of a buffer, or of two) are about to be kept in one slot. Whoever reads a cell must still find
its value there, and not that of another cell of the slot. It does if, for every read `r` and every write `w`
of another cell of the slot that may come before it, a write of r's own cell surely comes between the two:
then the last write of the slot before `r` is one of r's cell, and so the last write of that cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...ir.nodes import ProcDef
from ..effects.accesses import Access
from ..effects.coverage import WITNESS, before
from ..effects.dependence import SAFE, Clash, Undecided, Verdict, example, prime, same_place, show
from ..forms.affine import V
from ..forms.formula import FALSE, Formula, conj, disj, neg
from ..solver.answers import Refuted
from ..solver.proofs import prove_exists

Meets = Callable[[Access, Access], Formula]


@dataclass(frozen=True)
class Sharing:
    """Which cells share a slot: `meets(a, b)` says when two accesses are to different cells of one slot."""

    accesses: Sequence[Access]
    meets: Meets


def undisturbed(tree: ProcDef, facts: Sequence[Formula], sharing: Sharing, what: str) -> Verdict:
    """Whether every read among the accesses finds the value of its own cell if cells share slots.

    The accesses are all those to the cells concerned while these live.
    """
    writes = [a for a in sharing.accesses if a.writes]
    for r in sharing.accesses:
        if not r.reads:
            continue
        for w in writes:
            if w.joint:
                continue
            verdict = _apart(tree, facts, r, prime(w), writes, sharing.meets, what)
            if not verdict:
                return verdict
    return SAFE


def _apart(
    tree: ProcDef, facts: Sequence[Formula], r: Access, w: Access, writes: Sequence[Access], meets: Meets, what: str
) -> Verdict:
    """Whether a write surely comes between each instance of `w` that may come before `r`, and `r`."""
    met = meets(r, w)
    if met == FALSE:
        return SAFE
    known = [*facts, r.guard, w.guard, met, neg(before(r.end, w.when))]
    iters: list[V] = []
    goals: list[Formula] = []
    own = [c for c in writes if c.buffer == r.buffer]
    for c in own:
        if c.exact and None not in r.index:
            c = prime(c, instance=WITNESS)
            goals.append(conj(c.guard, same_place(c, r), before(w.end, c.when), before(c.end, r.when)))
            iters += c.iters
    answer = prove_exists(known, tuple(dict.fromkeys(iters)), disj(*goals), what)
    if answer:
        return SAFE
    details = f"it {show(tree, r)}; before that it {show(tree, w)}, which shares its place"
    if isinstance(answer, Refuted):
        real = r.exact and all(c.exact for c in (w, *own))
        return Clash(what, example(tree, answer.model, r, w) if real else None, details)
    return Undecided(what, details)
