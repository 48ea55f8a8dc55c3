"""Sweeps whose iterations wait for each other, several steps of time at a time."""

from __future__ import annotations

from functools import reduce

from exo_strat import (
    DRAM_STACK,
    AssignCursor,
    BinaryOpCursor,
    Cursor,
    ExprCursor,
    ForCursor,
    Machine,
    Proc,
    ReadCursor,
    Script,
    bind_expr,
    divide_loop,
    fail,
    fission,
    focus,
    forms,
    moves,
    names_at,
    nav,
    nodes,
    on,
    print_expr,
    reorder_loops,
    repeat,
    rewrite_expr,
    set_memory,
    simplify,
    specialize,
    strategy,
    tighten_loop,
    unroll_loop,
)

from .. import std
from ..blas.level1 import optimize_level_1
from ..inspect import enclosing_loops, nest
from ..std.writing import INSIDE, halves, text
from .skews import Skew
from .time_tiles import tile_sweeps

TOGETHER = 4
"""Vectors of the sums that are taken together. Measured by `python -m benchmarks.auto --kernels seidel_2d`."""


@strategy
def interleave_steps(p: Proc, c: ForCursor, machine: Machine, precision: str, steps: int, width: int) -> Script:
    """`for t: for i: for j: x[j] = f * (e + x[j - 1])  ~>  for to: for io: for jo: r = e; for ji: x = f * (r + x); ..`.

    For a sweep in which each element waits for the one before. So many `steps` are taken at a time, in tiles of one
    row and `width` columns, each step by a row and a little more than a tile behind the one before: in a tile nothing
    of one step needs anything of another. What an element waits for comes last: all else of the sum is computed in
    vectors. Then the steps take turns, an element each. Tiles that are not whole stay loops.

    Focus: the loop over time, around one sweep of two loops. Returns the procedure. Fails if elements don't wait.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> from strategies.inspect import loops_inside
    >>> p = proc_from_source('''
    ... def sweep(T: size, n: size, x: f32[n, n]):
    ...     for t in seq(0, T):
    ...         for i in seq(1, n):
    ...             for j in seq(1, n):
    ...                 x[i, j] = 0.5 * (x[i, j - 1] + x[i - 1, j])
    ... ''')
    >>> q = schedule(at("for t in _: _", interleave_steps(avx2, "f32", 2, 8)), p)
    >>> [loop.name() for loop in loops_inside(q.find_loop("jo"))]
    ['ji', 'ti', 'ii', 'ji']
    >>> q.find("for ji in _: _").body()[0].rhs().text()
    '0.5 * (r[0, 0, ji] + x[io + 1, 8 * jo + ji])'
    """
    if not elements_wait(c):
        yield fail("this is no sweep of two loops in which elements wait for those before")
    _, rows, columns = nest(c)
    [s] = columns.body()
    spans = [f"{text(x.hi())} - ({text(x.lo())})" for x in (c, rows, columns)]
    yield divide_loop(steps, halves(c), tail="guard") >> nav(INSIDE) >> repeat(tighten_loop())
    yield tile_sweeps([rows], Skew(1, (), (0,)), (steps,), 1)
    yield tile_sweeps([columns], Skew(width + 1, (0,), (0,)), (steps, 1), width)
    p, s = yield nav(moves.root) >> simplify() >> focus(s)
    *_, to, io, jo, ti, _, _ = enclosing_loops(s)
    conditions = [f"{steps} * {to.name()} + {steps} <= {spans[0]}"]
    for tiles, size, skew, span in ((io, 1, 1, spans[1]), (jo, width, width + 1, spans[2])):
        first = f"{size} * {tiles.name()}"
        conditions += [f"{skew * (steps - 1)} <= {first}", f"{first} + {size} <= {span}"]
    yield on(ti, specialize(" and ".join(conditions)), nav(moves.root), simplify())
    p, rest = yield on(s, what_waits_last())
    yield on(ti, steps_in_turns(machine, precision, rest))


def elements_wait(c: ForCursor) -> bool:
    """Whether a loop over time is around one sweep of two loops in which an element needs the one before.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def sweep(T: size, n: size, x: f32[n, n]):
    ...     for t in seq(0, T):
    ...         for i in seq(0, n):
    ...             for j in seq(1, n):
    ...                 x[i, j] = 0.5 * (x[i, j - 1] + x[i, j])
    ... ''')
    >>> elements_wait(p.find_loop("t")), elements_wait(p.find_loop("i"))
    (True, False)
    """
    _, *loops = nest(c)
    [s, *more] = loops[-1].body() if loops else c.body()
    return len(loops) == 2 and not more and isinstance(s, AssignCursor) and waits_for(s, loops[-1]) is not None


