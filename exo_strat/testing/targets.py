"""Where a primitive may be tried: all cursors of some kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..cursors.cursor import BlockCursor, Cursor, GapCursor, StmtCursor
from ..cursors.proc import Proc


def targets(p: Proc, kinds: Sequence[type[Cursor]]) -> list[Cursor]:
    """All cursors of the given kinds in a procedure: blocks have at most three statements."""
    found: list[Cursor] = []
    for c in p.root().descendants():
        if isinstance(c, tuple(kinds)):
            found.append(c)
        if isinstance(c, StmtCursor):
            found += _runs(c) if BlockCursor in kinds else []
            found += _gaps(c) if GapCursor in kinds else []
    return found


def _gaps(c: StmtCursor) -> list[GapCursor]:
    """The gap before a statement, unless it is the first, and the one at the end of the block."""
    before = [c.before()] if c._sibling(-1) is not None else []
    return before if c._sibling(1) is not None else [*before, c.after()]


def _runs(c: StmtCursor) -> Iterator[BlockCursor]:
    """The blocks that start at a statement: the longer first, which are the rarer."""
    for more in (1, 0, 2):
        if c._sibling(more) is not None:
            yield c.expand(0, more)
