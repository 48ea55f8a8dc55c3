"""Halide's operators on where a stage is computed and stored.

`compute_at` is the paper's Figure 10 for each loop on the way in: the producer's nest is moved in front of the
consumer's loop, its loop along the dimension that the consumer's window moves along becomes the outermost, is divided
into windows, and the two are fused. Bounds inference proposes the windows. What is right is decided by the primitives.
"""

from __future__ import annotations

from exo_strat import (
    AllocCursor,
    AssignCursor,
    Cursor,
    ForCursor,
    IfCursor,
    InvalidCursorError,
    Memory,
    NodeCursor,
    Op,
    Proc,
    ReduceCursor,
    Script,
    StmtCursor,
    add_loop,
    attempt,
    cut_loop,
    divide_loop,
    divide_with_recompute,
    fail,
    fission,
    focus,
    forms,
    fuse,
    identity,
    lift_alloc,
    moves,
    nav,
    on,
    parallelize_loop,
    rename_variable,
    reorder_stmts,
    resize_dim,
    seq,
    set_memory,
    shift_loop,
    simplify,
    sink_alloc,
    strategy,
    try_else,
)

from ..inspect import Range, bounds, enclosing_loops, enclosing_scopes, statements, trip_count
from ..std.splitting import depth
from ..std.writing import text
from .pixels import in_pixels
from .references import (
    Axis,
    Write,
    axes,
    check_place,
    factor,
    has_name,
    is_inside,
    last_write,
    own_loops,
    scope_of,
    siblings,
    stage_loop,
    stage_symbol,
    storage,
    writes,
)
from .stage_loops import outwards

# -- where a stage is computed ------------------------------------------------------------------------


@strategy
def H_compute_at(p: Proc, c: Cursor, stage: str, consumer: str, loop: str, slide: bool = False) -> Script:
    """Compute the stage inside a loop of its consumer: each iteration first computes the window of it that it reads.
    Paper: Figure 10.

    The windows of two iterations may overlap. Without `slide`, the overlap is computed again. With `slide`, each
    iteration computes only what no earlier one has computed (a sliding window); the part of the first window that later
    iterations would not compute comes before the loop. Then the buffer must be allocated outside of the loop, and it is
    folded to a ring of the window's height. Inner loops of the stage along x are called `xi` where the consumer's loop
    is also called `x`.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def twice(W: size, inp: f32[W + 2], out: f32[W]):
    ...     a: f32[W + 1]
    ...     for x in seq(0, W + 1):
    ...         a[x] = inp[x] + inp[x + 1]
    ...     for x in seq(0, W):
    ...         out[x] = a[x] + a[x + 1]
    ... ''')
    >>> from strategies.halide import H_split
    >>> tiles = H_split("out", "x", "x", "xi", 8)
    >>> print(schedule(tiles >> H_compute_at("a", "out", "x"), p))
    def twice(W: size, inp: f32[W + 2] @ DRAM, out: f32[W] @ DRAM):
        a: f32[W + 1] @ DRAM
        for x in seq(0, (W + 7) / 8):
            for xi in seq(0, 9):
                if 8 * x + xi < W + 1:
                    a[8 * x + xi] = inp[8 * x + xi] + inp[8 * x + xi + 1]
            for xi in seq(0, 8):
                if 8 * x + xi < W:
                    out[8 * x + xi] = a[8 * x + xi] + a[8 * x + xi + 1]
    """
    check_place(p, stage, consumer, loop)
    p, _ = yield in_modes_of(consumer, loop, _computed_at(stage, consumer, loop, slide))
    return p.root()


