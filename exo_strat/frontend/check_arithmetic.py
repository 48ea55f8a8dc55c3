"""Products and quotients of control integers.

By what a control integer is divided is a literal or made of control arguments, and at least 1 for all arguments that
meet the assertions. So it is the same number all the time, and at least 1 wherever control gets: code may be moved
without regard to that. One factor of a product is made of literals and control arguments, too: then an index is linear
in iterators, though its coefficients are sizes.
"""

from __future__ import annotations

from pyrsistent import pmap

from ..ir.heads import PRODUCTS, inner, notable
from ..ir.memo import memo_by_identity
from ..ir.nodes import Binary, Const, Expr, For, If, ProcDef, Stmt, Unary, Var
from ..ir.outside import rarities
from ..ir.types import Control
from ..ir.walk import is_control, walk
from ..logic.effects import entry_facts, env_of
from ..logic.forms import ge, lin
from .check_place import Place


def check_arithmetic(place: Place, e: Binary) -> None:
    """Checks a product, quotient or remainder of control integers, whose operands have been checked."""
    if not is_symbolic(e):
        return
    if e.op == "*":
        if not (_is_declared(place) or _is_fixed(e.lhs, place.tree) or _is_fixed(e.rhs, place.tree)):
            what = "one factor of a product of control integers must be made of literals and control arguments"
            raise place.error(f"{place.show(e)}: {what}")
        return
    by = lin(e.rhs, place.env)
    if by.is_const and by.const < 1:  # also in code that never runs, where all is proved
        raise place.error(f"{place.show(e)}: control integers are divided by what is at least 1 only")
    if _is_of_signature(place):
        what = "in assertions and in shapes of arguments, control integers are divided by positive literals only"
        raise place.error(f"{place.show(e)}: {what}")
    if not _is_fixed(e.rhs, place.tree):
        what = "control integers are divided by what is made of literals and control arguments only"
        raise place.error(f"{place.show(e)}: {what}")
    whole = Place(place.tree, place.path, entry_facts(place.tree), place.views, place.controls, env_of(place.tree))
    by = lin(e.rhs, whole.env)
    whole.require(ge(by, 1), f"{place.show(e)}: the divisor may be less than 1", "the divisor is {}", by)


def check_symbolic(tree: ProcDef) -> None:
    """Checks all products and quotients in the body of a procedure that has passed all other checks."""
    place = Place(tree, (), (), pmap(), pmap(), env_of(tree))
    for path, e in walk(tree, into=lambda n: not isinstance(n, For | If) or has_symbolic(n)):
        if isinstance(e, Binary) and path[0][0] == "body":
            check_arithmetic(place.back(path), e)


@memo_by_identity
def has_symbolic(n: ProcDef | Stmt) -> bool:
    """Whether the body of a procedure, or a statement, has a product, quotient or remainder that is symbolic: see
    `is_symbolic`."""
    if not rarities(n) & PRODUCTS:
        return False
    own = notable(n) if not isinstance(n, ProcDef) else ()
    return any(isinstance(e, Binary) and is_symbolic(e) for e in own) or any(map(has_symbolic, inner(n)))


def is_symbolic(e: Binary) -> bool:
    """Whether this is a product, quotient or remainder of control integers other than by a literal, which for quotients
    is at least 1."""
    if e.op not in ("*", "/", "%") or not is_control(e.lhs):
        return False
    if e.op == "*":
        return not (_is_literal(e.rhs) or _is_literal(e.lhs))
    return not _is_literal(e.rhs) or lin(e.rhs).const < 1


def _is_literal(e: Expr) -> bool:
    """Whether a control integer has no variables."""
    return all(isinstance(n, Const | Unary | Binary) for _, n in walk(e))


def _is_fixed(e: Expr, tree: ProcDef) -> bool:
    """Whether a control integer is made of literals and control arguments."""
    given = {a.sym for a in tree.args if isinstance(a.type, Control)}
    return all(isinstance(n, Const | Unary | Binary) or (isinstance(n, Var) and n.sym in given) for _, n in walk(e))


def _is_of_signature(place: Place) -> bool:
    return place.path[0][0] in ("args", "preds")


def _is_declared(place: Place) -> bool:
    """Whether a place is in a shape or an assertion, where any two integers may be multiplied."""
    return _is_of_signature(place) or ("type", None) in place.path
