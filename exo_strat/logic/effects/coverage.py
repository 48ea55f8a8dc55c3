"""Whether a location was surely written before it is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from ...ir.names import Sym
from ...ir.nodes import Alloc, Arg, Binary, Const, Expr, ProcDef, Unary, Var
from ...ir.printing import names_at
from ...ir.types import Control, Tensor
from ...ir.walk import walk
from ..forms.affine import Lin, V
from ..forms.formula import FALSE, TRUE, Formula, conj, disj, eq, ge, lt
from ..forms.translate import lin
from ..solver.answers import Refuted
from ..solver.proofs import prove_exists
from .accesses import Access, Buffer, Tick
from .dependence import SAFE, Clash, Undecided, Verdict, buffer_name, example, prime, same_place, show, surely_at

SOMEWHERE: Final = "?"
"""The instances of a buffer's name that stand for positions that are not known, with their dimension."""
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
    details, asked = f"it {show(tree, read)}", read
    ranges: Formula = TRUE
    if None in read.index:
        placed = somewhere(tree, read)
        if placed is None and read.seen is None:
            return Clash(what, details=details)
        read, ranges = placed or (read, TRUE)
    known = [*facts, read.guard, ranges]
    stores = [w for w in writes if w.buffer == read.buffer and w.kind == "W"]
    iters: list[V] = []
    goals: list[Formula] = []
    for w in stores:
        if surely_at(w, read):
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
        real = all(surely_at(w, read) and surely_at(read, w) for w in stores) if stores else read.exact
        return Clash(what, example(tree, answer.model, asked, *goals) if real else None, details)
    return Undecided(what, details)


def somewhere(tree: ProcDef, read: Access) -> tuple[Access, Formula] | None:
    """A read with an unknown for each position that is not known, and that these are within the buffer, as every
    position is: what holds wherever the unknowns are holds of the read. None if the buffer's extents may change."""
    shape, buffer = _shape(tree, read.buffer), read.buffer
    if len(shape) != len(read.index) or not isinstance(buffer, Sym):
        return None
    index: list[Lin | None] = list(read.index)
    ranges: list[Formula] = []
    for dim, (x, extent) in enumerate(zip(read.index, shape, strict=True)):
        if x is None:
            if not _fixed(tree, extent):
                return None
            index[dim] = place = Lin.of(V(buffer, f"{SOMEWHERE}{dim}"))
            ranges += [ge(place, 0), lt(place, lin(extent))]
    return replace(read, index=tuple(index), exact=False), conj(*ranges)


def _shape(tree: ProcDef, buffer: Buffer) -> Sequence[Expr]:
    """The extents with which a buffer is declared."""
    declared = (n for _, n in walk(tree) if isinstance(n, Alloc | Arg) and n.sym == buffer)
    found = next(declared, None)
    return found.type.shape if found is not None and isinstance(found.type, Tensor) else ()


def _fixed(tree: ProcDef, e: Expr) -> bool:
    """Whether an expression is made of numbers and of the procedure's own arguments, which never change."""
    given = {a.sym for a in tree.args if isinstance(a.type, Control)}
    parts = [n for _, n in walk(e)]
    return all(n.sym in given if isinstance(n, Var) else isinstance(n, Const | Unary | Binary) for n in parts)


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
