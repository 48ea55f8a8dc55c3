"""Level 2, banded: loops over rows, each of which begins and ends a column after the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from exo_strat import (
    DRAM_STACK,
    ForCursor,
    Machine,
    Proc,
    Script,
    cut_loop,
    divide_loop,
    focus,
    hole,
    moves,
    nav,
    on,
    rewrite_expr,
    seq,
    shift_loop,
    simplify,
    specialize,
    strategy,
    traversals,
)

from .. import std
from ..inspect import inner_loop, innermost_loops, slope
from ..std.writing import INSIDE, halves, text
from .level1 import optimize_level_1
from .level2 import block_of_rows, latest_last, needs_others, optimize_level_2_general
from .strided import Part, calls_of

ROWS, VECTORS = 4, 2
"""Rows, and vectors of columns, taken together unless said: of a band, each more row makes the columns that all have
fewer. Measured by `python -m benchmarks.blas --only gbmv --only sbmv`."""

NARROW: Final = 2 * ROWS
"""Elements of a row from which on vectors pay, by the same measurement."""


@strategy
def optimize_band(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """`for i: for j in (i, i + w): s  ~>  for io: (for j: s[0]); ..; for j: s[0]; ..; s[r-1]; for j: s[0]; ..`.

    The columns that some rows have that are taken together are before and after those of all; w is at least `NARROW`.
    Holes: so many `rows` are taken together, and `vectors` where rows don't need those before. Focus: the loop over
    rows. Returns the procedure.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def gbmv(m: size, w: size, a: f32[m, w], x: f32[m + w], y: f32[m]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, w):
    ...             y[i] += a[i, j] * x[i + j]
    ... ''')
    >>> q = schedule(at("for i in _: _", optimize_band(avx2, "f32")), p)
    >>> from strategies.inspect import loops_inside
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())[:4]]
    ['io < m / 4', 'joo < w / 16', 'iio < m / 2 % 2', 'joo < w / 16']
    """
    rows = (yield hole("rows", (1, 2, 4, 8), default=ROWS)) if machine.vec_widths else ROWS
    if not (machine.vec_widths and needs_others(c)):
        vectors = (yield hole("vectors", (1, 2, 4), default=VECTORS)) if machine.vec_widths else VECTORS
        yield optimize_level_2_general(machine, precision, rows, vectors)
        return None
    forwards = slope(inner_loop(c).lo(), c) > 0
    p, c = yield on(c, std.locals_in(DRAM_STACK), focus(c))
    p, blocks = yield divide_loop(rows, halves(c), tail="cut")
    rest = innermost_loops(blocks.next())
    # a masked load waits for what was stored just now, also where only its other lanes are
    cut = replace(machine, supports_predication=False) if forwards else machine
    yield seq(nav(INSIDE), block_of_rows(optimize_level_1(cut, precision, 1), near=rows))
    if not forwards:
        yield on(blocks, latest_last())
    for loop in rest:
        yield on(loop, optimize_level_1(machine, precision, 1))
    yield std.cleanup()
    return None


@strategy
def optimize_narrow_band(p: Proc, c: ForCursor) -> Script:
    """`for i: for j in (i, i + w): s  ~>  if w == 1: for i: s[i]; else: if w == 2: for i: s[i]; s[i + 1]; ..`.

    For each width below `NARROW`, without vectors. Focus: the loop over rows. Returns the procedure.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def gbmv(m: size, w: size, a: f32[m, w], x: f32[m + w], y: f32[m]):
    ...     for i in seq(0, m):
    ...         for j in seq(0, w):
    ...             y[i] += a[i, j] * x[i + j]
    ... ''')
    >>> q = schedule(at("for i in _: _", optimize_narrow_band()), p)
    >>> from strategies.inspect import loops_inside
    >>> [f"{x.name()} < {x.hi().text()}" for x in loops_inside(q.root())]
    ['i < m', 'i < m', 'i < m', 'i < m', 'i < m', 'i < m', 'i < m', 'i < m', 'j < w']
    """
    columns = inner_loop(c)
    backwards = needs_others(c) and slope(columns.lo(), c) < 0
    yield on(columns, shift_loop(0), nav(moves.root), simplify())
    p, columns = yield focus(columns)
    p, c = yield on(c, std.specialize_sizes(text(columns.hi()), range(NARROW)))
    p, _ = yield seq(nav(moves.root), std.unroll_loops(NARROW), std.cleanup())
    for rows in traversals.loops(p.body()) if backwards else ():
        yield on(rows, latest_last())
    return None


@dataclass(frozen=True)
class Piece:
    """Rows of a band whose columns begin and end alike: the row after the last, or "" if there is none, where columns
    begin and end in a row, and how many these are, if each row has as many and there is code for few."""

    end: str
    lo: str
    hi: str
    width: str = ""


@strategy
def in_pieces(p: Proc, c: ForCursor, pieces: Sequence[Piece], parts: Sequence[Part]) -> Script:
    """`for i: for j in (max(0, i - k), i): s  ~>  if 0 < k: f(..); if k < n: g(..)`: pieces as calls of parts.

    Where a piece has rows, it must be what one of the parts does; the part says how many columns it is for, few or
    many. Focus: the loop over rows. Returns the procedure.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> full = proc_from_source('''
    ... def full(m: size, w: size, a: [f32][m, m + w - 1]):
    ...     for i in seq(0, m):
    ...         for j in seq(i, i + w):
    ...             a[i, j] = 0.0
    ... ''')
    >>> last = proc_from_source('''
    ... def last(m: size, a: [f32][m, m]):
    ...     for i in seq(0, m):
    ...         for j in seq(i, m):
    ...             a[i, j] = 0.0
    ... ''')
    >>> p = proc_from_source('''
    ... def upper(n: size, k: size, a: [f32][n, n]):
    ...     assert k < n
    ...     for i in seq(0, n):
    ...         for j in seq(i, min(n, i + k)):
    ...             a[i, j] = 0.0
    ... ''')
    >>> pieces = [Piece("n - k", "i", "i + k"), Piece("", "i", "n")]
    >>> print(schedule(at("for i in _: _", in_pieces(pieces, [(full, full), (last, last)])), p))
    def upper(n: size, k: size, a: [f32][n, n] @ DRAM):
        assert k < n
        full(n - k, k, a[0:n - k, 0:n - 1])
        last(k, a[n - k:n, n - k:n])
    """
    for piece in pieces:
        rows, columns = c, inner_loop(c)
        if piece.end:
            p, rows = yield on(c, cut_loop(piece.end))
            c, columns = rows.next(), inner_loop(rows)
        for bound, value in ((moves.lo, piece.lo), (moves.hi, piece.hi)):
            yield on(columns, nav(bound), rewrite_expr(value))
        widths = [specialize(f"{piece.width} < {NARROW}")] if piece.width else []
        yield on(rows, std.if_it_runs(seq(*widths, nav(moves.parent), calls_of(parts))))
    yield std.cleanup()
    return None
