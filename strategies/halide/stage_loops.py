"""Halide's operators on the loops of one stage.

Each finds its loops by name wherever the focus is, and returns the procedure.
"""

from __future__ import annotations

from dataclasses import replace

from exo_strat import (
    Cursor,
    ForCursor,
    IfCursor,
    Proc,
    Script,
    StmtCursor,
    add_assertion,
    attempt,
    cut_loop,
    divide_loop,
    eliminate_dead_code,
    fail,
    forms,
    lift_scope,
    moves,
    mult_loops,
    names_at,
    nav,
    nodes,
    on,
    parallelize_loop,
    print_expr,
    rename_variable,
    seq,
    simplify,
    specialize,
    strategy,
    try_else,
    unroll_loop,
    vectorize_loop,
)

from .. import std
from ..inspect import enclosing_loops, enclosing_scopes, inner_loop, is_perfect_nest, statements, trip_count
from ..std.writing import text
from .pixels import in_pixels
from .references import form, has_name, is_inside, last_write, own_loop, own_loops


@strategy
def H_tile(
    p: Proc, c: Cursor, stage: str, y: str, x: str, yi: str, xi: str, height: int, width: int, tail: str | None = None
) -> Script:
    """`for y: for x: s  ~>  for y: for x: for yi: for xi: s`: y and x count tiles, yi and xi the pixels of a tile.

    `tail` says what becomes of partial tiles, as in `std.tile`. By default they are guarded by `if`. Paper: Figures 11
    and 12.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(H: size, W: size, out: f32[H, 8 * W]):
    ...     for y in seq(0, H):
    ...         for x in seq(0, 8 * W):
    ...             out[y, x] = 0.0
    ... ''')
    >>> print(schedule(H_tile("out", "y", "x", "yi", "xi", 4, 8), p))
    def zero(H: size, W: size, out: f32[H, 8 * W] @ DRAM):
        for y in seq(0, (H + 3) / 4):
            for x in seq(0, W):
                for yi in seq(0, 4):
                    if 4 * y + yi < H:
                        for xi in seq(0, 8):
                            out[4 * y + yi, 8 * x + xi] = 0.0
    """
    outer = own_loop(p, stage, y)
    if own_loop(p, stage, x) != outer.body()[0]:
        yield fail(f"{x} is not the loop right inside {y} of {stage}: put them in order with H_reorder")
    yield on(outer, std.tile(height, width, names=((y, yi), (x, xi)), tail=tail), nav(moves.root), simplify())
    return p.root()


@strategy
def H_split(
    p: Proc, c: Cursor, stage: str, loop: str, outer: str, inner: str, factor: int, tail: str | None = None
) -> Script:
    """`for y: s  ~>  for yo: for yi: s`, where the new inner loop has the trip count `factor`.

    `tail` says what becomes of the iterations that are left over, as in `divide_loop`: "perfect" (there are none),
    "guard" (an `if`) or "cut" (a loop of its own, called `yit`). By default "perfect" where that holds, else "guard".

    Returns the procedure. Fails if the stage has no such loop, or "perfect" does not hold.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(H: size, out: f32[H, 8]):
    ...     for y in seq(0, H):
    ...         for x in seq(0, 8):
    ...             out[y, x] = 0.0
    ... ''')
    >>> print(schedule(H_split("out", "x", "x", "xi", 4), p))
    def zero(H: size, out: f32[H, 8] @ DRAM):
        for y in seq(0, H):
            for x in seq(0, 2):
                for xi in seq(0, 4):
                    out[y, 4 * x + xi] = 0.0
    """
    tails = ("perfect", "guard") if tail is None else (tail,)
    splits = try_else(*(divide_loop(factor, (outer, inner), tail=t) for t in tails))
    for x in own_loops(p, stage, loop):
        p, groups = yield on(x, splits)
        if tail == "cut":
            yield on(groups.next(), rename_variable(f"{inner}t"))
    yield nav(moves.root) >> simplify()
    return p.root()


