"""The checks before printing (paper, A.7): memories, calls, windows, parallel loops.

Precision is in `precision.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from ..kernel import (
    Alloc,
    Arg,
    Assign,
    Binary,
    Call,
    Config,
    Const,
    Control,
    Expr,
    ExternCall,
    ExternFn,
    For,
    Instr,
    Interval,
    Memory,
    Node,
    Path,
    Point,
    ProcDef,
    Read,
    ReadConfig,
    Reduce,
    Scalar,
    StrideExpr,
    Sym,
    Tensor,
    WindowExpr,
    WriteConfig,
    concrete,
    declarators,
    holds_everywhere,
    iterations_apart,
    names_at,
    statements,
    walk,
)
from .errors import (
    BackendError,
    CallError,
    MemoryAccessError,
    NameClashError,
    Objection,
    PrecisionError,
    RaceError,
    marked,
)
from .memory import c_memory
from .precision import check_precisions, check_value
from .program import Program
from .symbols import Data, kept_dims
from .threads import check_threads


def check(program: Program) -> None:
    """Raise the `BackendError` of the first rule that a function of the program breaks."""
    check_names(program)
    for f in program.functions:
        check_precisions(f.tree, f.data)
        check_accesses(f.tree, f.data)
        check_existence(f.tree, f.data)
        check_calls(f.tree, f.data)
        check_loops(f.tree)
        check_threads(f.tree, f.data, program.by_tree)
    check_registers(program)


def check_names(program: Program) -> None:
    """A name means one memory, config or extern function in all of the module."""
    known: dict[str, object] = {}
    for f in program.by_tree.values():
        for path, n in walk(f.tree):
            thing = _named(n)
            if thing is not None and known.setdefault(thing.name, thing) != thing:
                raise marked(NameClashError, f.tree, path, f"two different things are called {thing.name}; rename one")


def _named(n: Node) -> Memory | Config | ExternFn | None:
    match n:
        case Alloc(mem=mem) | Arg(mem=mem):
            return mem
        case ReadConfig(config=config) | WriteConfig(config=config):
            return config
        case ExternCall(f=f) if not f.converts:  # a conversion goes by the name of a type
            return f
        case _:
            return None


def check_registers(program: Program) -> None:
    """Config state that instructions ask for or set is the hardware's: other code neither reads nor writes it, as
    that would be a variable of the processor."""
    calls = [n for f in program.functions for n in declarators(f.tree) if isinstance(n, Call)]
    called = [program.by_tree[id(n.f.tree)] for n in calls]
    instructions = [f.tree for f in called if f.tree.instr is not None]
    registers = {n.config for tree in instructions for _, n in walk(tree) if isinstance(n, ReadConfig | WriteConfig)}
    for f in program.functions:
        for path, n in walk(f.tree):
            if isinstance(n, ReadConfig | WriteConfig) and n.config in registers and path[0][0] != "preds":
                verb = "read" if isinstance(n, ReadConfig) else "set"
                message = f"{n.config.name} is a register of the hardware, so it can be {verb} by instructions only"
                raise marked(MemoryAccessError, f.tree, path, f"{message}; replace this by one")


def check_accesses(tree: ProcDef, data: Mapping[Sym, Data]) -> None:
    """Memories that only instructions may touch are touched by nothing else."""
    passed = {(*path, ("args", i)) for path, n in statements(tree) if isinstance(n, Call) for i in range(len(n.args))}
    for path, n in walk(tree):
        if isinstance(n, Assign | Reduce) or (isinstance(n, Read) and path not in passed):
            mem = data[n.sym].mem
            if not mem.direct:
                verb = "read" if isinstance(n, Read) else "written"
                name = names_at(tree)[n.sym]
                message = f"{name} lives in {mem}, so it can be {verb} by instructions only; replace this by one"
                raise marked(MemoryAccessError, tree, path, message)


def check_existence(tree: ProcDef, data: Mapping[Sym, Data]) -> None:
    """Of buffers that do not have all elements within their extents, only those are accessed that are there."""
    for path, n in walk(tree):
        if not (isinstance(n, Assign | Reduce | Read | WindowExpr) and n.idx):
            continue
        mem = data[n.sym].mem
        for corner in product(*map(_ends, n.idx)):
            condition = mem.exists(corner)
            if condition is None:
                break
            if len(corner) != data[data[n.sym].owner].rank:
                message = f"{n.sym} is a window on a buffer in {mem}, which lacks elements; access the buffer itself"
                raise marked(MemoryAccessError, tree, path, message)
            if not holds_everywhere(tree, path, condition):
                message = f"{mem} lacks elements within the extents of {n.sym}; that all of this is there is not known"
                raise marked(MemoryAccessError, tree, path, message)


def _ends(at: Expr | Point | Interval) -> tuple[Expr, ...]:
    """The first and the last index along a dimension of a window, or the only one."""
    if isinstance(at, Interval):
        return at.lo, Binary("-", at.hi, Const(1, Control("int")))
    return (at.pt if isinstance(at, Point) else at,)


def check_calls(tree: ProcDef, data: Mapping[Sym, Data]) -> None:
    """Arguments agree with parameters in precision, memory and being a window or a tensor."""
    for path, n in statements(tree):
        if not isinstance(n, Call):
            continue
        for formal, actual in zip(n.f.tree.args, n.args, strict=True):
            if isinstance(formal.type, Control):
                continue
            try:
                _check_argument(formal, actual, n.f.tree.instr, data)
                if isinstance(formal.type, Tensor) and not formal.type.window and n.f.tree.instr is None:
                    _check_dense(tree, path, actual, data)
            except _Mismatch as e:
                where = f"argument {formal.sym} of {n.f.tree.name}: {e}"
                raise marked(e.error, tree, path, where) from e
            except Objection as e:
                where = f"argument {formal.sym} of {n.f.tree.name}: {e}"
                raise marked(PrecisionError, tree, path, where) from e


class _Mismatch(Exception):
    """A broken rule and the error that it becomes."""

    def __init__(self, error: type[BackendError], message: str) -> None:
        super().__init__(message)
        self.error = error


def _check_argument(formal: Arg, actual: Expr, instr: Instr | None, data: Mapping[Sym, Data]) -> None:
    scalar = concrete(formal.type.base if isinstance(formal.type, Tensor) else _scalar(formal))
    if not isinstance(actual, Read | WindowExpr):
        check_value(actual, scalar, data)
        return
    have = data[actual.sym]
    if have.scalar != scalar:
        raise _Mismatch(PrecisionError, f"it is {scalar} there and {have.scalar} here; set_precision on one")
    assert formal.mem is not None
    if not c_memory(formal.mem).accepts(have.mem):
        raise _Mismatch(CallError, f"it is in {formal.mem} there and in {have.mem} here; set_memory on one")
    if instr is None and not have.mem.pointers:
        raise _Mismatch(CallError, f"{actual.sym} lives in {have.mem}, which only instructions take; inline the call")
    if isinstance(formal.type, Tensor):
        rank = kept_dims(actual) if isinstance(actual, WindowExpr) else have.rank - len(actual.idx)
        if rank != len(formal.type.shape) or (isinstance(actual, Read) and actual.idx):
            raise _Mismatch(CallError, f"it has {len(formal.type.shape)} dimensions there and {rank} here")
    elif isinstance(actual, WindowExpr) or have.rank != len(actual.idx):
        raise _Mismatch(CallError, "it is a single value there; pass one element")


def _scalar(formal: Arg) -> Scalar:
    assert isinstance(formal.type, Scalar)
    return formal.type


def _check_dense(tree: ProcDef, path: Path, actual: Expr, data: Mapping[Sym, Data]) -> None:
    """A window that is passed as a dense tensor has a dense tensor's strides."""
    if not isinstance(actual, WindowExpr):
        dense = isinstance(actual, Read) and not data[actual.sym].window
        if not dense:
            raise _Mismatch(CallError, "it is a dense tensor there and a window here; set_window on the parameter")
        return
    kept = [(d, i) for d, i in enumerate(actual.idx) if isinstance(i, Interval)]
    want: Expr = Const(1, Control("int"))
    for d, i in reversed(kept):
        if not holds_everywhere(tree, path, Binary("==", StrideExpr(actual.sym, d), want)):
            raise _Mismatch(CallError, "it is a dense tensor there and a window here; set_window on the parameter")
        want = Binary("*", Binary("-", i.hi, i.lo), want)


def check_loops(tree: ProcDef) -> None:
    """`par` and `vec` loops have independent iterations."""
    for path, n in statements(tree):
        if isinstance(n, For) and n.mode != "seq":
            verdict = iterations_apart(tree, path)
            if not verdict:
                raise marked(RaceError, tree, path, f"iterations of the {n.mode} loop {n.iter} may race: {verdict}")
