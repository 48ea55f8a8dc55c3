"""Static checks of a procedure: scopes, types, bounds, extents, calls.

What has passed is remembered on the statement, with what was known and in scope there: after an edit
only the statements on its path, and those it tells something new, are checked again.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

from pyrsistent import pmap

from ..ir.cells import has_cells
from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import Alloc, Assign, Block, Call, For, If, ProcDef, Reduce, Stmt, ViewExpr, WindowDef, WriteConfig
from ..ir.outside import two_of_one_name
from ..ir.types import Control, DataType, Tensor, index, size
from ..ir.walk import mentions
from ..logic.effects import (
    asks_config,
    asks_itself,
    branch_facts,
    conditions_at,
    declared_facts,
    depends_on_fields,
    entry_facts,
    env_of,
    field_facts,
    range_facts,
    stable_facts,
    values_at,
)
from ..logic.forms import cond, ge, unknown
from ..logic.solver import Unsat, satisfiable
from .check_calls import check_call
from .check_cells import check_indexing, in_range, no_cells
from .check_expr import check_access, check_kind, check_kind_of_field, check_window
from .check_place import Place
from .check_reshaped import check_names, check_view
from .check_views import buffer_view
from .scope import declarations


@memo_by_identity
def check(tree: ProcDef) -> None:
    """Checks `tree`; returns if all is well.

    Everything must be in scope and well typed; every access, through windows, calls and externs too, must
    be within its buffer; extents and size arguments must be positive; callees' assertions must hold; and
    no call may write a buffer that it also sees under another name.

    Raises `errors.CheckError` with the path of what is wrong, a message, and a counterexample if there is one.
    """
    place = _check_signature(tree)
    _check_block(place.know(entry_facts(tree)), "body", tree.body)


def _check_signature(tree: ProcDef) -> Place:
    """Checks arguments and assertions; the place inside, knowing what is assumed of the control arguments."""
    place = Place(tree, (), (), pmap(), pmap(), env_of(tree))
    _check_names(place, tree)
    for k, a in enumerate(tree.args):
        if isinstance(a.type, Control):
            place = place.at(("args", k)).with_control(a.sym, a.type).back(place.path)
    place = place.know(ge(unknown(a.sym), 1) for a in tree.args if a.type == size)
    for k, a in enumerate(tree.args):
        if not isinstance(a.type, Control):
            place = _bring_in(place.at(("args", k)), a.sym, a.type).back(place.path)
    for k, p in enumerate(tree.preds):
        check_kind(place.at(("preds", k)), p, "truth value")
        place = place.know(stable_facts(p, place.env))
    # Extents are positive because of sizes and assertions: only what follows may rely on them.
    place = place.know(field_facts(tree, (), place.env))
    for k, a in enumerate(tree.args):
        if isinstance(a.type, Tensor):
            _check_extents(place.at(("args", k)), a.sym, a.type)
    check_indexing(place)
    if not admits_some(tree):
        raise place.at(*[("preds", len(tree.preds) - 1)][: len(tree.preds)]).error(NEVER_CALLED)
    return place


NEVER_CALLED = "no arguments meet all that is asserted: the procedure could never be called"


@memo_by_identity
def admits_some(tree: ProcDef) -> bool:
    """Whether some values of the arguments, and of config fields and data, meet the assertions of `tree` together."""
    if not tree.preds:
        return True
    env = env_of(tree)
    asked = (*entry_facts(tree), *field_facts(tree, (), env), *(cond(p, env) for p in tree.preds))
    return not isinstance(satisfiable(asked, f"some arguments meet what {tree.name} asserts"), Unsat)


def _check_names(place: Place, tree: ProcDef) -> None:
    """Checks what is called by which name: the procedure, its arguments, what it mentions from outside of it."""
    place.check_name(tree.name, "a procedure")
    seen: set[str] = set()
    for k, a in enumerate(tree.args):
        if a.sym.name in seen:
            raise place.at(("args", k)).error(f"two arguments are called {a.sym}")
        seen.add(a.sym.name)
    if (name := two_of_one_name(tree)) is not None:
        raise place.error(two_things(name, tree.name))


def two_things(name: str, where: str) -> str:
    """What is wrong with a program in which a name means two things."""
    return (
        f"two different things are called {name} in {where} and what it calls: a config, memory or extern function "
        "needs a name of its own"
    )


def _bring_in(place: Place, sym: Sym, t: DataType) -> Place:
    """With a buffer of type `t` in scope; its shape is checked, but for extents being positive."""
    if not isinstance(t, Tensor):
        return in_range(place.with_view(sym, buffer_view(sym, (), True)), sym, t)
    for d, e in enumerate(t.shape):
        check_kind(place.at(("type", None), ("shape", d)), e, "integer")
    shape = tuple(place.number(e) for e in t.shape)
    return in_range(place.with_view(sym, buffer_view(sym, shape, not t.window)), sym, t)


def _check_extents(place: Place, sym: Sym, t: Tensor) -> None:
    for d, extent in enumerate(place.view(sym).shape):
        message = partial(_short, place, sym, t, d)
        place.at(("type", None), ("shape", d)).require(ge(extent, 1), message, "extent {}", extent)


def _short(place: Place, sym: Sym, t: Tensor, d: int) -> str:
    return f"{place.name(sym)}: extent {place.show(t.shape[d])} of dimension {d} may be less than 1"


def _check_block(place: Place, label: str, stmts: Block) -> None:
    if not stmts:
        if label == "body":
            raise place.error("this block is empty; it needs at least a pass")
        return
    path = place.path
    check_names(place, label, stmts)
    for k, s in enumerate(stmts):
        place = _check_stmt(place.begin((*path, (label, k))), s)


def _check_stmt(place: Place, s: Stmt) -> Place:
    """Checks `s`; where the next statement stands, with what `s` brings into scope."""
    if isinstance(s, Alloc | WindowDef):
        place = _knowing_fields(place, s)
    if isinstance(s, Alloc):
        after = _bring_in(place, s.sym, s.type)
        if isinstance(s.type, Tensor):
            _check_extents(after, s.sym, s.type)
            after = after.know(declared_facts(s))
        return after
    if isinstance(s, WindowDef):
        at = place.at(("rhs", None))
        view = check_view(at, s.sym, s.rhs) if isinstance(s.rhs, ViewExpr) else check_window(at, s.rhs)
        seen = place.with_view(s.sym, view).know(declared_facts(s))
        return in_range(seen, s.sym, declarations(place.tree)[s.sym]) if has_cells(place.tree) else seen
    passed = _passed(s)
    known = _signature(place, s)
    if known not in passed:
        _check_closed(place, s)
        passed.add(known)
    return place


@memo_by_identity
def _passed(s: Stmt) -> set[Hashable]:
    """The circumstances in which `s` passed."""
    return set()


def _signature(place: Place, s: Stmt) -> Hashable:
    """All that the checks of `s` depend on: the facts, what its variables are, of which types where indices are taken
    from them, and what is known of config fields if `s` reads any, or something is known of them and variables."""
    used = sorted(mentions(s), key=lambda sym: sym.id)
    types = tuple(map(declarations(place.tree).get, used)) if has_cells(s) else ()
    scope = tuple((sym, place.views.get(sym), place.controls.get(sym)) for sym in used)
    tree, path = place.tree, place.path
    conditions = conditions_at(tree, path) if depends_on_fields(tree) else ()
    return place.facts, scope, types, conditions, values_at(tree, path) if conditions or asks_config(s) else None


def _knowing_fields(place: Place, s: Stmt) -> Place:
    """The place with what is known of config fields at its moment, as far as that matters to `s` itself."""
    tree, path = place.tree, place.path
    if not depends_on_fields(tree) or not (asks_itself(s) or conditions_at(tree, path)):
        return place
    return place.know(field_facts(tree, path, place.env))


def check_own(place: Place, s: Stmt) -> None:
    """Checks the expressions of `s` itself, not the blocks that it may hold. Raises `errors.CheckError`."""
    if isinstance(s, For | If):
        _check_head(_knowing_fields(place, s), s)
    else:
        _check_stmt(place, s)


def _check_head(place: Place, s: For | If) -> None:
    """Checks a loop's bounds, or a branch's condition."""
    if isinstance(s, For):
        check_kind(place.at(("lo", None)), s.lo, "integer")
        check_kind(place.at(("hi", None)), s.hi, "integer")
    else:
        check_kind(place.at(("cond", None)), s.cond, "truth value")


def _check_closed(place: Place, s: Stmt) -> None:
    """Checks a statement that brings nothing into scope."""
    here = _knowing_fields(place, s)
    match s:
        case Assign(sym=sym, idx=idx, rhs=rhs) | Reduce(sym=sym, idx=idx, rhs=rhs):
            check_access(here, sym, idx)
            check_kind(here.at(("rhs", None)), rhs, "number")
        case For(iter=it, body=body):
            _check_head(here, s)
            inner = place.with_control(it, index).know(range_facts(s))
            _check_block(inner, "body", body)
        case If(body=body, orelse=orelse):
            _check_head(here, s)
            _check_block(place.know(branch_facts(s, "body", place.env)), "body", body)
            _check_block(place.know(branch_facts(s, "orelse", place.env)), "orelse", orelse)
        case Call():
            check_call(here, s)
        case WriteConfig():
            _check_write(here, s)
        case _:
            return


def _check_write(place: Place, s: WriteConfig) -> None:
    """Checks a write to a config field: a value of its kind, and positive if it is a size."""
    kind = check_kind_of_field(place, s.config, s.field)
    if kind != "number":
        no_cells(place, s.rhs, "the value of a config field")
    check_kind(place.at(("rhs", None)), s.rhs, kind)
    if s.config.fields[s.field] == size:
        value, message = place.number(s.rhs), f"{s.config.name}.{s.field} is a size, and may be set to less than 1"
        place.at(("rhs", None)).require(ge(value, 1), message, "the value is {}", value)
