"""Matrices with few columns.

The vector that all rows share stays in registers. There is code for each number of registers, in which it is known.
"""

from __future__ import annotations

from typing import Final

from exo_strat import (
    DRAM_STACK,
    AllocCursor,
    AssignCursor,
    BinaryOpCursor,
    ForCursor,
    InvalidCursorError,
    Machine,
    Memory,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    StmtCursor,
    cut_loop,
    divide_dim,
    divide_loop,
    focus,
    hole,
    moves,
    nav,
    on,
    resize_dim,
    rewrite_expr,
    seq,
    set_memory,
    simplify,
    specialize,
    stage_mem,
    strategy,
)

from .. import std
from ..inspect import inner_loop, innermost_loops, is_reduction, sums
from ..std.compute import lives_in
from ..std.staging import allocation
from ..std.writing import halves, text
from .level1 import RULES, optimize_level_1, together, whole_vectors

PARTS: Final = 2
"""In how many parts a row is added up unless said: rows don't wait for others. Measured by
`python -m benchmarks.blas --level skinny`."""


@strategy
def optimize_skinny(p: Proc, c: ForCursor, machine: Machine, precision: str, most: int) -> Script:
    """`for i: for j in (0, n): s[x[j]]  ~>  v = x; if n / w == 0: for i: s[v[0]]; else: if n / w == 1: ..`, by vectors.

    The vector that rows share is in registers, for matrices of up to `most` columns. The last one is masked. If rows
    are written, the last columns are scalar instead: the next row can't be loaded before a masked store is done.
    Without vectors, rows are loops of level 1. Hole: a row is added up in so many `parts`. Focus: the loop over rows.
    Returns the procedure. Paper: Figure 7.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def gemv(m: size, n: size, a: f32[m, n], x: f32[n], y: f32[m]):
    ...     assert n <= 16
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             y[i] += a[i, j] * x[j]
    ... ''')
    >>> q = schedule(at("for i in _: _", optimize_skinny(avx2, "f32", 16)), p)
    >>> from strategies.inspect import loops_inside
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())]
    ['i < m', 'i < m', 'i < m']
    """
    columns = inner_loop(c)
    shared, end = shared_vector(columns), text(columns.hi())
    yield std.locals_in(DRAM_STACK)
    if not machine.vec_widths:
        yield on(columns, optimize_level_1(machine, precision))
        return None
    width, registers = machine.vec_width(precision), machine.mem_type
    written, whole = writes_rows(columns), end
    if written:
        whole = f"{width} * ({end} / {width})"
        yield on(columns, cut_loop(whole))
    p, block = yield on(c, stage_mem(f"{shared}[0:{whole}]", "v"))
    buffer = allocation(block)
    parts = yield hole("parts", (1, 2, 4), default=PARTS)
    for loop in loops_of_vectors(buffer):
        divide = divide_loop(width, halves(loop), tail="perfect") if written else whole_vectors(width, registers, True)
        yield on(loop, divide, together(parts, registers))
    yield on(buffer, resize_dim(0, most, 0), set_memory(registers), divide_dim(0, width))
    p, buffer = yield seq(nav(moves.root), simplify(), focus(buffer))
    for loop in loops_of_vectors(buffer):
        if not adds_register(loop, registers):
            yield on(loop, std.stage_compute(precision, registers, RULES), std.fission_into_singles())
    yield seq(nav(moves.root), simplify(), std.replace_all(machine.get_instructions(precision)))
    yield on(buffer, for_each_count(end, width, most))
    yield seq(nav(moves.root), simplify(), std.unroll_loops(most // width), std.cleanup())
    return None


@strategy
def optimize_few_columns(p: Proc, c: ForCursor, most: int) -> Script:
    """`for i: for j in (0, n): s[x[j]]  ~>  if n == 1: v = x; for i: s[v[0]]; else: if n == 2: ..`, for n up to `most`.

    Columns that make no vector: without a loop over them, in code for each number of them. Focus: the loop over rows.
    Returns the procedure.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def gemv(m: size, n: size, a: f32[m, n], x: f32[n], y: f32[m]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             y[i] += a[i, j] * x[j]
    ... ''')
    >>> print(schedule(at("for i in _: _", optimize_few_columns(1)), p))
    def gemv(m: size, n: size, a: f32[m, n] @ DRAM, x: f32[n] @ DRAM, y: f32[m] @ DRAM):
        if n == 1:
            v: f32[1] @ DRAM_STACK
            v[0] = x[0]
            for i in seq(0, m):
                y[i] += a[i, 0] * v[0]
        else:
            for i in seq(0, m):
                for j in seq(0, n):
                    y[i] += a[i, j] * x[j]
    """
    yield std.locals_in(DRAM_STACK)
    end = text(inner_loop(c).hi())
    yield on(c, std.specialize_sizes(end, range(1, most + 1), [shared_in_locals()] * most))
    yield seq(nav(moves.root), std.unroll_loops(most), std.cleanup())
    return None


@strategy
def shared_in_locals(p: Proc, c: ForCursor) -> Script:
    """`for i: for j in (0, 3): s[x[j]]  ~>  v = x; for i: for j: s[v[j]]`. Sums are two, of every other row.

    Focus: the loop over rows.
    """
    columns = inner_loop(c)
    p, block = yield stage_mem(f"{shared_vector(columns)}[0:{text(columns.hi())}]", "v")
    yield on(allocation(block), set_memory(DRAM_STACK))
    p, c = yield focus(c)
    if sums(c):
        yield together((yield hole("parts", (1, 2, 4), default=PARTS)), DRAM_STACK)
    return None


@strategy
def for_each_count(p: Proc, c: AllocCursor, end: str, width: int, most: int) -> Script:
    """`s  ~>  if n / w == 0: s[n / w -> 0]; else: if n / w == 1: s[n / w -> 1]; else: ..`, for n up to `most`.

    So, too, for half of that, n / (2 w). Focus: the first of the statements.
    """
    counts = range(most // width + 1)
    p, choice = yield on(c.expand(0, None), specialize([f"{end} / {width} == {k}" for k in counts]))
    for k in counts:
        known = {f"{end} / {width}": k, f"{end} / {2 * width}": k // 2}
        for e in [e for s in choice.body() for e in s.descendants() if isinstance(e, BinaryOpCursor) and e.op() == "/"]:
            if e.text() in known:
                yield on(e, rewrite_expr(known[e.text()]))
        choice = choice.orelse()[0]
    return None


def loops_of_vectors(buffer: StmtCursor) -> list[ForCursor]:
    """The innermost loops after a buffer is allocated, but for columns that make no vector."""
    return [loop for loop in innermost_loops(buffer.expand(0, None)) if text(loop.lo()) == "0"]


def writes_rows(columns: ForCursor) -> bool:
    """Whether a loop over columns writes the elements of a row."""
    return any(len(s.idx()) > 1 for s in columns.body() if isinstance(s, AssignCursor | ReduceCursor))


def adds_register(loop: ForCursor, memory: Memory) -> bool:
    """Whether all that a loop does is to add up the lanes of a register."""
    s = loop.body()[0]
    return isinstance(s, ReduceCursor) and is_reduction(s, loop) and lives_in(s.rhs(), memory)


def shared_vector(columns: ForCursor) -> str:
    """The vector with an element for each column, whatever the row. Raises `InvalidCursorError` if there is none."""
    for e in (e for s in columns.body() for e in (s, *s.descendants())):
        if isinstance(e, ReadCursor | ReduceCursor) and [text(i) for i in e.idx()] == [columns.name()]:
            return e.name()
    raise InvalidCursorError("the rows share no vector")
