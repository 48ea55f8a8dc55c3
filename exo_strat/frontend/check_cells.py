"""Cells, and what is asserted of all elements of a buffer."""

from __future__ import annotations

from ..ir.cells import has_cells, indexing, written_args
from ..ir.names import Sym
from ..ir.nodes import Binary, Call, Cell, Claim, Expr, Node, ProcDef, Read
from ..ir.precisions import element, integer_range
from ..ir.types import Control, Scalar, Tensor, Type
from ..ir.walk import get, walk
from ..logic.forms import Env, Every, Formula, Lin, Opaque, conj, disj, ge, is_opaque, le, lin, lt, ne
from .check_place import Place
from .scope import declarations

KINDS = {"within": 2, "distinct": 0, "rising": 0}
"""The claims, with the number of their operands."""


def check_indexing(place: Place) -> None:
    """Checks the arguments that a procedure takes indices from: they are arguments of integers, and never written."""
    for sym in sorted(indexing(place.tree), key=lambda s: s.id):
        check_steady(place, sym)


def check_steady(place: Place, sym: Sym) -> None:
    """Checks that a buffer of integers is an argument that nothing in the procedure writes."""
    _check_integers(place, sym)
    tree = place.tree
    if not any(a.sym == sym for a in tree.args):
        raise place.error(f"{place.name(sym)} is no argument, so what the procedure takes as indices may change")
    if sym in written_args(tree):
        raise place.error(f"{place.name(sym)} is written here, and the procedure takes its elements as indices")


def _check_integers(place: Place, sym: Sym) -> None:
    t = declarations(place.tree).get(sym)
    if not isinstance(t, Scalar | Tensor) or element(t).is_float:
        raise place.error(f"{place.name(sym)} is no buffer of integers, and only integers are indices")


def check_cell(place: Place, e: Cell) -> None:
    """Checks where a cell stands, and of what it is; not yet whether it is in bounds."""
    if not isinstance(e.read, Read):
        raise place.error("only an element of a buffer can be an index")
    if ("type", None) in place.path:
        raise place.error(f"{place.show(e)}: an extent cannot be read from a buffer")
    place.view(e.read.sym)
    _check_integers(place, e.read.sym)
    if e.steady:
        check_steady(place, e.read.sym)


def in_range(place: Place, sym: Sym, t: Type) -> Place:
    """A place that knows, if indices are taken from buffers at all, what the elements of one of integers can be."""
    if isinstance(t, Control) or element(t).is_float or not has_cells(place.tree):
        return place
    least, most = integer_range(element(t))
    return place.know(
        [Every("shape", sym, place.view(sym).shape), Every("within", sym, (Lin(least), Lin(most + 1)))]
    )


def no_cells(place: Place, e: Expr, what: str) -> None:
    """Checks that a control expression has no cells."""
    if any(isinstance(n, Cell) for _, n in walk(e)):
        raise place.error(f"{place.show(e)}: {what} cannot be read from a buffer")


def check_claim(place: Place, e: Claim) -> None:
    """Checks an assertion about all elements, but for its operands being integers."""
    if not _is_conjunct(place.tree, place):
        raise place.error(f"{place.show(e)} can only be asserted, by itself or with `and`")
    check_steady(place, e.sym)
    if KINDS.get(e.kind) != len(e.args):
        raise place.error(f"{place.show(e)} is no assertion about a buffer")
    rank = place.view(e.sym).rank
    if rank != e.rank or (e.kind == "rising" and rank != 1) or rank == 0:
        raise place.error(f"{place.show(e)}: {place.name(e.sym)} has {rank} dimensions")
    if any(map(is_opaque, e.args)):
        raise place.error(f"{place.show(e)}: a bound may change")


def _is_conjunct(tree: ProcDef, place: Place) -> bool:
    """Whether an assertion, or a part of one all of which hold, stands at a place."""
    path = place.path
    if not path or path[0][0] != "preds":
        return False
    above: list[Node] = [get(tree, path[:n]) for n in range(1, len(path))]
    return all(isinstance(n, Binary) and n.op == "and" for n in above)


# -- calls --------------------------------------------------------------------------------------------


def claims_of(e: Expr) -> tuple[list[Claim], list[Expr]]:
    """The claims of an assertion, and its other parts."""
    if isinstance(e, Binary) and e.op == "and" and any(isinstance(n, Claim) for _, n in walk(e)):
        (one, rest), (two, others) = claims_of(e.lhs), claims_of(e.rhs)
        return [*one, *two], [*rest, *others]
    return ([e], []) if isinstance(e, Claim) else ([], [e])


def claimed(claim: Claim, shape: tuple[Lin, ...], env: Env) -> tuple[list[Formula], Formula]:
    """What is known of arbitrary elements of an argument, and what a callee asserts of them."""
    one, two = ([Lin.of(Opaque((name, d))) for d in range(len(shape))] for name in ("one place", "another place"))
    inside = [conj(ge(p, 0), lt(p, n)) for place in (one, two) for p, n in zip(place, shape, strict=True)]
    x, y = env.element(claim.sym, one), env.element(claim.sym, two)
    if claim.kind == "within":
        lo, hi = (lin(a, env) for a in claim.args)
        return inside[: len(shape)], conj(ge(x, lo), lt(x, hi))
    if claim.kind == "distinct":
        return [*inside, disj(*map(ne, one, two))], ne(x, y)
    return [*inside, le(one[0], two[0])], le(x, y)


def check_source(place: Place, call: Call, formal: Sym, base: Sym) -> None:
    """Checks what is passed for an argument from which the callee takes indices: it is of the same precision, and the
    caller, too, takes no argument for it that may change."""
    if formal not in indexing(call.f.tree):
        return
    check_steady(place, base)
    own, theirs = declarations(place.tree)[base], declarations(call.f.tree)[formal]
    if element(own) != element(theirs):
        name = call.f.tree.name
        raise place.error(f"{name} takes indices of {element(theirs)} from {formal}, not of {element(own)}")

