"""Whether a call surely runs to its end: asked where code that did not run before is to run.

Imports contents and ir. What the static checks owe (bounds, assertions, aliasing) is not asked again; left
are reads of what was never written, and operations that have no value for some operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.externs import CONVERSIONS, abs_, floordiv, fmax, fmin, relu, select
from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import Alloc, Binary, Call, Const, Expr, ExternCall, Node, ProcDef, Read, ReadConfig, WindowExpr
from ..ir.printing import names_at
from ..ir.walk import Path, get, is_control, walk
from .contents import covered, ready
from .context import facts_at
from .coverage import cover
from .dependence import SAFE, Clash, Given, Readiness, Safe, buffer_name
from .effects import Access, Blk, Buffer, block_accesses, reads_of, resolve, windows_at

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


def has_value(tree: ProcDef, blk: Blk, e: Expr) -> Readiness:
    """Whether a data expression surely has a value right before a run of statements, if it is in bounds there: it
    reads only what is initialised, and its operations have a value for all operands."""
    for _, n in walk(e):
        if undefined(n) is not None:
            called = isinstance(n, ExternCall)
            return Clash(f"{n.f.name} surely has a value" if called else "the expression does not divide by zero")  # type: ignore[union-attr]
        if isinstance(n, ReadConfig):
            return Clash(f"{n.config.name}.{n.field} is set")
    views = windows_at(tree, blk.path())
    return _all_ready(tree, blk, [resolve(r, views) for r in reads_of(e)], "the expression")


def _all_ready(tree: ProcDef, blk: Blk, reads: Sequence[Access], who: str) -> Readiness:
    """Whether what some reads need is there, told of the first buffer of which it is not."""
    needs: set[Sym] = set()
    for r in reads:
        verdict = ready(tree, blk, [r])
        if isinstance(verdict, Clash):
            what = f"{buffer_name(r.buffer, names_at(tree))}, which {who} reads, is initialised"
            return Clash(what, unknown=verdict.unknown)
        if isinstance(verdict, Given):
            needs |= verdict.needs
    return Given(frozenset(needs)) if needs else SAFE


def _written_first(tree: ProcDef, path: Path, sym: Sym) -> bool:
    """Whether the buffer allocated at `path` is read only where it was written."""
    label, k = path[-1]
    assert k is not None
    scope = Blk(path[:-1], label, k + 1, len(getattr(get(tree, path[:-1]), label)))
    return scope.lo == scope.hi or isinstance(covered(tree, scope, sym), Safe)


def runs(tree: ProcDef, blk: Blk, call: Call) -> Readiness:
    """Whether the call, which may stand right before a run of statements, or in the place of the first, surely runs
    to its end."""
    callee = call.f.tree
    why = partial(callee)
    if why is not None:
        return Clash(f"{callee.name} surely runs to its end ({why})")
    return arguments_ready(tree, blk, call, frozenset(a.sym for a in callee.args))


def arguments_ready(tree: ProcDef, blk: Blk, call: Call, formals: frozenset[Sym]) -> Readiness:
    """Whether all that a call reads of the buffers that it gets by some arguments, before it writes it, is initialised
    right before a run of statements, where the call is to stand; or is read by the statements themselves."""
    callee, views = call.f.tree, windows_at(tree, blk.path())
    body = Blk((), "body", 0, len(callee.body))
    bases: set[Buffer] = set()
    for formal, actual in zip(callee.args, call.args, strict=True):
        buffer = formal.sym in formals and isinstance(actual, Read | WindowExpr)
        if buffer and not isinstance(covered(callee, body, formal.sym), Safe):
            bases.add(_base(actual.sym, views))  # type: ignore[union-attr]
    if not bases:
        return SAFE
    found = [a for a in block_accesses([call], views) if a.buffer in bases]
    facts, writes = facts_at(tree, blk.path()), [a for a in found if a.kind == "W"]
    what = "the call writes it first"
    reads = [a for a in found if a.reads and not isinstance(cover(tree, facts, a, writes, what), Safe)]
    return _all_ready(tree, blk, reads, callee.name)


def _base(sym: Sym, views: Mapping[Sym, WindowExpr]) -> Sym:
    """The buffer that a window views."""
    while sym in views:
        sym = views[sym].sym
    return sym
