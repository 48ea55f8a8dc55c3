"""Vector code from scalar loops: lanes, registers, instructions, unrolling. Imports `exo_strat` only.

A machine without vectors has lanes of one element: the same schedules then make blocked scalar code.
"""

from __future__ import annotations

from typing import Any

from exo_strat import (
    DRAM_STACK,
    AllocCursor,
    ArgCursor,
    AssignCursor,
    Cursor,
    ForCursor,
    IfCursor,
    LiteralCursor,
    Machine,
    Memory,
    Op,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    StmtCursor,
    attempt,
    bind_expr,
    divide_loop,
    expand_dim,
    fail,
    fission,
    focus,
    identity,
    is_control,
    lift_alloc,
    mentions,
    moves,
    nav,
    print_expr,
    replace,
    seq,
    set_memory,
    simplify,
    stage_mem,
    strategy,
    traversals,
    try_else,
    unroll_loop,
    when,
)

INSIDE = moves.body >> moves.nth(0)
"""To the first statement of a loop."""

UNROLL = 8
"""Loops are unrolled if they run at most so often: the rows, or the vectors, of a register tile."""


def registers(machine: Machine) -> Memory:
    """Where what a kernel holds in registers is kept."""
    return machine.mem_type if machine.vec_widths else DRAM_STACK


def is_short_loop(c: Cursor) -> bool:
    """Whether the focus is a loop from 0 that runs at most `UNROLL` times."""
    if not isinstance(c, ForCursor):
        return False
    hi = c.hi()
    return isinstance(hi, LiteralCursor) and hi.value() <= UNROLL


def use_instructions(machine: Machine, precision: str) -> Op:
    """What instructions of the machine compute, at or below the focus, becomes calls of them; never fails."""
    calls = map(replace, machine.get_instructions(precision))
    return traversals.frontier_td(try_else(*calls, fail("no instruction does this")))


def unroll_short_loops() -> Op:
    """Unrolls every short loop at or below the focus, the inner ones first."""
    return traversals.everywhere_bu(attempt(when(is_short_loop, unroll_loop())))


def emit(machine: Machine, precision: str) -> Op:
    """The statement in focus as instructions, unrolled. The focus afterwards is where it was, or the procedure."""
    return seq(simplify(), use_instructions(machine, precision), unroll_short_loops())


def in_lanes(machine: Machine, precision: str, vector: str = "v", lane: str = "l") -> Op:
    """A loop as one over vectors and one over the lanes of each, which it must fill. Returns the outer loop."""
    width = machine.vec_width(precision)
    return divide_loop(width, (vector, lane), tail="perfect") if width > 1 else identity


@strategy
def to_lanes(p: Proc, c: AllocCursor, machine: Machine, precision: str, lanes: ForCursor) -> Script:
    """A scalar buffer of each lane as one vector register, outside the loop over lanes. Focus: the allocation."""
    p, alloc = yield expand_dim(machine.vec_width(precision), lanes.name())
    assert isinstance(alloc, AllocCursor)
    yield seq(lift_alloc(_depth(alloc, lanes)), set_memory(registers(machine)))
    return None


@strategy
def split_after(p: Proc, c: StmtCursor, outermost: ForCursor) -> Script:
    """Every scope from the outermost one in to the focus, a statement, in two: up to the statement, and after it."""
    yield seq(nav(moves.after), fission(_depth(c, outermost)))
    return None


def _depth(c: StmtCursor, scope: ForCursor) -> int:
    """How many scopes a statement is in, from `scope` on."""
    outer = c.proc.forward(scope)
    assert isinstance(outer, ForCursor)
    return len(c.path) - len(outer.path)


