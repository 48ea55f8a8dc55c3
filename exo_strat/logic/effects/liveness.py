"""Who reads a config field after a place, and whether its value there may last.

A field outlives the procedure: what a run leaves in it is a result. So a write to it matters as long as some
path leads from there to a read, or to the end, on which the field is not written again.
"""

from __future__ import annotations

from ...ir.nodes import For, ProcDef, ReadConfig
from ...ir.span import Span
from ...ir.walk import Path, get
from .accesses import config_key
from .contents import covered, fully_written
from .dependence import SAFE, Verdict


def unread_after(tree: ProcDef, gap: Path, field: ReadConfig) -> Verdict:
    """Whether nothing reads the value that a config field has at a gap: each read after it, in later iterations
    of the loops around it and in callees too, finds the field written again.

    A gap is the path of the statement after it, also where there is none because a block ends.
    """
    name, key = f"{field.config.name}.{field.field}", config_key(field.config.name, field.field)
    what = f"{name} is not read afterwards, before it is written again"
    for k, (rest, again) in enumerate(ahead(tree, gap)):
        for blk in (rest, again):
            verdict = SAFE if blk is None else covered(tree, blk, key)
            if not verdict:
                # farther on, nobody knows whether control came through the gap before
                surely = k == 0 and blk is rest
                return verdict.said(what, shown=surely)
            if blk is rest and rest is not None and fully_written(tree, rest, key, ()):
                return SAFE
    return SAFE


def may_last(tree: ProcDef, gap: Path, field: ReadConfig) -> bool:
    """Whether the value that a config field has at a gap may still be there when the procedure ends."""
    key = config_key(field.config.name, field.field)
    rests = [rest for rest, _ in ahead(tree, gap) if rest is not None]
    return not any(fully_written(tree, rest, key, ()) for rest in rests)


def ahead(tree: ProcDef, gap: Path) -> list[tuple[Span | None, Span | None]]:
    """What runs after a gap, block by block outwards: the rest of the block, and the whole of it if it is a
    loop's, which may go on with another iteration."""
    out: list[tuple[Span | None, Span | None]] = []
    while gap:
        parent, (label, k) = gap[:-1], gap[-1]
        assert k is not None
        holder = get(tree, parent)
        n = len(getattr(holder, label))
        rest = Span(parent, label, k, n) if k < n else None
        out.append((rest, Span(parent, label, 0, n) if isinstance(holder, For) else None))
        gap = parent
        if gap:
            last, at = gap[-1]
            assert at is not None
            gap = (*gap[:-1], (last, at + 1))
    return out
