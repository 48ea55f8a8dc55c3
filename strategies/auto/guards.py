"""Loops that may have no iteration, under a branch in which they have some."""

from __future__ import annotations

from exo_strat import (
    ForCursor,
    IfCursor,
    Op,
    Proc,
    Script,
    analysis,
    attempt,
    binders,
    delete_pass,
    eliminate_dead_code,
    fail,
    mentions,
    moves,
    nav,
    nodes,
    on,
    simplify,
    specialize,
    strategy,
    walk,
)
from exo_strat.tuning import remark

from ..inspect import statements
from ..std.writing import INSIDE, text


@strategy
def where_it_runs(p: Proc, c: ForCursor, op: Op) -> Script:
    """`for i in (lo, hi): s  ~>  if lo < hi: op(for i in (lo, hi): s)`, for all loops of a nest that may run backwards.

    What cuts, divides or exchanges loops asks that their ranges are not negative: `seq(1, n - 1)` is for n = 1. Bounds
    that depend on the nest itself are left as they are. Where one of the loops is empty, the others run as they are
    written. Focus: the outermost loop. Returns what `op` does. Fails if no range may be negative.

    >>> from exo_strat import at, cut_loop, identity, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, m]):
    ...     for i in seq(1, n - 1):
    ...         for j in seq(0, m):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", where_it_runs(identity)), p))
    def foo(n: size, m: size, x: f32[n, m] @ DRAM):
        if 1 < n - 1:
            for i in seq(1, n - 1):
                for j in seq(0, m):
                    x[i, j] = 0.0
    """
    conditions = dict.fromkeys(f"{text(x.lo())} < {text(x.hi())}" for x in may_run_backwards(c))
    if not conditions:
        yield fail("no loop of it may run backwards")
    runs = " and ".join(conditions)
    p, branch = yield specialize(runs)
    assert isinstance(branch, IfCursor)
    for loop in reversed([s for s in statements(branch.orelse()) if isinstance(s, ForCursor)]):
        p, _ = yield attempt(on(loop, eliminate_dead_code()))
    yield attempt(on(branch.orelse()[0], simplify()))  # loops around nothing go
    yield nav(moves.root) >> delete_pass()
    p, c = yield on(branch, nav(INSIDE), op, remark(f"if {runs}, as else there is nothing to do"))
    return c


def may_run_backwards(c: ForCursor) -> list[ForCursor]:
    """The loops of a nest whose ranges may be negative, and are known before it.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, n]):
    ...     for i in seq(1, n - 1):
    ...         for j in seq(i + 1, n - 1):
    ...             x[i, j] = 0.0
    ... ''')
    >>> [loop.name() for loop in may_run_backwards(p.find_loop("i"))]
    ['i']
    """
    inside = set(binders(c.node))
    found: list[ForCursor] = []
    for loop in statements(c):
        if isinstance(loop, ForCursor):
            rises = nodes.Binary("<=", loop.lo().node, loop.hi().node)
            is_plain = all(isinstance(e, nodes.Var | nodes.Const | nodes.Unary | nodes.Binary) for _, e in walk(rises))
            if is_plain and not inside & mentions(rises) and not always(loop, rises):
                found.append(loop)
    return found


def always(c: ForCursor, condition: nodes.Expr) -> bool:
    """Whether a condition surely holds where a loop begins."""
    return analysis.holds_everywhere(c.proc.tree, c.path, condition)
