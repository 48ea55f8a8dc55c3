"""Whether a call surely runs to its end: asked where code that did not run before is to run.

Imports contents and ir. What the static checks owe (bounds, assertions, aliasing) is not asked again; left
are reads of what was never written, and operations that have no value for some operands.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import build as b
from ..ir.externs import CONVERSIONS, abs_, floordiv, fmax, fmin, relu, select
from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import (
    Alloc,
    Binary,
    Call,
    Const,
    Expr,
    ExternCall,
    Interval,
    Node,
    ProcDef,
    Read,
    ReadConfig,
    WinDim,
    WindowExpr,
)
from ..ir.types import Tensor, Type
from ..ir.walk import Path, get, is_control, walk
from .contents import covered, initialised
from .dependence import SAFE, Clash, Safe, Verdict
from .effects import Blk, windows_at

_TOTAL = (abs_, fmax, fmin, relu, select, *CONVERSIONS.values())


def undefined(n: Node) -> str | None:
    """What an operation on data lacks for a value at some operands; None if it has one for all."""
    match n:
        case ExternCall(f=f, args=args) if f is floordiv and isinstance(args[1], Const) and args[1].value != 0:
            return None
        case ExternCall(f=f) if not any(f is t for t in _TOTAL):
            return f"{f.name} may have no value"
        case Binary(op="/", rhs=rhs) if not is_control(n) and not (isinstance(rhs, Const) and rhs.value != 0):
            return "it may divide by zero"
        case _:
            return None


@memo_by_identity
def partial(tree: ProcDef) -> str | None:
    """Why a procedure may trap though its arguments are initialised; None if it surely does not."""
    for path, n in walk(tree):
        if (lack := undefined(n)) is not None:
            return lack
        match n:
            case ReadConfig(config=c, field=f):
                return f"{c.name}.{f} may not be set"
            case Call(f=callee):
                why = partial(callee.tree)
                if why is not None:
                    return why
            case Alloc(sym=s) if not _written_first(tree, path, s):
                return f"{s.name} may be read before it is written"
            case _:
                pass
    return None


def has_value(tree: ProcDef, path: Path, e: Expr, types: Mapping[Sym, Type]) -> Verdict:
    """Whether a data expression surely has a value at the statement at `path`, if it is in bounds there: it reads
    only what is initialised, and its operations have a value for all operands."""
    views, here = windows_at(tree, path), _only(path)
    for _, n in walk(e):
        if undefined(n) is not None:
            called = isinstance(n, ExternCall)
            return Clash(f"{n.f.name} surely has a value" if called else "the expression does not divide by zero")  # type: ignore[union-attr]
        match n:
            case ReadConfig(config=c, field=f):
                return Clash(f"{c.name}.{f} is set")
            case Read(sym=s):
                base = _base(s, views)
                if not isinstance(initialised(tree, here, base, _whole(types[base])), Safe):
                    return Clash(f"{base.name}, which the expression reads, is initialised")
            case _:
                pass
    return SAFE


def _only(path: Path) -> Blk:
    """The statement at `path` as a block."""
    label, k = path[-1]
    assert k is not None
    return Blk(path[:-1], label, k, k + 1)


def _base(sym: Sym, views: Mapping[Sym, WindowExpr]) -> Sym:
    """The buffer that a window views."""
    while sym in views:
        sym = views[sym].sym
    return sym


def _written_first(tree: ProcDef, path: Path, sym: Sym) -> bool:
    """Whether the buffer allocated at `path` is read only where it was written."""
    label, k = path[-1]
    assert k is not None
    scope = Blk(path[:-1], label, k + 1, len(getattr(get(tree, path[:-1]), label)))
    return scope.lo == scope.hi or isinstance(covered(tree, scope, sym), Safe)


def runs(tree: ProcDef, path: Path, call: Call, types: dict[Sym, Type]) -> Verdict:
    """Whether the call, which may stand at `path`, surely runs to its end; `types` are those in scope there."""
    callee = call.f.tree
    why = partial(callee)
    if why is not None:
        return Clash(f"{callee.name} surely runs to its end ({why})")
    views, here = windows_at(tree, path), _only(path)
    body = Blk((), "body", 0, len(callee.body))
    for formal, actual in zip(callee.args, call.args, strict=True):
        if not isinstance(actual, Read | WindowExpr) or isinstance(covered(callee, body, formal.sym), Safe):
            continue
        base = _base(actual.sym, views)
        verdict = initialised(tree, here, base, _whole(types[base]))
        if isinstance(verdict, Clash):
            return Clash(f"{base.name}, which {callee.name} reads, is initialised")
    return SAFE


def _whole(t: Type | Node) -> list[WinDim]:
    return [Interval(b.ZERO, n) for n in t.shape] if isinstance(t, Tensor) else []
