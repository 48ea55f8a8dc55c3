"""What a procedure's variables are, and what its calls write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..kernel import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Call,
    Const,
    Control,
    Expr,
    For,
    Interval,
    Memory,
    Path,
    ProcDef,
    Read,
    Reduce,
    Scalar,
    Sym,
    Tensor,
    Unary,
    Var,
    ViewExpr,
    WindowDef,
    WindowExpr,
    concrete,
    declarators,
    statements,
    walk,
)
from .errors import CallError, MemoryAccessError, Objection, marked
from .memory import CMemory, c_memory


@dataclass(frozen=True, slots=True)
class Data:
    """A buffer or a view of one: its precision, number of dimensions (0 for a single value), whether
    it may be strided, where it lives, and the argument or allocation that owns the cells."""

    scalar: Scalar
    rank: int
    window: bool
    mem: CMemory
    owner: Sym


def _memory(tree: ProcDef, path: Path, memory: Memory) -> CMemory:
    try:
        return c_memory(memory)
    except Objection as e:
        raise marked(MemoryAccessError, tree, path, str(e)) from e


def data_symbols(tree: ProcDef) -> Mapping[Sym, Data]:
    """What each data variable of a procedure is."""
    out: dict[Sym, Data] = {}
    for path, n in walk(tree):
        match n:
            case Arg(sym=s, type=Scalar() as t, mem=m) | Alloc(sym=s, type=Scalar() as t, mem=m) if m is not None:
                out[s] = Data(concrete(t), 0, False, _memory(tree, path, m), s)
            case Arg(sym=s, type=Tensor() as t, mem=m) | Alloc(sym=s, type=Tensor() as t, mem=m) if m is not None:
                out[s] = Data(concrete(t.base), len(t.shape), t.window, _memory(tree, path, m), s)
            case WindowDef(sym=s, rhs=w):
                base = out[w.sym]
                reshaped = isinstance(w, ViewExpr)
                rank = len(w.shape) if isinstance(w, ViewExpr) else kept_dims(w)
                out[s] = Data(base.scalar, rank, not reshaped, base.mem, base.owner)
            case _:
                pass
    return out


def kept_dims(w: WindowExpr) -> int:
    """How many dimensions a window has."""
    return sum(isinstance(d, Interval) for d in w.idx)


def written_args(tree: ProcDef, symbols: Mapping[Sym, Data], of_callee: Mapping[int, frozenset[int]]) -> frozenset[int]:
    """The positions of the data arguments that a procedure, or what it calls, may write. `of_callee`
    has the answer for each callee, by the identity of its tree."""
    position = {a.sym: i for i, a in enumerate(tree.args)}
    out: set[int] = set()

    def note(sym: Sym) -> None:
        owner = symbols[sym].owner
        if owner in position:
            out.add(position[owner])

    for path, n in statements(tree):
        if isinstance(n, Assign | Reduce):
            note(n.sym)
        elif isinstance(n, Call):
            for i in sorted(of_callee[id(n.f.tree)]):
                arg = n.args[i]
                if not isinstance(arg, Read | WindowExpr):
                    message = f"argument {i + 1} of {n.f.tree.name} is written there, so it must name a buffer"
                    raise marked(CallError, tree, path, message)
                note(arg.sym)
    return frozenset(out)


Range = tuple[int | None, int | None]
"""The least and greatest value of a control expression, where known."""


def ranges(tree: ProcDef) -> Mapping[Sym, Range]:
    """Constant bounds of the control variables, from their types and loops."""
    out: dict[Sym, Range] = {}
    for n in declarators(tree):
        match n:
            case Arg(sym=s, type=Control(name="size")):
                out[s] = (1, None)
            case For(iter=s, lo=lo, hi=hi):
                top = bounds(hi, out)[1]
                out[s] = (bounds(lo, out)[0], None if top is None else top - 1)
            case _:
                pass
    return out


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _extremum(op: str, a: Range, b: Range) -> Range:
    """Bounds of the smaller or larger of two values."""
    if op == "max":
        return _negate(_extremum("min", _negate(a), _negate(b)))
    greatest = [x for x in (a[1], b[1]) if x is not None]
    least = None if a[0] is None or b[0] is None else min(a[0], b[0])
    return (least, min(greatest, default=None))


def _negate(r: Range) -> Range:
    lo, hi = r
    return (None if hi is None else -hi, None if lo is None else -lo)


def _scale(r: Range, c: int) -> Range:
    lo, hi = r if c >= 0 else _negate(r)
    return (None if lo is None else abs(c) * lo, None if hi is None else abs(c) * hi)


def bounds(e: Expr, known: Mapping[Sym, Range]) -> Range:
    """Constant bounds of an integer expression: cheap, and right where it answers."""
    match e:
        case Const(value=v):
            return (int(v), int(v))
        case Var(sym=s):
            return known.get(s, (None, None))
        case Unary(op="-", arg=a):
            return _negate(bounds(a, known))
        case Binary(op="+" | "-", lhs=a, rhs=b):
            (alo, ahi), (blo, bhi) = bounds(a, known), bounds(b, known)
            if e.op == "-":
                blo, bhi = _negate((blo, bhi))
            return (_plus(alo, blo), _plus(ahi, bhi))
        case Binary(op="*", lhs=Const(value=c), rhs=b) | Binary(op="*", lhs=b, rhs=Const(value=c)):
            return _scale(bounds(b, known), int(c))
        case Binary(op="*", lhs=a, rhs=b):
            (alo, _), (blo, _) = bounds(a, known), bounds(b, known)
            both = alo is not None and blo is not None and alo >= 0 and blo >= 0
            return (alo * blo if both and alo is not None and blo is not None else None, None)
        case Binary(op="/", lhs=a, rhs=Const(value=c)):
            lo, hi = bounds(a, known)
            return (None if lo is None else lo // int(c), None if hi is None else hi // int(c))
        case Binary(op="%", rhs=Const(value=c)):
            return (0, int(c) - 1)
        case Binary(op="min" | "max" as op, lhs=a, rhs=b):
            return _extremum(op, bounds(a, known), bounds(b, known))
        case _:
            return (None, None)
