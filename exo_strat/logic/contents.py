"""What buffers hold, and which part of them code touches: the questions of staging and of moving
allocations. Imports coverage and what it imports.

The buffer asked about is one with cells of its own: an argument, an allocation, or a config field. A window
has none, and asking about it raises `ValueError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..ir.names import Sym
from ..ir.nodes import Alloc, For, Interval, ProcDef, WinDim
from ..ir.walk import Path, get
from .affine import Lin, Opaque
from .answers import Proved, Refuted
from .context import facts_at
from .coverage import all_covered, cover
from .dependence import SAFE, Clash, Verdict, example, if_reached, show
from .effects import Access, Blk, Buffer, Tick, effects, in_loops, windows_at
from .formula import Formula, conj, disj, ge, lt, neg
from .solver import prove
from .translate import lin, unknown

Part: TypeAlias = Sequence[WinDim] | None
"""The part of a buffer that a question is about: a window (half-open), or None for the whole."""

# -- what is touched ------------------------------------------------------------------------------------


def _of(tree: ProcDef, blk: Blk, buffer: Buffer, part: Part = None) -> list[Access]:
    """The accesses of a run of statements to a buffer, less those that surely miss the part of it asked about."""
    if isinstance(buffer, Sym) and buffer in windows_at(tree, blk.path()):
        raise ValueError(f"{buffer} is a window: ask about the buffer that it views")
    found = [a for a in effects(tree, blk) if a.buffer == buffer]
    if part is None:
        return found
    facts = facts_at(tree, blk.path())
    return [a for a in found if not _misses(facts, a, part)]


def _misses(facts: Sequence[Formula], a: Access, part: Sequence[WinDim]) -> bool:
    """Whether no instance of an access falls inside a window."""
    near = [_beside(x, d) for x, d in zip(a.index, part, strict=True) if x is not None]
    return isinstance(prove([*facts, a.guard], disj(*near), "the access is beside the window"), Proved)


def writes_to(tree: ProcDef, blk: Blk, buffer: Buffer, part: Part = None) -> bool:
    """Whether a run of statements may change a buffer, or the part of it that a window shows."""
    return any(a.writes for a in _of(tree, blk, buffer, part))


def reads_from(tree: ProcDef, blk: Blk, buffer: Buffer) -> bool:
    """Whether a run of statements may need a buffer's old contents (accumulations do)."""
    return any(a.reads for a in _of(tree, blk, buffer))


def only_accumulates(tree: ProcDef, blk: Blk, buffer: Buffer, op: str = "+", part: Part = None) -> bool:
    """Whether a run of statements touches a buffer, or a part of it, by one accumulation operator only."""
    return all(a.kind == "A" and a.op == op for a in _of(tree, blk, buffer, part))


def within(tree: ProcDef, blk: Blk, buffer: Buffer, window: Sequence[WinDim]) -> Verdict:
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
            return if_reached(tree, blk.path(), Clash(what, shown, False, f"it {show(tree, a)}"))
        if not isinstance(answer, Proved):
            return Clash(what, None, True, f"it {show(tree, a)}")
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


def covered(tree: ProcDef, blk: Blk, buffer: Buffer, part: Part = None) -> Verdict:
    """Whether each read of a buffer, or of a part of it, in a run of statements is preceded there by a write
    that covers it."""
    verdict = all_covered(tree, facts_at(tree, blk.path()), _of(tree, blk, buffer, part), buffer)
    return if_reached(tree, blk.path(), verdict)


def carried(tree: ProcDef, path: Path, buffer: Buffer) -> Verdict:
    """Whether no iteration of a loop reads what an earlier one, or the code before, left in a buffer."""
    loop = get(tree, path)
    assert isinstance(loop, For), f"{path} is no loop"
    body = Blk(path, "body", 0, len(loop.body))
    accesses = in_loops(_of(tree, body, buffer), loop)
    return if_reached(tree, body.path(), all_covered(tree, facts_at(tree, path), accesses, buffer))


def fully_written(tree: ProcDef, blk: Blk, buffer: Buffer, window: Sequence[WinDim]) -> Verdict:
    """Whether a run of statements surely writes every location of a window."""
    end = (Tick(Lin(blk.hi - blk.lo)),)
    return _written(tree, blk.path(), _of(tree, blk, buffer), end, window)


def initialised(tree: ProcDef, blk: Blk, buffer: Sym, window: Sequence[WinDim]) -> Verdict:
    """Whether every location of a window of a local buffer was surely written when control reaches a run
    of statements. Arguments count as initialised."""
    if any(a.sym == buffer for a in tree.args):
        return SAFE
    scope = _scope(tree, blk.path(), buffer)
    return _written(tree, blk.path(), _of(tree, scope, buffer), _time(tree, scope, blk.path()), window)


def _written(
    tree: ProcDef, path: Path, accesses: Sequence[Access], when: tuple[Tick, ...], window: Sequence[WinDim]
) -> Verdict:
    """Whether a reader of an arbitrary cell of the window at the time `when` finds it written."""
    what = "every location of the window is surely written"
    writes = [a for a in accesses if a.kind == "W"]
    if not writes:
        return Clash(what)
    here = tuple(Lin.of(Opaque(("cell", d))) for d in range(len(window)))
    reader = Access(writes[0].buffer, "R", here, writes[0].node, _box(here, window), when=when)
    verdict = cover(tree, facts_at(tree, path), reader, writes, what)
    if isinstance(verdict, Clash):
        return if_reached(tree, path, Clash(what, verdict.counterexample, verdict.unknown))
    return verdict


def _scope(tree: ProcDef, path: Path, buffer: Sym) -> Blk:
    """The statements after the allocation of a buffer that is in scope at `path`, to the end of its block."""
    for n in range(len(path) - 1, -1, -1):
        label, i = path[n]
        if i is None or label not in ("body", "orelse"):
            continue
        block = getattr(get(tree, path[:n]), label)
        for k in range(min(i, len(block)) - 1, -1, -1):
            if isinstance(block[k], Alloc) and block[k].sym == buffer:
                return Blk(path[:n], label, k + 1, len(block))
    raise ValueError(f"{buffer} is neither an argument nor allocated around {path}")


def _time(tree: ProcDef, scope: Blk, path: Path) -> tuple[Tick, ...]:
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
