"""Stages put into those that use them, and stages computed apart for one of several.

A copy of a stage is made by primitives: the values are copied for the nests that use them, each copy is computed in the
loops of the stage, the stage's own value is put in, and the loops are divided again.
"""

from __future__ import annotations

from itertools import count

from exo_strat import (
    AllocCursor,
    AssignCursor,
    Cursor,
    ForCursor,
    InvalidCursorError,
    Proc,
    ReduceCursor,
    Script,
    StmtCursor,
    Sym,
    cut_loop,
    delete_buffer,
    fail,
    fission,
    focus,
    fuse,
    inline_assign,
    moves,
    names_at,
    nav,
    nodes,
    on,
    rename_variable,
    reorder_stmts,
    seq,
    shift_loop,
    simplify,
    stage_mem,
    strategy,
    unroll_loop,
    walk,
)

from .. import std
from ..inspect import bounds, enclosing_loops, statements
from ..std.writing import text
from .placement import H_compute_store_at
from .references import Write, is_inside, siblings, stage_symbol, storage, writes


@strategy
def H_compute_inline(p: Proc, c: Cursor, stage: str) -> Script:
    """Replace each use of a stage by the expression that computes it, and delete its buffer.

    What several statements of one loop use is computed there once for all. For nests of their own, it is computed in
    each, as by `H_clone_in`.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def twice(W: size, inp: f32[W + 2], out: f32[W], neg: f32[W]):
    ...     a: f32[W + 1]
    ...     for x in seq(0, W + 1):
    ...         a[x] = inp[x] + inp[x + 1]
    ...     for x in seq(0, W):
    ...         out[x] = a[x] + a[x + 1]
    ...     for x in seq(0, W):
    ...         neg[x] = -a[x]
    ... ''')
    >>> print(schedule(H_compute_inline("a"), p))
    def twice(W: size, inp: f32[W + 2] @ DRAM, out: f32[W] @ DRAM, neg: f32[W] @ DRAM):
        for x in seq(0, W):
            out[x] = inp[x] + inp[x + 1] + (inp[x + 1] + inp[x + 2])
        for x in seq(0, W):
            neg[x] = -(inp[x] + inp[x + 1])
    """
    sym = stage_symbol(p, stage)
    uses = users(p, sym)
    if not uses:
        yield fail(f"nothing uses {stage}")
    if sym in [s.sym for s in uses]:
        yield fail(f"{stage} is computed from its own values: there is no expression to put in")
    if not enclosing_loops(uses[-1]):
        yield fail(f"the last use of {stage} is outside of any loop: there is nothing to compute it in")
    common = [x for x in enclosing_loops(uses[-1]) if all(is_inside(s, x) for s in uses)]
    if common:
        p, _ = yield H_compute_store_at(stage, names_at(p.tree)[uses[-1].sym], common[-1].name())
    while len(nests := nests_of(p, stage)) > 1:
        name = fresh(p, stage)
        p, _ = yield _cloned(stage, (nests[0],), name)
        p, _ = yield H_compute_inline(name)
    if any(is_inside(s, x) for s in users(p, stage_symbol(p, stage)) for x in nests if isinstance(x, ForCursor)):
        p, _ = yield H_compute_inline(stage)
        return p.root()
    yield _put_in(stage)
    return p.root()


@strategy
def _put_in(p: Proc, c: Cursor, stage: str) -> Script:
    """`H_compute_inline` of a stage that is computed and used in one block."""
    sym = stage_symbol(p, stage)
    while loops := own_loops_only(p, stage):
        p, _ = yield on(loops[-1], unroll_loop())
    while made := [s for s in statements(p.root()) if isinstance(s, AssignCursor) and s.sym == sym]:
        p, _ = yield on(made[-1], inline_assign())
    yield seq(nav(moves.root), std.dce(), simplify())
    return p.root()


