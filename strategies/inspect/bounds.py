"""Bounds inference: the window of a buffer that a scope accesses.

Paper: section 4. For each access and each dimension, the iterators of the loops inside are eliminated from the index.
What is left are lower and upper limits in terms of variables in scope outside. The window takes the tightest limits
that provably hold for all accesses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import gcd
from typing import TypeAlias

from exo_strat import (
    ForCursor,
    InvalidCursorError,
    Proc,
    Sym,
    Tensor,
    analysis,
    binders,
    declarations,
    forms,
    names_at,
    nodes,
    print_expr,
)

from .accesses import Access, Path, Scope, accesses
from .elimination import Limits, bound, is_bound, limits
from .structure import enclosing_loops, pieces
from .uses import Named, symbol

# -- the answer ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Range:
    """The indices `lo:hi` along a dimension, half-open, as affine forms; all are `lo` plus a multiple of `step`.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, 8):
    ...             y[i] += x[i, j]
    ... ''')
    >>> rows, columns = bounds(p.find_loop("j"), "x").dims
    >>> (rows.extent(), columns.extent(), columns.step)
    (1, 8, 1)
    """

    least: forms.Lin
    end: forms.Lin
    step: int = 1

    @property
    def lo(self) -> nodes.Expr:
        """The first index, as object code."""
        return forms.to_expr(self.least)

    @property
    def hi(self) -> nodes.Expr:
        """One past the last index, as object code."""
        return forms.to_expr(self.end)

    @property
    def size(self) -> nodes.Expr:
        """How many indices there are, as object code."""
        return forms.to_expr(self.end - self.least)

    def extent(self) -> int | None:
        """How many indices there are, if that is a number."""
        size = self.end - self.least
        return None if size.terms else size.const


@dataclass(frozen=True)
class Bounds:
    """A window of a buffer, in terms of what is in scope where it was asked for. Prints as object code.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, 8):
    ...             y[i] += x[i, j]
    ... ''')
    >>> b = bounds(p.find_loop("j"), "x")
    >>> print(b, "or", b.window(), "of", " x ".join(b.sizes()))
    x[i:i + 1, 0:8] or x[i, 0:8] of 1 x 8
    """

    proc: Proc
    buffer: Sym
    dims: tuple[Range, ...]

    def __str__(self) -> str:
        return self.window(points=False)

    def window(self, points: bool = True) -> str:
        """The window as object code, an argument of `stage_mem`. With `points`, an index that is always the same one
        stands alone, and the window has one dimension less."""
        names = names_at(self.proc.tree)
        dims = [_shown(d, points, lambda e: print_expr(e, names)) for d in self.dims]
        return f"{names[self.buffer]}[{', '.join(dims)}]" if dims else names[self.buffer]

    def lo(self) -> tuple[str, ...]:
        """The first index along each dimension, as object code."""
        return tuple(print_expr(d.lo, names_at(self.proc.tree)) for d in self.dims)

    def hi(self) -> tuple[str, ...]:
        """One past the last index along each dimension, as object code."""
        return tuple(print_expr(d.hi, names_at(self.proc.tree)) for d in self.dims)

    def sizes(self) -> tuple[str, ...]:
        """The extent along each dimension, as object code."""
        return tuple(print_expr(d.size, names_at(self.proc.tree)) for d in self.dims)


def _shown(d: Range, points: bool, show: Callable[[nodes.Expr], str]) -> str:
    return show(d.lo) if points and d.extent() == 1 else f"{show(d.lo)}:{show(d.hi)}"


# -- bounds -------------------------------------------------------------------------------------------


def bounds(
    c: Scope, buffer: Named, reads: bool = True, writes: bool = True, windows: bool = False, inside: bool = False
) -> Bounds:
    """The window of a buffer that a statement, block or procedure accesses, as by bounds inference in Halide.

    It is given in terms of the variables in scope before `c`. So `bounds(loop, ..)` is about all iterations of a loop,
    and `bounds(loop.body(), ..)` about one of them.

    - `reads=False` looks at writes only, `writes=False` at reads only; a reduction is both.
    - `windows=True` also counts the whole of each window that is made or passed to a call.
    - `inside=True` takes only limits that provably lie in the buffer, as `stage_mem` needs them.

    For the name of a window, the result is a part of that window, not of the buffer behind it.

    Every access that happens lies in the result. Where indices, bounds and guards are affine, no smaller window does;
    there may be indices in it that nothing accesses. An index that is not affine is limited by the extent only. At the
    end of a last tile two limits hold, as `8 * io + 8` and `n`: then one that makes the window's size a constant is
    taken. Raises `InvalidCursorError` if nothing is accessed, or if the buffer is declared inside `c`.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[32 * n + 2], y: f32[32 * n]):
    ...     for io in seq(0, n):
    ...         for ii in seq(0, 32):
    ...             y[32 * io + ii] = x[32 * io + ii] + x[32 * io + ii + 2]
    ... ''')
    >>> io = p.find_loop("io")
    >>> print(bounds(io.body(), "x"), bounds(io, "x"), bounds(io.body(), "y", reads=False).sizes())
    x[32 * io:32 * io + 34] x[0:32 * n + 2] ('32',)
    """
    sym = symbol(c, buffer)
    if any(sym in binders(s.node) for s in pieces(c)):
        raise InvalidCursorError(f"{sym} is declared in this scope: its bounds mean nothing outside\n{c}")
    found = [a for a in accesses(c, (sym,)) if a.sym == sym and _asked(a, reads, writes, windows)]
    if not found:
        what = "accesses" if reads and writes else "reads" if reads else "writes"
        raise InvalidCursorError(f"nothing here {what} {sym}\n{c}")
    query = _Query(c.proc, pieces(c)[0].path, inside, enclosing_loops(c)[::-1])
    t = declarations(c.proc.tree)[sym]
    extents = map(forms.affine, t.shape if isinstance(t, Tensor) else ())
    return Bounds(c.proc, sym, tuple(query.range(found, k, extent) for k, extent in enumerate(extents)))


def _asked(a: Access, reads: bool, writes: bool, windows: bool) -> bool:
    return (reads and a.reads) or (writes and a.writes) or (windows and a.kind == "P")


def staging_window(c: Scope, buffer: Named) -> str:
    """The window of a buffer to give to `stage_mem` for a block. It lies in the buffer, and covers all that the block
    accesses, makes windows of, or passes to calls.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for io in seq(0, (n + 7) / 8):
    ...         for ii in seq(0, 8):
    ...             if 8 * io + ii < n:
    ...                 x[8 * io + ii] = 0.0
    ... ''')
    >>> print(staging_window(p.find_loop("ii"), "x"), bounds(p.find_loop("ii"), "x"))
    x[8 * io:n] x[8 * io:8 * io + 8]
    """
    return bounds(c, buffer, windows=True, inside=True).window()


def halo(loop: ForCursor, buffer: Named, reads: bool = True, writes: bool = True) -> Bounds:
    """The window of a buffer that both an iteration of a loop and the next one access, as the overlap of two tiles of a
    stencil. It is empty if they share nothing.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[32 * n + 2], y: f32[32 * n]):
    ...     for io in seq(0, n):
    ...         for ii in seq(0, 32):
    ...             y[32 * io + ii] = x[32 * io + ii] + x[32 * io + ii + 2]
    ... ''')
    >>> print(halo(p.find_loop("io"), "x"), halo(p.find_loop("io"), "x").sizes())
    x[32 * io + 32:32 * io + 34] ('2',)
    """
    found = bounds(loop.body(), buffer, reads, writes)
    return replace(found, dims=tuple(_shared(d, forms.V(loop.sym)) for d in found.dims))


def _shared(d: Range, i: forms.V) -> Range:
    least, end = (forms.subst_lin(x, {i: forms.Lin.of(i) + 1}) for x in (d.least, d.end))
    back = least - d.least
    return replace(d, end=end) if not back.terms and back.const < 0 else replace(d, least=least)


# -- limits -------------------------------------------------------------------------------------------

Compare: TypeAlias = Callable[[forms.Lin, forms.Lin], bool]
Forms: TypeAlias = Sequence[forms.Lin]


@dataclass(frozen=True)
class _Query:
    """A place at which limits are compared, by what is known there."""

    proc: Proc
    path: Path
    inside: bool
    around: tuple[ForCursor, ...]

    def range(self, found: Sequence[Access], k: int, extent: forms.Lin | None) -> Range:
        """The range of the k-th index of some accesses."""
        lows = self.common(found, k, 0, self.at_most, [forms.Lin(0)])
        highs = self.common(found, k, 1, self.at_least, [] if extent is None else [extent - 1])
        if not highs:
            raise InvalidCursorError(f"index {k} has no limit: neither it nor the extent of the buffer is affine")
        ranges = [Range(lo, hi + 1) for lo in lows for hi in highs]
        chosen = min(ranges, key=lambda r: (r.extent() is None, r.extent() or 0))
        return replace(chosen, step=_step([a.index[k] - chosen.least for a in found]))

    def common(self, found: Sequence[Access], k: int, side: int, weaker: Compare, last: Forms) -> Forms:
        """The strongest lower limits, or upper ones if `side` is 1, of the k-th index that hold for all accesses.

        If there are none in terms of all that is in scope, those in terms of fewer of the iterators around; in the
        end that of the buffer, `last`.
        """
        pairs: list[tuple[forms.Lin, Forms]] = [(a.index[k], a.constraints) for a in found]
        for loop in (None, *self.around):
            if loop is not None:
                pairs = [_for_all_of(loop, *pair) for pair in pairs]
            limits = dict.fromkeys(_limits(*pair)[side] for pair in pairs)
            usable = [[x for x in xs if not self.inside or all(weaker(y, x) for y in last)] for xs in limits]
            own = [self.strongest([*xs, *last], weaker) for xs in usable]
            if merged := reduce(lambda xs, ys: self.strongest(_of_both(xs, ys, weaker), weaker), own):
                return merged
        return last

    def strongest(self, limits: Forms, weaker: Compare) -> Forms:
        """The limits less those that another one implies."""
        kept: Forms = []
        for x in limits:
            if not any(weaker(x, y) for y in kept):
                kept = [y for y in kept if not weaker(y, x)] + [x]
        return kept

    def at_most(self, x: forms.Lin, y: forms.Lin) -> bool:
        """Whether surely `x <= y`."""
        difference = y - x
        if not difference.terms:
            return difference.const >= 0
        ordered = nodes.Binary("<=", forms.to_expr(x), forms.to_expr(y))
        return analysis.holds_everywhere(self.proc.tree, self.path, ordered)

    def at_least(self, x: forms.Lin, y: forms.Lin) -> bool:
        """Whether surely `x >= y`."""
        return self.at_most(y, x)


def _of_both(xs: Forms, ys: Forms, weaker: Compare) -> Forms:
    """The limits of two groups of accesses that hold for both."""
    return [x for x in xs if any(weaker(x, y) for y in ys)] + [y for y in ys if any(weaker(y, x) for x in xs)]


def _limits(index: forms.Lin, constraints: Forms) -> Limits:
    """The lower and upper limits of an index."""
    if not any(is_bound(a) for a, _ in index.terms):
        return (index,), (index,)
    t = bound("the index")
    return limits((*constraints, t - index, index - t), t.terms[0][0])


def _for_all_of(loop: ForCursor, index: forms.Lin, constraints: Forms) -> tuple[forms.Lin, Forms]:
    """An index and its constraints in any iteration of a loop around."""
    i = bound(loop.sym)
    lo, hi = (forms.affine(e.node) for e in (loop.lo(), loop.hi()))
    ranges = [*([] if lo is None else [i - lo]), *([] if hi is None else [hi - i - 1])]
    index, *rest = (forms.subst_lin(x, {forms.V(loop.sym): i}) for x in (index, *constraints))
    return index, (*rest, *ranges)


def _step(distances: Forms) -> int:
    """The largest number of which all distances from the first index are multiples."""
    return gcd(*(k for x in distances for k in (x.const, *(f for _, f in x.terms)))) or 1
