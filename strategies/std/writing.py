"""Expressions and names in object code, for those who write strategies."""

from __future__ import annotations

from typing import Any

from exo_strat import (
    AssignCursor,
    ExprCursor,
    ForCursor,
    ReduceCursor,
    moves,
    names_at,
    nodes,
)

INSIDE = moves.body >> moves.nth(0)
"""To the first statement of a loop."""


def text(c: Any) -> str:
    """The object code of an expression, whose cursor is known to be one."""
    assert isinstance(c, ExprCursor)
    return c.text()


def element(s: AssignCursor | ReduceCursor) -> str:
    """What a statement writes, as object code."""
    return f"{_name(s)}[{', '.join(map(text, s.idx()))}]" if s.idx() else _name(s)


def _name(s: AssignCursor | ReduceCursor) -> str:
    return names_at(s.proc.tree)[s.sym]


def counter(loop: ForCursor) -> nodes.Var:
    """A loop's iterator as an expression, whatever else may have its name."""
    return nodes.Var(loop.sym)


def halves(loop: ForCursor) -> tuple[str, str]:
    """Names for the outer and the inner part of a loop that is divided."""
    return f"{loop.name()}o", f"{loop.name()}i"
