"""What buffers hold, and which part of them code touches: the questions of staging and of moving
allocations.

The buffer asked about is one with cells of its own: an argument, an allocation, or a config field. A window
has none, and asking about it raises `ValueError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from ...ir import build as b
from ...ir.names import Sym
from ...ir.nodes import Alloc, Arg, For, Interval, Node, Pass, ProcDef, WinDim
from ...ir.span import Span
from ...ir.types import Tensor
from ...ir.walk import Path, get, get_as
from ..forms.affine import Lin, Opaque
from ..forms.formula import Formula, conj, disj, ge, lt, neg
from ..forms.translate import lin, unknown
from ..solver.answers import Refuted, Unsat
from ..solver.proofs import prove, satisfiable
from .accesses import Access, Buffer, Tick, effects_on, in_loops, number_of_places, windows_at
from .context import facts_at
from .coverage import all_covered, before, cover
from .dependence import SAFE, Clash, Given, Readiness, Undecided, Verdict, example, if_reached, prime, same_place, show

Part: TypeAlias = Sequence[WinDim] | None
"""The part of a buffer that a question is about: a window (half-open), or None for the whole."""

MANY: Final = 24
"""Places that access an argument which are not gone through, one question each, to see whether they wrote it."""

# -- what is touched ------------------------------------------------------------------------------------


def _of(tree: ProcDef, blk: Span, buffer: Buffer, part: Part = None) -> list[Access]:
    """The accesses of a run of statements to a buffer, less those that surely miss the part of it asked about."""
    if isinstance(buffer, Sym) and buffer in windows_at(tree, blk.path()):
        raise ValueError(f"{buffer} is a window: ask about the buffer that it views")
    found = effects_on(tree, blk, buffer)
    if part is None:
        return found
    facts = facts_at(tree, blk.path())
    return [a for a in found if not _misses(facts, a, part)]


def _misses(facts: Sequence[Formula], a: Access, part: Sequence[WinDim]) -> bool:
    """Whether no instance of an access falls inside a window."""
    near = [_beside(x, d) for x, d in zip(a.index, part, strict=True) if x is not None]
    return bool(prove([*facts, a.guard], disj(*near), "the access is beside the window"))


def writes_to(tree: ProcDef, blk: Span, buffer: Buffer, part: Part = None) -> bool:
    """Whether a run of statements may change a buffer, or the part of it that a window shows."""
    return any(a.writes for a in _of(tree, blk, buffer, part))


def reads_from(tree: ProcDef, blk: Span, buffer: Buffer) -> bool:
    """Whether a run of statements may need a buffer's old contents (accumulations do)."""
    return any(a.reads for a in _of(tree, blk, buffer))


def only_accumulates(tree: ProcDef, blk: Span, buffer: Buffer, op: str = "+", part: Part = None) -> bool:
    """Whether a run of statements touches a buffer, or a part of it, by one accumulation operator only."""
    return all(a.kind == "A" and a.op == op for a in _of(tree, blk, buffer, part))


def within(tree: ProcDef, blk: Span, buffer: Buffer, window: Sequence[WinDim]) -> Verdict:
    """Whether every access of a run of statements to a buffer falls inside a window (half-open)."""
    facts, what = facts_at(tree, blk.path()), "every access of the block is inside the window"
    for a in _of(tree, blk, buffer):
        where = [x for x in a.index if x is not None]
        if len(where) < len(a.index):
            return Clash(what, details=f"it {show(tree, a)}")
        inside = _box(where, window)
        answer = prove([*facts, a.guard], inside, what)
        if isinstance(answer, Refuted):
            shown = example(tree, answer.model, a, inside) if a.exact else None
            return if_reached(tree, blk.path(), Clash(what, shown, f"it {show(tree, a)}"))
        if not answer:
            return Undecided(what, f"it {show(tree, a)}")
    return SAFE


