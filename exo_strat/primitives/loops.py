"""Loop transformations (paper, appendix A.1).

Loops may start anywhere and may be empty; `n` below is `hi - lo`. A bound that reads config fields is
evaluated once, where the loop starts: rewrites that evaluate it again, or where it was not evaluated
before, owe that it is still the same, or that it was evaluated anyway.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pyrsistent import pvector

from ..cursors.cursor import BlockCursor, GapCursor
from ..cursors.kinds import ForCursor
from ..cursors.rewrite import Rewrite
from ..ir import build as b
from ..ir.nodes import Binary, Const, Expr, For, If, Pass, ProcDef
from ..ir.printing import names_at, print_expr
from ..ir.span import Span, span_of
from ..ir.walk import Path, get, get_as, mentions, with_child
from ..logic.forms import is_opaque, lin
from ..logic.questions import safety, to_expr
from .framework import Trial, Where, primitive
from .helpers.arguments import Kind, Levels, NewName, TwoNames
from .helpers.bounds import Ranges, exchanged
from .helpers.references import ExprLike, name_arg, positive
from .helpers.refusing import applicable, argument, not_too_many, of_kind, require
from .helpers.scoping import (
    body_span,
    bounds_stay,
    escaping,
    integer_arg,
    into_one,
    into_tiles,
    known_count,
    loop_at,
    nest,
    start_stays,
)

__all__ = [
    "add_loop",
    "cut_loop",
    "divide_loop",
    "fission",
    "mult_loops",
    "remove_loop",
    "reorder_loops",
    "shift_loop",
    "unroll_loop",
]

TAILS = ("perfect", "guard", "cut", "cut_and_guard")


Tail: TypeAlias = Annotated[str, Kind("a tail", ("guard", "cut", "cut_and_guard", "perfect"))]


@primitive(
    "A.1",
    same_values=True,
    cursors={"values inside": "stay, gone"},
    again=True,
    trial=Trial(programs="nest anything borrowed diagonal"),
)
def reorder_loops(rw: Rewrite, loop: ForCursor) -> Where:
    """`for i: for j: s  ~>  for j: for i: s`.

    The target is the outer loop. The inner loop is all of its body. If its bounds depend on i, as those of a triangle
    or of a skewed loop do, both loops get new bounds, which are proved to have the same iterations. Each loop keeps
    its mode. In the paper's form the target may be given as `"i j"`. Returns the loop that is now outside.

    Fails with `NotApplicable` if the loops do not have this form, or if bounds that depend on i are no sums with maxima
    at the start and minima at the end. Fails with `Unsafe` if iterations (i, j) and (i', j') that change places touch
    the same data, if a parallel inner loop would have races outside, or if the inner bounds read config fields and
    the outer loop may be empty.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, m]):
    ...     for i in seq(0, n):
    ...         for j in seq(2, m):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(reorder_loops.direct(p, "i j"))
    def foo(n: size, m: size, x: f32[n, m] @ DRAM):
        for j in seq(2, m):
            for i in seq(0, n):
                x[i, j] = 0.0
    >>> triangle = proc_from_source('''
    ... def foo(n: size, x: f32[n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, i + 1):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(reorder_loops.direct(triangle, "i j"))
    def foo(n: size, x: f32[n, n] @ DRAM):
        for j in seq(0, n):
            for i in seq(j, n):
                x[i, j] = 0.0

    Refused: iteration (i, j) reads what (i - 1, j + 1) wrote, which would come after it.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n, n]):
    ...     for i in seq(1, n):
    ...         for j in seq(0, n - 1):
    ...             x[i, j] = x[i - 1, j + 1]
    ... ''')
    >>> print(reorder_loops()(q, q.find_loop("i")).failure())
    reorder_loops(): not true: iterations of i and j that change places commute
    one writes x[i, j], the other reads x[i - 1, j + 1]
    for instance with i = 1, i' = 2, j = 1, j' = 0, n = 3
        def foo(n: size, x: f32[n, n] @ DRAM):
    -->     for i in seq(1, n):
                for j in seq(0, n - 1):
                    x[i, j] = x[i - 1, j + 1]
    """
    tree, path = rw.proc.tree, loop.path
    outer = loop_at(tree, path)
    inner = nest(outer)
    ranges: Ranges | None = None
    if outer.iter in mentions(inner.lo) | mentions(inner.hi):
        ranges = exchanged(tree, path, outer, inner)
        applicable(ranges is not None, f"no bounds without {outer.iter} are known for {inner.iter}", loop)
        assert ranges is not None
        require(safety.holds(tree, path, ranges.same, "the new ranges have the same iterations"), loop)
    elif is_opaque(inner.lo) or is_opaque(inner.hi):
        require(safety.holds(tree, path, b.lt(outer.lo, outer.hi), "the outer loop runs at least once"), loop)
    require(safety.interchange(tree, path), loop)
    at = span_of(path)
    rw.move(Span(path, "body", 0, 1), at._replace(hi=at.lo))
    nested = at.path(1)
    rw.move(body_span(rw, path), Span(nested, "body", 0, 0))
    rw.move(span_of(nested), Span(path, "body", 0, 0))
    if ranges is not None:
        rw.set(path, lo=ranges.outer[0], hi=ranges.outer[1])
        rw.set((*path, ("body", 0)), lo=ranges.inner[0], hi=ranges.inner[1])
    return path


@primitive(
    "A.1",
    same_values=True,
    cursors={"inside": "stay, first copy", "values inside": "stay, first copy, replaced, gone, lost"},
    grows=True,
    trial=Trial(programs="nest anything temporary configuration drifting"),
)
def divide_loop(
    rw: Rewrite,
    loop: ForCursor,
    c: Annotated[ExprLike, Kind("a factor")],
    names: TwoNames,
    tail: Tail = "guard",
    perfect: bool = False,
) -> Where:
    """`for i in (lo, hi): s  ~>  for io in (0, n/c): for ii in (0, c): s[i -> lo + c*io + ii]`.

    `c` is a positive number or, as text, an expression made of control arguments that is at least 1 for all that meet
    the assertions; `names` are those of io and ii. `tail` says what becomes of the last `n % c` iterations: "perfect"
    (there are none; also `perfect=True`), "guard" (`n/c` is rounded up and the body guarded by `if`), "cut" (a loop
    over ii of their own after the main one), "cut_and_guard" (the same inside `if 0 < n % c`). The outer loop keeps the
    mode, the inner one is sequential. Returns the outer loop.

    Fails with `Unsafe` if with "perfect" c may not divide n, or if with a "cut" `lo <= hi` is not known: `n % c` is
    a floor operation, so that a tail of a loop with a negative range would run.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(divide_loop.direct(p, "i", 4, ["io", "ii"]))
    def foo(n: size, x: f32[n] @ DRAM):
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                if 4 * io + ii < n:
                    x[4 * io + ii] = 0.0
    >>> print(divide_loop.direct(p, "i", 4, ["io", "ii"], tail="cut"))
    def foo(n: size, x: f32[n] @ DRAM):
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 0.0
        for ii in seq(0, n % 4):
            x[4 * (n / 4) + ii] = 0.0
    >>> flat = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n * m]):
    ...     for k in seq(0, n * m):
    ...         x[k] = 0.0
    ... ''')
    >>> print(divide_loop.direct(flat, "k", "m", ["i", "j"], tail="perfect"))
    def foo(n: size, m: size, x: f32[n * m] @ DRAM):
        for i in seq(0, n):
            for j in seq(0, m):
                x[m * i + j] = 0.0

    Refused: 10 iterations cannot be divided into tiles of 4 without a tail.

    >>> q = proc_from_source('''
    ... def foo(x: f32[10]):
    ...     for i in seq(0, 10):
    ...         x[i] = 0.0
    ... ''')
    >>> print(divide_loop(4, ["io", "ii"], tail="perfect")(q, q.find_loop("i")).failure())
    divide_loop(4, ('io', 'ii'), tail='perfect'): not true: 4 divides the loop's number of iterations
        def foo(x: f32[10] @ DRAM):
    -->     for i in seq(0, 10):
                x[i] = 0.0
    """
    tail = "perfect" if perfect else tail
    path, old = loop.path, loop_at(rw.proc.tree, loop.path)
    by = _factor(rw, loop, c)
    argument(tail in TAILS, f"tail must be one of {', '.join(TAILS)}, not {tail!r}")
    n = b.sub(old.hi, old.lo)
    _divides(rw, loop, n, by, tail)
    io, ii = rw.fresh(name_arg(names[0])), rw.fresh(name_arg(names[1]))
    if tail.startswith("cut"):
        _add_tail(rw, path, old, by, name_arg(names[1]), guarded=tail == "cut_and_guard")
    tiles = b.div(b.add(n, b.sub(by, b.ONE)) if tail == "guard" else n, by)
    if tail != "guard" and not isinstance(by, Const) and not is_opaque(n):
        tiles = to_expr(lin(tiles))  # `n * m / m` is n
    into_tiles(rw, path, (io, ii), by, tiles, by, (old.mode, "seq"), guarded=tail == "guard")
    return path


def _factor(rw: Rewrite, loop: ForCursor, c: ExprLike) -> Expr:
    """By what a loop is divided: a positive literal, or what is at least 1."""
    by = integer_arg(rw, c, loop.path)
    number = lin(by)
    if number.is_const:  # also in code that never runs, where all is proved
        positive(number.const, "the factor")
    else:
        require(safety.holds(rw.proc.tree, loop.path, Binary("<=", b.ONE, by), "the factor is at least 1"), loop)
    return by


def _divides(rw: Rewrite, loop: ForCursor, n: Expr, c: Expr, tail: str) -> None:
    """Owed when a loop of n iterations is divided by c: that its bounds can be had again, or that nothing is left."""
    tree, path, old = rw.proc.tree, loop.path, loop_at(rw.proc.tree, loop.path)
    if tail == "perfect":
        start_stays(rw, loop)
        obligation = f"{print_expr(c, names_at(tree))} divides the loop's number of iterations"
        require(safety.holds(tree, path, Binary("==", b.mod(n, c), b.ZERO), obligation), loop)
    else:
        bounds_stay(tree, path)
    if tail.startswith("cut"):
        what = "the loop's range is not negative: add_assertion can say so, or a branch around it (std.if_it_runs)"
        require(safety.holds(tree, path, Binary("<=", old.lo, old.hi), what), loop)


def _add_tail(rw: Rewrite, path: Path, old: For, c: Expr, name: str, guarded: bool) -> None:
    n = b.sub(old.hi, old.lo)
    ii = rw.fresh(name)
    rest = For(ii, b.ZERO, b.mod(n, c), rw.copy(old.body), old.mode)
    if not guarded:
        rw.add_part(path, rest)
        where: Path = span_of(path).path(1)
    else:
        rw.add_part(path, If(b.lt(b.ZERO, b.mod(n, c)), pvector([rest]), pvector()))
        where = (*span_of(path).path(1), ("body", 0))
    first = b.add(old.lo, b.times(c, b.div(n, c)))
    rw.substitute_in(body_span(rw, where), old.iter, b.add(first, b.var(ii)))


@primitive(
    "A.1",
    same_values=True,
    cursors={"inside": "stay, gone", "values inside": "stay, first copy, replaced, gone, lost"},
    trial=Trial(programs="nest counted drifting", at=(("a nest", 70),)),
)
def mult_loops(rw: Rewrite, loop: ForCursor, name: NewName) -> Where:
    """`for i: for j in (l, l+c): s  ~>  for k in (0, n*c): s[i -> lo + k/c, j -> l + k%c]`.

    The target is the outer loop. The inner loop is all of its body and runs a constant number c >= 1 of times; l
    may depend on i. The new loop is parallel if both were. Returns the new loop.

    Fails with `NotApplicable` if the loops do not have this form, and with `Unsafe` if lo or l reads a config field
    that the body may change.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, 4]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, 4):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(mult_loops.direct(p, "i j", "k"))
    def foo(n: size, x: f32[n, 4] @ DRAM):
        for k in seq(0, 4 * n):
            x[k / 4, k % 4] = 0.0

    Refused: the number is not constant. `collapse_loops` takes such loops, too.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[4, n]):
    ...     for i in seq(0, 4):
    ...         for j in seq(0, n):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(mult_loops("k")(q, q.find_loop("i")).failure())
    mult_loops('k'): the inner loop must run a constant, positive number of times
        def foo(n: size, x: f32[4, n] @ DRAM):
    -->     for i in seq(0, 4):
                for j in seq(0, n):
                    x[i, j] = 0.0
    """
    tree, path = rw.proc.tree, loop.path
    nest(loop_at(tree, path))
    inner_loop = of_kind(loop.body()[0], ForCursor, "the loop's body must be a loop")
    c = known_count(tree, inner_loop.path)
    applicable(c is not None and c >= 1, "the inner loop must run a constant, positive number of times", loop)
    assert c is not None
    start_stays(rw, loop)
    start_stays(rw, inner_loop)
    into_one(rw, path, rw.fresh(name_arg(name)), b.num(c))
    return path


@primitive(
    "A.1",
    same_values=True,
    cursors={"target": "first copy", "inside": "first copy", "values inside": "stay, first copy"},
)
def cut_loop(rw: Rewrite, loop: ForCursor, cut: ExprLike) -> Where:
    """`for i in (lo, hi): s  ~>  for i in (lo, e): s; for i in (e, hi): s`.

    `cut` is e, an integer control expression in scope before the loop that reads no config field, with `lo <= e <=
    hi`. Returns the first loop, where cursors to the old one point.

    Fails with `Unsafe` if e may lie outside of the range, or if the body changes `hi`.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(cut_loop.direct(p, "i", "n / 2"))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n / 2):
            x[i] = 0.0
        for i in seq(n / 2, n):
            x[i] = 0.0

    Refused: the loop may have fewer than 4 iterations.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(cut_loop(4)(q, q.find_loop("i")).failure())
    cut_loop(4): not true: the cut is not after the loop's end
    for instance with n = 1
        def foo(n: size, x: f32[n] @ DRAM):
    -->     for i in seq(0, n):
                x[i] = 0.0
    """
    tree, path = rw.proc.tree, loop.path
    old = loop_at(tree, path)
    e = integer_arg(rw, cut, path)
    require(safety.holds(tree, path, Binary("<=", old.lo, e), "the cut is not before the loop's start"), loop)
    require(safety.holds(tree, path, Binary("<=", e, old.hi), "the cut is not after the loop's end"), loop)
    bounds_stay(tree, path)
    rw.add_part(path, *rw.copy([with_child(old, "lo", e)]))
    rw.carry((*path, ("hi", None)), (*span_of(path).path(1), ("hi", None)))
    rw.set(path, hi=e)
    return path


@primitive(
    "A.1",
    same_values=True,
    cursors={"values inside": "stay, first copy, replaced, gone"},
    again=True,
    trial=Trial(programs="counted counted counted nest temporary", at=(("counts from a field", 70),)),
)
def shift_loop(rw: Rewrite, loop: ForCursor, start: Annotated[ExprLike, Kind("where a loop may start")]) -> Where:
    """`for i in (lo, hi): s  ~>  for i in (e, hi + e - lo): s[i -> i + lo - e]`.

    `start` is e, an integer control expression in scope before the loop that reads no config field; it may be
    negative. Returns the loop.

    Fails with `Unsafe` if lo reads a config field that the body may change.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(2, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(shift_loop.direct(p, "i", 0))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n - 2):
            x[i + 2] = 0.0

    Refused: the body changes the field at which the loop starts, from which `i` would be computed.

    >>> from exo_strat import config
    >>> @config
    ... class Cfg:
    ...     start: index
    >>> q = proc_from_source('''
    ... def foo(x: f32):
    ...     for i in seq(Cfg.start, 8):
    ...         if i == 5:
    ...             Cfg.start = 0
    ... ''', {"Cfg": Cfg})
    >>> print(shift_loop(0)(q, q.find_loop("i")).failure())
    shift_loop(0): not provable: the code does not change the expression
    one reads Cfg.start, the other writes Cfg.start
        def foo(x: f32 @ DRAM):
    -->     for i in seq(Cfg.start, 8):
                if i == 5:
                    Cfg.start = 0
    """
    path = loop.path
    old = loop_at(rw.proc.tree, path)
    e = integer_arg(rw, start, path)
    start_stays(rw, loop)
    rw.set(path, lo=e, hi=b.add(old.hi, b.sub(e, old.lo)))
    rw.substitute_in(body_span(rw, path), old.iter, b.add(b.var(old.iter), b.sub(old.lo, e)))
    return path


@primitive(
    "A.1",
    same_values=True,
    cursors={"values elsewhere": "stay, first copy, replaced"},
    trial=Trial(programs="sequence accumulation temporary twin_ifs configuration calls windows stages borrowed"),
)
def fission(rw: Rewrite, gap: GapCursor, n_lifts: Levels = 1) -> Where:
    """`for i: s1; s2  ~>  for i: s1; for i: s2`, at a gap. Also through `if`s.

    `n_lifts` enclosing scopes are split, from the inside out; each part keeps its loop's mode. The other branch of
    an `if` stays with the first part: `if e: s1; s2 else: s3  ~>  if e: s1 else: s3; if e: s2`. Returns the second
    of the two outermost parts; cursors to a scope point to its first part.

    Fails with `NotApplicable` if s2 uses what s1 defines, and with `Unsafe` if some s1 touches the data of an
    s2 of an earlier iteration, or changes the bounds or the condition. An s2 may read what a later s1 writes if
    that is computed again: an s1 before has surely written the same value (see `logic.effects.determined`).

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...         y[i] = x[i]
    ... ''')
    >>> print(fission.direct(p, p.find("x[_] = _").after()))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
        for i in seq(0, n):
            y[i] = x[i]

    Refused: an iteration reads what the one before it wrote; all reads would come first.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n + 1], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = x[i]
    ...         x[i + 1] = 0.0
    ... ''')
    >>> print(fission()(q, q.find("y[_] = _").after()).failure())
    fission(): not true: the second part does not touch what the first one does later
    one writes x[i + 1], the other reads x[i]
    for instance with i = 0, i' = 1, n = 2
        def foo(n: size, x: f32[n + 1] @ DRAM, y: f32[n] @ DRAM):
            for i in seq(0, n):
    -->         y[i] = x[i]
                x[i + 1] = 0.0
    """
    positive(n_lifts, "n_lifts")
    at = gap.span
    for _ in range(n_lifts):
        applicable(bool(at.parent), "the gap is at the top level: there is no scope to split", gap)
        at = _split(rw, at)
    return at.path()


def _split(rw: Rewrite, gap: Span) -> Span:
    """Split the scope around a gap of the current tree; returns the gap between the parts."""
    tree, path, k = rw.tree, gap.parent, gap.lo
    scope = get(tree, path)
    n, label = len(getattr(scope, gap.label)), gap.label
    applicable(0 < k < n, "the gap must have statements of the scope on both sides")
    applicable(not escaping(tree, Span(path, label, 0, k)), "a name defined before the gap is used after it")
    second: For | If
    if isinstance(scope, For):
        require(safety.fission(tree, path, k))
        bounds_stay(tree, path, k)
        i = rw.fresh(scope.iter.name)
        second = For(i, scope.lo, scope.hi, pvector(), scope.mode)
    else:
        branch = get_as(tree, path, If)
        _condition_stays(tree, path, branch, label, k)
        second = If(branch.cond, pvector([Pass()]) if label == "orelse" else pvector(), pvector())
    rw.insert_after(path, second)
    after = span_of(path).path(1)
    rw.move(Span(path, label, k, n), Span(after, label, 0, 0))
    if isinstance(scope, For):
        rw.substitute_in(body_span(rw, after), scope.iter, b.var(i))
    s = span_of(after)
    return s._replace(hi=s.lo)


def _condition_stays(tree: ProcDef, path: Path, scope: If, label: str, k: int) -> None:
    """Owed when the condition of an `if` is asked again after the first k statements of a branch, or after the
    whole of the other one: neither changes it."""
    other = "body" if label == "orelse" else "orelse"
    require(safety.unchanged(tree, Span(path, label, 0, k), scope.cond))
    if getattr(scope, other):
        require(safety.unchanged(tree, Span(path, other, 0, len(getattr(scope, other))), scope.cond))


@primitive(
    "A.1",
    same_values=True,
    cursors={"target": "gone", "values inside": "stay, gone"},
    trial=Trial(programs="invariant invariant accumulation calls"),
)
def remove_loop(rw: Rewrite, loop: ForCursor) -> Where:
    """`for i: s  ~>  s`, if s does not use i, is idempotent, and the loop runs at least once.

    If the loop runs exactly once, s need not be idempotent. Returns the block.

    Fails with `NotApplicable` if s uses i, and with `Unsafe` if the loop may be empty, if s accumulates, or if s
    overwrites what it reads.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[0] = 1.0
    ... ''')
    >>> print(remove_loop.direct(p, "i"))
    def foo(n: size, x: f32[n] @ DRAM):
        x[0] = 1.0

    Refused: the sum would be added once instead of n times.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32):
    ...     for i in seq(0, n):
    ...         x += 1.0
    ... ''')
    >>> print(remove_loop()(q, q.find_loop("i")).failure())
    remove_loop(): not true: the code writes what it reads, before it reads it
    it accumulates into x
    for instance with n = 1
        def foo(n: size, x: f32 @ DRAM):
    -->     for i in seq(0, n):
                x += 1.0
    """
    tree, path = rw.proc.tree, loop.path
    old = loop_at(tree, path)
    used = any(old.iter in mentions(s) for s in old.body)
    applicable(not used, f"the loop's body depends on {old.iter}", loop)
    require(safety.holds(tree, path, b.lt(old.lo, old.hi), "the loop runs at least once"), loop)
    if not safety.holds_everywhere(tree, path, Binary("==", b.sub(old.hi, old.lo), b.ONE)):
        require(safety.repeatable(tree, path), loop)
    return rw.unwrap(path)


@primitive("A.1", same_values=True, again=True, grows=True)
def add_loop(rw: Rewrite, block: BlockCursor, name: NewName, hi: ExprLike, guard: bool = False) -> Where:
    """`s  ~>  for i in (0, hi): s`, or with `guard` `for i in (0, hi): if i == 0: s`.

    The target is a statement or a block. `hi` is a positive integer control expression in scope before it that
    reads no config field. Unless `hi` is 1, or there is a guard, s must be idempotent: to run it twice changes
    nothing more than to run it once. Returns the loop.

    Fails with `NotApplicable` if s defines a name that later code uses, and with `Unsafe` if `hi` may be less than
    1, or if s accumulates or overwrites what it reads.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     x[0] += 1.0
    ... ''')
    >>> print(add_loop.direct(p, "x[_] += _", "i", "n", guard=True))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            if i == 0:
                x[0] += 1.0

    Refused: the sum would be added n times.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     x[0] += 1.0
    ... ''')
    >>> print(add_loop("i", "n")(q, q.find("x[_] += _")).failure())
    add_loop('i', 'n'): not true: the code writes what it reads, before it reads it
    it accumulates into x[0]
    for instance with n = 1
        def foo(n: size, x: f32[n] @ DRAM):
    -->     x[0] += 1.0
    """
    tree, span = rw.proc.tree, block.span
    applicable(not escaping(tree, span), "a name defined in the block is used after it", block)
    end = integer_arg(rw, hi, span.path())
    require(safety.holds(tree, span.path(), b.lt(b.ZERO, end), "the new loop runs at least once"), block)
    if not guard and not safety.holds_everywhere(tree, span.path(), Binary("==", end, b.ONE)):
        require(safety.idempotent(tree, block.span), block)
    i = rw.fresh(name_arg(name))
    if guard:
        span = span_of(rw.wrap(span, If(Binary("==", b.var(i), b.ZERO), pvector(), pvector())))
    path = rw.wrap(span, For(i, b.ZERO, end, pvector()))
    return path


@primitive(
    "A.1",
    same_values=True,
    cursors={
        "target": "replaced, gone",
        "inside": "stay, first copy, gone",
        "values inside": "stay, first copy, replaced, gone, lost",
    },
    trial=Trial(
        programs="patch nest decided counted counted counted temporary configuration drifting",
        at=(("counts from a field", 50),),
    ),
)
def unroll_loop(rw: Rewrite, loop: ForCursor) -> Where:
    """`for i in (lo, lo+n): s  ~>  s[i -> lo]; ..; s[i -> lo+n-1]`, for a constant n.

    The start lo may be symbolic. So may n, if the assertions, ranges and conditions around leave it one value. A
    loop that never runs becomes `pass`. Returns the block of all copies; cursors into the body point into the
    first.

    Fails with `NotApplicable` if n has no such value, or if the copies would have more than 100,000 nodes, and with
    `Unsafe` if lo reads a config field that the body may change.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n + 2]):
    ...     for i in seq(n, n + 2):
    ...         x[i] = 0.0
    ... ''')
    >>> print(unroll_loop.direct(p, "i"))
    def foo(n: size, x: f32[n + 2] @ DRAM):
        x[n] = 0.0
        x[n + 1] = 0.0

    Refused: the number of iterations is not known.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(unroll_loop()(q, q.find_loop("i")).failure())
    unroll_loop(): the loop must run a constant number of times
        def foo(n: size, x: f32[n] @ DRAM):
    -->     for i in seq(0, n):
                x[i] = 0.0
    """
    path = loop.path
    old = loop_at(rw.proc.tree, path)
    n = known_count(rw.proc.tree, path)
    applicable(n is not None, "the loop must run a constant number of times", loop)
    assert n is not None
    if n <= 0:
        rw.replace(path, Pass())
        return path
    not_too_many(old, n, "divide the loop, and unroll the inner one", loop)
    start_stays(rw, loop)
    copies = [s for k in range(1, n) for s in rw.copy(old.body, {old.iter: _nth(old.lo, k)})]
    rw.add_part(path, *copies)
    first = rw.unwrap(path)
    rw.substitute_in(first, old.iter, old.lo)
    return first._replace(hi=first.hi + len(copies))


def _nth(lo: Expr, k: int) -> Expr:
    return b.num(int(lo.value) + k) if isinstance(lo, Const) else b.add(lo, b.num(k))
