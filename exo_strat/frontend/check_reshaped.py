"""Buffers with other extents: `w = x.view(n, m)`."""

from __future__ import annotations

from functools import reduce
from itertools import product as product_of
from typing import Final

from ..ir.cells import has_views
from ..ir.names import Sym
from ..ir.nodes import Block, ViewExpr, WindowDef
from ..ir.walk import mentions
from ..logic.effects import show_model, windows_at
from ..logic.forms import Atom, Leaf, Lin, Model, Mul, V, atoms, eq, ge, is_opaque, product, subst, value_of
from ..logic.solver import Sat, satisfiable
from .check_cells import no_cells
from .check_expr import check_kind
from .check_place import Place
from .check_views import View, buffer_view

MOST_UNKNOWNS: Final = 4
"""In how many sizes an example is looked for."""


def check_view(place: Place, sym: Sym, e: ViewExpr) -> View:
    """Checks that a buffer with other extents is made of a dense buffer, and has as many elements; the buffer."""
    base = place.view(e.sym)
    if not base.whole or base.rank == 0 or e.sym in windows_at(place.tree, place.path):
        what = f"{place.name(e.sym)} is no tensor that is an argument or allocated"
        raise place.error(f"{place.show(e)}: {what}: only such a dense one has other extents")
    if base.rank != e.rank or not e.shape:
        raise place.error(f"{place.show(e)}: of {base.rank} dimensions it can't be made so")
    for k, n in enumerate(e.shape):
        check_kind(place.at(("shape", k)), n, "integer")
        no_cells(place, n, "an extent")
        if is_opaque(n):
            raise place.error(f"{place.show(n)}: an extent of {place.name(sym)} may change")
    shape = tuple(map(place.number, e.shape))
    for n, extent in zip(e.shape, shape, strict=True):
        message = f"extent {place.show(n)} of {place.name(sym)} may be less than 1"
        place.require(ge(extent, 1), message, "extent {}", extent)
    before, after = (reduce(product, given, Lin(1)) for given in (base.shape, shape))
    message = f"{place.show(e)} may have more elements than {place.name(e.sym)}, or fewer"
    example = None if before == after else _difference(place, before, after)
    if example is not None:  # of products the solver knows little, and sizes that differ are small
        sizes = ", ".join(f"{name} = {n}" for name, n in show_model(place.tree, example).items())
        numbers = f"{value_of(after, example)}, and not {value_of(before, example)}"
        raise place.error(f"{message}; for example {sizes}: {numbers}", example)
    place.require(eq(before, after), message, "{}, and not {}", after, before)
    return buffer_view(sym, shape, True)


def _difference(place: Place, before: Lin, after: Lin) -> Model | None:
    """Small sizes for which two numbers of elements differ, that meet what is known."""
    mentioned = [a for x in (before, after) for a in atoms(eq(x, 0))]
    unknowns = list(dict.fromkeys(a for a in mentioned if isinstance(a, V)))
    if len(unknowns) > MOST_UNKNOWNS or any(not isinstance(a, V | Mul) for a in mentioned):
        return None
    for values in product_of((1, 2, 3), repeat=len(unknowns)):
        model: dict[Leaf, int | bool] = dict(zip(unknowns, values, strict=True))
        if value_of(before, model) != value_of(after, model):
            pins: dict[Atom, Lin] = {a: Lin(n) for a, n in zip(unknowns, values, strict=True)}
            if isinstance(satisfiable([subst(f, pins) for f in place.facts]), Sat):
                return model
    return None


def check_names(place: Place, label: str, stmts: Block) -> None:
    """Checks of a block that nothing names a buffer while one that it has become with other extents lives: up to the
    last statement that uses that, or a window of it."""
    if not has_views(place.tree):
        return
    path = place.path
    for k, s in enumerate(stmts):
        if not isinstance(s, WindowDef) or not isinstance(s.rhs, ViewExpr):
            continue
        own, last = _life(stmts, k, s.sym)
        views = windows_at(place.tree, (*path, (label, last + 1)))
        for j in range(k + 1, last + 1):
            for named in sorted(mentions(stmts[j]) - own, key=lambda sym: sym.id):
                base = named
                while base in views:
                    base = views[base].sym
                if base == s.rhs.sym:
                    what = f"{place.name(named)} is named while {place.name(s.sym)} is used, which has its elements"
                    raise place.back((*path, (label, j))).error(what)


def _life(stmts: Block, k: int, sym: Sym) -> tuple[frozenset[Sym], int]:
    """What names the elements of a buffer that the k-th statement of a block makes, and the last one that does."""
    own, last = {sym}, k
    for j in range(k + 1, len(stmts)):
        s = stmts[j]
        if own & mentions(s):
            last = j
            if isinstance(s, WindowDef):
                own.add(s.sym)
    return frozenset(own), last
