"""Routines on vectors of any increment, by procedures for vectors whose elements are neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from exo_strat import (
    AssignCursor,
    BlockCursor,
    ForCursor,
    Machine,
    Memory,
    Op,
    Proc,
    ProcCursor,
    Scalar,
    Script,
    extract_subproc,
    moves,
    nav,
    on,
    set_memory,
    specialize,
    stage_mem,
    strategy,
)

from ..inspect import unique_name
from ..std.staging import allocation
from ..std.writing import text
from .calls import other_versions
from .level1 import optimize_level_1


@strategy
def numbers_first(p: Proc, c: BlockCursor) -> Script:
    """`s[alpha]  ~>  t = alpha; s[t]`, for the numbers that the procedure is given. Focus, and result: a block.

    So C compilers hand over the numbers themselves instead of their addresses: they are read whatever happens.

    >>> from exo_strat import at, moves, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def scal(n: size, alpha: f32, x: [f32][n]):
    ...     for i in seq(0, n):
    ...         x[i] = alpha * x[i]
    ... ''')
    >>> print(schedule(at(moves.body, numbers_first()), p))
    def scal(n: size, alpha: f32 @ DRAM, x: [f32][n] @ DRAM):
        alpha_1: f32 @ DRAM
        alpha_1 = alpha
        for i in seq(0, n):
            x[i] = alpha_1 * x[i]
    """
    for a in p.args():
        if isinstance(a.type(), Scalar):
            p, c = yield on(c, stage_mem(a.name(), unique_name(p, a.name())))
            c = c.expand(2, 0)
    return c


@strategy
def among_neighbours(
    p: Proc, c: ProcCursor, vectors: Sequence[str], memory: Memory, then: Op, procs: Sequence[Proc] = ()
) -> Script:
    """`s[x]  ~>  if stride(x, 0) == 1: s[x]; else: f(x)`, where f does `t = x; s[t]; x = t`, and `then` for both s.

    If one of the vectors has other strides, all are copied to a memory, and back if they are written. That is a
    procedure of its own. `then` may make calls of programs, which become those of the `procs` that were made from them.
    Focus: the procedure, which is returned.

    >>> from exo_strat import DRAM, identity, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sums(n: size, x: [f32][n]):
    ...     for i in seq(1, n):
    ...         x[i] += x[i - 1]
    ... ''')
    >>> p = schedule(among_neighbours(["x"], DRAM, identity), p)
    >>> print(p, p.body()[0].orelse()[0].subproc(), sep="\\n")
    def sums(n: size, x: [f32][n] @ DRAM):
        if stride(x, 0) == 1:
            for i in seq(1, n):
                x[i] += x[i - 1]
        else:
            sums_strided(n, x)
    def sums_strided(n: size, x: [f32][n] @ DRAM):
        assert stride(x, 0) != 1
        near: f32[n] @ DRAM
        for i0 in seq(0, n):
            near[i0] = x[i0]
        for i in seq(1, n):
            near[i] += near[i - 1]
        for i0 in seq(0, n):
            x[i0] = near[i0]
    """
    name, extents = p.name(), {a.name(): text(a.shape()[0]) for a in p.args() if a.name() in vectors}
    p, choice = yield on(p.body(), specialize(" and ".join(f"stride({x}, 0) == 1" for x in vectors)))
    near, strided = choice.body(), choice.orelse()
    copies, block = [], strided
    for x, extent in extents.items():
        p, block = yield on(block, stage_mem(f"{x}[0:{extent}]", unique_name(p, "near")))
        copies.append(allocation(block))
    for part in (near, block):
        yield on(part[0], then)
    yield other_versions(tuple(procs))
    for copy in copies:  # what `then` calls asks for elements in memory, whichever
        yield on(copy, set_memory(memory))
    yield on(choice, nav(moves.orelse), numbers_first(), extract_subproc(f"{name}_strided"), nav(moves.root))
    return None


@strategy
def copies_by_vectors(p: Proc, c: ProcCursor, machine: Machine, precision: str, vector: str) -> Script:
    """`for i: u[i] = x[i]  ~>  if stride(x, 0) == 1: by vectors; else: for i: u[i] = x[i]`.

    That is done to the procedure's own loops that copy. Focus: the procedure, which is returned.

    >>> from backends.targets import avx2
    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: [f32][8 * n], y: f32[8 * n]):
    ...     for i in seq(0, 8 * n):
    ...         y[i] = x[i]
    ... ''')
    >>> from strategies.inspect import loops_inside
    >>> q = schedule(copies_by_vectors(avx2, "f32", "x"), p)
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())]
    ['ioo < n / 4', 'ioi < n % 4', 'i < 8 * n']
    """
    for loop in p.body():
        if isinstance(loop, ForCursor) and isinstance(loop.body()[0], AssignCursor):
            p, choice = yield on(loop, specialize(f"stride({vector}, 0) == 1"))
            yield on(choice.body()[0], optimize_level_1(machine, precision))
    yield nav(moves.root)
    return None
