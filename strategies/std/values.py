"""Values that are computed once, and those that are not computed at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from exo_strat import (
    AllocCursor,
    BlockCursor,
    Cursor,
    ExprCursor,
    ForCursor,
    IfCursor,
    Memory,
    NodeCursor,
    Op,
    Proc,
    ProcCursor,
    ReadCursor,
    Script,
    StmtCursor,
    Sym,
    analysis,
    attempt,
    bind_expr,
    declarators,
    delete_buffer,
    delete_pass,
    eliminate_dead_code,
    fail,
    fission,
    focus,
    identity,
    mentions,
    moves,
    named,
    nav,
    nodes,
    on,
    reduce,
    repeat,
    rewrite_expr,
    savec,
    seq,
    set_memory,
    simplify,
    strategy,
    traversals,
    try_else,
    walk,
)
from exo_strat import specialize as branch_on

from .hoisting import is_operation
from .splitting import expand_alloc
from .writing import INSIDE

# -- values of their own ------------------------------------------------------------------------------


@named
def cse(name: str = "t") -> Op:
    """`s1[e]; s2[e]  ~>  t: T; t = e; s1[t]; s2[t]`: common subexpression elimination, the largest first.

    Operations and elements that are evaluated more than once go to buffers, as far as nothing changes them in
    between. Focus: a statement, a block or the procedure, which stays. Never fails. Paper: section 6.2.1.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, a: f32, x: f32[n], y: f32[n], z: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] += a * x[i]
    ...         z[i] = a * x[i] + x[i]
    ... ''')
    >>> print(schedule(at("for i in _: _", cse()), p))
    def foo(n: size, a: f32 @ DRAM, x: f32[n] @ DRAM, y: f32[n] @ DRAM, z: f32[n] @ DRAM):
        for i in seq(0, n):
            t: f32 @ DRAM
            t_1: f32 @ DRAM
            t_1 = x[i]
            t = a * t_1
            y[i] += t
            z[i] = t + t_1
    """
    return savec(repeat(share(name)))


@strategy
def share(p: Proc, c: ProcCursor | BlockCursor | StmtCursor, name: str = "t") -> Script:
    """`s[e, e]  ~>  t: T; t = e; s[t, t]`: one step of `cse`. Returns the block, with the new statements.

    Fails if nothing is evaluated more than once.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[8], y: f32):
    ...     y = x[0] * x[0]
    ... ''')
    >>> print(schedule(at("y = _", share("v")), p))
    def foo(x: f32[8] @ DRAM, y: f32 @ DRAM):
        v: f32 @ DRAM
        v = x[0]
        y = v * v
    """
    block = c.body() if isinstance(c, ProcCursor) else c.as_block()
    ops = [on(e, bind_all(name)) for e in repeated(block)]
    p, bound = yield try_else(*ops, fail("nothing is evaluated more than once here"))
    p, here = yield focus(block)
    first = bound.prev()
    return here.expand(2, 0) if first.next(2) == here[0] else here


@strategy
def bind_all(p: Proc, c: ExprCursor, name: str) -> Script:
    """`s[e, e]  ~>  t: T; t = e; s[t, t]`: as `bind_expr` with `cse`, but fails if there is only one e. Focus: e.

    Returns the assignment.

    >>> from exo_strat import at, proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[8], y: f32):
    ...     y = x[0] * x[1]
    ... ''')
    >>> at("x[0]", bind_all("v"))(p).failure().message
    'the expression is not evaluated again'
    """
    p, assigned = yield bind_expr(name, cse=True)
    after = assigned.expand(0, None)
    reads = [n for s in after.stmts for _, n in walk(s) if isinstance(n, nodes.Read) and n.sym == assigned.sym]
    if len(reads) < 2:
        yield fail("the expression is not evaluated again")
    return assigned


def repeated(block: BlockCursor) -> Iterator[ExprCursor]:
    """The operations and elements in a block that stand there more than once, the largest first."""
    found = [e for s in block for e in s.descendants() if is_shareable(e)]
    times = Counter(e.node for e in found)
    again = [e for e in found if times[e.node] > 1]
    return iter(sorted(again, key=lambda e: -sum(1 for _ in walk(e.node))))


def is_shareable(e: NodeCursor) -> TypeGuard[ExprCursor]:
    """Whether an expression is an operation on data, or an element of a buffer."""
    return is_operation(e) or (isinstance(e, ReadCursor) and bool(e.idx()))


@strategy
def stage_expr(p: Proc, c: ExprCursor, name: str, memory: Memory | None = None, n_lifts: int = 1) -> Script:
    """`for i in (0, n): s[e]  ~>  a: T[n]; for i in (0, n): a[i] = e; for i in (0, n): s[a[i]]`.

    An expression in a buffer of its own, computed beforehand for all iterations of the `n_lifts` loops around it; in
    `memory`, if one is given. Focus: the expression. Returns the assignment. Paper: appendix B (`bind_and_lift`).

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(x: f32[8], y: f32[8]):
    ...     for i in seq(0, 8):
    ...         y[i] += 2.0 * x[i]
    ... ''')
    >>> print(schedule(at("2.0 * _", stage_expr("twice")), p))
    def foo(x: f32[8] @ DRAM, y: f32[8] @ DRAM):
        twice: f32[8] @ DRAM
        for i in seq(0, 8):
            twice[i] = 2.0 * x[i]
        for i in seq(0, 8):
            y[i] += twice[i]
    """
    p, assigned = yield bind_expr(name)
    p, alloc = yield seq(nav(moves.prev()), identity if memory is None else set_memory(memory))
    for _ in range(n_lifts):
        p, alloc = yield on(alloc, expand_alloc())
    yield on(assigned, nav(moves.after), fission(n_lifts))
    return assigned


# -- less code ----------------------------------------------------------------------------------------


@strategy
def dce(p: Proc, c: Cursor) -> Script:
    """`for i in (n, n): s  ~>  pass`, `if True: s else: s1  ~>  s`, `a: T; a = e; s  ~>  s`: dead code elimination.

    Loops that never run, branches that are decided and buffers that nothing reads, at and below the focus. Never
    fails. Returns the focus, or the procedure if that is gone.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     t: f32
    ...     t = x[0]
    ...     if n < 1:
    ...         x[0] = t
    ...     x[0] = 1.0
    ... ''')
    >>> print(schedule(dce(), p))
    def foo(n: size, x: f32[n] @ DRAM):
        x[0] = 1.0
    """
    stay = try_else(focus(c), nav(moves.root))
    yield seq(attempt(eliminate_dead_code()), stay, reduce(attempt(eliminate_dead_code()), _scopes))
    before = None
    while p is not before:
        before = p
        p, _ = yield seq(stay, reduce(attempt(delete_buffer()), _buffers))
    yield seq(nav(moves.root), delete_pass(), stay)
    return None


def _scopes(c: Cursor) -> Iterator[Cursor]:
    """The loops and branches below a cursor, outer before inner."""
    return (s for s in traversals.nlr(c) if isinstance(s, ForCursor | IfCursor))


def _buffers(c: Cursor) -> Iterator[Cursor]:
    """The allocations at and below a cursor that may be needless, the last first: what is computed from a buffer is
    deleted before it."""
    kept = _needed(c.proc.tree)
    return (s for s in reversed(list(traversals.nlr(c))) if isinstance(s, AllocCursor) and s.sym not in kept)


def _needed(tree: nodes.ProcDef) -> set[Sym]:
    """Buffers that `delete_buffer` surely keeps: code that does more than write to them uses them."""
    found: set[Sym] = set()
    for s in declarators(tree):
        match s:
            case nodes.WindowDef():
                return set()  # what names a window may mean its buffer
            case nodes.Assign(sym=sym) | nodes.Reduce(sym=sym):
                found |= mentions(s) - {sym}
            case nodes.For(lo=lo, hi=hi):
                found |= mentions(lo) | mentions(hi)
            case nodes.If(cond=cond):
                found |= mentions(cond)
            case nodes.Call(f=f, args=args):
                formals = zip(f.tree.args, args, strict=True)
                changed = analysis.written_args(f.tree)
                written = {getattr(e, "sym", None) for formal, e in formals if formal.sym in changed}
                found |= (mentions(s) if len(written) > 1 else mentions(s) - written) if written else set()
            case _:
                pass
    return found


@named
def cleanup() -> Op:
    """`for i in (0, n - n): s1; if i + 0 < n: s  ~>  if i < n: s`: `simplify` and `dce`, for the whole procedure.

    Never fails. Returns the procedure.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n + 1]):
    ...     t: f32
    ...     t = x[0]
    ...     for i in seq(0, 1):
    ...         x[i + n + 1 - 1] = 0.0 + 1.0 * x[0]
    ... ''')
    >>> print(schedule(cleanup(), p))
    def foo(n: size, x: f32[n + 1] @ DRAM):
        for i in seq(0, 1):
            x[n + i] = x[0]
    """
    return seq(nav(moves.root), simplify(), dce())


@strategy
def specialize_sizes(
    p: Proc, c: BlockCursor | StmtCursor, expr: str, values: Sequence[int], then: Sequence[Op] = ()
) -> Script:
    """`s  ~>  if e == v0: s[e -> v0] else: if e == v1: s[e -> v1] else: .. s`, for values v0, v1, ... of an extent.

    Bounds that are then known become literals, and code that never runs goes. What comes next may depend on the value:
    `then` is a sequence of Ops, one a value; each acts on the first statement of its case. Focus: a statement or block.
    Returns the outer `if`, or the procedure if that is decided. Paper: section 6.2.2.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     assert n <= 16
    ...     for i in seq(0, (n + 7) / 8):
    ...         x[i] = 0.0
    ... ''')
    >>> print(schedule(at("for i in _: _", specialize_sizes("(n + 7) / 8", (1, 2))), p))
    def foo(n: size, x: f32[n] @ DRAM):
        assert n <= 16
        if (n + 7) / 8 == 1:
            for i in seq(0, 1):
                x[i] = 0.0
        else:
            for i in seq(0, 2):
                x[i] = 0.0
    """
    p, outer = yield branch_on([f"{expr} == {v}" for v in values])
    branch = outer
    for v, op in zip(values, then or [identity] * len(values), strict=True):
        for loop in traversals.loops(branch.body()):
            yield on(loop, nav(moves.hi), attempt(rewrite_expr(v)))
        yield on(branch, nav(INSIDE), op)
        branch = branch.orelse()[0]
    yield on(outer, simplify())
    yield try_else(focus(outer), nav(moves.root))
    return None
