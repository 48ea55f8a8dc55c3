"""Routines on vectors whose elements are any distance apart, by calls of procedures for vectors of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from exo_strat import (
    DRAM_STACK,
    AllocCursor,
    BlockCursor,
    CallCursor,
    Cursor,
    ForCursor,
    IfCursor,
    Machine,
    Memory,
    Op,
    Proc,
    ProcCursor,
    Script,
    StmtCursor,
    attempt,
    call_eqv,
    extract_subproc,
    fail,
    focus,
    moves,
    nav,
    on,
    replace,
    resize_dim,
    seq,
    set_memory,
    specialize,
    stage_mem,
    strategy,
)

from .. import std
from ..inspect import innermost_loops, loops_inside, statements, unique_name
from ..std.staging import allocation
from ..std.writing import text
from .level1 import optimize_level_1
from .neighbours import numbers_first

Part: TypeAlias = tuple[Proc, Proc]
"""A procedure, and what a strategy made of it."""


@strategy
def calls_of(p: Proc, c: Cursor, parts: Sequence[Part]) -> Script:
    """`s  ~>  f(..)`, wherever statements do, or call, what one of the parts does.

    Fails if a loop with loops inside is left. Focus: anything. Returns the procedure.

    >>> from exo_strat import at, divide_loop, proc_from_source, rename, schedule
    >>> zero = proc_from_source('''
    ... def zero(n: size, x: [f32][n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> p = proc_from_source('''
    ... def foo(below: bool, y: f32[64]):
    ...     if below:
    ...         for j in seq(0, 8):
    ...             y[j] = 0.0
    ... ''')
    >>> by_eight = schedule(at("for i in _: _", divide_loop(8, ("io", "ii"), tail="cut")) >> rename("by_eight"), zero)
    >>> print(schedule(calls_of([(zero, by_eight)]), p))
    def foo(below: bool, y: f32[64] @ DRAM):
        if below:
            by_eight(8, y[0:8])
    """
    for s in statements(c):
        rest = s.expand(0, None)
        for program, scheduled in parts:
            if isinstance(s, CallCursor) and s.subproc().name() == program.name():
                yield on(s, call_eqv(scheduled))
                break
            size = len(program.body())
            if len(rest) >= size and p.forward(s).is_valid:
                call = seq(nav(moves.expand(0, size - 1)), replace(program), call_eqv(scheduled))
                p, _ = yield attempt(on(s, call))
    left = p.forward(c)
    for loop in [s for s in (statements(left) if left.is_valid else ()) if isinstance(s, ForCursor)]:
        if loops_inside(loop):
            yield seq(focus(loop), fail("no part does this"))
    yield nav(moves.root)
    return None


@strategy
def as_function(
    p: Proc, c: ProcCursor, machine: Machine, precision: str, memory: Memory, parts: Sequence[Part]
) -> Script:
    """`t: R[n]; for k: s1; s2[alpha]  ~>  a = alpha; t: R[n] @ MEM; for k in vectors: s1; f(.., a)`, with f a part.

    What is left of loops are updates of neighbours. A procedure that calls no others is a part of those that call it,
    in C, and one that does is a function. Focus: the procedure. Returns it.
    """
    room = allocations(p.body())
    yield calls_of(parts)
    yield neighbours(machine, precision)
    for s in room:
        yield on(s, set_memory(memory))
    p, _ = yield focus(c)
    yield on(p.body(), numbers_first(), nav(moves.root))
    return None


@strategy
def few_apart(p: Proc, c: ProcCursor, few: int, part: Part, inside: Op, outside: Op) -> Script:
    """`t: R[n]; for i: s  ~>  if n < 4: g(..) else: f(..)`, with g's `t: R[3]; s; ..`, and f what is made of the part.

    What does more rows needs registers, and to save them takes as long as a few rows do: fewer than `few`. They are
    without loops. g is made between two Ops on the procedure, `inside` and `outside`, as if memories of arguments were
    others. Focus: the procedure. Returns it.
    """
    p, choice = yield on(p.body(), specialize(f"n < {few}"))
    p, _ = yield on(choice.orelse(), calls_of([part]))
    for s in allocations(now(p, choice).body()):
        yield on(s, resize_dim(0, few - 1, 0), set_memory(DRAM_STACK))
    straight = seq(std.specialize_sizes("n", range(1, few)), std.unroll_loops(few), nav(moves.root), std.cleanup())
    p, _ = yield on(now(p, choice).body(), straight, inside)
    p, _ = yield on(now(p, choice).body(), extract_subproc(f"{c.name()}_few"), nav(moves.root), outside)
    yield on(p.body(), numbers_first(), nav(moves.root))
    return None


def now(p: Proc, choice: IfCursor) -> IfCursor:
    """A branch as it is in a procedure."""
    found = p.forward(choice)
    assert isinstance(found, IfCursor)
    return found


def allocations(block: BlockCursor) -> list[AllocCursor]:
    """The vectors that are allocated in a block."""
    return [s for s in statements(block) if isinstance(s, AllocCursor) and s.is_tensor()]


@strategy
def neighbours(p: Proc, c: Cursor, machine: Machine, precision: str) -> Script:
    """Level 1 on the loops of the focus, a vector at a time. Returns the procedure."""
    for loop in innermost_loops(c):
        yield on(loop, optimize_level_1(machine, precision, 1))
    yield nav(moves.root)
    return None


@strategy
def if_neighbours(p: Proc, c: ProcCursor | ForCursor, vectors: Sequence[str], then: Op) -> Script:
    """`s  ~>  if stride(x, 0) == 1: then(s) else: s`, for all vectors.

    Where a procedure is called for vectors of neighbours only, what is left as it was costs nothing. Focus: a loop, or
    a procedure of one loop. Returns the procedure.

    >>> from exo_strat import at, divide_loop, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(n: size, x: [f32][n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(if_neighbours(["x"], divide_loop(4, ("io", "ii"), tail="cut")), p))
    def zero(n: size, x: [f32][n] @ DRAM):
        if stride(x, 0) == 1:
            for io in seq(0, n / 4):
                for ii in seq(0, 4):
                    x[4 * io + ii] = 0.0
            for ii in seq(0, n % 4):
                x[4 * (n / 4) + ii] = 0.0
        else:
            for i in seq(0, n):
                x[i] = 0.0
    """
    loop = c.body()[0] if isinstance(c, ProcCursor) else c
    p, choice = yield on(loop, specialize(" and ".join(f"stride({x}, 0) == 1" for x in vectors)))
    p, _ = yield on(choice.body()[0], then)
    yield seq(focus(p.body()), numbers_first(), nav(moves.root)) if loop is not c else nav(moves.root)
    return None


@strategy
def if_else(p: Proc, c: ForCursor, condition: str, then: Op, otherwise: Op) -> Script:
    """`s  ~>  if e: then(s) else: otherwise(s)`. Focus: a loop. Returns the procedure."""
    p, choice = yield specialize(condition)
    p, _ = yield on(choice.body()[0], then)
    yield on(now(p, choice).orelse()[0], otherwise, nav(moves.root))
    return None


@strategy
def near_or_copied(
    p: Proc,
    c: ProcCursor,
    machine: Machine,
    precision: str,
    vectors: Sequence[str],
    memory: Memory,
    parts: Sequence[Part],
    usual: str = "",
) -> Script:
    """`s[x]  ~>  if stride(x, 0) == 1: s[x] else: f(x)`, where f does `t = x; s[t]; x = t`, and s is calls of parts.

    Each of the vectors is copied to a memory, and back if it is written, around what isn't done for all of them, and
    only if it is done: conditions of branches without `else` come first. If there is a `usual` condition, what is done
    for vectors of neighbours where it doesn't hold is a function, too. Focus: the procedure. Returns it.

    >>> from backends.targets import plain_c
    >>> from exo_strat import DRAM, proc_from_source, schedule
    >>> part = proc_from_source('''
    ... def near(n: size, x: [f32][n]):
    ...     assert stride(x, 0) == 1
    ...     for i in seq(1, n):
    ...         x[i] += x[i - 1]
    ... ''')
    >>> p = proc_from_source('''
    ... def sums(n: size, x: [f32][n]):
    ...     for i in seq(1, n):
    ...         x[i] += x[i - 1]
    ... ''')
    >>> p = schedule(near_or_copied(plain_c, "f32", ["x"], DRAM, [(part, part)]), p)
    >>> print(p, p.body()[0].orelse()[0].subproc(), sep="\\n")
    def sums(n: size, x: [f32][n] @ DRAM):
        if stride(x, 0) == 1:
            near(n, x[0:n])
        else:
            sums_copied(n, x)
    def sums_copied(n: size, x: [f32][n] @ DRAM):
        assert stride(x, 0) != 1
        x_near: f32[n] @ DRAM
        for i0 in seq(0, n):
            x_near[i0] = x[i0]
        near(n, x_near[0:n])
        for i0 in seq(0, n):
            x[i0] = x_near[i0]
    """
    name, window = c.name(), {a.name(): f"{a.name()}[0:{text(a.shape()[0])}]" for a in p.args() if a.name() in vectors}
    p, choice = yield on(p.body(), specialize(" and ".join(f"stride({x}, 0) == 1" for x in vectors)))
    block = last_choice(choice.orelse()).as_block()
    room = []
    for x in vectors:
        p, block = yield on(block, stage_mem(window[x], unique_name(p, f"{x}_near")))
        room.append(allocation(block))
    p, _ = yield seq(nav(moves.root), calls_of(parts))
    for copy in room:
        yield on(copy, set_memory(memory))
    p, _ = yield on(now(p, choice).body(), neighbours(machine, precision))
    if usual:
        p, near = yield on(now(p, choice).body(), specialize(usual))
        p, _ = yield on(near.orelse(), numbers_first(), extract_subproc(f"{name}_near"))
    p, _ = yield on(now(p, choice).orelse(), numbers_first(), extract_subproc(f"{name}_copied"))
    yield on(p.body(), numbers_first(), nav(moves.root))
    return None


def last_choice(block: BlockCursor) -> StmtCursor:
    """The last statement, or what it is if all its conditions hold, which have no `else`."""
    last = block[-1]
    while isinstance(last, IfCursor) and not last.has_else():
        last = last.body()[-1]
    return last