@strategy
def H_clone_in(p: Proc, c: Cursor, stage: str, consumer: str, name: str) -> Script:
    """Compute a stage twice: once more for one of the stages that use it, in a buffer of that name. Halide's
    `clone_in`. So each can be computed where it is needed.

    Returns the procedure. Fails if the nest that computes the stage has more in it than one assignment, does not
    compute all of the buffer, if the consumer is in one nest with others that use it, or if a variable has the name.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def twice(W: size, inp: f32[W], out: f32[W], neg: f32[W]):
    ...     a: f32[W]
    ...     for x in seq(0, W):
    ...         a[x] = 2.0 * inp[x]
    ...     for x in seq(0, W):
    ...         out[x] = a[x] + 1.0
    ...     for x in seq(0, W):
    ...         neg[x] = -a[x]
    ... ''')
    >>> print(schedule(H_clone_in("a", "neg", "b"), p))
    def twice(W: size, inp: f32[W] @ DRAM, out: f32[W] @ DRAM, neg: f32[W] @ DRAM):
        a: f32[W] @ DRAM
        b: f32[W] @ DRAM
        for x in seq(0, W):
            b[x] = 2.0 * inp[x]
        for x in seq(0, W):
            a[x] = 2.0 * inp[x]
        for x in seq(0, W):
            out[x] = a[x] + 1.0
        for x in seq(0, W):
            neg[x] = -b[x]
    """
    written = writes(p, consumer)
    nests = nests_of(p, stage)
    mine = [x for x in nests if any(s == x or is_inside(s, x) for s in written)]
    if not mine:
        yield fail(f"{consumer} does not use {stage}")
    if len(mine) == len(nests):
        yield fail(f"nothing but {consumer} uses {stage}")
    if name in names_at(p.tree).values():
        yield fail(f"{name} is the name of another variable")
    yield _cloned(stage, tuple(mine), name)
    return p.root()


@strategy
def _cloned(p: Proc, c: Cursor, stage: str, mine: tuple[StmtCursor, ...], name: str) -> Script:
    """A stage once more, in a buffer of that name for some of the nests that use it."""
    rest = tuple(x for x in nests_of(p, stage) if x not in mine)
    others = fresh(p, stage)
    p, own = yield _copied(stage, mine, name)
    p, _ = yield _copied(stage, rest, others)
    p, own = yield focus(own)
    loops = len(enclosing_loops(own)) - len(enclosing_loops(storage(p, stage)))
    p, _ = yield on(writes(p, stage)[0], inline_assign())
    p, _ = yield on(p.find_alloc(stage), delete_buffer())
    if loops:
        p, _ = yield on(p.forward(own), nav(moves.after), fission(loops))
    p, _ = yield on(p.find_alloc(others), rename_variable(stage))
    yield seq(nav(moves.root), _cropped(name), _cropped(stage))
    return p.root()


@strategy
def _copied(p: Proc, c: Cursor, stage: str, nests: tuple[StmtCursor, ...], name: str) -> Script:
    """`for x: a[x] = e; s  ~>  for x: (a[x] = e; b[x] = a[x]); s[a -> b]`. Focus after it: the copy."""
    return (yield _window_copied(stage, nests, name, tuple(("0", text(n)) for n in storage(p, stage).shape())))[1]


@strategy
def _window_copied(
    p: Proc, c: Cursor, stage: str, nests: tuple[StmtCursor, ...], name: str, sides: tuple[tuple[str, str], ...]
) -> Script:
    """`_copied` of a window, for which the loops are cut. Focus after it: the copy."""
    p, first = yield focus(nests[0])
    p, last = yield focus(nests[-1])
    block = first.expand(0, len(first.expand(0, None)) - len(last.expand(0, None)))
    window = f"{stage}[{', '.join(f'{lo}:{lo} + {n}' for lo, n in sides)}]" if sides else stage
    p, block = yield on(block, stage_mem(window, name))
    copy = block[0].prev()
    nest = _nest_of(writes(p, stage)[-1], storage(p, stage))
    p, alloc = yield on(copy.prev(), _right_after(nest))
    p, _ = yield on(p.forward(nest), reorder_stmts(alloc))
    made, copy = p.forward(nest), p.forward(copy)
    for lo, n in sides:
        p, made = yield on(made, _part(lo, n))
        p, copy = yield on(p.forward(copy), _right_after(made))
        p, both = yield on(p.forward(made), fuse(copy))
        made, copy = both.body()[0], both.body()[1]
    return copy


