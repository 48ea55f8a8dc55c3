"""What a call owes its callee."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir.cells import indexing, written_args
from ..ir.names import Sym
from ..ir.nodes import Arg, Call, Expr, Interval, ProcDef, Read, WindowExpr
from ..ir.printing import names_at, print_expr
from ..ir.types import Control, Tensor, bool_, size
from ..logic.forms import Env, Lin, cond, eq, ge, lin, stride_of
from .check_cells import check_source, claimed, claims_of, no_cells
from .check_expr import check_access, check_kind, check_window
from .check_place import Place
from .check_views import View, disjoint


@dataclass(frozen=True, slots=True)
class _Actual:
    """A buffer argument: the formal, where the actual is, what it shows, and its strides."""

    formal: Sym
    arg: int
    view: View
    strides: tuple[Lin, ...]


def check_call(place: Place, call: Call) -> None:
    """Checks a call: arguments well typed and in bounds, sizes positive, shapes and strides as the callee
    declares them, its assertions true, and no buffer passed twice if it writes one of the two."""
    callee = call.f.tree
    if len(call.args) != len(callee.args):
        raise place.error(f"{callee.name} takes {len(callee.args)} arguments, {len(call.args)} given")
    # Two passes: a shape may name a size that is passed later.
    env = Env(moment=place.env.moment)
    for k, (formal, actual) in enumerate(zip(callee.args, call.args, strict=True)):
        if isinstance(formal.type, Control):
            env = _pass_control(place, place.at(("args", k)), callee, formal, actual, env)
    buffers: list[_Actual] = []
    for k, (formal, actual) in enumerate(zip(callee.args, call.args, strict=True)):
        if not isinstance(formal.type, Control):
            passed = _pass_data(place, k, callee, formal, actual, env)
            if passed is not None:
                buffers.append(passed)
                for d, stride in enumerate(passed.strides):
                    env = env.bind_stride(formal.sym, d, stride)
    shapes = {b.formal: b.view.shape for b in buffers}
    for b in buffers:
        check_source(place.at(("args", b.arg)), call, b.formal, b.view.base)
        env = env.hold(b.formal, (b.view.base, tuple((d.offset, d.kept) for d in b.view.dims)))
    for pred in callee.preds:
        claims, others = claims_of(pred)
        for e in others:
            place.require(cond(e, env), _false(callee, e))
        for claim in claims:
            known, goal = claimed(claim, shapes[claim.sym], env)
            place.know(known).require(goal, _false(callee, claim))
    _check_aliases(place, call, buffers)


def _false(callee: ProcDef, pred: Expr) -> str:
    return f"{callee.name} asserts {print_expr(pred, names_at(callee))}, which may be false here"


def _pass_control(place: Place, here: Place, callee: ProcDef, formal: Arg, actual: Expr, env: Env) -> Env:
    if formal.type == bool_:
        check_kind(here, actual, "truth value")
        return env.bind_bool(formal.sym, place.truth(actual))
    check_kind(here, actual, "integer")
    value = place.number(actual)
    if formal.type == size:
        no_cells(here, actual, f"size argument {formal.sym} of {callee.name}")
        message = f"{callee.name}: size argument {formal.sym} may be less than 1"
        place.require(ge(value, 1), message, f"{formal.sym} is {{}}", value)
    return env.bind(formal.sym, value)


def _pass_data(place: Place, k: int, callee: ProcDef, formal: Arg, actual: Expr, env: Env) -> _Actual | None:
    """The buffer that is passed; None if it is a value."""
    here = place.at(("args", k))
    if isinstance(formal.type, Tensor):
        passed = _tensor_actual(here, k, callee, formal, actual)
        _check_shape(place, callee, formal, passed, formal.type, env)
        return passed
    if isinstance(actual, Read):
        return _Actual(formal.sym, k, check_access(here, actual.sym, actual.idx), ())
    check_kind(here, actual, "number")
    if formal.sym in indexing(callee):
        raise here.error(f"{callee.name} takes an index from {formal.sym}: pass an argument, not {here.show(actual)}")
    if formal.sym in written_args(callee):
        raise here.error(f"{callee.name} writes its argument {formal.sym}: pass a variable, not {here.show(actual)}")
    return None


def _tensor_actual(here: Place, k: int, callee: ProcDef, formal: Arg, actual: Expr) -> _Actual:
    match actual:
        case WindowExpr(sym=s, idx=idx):
            view = check_window(here, actual)
            kept = [d for d, i in enumerate(idx) if isinstance(i, Interval)]
            return _Actual(formal.sym, k, view, tuple(stride_of(s, d) for d in kept))
        case Read(sym=s, idx=idx) if not idx:
            view = here.view(s)
            strides = tuple(stride_of(s, d) for d in range(view.rank))
            return _Actual(formal.sym, k, view, strides)
        case _:
            raise here.error(f"{callee.name}: argument {formal.sym} is a tensor; {here.show(actual)} is not")


def _check_shape(place: Place, callee: ProcDef, formal: Arg, passed: _Actual, t: Tensor, env: Env) -> None:
    here = place.at(("args", passed.arg))
    if not t.window and not passed.view.whole:
        raise here.error(f"{callee.name}: argument {formal.sym} is a whole dense tensor, not a window")
    if passed.view.rank != len(t.shape):
        message = f"argument {formal.sym} has {len(t.shape)} dimensions, {passed.view.rank} given"
        raise here.error(f"{callee.name}: {message}")
    for d, e in enumerate(t.shape):
        declared, given = lin(e, env), passed.view.shape[d]
        numbers, text = "extent {} declared, {} given", f"{callee.name}: dimension {d} of argument {formal.sym}"
        here.require(eq(declared, given), f"{text} may differ from what is passed", numbers, declared, given)
        here.require(ge(declared, 1), f"{text} may be empty", numbers, declared, given)


def _check_aliases(place: Place, call: Call, buffers: list[_Actual]) -> None:
    written = written_args(call.f.tree)
    for n, b in enumerate(buffers):
        for a in buffers[:n]:
            if a.view.base != b.view.base or not (a.formal in written or b.formal in written):
                continue
            writes = a.formal if a.formal in written else b.formal
            message = (
                f"{call.f.tree.name}: arguments {a.formal} and {b.formal} may overlap in "
                f"{place.name(a.view.base)}, and {writes} is written"
            )
            place.at(("args", b.arg)).require(disjoint(a.view, b.view), message)