@strategy
def H_fuse(p: Proc, c: Cursor, stage: str, outer: str, inner: str, fused: str) -> Script:
    """`for y: for x: s  ~>  for f: s`, if x runs a constant number of times.

    Returns the procedure. Fails if the body of y is not the loop x alone.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(H: size, out: f32[H, 8]):
    ...     for y in seq(0, H):
    ...         for x in seq(0, 8):
    ...             out[y, x] = 0.0
    ... ''')
    >>> print(schedule(H_fuse("out", "y", "x", "f"), p))
    def zero(H: size, out: f32[H, 8] @ DRAM):
        for f in seq(0, 8 * H):
            out[f / 8, f % 8] = 0.0
    """
    for x in own_loops(p, stage, outer):
        if not is_perfect_nest(x, 2) or inner_loop(x) not in own_loops(x.proc, stage, inner):
            yield fail(f"{inner} of {stage} is not all that {outer} has in it")
        yield on(x, mult_loops(fused))
    yield nav(moves.root) >> simplify()
    return p.root()


@strategy
def H_reorder(p: Proc, c: Cursor, stage: str, *order: str) -> Script:
    """`for y: for x: s  ~>  for x: for y: s`: the loops of the names given, the innermost first as in Halide.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(H: size, W: size, out: f32[H, W]):
    ...     for y in seq(0, H):
    ...         for x in seq(0, W):
    ...             out[y, x] = 0.0
    ... ''')
    >>> print(schedule(H_reorder("out", "y", "x"), p))
    def zero(H: size, W: size, out: f32[H, W] @ DRAM):
        for x in seq(0, W):
            for y in seq(0, H):
                out[y, x] = 0.0
    """
    if not order:
        yield fail("name the loops to put in order, the innermost first")
    written = last_write(p, stage, own_loop(p, stage, order[0]))
    wanted = order[::-1]
    for place, name in enumerate(wanted):
        while (named := _named(p.forward(written), wanted)) and not _stands(named, place, name):
            at = next((n for n, x in enumerate(named) if n > place and has_name(x, name)), 0)
            if at == 0:
                yield fail(f"{stage} has no loop {name} inside those named before it")
            inner, outer = named[at], named[at - 1]
            p, _ = yield on(inner, outwards(len(inner.path) - len(outer.path)))
    return p.root()


def _stands(loops: list[ForCursor], place: int, name: str) -> bool:
    """Whether the loop of a name is at its place."""
    return place < len(loops) and has_name(loops[place], name)


def _named(s: Cursor, names: tuple[str, ...]) -> list[ForCursor]:
    """The loops of these names around a statement, the outermost first."""
    return [x for x in enclosing_loops(s) if any(has_name(x, name) for name in names)]


@strategy
def outwards(p: Proc, c: StmtCursor, scopes: int) -> Script:
    """As `std.rise_into`, but out of a given number of scopes, so that the top of the procedure can be reached."""
    for _ in range(scopes):
        p, c = yield seq(attempt(std.fission_before()), attempt(std.fission_after()), lift_scope())
    return c


# -- how iterations run -------------------------------------------------------------------------------


@strategy
def H_parallel(p: Proc, c: Cursor, stage: str, loop: str) -> Script:
    """`for y in seq: s  ~>  for y in par: s`, if no iteration reads or writes what another one writes.

    Returns the procedure. Fails if that can't be proved, or the stage has no such loop.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(H: size, out: f32[H, 8]):
    ...     for y in seq(0, H):
    ...         for x in seq(0, 8):
    ...             out[y, x] = 0.0
    ... ''')
    >>> schedule(H_parallel("out", "y"), p).find_loop("y").mode()
    'par'
    """
    yield on(own_loop(p, stage, loop), in_pixels(stage, parallelize_loop()))
    return p.root()


