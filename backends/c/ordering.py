"""Instructions that work beside the processor, and who must wait for them.

A memory with an `epilogue` has such instructions: they may read and write a buffer of the host until the next wait.
Until then, code of the processor must not read what they write, nor write what they touch. Nothing orders their own
loads and stores either: they must not read what they wrote, nor write what an earlier one may still be reading. Only a
store from the very window that the load filled waits for it. Buffers are taken as wholes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..kernel import (
    Alloc,
    Assign,
    Block,
    Call,
    Cell,
    Expr,
    For,
    If,
    Path,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    Sym,
    Tensor,
    WindowDef,
    WindowExpr,
    mentions,
    walk,
)
from .errors import MemoryAccessError, marked
from .program import Function, Program
from .symbols import Data


@dataclass(frozen=True)
class Pending:
    """The host's buffers that instructions may still be reading, each with the window of their own memory that is
    filled from it (None if that is not known), and writing."""

    reads: frozenset[tuple[Sym, Expr | None]] = frozenset()
    writes: frozenset[Sym] = frozenset()

    def __or__(self, other: Pending) -> Pending:
        return Pending(self.reads | other.reads, self.writes | other.writes)

    def after(self, loop: For) -> Pending:
        """The same after an iteration: a window that depends on the iterator is another one in the next."""
        reads = ((sym, None if w is not None and loop.iter in mentions(w) else w) for sym, w in self.reads)
        return replace(self, reads=frozenset(reads))


def waits_at_end(stmts: Block, path: Path, data: Mapping[Sym, Data]) -> bool:
    """Whether a block ends with a wait: a function's, or one in which a buffer lives that instructions may be at
    work on."""
    lives = (isinstance(s, Alloc) and isinstance(s.type, Tensor) and data[s.sym].mem.pointers for s in stmts)
    return path == () or any(lives)


def check_order(program: Program) -> None:
    """Raise a `MemoryAccessError` where a wait is missing."""
    for f in program.functions:
        if any(d.mem.epilogue() for d in f.data.values()):
            _Walk(f, program).block(f.tree.body, (), "body", Pending())


@dataclass(frozen=True)
class _Walk:
    function: Function
    program: Program

    def block(self, stmts: Block, path: Path, label: str, pending: Pending) -> Pending:
        for i, s in enumerate(stmts):
            pending = self.stmt(s, (*path, (label, i)), pending)
        return Pending() if waits_at_end(stmts, path, self.function.data) else pending

    def stmt(self, s: Stmt, path: Path, pending: Pending) -> Pending:
        match s:
            case For(body=body):
                self.host(self.cells([s.lo, s.hi]), (), path, pending)
                # twice, as an iteration meets what the one before left
                once = pending | self.block(body, path, "body", pending).after(s)
                return once | self.block(body, path, "body", once).after(s)
            case If(body=body, orelse=orelse):
                self.host(self.reads([s.cond]), (), path, pending)
                return self.block(body, path, "body", pending) | self.block(orelse, path, "orelse", pending)
            case Call():
                self.host(self.cells(s.args), (), path, pending)
                return self.call(s, path, pending)
            case WindowDef():
                self.host(self.cells([s.rhs]), (), path, pending)
                return pending
            case Assign(sym=sym) | Reduce(sym=sym):
                self.host(self.reads([s]), [self.owner(sym)], path, pending)
                return pending
            case _:
                return pending

    def call(self, s: Call, path: Path, pending: Pending) -> Pending:
        callee = self.program.by_tree[id(s.f.tree)]
        buffers = [(i, a) for i, a in enumerate(s.args) if isinstance(a, Read | WindowExpr)]
        host = [(i, self.owner(a.sym)) for i, a in buffers if self.function.data[a.sym].mem.pointers]
        writes = frozenset(sym for i, sym in host if i in callee.written)
        reads = frozenset(sym for i, sym in host if i not in callee.written)
        waits = {d.mem.epilogue() for d in self.function.data.values()} - {""}
        if callee.tree.instr is not None and callee.tree.instr.c in waits:
            return Pending()
        beside = any(d.mem.epilogue() for d in callee.data.values())
        if callee.tree.instr is None or not beside:
            self.host(reads, writes, path, pending)
            return Pending() if beside else pending
        own = [(i, a) for i, a in buffers if not self.function.data[a.sym].mem.pointers and _is_fixed(a)]
        filled: Sequence[Expr | None] = [a for i, a in own if i in callee.written] or [None]
        drained = {a for i, a in own if i not in callee.written}
        for sym in self.named(reads & pending.writes):
            self.refuse(f"this reads {sym}, which an instruction before may still be writing", path)
        for sym in self.named(writes & {sym for sym, window in pending.reads if window not in drained}):
            self.refuse(f"this writes {sym}, which an instruction before may still be reading", path)
        loads = frozenset((sym, window) for sym in reads for window in filled)
        return replace(pending, reads=pending.reads | loads, writes=pending.writes | writes)

    def host(self, reads: Iterable[Sym], writes: Iterable[Sym], path: Path, pending: Pending) -> None:
        """Code of the processor."""
        for sym in self.named(frozenset(reads) & pending.writes):
            self.refuse(f"the processor reads {sym}, which an instruction before may still be writing", path)
        for sym in self.named(frozenset(writes) & (pending.writes | {sym for sym, _ in pending.reads})):
            self.refuse(f"the processor writes {sym}, which an instruction before may still be working on", path)

    def refuse(self, what: str, path: Path) -> None:
        waits = sorted({d.mem.epilogue() for d in self.function.data.values()} - {""})
        message = f"{what}; put an instruction that waits (`{waits[0]}`) in front"
        raise marked(MemoryAccessError, self.function.tree, path, message)

    def owner(self, sym: Sym) -> Sym:
        return self.function.data[sym].owner

    def reads(self, nodes: Iterable[object]) -> Iterator[Sym]:
        """The buffers that code reads, their owners."""
        for n in nodes:
            for _, e in walk(n):  # type: ignore[arg-type]
                if isinstance(e, Read):
                    yield self.owner(e.sym)

    def cells(self, nodes: Iterable[Expr]) -> Iterator[Sym]:
        """The buffers that indices and bounds are read from, their owners."""
        return (self.owner(n.read.sym) for e in nodes for _, n in walk(e) if isinstance(n, Cell))

    def named(self, syms: Iterable[Sym]) -> list[Sym]:
        return sorted(syms, key=lambda s: s.id)


def _is_fixed(e: Expr) -> bool:
    """Whether an expression means the same as long as no loop around it begins its next iteration."""
    return not any(isinstance(n, ReadConfig | Cell) for _, n in walk(e))
