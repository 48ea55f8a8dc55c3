"""Arithmetic on data: sums and products written otherwise.

The paper does not have these; names and arguments are those of Exo's documentation.

Values are mathematical numbers; what these rewrites do to rounding is the schedule's choice, as with any order of
accumulation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ..cursors.cursor import BlockCursor, NodeCursor
from ..cursors.kinds import AssignCursor, BinaryOpCursor, ReduceCursor
from ..cursors.rewrite import Rewrite
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.names import Sym
from ..ir.nodes import Assign, Binary, Const, Expr, For, ProcDef, Read, Reduce, Unary
from ..ir.precisions import concrete, converted, element, includes, precision
from ..ir.reductions import combined, made_by, parts
from ..ir.span import span_of
from ..ir.types import R, Scalar
from ..ir.walk import Path, binders, get, mentions, walk
from ..logic.questions import accesses, effects, evaluation, reads_of, resolve, safety, windows_at
from .framework import Trial, Where, primitive
from .helpers.refusing import applicable, of_kind, require
from .helpers.scoping import ready, stays_race_free
from .helpers.wellformed import well_formed

__all__ = ["fold_into_reduce", "left_reassociate_expr", "lift_reduce_constant", "split_write"]

ASSOCIATIVE: Final = ("+", "*")


@primitive(same_values=True, cursors={"values inside": "stay, gone"}, by_form=True, trial=Trial(programs="sums"))
def left_reassociate_expr(rw: Rewrite, e: BinaryOpCursor) -> Where:
    """`a + (b + c)  ~>  (a + b) + c`, and the same with `*`. Exo's documentation. Returns the expression.

    There is nothing to prove: values are numbers, and all three operands are evaluated anyway.

    Fails with `NotApplicable` on other forms.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[4]):
    ...     x[0] = x[1] * (x[2] * x[3])
    ... ''')
    >>> print(left_reassociate_expr.direct(p, "x[1] * _"))
    def foo(x: f32[4] @ DRAM):
        x[0] = x[1] * x[2] * x[3]

    Refused: `x - (y - z)` is not `(x - y) - z`.

    >>> q = proc_from_source('''
    ... def foo(x: f32, y: f32, z: f32):
    ...     x = x - (y - z)
    ... ''')
    >>> print(left_reassociate_expr()(q, q.find("x - _")).failure())
    left_reassociate_expr(): '-' is not associative
        def foo(x: f32 @ DRAM, y: f32 @ DRAM, z: f32 @ DRAM):
    -->     x = x - (y - z)
    """
    node = e.node
    applicable(node.op in ASSOCIATIVE, f"{node.op!r} is not associative", e)
    inner = _made_by(node.rhs, node.op)
    applicable(inner is not None, f"the right operand is not made by {node.op!r}", e)
    assert inner is not None
    rw.set(e.path, lhs=Binary(node.op, node.lhs, inner.lhs), rhs=inner.rhs)
    return e.path


def _made_by(e: Expr, op: str) -> Binary | None:
    return e if isinstance(e, Binary) and e.op == op else None


@primitive(
    same_values=True,
    cursors={"values inside": "stay, first copy, replaced, gone"},
    trial=Trial(programs="sums sums distributed two_writes clamped"),
)
def split_write(rw: Rewrite, write: AssignCursor | ReduceCursor) -> Where:
    """`x = a + b  ~>  x = a; x += b`, and `x += a + b  ~>  x += a; x += b`. Exo's documentation.

    The same holds for `*`, and for `min` and `max`, where the value is made by `fmin` or `fmax`; a reduction is
    split only by its own operator. A difference is a sum: `x = a - b  ~>  x = a; x += -b`. So is a floating-point
    product with a sum in it: `x += c * (a + b)  ~>  x += c * a; x += c * b`. The second operand must not read the
    location that is written, under any name. Returns the block of both writes.

    Fails with `NotApplicable` if the value is not made by such an operator, or computed at another precision than
    x's, unless at an integer one that x holds; with `Unsafe` if b may read x.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[4], y: f32[4]):
    ...     for i in seq(0, 4):
    ...         x[i] = y[0] + 2.0 * y[i]
    ... ''')
    >>> print(split_write.direct(p, "x[_] = _"))
    def foo(x: f32[4] @ DRAM, y: f32[4] @ DRAM):
        for i in seq(0, 4):
            x[i] = y[0]
            x[i] += 2.0 * y[i]

    Refused: the second part reads what the first would overwrite.

    >>> q = proc_from_source('''
    ... def foo(x: f32, y: f32):
    ...     x = y + x
    ... ''')
    >>> print(split_write()(q, q.find("x = _")).failure())
    split_write(): not true: the second operand does not read what is written
    one writes x, the other reads x
        def foo(x: f32 @ DRAM, y: f32 @ DRAM):
    -->     x = y + x
    """
    tree, path, node = rw.proc.tree, write.path, write.node
    value, held = node.rhs, _holds(tree, node, write)
    if isinstance(value, Binary) and value.op == "-":
        value = Binary("+", value.lhs, Unary("-", converted(value.rhs, held, declarations(tree))))
    op, both = "", None
    if isinstance(node, Reduce):
        op, both = node.op, parts(node.op, value)
        if op == "+" and both is None and held.is_float:
            both = _distributed(value)
    elif made := made_by(value):
        op, both = made[0], made[1:]
    wanted = f"by {op!r}" if op else "by `+`, `-`, `*`, `fmin` or `fmax`"
    applicable(both is not None, f"the value is not made {wanted}", write)
    assert both is not None
    require(_not_read(tree, path, node, both[1], "the second operand does not read what is written"), write)
    for e in node.idx:
        require(_not_read(tree, path, node, e, "where is written does not depend on what is written"), write)
    at = span_of(path)
    rw.add_part(path, Reduce(node.sym, node.idx, both[1], op))
    rw.carry((*path, ("rhs", None)), (*at.path(1), ("rhs", None)), but=both[0])
    rw.replace((*path, ("rhs", None)), both[0])
    return at._replace(hi=at.hi + 1)


def _distributed(e: Expr) -> tuple[Expr, Expr] | None:
    """`c * (a + b)` as `c * a` and `c * b`, also under a sign, in several factors, or over a divisor."""
    if both := parts("+", e):
        return both
    if isinstance(e, Unary) and e.op == "-" and (both := _distributed(e.arg)):
        return Unary("-", both[0]), Unary("-", both[1])
    if isinstance(e, Binary) and e.op in ("*", "/"):
        if both := _distributed(e.lhs):
            return Binary(e.op, both[0], e.rhs), Binary(e.op, both[1], e.rhs)
        if e.op == "*" and (both := _distributed(e.rhs)):
            return Binary("*", e.lhs, both[0]), Binary("*", e.lhs, both[1])
    return None


def _holds(tree: ProcDef, write: Assign | Reduce, c: NodeCursor | BlockCursor) -> Scalar:
    """The precision of what is written; owed: a part of the value fits it, as the whole does, and what was rounded is
    rounded as before."""
    types = declarations(tree)
    held, own = element(types[write.sym]), precision(write.rhs, types)
    fits = own is None or (concrete(own) == concrete(held) if own.is_float else includes(held, own))
    applicable(fits, f"the value is computed at {own}: {write.sym} is {held}, and may not hold a part of it", c)
    return held


def _not_read(tree: ProcDef, path: Path, write: Assign | Reduce, e: Expr, what: str) -> safety.Verdict:
    """Whether an expression in a statement at `path` surely does not read what the statement writes."""
    views = windows_at(tree, path)
    written = resolve(accesses(write)[-1], views)
    return safety.apart(tree, path, written, [resolve(a, views) for a in reads_of(e)], what)


@primitive(
    same_values=True,
    cursors={"target": "replaced", "values inside": "stay, gone"},
    trial=Trial(programs="sums sums two_writes", at=(("reads what it writes", 85),)),
)
def fold_into_reduce(rw: Rewrite, write: AssignCursor) -> Where:
    """`x = x + e  ~>  x += e`, and `x = e + x`; the same with `*`, `fmin` and `fmax`. Exo's documentation.

    A difference is a sum: `x = x - e  ~>  x += -e`. In floating point a quotient is a product: `x = x / e  ~>  x *=
    1.0 / e`. There may be several operands: `x = a + x + b  ~>  x += a + b`. The operand must be the location that
    is written, by its own name. Returns the reduction.

    Fails with `NotApplicable` if no operand is an element of the same buffer, and with `Unsafe` if it may be
    another element.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[4], y: f32[4]):
    ...     for i in seq(0, 4):
    ...         x[i] = y[i] * 2.0 + x[i]
    ... ''')
    >>> print(fold_into_reduce.direct(p, "x[_] = _"))
    def foo(x: f32[4] @ DRAM, y: f32[4] @ DRAM):
        for i in seq(0, 4):
            x[i] += y[i] * 2.0

    Refused: the operand is another element than the one that is written.

    >>> q = proc_from_source('''
    ... def foo(x: f32[4]):
    ...     for i in seq(1, 4):
    ...         x[i] = x[i - 1] + 2.0
    ... ''')
    >>> print(fold_into_reduce()(q, q.find("x[_] = _")).failure())
    fold_into_reduce(): not true: the operand is what is written
        def foo(x: f32[4] @ DRAM):
            for i in seq(1, 4):
    -->         x[i] = x[i - 1] + 2.0
    """
    tree, path, node = rw.proc.tree, write.path, write.node
    ways = _as_update(node.rhs, element(declarations(tree)[node.sym]).is_float)
    found = [(op, x, e) for op, x, e in ways if isinstance(x, Read) and x.sym == node.sym]
    applicable(bool(found), f"no operand is the old value of {node.sym}", write)
    what = "the operand is what is written"
    verdicts = [_same_place(tree, path, x.idx, node.idx, what) for _, x, _ in found if isinstance(x, Read)]
    right = next((k for k, v in enumerate(verdicts) if v), 0)
    require(verdicts[right], write)
    op, _, e = found[right]
    rw.replace(path, Reduce(node.sym, node.idx, e, op), ["idx"])
    return path


def _as_update(e: Expr, inverts: bool) -> Iterator[tuple[str, Expr, Expr]]:
    """The ways to see a value as an old one with another accumulated: operator, old value, other. Dividing is
    multiplying where numbers have an inverse."""
    if made := made_by(e):
        op, x, y = made
        yield op, x, y
        yield op, y, x
        yield from ((op, old, combined(op, rest, y)) for o, old, rest in _as_update(x, inverts) if o == op)
        yield from ((op, old, combined(op, x, rest)) for o, old, rest in _as_update(y, inverts) if o == op)
    elif isinstance(e, Binary) and e.op == "-":
        yield "+", e.lhs, Unary("-", e.rhs)
        yield from (("+", old, Binary("-", rest, e.rhs)) for o, old, rest in _as_update(e.lhs, inverts) if o == "+")
    elif isinstance(e, Binary) and e.op == "/" and inverts:
        yield "*", e.lhs, Binary("/", b.data(1.0), e.rhs)
        yield from (("*", old, Binary("/", rest, e.rhs)) for o, old, rest in _as_update(e.lhs, inverts) if o == "*")


def _same_place(tree: ProcDef, path: Path, one: Sequence[Expr], two: Sequence[Expr], what: str) -> safety.Verdict:
    """Whether two lists of indices are equal at `path`."""
    verdicts = [safety.equal_at(tree, path, x, y, what) for x, y in zip(one, two, strict=True)]
    return next((v for v in verdicts if not v), safety.SAFE)


# -- lift_reduce_constant -----------------------------------------------------------------------------


@primitive(
    same_values=True,
    cursors={"values inside": "stay, first copy, replaced, gone"},
    trial=Trial(programs="scaled scaled scaled", at=(("a start and a loop", 95),)),
)
def lift_reduce_constant(rw: Rewrite, block: BlockCursor) -> Where:
    """`x = 0.0; for i: x += c * e  ~>  x = 0.0; for i: x += e; x = c * x`, or
    for a divisor `x = 0.0; for i: x += e / c  ~>  x = 0.0; for i: x += e; x = x / c`.

    Exo's documentation. The target is the block of these two statements. The loop may hold other code and several
    sums into x, at any depth; each of these sums has the factor c, or of floating-point numbers the sign. Nothing else
    in the loop reads or writes x, under any name. The factor uses no variable of the loop, and nothing in the loop
    changes what it reads.

    The new assignment evaluates c even where the loop runs no sum. So at least one sum surely runs, or what c reads
    was surely written before. Returns the new assignment.

    Fails with `NotApplicable` if the block has another form, if the sums have no common factor, or if they are computed
    at another precision than that of x (an integer precision whose values x can hold is allowed); with `Unsafe` if the
    loop may change the factor or does more with x.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32, y: f32[n], a: f32):
    ...     x = 0.0
    ...     for i in seq(0, n):
    ...         x += a * y[i]
    ... ''')
    >>> print(lift_reduce_constant.direct(p, p.body()))
    def foo(n: size, x: f32 @ DRAM, y: f32[n] @ DRAM, a: f32 @ DRAM):
        x = 0.0
        for i in seq(0, n):
            x += y[i]
        x = a * x

    Refused: each product has a factor of its own.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32, y: f32[n], a: f32):
    ...     x = 0.0
    ...     for i in seq(0, n):
    ...         a = y[i]
    ...         x += a * y[i]
    ... ''')
    >>> print(lift_reduce_constant()(q, q.body()).failure())
    lift_reduce_constant(): not true: the code does not change the expression
    one reads a, the other writes a
    for instance with i' = 0, n = 1
        def foo(n: size, x: f32 @ DRAM, y: f32[n] @ DRAM, a: f32 @ DRAM):
    -->     x = 0.0
            for i in seq(0, n):
                a = y[i]
    """
    applicable(len(block) == 2, f"an assignment of zero and the loop after it are needed, not {len(block)}", block)
    tree, span = rw.proc.tree, block.span
    path, what = span.path(1), "the first statement must assign zero, and the second be a loop"
    zero = of_kind(get(tree, span.path(0)), Assign, what, block)
    of_kind(get(tree, path), For, what, block)
    applicable(_is_zero(zero.rhs), what, block)
    sums = _sums(tree, path, zero, block)
    op, c, rest = _common_factor(tree, path, [s.rhs for _, s in sums], block)
    _only_sums(tree, path, zero, [s for _, s in sums], block)
    for held in [_holds(tree, s, block) for _, s in sums]:
        applicable(op != "-" or held.is_float, f"the negative of a sum of {held} may not fit it", block)
        c = converted(c, held, declarations(tree)) if op != "-" else c
    old = Read(zero.sym, zero.idx)
    value: Expr = Unary("-", old) if op == "-" else Binary("*", c, old) if op == "*" else Binary("/", old, c)
    if op != "-" and not any(_surely_runs(tree, path, p) for p, _ in sums):
        here = span_of(path)
        ready(rw, evaluation.has_value(tree, here, c if op == "*" else value), block)
    rw.add_part(path, Assign(zero.sym, zero.idx, value))
    rw.carry((*sums[0][0], ("rhs", None)), (*span_of(path).path(1), ("rhs", None)))
    for (p, _), e in zip(sums, rest, strict=True):
        rw.replace((*p, ("rhs", None)), e)
    well_formed(rw)
    for n in range(1, len(span.parent) + 1):
        stays_race_free(rw, span.parent[:n], new_code=True)
    return span.path(2)


def _is_zero(e: Expr) -> bool:
    return isinstance(e, Const) and isinstance(e.type, Scalar) and e.value == 0


def _sums(tree: ProcDef, path: Path, zero: Assign, block: BlockCursor) -> list[tuple[Path, Reduce]]:
    """The sums in a loop into the place that was set to zero, with their paths."""
    sums = [(p, n) for p, n in walk(get(tree, path), path) if isinstance(n, Reduce) and n.sym == zero.sym]
    applicable(bool(sums), f"the loop does not accumulate into {zero.sym}", block)
    for p, s in sums:
        applicable(s.op == "+", f"a factor comes out of a sum, not out of accumulations by {s.op!r}", block)
        what = "the loop accumulates into what was set to zero"
        require(_same_place(tree, p, s.idx, zero.idx, what), block)
    for e in zero.idx:
        require(safety.unchanged(tree, span_of(path), e), block, "new code")
    return sums


def _common_factor(
    tree: ProcDef, path: Path, values: Sequence[Expr], block: BlockCursor
) -> tuple[str, Expr, Sequence[Expr]]:
    """A factor, divisor or sign of all values that the loop at `path` does not change, which of these it is, and what
    is left of each value."""
    inside = frozenset[Sym](binders(get(tree, path)))
    found: list[tuple[safety.Verdict, tuple[str, Expr, Sequence[Expr]]]] = []
    for op, c, _ in _factors(values[0]):
        rest = [next((r for o, f, r in _factors(v) if (o, f) == (op, c)), None) for v in values]
        left = [r for r in rest if r is not None]
        if len(left) < len(values) or mentions(c) & inside:
            continue
        found.append((safety.unchanged(tree, span_of(path), c), (op, c, left)))
    applicable(bool(found), "the sums have no factor in common that means something outside the loop", block)
    verdict, factor = next((f for f in found if f[0]), found[0])
    require(verdict, block, "new code")
    return factor


def _factors(e: Expr) -> Iterator[tuple[str, Expr, Expr]]:
    """The factors (`*`), divisors (`/`) and signs (`-`, of 1) of a product, each with what is left without it, the
    outermost first."""
    if isinstance(e, Unary) and e.op == "-":
        yield "-", Const(1.0, R), e.arg
    elif isinstance(e, Binary) and e.op == "*":
        yield "*", e.lhs, e.rhs
        yield "*", e.rhs, e.lhs
        yield from ((o, f, Binary("*", r, e.rhs)) for o, f, r in _factors(e.lhs))
        yield from ((o, f, Binary("*", e.lhs, r)) for o, f, r in _factors(e.rhs))
    elif isinstance(e, Binary) and e.op == "/":
        yield "/", e.rhs, e.lhs
        yield from ((o, f, Binary("/", r, e.rhs)) for o, f, r in _factors(e.lhs))


def _only_sums(tree: ProcDef, path: Path, zero: Assign, sums: Sequence[Reduce], block: BlockCursor) -> None:
    """Owed: but for the sums, the loop does not touch the place that was set to zero."""
    written = resolve(accesses(zero)[-1], windows_at(tree, path))
    loop = effects(tree, span_of(path))
    others = [a for a in loop if not (a.kind == "A" and any(a.node is s for s in sums))]
    require(safety.apart(tree, path, written, others, f"the loop does nothing but accumulate into {zero.sym}"), block)


def _surely_runs(tree: ProcDef, outer: Path, path: Path) -> bool:
    """Whether what stands at `path` runs whenever the loop at `outer` around it is reached: no loop is empty."""
    for n in range(len(outer), len(path)):
        scope = get(tree, path[:n])
        if not isinstance(scope, For):
            return False
        if not safety.holds_everywhere(tree, path[:n], Binary("<", scope.lo, scope.hi)):
            return False
    return True