@strategy
def H_vectorize(p: Proc, c: Cursor, stage: str, loop: str, width: int | None = None) -> Script:
    """`for x: s  ~>  for x: for xv in vec(0, width): s`, wherever the stage has such a loop.

    Iterations that fill no vector become a loop of their own. If an `if` guards each iteration, it is tested once for
    each full vector, and for each iteration of the others. Without a width the loop itself becomes a `vec` loop, which
    the C compiler divides into vectors. Fails if iterations depend on each other.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(W: size, out: f32[W]):
    ...     for x in seq(0, W):
    ...         out[x] = 0.0
    ... ''')
    >>> print(schedule(H_vectorize("out", "x", 8), p))
    def zero(W: size, out: f32[W] @ DRAM):
        for x in seq(0, W / 8):
            for xv in vec(0, 8):
                out[8 * x + xv] = 0.0
        for xv in seq(0, W % 8):
            out[8 * (W / 8) + xv] = 0.0
    """
    for x in own_loops(p, stage, loop):
        if x.mode() != "vec":
            yield on(x, in_pixels(stage, _lanes(width)))
    yield nav(moves.root) >> simplify()
    return p.root()


@strategy
def _lanes(p: Proc, c: ForCursor, width: int | None) -> Script:
    """One loop of `H_vectorize`."""
    if width is None or trip_count(c) == width:
        yield vectorize_loop()
        return c
    yield vectorize_loop()
    p, c = yield parallelize_loop("seq")
    guarded = isinstance(c.body()[0], IfCursor) and len(c.body()) == 1
    names = (c.name(), f"{c.sym.name}v")
    if not guarded:
        p, c = yield try_else(*(divide_loop(width, names, tail=t) for t in ("perfect", "cut")))
        yield seq(nav(moves.body >> moves.nth(0)), vectorize_loop())
        return c
    p, c = yield try_else(*(divide_loop(width, names, tail=t) for t in ("perfect", "guard")))
    inner = c.body()[0]
    assert isinstance(inner, ForCursor)
    yield on(inner, try_else(_whole(width), vectorize_loop()))
    return c


@strategy
def _whole(p: Proc, c: ForCursor, width: int) -> Script:
    """`for v: if g(v): s  ~>  if g(width - 1): for v in vec: s else: for v: if g(v): s`."""
    guard = c.body()[0]
    if not isinstance(guard, IfCursor) or guard.has_else():
        yield fail("the loop has more in it than a branch")
    assert isinstance(guard, IfCursor)
    last = at_lane(guard.cond().node, c, width - 1)
    p, choice = yield specialize(last)
    first = choice.body()[0]
    yield on(first.body()[0], eliminate_dead_code())
    yield on(first, vectorize_loop())
    return choice


def at_lane(e: nodes.Expr, loop: ForCursor, lane: int) -> nodes.Expr:
    """A condition at one iteration of a loop."""
    x = form(e)
    if x is not None:
        return forms.to_expr(forms.subst_lin(x, {forms.V(loop.sym): forms.Lin(lane)}))
    if isinstance(e, nodes.Binary):
        return replace(e, lhs=at_lane(e.lhs, loop, lane), rhs=at_lane(e.rhs, loop, lane))
    return e


# -- loops away, and promises about them --------------------------------------------------------------


@strategy
def H_unroll(p: Proc, c: Cursor, stage: str, loop: str, factor: int | None = None) -> Script:
    """`for x: s  ~>  for x: s[0]; s[1]; ..`, with `factor` copies of the body; without a factor, all iterations are
    unrolled, and no loop is left.

    Returns the procedure. Fails if all are to be unrolled and the trip count is no constant.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(H: size, out: f32[H, 8]):
    ...     for y in seq(0, H):
    ...         for x in seq(0, 8):
    ...             out[y, x] = 0.0
    ... ''')
    >>> print(schedule(H_unroll("out", "x", 2), p))
    def zero(H: size, out: f32[H, 8] @ DRAM):
        for y in seq(0, H):
            for x in seq(0, 4):
                out[y, 2 * x] = 0.0
                out[y, 2 * x + 1] = 0.0
    """
    for x in own_loops(p, stage, loop):
        if factor is None:
            yield on(x, unroll_loop())
        else:
            name = f"{x.sym.name}u"
            splits = (divide_loop(factor, (x.name(), name), tail=t) for t in ("perfect", "cut"))
            yield on(x, try_else(*splits), nav(moves.body >> moves.nth(0)), unroll_loop())
    yield nav(moves.root) >> simplify()
    return p.root()