@strategy
def H_compute_store_at(p: Proc, c: Cursor, stage: str, consumer: str, loop: str) -> Script:
    """`H_compute_at`, then `H_store_at` the same loop; Halide's `compute_at` does both. Paper: Figure 12.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def twice(W: size, inp: f32[W + 2], out: f32[W]):
    ...     a: f32[W + 1]
    ...     for x in seq(0, W + 1):
    ...         a[x] = inp[x] + inp[x + 1]
    ...     for x in seq(0, W):
    ...         out[x] = a[x] + a[x + 1]
    ... ''')
    >>> from strategies.halide import H_parallel, H_split
    >>> tiles = H_split("out", "x", "x", "xi", 8) >> H_parallel("out", "x")
    >>> print(schedule(tiles >> H_compute_store_at("a", "out", "x"), p))
    def twice(W: size, inp: f32[W + 2] @ DRAM, out: f32[W] @ DRAM):
        for x in par(0, (W + 7) / 8):
            a: f32[9] @ DRAM
            for xi in seq(0, 9):
                if 8 * x + xi < W + 1:
                    a[xi] = inp[8 * x + xi] + inp[8 * x + xi + 1]
            for xi in seq(0, 8):
                if 8 * x + xi < W:
                    out[8 * x + xi] = a[xi] + a[xi + 1]
    """
    check_place(p, stage, consumer, loop)
    return (yield H_store_at(stage, consumer, loop))[0].root()


@strategy
def in_modes_of(p: Proc, c: Cursor, consumer: str, loop: str, op: Op) -> Script:
    """`op`, after which the consumer's loops run in parallel or in vectors if they did before."""
    loops = around(p, consumer, loop)
    anchor = last_write(p, consumer, loops[-1])
    p, _ = yield op
    for n, old in enumerate(loops):
        now = enclosing_loops(p.forward(anchor))[n]
        if now.mode() != old.mode():
            p, _ = yield on(now, in_pixels(consumer, parallelize_loop(old.mode())))
    yield nav(moves.root) >> simplify()
    return p.root()


def around(p: Proc, stage: str, loop: str) -> tuple[ForCursor, ...]:
    """A loop of a stage and those around it, the outermost first."""
    inner = stage_loop(p, stage, loop)
    return (*enclosing_loops(inner), inner)


@strategy
def _computed_at(p: Proc, c: Cursor, stage: str, consumer: str, loop: str, slide: bool) -> Script:
    """The stage moved into each of the loops around the consumer that it is not in, the outermost first."""
    loops = around(p, consumer, loop)
    anchor = last_write(p, consumer, loops[-1])
    for n in range(len(loops)):
        level = enclosing_loops(p.forward(anchor))[n]
        if not any(is_inside(s, level) for s in writes(p, stage)):
            p, _ = yield on(level, in_pixels(stage, enter(stage, slide)))
    return p.root()


@strategy
def enter(p: Proc, c: ForCursor, stage: str, slide: bool) -> Script:
    """`for y: produce; for y: consume  ~>  for y: (produce a window); consume`. Focus: the consumer's loop."""
    if isinstance(scope_of(c), IfCursor):
        scopes = enclosing_loops(c)
        p, c = yield try_else(_same_branch(stage), outwards(len(c.path) - 1 - (len(scopes[-1].path) if scopes else 0)))
    made = producer_before(c, stage)
    if not slide:  # the head of a sliding window stays where it is: other heads may need it
        p, made = yield on(made, down_to(c))
        p, c = yield focus(c)
    moving = moving_window(c, stage)
    if moving is None:
        yield on(made, down_to(c), add_loop(c.name(), c.hi()), fuse(c))
        return None
    dim, window = moving
    written = next(s for s in writes(p, stage)[::-1] if s == made or is_inside(s, made))
    found = axes(written, dim, made)
    if not found:
        yield fail(f"{stage} has no loop along dimension {dim}, along which what {c.name()} needs of it moves")
    axis = found[0]
    crossed = [x for x in enclosing_scopes(axis.loop) if x == made or is_inside(x, made)]
    yield on(axis.loop, outwards(len(crossed)))
    p, level = yield on(axis.loop, _slid(stage, c, axis, window) if slide else _windows(c, axis, window))
    for n, scope in enumerate(crossed):
        p, inside = yield focus(scope)
        p, _ = yield outwards(depth(inside, level) - 1 - n)
    return level


