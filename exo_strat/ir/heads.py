"""What stands in the expressions of a statement, found in one walk and kept.

Most questions about a whole procedure concern a few kinds of nodes that most statements don't have: elements of buffers
as indices, config fields, functions, arithmetic of control integers. After a rewrite only what it made is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from .memo import memo_by_identity
from .nodes import (
    Arg,
    Binary,
    Cell,
    Claim,
    Const,
    Expr,
    ExternCall,
    Node,
    ProcDef,
    ReadConfig,
    Stmt,
    ViewExpr,
    WindowDef,
)
from .walk import is_control, parts

Notable: TypeAlias = Cell | Claim | ReadConfig | ExternCall | Binary
BODIES: Final = ("body", "orelse")
CELLS, VIEWS, PRODUCTS = 1, 2, 4
"""What has rules of its own, and most procedures don't have: elements as indices, or what is asserted of all elements,
also in what is called; buffers of others with other extents; products, quotients and remainders of control integers, of
which no operand is a literal."""
_KINDS: Final = frozenset((Cell, Claim, ReadConfig, ExternCall, Binary))


@memo_by_identity
def notable(n: ProcDef | Stmt | Arg | Expr) -> tuple[Notable, ...]:
    """The notable nodes of a procedure or statement, without those of the statements that it holds: cells, claims,
    reads of config fields, calls of functions, and products, quotients and remainders of which no operand is a literal.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def f(n: size, x: f32[n]):\\n    for i in seq(0, n):\\n        x[i] = 2.0 * x[i] * x[0]")
    >>> notable(p.tree), [e.op for e in notable(p.tree.body[0].body[0])]
    ((), ['*'])
    """
    own: list[Node] = []
    for label, is_list in n.CHILDREN:
        if label not in BODIES:
            own += getattr(n, label) if is_list else (getattr(n, label),)
    if isinstance(n, ProcDef):  # most versions share their arguments and assertions
        return tuple(e for part in own if part.CHILDREN for e in notable(part))  # type: ignore[arg-type]
    found: list[Notable] = []
    todo: list[Node] = own if isinstance(n, Stmt) else [n]
    while todo:
        e = todo.pop()
        if type(e) in _KINDS and (not isinstance(e, Binary) or _counts(e)):
            found.append(e)  # type: ignore[arg-type]
        if e.CHILDREN:
            todo += parts(e)
    return tuple(found)


def _counts(e: Binary) -> bool:
    if e.op == "*":
        return not isinstance(e.rhs, Const) and not isinstance(e.lhs, Const)
    return e.op in ("/", "%") and not (isinstance(e.rhs, Const) and e.rhs.value >= 1)


def own_rarities(n: ProcDef | Stmt | Expr) -> int:
    """Which of `CELLS`, `VIEWS` and `PRODUCTS` a procedure, statement or expression has, without the statements that it
    holds and what it calls."""
    found = 0
    for e in notable(n):
        if isinstance(e, Cell | Claim):
            found |= CELLS
        elif isinstance(e, Binary) and is_control(e.lhs):
            found |= PRODUCTS
    if isinstance(n, WindowDef) and isinstance(n.rhs, ViewExpr):
        found |= VIEWS
    return found


def inner(n: ProcDef | Stmt | Expr) -> Iterator[Stmt]:
    """The statements that a procedure or statement holds; an expression holds none."""
    for label, is_list in n.CHILDREN:
        if is_list and label in BODIES:
            yield from getattr(n, label)
