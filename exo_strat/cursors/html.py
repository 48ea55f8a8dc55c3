"""How procedures and cursors show in a notebook."""

from __future__ import annotations

from ..ir.html import Html, around, bold, box, dim, escaped, joined, object_code, paragraph
from .cursor import BlockCursor, Cursor, ExprCursor, GapCursor, ProcCursor, exists
from .kinds import ArgCursor, kind_name
from .proc import Proc


def proc_html(p: Proc) -> Html:
    """A procedure: its object code, and how many rewrites made it."""
    made = len(p.history())
    told = f"made by {made} rewrite{'' if made == 1 else 's'}" if made else ""
    return box(*((dim(escaped(told)),) if told else ()), object_code(p.tree))


def cursor_html(c: Cursor) -> Html:
    """A cursor: what it points to, with the lines around. An expression is underlined where its text tells it."""
    if not exists(c):
        return box(paragraph(escaped("a cursor to code that is gone")))
    if isinstance(c, ProcCursor):
        return proc_html(c.proc)
    head = joined(bold(escaped(kind_name(type(c)))), dim(escaped(f" in {c.proc.name()}")))
    return box(paragraph(head), place_html(c))


def place_html(c: Cursor) -> Html:
    """The lines around a place, which is marked."""
    part = c.text() if isinstance(c, ExprCursor) else c.name() if isinstance(c, ArgCursor) else ""
    count = len(c) if isinstance(c, BlockCursor) else 1
    note = f"the gap is {'after' if c.is_after else 'before'} this" if isinstance(c, GapCursor) else ""
    return around(c.proc.tree, c.place(), part, count, note)