def waits_for(s: AssignCursor, loop: ForCursor) -> ReadCursor | None:
    """The element that a statement reads and the iteration of a loop before wrote; None if there is none.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def sweep(T: size, n: size, x: f32[n, n]):
    ...     for t in seq(0, T):
    ...         for i in seq(0, n):
    ...             for j in seq(1, n):
    ...                 x[i, j] = 0.5 * (x[i, j - 1] + x[i, j])
    ... ''')
    >>> waits_for(p.find("x[_] = _"), p.find_loop("j")).text()
    'x[i, j - 1]'
    """
    written = [forms.affine(e.node, {}) for e in s.idx()]
    if None in written:
        return None
    i = forms.V(loop.sym)
    before = [forms.subst_lin(e, {i: forms.Lin.of(i) - 1}) for e in written if e is not None]
    for e in s.rhs().descendants():
        if isinstance(e, ReadCursor) and e.sym == s.sym and [forms.affine(x.node, {}) for x in e.idx()] == before:
            return e
    return None


@strategy
def what_waits_last(p: Proc, c: AssignCursor) -> Script:
    """`x[j] = f * (x[j - 1] + e)  ~>  x[j] = f * (e + x[j - 1])`. Focus: the assignment. Returns e. Fails if what the
    iteration before wrote is not in a sum."""
    found = waiting_last(c)
    if found is None:
        yield fail("what was computed in the iteration before is not in a sum")
        return
    whole, wanted = found
    p, whole = yield on(whole, rewrite_expr(print_expr(wanted, names_at(p.tree))))
    return whole.lhs()


def waiting_last(c: AssignCursor) -> tuple[BinaryOpCursor, nodes.Expr] | None:
    """The sum with what was computed in the iteration before, and the same with that at its end; None if it is in no
    sum."""
    *_, loop = enclosing_loops(c)
    term: Cursor | None = waits_for(c, loop)
    while isinstance(term, ExprCursor) and not is_sum(term.parent()):
        term = term.parent()
    if not isinstance(term, ExprCursor):
        return None
    whole = term.parent()
    while is_sum(whole.parent()):
        whole = whole.parent()
    assert isinstance(whole, BinaryOpCursor)
    others = [e for e in terms(whole.node) if e is not term.node]
    return whole, reduce(lambda x, y: nodes.Binary("+", x, y), [*others, term.node])


def rounds_alike(c: AssignCursor) -> bool:
    """Whether `what_waits_last` leaves each rounding: it exchanges two terms, or nothing.

    >>> from exo_strat import proc_from_source
    >>> texts = ("x[i - 1] + x[i]", "x[i] + x[i + 1] + x[i - 1]", "x[i - 1] + x[i] + x[i + 1]")
    >>> loop = "def foo(n: size, x: f32[n + 2]):\\n    for i in seq(1, n):\\n        x[i] = 0.5 * ({})"
    >>> [rounds_alike(proc_from_source(loop.format(e)).find("x[_] = _")) for e in texts]
    [True, True, False]
    """
    found = waiting_last(c)
    return found is not None and (found[0].node == found[1] or len(terms(found[1])) == 2)


def is_sum(c: Cursor) -> bool:
    """Whether a place is a sum of two values."""
    return isinstance(c, BinaryOpCursor) and c.op() == "+"


def terms(e: nodes.Expr) -> list[nodes.Expr]:
    """What is added in nested sums."""
    return [*terms(e.lhs), *terms(e.rhs)] if isinstance(e, nodes.Binary) and e.op == "+" else [e]


@strategy
def steps_in_turns(p: Proc, c: ForCursor, machine: Machine, precision: str, rest: ExprCursor) -> Script:
    """`for t: for i: for j: x = f * (e + x')  ~>  for t: for j: r[t, j] = e; for j: x = f * (r[0, j] + x'); ..`.

    Focus: the loop over steps. Returns the procedure.
    """
    p, computed = yield on(rest, bind_expr("r"))
    p, s = yield on(computed, nav(moves.next_()))
    p, buffer = yield on(computed, nav(moves.prev()), *[std.expand_alloc()] * 3, set_memory(DRAM_STACK))
    p, _ = yield on(computed, nav(moves.after), fission(3))
    p, columns = yield on(s, nav(moves.parent), nav(moves.parent), reorder_loops())
    yield on(columns, nav(moves.parent), reorder_loops(), nav(INSIDE), unroll_loop())
    yield on(computed, nav(moves.parent), optimize_level_1(machine, precision, TOGETHER, strict=True))
    yield std.unroll_loops(1) >> std.cleanup()
