"""What is owed where a rewrite brings in a call or an expression that was not there: the static checks.

 A new call is checked by itself, in its context: the rest
of the procedure can only be concerned if config fields are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pyrsistent import pmap

from ...cursors.cursor import Cursor
from ...cursors.rewrite import Rewrite
from ...frontend.check_calls import check_call
from ...frontend.check_expr import check_kind
from ...frontend.check_place import Place
from ...frontend.check_views import View, buffer_view
from ...frontend.checks import check, check_own
from ...frontend.errors import CheckError
from ...ir.memory import Memory
from ...ir.names import Sym
from ...ir.nodes import Alloc, Arg, Call, Expr, For, Interval, Node, ProcDef, Stmt, ViewExpr, WindowDef, WindowExpr
from ...ir.types import Control, Tensor, index
from ...ir.walk import Path, get_stmt, in_scope
from ...logic.forms import Env, Lin, lin
from ...logic.questions import Clash, env_of, facts_at, field_facts, if_reached, safety, written_fields
from .refusing import require


def well_formed(rw: Rewrite) -> None:
    """Owed when code is new: all of it is in scope, well typed, in bounds, and calls get what they assert."""
    try:
        check(rw.tree)
    except CheckError as e:
        require(if_reached(rw.tree, e.path, Clash(e.message, e.counterexample)))


def well_formed_at(rw: Rewrite, path: Path) -> None:
    """Owed when an expression of the statement at `path` is new, and its value is that of the old one.

    What else was checked holds as before, as no value is another one: only the statement's own parts are checked.
    """
    try:
        check_own(place_at(rw.tree, path), get_stmt(rw.tree, path))
    except CheckError as e:
        require(if_reached(rw.tree, e.path, Clash(e.message, e.counterexample)))


def in_bounds(tree: ProcDef, e: Expr, at: Path) -> None:
    """Owed of an integer expression that reads buffers and is evaluated before the statement at a path: each element
    exists. Of others nothing is known, so a counterexample might give them any value."""
    try:
        check_kind(place_at(tree, at), e, "integer")
    except CheckError as error:
        require(if_reached(tree, at, Clash(error.message, error.counterexample)))


def still_parallel(rw: Rewrite, nodes: Iterable[tuple[Path, Node]], place: Cursor) -> None:
    """Owed when locations may have become one, or code may run that could not: iterations of parallel loops stay
    apart. `nodes` are those of the new procedure that are concerned."""
    for path, n in nodes:
        if isinstance(n, For) and n.mode != "seq":
            verdict = safety.parallel(rw.tree, path)
            if not verdict:
                verdict = replace(verdict, details=f"afterwards {verdict.details}")
            require(verdict, place)


def call_error(tree: ProcDef, path: Path, call: Call) -> CheckError | None:
    """What stands against a call in the place of the statement at `path`: arguments, extents, strides, bounds,
    assertions of the callee, aliasing. None if nothing does."""
    try:
        check_call(place_at(tree, path), call)
    except CheckError as e:
        return e
    return None


def configs_differ(old: Sequence[Stmt], new: Stmt) -> bool:
    """Whether code after a replaced block may see other config fields change than it did."""
    return bool(written_fields(new)) or any(map(written_fields, old))


# -- what is in scope ---------------------------------------------------------------------------------


def memories_at(tree: ProcDef, path: Path) -> dict[Sym, Memory]:
    """The memories of the buffers and windows in scope just before the statement at `path`."""
    mems: dict[Sym, Memory] = {}
    for _, n in in_scope(tree, path):
        if isinstance(n, Arg | Alloc) and n.mem is not None:
            mems[n.sym] = n.mem
        elif isinstance(n, WindowDef):
            mems[n.sym] = mems[n.rhs.sym]
    return mems


def place_at(tree: ProcDef, path: Path) -> Place:
    """Where the checks of the statement at `path` stand, if all before it has passed."""
    views: dict[Sym, View] = {}
    controls: dict[Sym, Control] = {}
    env = env_of(tree)
    for where, n in in_scope(tree, path):
        if isinstance(n, For):
            controls[n.iter] = index
        elif isinstance(n, WindowDef):
            here = env.at(where)
            rhs = n.rhs
            if isinstance(rhs, ViewExpr):
                views[n.sym] = buffer_view(n.sym, tuple(lin(e, here) for e in rhs.shape), True)
            else:
                views[n.sym] = views[rhs.sym].window(_parts(rhs, here))
        elif isinstance(n.type, Control):
            controls[n.sym] = n.type
        elif isinstance(n.type, Tensor):
            shape = tuple(lin(e, env.at(where)) for e in n.type.shape)
            views[n.sym] = buffer_view(n.sym, shape, not n.type.window)
        else:
            views[n.sym] = buffer_view(n.sym, (), True)
    here = env.at(path)
    facts, of_fields = facts_at(tree, path), field_facts(tree, path, here)
    facts = (*facts, *of_fields) if of_fields else facts  # the very tuple is found faster
    return Place(tree, path, facts, pmap(views), pmap(controls), here)


def _parts(w: WindowExpr, env: Env) -> list[tuple[Lin, Lin | None]]:
    return [(lin(d.lo, env), lin(d.hi, env)) if isinstance(d, Interval) else (lin(d.pt, env), None) for d in w.idx]