@strategy
def down_to(p: Proc, c: StmtCursor, other: StmtCursor) -> Script:
    """`c; s; other  ~>  s; c; other`. Focus: c, which stays."""
    while c.next() != p.forward(other):
        p, _ = yield reorder_stmts(c.next())
        p, c = yield focus(c)
    return c


@strategy
def _same_branch(p: Proc, c: ForCursor, stage: str) -> Script:
    """`if e: produce; if e: for y: consume  ~>  if e: produce; for y: consume`. Focus: the loop, which stays."""
    branch = scope_of(c)
    assert branch is not None
    yield on(producer_before(branch, stage), down_to(branch), fuse(branch))
    return c


def producer_before(level: StmtCursor, stage: str) -> StmtCursor:
    """The statement of the same block before a loop that computes a stage."""
    written = writes(level.proc, stage)
    block = siblings(level)
    block = block[: len(block) - len(level.expand(0, None))]
    before = [s for s in block if any(w == s or is_inside(w, s) for w in written)]
    if not before:
        what = f"{stage} is not computed before the loop, at the same place: there is nothing to move into it"
        raise InvalidCursorError(what)
    return before[-1]


def moving_window(loop: ForCursor, stage: str) -> tuple[int, Range] | None:
    """The dimension along which what an iteration reads of a stage moves, and its window there; None if it is the
    same in each iteration. Raises `InvalidCursorError` if there are several."""
    dims = bounds(loop.body(), stage_symbol(loop.proc, stage), writes=False).dims
    steps = [factor(d.least, loop) for d in dims]
    if min(steps, default=0) < 0:
        raise InvalidCursorError(f"what {loop.name()} needs of {stage} moves backwards")
    moving = [(k, d) for k, d in enumerate(dims) if steps[k] > 0]
    if len(moving) > 1:
        raise InvalidCursorError(f"what {loop.name()} needs of {stage} moves along several dimensions at a time")
    return moving[0] if moving else None


# -- windows ------------------------------------------------------------------------------------------


def _needed(level: ForCursor, axis: Axis, window: Range) -> int | None:
    """How many iterations of the producer's loop the consumer's first iteration needs, if that is a number."""
    end = forms.subst_lin(window.end - axis.offset, {forms.V(level.sym): forms.Lin(0)})
    return None if end.terms else end.const


def inner_names(level: ForCursor, axis: Axis) -> tuple[str, str]:
    """Names for a producer's loop in windows: the consumer's, and one for the loop in a window."""
    own = axis.loop.sym.name
    return level.sym.name, f"{own}i" if own == level.sym.name else own


@strategy
def _windows(p: Proc, c: ForCursor, level: ForCursor, axis: Axis, window: Range) -> Script:
    """The producer's loop in windows, each in the consumer's iteration that needs it. Focus: the producer's loop."""
    step, width, names = factor(window.least, level), _needed(level, axis, window), inner_names(level, axis)
    if axis.factor == step and window.extent() is not None and step > 1:
        p, fused = yield fuse(level)
        return fused
    if width is None or axis.factor != 1:
        yield fail(f"what iteration {level.name()} needs of it has no constant size, so it cannot be tiled so")
        return None
    tiles = level.hi()
    ways: list[Op] = [divide_with_recompute(tiles, step, names, width=width)]
    if width == step:
        ways = [divide_loop(step, names, tail="perfect"), divide_loop(step, names, tail="guard")]
    else:
        ways = [_exactly(tiles, step, names, width), *ways]
    if width == step == 1:
        ways = [identity]
    p, fused = yield try_else(*(way >> fuse(level) for way in ways))
    return fused


@strategy
def _exactly(p: Proc, c: ForCursor, tiles: NodeCursor, step: int, names: tuple[str, str], width: int) -> Script:
    """Windows of `width` that end with the loop."""
    p, c = yield divide_with_recompute(tiles, step, names)
    p, c = yield simplify()
    inner = c.body()[0]
    if not isinstance(inner, ForCursor) or trip_count(inner) != width:
        yield fail("the windows have no constant width")
    return c


