"""Instructions that work beside the processor, and who must wait for them. Imports the kernel's names.

A memory with an `epilogue` has such instructions: they may read and write a buffer of the host until the next wait.
Until then, code of the processor must not read what they write, nor write what they touch, and they must not read
what they wrote themselves. Buffers are taken as wholes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..kernel import Alloc, Assign, Block, Call, For, If, Path, Read, Reduce, Stmt, Sym, Tensor, WindowExpr, walk
from .errors import MemoryAccessError, marked
from .program import Function, Program
from .symbols import Data


@dataclass(frozen=True)
class Pending:
    """The host's buffers that instructions may still be reading, and writing."""

    reads: frozenset[Sym] = frozenset()
    writes: frozenset[Sym] = frozenset()

    def __or__(self, other: Pending) -> Pending:
        return Pending(self.reads | other.reads, self.writes | other.writes)


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
                # twice, as an iteration meets what the one before left
                once = pending | self.block(body, path, "body", pending)
                return once | self.block(body, path, "body", once)
            case If(body=body, orelse=orelse):
                self.host(self.reads([s.cond]), (), path, pending)
                return self.block(body, path, "body", pending) | self.block(orelse, path, "orelse", pending)
            case Call():
                return self.call(s, path, pending)
            case Assign(sym=sym) | Reduce(sym=sym):
                self.host(self.reads([s]), [self.owner(sym)], path, pending)
                return pending
            case _:
                return pending

    def call(self, s: Call, path: Path, pending: Pending) -> Pending:
        callee = self.program.by_tree[id(s.f.tree)]
        touched = [(i, self.owner(a.sym)) for i, a in enumerate(s.args) if isinstance(a, Read | WindowExpr)]
        host = [(i, sym) for i, sym in touched if self.function.data[sym].mem.pointers]
        writes = frozenset(sym for i, sym in host if i in callee.written)
        reads = frozenset(sym for i, sym in host if i not in callee.written)
        waits = {d.mem.epilogue() for d in self.function.data.values()} - {""}
        if callee.tree.instr is not None and callee.tree.instr.c in waits:
            return Pending()
        beside = any(d.mem.epilogue() for d in callee.data.values())
        if callee.tree.instr is None or not beside:
            self.host(reads, writes, path, pending)
            return Pending() if beside else pending
        for sym in self.named(reads & pending.writes):
            self.refuse(f"this reads {sym}, which an instruction before may still be writing", path)
        return replace(pending, reads=pending.reads | reads, writes=pending.writes | writes)

    def host(self, reads: Iterable[Sym], writes: Iterable[Sym], path: Path, pending: Pending) -> None:
        """Code of the processor."""
        for sym in self.named(frozenset(reads) & pending.writes):
            self.refuse(f"the processor reads {sym}, which an instruction before may still be writing", path)
        for sym in self.named(frozenset(writes) & (pending.reads | pending.writes)):
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

    def named(self, syms: Iterable[Sym]) -> list[Sym]:
        return sorted(syms, key=lambda s: s.id)
