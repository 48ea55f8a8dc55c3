"""Level 2: matrices that are large, by calls of procedures for parts of them.

A triangle is taken by some rows at a time: a small triangle, and the rectangle beside it. Other matrices are taken by
as many rows as are read together, and the rows that are left.
"""

from __future__ import annotations

import re

from exo_strat import (
    AssignCursor,
    ForCursor,
    IfCursor,
    InvalidCursorError,
    Op,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    StmtCursor,
    attempt,
    cut_loop,
    delete_pass,
    divide_loop,
    eliminate_dead_code,
    fission,
    inline_assign,
    lift_reduce_constant,
    lift_scope,
    moves,
    nav,
    on,
    reorder_loops,
    reverse_loop,
    rewrite_expr,
    seq,
    shift_loop,
    simplify,
    specialize,
    stage_mem,
    strategy,
    tighten_loop,
    try_else,
    unroll_loop,
)

from .. import std
from ..inspect import inner_loop, is_invariant, slope
from ..std.staging import allocation
from ..std.writing import INSIDE, element, halves, text


@strategy
def triangle_by_blocks(p: Proc, c: ForCursor, block: str, triangle: Op, rectangle: Op) -> Script:
    """`for i in (0, n): for j in (0, i): s  ~>  for io: if 0 < b io: rectangle(..); triangle(..)`, b rows at a time.

    The columns that all rows of a block have are a rectangle; the Ops make calls of it and of what is left, where the
    element that a row is added up in, or that multiplies it, is a number of its own. Which of the two comes first is
    what the elements need. Rows that are left are a block, too. Focus: the loop over rows. Returns the procedure.

    >>> from exo_strat import at, identity, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def solve(n: size, b: size, a: f32[n, n], x: f32[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, i):
    ...             x[i] += -a[i, j] * x[j]
    ...         x[i] = x[i] / a[i, i]
    ... ''')
    >>> q = schedule(at("for i in _: _", triangle_by_blocks("b", identity, identity)), p)
    >>> print(str(q).partition("    if 0 < n % b")[0])
    def solve(n: size, b: size, a: f32[n, n] @ DRAM, x: f32[n] @ DRAM):
        for io in seq(0, n / b):
            if 0 < b * io:
                for ii in seq(0, b):
                    t: f32 @ DRAM
                    t = x[ii + b * io]
                    for j in seq(0, b * io):
                        t += -a[ii + b * io, j] * x[j]
                    x[ii + b * io] = t
            for ii in seq(0, b):
                t: f32 @ DRAM
                t = x[b * io + ii]
                for j in seq(b * io, b * io + ii):
                    t += -a[b * io + ii, j] * x[j]
                x[b * io + ii] = t / a[b * io + ii, b * io + ii]
    <BLANKLINE>
    """
    columns = inner_loop(c)
    lower = bool(slope(columns.hi(), c))
    grows = (slope(columns.hi(), c) if lower else -slope(columns.lo(), c)) > 0
    p, whole = yield divide_loop(block, halves(c), tail="cut_and_guard")
    both = whole, whole.next()
    for blocks in both:
        yield on(blocks, nav(INSIDE), block_of_triangle(lower, grows))
    p, _ = yield nav(moves.root)
    scopes = [s for s in map(p.forward, both) if isinstance(s, ForCursor | IfCursor)]
    for part in [s for scope in scopes for s in scope.body()]:
        if isinstance(part, IfCursor):
            yield on(part, nav(INSIDE), try_else(rectangle, seq(reverse_loop(), rectangle)))
        elif isinstance(part, ForCursor):
            yield on(part, triangle)
    yield seq(nav(moves.root), delete_pass())
    return None


