"""What iterations of `par` and `vec` loops share in C.

The threads of a parallel loop see one variable where the object language has one buffer. C gives each thread a copy
of its own of some memories. A register is read and written as a whole, though iterations may touch different lanes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from ..kernel import (
    Alloc,
    Call,
    For,
    Node,
    Path,
    ProcDef,
    Read,
    ReadConfig,
    Sym,
    WindowExpr,
    WriteConfig,
    analysis,
    declarators,
    is_control,
    mentions,
    names_at,
    statements,
    walk,
)
from .errors import MemoryAccessError, RaceError, marked
from .memory import PlacedMemory
from .symbols import Data


class Callee(Protocol):
    """What must be known of a procedure that is called."""

    @property
    def tree(self) -> ProcDef: ...
    @property
    def written(self) -> frozenset[int]: ...
    @property
    def side_by_side(self) -> bool: ...


Callees = Mapping[int, Callee]
"""By the identity of the procedure's tree."""


def shared(tree: ProcDef) -> frozenset[Sym]:
    """What parallel loops use that is declared outside of them: their threads reach it by its address."""
    loops = [n for n in declarators(tree) if isinstance(n, For) and n.mode == "par"]
    return frozenset(sym for loop in loops for sym in mentions(loop) - _declared(loop))


def _declared(code: Node) -> frozenset[Sym]:
    return frozenset(n.sym for n in declarators(code) if isinstance(n, Alloc))


def side_by_side(code: Node, data: Mapping[Sym, Data], callees: Callees) -> bool:
    """Whether the C compiler may run several instances of some code side by side: not if they start threads, keep
    values in a place that all instances have in common, or write lanes of a register of the code around."""
    alone = any(True for _ in registers_written(code, data, callees))
    return not alone and all(_side_by_side(n, data, callees) for n in declarators(code))


def _side_by_side(n: Node, data: Mapping[Sym, Data], callees: Callees) -> bool:
    match n:
        case For(mode=mode):
            return mode != "par"
        case Alloc(sym=sym):
            return not data[sym].mem.per_thread
        case Call(f=f):
            return callees[id(f.tree)].side_by_side
        case _:
            return True


def is_uneven(loop: For) -> bool:
    """Whether some iterations of a loop may have more to do than others, such as the longer rows of a triangle: then
    threads take turns, rather than all rows from one to another. Instructions always do the same."""
    inside = [n for n in declarators(loop) if n is not loop]
    loops = [n for n in inside if isinstance(n, For) and analysis.trip_count(n) is None]
    calls = [n for n in inside if isinstance(n, Call) and n.f.tree.instr is None]
    amounts = [e for n in loops for e in (n.lo, n.hi)] + [e for n in calls for e in n.args if is_control(e)]
    return any(loop.iter in mentions(e) for e in amounts)


def registers_written(code: Node, data: Mapping[Sym, Data], callees: Callees) -> Iterator[tuple[Path, Sym]]:
    """Where code writes registers that are declared outside of it, and which."""
    inside = _declared(code)
    for path, n in statements(code):
        if isinstance(n, Call):
            args = [n.args[i] for i in sorted(callees[id(n.f.tree)].written)]
            for sym in (data[a.sym].owner for a in args if isinstance(a, Read | WindowExpr)):
                if sym not in inside and not data[sym].mem.pointers:
                    yield path, sym


def check_threads(tree: ProcDef, data: Mapping[Sym, Data], callees: Callees) -> None:
    """Raise a `BackendError` for a parallel loop whose threads would have to share what belongs to a processor."""
    for at, loop in statements(tree):
        if not isinstance(loop, For) or loop.mode != "par":
            continue
        for path, sym in registers_written(loop, data, callees):
            if not isinstance(data[sym].mem, PlacedMemory):  # `placement` refuses these
                names = names_at(tree)
                what = f"{names[sym]} lives in {data[sym].mem}, and threads can't write one register together"
                message = f"{what}; allocate it inside the loop over {names[loop.iter]}, or make that sequential"
                raise marked(MemoryAccessError, tree, (*at, *path), message)
        for path, n in statements(loop):
            if isinstance(n, Call) and n.f.tree.instr is not None and (config := _register(n.f.tree)):
                what = f"{n.f.tree.name} uses {config}, and each thread has a processor with registers of its own"
                message = f"{what}; make the loop over {loop.iter} sequential"
                raise marked(RaceError, tree, (*at, *path), message)


def _register(instruction: ProcDef) -> str | None:
    """A field of config state that an instruction reads or sets."""
    fields = (n for _, n in walk(instruction) if isinstance(n, ReadConfig | WriteConfig))
    return next((f"{n.config.name}.{n.field}" for n in fields), None)
