"""What normal forms share."""

from __future__ import annotations

from returns.pipeline import is_successful
from toolz import interpose

from exo_strat import Cursor, Op, Proc, Script, moves, named, nav, repeat, seq, strategy, traversals


@strategy
def in_the_whole(p: Proc, c: Cursor, op: Op) -> Script:
    """`op` at the root; the focus stays, or is the root if its code is gone.

    >>> from exo_strat import proc_from_source, simplify
    >>> p = proc_from_source("def foo(x: f32):\\n    x = x + 0.0\\n    x = 1.0 * x")
    >>> print(in_the_whole(simplify())(p, p.body()[1]).unwrap()[1])
        def foo(x: f32 @ DRAM):
            x = x
    -->     x = x
    """
    p, root = yield seq(nav(moves.root), op)
    here = p.forward(c)
    return here if here.is_valid else p.root()


@named
def exhaust(step: Op) -> Op:
    """`step` at every statement of the procedure, the inner ones first, until it applies nowhere. Never fails.

    >>> from exo_strat import proc_from_source, schedule, simplify, unroll_loop
    >>> p = proc_from_source('''
    ... def foo(x: f32[4]):
    ...     for i in seq(0, 2):
    ...         for j in seq(0, 2):
    ...             x[2 * i + j] = 0.0
    ... ''')
    >>> print(schedule(exhaust(unroll_loop()) >> simplify(), p))
    def foo(x: f32[4] @ DRAM):
        x[0] = 0.0
        x[1] = 0.0
        x[2] = 0.0
        x[3] = 0.0
    """
    return in_the_whole(repeat(seq(nav(moves.root), traversals.some_bu(step))))


def applies_nowhere(step: Op, p: Proc) -> bool:
    """Whether a step applies at no statement of a procedure: what `exhaust(step)` establishes.

    >>> from exo_strat import proc_from_source, unroll_loop
    >>> applies_nowhere(unroll_loop(), proc_from_source("def foo(x: f32): x = 0.0"))
    True
    """
    return is_successful(traversals.nowhere(step)(p))


@named
def seq_nf(nf: Op, *ops: Op) -> Op:
    """`a; b; c  ~>  a; nf; b; nf; c`: steps with a normal form between them. The focus is where a step left it.

    >>> from exo_strat import at, divide_loop, identity, proc_from_source, schedule
    >>> from strategies.normal import index_nf, loop_nf
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(i, i + 1):
    ...             x[j] = 0.0
    ... ''')
    >>> divide = at("for i in _: _", divide_loop(4, ("io", "ii"), tail="cut"))
    >>> print(schedule(seq_nf(loop_nf() >> index_nf(), loop_nf(), divide, identity), p))
    def foo(n: size, x: f32[n] @ DRAM):
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 0.0
        for ii in seq(0, n % 4):
            x[4 * (n / 4) + ii] = 0.0
    """
    return seq(*interpose(nf, ops))
