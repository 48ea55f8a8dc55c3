"""Work that is done again, or no longer done again (paper, appendix A.1, and beyond it).

In the paper a loop may be divided with recomputation if its body is idempotent. That is not enough where other
iterations come between an iteration and its repetition: see `logic.questions.recomputation.overlap`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, TypeGuard

from pyrsistent import pvector

from ..cursors.cursor import BlockCursor
from ..cursors.kinds import ForCursor
from ..cursors.rewrite import Rewrite
from ..ir import build as b
from ..ir.names import Sym
from ..ir.nodes import Binary, Expr, For, If, Node, ProcDef, Stmt, Unary, Var
from ..ir.printing import names_at
from ..ir.span import span_of
from ..ir.walk import Path, children, is_bool, is_control, mentions, rename, update, walk
from ..logic.forms import V, is_opaque, lin, lin_atoms, unknown
from ..logic.questions import recomputation, safety, to_expr
from .framework import Trial, Where, primitive
from .helpers.arguments import Kind, NewName, TwoNames
from .helpers.references import ExprLike, name_arg, positive, ref
from .helpers.refusing import applicable, of_kind, require
from .helpers.scoping import (
    bounds_stay,
    escaping,
    integer_arg,
    into_tiles,
    joint_mode,
    loop_at,
    start_stays,
    stays_race_free,
)
from .helpers.wellformed import well_formed

__all__ = ["divide_with_recompute", "guard_first", "join_loops", "merge_recompute"]


def _any(*conditions: Expr) -> Expr:
    """The disjunction of conditions."""
    first, *rest = conditions
    for c in rest:
        first = Binary("or", first, c)
    return first


def _le(x: Expr, y: Expr) -> Expr:
    return Binary("<=", x, y)


# -- overlapping tiles --------------------------------------------------------------------------------


@primitive(
    "A.1",
    same_values=True,
    cursors={"values inside": "stay, replaced, gone, lost"},
    trial=Trial(programs="nest neighbours independent invariant temporary configuration"),
)
def divide_with_recompute(
    rw: Rewrite,
    loop: ForCursor,
    n: Annotated[ExprLike, Kind("a number of tiles")],
    c: int,
    names: TwoNames,
    width: Annotated[ExprLike | None, Kind("how long a tile is, or none")] = None,
) -> Where:
    """`for i in (lo, hi): s  ~>  for io in (0, N): for ii in (0, c + d): s[i -> lo + c*io + ii]`.

    N tiles that start `c` iterations apart, each but the first beginning with the d = (hi - lo) - N*c last
    iterations of the one before. `n` is N, an integer control expression in scope before the loop that reads no
    config field; `c` is a positive literal, `names` are those of io and ii. Unless the loop is empty there is a
    tile, and d is not negative or there is just one. Beyond the paper, `width` says how many iterations a tile has:
    it begins with the last `width - c` of the one before, the last tile may reach beyond the end, and the body is
    guarded by `if lo + c*io + ii < hi`. The inner loop keeps the mode; the outer one is sequential, as its iterations
    write the same places. Returns the outer loop.

    Fails with `Unsafe` if N*c may be too large or N too small, or the tiles leave gaps; if running the shared
    iterations a second time may change a result (they accumulate, or read what a later one of them overwrote); or if
    the body changes the bounds.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[8 * n + 2], y: f32[8 * n + 2]):
    ...     for i in seq(0, 8 * n + 2):
    ...         y[i] = 2.0 * x[i]
    ... ''')
    >>> print(divide_with_recompute.direct(p, "i", "n", 8, ["io", "ii"]))
    def foo(n: size, x: f32[8 * n + 2] @ DRAM, y: f32[8 * n + 2] @ DRAM):
        for io in seq(0, n):
            for ii in seq(0, 10):
                y[8 * io + ii] = 2.0 * x[8 * io + ii]
    >>> print(divide_with_recompute.direct(p, "i", "n + 1", 8, ["io", "ii"], width=9))
    def foo(n: size, x: f32[8 * n + 2] @ DRAM, y: f32[8 * n + 2] @ DRAM):
        for io in seq(0, n + 1):
            for ii in seq(0, 9):
                if 8 * io + ii < 8 * n + 2:
                    y[8 * io + ii] = 2.0 * x[8 * io + ii]

    Refused: the sums in `y` that two tiles share would be added twice.

    >>> q = proc_from_source('''
    ... def foo(x: f32[10], y: f32[10]):
    ...     for i in seq(0, 10):
    ...         y[i] += x[i]
    ... ''')
    >>> print(divide_with_recompute(2, 4, ["io", "ii"])(q, q.find_loop("i")).failure())
    divide_with_recompute(2, 4, ('io', 'ii')): not true: the iterations that two tiles share change nothing when they are done again
    it accumulates into y[i]
    for instance with i = 4, the tile = 1
        def foo(x: f32[10] @ DRAM, y: f32[10] @ DRAM):
    -->     for i in seq(0, 10):
                y[i] += x[i]
    """  # noqa: E501  (a message is one line)
    positive(c, "the distance of tiles")
    tree, path = rw.proc.tree, loop.path
    old = loop_at(tree, path)
    tiles = integer_arg(rw, n, path)
    start_stays(rw, loop)
    reach = None if width is None else integer_arg(rw, width, path)
    if reach is not None or not safety.holds_everywhere(tree, path, _le(tiles, b.ONE)):
        bounds_stay(tree, path)
    _tiles_cover(tree, loop, old, tiles, c, reach)
    require(recomputation.overlap(tree, path, b.ZERO, tiles, c, reach), loop)
    io, ii = rw.fresh(name_arg(names[0])), rw.fresh(name_arg(names[1]))
    size = _width(old, tiles, c) if reach is None else reach
    into_tiles(rw, path, (io, ii), b.num(c), tiles, size, ("seq", old.mode), guarded=reach is not None)
    return path


def _tiles_cover(tree: ProcDef, loop: ForCursor, old: For, tiles: Expr, c: int, width: Expr | None) -> None:
    """Owed: the tiles, of the width given or such that they end with the loop, have all its iterations."""
    count = b.sub(old.hi, old.lo)
    empty = _le(count, b.ZERO)
    some = _any(empty, _le(b.ONE, tiles))
    require(safety.holds(tree, loop.path, some, "there is a tile unless the loop is empty"), loop)
    if width is None:
        fit = _any(empty, _le(tiles, b.ONE), _le(b.mul(c, tiles), count))
        what = "the tiles leave no gaps: their number times their distance fits"
        require(safety.holds(tree, loop.path, fit, what), loop)
        return
    touch = _any(empty, _le(tiles, b.ONE), _le(b.num(c), width))
    require(safety.holds(tree, loop.path, touch, "each tile reaches as far as the next one starts"), loop)
    end = _any(empty, _le(count, b.add(b.mul(c, b.sub(tiles, b.ONE)), width)))
    require(safety.holds(tree, loop.path, end, "the last tile reaches the end of the loop"), loop)


def _width(loop: For, tiles: Expr, c: int) -> Expr:
    """`c + (hi - lo) - tiles*c`."""
    if is_opaque(loop.lo) or is_opaque(loop.hi):
        return b.add(b.sub(b.sub(loop.hi, loop.lo), b.mul(c, tiles)), b.num(c))
    return to_expr(lin(loop.hi) - lin(loop.lo) - lin(tiles) * c + c)


@primitive(
    same_values=True,
    cursors={"inside": "stay, gone", "values inside": "stay, replaced, gone"},
    trial=Trial(programs="tiles tiles", after=(("divide_with_recompute", 30),), at=(("a nest", 90),)),
)
def merge_recompute(rw: Rewrite, loop: ForCursor, name: NewName) -> Where:
    """`for io in (l, h): for ii in (a, e): s(c*io + ii)  ~>  for i in (c*l + a, c*(h - 1) + e): s(i)`.

    The inverse of `divide_with_recompute`: tiles that overlap, or just touch, become one pass. The target is the
    outer loop; the inner one is all of its body, with bounds that do not depend on io, and its body depends on
    the iterators by `c*io + ii` alone. The new loop has the inner one's mode if no two iterations of it share
    what they write; else it is sequential. Returns the new loop.

    Fails with `NotApplicable` if the loops do not have this form; with `Unsafe` if there may be gaps between
    tiles, or if running the shared iterations only once may change a result.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[8 * n + 2], y: f32[8 * n + 2]):
    ...     for io in seq(0, n):
    ...         for ii in seq(0, 10):
    ...             y[8 * io + ii] = 2.0 * x[8 * io + ii]
    ... ''')
    >>> print(merge_recompute.direct(p, "io", "i"))
    def foo(n: size, x: f32[8 * n + 2] @ DRAM, y: f32[8 * n + 2] @ DRAM):
        for i in seq(0, 8 * n + 2):
            y[i] = 2.0 * x[i]

    Refused: the sums in `y` that two tiles share are added twice.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[8 * n + 2], y: f32[8 * n + 2]):
    ...     for io in seq(0, n):
    ...         for ii in seq(0, 10):
    ...             y[8 * io + ii] += x[8 * io + ii]
    ... ''')
    >>> print(merge_recompute("i")(q, q.find_loop("io")).failure())
    merge_recompute('i'): not true: the iterations that two tiles share change nothing when they are done again
    it accumulates into y[the iteration]
    for instance with ii = 0, io = 1, n = 2
        def foo(n: size, x: f32[8 * n + 2] @ DRAM, y: f32[8 * n + 2] @ DRAM):
    -->     for io in seq(0, n):
                for ii in seq(0, 10):
                    y[8 * io + ii] += x[8 * io + ii]
    """
    tree, path = rw.proc.tree, loop.path
    outer = loop_at(tree, path)
    inner = _tile(outer)
    i = rw.fresh(name_arg(name))
    c, merged = _joined(outer.iter, inner, i)
    tiles, width = b.sub(outer.hi, outer.lo), b.sub(inner.hi, inner.lo)
    lo = to_expr(lin(outer.lo) * c + lin(inner.lo))
    hi = to_expr(lin(outer.hi) * c - c + lin(inner.hi))
    empty = _le(hi, lo)
    require(safety.holds(tree, path, _any(empty, _le(b.ONE, tiles)), "there is a tile unless nothing is left"), loop)
    touch = _any(empty, _le(tiles, b.ONE), _le(b.num(c), width))
    require(safety.holds(tree, path, touch, "each tile reaches as far as the next one starts"), loop)
    rw.set(path, iter=i, lo=lo, hi=hi, mode="seq")
    rw.unwrap((*path, ("body", 0)))
    for rest, new in merged:
        rw.replace((*path, *rest), new)
    require(_in_tiles(rw, path, outer, inner, c), loop)
    if inner.mode != "seq" and safety.parallel(rw.tree, path):
        rw.set(path, mode=inner.mode)
    well_formed(rw)
    return path


ITERATION = "the iteration"
"""What the merged loop's iterator is called while the question is asked: no name of a variable."""


def _in_tiles(rw: Rewrite, path: Path, outer: For, inner: For, c: int) -> safety.Verdict:
    """Whether the merged loop at `path` does what the tiles did; a counterexample is in their iterators."""
    loop = loop_at(rw.tree, path)
    plain = update(rw.tree, path, lambda _: rename(loop, {loop.iter: Sym(ITERATION, loop.iter.id)}))
    verdict = recomputation.overlap(plain, path, outer.lo, outer.hi, c)
    if not isinstance(verdict, safety.Clash) or verdict.counterexample is None:
        return verdict
    shown, names = dict(verdict.counterexample), names_at(rw.proc.tree)
    tile, i = shown.pop(recomputation.TILE, None), shown.pop(ITERATION, None)
    if tile is None or i is None:
        return replace(verdict, counterexample=None)
    return replace(verdict, counterexample={**shown, names[outer.iter]: tile, names[inner.iter]: i - c * tile})


def _tile(outer: For) -> For:
    """The loop over a tile, which is all of the body of the loop over tiles."""
    what = "the loop's body must be one loop and nothing else"
    applicable(len(outer.body) == 1, what)
    inner = of_kind(outer.body[0], For, what)
    bounds = (outer.lo, outer.hi, inner.lo, inner.hi)
    applicable(not any(map(is_opaque, bounds)), "the loops' bounds read config fields")
    depends = outer.iter in mentions(inner.lo) | mentions(inner.hi)
    applicable(not depends, f"the inner loop's bounds depend on {outer.iter}")
    return inner


Edits = list[tuple[Path, Expr]]


def _joined(io: Sym, inner: For, i: Sym) -> tuple[int, Edits]:
    """The distance c of tiles, and what becomes of expressions (with paths below the inner loop) when `i` takes
    the place of `c*io + ii`."""
    tried = ((c, _replaced(inner.body, c, io, inner.iter, i)) for c in _distances(io, inner))
    found = next(((c, edits) for c, edits in tried if edits is not None), None)
    what = f"the body must depend on {io} and {inner.iter} by a sum c*{io} + {inner.iter} alone"
    applicable(found is not None, what)
    assert found is not None
    return found


def _replaced(block: Sequence[Stmt], c: int, io: Sym, ii: Sym, i: Sym) -> Edits | None:
    """The replacements in a block by which it depends on `i = c*io + ii` instead; None if it cannot."""
    edits: Edits = []
    for k, s in enumerate(block):
        new = _collapsed(s, (("body", k),), c, io, ii, i)
        if new is None:
            return None
        edits += new
    return edits


def _is_sum(n: Node) -> TypeGuard[Expr]:
    """Whether a node is an integer expression with operands, or a variable, that never changes."""
    if not isinstance(n, Var | Unary | Binary):
        return False
    return is_control(n) and not is_bool(n) and not is_opaque(n)


def _distances(io: Sym, inner: For) -> Iterator[int]:
    """The factors of io over those of ii in the expressions of a tile, in order."""
    found: set[int] = set()
    for s in inner.body:
        for _, n in walk(s):
            if _is_sum(n) and {io, inner.iter} <= mentions(n):
                x = lin(n)
                p, q = x.coefficient(V(io)), x.coefficient(V(inner.iter))
                if p and q and p % q == 0 and p // q > 0:
                    found.add(p // q)
    yield from sorted(found)


def _collapsed(n: Node, path: Path, c: int, io: Sym, ii: Sym, i: Sym) -> Edits | None:
    """The smallest replacements by which a node depends on `i = c*io + ii` instead; None if it cannot."""
    if not mentions(n) & {io, ii}:
        return []
    edits: Edits | None = None if isinstance(n, Var) else []
    for step, e in children(n):
        below = _collapsed(e, (*path, step), c, io, ii, i)
        edits = None if below is None or edits is None else edits + below
    if edits is not None or not _is_sum(n):
        return edits
    x = lin(n)
    p, q = x.coefficient(V(io)), x.coefficient(V(ii))
    rest = x - unknown(io) * p - unknown(ii) * q
    if p != c * q or {V(io), V(ii)} & set(lin_atoms(rest)):
        return None
    return [(path, to_expr(rest + unknown(i) * q))]


# -- one loop of two ----------------------------------------------------------------------------------


@primitive(
    "A.1",
    same_values=True,
    cursors={"elsewhere": "stay, gone", "values inside": "stay, gone", "values elsewhere": "stay, gone"},
    trial=Trial(programs="sequence twins invariant", after=(("cut_loop", 90),)),
)
def join_loops(rw: Rewrite, first: ForCursor, second: object) -> Where:
    """`for i in (l, m): s; for j in (m, h): s[i -> j]  ~>  for i in (l, h): s`.

    The inverse of `cut_loop`. `second` (a cursor, pattern or name) is the loop right after the first. The bodies
    are equal up to names, and up to control expressions that are equal in the second loop. The joined loop is
    parallel if both were and no iteration of one touches what one of the other writes. Returns the joined
    loop; cursors to the second one are gone.

    Fails with `NotApplicable` if the loops are not neighbours; with `Unsafe` if the second need not start where
    the first ends, if one of the ranges may be negative (`h < m` or `m < l`), if the first loop changes the
    second one's bounds, or if the bodies may differ.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n + 4]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...     for j in seq(n, n + 4):
    ...         x[j] = 0.0
    ... ''')
    >>> print(join_loops.direct(p, "i", "j"))
    def foo(n: size, x: f32[n + 4] @ DRAM):
        for i in seq(0, n + 4):
            x[i] = 0.0

    Refused: the joined loop would write `x[n]`, which neither of the two does.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n + 4]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...     for j in seq(n + 1, n + 4):
    ...         x[j] = 0.0
    ... ''')
    >>> print(join_loops("j")(q, q.find_loop("i")).failure())
    join_loops('j'): not true: the second loop starts where the first ends
    for instance with n = 1
            for i in seq(0, n):
                x[i] = 0.0
    -->     for j in seq(n + 1, n + 4):
                x[j] = 0.0
    """
    tree, path = rw.proc.tree, first.path
    other = ref(rw, second, ForCursor)
    applicable(other.path == span_of(path).path(1), "the second loop must stand right after the first", other)
    one, two = loop_at(tree, path), loop_at(tree, other.path)
    whole = span_of(path)
    require(safety.unchanged(tree, whole, two.lo), other)
    require(safety.unchanged(tree, whole, two.hi), other)
    require(safety.equal_at(tree, path, one.hi, two.lo, "the second loop starts where the first ends"), other)
    forward = Binary("and", _le(one.lo, one.hi), _le(one.hi, two.hi))
    never = Binary("and", _le(one.hi, one.lo), _le(two.hi, one.hi))
    require(safety.holds(tree, path, _any(forward, never), "no loop's range is negative"), first)
    require(recomputation.same_body(tree, path, other.path), other)
    rw.set(path, hi=two.hi, mode=joint_mode(one, two))
    rw.carry((*other.path, ("hi", None)), (*path, ("hi", None)))
    rw.spread(span_of(other.path), span_of(path))
    rw.delete(span_of(other.path))
    stays_race_free(rw, path)
    well_formed(rw)
    return path


# -- only the first time ------------------------------------------------------------------------------


@primitive(
    same_values=True,
    cursors={"values elsewhere": "stay, first copy"},
    trial=Trial(programs="reload reload invariant temporary configuration"),
)
def guard_first(rw: Rewrite, block: BlockCursor, loop: Annotated[object, Kind("a loop around")] = None) -> Where:
    """`for i in (lo, hi): .. s ..  ~>  for i in (lo, hi): .. if i == lo: s ..`, if s then does nothing new.

    The target is a statement or a block in a sequential loop, with any loops and `if`s between. `loop` (a cursor,
    pattern or name) is the loop; without it, the innermost one around s. So a tile that stays the same is loaded
    once. Beyond the paper. Returns the `if`.

    Right if s does not depend on i and runs in the first iteration if it does in a later one; if repeating s right
    away changes nothing; and if no other code of the loop, nor s in another iteration of the loops between, writes
    what s reads or writes in the meantime.

    Fails with `NotApplicable` if there is no such loop, or s defines what later code uses; with `Unsafe` if one of
    these does not hold.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[4], y: f32[n]):
    ...     a: f32[4]
    ...     for i in seq(0, n):
    ...         for j in seq(0, 4):
    ...             a[j] = x[j]
    ...         y[i] = a[0] + a[3]
    ... ''')
    >>> print(guard_first.direct(p, "a[_] = _", "i"))
    def foo(n: size, x: f32[4] @ DRAM, y: f32[n] @ DRAM):
        a: f32[4] @ DRAM
        for i in seq(0, n):
            for j in seq(0, 4):
                if i == 0:
                    a[j] = x[j]
            y[i] = a[0] + a[3]

    Refused: each iteration changes `x[0]`, so `a` must be loaded again.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     a: f32
    ...     for i in seq(0, n):
    ...         a = x[0]
    ...         x[0] = 2.0 * a
    ... ''')
    >>> print(guard_first()(q, q.find("a = _")).failure())
    guard_first(): not true: what the code reads and writes stays as it is until a later iteration of i
    one reads x[0], the other writes x[0]
    for instance with i = 1, i' = 0, n = 2
            a: f32 @ DRAM
            for i in seq(0, n):
    -->         a = x[0]
                x[0] = 2.0 * a
    """
    tree, span = rw.proc.tree, block.span
    path = ref(rw, loop, ForCursor).path if loop is not None else _innermost(rw, span.parent)
    inside = len(path) <= len(span.parent) and span.parent[: len(path)] == path
    applicable(bool(path) and inside, "the statements must stand in the loop", block)
    around = loop_at(tree, path)
    applicable(around.mode == "seq", "the loop must be sequential: there is no first iteration", block)
    applicable(not is_opaque(around.lo), "the loop starts at a config field, which may change", block)
    applicable(not escaping(tree, span), "a name defined in the block is used after it", block)
    require(recomputation.first_suffices(tree, path, block.span), block)
    first = Binary("==", b.var(around.iter), around.lo)
    guard = rw.wrap(span, If(first, pvector(), pvector()))
    return guard


def _innermost(rw: Rewrite, path: Path) -> Path:
    """The innermost loop around a block whose parent is at `path`; the root if there is none."""
    while path and not isinstance(rw.node(path), For):
        path = path[:-1]
    return path
