"""Loops that are over before their last iteration.

Object code has no `break`. It says the same by a branch around all that an iteration does, on a condition that only
this may change: once that is false, it stays false, and no iteration does anything any more. C then leaves the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..kernel import (
    Assign,
    Binary,
    Call,
    Config,
    Expr,
    For,
    If,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    Sym,
    Unary,
    WindowExpr,
    WriteConfig,
    mentions,
    walk,
)
from .program import Function, with_callees

State = Sym | tuple[Config, str]
"""The owner of a buffer, or a config field."""


def left_by(s: For, f: Function, by_tree: Mapping[int, Function]) -> If | None:
    """The branch that a loop consists of, if the loop is over once its condition is false.

    Between two conditions nothing runs but the branch, so the condition can't mention the iterator, there is no
    `else`, and iterations come one after another. The branch changes what the condition asks for: of one that it does
    not change, C compilers make two loops, which become vectors.
    """
    branch = s.body[0]
    if s.mode != "seq" or len(s.body) != 1 or not isinstance(branch, If) or branch.orelse:
        return None
    if s.iter in mentions(branch.cond):
        return None
    changed = {c for n in branch.body for c in _changed(n, f, by_tree)}
    return branch if changed & set(_asked(branch.cond, f)) else None


def _asked(e: Expr, f: Function) -> Iterator[State]:
    for _, n in walk(e):
        if isinstance(n, Read):
            yield f.data[n.sym].owner
        elif isinstance(n, ReadConfig):
            yield n.config, n.field


def _changed(s: Stmt, f: Function, by_tree: Mapping[int, Function]) -> Iterator[State]:
    for _, n in walk(s):
        if isinstance(n, Assign | Reduce):
            yield f.data[n.sym].owner
        elif isinstance(n, Call):
            passed = (n.args[i] for i in sorted(by_tree[id(n.f.tree)].written))
            yield from (f.data[a.sym].owner for a in passed if isinstance(a, Read | WindowExpr))
    yield from ((n.config, n.field) for n, _ in with_callees(s, f, by_tree) if isinstance(n, WriteConfig))


_OPPOSITE = {"==": "!=", "!=": "=="}
"""Of other comparisons the opposite is not one: of NaN neither `<` nor `>=` holds."""


def opposite(e: Expr) -> Expr:
    """The condition that holds where another does not."""
    if isinstance(e, Unary) and e.op == "not":
        return e.arg
    if isinstance(e, Binary) and e.op in _OPPOSITE:
        return Binary(_OPPOSITE[e.op], e.lhs, e.rhs)
    return Unary("not", e)
