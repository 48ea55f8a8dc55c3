"""Cursors as texts: `body[0].body[1]` is a statement, `body[0:2]` a block, `body[0].after` a gap, `body[0].hi` an
expression, `args[0]` an argument, `root` the procedure.

A text is a path in one version, so the same place has the same text in any process.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ..cursors.cursor import BlockCursor, Cursor, GapCursor, NodeCursor, StmtCursor, kind_of
from ..cursors.kinds import kind_name
from ..cursors.proc import InvalidCursorError, Proc
from ..frontend.errors import PatternError
from ..ir.nodes import Node
from ..ir.span import Span
from ..ir.walk import Path

ROOT: Final = "root"
_STEP: Final = re.compile(r"([a-z]+)(?:\[(\d{1,9})(?::(\d{1,9}))?\])?")


class PlaceError(ValueError):
    """A text that leads to no place."""


def spelled(c: Cursor) -> str:
    """The text of a cursor.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def zero(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> spelled(p.root()), spelled(p.find("n")), spelled(p.find("x[_] = _").after())
    ('root', 'body[0].hi', 'body[0].body[0].after')
    >>> spelled(p.body()), p.find("n") == place_at(p, "body[0].hi")
    ('body[0:1]', True)
    """
    match c:
        case BlockCursor(span=s):
            return ".".join([*map(_step, s.parent), f"{s.label}[{s.lo}:{s.hi}]"])
        case GapCursor():
            return f"{_path(c.anchor_path)}.{'after' if c.is_after else 'before'}"
        case NodeCursor():
            return _path(c.path)
    raise PlaceError("a cursor to code that is gone has no place")


def _step(step: tuple[str, int | None]) -> str:
    label, i = step
    return label if i is None else f"{label}[{i}]"


def _path(path: Path) -> str:
    return ".".join(map(_step, path)) or ROOT


def place_at(p: Proc, text: str) -> Cursor:
    """The cursor of a text. Raises `PlaceError` if there is nothing there."""
    if text == ROOT:
        return p.root()
    *before, last = text.split(".")
    if last in ("before", "after"):
        anchor = place_at(p, ".".join(before))
        if not isinstance(anchor, StmtCursor):
            raise PlaceError(f"{text!r}: a gap is before or after a statement")
        return anchor.after() if last == "after" else anchor.before()
    path, node = list[tuple[str, int | None]](), p.tree
    for k, step in enumerate((*before, last)):
        label, lo, hi = _parsed(text, step)
        members = _members(text, node, label, lo)
        if hi is not None:
            if k < len(before) or label not in ("body", "orelse") or not (lo or 0) < hi <= len(members):
                raise PlaceError(f"{text!r}: there is no block {step}")
            return BlockCursor(p, Span(tuple(path), label, lo or 0, hi))
        if lo is not None and lo >= len(members):
            raise PlaceError(f"{text!r}: there is no {step}, {label} has {len(members)}")
        node = members[lo or 0]
        path.append((label, lo))
    kind = kind_of(node)
    if kind is None:
        raise PlaceError(f"{text!r} leads to a {type(node).__name__}, which no cursor points to")
    return kind(p, tuple(path))


def _parsed(text: str, step: str) -> tuple[str, int | None, int | None]:
    found = _STEP.fullmatch(step)
    if found is None:
        raise PlaceError(f"{text[:80]!r} is no place: write one as body[0].body[1], body[0:2], body[0].after or root")
    label, lo, hi = found.groups()
    return label, None if lo is None else int(lo), None if hi is None else int(hi)


def _members(text: str, node: Node, label: str, lo: int | None) -> Any:
    """The children of a node under a label: one, if it is no list."""
    if (label, lo is not None) not in node.CHILDREN:
        labels = ", ".join(f"{name}[..]" if many else name for name, many in node.CHILDREN) or "nothing"
        given = f"{label}{'[..]' * (lo is not None)}"
        raise PlaceError(f"{text!r}: a {type(node).__name__} has no {given}, it has {labels}")
    found = getattr(node, label)
    return found if lo is not None else (found,)


def found(p: Proc, pattern: str) -> Cursor:
    """The first match of a pattern. Raises `PlaceError` if there is none, or it is no pattern."""
    try:
        return p.find(pattern)
    except (InvalidCursorError, PatternError) as e:
        raise PlaceError(str(e)) from None


def kind(c: Cursor) -> str:
    """What a cursor points to, in words."""
    return kind_name(type(c))
