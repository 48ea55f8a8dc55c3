"""Cursors as Python source: the navigation that leads there from the procedure."""

from __future__ import annotations

from typing import Final

from ..cursors.cursor import BlockCursor, Cursor, GapCursor, NodeCursor, at_path, exists, kind_of
from ..cursors.proc import Proc
from ..ir.walk import Path, get

METHODS: Final = ("body", "orelse", "args", "shape", "idx", "lo", "hi", "cond", "lhs", "rhs", "arg")
"""The children that cursors have methods for, which are named like the nodes' fields."""


def place_source(c: Cursor) -> str:
    """The expression that leads to a cursor, if the procedure's name is bound to its version.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> place_source(p.find("n")), place_source(p.find("x[_] = _").after())
    ('foo.body()[0].hi()', 'foo.body()[0].body()[0].after()')
    """
    if not exists(c):
        return "<a cursor to code that is gone>"
    match c:
        case BlockCursor():
            return f"{_node(c.proc, c.span.parent)}.{c.span.label}()[{c.span.lo}:{c.span.hi}]"
        case GapCursor():
            return f"{_node(c.proc, c.anchor_path)}.{'after' if c.is_after else 'before'}()"
    assert isinstance(c, NodeCursor)
    return _node(c.proc, c.path)


def _node(p: Proc, path: Path) -> str:
    text, here = p.name(), p.root()
    if not path or path[0][0] not in ("args", "body"):
        text += ".root()"
    node: NodeCursor = here
    for n in range(1, len(path) + 1):
        if kind_of(get(p.tree, path[:n])) is not None:
            there = at_path(p, path[:n])
            text, node = _step(text, node, there), there
    return text


def _step(text: str, here: NodeCursor, there: NodeCursor) -> str:
    """The expression for `there`, given that for the next node above it that has a cursor."""
    label, i = there.path[-1]
    direct = there.path[:-1] == here.path or label == "shape"
    if direct and label in METHODS and hasattr(here, label):
        return f"{text}.{label}()" if i is None else f"{text}.{label}()[{i}]"
    return f"list({text}.descendants())[{list(here.descendants()).index(there)}]"