@strategy
def block_of_triangle(p: Proc, c: ForCursor, lower: bool, grows: bool) -> Script:
    """`for ii: for j in (0, e + ii): s  ~>  if 0 < e: for ii: for j in (0, e): s; for ii: for j in (e, e + ii): s`.

    The last column depends on the row if it is `lower`, else the first one does; `grows`, rows have more and more.
    Focus: the loop over the rows of a block.
    """
    columns = inner_loop(c)
    bound = text(columns.hi() if lower else columns.lo())
    if grows:  # the first row has the fewest
        common = re.sub(rf" [+-] {c.name()}\b", "", bound)
    else:
        common = re.sub(rf"\b{c.name()}\b", f"({text(c.hi())} - 1)", bound)
    p, first = yield on(columns, cut_loop(common))
    beside = first if lower else first.next()
    there = f"{text(beside.lo())} < {text(beside.hi())}"
    p, second = yield try_else(on(beside, apart_first()), on(beside, apart_last()))
    loops = (second.prev(), second)
    common, rest = loops if p.forward(beside).parent() == loops[0] else reversed(loops)
    yield on(rest, row_by_number())
    p, branch = yield on(common, specialize(there))
    yield on(inner_loop(branch.orelse()[0]), eliminate_dead_code())
    p, _ = yield on(branch, simplify())
    if p.forward(branch).is_valid:  # the last rows have no columns beside their triangle, if rows get shorter
        yield on(branch, nav(INSIDE), row_by_number())
    return None


@strategy
def apart_first(p: Proc, c: ForCursor) -> Script:
    """`for i: s1; s  ~>  for i: s; for i: s1`. Focus: s. Returns the second loop."""
    for _ in range(len(c.expand(None, 0)) - 1):
        yield on(c, std.reorder_before())
    p, second = yield on(c, nav(moves.after), fission())
    return second


@strategy
def apart_last(p: Proc, c: ForCursor) -> Script:
    """`for i: s; s1  ~>  for i: s1; for i: s`. Focus: s. Returns the second loop."""
    for s in list(c.expand(0, None))[1:]:
        yield on(s, std.reorder_before())
    p, second = yield on(c, nav(moves.before), fission())
    return second


@strategy
def row_by_number(p: Proc, c: ForCursor) -> Script:
    """`for i: for j: y[i] += e  ~>  for i: t = y[i]; for j: t += e; y[i] = t`, or likewise `for j: y[j] += x[i] * e`.

    What the row sets the element to before is the first value of the number, and what it does with it after is done
    with the number. Focus: the loop over rows, which is returned.
    """
    columns = inner_loop(c)
    p, block = yield on(columns, stage_mem(invariant_element(columns), "t"))
    around = [*allocation(block).expand(None, 0)][:-1][-1:], [*block.expand(0, None)][len(block) :][:1]
    for s in around[0] + around[1]:
        yield attempt(on(s, inline_assign()))
    return c


def invariant_element(columns: ForCursor) -> str:
    """The element of a vector that all columns of a row go with. Raises `InvalidCursorError` if there is none."""
    s = columns.body()[0]
    assert isinstance(s, AssignCursor | ReduceCursor)
    if all(is_invariant(i, columns) for i in s.idx()):
        return element(s)
    for e in s.rhs().descendants():
        if isinstance(e, ReadCursor) and e.idx() and all(is_invariant(i, columns) for i in e.idx()):
            return text(e)
    raise InvalidCursorError("the columns of a row go with no element of a vector")


@strategy
def by_many(p: Proc, c: ForCursor, rows: int, many: Op, rest: Op) -> Script:
    """`for i in (0, m): s  ~>  if 0 < m / r: many(for i in (0, r (m / r)): s); if 0 < m % r: rest(for i: s)`.

    So many `rows` are what is read together. Focus: the loop over rows. Returns the procedure.

    >>> from exo_strat import at, identity, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, x: f32[m]):
    ...     for i in seq(0, m):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", by_many(12, identity, identity)), p))
    def foo(m: size, x: f32[m] @ DRAM):
        if 0 < m / 12:
            for i in seq(0, 12 * (m / 12)):
                x[i] = 0.0
        if 0 < m % 12:
            for i in seq(0, m % 12):
                x[i + 12 * (m / 12)] = 0.0
    """
    end = text(c.hi())
    p, first = yield cut_loop(f"{rows} * ({end} / {rows})")
    p, left = yield on(first.next(), shift_loop(0))
    yield on(left, nav(moves.hi), rewrite_expr(f"{end} % {rows}"))
    yield on(left, std.if_it_runs(rest))
    yield on(first, std.if_it_runs(many, f"0 < {end} / {rows}"))
    return None


