"""Instruction selection, and other statements as calls.

Instructions are looked up by shape: what a statement computes and from where, without names and indices. Only the
few of the same shape are tried.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from exo_strat import (
    DRAM,
    DRAM_STACK,
    DRAM_STATIC,
    AssignCursor,
    BlockCursor,
    Cursor,
    IfCursor,
    Memory,
    Op,
    Proc,
    ReduceCursor,
    Script,
    StmtCursor,
    Sym,
    attempt,
    call_eqv,
    declarators,
    focus,
    is_control,
    mentions,
    moves,
    nav,
    nodes,
    on,
    replace,
    schedule,
    seq,
    strategy,
    try_else,
)

from ..inspect import enclosing_loop, is_reduction, statements

ADDRESSED = (DRAM, DRAM_STACK, DRAM_STATIC)
"""What lives in one of these memories may be passed for what is declared in another."""


@cache
def as_call(program: Proc, plan: Op) -> Op:
    """`s  ~>  f(..)`, where s is what a program does, and f what a plan makes of the program.

    The plan is followed once, here, for all statements. Focus: the first of the statements. Returns the call.

    >>> from exo_strat import at, divide_loop, proc_from_source, schedule
    >>> zero = proc_from_source('''
    ... def zero(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> p = proc_from_source('''
    ... def foo(y: f32[64]):
    ...     for j in seq(0, 64):
    ...         y[j] = 0.0
    ... ''')
    >>> by_eight = at("for i in _: _", divide_loop(8, ("io", "ii"), tail="cut"))
    >>> p = schedule(at("for j in _: _", as_call(zero, by_eight)), p)
    >>> print(p)
    def foo(y: f32[64] @ DRAM):
        zero(64, y)
    >>> [loop.name() for loop in p.body()[0].subproc().find_all("for _ in _: _")]
    ['io', 'ii', 'ii']
    """
    return seq(replace(program), call_eqv(schedule(plan, program)))


@strategy
def replace_all(p: Proc, c: Cursor, instructions: Sequence[Proc]) -> Script:
    """`s  ~>  instr(..)`, for every statement that one of the instructions computes; of several, the first one.

    At and below the focus, what is outside before what is inside. Never fails. Returns the focus, or the procedure
    if that is gone. Paper: section 6.1.1.

    >>> from exo_strat import proc_from_source, schedule
    >>> source = '''
    ... @instr("copy8({dst_data}, {src_data});")
    ... def copy8(dst: [f32][8], src: [f32][8]):
    ...     for i in seq(0, 8):
    ...         dst[i] = src[i]
    ... '''
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, 8], y: f32[n, 8]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, 8):
    ...             y[i, j] = x[i, j]
    ... ''')
    >>> print(schedule(replace_all((proc_from_source(source),)), p))
    def foo(n: size, x: f32[n, 8] @ DRAM, y: f32[n, 8] @ DRAM):
        for i in seq(0, n):
            copy8(y[i, 0:8], x[i, 0:8])
    """
    table, homes = by_shape(tuple(instructions)), memories(p.tree)
    for s in statements(c):
        for size, known in table:
            block = block_of(s, size)
            calls = known.get(shape(block.stmts, homes), ()) if block else ()
            if calls and p.forward(s).is_valid:
                p, _ = yield attempt(on(s, nav(moves.expand(0, size - 1)), try_else(*map(replace, calls))))
    yield try_else(focus(c), nav(moves.root))
    return None


def block_of(s: StmtCursor, size: int) -> BlockCursor | None:
    """The block of so many statements that begins with one, if there are so many."""
    rest = s.expand(0, None)
    return rest[:size] if len(rest) >= size else None


# -- what a machine can do --------------------------------------------------------------------------


@lru_cache(maxsize=64)
def steps(instructions: tuple[Proc, ...]) -> tuple[AssignCursor | ReduceCursor, ...]:
    """The assignments and reductions that instructions make."""
    found = (s for i in instructions for s in statements(i.root()))
    return tuple(s for s in found if isinstance(s, AssignCursor | ReduceCursor))


def masked_reductions(instructions: Sequence[Proc]) -> frozenset[str]:
    """The operators by which one of the instructions reduces some of the lanes to one value."""
    sums = (s for s in steps(tuple(instructions)) if isinstance(s, ReduceCursor))
    return frozenset(s.op() for s in sums if isinstance(s.parent(), IfCursor) and is_reduction(s, enclosing_loop(s)))


# -- shapes -------------------------------------------------------------------------------------------

Table = tuple[tuple[int, Mapping[Hashable, tuple[Proc, ...]]], ...]


@lru_cache(maxsize=64)
def by_shape(instructions: tuple[Proc, ...]) -> Table:
    """The instructions of each length, longest first, by the shape of what they do."""
    table: dict[int, dict[Hashable, tuple[Proc, ...]]] = {}
    for i in instructions:
        known = table.setdefault(len(i.tree.body), {})
        key = shape(i.tree.body, memories(i.tree))
        known[key] = (*known.get(key, ()), i)
    return tuple(sorted(table.items(), reverse=True))


def memories(tree: nodes.ProcDef) -> dict[Sym, str]:
    """The memory of each buffer and window of a procedure, by name; one name for all that can be addressed."""
    found: dict[Sym, str] = {}
    for n in declarators(tree):
        match n:
            case nodes.Arg(sym=sym, mem=Memory() as mem) | nodes.Alloc(sym=sym, mem=mem):
                found[sym] = DRAM.name if mem in ADDRESSED else mem.name
            case nodes.WindowDef(sym=sym, rhs=rhs):
                found[sym] = found[rhs.sym]
            case _:
                pass
    return found


@dataclass(frozen=True)
class _Reader:
    """Shapes of code, given the memories of buffers and the iterators of the loops around, outermost first."""

    homes: Mapping[Sym, str]
    loops: tuple[Sym, ...] = ()

    def block(self, stmts: Sequence[nodes.Stmt]) -> Hashable:
        return tuple(map(self.stmt, stmts))

    def stmt(self, s: nodes.Stmt) -> Hashable:
        match s:
            case nodes.For(iter=i, body=body, mode=mode):
                return "for", mode, _Reader(self.homes, (*self.loops, i)).block(body)
            case nodes.If(body=body, orelse=orelse):
                return "if", self.block(body), self.block(orelse)
            case nodes.Assign(sym=sym, idx=idx, rhs=rhs):
                return "=", self.place(sym, idx), self.value(rhs)
            case nodes.Reduce(sym=sym, idx=idx, rhs=rhs, op=op):
                return op, self.place(sym, idx), self.value(rhs)
            case _:
                return type(s).__name__

    def value(self, e: nodes.Expr) -> Hashable:
        match e:
            case nodes.Binary(op=op, lhs=lhs, rhs=rhs):
                parts = [self.value(lhs), self.value(rhs)]
                return (op, *(sorted(parts, key=repr) if op in "+*" else parts))
            case nodes.Unary(op=op, arg=arg):
                return "unary", op, self.value(arg)
            case nodes.ExternCall(f=f, args=args):
                return (f.name, *("index" if is_control(a) else self.value(a) for a in args))
            case nodes.Select(then=then, other=other):
                return "choice", self.value(then), self.value(other)
            case nodes.Read(sym=sym, idx=idx):
                return self.place(sym, idx)
            case _:
                return DRAM.name, ()

    def place(self, sym: Sym, idx: Sequence[nodes.Expr]) -> Hashable:
        """Where an element lives, and which of the loops move it."""
        used = frozenset[Sym]().union(*map(mentions, idx))
        return self.homes[sym], tuple(n for n, i in enumerate(self.loops) if i in used)


def shape(stmts: Sequence[nodes.Stmt], homes: Mapping[Sym, str]) -> Hashable:
    """What a block computes and from where, without names, indices and extents. A literal counts as an element of
    addressable memory: an argument may be either."""
    return _Reader(homes).block(stmts)