def _box(where: Sequence[Lin], window: Sequence[WinDim]) -> Formula:
    """That a location lies in a window of its buffer."""
    return conj(*(neg(_beside(x, d)) for x, d in zip(where, window, strict=True)))


def _beside(x: Lin, d: WinDim) -> Formula:
    """That an index lies outside one dimension of a window."""
    lo = lin(d.lo if isinstance(d, Interval) else d.pt)
    hi = lin(d.hi) if isinstance(d, Interval) else lo + 1
    return disj(lt(x, lo), ge(x, hi))


# -- what is there when it is read ----------------------------------------------------------------------


def covered(tree: ProcDef, blk: Span, buffer: Buffer, part: Part = None) -> Verdict:
    """Whether each read of a buffer, or of a part of it, in a run of statements is preceded there by a write
    that covers it."""
    verdict = all_covered(tree, facts_at(tree, blk.path()), _of(tree, blk, buffer, part), buffer)
    return if_reached(tree, blk.path(), verdict)


def carried(tree: ProcDef, path: Path, buffer: Buffer) -> Verdict:
    """Whether no iteration of a loop reads what an earlier one, or the code before, left in a buffer."""
    loop = get_as(tree, path, For)
    body = Span(path, "body", 0, len(loop.body))
    accesses = in_loops(_of(tree, body, buffer), loop)
    return if_reached(tree, body.path(), all_covered(tree, facts_at(tree, path), accesses, buffer))


def fully_written(tree: ProcDef, blk: Span, buffer: Buffer, window: Sequence[WinDim]) -> Verdict:
    """Whether a run of statements surely writes every location of a window."""
    end = (Tick(Lin(blk.hi - blk.lo)),)
    return _written(tree, blk.path(), _of(tree, blk, buffer), end, window)


def initialised(tree: ProcDef, blk: Span, buffer: Sym, window: Sequence[WinDim]) -> Readiness:
    """Whether every location of a window was surely written when control reaches a run of statements, or is read
    by these before they write it, so that they could not run otherwise."""
    verdict = _ready(tree, blk, _any_cell(buffer, window, Pass()))
    if verdict or isinstance(verdict, Given):
        return verdict
    what = "every location of the window is surely written"
    return if_reached(tree, blk.path(), verdict.said(what, ""))


def readable(tree: ProcDef, blk: Span, reads: Sequence[Access]) -> Readiness:
    """Whether all that some reads of base buffers and config fields, made right before a run of statements, need is
    `initialised`."""
    needs: set[Sym] = set()
    for r in reads:
        if isinstance(r.buffer, Sym) and None in r.index:
            r = _any_cell(r.buffer, _whole(tree, blk.path(), r.buffer), r.node)
        verdict = _ready(tree, blk, r)
        if isinstance(verdict, Given):
            needs |= verdict.needs
        elif not verdict:
            return if_reached(tree, blk.path(), verdict)
    return Given(frozenset(needs)) if needs else SAFE


def _ready(tree: ProcDef, blk: Span, read: Access) -> Readiness:
    """Whether each location that a read right before a run of statements needs was written.

    It was if it was accessed before in whatever way (by a program that does not trap), or if the statements read it
    first. Of an argument, the caller may have written it: so of one that is accessed in `MANY` places, as by a call of
    something large, these are not gone through.
    """
    buffer = read.buffer
    path, what = blk.path(), "what the code reads is surely written before"
    scope = _scope(tree, path, buffer)
    read = replace(read, when=_time(tree, scope, path), until=None)
    facts, start = facts_at(tree, path), (Tick(Lin(-1)),)
    needed = [replace(a, kind="W", when=start) for a in exposed(tree, blk, buffer)]
    verdict = cover(tree, facts, read, needed, what) if needed else Clash(what)
    is_argument = isinstance(buffer, Sym) and any(a.sym == buffer for a in tree.args)
    if not verdict and not (is_argument and number_of_places(tree, scope, buffer) >= MANY):
        earlier = [replace(a, kind="W") for a in _of(tree, scope, buffer)]
        verdict = cover(tree, facts, read, [*needed, *earlier], what)
    if not verdict and isinstance(buffer, Sym) and is_argument:
        return Given(frozenset((buffer,)))
    return verdict


