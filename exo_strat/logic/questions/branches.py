"""Which conditions on data are known to hold at a place, because a branch around it was taken.

What reads only control variables is a fact like any other (`context`), and conditions on config fields are `configs`'.
A condition on data that led to a branch holds in it as long as nothing there writes what it reads.
"""

from __future__ import annotations

from ...ir.nodes import Expr, If, ProcDef
from ...ir.span import Span
from ...ir.walk import Path, get
from .safety import equal_at, unchanged


def taken(tree: ProcDef, path: Path, condition: Expr) -> bool | None:
    """Whether a condition on data is surely true, or surely false, at the statement at `path`, since it is one that
    was asked around it; None if it is not known."""
    for n in range(len(path) - 1, -1, -1):
        around, label = get(tree, path[:n]), path[n][0]
        if not isinstance(around, If):
            continue
        branch = Span(path[:n], label, 0, len(getattr(around, label)))
        if not unchanged(tree, branch, around.cond):
            continue
        if equal_at(tree, path, around.cond, condition):
            return label == "body"
    return None


__all__ = ["taken"]
