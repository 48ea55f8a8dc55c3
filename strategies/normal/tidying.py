"""What importers leave behind, taken away: temporaries of whole arrays, variables shared by loops, copies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from exo_strat import (
    AllocCursor,
    AssignCursor,
    BlockCursor,
    Cursor,
    ForCursor,
    LiteralCursor,
    Op,
    Proc,
    ReadCursor,
    Script,
    StmtCursor,
    analysis,
    attempt,
    delete_buffer,
    fail,
    focus,
    fuse,
    inline_assign,
    moves,
    named,
    nav,
    nodes,
    on,
    rename_variable,
    repeat_n,
    shift_loop,
    simplify,
    sink_alloc,
    stage_mem,
    strategy,
    try_else,
    unroll_buffer,
)

from ..inspect import declaration, enclosing_loops, symbols_read, symbols_written, unique_name
from ..std.hoisting import reorder_before
from .exhaust import applies_nowhere, exhaust
from .fission_and_fusion import narrow_alloc, raise_alloc


@named
def tidy() -> Op:
    """Loops that fill a temporary fused with those that use it, and temporaries as small and as far inside as possible.

    For programs that were imported; `index_nf` simplifies their indices. A variable that several loops use, each for
    itself, becomes one of each; what is computed for one use is put there; buffers that nobody reads go. Only
    temporaries cause a fusion.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     t: f32[n]
    ...     for i in seq(0, n):
    ...         t[i] = 2.0 * x[i]
    ...     u: f32[n]
    ...     for i in seq(0, n):
    ...         u[i] = t[i] + y[i]
    ...     for i in seq(0, n):
    ...         y[i] = u[i]
    ... ''')
    >>> print(schedule(tidy(), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            y[i] = 2.0 * x[i] + y[i]
    """
    return exhaust(tidy_step())


def is_tidy(p: Proc) -> bool:
    """Whether `tidy` finds nothing to do.

    >>> from exo_strat import proc_from_source
    >>> is_tidy(proc_from_source("def foo(x: f32, y: f32):\\n    t: f32\\n    t = x\\n    y = t"))
    False
    """
    return applies_nowhere(tidy_step(), p)


@named
def tidy_step() -> Op:
    """One step to `tidy`. Focus: a loop, an allocation or an assignment.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source("def foo(x: f32, y: f32):\\n    t: f32\\n    t = x\\n    y = t")
    >>> print(schedule(at("t = _", tidy_step()), p))
    def foo(x: f32 @ DRAM, y: f32 @ DRAM):
        t: f32 @ DRAM
        y = x
    """
    buffers = try_else(delete_buffer(), sink_alloc(), narrow_alloc(), drop_unit_dim(), privatize(), raise_alloc())
    return try_else(use_where_needed(), fuse_user(), buffers)


@strategy
def use_where_needed(p: Proc, c: AssignCursor) -> Script:
    """`t = e; s[t]  ~>  s[e]`, if t is a temporary, and used once, and as often as it is assigned.

    Focus: the assignment. Returns what `inline_assign` does.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         t: f32
    ...         t = 2.0 * x[i]
    ...         y[i] = t + 1.0
    ... ''')
    >>> print(schedule(at("t = _", use_where_needed()), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            t: f32 @ DRAM
            y[i] = 2.0 * x[i] + 1.0
    """
    if not isinstance(declaration(c, c.name()), AllocCursor):
        yield fail("this is no temporary")
    uses = [e for s in _after(c) for e in s.descendants() if isinstance(e, ReadCursor) and e.sym == c.sym]
    if len(uses) != 1 or len(enclosing_loops(uses[0])) != len(enclosing_loops(c)):
        yield fail("the value isn't used once each time that it is computed")
    p, c = yield inline_assign()
    return c


def _after(c: StmtCursor) -> list[StmtCursor]:
    """The statements after one in its block."""
    return list(c.expand(0, None))[1:]


@strategy
def fuse_user(p: Proc, c: ForCursor) -> Script:
    """`for i in (l, h): t[i] = e; s; for j: x[j] = t[j - l]  ~>  for i in (l, h): t[i] = e; x[i - l] = t[i - l]; s`.

    The first loop after this one that reads a temporary of what this one writes is brought here, and they are fused.
    Focus: the first loop, which is returned. Refused if an iteration needs later ones, or s comes between.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n + 1]):
    ...     t: f32[n]
    ...     for i in seq(0, n):
    ...         t[i] = 2.0 * x[i]
    ...     x[0] = 0.0
    ...     for i in seq(1, n + 1):
    ...         y[i] = t[i - 1]
    ... ''')
    >>> print(schedule(at("for i in _: _", fuse_user()), p))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n + 1] @ DRAM):
        t: f32[n] @ DRAM
        for i in seq(0, n):
            t[i] = 2.0 * x[i]
            y[i + 1] = t[i]
        x[0] = 0.0
    """
    made = {x for x in symbols_written(c) if isinstance(declaration(c, x), AllocCursor)}
    after = _after(c)
    first = next((k for k, s in enumerate(after) if not made.isdisjoint(symbols_read(s))), None)
    user = after[first] if first is not None else None
    if not isinstance(user, ForCursor):
        yield fail("no loop after this one reads a temporary that it makes")
        return c
    if not _as_often(c, user):
        yield fail("it isn't known that the loops run equally often")
    left = 0
    for s in after[:first]:
        p, _ = yield focus(c) >> attempt(on(s, repeat_n(reorder_before(), left + 1)))
        left = _between(p, c, user)
    yield on(user, repeat_n(reorder_before(), left))
    if user.lo().text() != c.lo().text():
        yield on(user, shift_loop(c.lo()), simplify())
    p, c = yield focus(c) >> fuse(user)
    return c


def _as_often(c: ForCursor, later: ForCursor) -> bool:
    """Whether two loops of a block surely run equally often, which `fuse` asks for: asked before anything is moved."""
    count, other = (nodes.Binary("-", f.node.hi, f.node.lo) for f in (c, later))
    return analysis.holds_everywhere(later.proc.tree, later.path, nodes.Binary("==", count, other))


def _between(p: Proc, c: Cursor, later: Cursor) -> int:
    """How many statements are between two of a block."""
    one, other = p.forward(c), p.forward(later)
    assert isinstance(one, StmtCursor) and isinstance(other, StmtCursor)
    return len(_after(one)) - len(_after(other)) - 1


@strategy
def drop_unit_dim(p: Proc, c: AllocCursor) -> Script:
    """`a: T[1, n]; s[a[0, i]]  ~>  a: T[n]; s[a[i]]`. Focus: the allocation, which is returned.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source("def foo(x: f32):\\n    a: f32[1]\\n    a[0] = x\\n    x = a[0] * a[0]")
    >>> print(schedule(at("a: _", drop_unit_dim()), p))
    def foo(x: f32 @ DRAM):
        a: f32 @ DRAM
        a = x
        x = a * a
    """
    for k, extent in enumerate(c.shape()):
        if isinstance(extent, LiteralCursor) and extent.value() == 1:
            p, c = yield unroll_buffer(k) >> nav(moves.nth(0)) >> rename_variable(c.sym.name)
            return c
    yield fail("no dimension has an extent of 1")
    return c


@strategy
def privatize(p: Proc, c: AllocCursor) -> Script:
    """`t: T; for i: t = e; s1; for i: t = e2; s2  ~>  t: T; for i: t1: T; t1 = e; s1; t = t1; for i: ..`.

    A variable that a loop, or a run of statements, sets before it reads it gets a copy there. Nobody reads what is
    stored at the end, if all have copies of their own: then the variable goes (`delete_buffer`). Focus: the allocation
    of a scalar that several statements use, which is returned.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     t: f32
    ...     for i in seq(0, n):
    ...         t = x[i]
    ...         x[i] = t * t
    ...     t = 1.0
    ...     x[0] = t
    ... ''')
    >>> print(schedule(at("t: _", privatize()), p))
    def foo(n: size, x: f32[n] @ DRAM):
        t: f32 @ DRAM
        for i in seq(0, n):
            t_1: f32 @ DRAM
            t_1 = x[i]
            x[i] = t_1 * t_1
            t = t_1
        t = 1.0
        x[0] = t
    """
    users = [s for s in _after(c) if c.sym in (*symbols_read(s), *symbols_written(s))]
    loops = [s for s in users if isinstance(s, ForCursor) and c.sym in symbols_read(s) and c.sym in symbols_written(s)]
    blocks = [loop.body() for loop in loops] + _lives(c, users)
    if c.is_tensor() or len(users) < 2 or not blocks:
        yield fail("this is no scalar that several statements use, each for itself")
    yield try_else(*(on(block, _with_copy(c)) for block in blocks))
    return c


def _lives(c: AllocCursor, users: Sequence[StmtCursor]) -> list[BlockCursor]:
    """Blocks from a statement that sets a variable to the last one that reads this value; none that has all users."""
    starts = [k for k, s in enumerate(users) if isinstance(s, AssignCursor) and c.sym not in symbols_read(s)]
    found: list[BlockCursor] = []
    for first, end in pairwise((*starts, len(users))):
        last = max((k for k in range(first, end) if c.sym in symbols_read(users[k])), default=first)
        if first < last and last - first + 1 < len(users):
            found.append(users[first].expand(0, len(_after(users[first])) - len(_after(users[last]))))
    return found


@strategy
def _with_copy(p: Proc, c: BlockCursor, variable: AllocCursor) -> Script:
    """`s  ~>  t1: T; s[t -> t1]; t = t1`, if s sets t before it reads it. Focus: s, which is returned."""
    name = unique_name(p, variable.sym.name.rstrip("_0123456789") or variable.sym.name)
    p, c = yield stage_mem(variable.name(), name)
    if any(variable.sym in symbols_read(s) for s in c.expand(1, 1)):
        yield fail("it reads what was there before")
    return c