@strategy
def as_dots(p: Proc, c: ForCursor) -> Script:
    """`for i: for j: y[i] += alpha * (a * x)  ~>  for i: t = 0; for j: t += a * x; y[i] += alpha * t`.

    Focus: the loop over rows, which is returned.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def gemv(m: size, n: size, alpha: f32, a: f32[m, n], x: f32[n], y: f32[m]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             y[i] += alpha * (a[i, j] * x[j])
    ... ''')
    >>> print(schedule(at("for i in _: _", as_dots()), p))
    def gemv(m: size, n: size, alpha: f32 @ DRAM, a: f32[m, n] @ DRAM, x: f32[n] @ DRAM, y: f32[m] @ DRAM):
        for i in seq(0, m):
            t: f32 @ DRAM
            t = 0.0
            for j in seq(0, n):
                t += a[i, j] * x[j]
            y[i] += alpha * t
    """
    columns = inner_loop(c)
    p, block = yield on(columns, stage_mem(invariant_element(columns), "t", accum=True))
    p, scaled = yield on(block[0].prev(), nav(moves.expand(0, 1)), lift_reduce_constant())
    yield on(scaled, inline_assign())
    return c


@strategy
def by_parts(p: Proc, c: ForCursor, width: str, rows: str, then: Op) -> Script:
    """`for i: for j: s  ~>  for io: for jo: then(for ii: for ji: s)`, of so many `rows` and so wide, and what is left.

    Without `rows`, `for jo: then(for i: for ji: s)`. Focus: the loop over rows. Returns the procedure.

    >>> from exo_strat import at, identity, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, w: size, x: f32[m, n]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", by_parts("w", "", identity)), p))
    def foo(m: size, n: size, w: size, x: f32[m, n] @ DRAM):
        for jo in seq(0, n / w):
            for i in seq(0, m):
                for ji in seq(0, w):
                    x[i, w * jo + ji] = 0.0
        if 0 < n % w:
            for i in seq(0, m):
                for ji in seq(0, n % w):
                    x[i, w * (n / w) + ji] = 0.0
    """
    if rows:
        yield in_panels(rows, by_parts(width, "", then))
        return None
    columns = inner_loop(c)
    p, whole = yield on(columns, divide_loop(width, halves(columns), tail="cut_and_guard"))
    rest = whole.next()
    yield on(whole, nav(moves.after), fission())
    yield on(whole, nav(moves.parent), reorder_loops())
    yield on(rest, lift_scope())
    for parts in (whole, rest):
        yield on(parts, nav(INSIDE), then)
    return None


@strategy
def in_panels(p: Proc, c: ForCursor, rows: str, then: Op) -> Script:
    """`for i in (0, m): s  ~>  for io: then(for ii in (0, b): s); if 0 < m % b: then(for ii in (0, m % b): s)`.

    Focus: the loop over rows. Returns the procedure.
    """
    p, whole = yield divide_loop(rows, halves(c), tail="cut_and_guard")
    for blocks in (whole, whole.next()):
        yield on(blocks, nav(INSIDE), then)
    return None


@strategy
def by_wide_parts(p: Proc, c: ForCursor, width: int, least: int, then: Op, last: Op) -> Script:
    """`for i: for j in (0, n): s  ~>  for jo: then(for i: for ji in (0, w): s); last(for i: for ji: s)`.

    The last part has `least` columns or more, and fewer than a part and these; so many are known to be there. Focus:
    the loop over rows. Returns the procedure.

    >>> from exo_strat import at, identity, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f32[m, n]):
    ...     assert n >= 2
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", by_wide_parts(8, 2, identity, identity)), p))
    def foo(m: size, n: size, x: f32[m, n] @ DRAM):
        assert n >= 2
        for jo in seq(0, (n - 2) / 8):
            for i in seq(0, m):
                for ji in seq(0, 8):
                    x[i, 8 * jo + ji] = 0.0
        for i in seq(0, m):
            for j in seq(0, (n - 2) % 8 + 2):
                x[i, j + 8 * ((n - 2) / 8)] = 0.0
    """
    columns = inner_loop(c)
    end, names = text(columns.hi()), halves(columns)
    p, whole = yield on(columns, cut_loop(f"{width} * (({end} - {least}) / {width})"))
    p, rest = yield on(whole.next(), shift_loop(0))
    yield on(rest, nav(moves.hi), rewrite_expr(f"({end} - {least}) % {width} + {least}"))
    p, second = yield on(whole, nav(moves.after), fission())
    p, whole = yield on(whole, divide_loop(width, names, tail="perfect"))
    p, parts = yield on(whole, nav(moves.parent), reorder_loops())
    yield on(parts, nav(moves.hi), rewrite_expr(f"({end} - {least}) / {width}"))
    yield on(second, last)
    yield on(parts, nav(INSIDE), then)
    return None