@strategy
def _slid(p: Proc, c: ForCursor, stage: str, level: ForCursor, axis: Axis, window: Range) -> Script:
    """The head of the first window; then what each window adds, in the consumer's iteration that needs it."""
    step, needed, names = factor(window.least, level), _needed(level, axis, window), inner_names(level, axis)
    if needed is None or axis.factor != 1:
        yield fail(f"what iteration {level.name()} needs of it has no constant size, so it cannot slide")
        return None
    if text(c.lo()) != str(needed - step):
        p, head = yield cut_loop(needed - step)
        c = head.next()
        yield on(head, rename_variable(f"{axis.loop.sym.name}h"))
    p, main = yield on(c, down_to(level), shift_loop(text(level.lo())))
    if step > 1:
        p, main = yield try_else(*(divide_loop(step, names, tail=t) for t in ("perfect", "guard")))
    p, fused = yield on(main, fuse(level))
    if (extent := window.extent()) is not None:
        rings = (resize_dim(axis.dim, n, 0, fold=True) for n in range(extent, 2 * extent + 1))
        yield attempt(on(storage(p, stage), try_else(*rings)))
    return fused


# -- stages side by side ------------------------------------------------------------------------------


@strategy
def H_compute_with(p: Proc, c: Cursor, stage: str, other: str, loop: str) -> Script:
    """`for y: for x: a; for y: for x: b  ~>  for y: for x: a; b`, for two stages, down to a loop of this name.

    So what both read is read once. This is done wherever nests of `other` come after nests of `stage` in one block,
    and all loops on the way have the same bounds. Fails if there are none, or an iteration of `other` needs what a
    later one of `stage` computes.

    Returns the procedure.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def slopes(H: size, W: size, inp: f32[H + 1, W + 1], across: f32[H, W], down: f32[H, W]):
    ...     for y in seq(0, H):
    ...         for x in seq(0, W):
    ...             across[y, x] = inp[y, x + 1] - inp[y, x]
    ...     for y in seq(0, H):
    ...         for x in seq(0, W):
    ...             down[y, x] = inp[y + 1, x] - inp[y, x]
    ... ''')
    >>> print(schedule(H_compute_with("across", "down", "x"), p))
    def slopes(H: size, W: size, inp: f32[H + 1, W + 1] @ DRAM, across: f32[H, W] @ DRAM, down: f32[H, W] @ DRAM):
        for y in seq(0, H):
            for x in seq(0, W):
                across[y, x] = inp[y, x + 1] - inp[y, x]
                down[y, x] = inp[y + 1, x] - inp[y, x]
    """
    found = (_beside(x, other) for x in own_loops(p, stage, loop))
    pairs = {pair[0].path: pair for pair in found if pair is not None}
    if not pairs:
        yield fail(f"no nest of {other} comes after one of {stage} in the same block")
    for first, second in pairs.values():
        yield on(first, in_pixels(stage, _together(second, loop)))
    return p.root()


def _beside(x: ForCursor, other: str) -> tuple[StmtCursor, StmtCursor] | None:
    """The innermost scope around a loop, or the loop, after which a nest of the other stage comes, and that nest."""
    written = writes(x.proc, other)
    for scope in (x, *reversed(enclosing_scopes(x))):
        for s in list(scope.expand(0, None))[1:]:
            if any(is_inside(w, s) for w in written):
                return scope, s
    return None


@strategy
def _together(p: Proc, c: StmtCursor, second: StmtCursor, loop: str) -> Script:
    """`for x: a; s; for x: b  ~>  s; for x: a; b`, or with `s` last, down to a loop of this name. Focus: that loop."""
    p, _ = yield try_else(down_to(second), on(second, up_to(c)))
    p, both = yield on(c, fuse(second))
    while not (isinstance(both, ForCursor) and has_name(both, loop)):
        if len(both.body()) != 2:
            yield fail(f"the nests are not alike down to {loop}")
        p, both = yield on(both.body()[0], fuse(both.body()[1]))
    return both