def exposed(tree: ProcDef, blk: Span, buffer: Buffer) -> list[Access]:
    """The reads of a buffer that a run of statements surely makes, of locations that it did not write before.

    An accumulation counts as a read. So it need not come first, if only others do: the first of them is one.
    """
    found, facts = _of(tree, blk, buffer), facts_at(tree, blk.path())
    stores = [prime(w) for w in found if w.kind == "W" and not w.joint]
    what = "the location is written before the code reads it"

    def first(q: Access) -> bool:
        ahead = ([*facts, q.guard, w.guard, same_place(w, q), neg(before(q.end, w.when))] for w in stores)
        return all(isinstance(satisfiable(question, what), Unsat) for question in ahead)

    return [q for q in found if q.reads and q.exact and first(q)]


def _any_cell(buffer: Buffer, window: Sequence[WinDim], node: Node) -> Access:
    """A read of an arbitrary location of a window."""
    here = tuple(Lin.of(Opaque(("cell", d))) for d in range(len(window)))
    return Access(buffer, "R", here, node, _box(here, window))


def _whole(tree: ProcDef, path: Path, buffer: Sym) -> list[WinDim]:
    """All of a buffer."""
    scope = _scope(tree, path, buffer)
    decl = next((a for a in tree.args if a.sym == buffer), None) or get(tree, scope._replace(lo=scope.lo - 1).path())
    assert isinstance(decl, Arg | Alloc)
    shape = decl.type.shape if isinstance(decl.type, Tensor) else ()
    return [Interval(b.ZERO, n) for n in shape]


def _written(
    tree: ProcDef, path: Path, accesses: Sequence[Access], when: tuple[Tick, ...], window: Sequence[WinDim]
) -> Verdict:
    """Whether a reader of an arbitrary cell of the window at the time `when` finds it written."""
    what = "every location of the window is surely written"
    writes = [a for a in accesses if a.kind == "W"]
    if not writes:
        return Clash(what)
    reader = replace(_any_cell(writes[0].buffer, window, writes[0].node), when=when)
    verdict = cover(tree, facts_at(tree, path), reader, writes, what)
    return verdict or if_reached(tree, path, verdict.said(details=""))


def _scope(tree: ProcDef, path: Path, buffer: Buffer) -> Span:
    """The statements in which a buffer that is in scope at `path` lives: of an argument or a config field, all."""
    if not isinstance(buffer, Sym) or any(a.sym == buffer for a in tree.args):
        return Span((), "body", 0, len(tree.body))
    for n in range(len(path) - 1, -1, -1):
        label, i = path[n]
        if i is None or label not in ("body", "orelse"):
            continue
        block = getattr(get(tree, path[:n]), label)
        for k in range(min(i, len(block)) - 1, -1, -1):
            if isinstance(block[k], Alloc) and block[k].sym == buffer:
                return Span(path[:n], label, k + 1, len(block))
    raise ValueError(f"{buffer} is neither an argument nor allocated around {path}")


def _time(tree: ProcDef, scope: Span, path: Path) -> tuple[Tick, ...]:
    """The time, in a run of statements, at which the statement at `path` starts."""
    when: list[Tick] = []
    for n in range(len(scope.parent), len(path)):
        label, k = path[n]
        assert k is not None
        if n == len(scope.parent):
            when.append(Tick(Lin(k - scope.lo)))
            continue
        node = get(tree, path[:n])
        if isinstance(node, For):
            when += [Tick(Lin(1)), Tick(unknown(node.iter), node.mode == "seq"), Tick(Lin(k))]
        else:
            when += [Tick(Lin(1 if label == "body" else 2)), Tick(Lin(k))]
    return tuple(when)