@strategy
def vectorize(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """A loop over lanes as steps, each a loop that an instruction computes; not without vectors.

    Focus: the loop; its body is an assignment or reduction, maybe in an `if`. The element written and the
    operands go to registers, if they are in memory. If all lanes accumulate into one element, they do so
    in a register first. Returns the block of all steps.
    """
    if not machine.vec_widths:
        return c.as_block()
    lanes, steps = c, list[Cursor]()
    statement: Any = _innermost(lanes)
    if not _in_register(statement, machine):
        sums = isinstance(statement, ReduceCursor) and not any(lanes.sym in mentions(i.node) for i in statement.idx())
        p, block = yield seq(focus(statement), stage_mem(_element(statement), "acc", accum=sums))
        statement = block[0]
        before = statement.prev()
        steps = [statement] if isinstance(before, AllocCursor) else [before, statement]
        yield seq(focus(statement.prev(len(steps))), to_lanes(machine, precision, lanes))
        p, statement = yield focus(statement)
    for operand in _operands(statement, lanes, machine):
        p, assigned = yield seq(focus(operand), bind_expr("v"))
        steps.append(assigned)
        yield seq(nav(moves.prev()), to_lanes(machine, precision, lanes))
    for step in steps:
        yield seq(focus(step), split_after(lanes))
    p, first = yield focus(lanes)
    return first.expand(0, len(steps))  # type: ignore[no-any-return]


def _innermost(c: ForCursor) -> StmtCursor:
    inside = c.body()[0]
    return inside.body()[0] if isinstance(inside, IfCursor) else inside


def _element(c: Cursor) -> str:
    """What a statement writes, as object code."""
    assert isinstance(c, AssignCursor | ReduceCursor)
    indices = [print_expr(i.node, {s: s.name for s in mentions(i.node)}) for i in c.idx()]  # type: ignore[arg-type]
    return f"{c.name()}[{', '.join(indices)}]" if indices else c.name()


def _in_register(c: Cursor, machine: Machine) -> bool:
    """Whether what the focus reads or writes is held in registers."""
    assert isinstance(c, AssignCursor | ReduceCursor | ReadCursor)
    declared = (d for d in c.root().descendants() if isinstance(d, AllocCursor | ArgCursor) and d.sym == c.sym)
    return next(declared).mem() == registers(machine)


def _operands(c: Cursor, lanes: ForCursor, machine: Machine) -> list[ReadCursor]:
    """The operands that need a register: not those of a copy, nor an element that all lanes multiply by and
    accumulate, which instructions take from memory. Those in the register that is written need another."""
    assert isinstance(c, AssignCursor | ReduceCursor)
    value = c.rhs()
    if isinstance(c, AssignCursor) and isinstance(value, ReadCursor):
        return []
    reads = [e for e in value.descendants() if isinstance(e, ReadCursor) and not is_control(e.node)]
    shared = [e for e in reads if isinstance(c, ReduceCursor) and e.idx() and lanes.sym not in mentions(e.node)]
    return [e for e in reads if e not in shared[:1] and (e.sym == c.sym or not _in_register(e, machine))]


@strategy
def vectorize_all(p: Proc, c: ForCursor, machine: Machine, precision: str, vectors: int = 4) -> Script:
    """A loop whose iterations are independent: by so many vectors a time, then by one, the last masked.

    Focus: the loop, around an assignment or reduction. Without vectors nothing changes: the C compiler
    has what it needs.
    """
    if not machine.vec_widths:
        return c
    width = machine.vec_width(precision)
    p, main = yield divide_loop(vectors * width, ("io", "ii"), tail="cut")
    assert isinstance(main, ForCursor)
    p, single = yield seq(focus(main.next()), divide_loop(width, ("iv", "l"), tail="cut"))
    assert isinstance(single, ForCursor)
    p, last = yield seq(focus(single.next()), divide_loop(width, ("im", "l"), tail="guard"))
    p, several = yield seq(focus(main), nav(INSIDE), divide_loop(width, ("v", "l"), tail="perfect"))
    for loop in (several, single, last):
        yield seq(focus(loop), nav(INSIDE), vectorize(machine, precision))
        yield seq(focus(loop), emit(machine, precision))
    return main