@strategy
def _cropped(p: Proc, c: Cursor, stage: str) -> Script:
    """A stage without what nothing uses of it."""
    nests = tuple(nests_of(p, stage))
    used = bounds(nests[0].expand(0, None), stage_symbol(p, stage), writes=False)
    sides = tuple(zip(used.lo(), used.sizes(), strict=True))
    if sides == tuple(("0", text(n)) for n in storage(p, stage).shape()):
        return p.root()
    name = fresh(p, stage)
    p, copy = yield _window_copied(stage, nests, name, sides)
    p, _ = yield on(copy.prev(), inline_assign())
    while made := [s for s in statements(p.root()) if isinstance(s, AssignCursor) and s.name() == stage]:
        p, _ = yield on(made[0], inline_assign())
    p, _ = yield on(p.find_alloc(stage), delete_buffer())
    p, _ = yield on(p.find_alloc(name), rename_variable(stage))
    yield seq(nav(moves.root), std.dce(), simplify())
    return p.root()


@strategy
def _part(p: Proc, c: ForCursor, lo: str, n: str) -> Script:
    """`for x in (0, m): s  ~>  for x in (0, lo): s; for x in (0, n): s[x -> x + lo]; for x in (n, m - lo): ..`. Focus:
    the middle."""
    if lo != text(c.lo()):
        p, c = yield seq(cut_loop(lo), nav(moves.next_()), shift_loop(0))
    if n != text(c.hi()):
        p, c = yield cut_loop(n)
    return c


@strategy
def _right_after(p: Proc, c: StmtCursor, other: StmtCursor) -> Script:
    """`other; s; c  ~>  other; c; s`. Focus: c, which stays."""
    while c.prev() != p.forward(other):
        p, _ = yield on(c.prev(), reorder_stmts(c))
        p, c = yield focus(p.forward(c))
    return c


def own_loops_only(p: Proc, stage: str) -> list[ForCursor]:
    """The loops around what computes a stage in which it is not used."""
    last = users(p, stage_symbol(p, stage))[-1]
    return [x for s in writes(p, stage) for x in enclosing_loops(s) if not is_inside(last, x)]


def users(p: Proc, sym: Sym) -> list[Write]:
    """The statements that use a buffer's values."""
    return [s for s in statements(p.root()) if isinstance(s, AssignCursor | ReduceCursor) and reads(s, sym)]


def reads(s: StmtCursor, sym: Sym) -> bool:
    """Whether a statement uses a buffer's values."""
    return any(isinstance(n, nodes.Read) and n.sym == sym for _, n in walk(s.node))


def nests_of(p: Proc, stage: str) -> list[StmtCursor]:
    """The statements of the block with a stage's buffer in which it is used, its own nest left out."""
    alloc = storage(p, stage)
    found = dict.fromkeys(_nest_of(s, alloc) for s in users(p, alloc.sym))
    made = {_nest_of(s, alloc) for s in writes(p, stage)}
    return [x for x in found if x not in made]


def _nest_of(s: StmtCursor, alloc: AllocCursor) -> StmtCursor:
    """The statement of an allocation's block that a statement is, or is in. Raises `InvalidCursorError` if there is
    none, as of a buffer of the same name that is allocated elsewhere."""
    found = next((x for x in siblings(alloc) if x == s or is_inside(s, x)), None)
    if found is None:
        raise InvalidCursorError(f"several buffers are called {alloc.name()}, or it is used where it is not held")
    return found


def fresh(p: Proc, stage: str) -> str:
    """A name that no variable has yet."""
    taken = set(names_at(p.tree).values())
    return next(name for n in count(1) if (name := f"{stage}_{n}") not in taken)
