"""Computations as steps on registers.

A rule says which parts of a statement one instruction can take as operands, so that they, and not what is computed
from them on the way, go to registers: `Rule = StmtCursor -> operands | None`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from exo_strat import (
    AllocCursor,
    AssignCursor,
    BinaryOpCursor,
    Cursor,
    ExprCursor,
    ExternCursor,
    ForCursor,
    Memory,
    NodeCursor,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    UnaryCursor,
    attempt,
    bind_expr,
    fail,
    focus,
    is_control,
    merge_writes,
    moves,
    nav,
    on,
    set_memory,
    simplify,
    stage_mem,
    strategy,
    try_else,
    walk,
)

from ..inspect import declaration, enclosing_loop, is_invariant, is_reduction
from .guards import branchless
from .hoisting import is_operation
from .splitting import innermost
from .staging import allocation
from .writing import element

Update: TypeAlias = AssignCursor | ReduceCursor
Rule: TypeAlias = Callable[[Update], Sequence[NodeCursor] | None]
"""The operands of the instruction that does what a statement does; None for a statement that the rule is not about."""

# -- rules --------------------------------------------------------------------------------------------


def operands(s: Update) -> Sequence[NodeCursor]:
    """The rule that holds where no other does: those of the operation that a statement is; of a sum, what is added."""
    value = s.rhs()
    if isinstance(s, ReduceCursor) or not is_operation(value):
        return (value,) if isinstance(s, ReduceCursor) else ()
    return parts(value)


def parts(e: NodeCursor) -> Sequence[NodeCursor]:
    """The operands of an operation."""
    match e:
        case BinaryOpCursor():
            return e.lhs(), e.rhs()
        case UnaryCursor():
            return (e.arg(),)
        case ExternCursor():
            return tuple(e.args())
        case _:
            return ()


def fma_rule(s: Update) -> Sequence[NodeCursor] | None:
    """`t = a * b + c`, `t = c - a * b`, `t = a * b - c` and `t += a * b`: a fused multiplication and addition.

    Returns a, b and c, in the order of the statement; of a sum, a and b. None for other statements.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, a: f32[1], x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] += a[0] * x[i]
    ... ''')
    >>> [e.text() for e in fma_rule(p.find("y[_] += _"))]
    ['a[0]', 'x[i]']
    """
    value = s.rhs()
    if isinstance(s, ReduceCursor):
        return factors(value)
    if isinstance(value, BinaryOpCursor) and value.op() in "+-":
        left, right = value.lhs(), value.rhs()
        if (pair := factors(right)) is not None:
            return (left, *pair)
        if (pair := factors(left)) is not None:
            return (*pair, right)
    return None


def negated_fma_rule(s: Update) -> Sequence[NodeCursor] | None:
    """`t = c + -(a * b)` and `t += -(a * b)`, as `-=` is written: a fused multiplication and subtraction.

    Returns c, a and b; of a sum, a and b. None for other statements.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, a: f32[1], x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] -= a[0] * x[i]
    ... ''')
    >>> [e.text() for e in negated_fma_rule(p.find("y[_] += _"))]
    ['a[0]', 'x[i]']
    """
    value = s.rhs()
    if isinstance(s, ReduceCursor):
        return factors(value.arg()) if isinstance(value, UnaryCursor) and s.op() == "+" else None
    if isinstance(value, BinaryOpCursor) and value.op() == "+" and isinstance(minus := value.rhs(), UnaryCursor):
        pair = factors(minus.arg())
        return None if pair is None else (value.lhs(), *pair)
    return None


def factors(e: NodeCursor) -> Sequence[NodeCursor] | None:
    """The factors of a product, the first without its sign."""
    if not isinstance(e, BinaryOpCursor) or e.op() != "*":
        return None
    first = e.lhs()
    return (first.arg() if isinstance(first, UnaryCursor) else first), e.rhs()


def broadcast_rule(s: Update) -> Sequence[NodeCursor] | None:
    """`t += a * b`, with an element a of memory that all lanes share: it is taken from there.

    Returns b; None for other statements.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, a: f32[1], x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] += a[0] * x[i]
    ... ''')
    >>> [e.text() for e in broadcast_rule(p.find("y[_] += _"))]
    ['x[i]']
    """
    pair = factors(s.rhs()) if isinstance(s, ReduceCursor) else None
    if pair is None:
        return None
    loop = enclosing_loop(s)
    shared = [e for e in pair if isinstance(e, ReadCursor) and e.idx() and is_invariant(e, loop)]
    return [e for e in pair if e not in shared] if len(shared) == 1 else None


def abs_rule(s: Update) -> Sequence[NodeCursor] | None:
    """`t = fmax(a, -a)` and `t = select(0.0, a, a, -a)`: an absolute value.

    Returns a; None for other statements.

    >>> from exo_strat import proc_from_source
    >>> [e.text() for e in abs_rule(proc_from_source("def foo(x: f32, y: f32): y = fmax(x, -x)").find("y = _"))]
    ['x']
    """
    value = s.rhs()
    if isinstance(value, ExternCursor) and value.function().name in ("fmax", "select"):
        *_, a, minus = value.args()
        if isinstance(minus, UnaryCursor) and minus.arg().node == a.node:
            return (a,)
    return None


# -- staging ------------------------------------------------------------------------------------------


@strategy
def stage_compute(p: Proc, c: ForCursor, precision: str, memory: Memory, rules: Sequence[Rule] = ()) -> Script:
    """`y += a * x  ~>  v2 = y; v4 = a; v5 = x; v3 = v4 * v5; v1 = v2 + v3; y = v1`: each step one instruction.

    The statements of a loop over lanes, also in an `if` that is all of it, as loads into registers (buffers in
    `memory`, of `precision`), operations on registers, and stores; what an iteration allocates for itself is a
    register, too. `rules` find operations with more operands: with `fma_rule` it is `v2 = y; v3 = a; v4 = x;
    v1 = v2 + v3 * v4; y = v1`. A sum over all lanes, such as `r += x[l]`, becomes one addition of a register to r. Of
    `a if x < y else b` both sides are computed, where they surely have values (`branchless`). Focus: the loop, which
    is returned; in it are assignments and reductions only. Paper: Figure 4.

    >>> from exo_strat import DRAM_STACK, at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def saxpy(a: f32, x: f32[8], y: f32[8]):
    ...     for i in seq(0, 8):
    ...         y[i] += a * x[i]
    ... ''')
    >>> print(schedule(at("for i in _: _", stage_compute("f32", DRAM_STACK, (fma_rule,))), p))
    def saxpy(a: f32 @ DRAM, x: f32[8] @ DRAM, y: f32[8] @ DRAM):
        for i in seq(0, 8):
            v: f32 @ DRAM_STACK
            v_1: f32 @ DRAM_STACK
            v_1 = y[i]
            v_2: f32 @ DRAM_STACK
            v_2 = a
            v_3: f32 @ DRAM_STACK
            v_3 = x[i]
            v = v_1 + v_2 * v_3
            y[i] = v
    """
    for s in innermost(c):
        if not isinstance(s, AssignCursor | ReduceCursor | AllocCursor):
            what = "only assignments and reductions become steps on registers: unroll what is inside (`unroll_loop`), "
            yield on(s, fail(what + "or take the loop apart before (`std.fission_where_possible`)"))
        if isinstance(s, AllocCursor):
            yield on(s, attempt(register(precision, memory)))
        else:
            yield on(s, branchless(), stage_update(precision, memory, rules))
    return c


@strategy
def stage_update(p: Proc, c: Update, precision: str, memory: Memory, rules: Sequence[Rule] = ()) -> Script:
    """One statement of `stage_compute`: what it computes in a register, unless it is in one. Focus: the statement."""
    registers = precision, memory
    if isinstance(c, AssignCursor):
        p, c = yield convert_in_store()
    compute: Cursor = c
    if isinstance(c, AssignCursor):
        if not lives_in(c, memory) and not lives_in(c.rhs(), memory):
            p, compute = yield on(c.rhs(), load(*registers))
    elif not lives_in(c, memory) or c.op() == "*":
        shared = is_reduction(c, enclosing_loop(c))
        beside = value_first(*registers, rules) >> sum_in_register(*registers)
        p, compute = yield sum_in_lanes(*registers) if shared else try_else(sum_in_register(*registers), beside)
    yield on(compute, stage_operands(*registers, rules))
    return None


@strategy
def stage_operands(p: Proc, c: Update, precision: str, memory: Memory, rules: Sequence[Rule]) -> Script:
    """`t = f(a, g(b))  ~>  v1 = a; v3 = b; v2 = g(v3); t = f(v1, v2)`. Focus: the statement."""
    found = (rule(c) for rule in (*rules, operands))
    for e in next(x for x in found if x is not None):
        p, e = yield focus(e)
        if not lives_in(e, memory) or e.sym == c.sym:
            p, loaded = yield load(precision, memory)
            yield on(loaded, stage_operands(precision, memory, rules))
    return None


@strategy
def load(p: Proc, c: ExprCursor, precision: str, memory: Memory) -> Script:
    """`s[e]  ~>  v: T @ MEM; v = e; s[v]`, for all e of the statement. The number of an integer, `f32(i)`, is put in
    memory first: registers are loaded from there. Focus: e. Returns the assignment."""
    if is_index_value(c):
        yield on(c, bind_expr("t"))
        p, c = yield focus(c)
    again = sum(n == c.node for _, n in walk(c.stmt().node)) > 1
    p, assigned = yield bind_expr("v", cse=again)
    yield on(assigned.prev(), register(precision, memory))
    yield on(assigned, convert_in_store())
    return assigned


@strategy
def convert_in_store(p: Proc, c: AssignCursor) -> Script:
    """`v = f64(e)  ~>  v = e`, for v of this precision, as loads and stores convert. Focus: the assignment, which is
    returned; nothing if it is another one."""
    value = c.rhs()
    if isinstance(value, ExternCursor) and value.function().converts and not is_index_value(value):
        p, c = yield simplify()
    return c


@strategy
def value_first(p: Proc, c: ReduceCursor, precision: str, memory: Memory, rules: Sequence[Rule]) -> Script:
    """`y[i] += e(y[k])  ~>  v: T @ MEM; v = e(y[k]); y[i] += v`, where k may be i. Focus: the sum. Returns it."""
    p, loaded = yield on(c.rhs(), load(precision, memory))
    yield on(loaded, stage_operands(precision, memory, rules))
    yield focus(c)
    return c


@strategy
def sum_in_register(p: Proc, c: ReduceCursor, precision: str, memory: Memory) -> Script:
    """`y += e  ~>  v: T @ MEM; v = y + e; y = v`. Focus: the reduction. Returns the first assignment."""
    p, block = yield stage_mem(element(c), "v")
    yield on(allocation(block), register(precision, memory))
    p, first = yield on(block, nav(moves.expand(1, 0)), merge_writes())
    return first


@strategy
def sum_in_lanes(p: Proc, c: ReduceCursor, precision: str, memory: Memory) -> Script:
    """`y += e  ~>  v: T @ MEM; v = 0; v += e; y += v`. Focus: the reduction. Returns the sum into v."""
    p, block = yield stage_mem(element(c), "v", accum=True)
    yield on(allocation(block), register(precision, memory))
    return block[0]


@strategy
def register(p: Proc, c: AllocCursor, precision: str, memory: Memory) -> Script:
    """`v: T  ~>  v: T @ MEM`, if T is `precision`. Focus: the allocation."""
    fits = str(c.type()) == precision
    yield set_memory(memory) if fits else fail(f"{c.name()} is of precision {c.type()}, the registers of {precision}")
    return None


def is_index_value(c: NodeCursor) -> bool:
    """Whether an expression is the number of a control integer, as `f32(n - i)` is."""
    return isinstance(c, ExternCursor) and any(is_control(e) for e in c.node.args)


def lives_in(c: NodeCursor, memory: Memory) -> bool:
    """Whether what a statement writes, or an expression is, is held in a buffer of the procedure in a memory."""
    if not isinstance(c, ReadCursor | AssignCursor | ReduceCursor):
        return False
    buffer = declaration(c, c)
    return isinstance(buffer, AllocCursor) and buffer.mem() == memory
