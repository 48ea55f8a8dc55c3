"""Whether a location was surely written before it is read. Imports effects, dependence and solver."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir.names import Sym
from ..ir.nodes import ProcDef
from .affine import Lin, Opaque, V
from .answers import Proved, Refuted
from .context import show_model
from .dependence import SAFE, Clash, Verdict, prime, same_place, show
from .effects import Access, Buffer, Tick
from .formula import FALSE, Formula, conj, disj, eq, ge, lt
from .solver import prove_exists

WITNESS = 50  # the tag that tells the iterators of a covering write


def before(a: Sequence[Tick], b: Sequence[Tick]) -> Formula:
    """That the time `a` surely lies before the time `b`: lexicographically, where there is an order."""
    if not a or not b:
        return FALSE
    sooner = lt(a[0].at, b[0].at) if a[0].ordered and b[0].ordered else FALSE
    return disj(sooner, conj(eq(a[0].at, b[0].at), before(a[1:], b[1:])))


def cover(
    tree: ProcDef, facts: Sequence[Formula], read: Access, writes: Iterable[Access], what: str
) -> Verdict:
    """Whether every instance of `read` finds its location written by one of `writes` before."""
    goals: list[tuple[tuple[V, ...], Formula]] = []
    for w in writes:
        if w.buffer != read.buffer or not w.exact or w.kind != "W":
            continue
        late = prime(w, tag=WITNESS)
        goals.append((late.iters, conj(late.guard, same_place(late, read), before(late.when, read.when))))
    if None in read.index:
        return Clash(what, details=show(tree, read))
    known = [*facts, read.guard]
    for iters, goal in goals:
        if isinstance(prove_exists(known, iters, goal), Proved):
            return SAFE
    atoms = tuple(dict.fromkeys(i for iters, _ in goals for i in iters))
    answer = prove_exists(known, atoms, disj(*(g for _, g in goals)) if goals else FALSE)
    if isinstance(answer, Proved):
        return SAFE
    if isinstance(answer, Refuted):
        real = read.exact
        return Clash(what, show_model(tree, answer.model) if real else None, False, f"it {show(tree, read)}")
    return Clash(what, None, True, f"it {show(tree, read)}")


def all_covered(tree: ProcDef, facts: Sequence[Formula], accesses: Sequence[Access], buffer: Buffer) -> Verdict:
    """Whether each read of a buffer among `accesses` is preceded, among them, by a write that covers it."""
    writes = [a for a in accesses if a.buffer == buffer and a.kind == "W"]
    for a in accesses:
        if a.buffer == buffer and a.reads:
            verdict = cover(tree, facts, a, writes, f"{_name(buffer)} is surely written before it is read")
            if isinstance(verdict, Clash):
                return verdict
    return SAFE


def cell(rank: int) -> tuple[Lin, ...]:
    """An arbitrary location of a buffer, as unknowns."""
    return tuple(Lin.of(Opaque(("cell", d))) for d in range(rank))


def box(where: Sequence[Lin], bounds: Sequence[tuple[Lin, Lin]]) -> Formula:
    """That a location lies in a box of half-open intervals."""
    return conj(*(conj(ge(x, lo), lt(x, hi)) for x, (lo, hi) in zip(where, bounds, strict=True)))


def _name(buffer: Buffer) -> str:
    return buffer.name if isinstance(buffer, Sym) else f"{buffer[1]}.{buffer[2]}"