@strategy
def by_rows_alike(p: Proc, c: ForCursor, step: int, head: str, heads: Op, together: Op) -> Script:
    """`for i in (0, m): for j in (0, n): s  ~>  for ii in (0, 2): heads(for io: for j in (0, h): s); together(for io:
    for j in (h, n): s)`, where io is every second row from ii on.

    Rows that are a multiple of `step` apart begin at the same place of a vector, if it is chosen so, and so do their
    columns from the `head` on, in which `{}` is the first of such rows. Focus: the loop over rows. Returns the
    procedure.

    >>> from exo_strat import at, identity, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f32[m, n]):
    ...     assert n >= 4
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", by_rows_alike(4, "3 * {} % 4", identity, identity)), p))
    def foo(m: size, n: size, x: f32[m, n] @ DRAM):
        assert n >= 4
        for ii in seq(0, 4):
            for io in seq(0, (m - ii + 3) / 4):
                for j in seq(0, 3 * ii % 4):
                    x[4 * io + ii, j] = 0.0
            for io in seq(0, (m - ii + 3) / 4):
                for j in seq(3 * ii % 4, n):
                    x[4 * io + ii, j] = 0.0
    """
    names = halves(c)
    p, whole = yield divide_loop(step, names, tail="guard")
    p, whole = yield on(whole, reorder_loops())
    p, rows = yield on(whole.body()[0], tighten_loop())
    p, first = yield on(inner_loop(rows), cut_loop(head.format(names[1])))
    p, second = yield on(first, nav(moves.after), fission())
    yield on(second, together)
    yield on(second.prev(), heads)
    yield nav(moves.root)
    return None


@strategy
def by_case(p: Proc, c: StmtCursor, condition: str, then: Op, other: Op) -> Script:
    """`s  ~>  if n < 8: then(s); else: other(s)`. Focus: the statement. Returns the procedure.

    >>> from exo_strat import at, identity, proc_from_source, schedule, unroll_loop
    >>> p = proc_from_source('''
    ... def foo(x: f32[2], short: bool):
    ...     for i in seq(0, 2):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", by_case("short", unroll_loop(), identity)), p))
    def foo(x: f32[2] @ DRAM, short: bool):
        if short:
            x[0] = 0.0
            x[1] = 0.0
        else:
            for i in seq(0, 2):
                x[i] = 0.0
    """
    p, choice = yield specialize(condition)
    yield on(choice.body()[0], then)
    yield on(choice.orelse()[0], other)
    return None


@strategy
def by_width(p: Proc, c: ForCursor, least: int, few: Op, more: Op) -> Script:
    """`for i: for j in (0, n): s  ~>  if n < 8: few(for i: ..); else: more(for i: ..)`. Focus: the loop over rows."""
    yield by_case(f"{text(inner_loop(c).hi())} < {least}", few, more)
    return None


@strategy
def only_row(p: Proc, c: ForCursor, columns: Op) -> Script:
    """`for i in (0, m): for j: s  ~>  columns(for j: s[0])`, where m is known to be 1. Focus: the loop over rows."""
    loop = inner_loop(c)
    yield on(c, nav(moves.hi), rewrite_expr("1"))
    yield on(c, unroll_loop())
    yield on(loop, columns)
    return None