@strategy
def up_to(p: Proc, c: StmtCursor, other: StmtCursor) -> Script:
    """`other; s; c  ~>  other; c; s`. Focus: c, which stays."""
    while c.prev() != p.forward(other):
        p, _ = yield on(c.prev(), reorder_stmts(c))
        p, c = yield focus(c)
    return c


# -- where a stage is stored --------------------------------------------------------------------------


@strategy
def H_store_at(p: Proc, c: Cursor, stage: str, consumer: str, loop: str) -> Script:
    """Allocate the buffer of a stage inside a loop of its consumer, shrunk to the window that one iteration uses.

    A stage that is not computed in that loop yet is moved there first, as by `H_compute_at`. Fails if an iteration
    reads a value of the stage that an earlier one computed.

    Returns the procedure.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def twice(W: size, inp: f32[W + 2], out: f32[W]):
    ...     a: f32[W + 1]
    ...     for x in seq(0, W + 1):
    ...         a[x] = inp[x] + inp[x + 1]
    ...     for x in seq(0, W):
    ...         out[x] = a[x] + a[x + 1]
    ... ''')
    >>> print(schedule(H_store_at("a", "out", "x"), p))
    def twice(W: size, inp: f32[W + 2] @ DRAM, out: f32[W] @ DRAM):
        for x in seq(0, W):
            a: f32[2] @ DRAM
            for xi in seq(0, 2):
                a[xi] = inp[x + xi] + inp[x + xi + 1]
            out[x] = a[0] + a[1]
    """
    check_place(p, stage, consumer, loop)
    placed = seq(_computed_at(stage, consumer, loop, False), _stored_at(stage, consumer, loop))
    p, _ = yield in_modes_of(consumer, loop, placed)
    return p.root()


@strategy
def _stored_at(p: Proc, c: Cursor, stage: str, consumer: str, loop: str) -> Script:
    """`H_store_at` of a stage that is computed there."""
    target = stage_loop(p, consumer, loop)
    alloc = storage(p, stage)
    while (scope := scope_of(alloc)) != target:
        if scope is not None and not is_inside(target, scope):
            yield fail(f"{stage} is stored in another loop, or further in, than {loop} of {consumer}")
        p, _ = yield on(alloc, in_pixels(stage, sink_alloc()))
        alloc, target = storage(p, stage), p.forward(target)  # type: ignore[assignment]
    yield on(alloc, shrink())
    return p.root()


@strategy
def shrink(p: Proc, c: AllocCursor) -> Script:
    """`a: T[n]; s  ~>  a: T[w]; s[a[i] -> a[i - lo]]`, where s uses a window of size w at lo. Focus: the allocation."""
    used = c.next().expand(0, None)
    window = bounds(used, c.sym)
    for dim, (least, size, extent) in enumerate(zip(window.lo(), window.sizes(), window.dims, strict=True)):
        if (least, size) != ("0", text(c.shape()[dim])):
            resized = resize_dim(dim, size, least)
            yield on(c, resized if extent.extent() is not None else attempt(resized))
    return c


@strategy
def H_store_in(p: Proc, c: Cursor, stage: str, memory: Memory) -> Script:
    """Put the buffer of a stage into a memory, such as `DRAM_STACK`. Paper: Figure 12.

    Returns the procedure.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def twice(W: size, inp: f32[W + 2], out: f32[W]):
    ...     a: f32[W + 1]
    ...     for x in seq(0, W + 1):
    ...         a[x] = inp[x] + inp[x + 1]
    ...     for x in seq(0, W):
    ...         out[x] = a[x] + a[x + 1]
    ... ''')
    >>> from exo_strat import DRAM_STATIC
    >>> print(schedule(H_store_in("a", DRAM_STATIC), p).find_alloc("a").mem())
    DRAM_STATIC
    """
    yield on(storage(p, stage), set_memory(memory))
    return p.root()


