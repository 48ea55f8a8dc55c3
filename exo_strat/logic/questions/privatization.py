"""Local buffers that code uses for itself alone.

Instances of code are about to change places: iterations of two loops, or two statements. A local buffer is *private*
to them if each instance writes what it reads of it before it reads it, and if nothing reads after all of them what one
of them left there. Then it does not matter in which order the instances write it: each finds its own values, and
the last ones are not needed. (Each instance could have a buffer of its own.) Arguments and config fields are results
and never private.

It excuses no race: two parallel iterations do share the one buffer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ...ir.names import Sym
from ...ir.nodes import ProcDef
from ...ir.walk import Path
from ..effects.accesses import Access, Buffer
from ..effects.contents import covered
from ..effects.coverage import cover
from ..effects.determined import Excuse
from ..effects.liveness import ahead
from ..forms.formula import Formula


def either(*excuses: Excuse) -> Excuse:
    """The excuse that holds if one of some does; later ones are only asked where earlier ones do not."""
    return lambda a, b: any(excuse(a, b) for excuse in excuses)


def private(tree: ProcDef, end: Path, facts: Sequence[Formula], instances: Sequence[Sequence[Access]]) -> Excuse:
    """The excuse for accesses to private buffers, of instances whose accesses are given, with the iterators around
    them fixed. `end` is the gap after all of them, as the path of the statement after it."""
    arguments = {a.sym for a in tree.args}
    what = "each instance writes what it reads"

    @cache
    def is_private(buffer: Buffer) -> bool:
        if not isinstance(buffer, Sym) or buffer in arguments:
            return False
        for accesses in instances:
            for a in accesses:
                if a.buffer == buffer and a.reads and not cover(tree, facts, a, accesses, what):
                    return False
        return _dead(tree, end, buffer)

    return lambda a, _: is_private(a.buffer)


def _dead(tree: ProcDef, gap: Path, buffer: Sym) -> bool:
    """Whether nothing after a gap reads what a buffer holds there: each read, in later iterations of the loops
    around it too, finds its location written again."""
    blocks = (blk for both in ahead(tree, gap) for blk in both if blk is not None)
    return all(covered(tree, blk, buffer) for blk in blocks)


__all__ = ["either", "private"]
