"""Loops that threads share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, reduce
from math import ceil

from exo_strat import (
    CallCursor,
    ForCursor,
    IfCursor,
    Proc,
    ProcCursor,
    Processor,
    Script,
    StmtCursor,
    Sym,
    analysis,
    attempt,
    call_eqv,
    divide_loop,
    fail,
    focus,
    forms,
    is_control,
    moves,
    nav,
    nodes,
    on,
    parallelize_loop,
    reorder_loops,
    repeat,
    schedule,
    shift_loop,
    specialize,
    strategy,
    tighten_loop,
    try_else,
)
from exo_strat.tuning import remark

from ..inspect import affine_bound, loops_inside, nest, statements
from ..std.writing import INSIDE, halves
from .triangles import is_short

PAYS = 4
"""A loop is shared where it has so many times as much to do as it costs to have threads share it."""
FEW = 8
"""A loop that surely has no more iterations is left alone: what remains of rows and columns that are taken together."""
USUAL = 16
"""How many iterations a loop is taken to have whose bounds are not known before it runs."""
PARTS = 4
"""Iterations of a loop over blocks for each thread, from which on it is shared rather than what it calls."""
SHARED = "shared by threads"
WAVEFRONTS = "tiles along diagonals, shared by threads"
"""What a plan says of loops."""
DEAR = "to share it costs more than it saves"
LAGS = (1, 2, 3, 4)
"""So many tiles an iteration of the loop around tiles stays behind the one before it, if it may."""
STEP = 8
"""How far apart the cases of a condition on several loops are: many of one, or some of both, or many of the other."""


@strategy
def share(p: Proc, c: ProcCursor, threads: int = 2, work: int = PAYS * Processor().fork) -> Script:
    """`for i in seq(..): s  ~>  if n >= .. : for i in par(..): s else: for i in seq(..): s`, where it is safe.

    The outermost loops of each nest whose iterations are independent, where some `threads` have `work` innermost
    statements to share, or more; in what is called, rather than around it: loops over blocks have few iterations. Sums
    stay as they are, so results do not depend on the number of threads. Focus: the procedure. Never fails.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] += x[i]
    ... ''')
    >>> print(schedule(share(), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        if n >= 65536:
            for i in par(0, n):
                y[i] += x[i]
        else:
            for i in seq(0, n):
                y[i] += x[i]
    """
    for s in c.body():
        p, _ = yield attempt(on(s, shared(threads, work)))
    yield nav(moves.root)


@strategy
def shared(p: Proc, c: StmtCursor, threads: int, work: int) -> Script:
    """A statement with loops that threads share. Focus: the statement. Fails if there are none."""
    match c:
        case CallCursor():
            version = with_threads(c.subproc(), threads, work)
            if version is c.subproc():
                yield fail("nothing in it can be shared")
            yield call_eqv(version) >> remark(SHARED)
        case ForCursor() if c.mode() == "par":
            yield fail("it is shared already")
        case ForCursor():
            yield try_else(in_parallel(threads, work), wavefronts(threads, work), inside(threads, work))
        case IfCursor():
            yield inside(threads, work)
        case _:
            yield fail("this is no loop")


@strategy
def inside(p: Proc, c: ForCursor | IfCursor, threads: int, work: int) -> Script:
    """The statements of a loop or branch, each `shared`. Fails if none is."""
    before = p
    others = c.orelse() if isinstance(c, IfCursor) and c.has_else() else ()
    for s in (*c.body(), *others):
        p, _ = yield attempt(on(s, shared(threads, work)))
    if p is before:
        yield fail("nothing in it can be shared")


def with_threads(callee: Proc, threads: int, work: int) -> Proc:
    """A procedure with its loops shared; itself if none can be, or if it is an instruction."""
    known = _with_threads(callee, threads, work)
    # of an equal procedure that was made elsewhere it would be no version
    return known if known.origin is callee.origin else schedule(share(threads, work), callee)


@cache
def _with_threads(callee: Proc, threads: int, work: int) -> Proc:
    return callee if callee.is_instr() else schedule(share(threads, work), callee)


@strategy
def in_parallel(p: Proc, c: ForCursor, threads: int, work: int) -> Script:
    """`for i in seq(..): s  ~>  if n >= .. : for i in par(..): s else: for i in seq(..): s`. Of a loop over blocks that
    calls something, which has too few iterations, what it calls is shared. Focus: the loop. Fails if iterations are not
    independent, or there surely are only few."""
    if is_short(c, FEW):
        yield fail(f"there are no more than {FEW} iterations")
    blocks = any(isinstance(s, CallCursor) and not s.subproc().is_instr() for s in statements(c))
    condition = enough(trips(c), work, PARTS * threads if blocks else threads)
    if never(c, condition):
        yield fail(DEAR)
    p, c = yield parallelize_loop() >> remark(SHARED)
    if not isinstance(condition, bool):
        p, choice = yield specialize(condition)
        p, c = yield on(choice.orelse()[0], parallelize_loop("seq"))
        if blocks:
            yield attempt(on(c, inside(threads, work)))


@strategy
def wavefronts(p: Proc, c: ForCursor, threads: int, work: int) -> Script:
    """`for i: for j: s`, where s is a tile that needs those before it in both directions: `in_groups`, with the least
    lag that there can be, where a tile has enough to do. Focus: the outer loop. Fails if these are no two loops over
    tiles, or tiles need others.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f32[4 * m + 4, 4 * n + 4]):
    ...     for io in seq(0, m):
    ...         for jo in seq(0, n):
    ...             for i in seq(0, 4):
    ...                 for j in seq(0, 4):
    ...                     x[4 * io + i + 1, 4 * jo + j + 1] += x[4 * io + i, 4 * jo + j]
    ... ''')
    >>> q = schedule(share(2, 16), p)
    >>> for x in loops_inside(q.root())[:3]:
    ...     print(f"for {x.name()} in {x.mode()}({x.lo().text()}, {x.hi().text()})")
    for ioo in seq(0, (m + 1) / 2)
    for jo in seq(0, min(n + 1, m + n - 2 * ioo - 1))
    for ioi in par(max(0, jo - n + 1), min(min(2, m - 2 * ioo), jo + 1))
    """
    tiles = c.body()[0]
    if len(c.body()) > 1 or not isinstance(tiles, ForCursor) or not any(map(loops_inside, loops_inside(tiles))):
        yield fail("these are no loops over tiles")
        return
    condition = enough(trips(tiles)[1:], work, 1)
    if never(tiles, condition):
        yield fail(DEAR)
    if not isinstance(condition, bool):
        p, choice = yield specialize(condition)
        p, c = yield focus(choice.body()[0])
    yield try_else(*(in_groups(threads, lag) for lag in LAGS)) >> remark(WAVEFRONTS)


@strategy
def in_groups(p: Proc, c: ForCursor, threads: int, lag: int) -> Script:
    """`for i: for j: s  ~>  for io: for j: for ii in par(..): s[j - lag * ii]`, so many iterations of i at a time as
    there are threads: each goes through all j, `lag` behind the one before it. So each thread goes on beside the tile
    that it has just done. Focus: i. Returns the loop over groups.
    """
    p, groups = yield divide_loop(threads, halves(c), tail="guard")
    p, _ = yield on(groups, nav(INSIDE), repeat(tighten_loop()))
    p, groups = yield focus(groups)
    _, c, tiles, *_ = nest(groups)
    behind = lag * forms.Lin.of(forms.V(c.sym))
    yield on(tiles, shift_loop(forms.to_expr(affine_bound(tiles.lo()) + behind)))
    p, c = yield on(c, reorder_loops())
    yield on(c.body()[0], parallelize_loop())
    return groups


def never(c: ForCursor, condition: nodes.Expr | bool) -> bool:
    """Whether a condition surely fails where a loop is: a branch for it would be dead code."""
    if isinstance(condition, bool):
        return not condition
    return analysis.holds_everywhere(c.proc.tree, c.path, nodes.Unary("not", condition))


# -- how much work there is ---------------------------------------------------------------------------

Trips = tuple[forms.Lin | None, ...]
Values = Mapping[Sym, forms.Lin]


def trips(c: StmtCursor) -> Trips:
    """How often each loop runs of the longest chain of loops inside each other, the outermost first, also of those in
    what is called, and how many statements are in the last one; None for what isn't known. A row of a triangle is taken
    to be as long as the first or the last one, whichever is longer.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, i):
    ...             y[i] += x[i, j]
    ... ''')
    >>> trips(p.find_loop("i"))
    (n_0, n_0 - 1, 1)
    """
    return tuple(map(_longer, _trips(c, {}, last=False), _trips(c, {}, last=True)))


def _longer(a: forms.Lin | None, b: forms.Lin | None) -> forms.Lin | None:
    """The longer of two rows of a triangle, where sizes are large."""
    more = None if a is None or b is None else a - b
    return a if more is None or (more.const if more.is_const else max(k for _, k in more.terms)) > 0 else b


def _trips(c: StmtCursor, known: Values, last: bool) -> Trips:
    """How often loops run in the last iterations of those around them, or else in the first ones."""
    match c:
        case ForCursor():
            lo, hi = (_value(e.node, known) for e in (c.lo(), c.hi()))
            if lo is None or hi is None:
                return (None, *_longest(tuple(c.body()), known, last))
            return (hi - lo, *_longest(tuple(c.body()), {**known, c.sym: hi - 1 if last else lo}, last))
        case IfCursor():
            return _longest((*c.body(), *(c.orelse() if c.has_else() else ())), known, last)
        case CallCursor() if not c.subproc().is_instr():
            given = ((a.sym, _value(e, known)) for a, e in zip(c.subproc().tree.args, c.node.args, strict=True))
            return _longest(tuple(c.subproc().body()), {sym: x for sym, x in given if x is not None}, last)
        case _:
            return ()


def _longest(block: Sequence[StmtCursor], values: Values, last: bool) -> Trips:
    return max((_trips(s, values, last) for s in block), key=len, default=()) or (forms.Lin(len(block)),)


def _value(e: nodes.Expr, values: Values) -> forms.Lin | None:
    return forms.affine(e, values) if is_control(e) else None


def enough(found: Trips, work: int, parts: int) -> nodes.Expr | bool:
    """The condition under which loops that run so often have so much work, in so many parts; where it is known before,
    whether they have. Of several loops it asks for many iterations of one, or some of each.

    >>> from exo_strat import print_expr
    >>> n, m = (Sym(name, k) for k, name in enumerate("nm"))
    >>> rows, columns = (forms.Lin.of(forms.V(sym)) for sym in (n, m))
    >>> for loops in ((rows,), (rows, forms.Lin(16)), (rows, columns)):
    ...     print(print_expr(enough(loops, 4096, 2), {n: "n", m: "m"}))
    n >= 4096
    n >= 256
    n >= 2 and m >= 2048 or n >= 16 and m >= 256 or n >= 128 and m >= 32 or n >= 1024 and m >= 4 or n >= 4096
    >>> enough((forms.Lin(64), forms.Lin(16)), 4096, 2), enough((forms.Lin(64), forms.Lin(64)), 4096, 2)
    (False, True)
    """
    if found and found[0] is not None and found[0].is_const and found[0].const < parts:
        return False
    for x in found:
        work = ceil(work / (USUAL if x is None else max(1, x.const) if x.is_const else 1))
    loops = [x for x in found if x is not None and not x.is_const]
    return _at_least(loops, work, parts) if loops else work <= 1


def _at_least(loops: Sequence[forms.Lin], work: int, first: int = 1) -> nodes.Expr:
    """Whether loops have so many iterations in all, and the first of them at least some."""
    head, *rest = loops
    few = first
    cases: list[nodes.Expr] = []
    while rest and first < work:
        inner = _at_least(rest, ceil(work / first))
        cases.append(inner if first == 1 else nodes.Binary("and", _is(head, first), inner))
        first *= STEP
    return reduce(lambda a, b: nodes.Binary("or", a, b), [*cases, _is(head, max(work, few))])


def _is(x: forms.Lin, bound: int) -> nodes.Expr:
    return nodes.Binary(">=", forms.to_expr(x), forms.to_expr(forms.Lin(bound)))
