"""Where data stands in place of control integers: the cells of a procedure, and the arguments of which they are.

A cell is steady if it is of an argument that nothing in the procedure writes. A procedure *takes indices from* the
arguments of which it has steady cells, or asserts something of all elements, or which it passes to a procedure that
does. Of these all elements are initialised when it is called.
"""

from __future__ import annotations

from collections.abc import Mapping

from .heads import CELLS, VIEWS, inner, notable
from .memo import memo_by_identity
from .names import Sym
from .nodes import Assign, Call, Cell, Claim, Expr, Node, ProcDef, Read, Reduce, Stmt, WindowDef, WindowExpr
from .outside import rarities
from .types import Scalar, Tensor
from .walk import declarators, rewrite


def _heads(n: ProcDef | Stmt | Expr) -> list[Cell | Claim]:
    """The cells and claims of a procedure or statement, without the statements that it holds."""
    return [e for e in notable(n) if isinstance(e, Cell | Claim)]


def has_cells(n: ProcDef | Stmt | Expr) -> bool:
    """Whether a procedure, statement or expression has a cell, or asserts something of all elements, or what it calls
    does."""
    return bool(rarities(n) & CELLS)


def has_views(n: ProcDef | Stmt) -> bool:
    """Whether a procedure or statement makes buffers of others with other extents."""
    return bool(rarities(n) & VIEWS)


@memo_by_identity
def _taken(n: ProcDef | Stmt) -> frozenset[Sym]:
    """The buffers and windows that a procedure or statement takes indices from."""
    heads = _heads(n)
    found = {c.sym for c in heads if isinstance(c, Claim)}
    found |= {c.read.sym for c in heads if isinstance(c, Cell) and c.steady and isinstance(c.read, Read)}
    if isinstance(n, Call):
        formals = indexing(n.f.tree)
        for formal, actual in zip(n.f.tree.args, n.args, strict=False):
            if formal.sym in formals and isinstance(actual, Read | WindowExpr):
                found.add(actual.sym)
    return frozenset(found).union(*map(_taken, inner(n)))


@memo_by_identity
def indexing(tree: ProcDef) -> frozenset[Sym]:
    """The buffers that a procedure takes indices from; of a window, the one that it views."""
    taken = _taken(tree)
    if not taken:
        return taken
    views = {d.sym: d.rhs.sym for d in declarators(tree) if isinstance(d, WindowDef)}
    return frozenset(viewed(s, views) for s in taken)


def viewed(sym: Sym, views: Mapping[Sym, Sym]) -> Sym:
    """The buffer that a window of windows views."""
    while sym in views:
        sym = views[sym]
    return sym


@memo_by_identity
def written_args(tree: ProcDef) -> frozenset[Sym]:
    """The data arguments that a procedure may write, itself or through windows and calls."""
    base: dict[Sym, Sym] = {}
    written: set[Sym] = set()
    for n in declarators(tree):
        match n:
            case WindowDef(sym=s, rhs=rhs):
                base[s] = viewed(rhs.sym, base)
            case Assign(sym=s) | Reduce(sym=s):
                written.add(viewed(s, base))
            case Call(f=f, args=args):
                inner = written_args(f.tree)
                for formal, actual in zip(f.tree.args, args, strict=False):
                    if formal.sym in inner and isinstance(actual, Read | WindowExpr):
                        written.add(viewed(actual.sym, base))
            case _:
                pass
    return frozenset(a.sym for a in tree.args if a.sym in written)


def steadied(tree: ProcDef) -> ProcDef:
    """A procedure whose cells are steady where they can be and are said to be, or where indices are taken from the
    argument. Others of arguments that nothing writes show in the text that they are not."""
    kept = frozenset(a.sym for a in tree.args if isinstance(a.type, Scalar | Tensor)) - written_args(tree)
    taken = indexing(tree)

    def visit(n: Node) -> Node:
        if not isinstance(n, Cell):
            return n
        steady = n.read.sym in kept and (n.steady or n.read.sym in taken)
        now = n.read.sym in kept and not steady
        return n if (n.steady, n.now) == (steady, now) else Cell(n.read, steady, now)

    return rewrite(tree, visit)