@strategy
def H_partition(p: Proc, c: Cursor, stage: str, loop: str) -> Script:
    """`for y in (0, (n + 3)/4): s  ~>  for y in (0, n/4): s; for y in (n/4, (n + 3)/4): s`,
    for a loop over tiles with guards. Halide's `partition`.

    The first loop has the full tiles, and needs no `if`. A loop of constant trip count, such as one over the tiles of
    a strip, is not split: there each tile is tested once whether it is full.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(W: size, out: f32[W]):
    ...     for x in seq(0, W):
    ...         out[x] = 0.0
    ... ''')
    >>> print(schedule(H_split("out", "x", "x", "xi", 4) >> H_partition("out", "x"), p))
    def zero(W: size, out: f32[W] @ DRAM):
        for x in seq(0, W / 4):
            for xi in seq(0, 4):
                out[4 * x + xi] = 0.0
        for xt in seq(W / 4, (W + 3) / 4):
            for xi in seq(0, 4):
                if 4 * xt + xi < W:
                    out[4 * xt + xi] = 0.0
    >>> strips = H_split("out", "x", "x", "xi", 32) >> H_split("out", "xi", "xs", "xi", 8)
    >>> print(schedule(strips >> H_partition("out", "xs"), p))
    def zero(W: size, out: f32[W] @ DRAM):
        for x in seq(0, (W + 31) / 32):
            for xs in seq(0, 4):
                if 32 * x + 8 * xs + 7 < W:
                    for xi in seq(0, 8):
                        out[32 * x + 8 * xs + xi] = 0.0
                else:
                    for xi in seq(0, 8):
                        if 32 * x + 8 * xs + xi < W:
                            out[32 * x + 8 * xs + xi] = 0.0
    """
    groups = own_loop(p, stage, loop)
    hi = groups.hi().node
    if isinstance(hi, nodes.Binary) and hi.op == "/" and isinstance(hi.rhs, nodes.Const):
        size = int(hi.rhs.value)
        whole = f"({print_expr(hi.lhs, names_at(p.tree))} - {size - 1}) / {size}"
        p, main = yield on(groups, cut_loop(whole))
        yield on(main.next(), rename_variable(f"{main.sym.name}t"))
    else:
        yield on(groups, _asked_once(stage))
    yield nav(moves.root) >> simplify()
    return p.root()


@strategy
def _asked_once(p: Proc, c: ForCursor, stage: str) -> Script:
    """`for y: for yi: if g(yi): s  ~>  for y: if g(last): (for yi: s) else: for yi: if g(yi): s`. Focus: y."""
    scopes = [s for s in enclosing_scopes(last_write(p, stage, c)) if is_inside(s, c)]
    guards = [s.cond().node for s in scopes if isinstance(s, IfCursor)]
    if not guards:
        yield fail(f"{c.name()} of {stage} does not count groups the last of which may be incomplete, nor guards any")
    last: nodes.Expr = guards[-1]
    for x in scopes:
        if isinstance(x, ForCursor) and (count := trip_count(x)) is not None:
            last = at_lane(last, x, count - 1)
    p, choice = yield on(c.body(), specialize(last))
    whole = [s for first in choice.body() for s in statements(first) if isinstance(s, IfCursor)]
    yield seq(*(attempt(on(s, eliminate_dead_code())) for s in whole[::-1]))
    return c


@strategy
def H_bound(p: Proc, c: Cursor, stage: str, loop: str, least: int, extent: int) -> Script:
    """Assert that a loop runs from `least` to `least + extent`, as Halide's `bound`; the caller must then make it so.

    The assertion is added to the procedure, unless it is known to hold. It is about arguments of the procedure, so the
    loop's bounds must be made of these.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def zero(W: size, out: f32[W]):
    ...     for x in seq(0, W):
    ...         out[x] = 0.0
    ... ''')
    >>> print(schedule(H_bound("out", "x", 0, 256), p))
    def zero(W: size, out: f32[W] @ DRAM):
        assert W == 256
        for x in seq(0, W):
            out[x] = 0.0
    """
    x = own_loop(p, stage, loop)
    for e, value in ((x.lo(), least), (x.hi(), least + extent)):
        number = form(e.node)
        if number is None or number.terms or number.const != value:
            yield seq(nav(moves.root), add_assertion(f"{text(e)} == {value}"))
    return p.root()