@strategy
def H_fold_storage(p: Proc, c: Cursor, stage: str, dim: str | int, size: int) -> Script:
    """Fold the buffer of a stage to a ring buffer of `size` elements along a dimension, as Halide's `fold_storage`.

    `dim` is the number of the dimension, or the name of a loop along it. Fails if a value would be overwritten before
    its last use.

    Returns the procedure.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def twice(W: size, inp: f32[W + 2], out: f32[W]):
    ...     a: f32[W + 1]
    ...     for x in seq(0, W + 1):
    ...         a[x] = inp[x] + inp[x + 1]
    ...     for x in seq(0, W):
    ...         out[x] = a[x] + a[x + 1]
    ... ''')
    >>> print(schedule(H_compute_at("a", "out", "x") >> H_fold_storage("a", 0, 2), p))
    def twice(W: size, inp: f32[W + 2] @ DRAM, out: f32[W] @ DRAM):
        a: f32[2] @ DRAM
        for x in seq(0, W):
            for xi in seq(0, 2):
                a[(x + xi) % 2] = inp[x + xi] + inp[x + xi + 1]
            out[x] = a[x % 2] + a[(x + 1) % 2]
    """
    if isinstance(dim, str):
        loop = stage_loop(p, stage, dim)
        written = last_write(p, stage, loop)
        along = [k for k in range(len(written.idx())) if any(a.loop == loop for a in axes(written, k, loop))]
        if len(along) != 1:
            yield fail(f"{stage} has no single dimension along the loop {dim}: give its number")
        dim = along[0]
    yield on(storage(p, stage), in_pixels(stage, resize_dim(dim, size, 0, fold=True)))
    yield nav(moves.root) >> simplify()
    return p.root()


# -- the two ends: everywhere once, and nowhere -------------------------------------------------------


@strategy
def H_compute_root(p: Proc, c: Cursor, stage: str) -> Script:
    """Compute the whole stage before everything that uses it, in a buffer allocated at the top of the procedure.

    The stage is taken out of the loops that it shares with other stages. Fails if those loops compute a value of it
    more than once, or use its buffer again in each iteration, as after `H_compute_at` or `H_store_at`: leave these out.

    Returns the procedure.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def twice(W: size, inp: f32[W + 2], out: f32[W]):
    ...     a: f32[W + 1]
    ...     for x in seq(0, W + 1):
    ...         a[x] = inp[x] + inp[x + 1]
    ...     for x in seq(0, W):
    ...         out[x] = a[x] + a[x + 1]
    ... ''')
    >>> inside = schedule(H_compute_at("a", "out", "x"), p)
    >>> print(schedule(H_compute_root("a"), inside))
    def twice(W: size, inp: f32[W + 2] @ DRAM, out: f32[W] @ DRAM):
        a: f32[W + 1] @ DRAM
        for x in seq(0, W):
            for xi in seq(0, 2):
                a[x + xi] = inp[x + xi] + inp[x + xi + 1]
        for x in seq(0, W):
            out[x] = a[x] + a[x + 1]
    """
    alloc = storage(p, stage)
    if lifts := len(enclosing_scopes(alloc)):
        p, _ = yield on(alloc, in_pixels(stage, lift_alloc(lifts)))
    for s in writes(p, stage):
        own = _alone(p.forward(s), stage)  # type: ignore[arg-type]
        if lifts := len(enclosing_scopes(own)):
            p, _ = yield on(own, nav(moves.after), in_pixels(stage, fission(lifts)))
    return p.root()


def _alone(s: Write, stage: str) -> StmtCursor:
    """The largest statement around a write in which nothing else is computed."""
    mine = {x.path for x in writes(s.proc, stage)}
    found: StmtCursor = s
    for scope in enclosing_scopes(s)[::-1]:
        others = [x for x in statements(scope) if isinstance(x, AssignCursor | ReduceCursor) and x.path not in mine]
        if others:
            break
        found = scope
    return found
