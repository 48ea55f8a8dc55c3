"""Values that are chosen by a condition: `a if c else b`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyrsistent import pvector

from ..cursors.kinds import IfCursor, SelectCursor
from ..cursors.rewrite import Rewrite
from ..frontend.precisions import precision_at
from ..frontend.scope import types_at
from ..ir import build as b
from ..ir.externs import bitand, bitor, bitxor, fmax, fmin, select, shr
from ..ir.names import Sym
from ..ir.nodes import Assign, Binary, Const, Expr, ExternCall, Node, Read, Reduce, Select, Unary
from ..ir.precisions import BITS, concrete, converted, element, includes, precision
from ..ir.reductions import NEUTRAL
from ..ir.span import Span, span_of
from ..ir.types import Scalar, Type, f64
from ..ir.walk import LOGICAL, Path, is_control, walk
from ..logic.questions import evaluation, safety
from ..ops.failure import NotApplicable
from .framework import Trial, Where, primitive
from .helpers.refusing import applicable, of_kind, refuse, require
from .helpers.scoping import no_new_races, ready
from .helpers.wellformed import well_formed_at

__all__ = ["evaluate_both"]


@primitive(
    same_values=True,
    cursors={
        "target": "replaced, gone",
        "inside": "stay, gone",
        "values inside": "stay, first copy, gone",
    },
    trial=Trial(programs="choices choices choices neighbours", at=(("a choice by data", 90),)),
)
def evaluate_both(rw: Rewrite, e: SelectCursor | IfCursor) -> Where:
    """`a if x < y else b  ~>  select(x, y, a, b)`: both sides are evaluated, whatever the condition says.

    So is an `if` that holds one statement, and in its else branch another one like it, or nothing: `if x < y: s += a
    ~>  s += select(x, y, a, 0.0)`, and `*` with `1.0`; `if x < y: z = a  ~>  z = select(x, y, a, z)`, and so `z =
    max(z, a)  ~>  z = max(z, select(x, y, a, z))`; `if x < y: z = a else: z = b  ~>  z = select(x, y, a, b)`. More
    statements are put into an `if` of their own first (`fission`).

    Vector instructions choose between two values that are both there. The condition compares data; `>` exchanges its
    operands, `>=` and `<=` exchange a and b, and `==`, `!=`, `not`, `and` and `or` make a call within a call. It is
    numbers that are compared: with a NaN, which is none, `<=` and `>=` choose the other side than in C. Returns the
    call, or the statement.

    Fails with `NotApplicable` if the condition asks for control values, if what is compared has another precision than
    the sides, if an `if` has another form, or if integers are computed, which may overflow where they are not wanted;
    with `Unsafe` if a side may divide by zero, or read what was never written or lies out of bounds, where it is not
    chosen, or if another iteration of a parallel loop may write what it reads.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n], s: f32):
    ...     for i in seq(0, n):
    ...         y[i] = x[i] if x[i] > 0.0 else 2.0 * x[i]
    ...         if x[i] < 1.0:
    ...             s += x[i]
    ... ''')
    >>> p = evaluate_both.direct(p, "_ if _ else _")
    >>> print(evaluate_both.direct(p, "if _: _"))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM, s: f32 @ DRAM):
        for i in seq(0, n):
            y[i] = select(0.0, x[i], x[i], 2.0 * x[i])
            s += select(x[i], 1.0, x[i], 0.0)

    Refused: where `x[i]` is 0, nothing is divided by it.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = y[i] / x[i] if x[i] != 0.0 else 0.0
    ... ''')
    >>> print(evaluate_both()(q, q.find("_ if _ else _")).failure())
    evaluate_both(): not provable: the expression surely has a value: it does not divide by zero
        def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
            for i in seq(0, n):
    -->         y[i] = y[i] / x[i] if x[i] != 0.0 else 0.0
    """
    stmt = _statement(e)
    if isinstance(e, IfCursor):
        _without_branch(rw, e)
    else:
        rw.replace(e.path, _evaluated(rw, e, e.node, concrete(precision_at(rw.proc.tree, e.path))))
    well_formed_at(rw, stmt)
    no_new_races(rw, e.path)
    return e.path


def _statement(e: SelectCursor | IfCursor) -> Path:
    """The statement that chooses."""
    return e.path if isinstance(e, IfCursor) else e.stmt().path


def _evaluated(rw: Rewrite, e: SelectCursor | IfCursor, node: Select, held: Scalar) -> Expr:
    """The call that chooses as a node does at a precision. Owed: both sides have a value, and no integer in them can
    overflow."""
    tree, types = rw.proc.tree, types_at(rw.proc.tree, e.path)
    applicable(_compares_data(node.cond), "the condition asks for control values: `select` compares data", e)
    for c in _comparisons(node.cond):
        applicable(_is_at(c, held, types), f"a comparison is not at {held}, as the value is", e)
    computed = [(n, precision(n, types) or held) for _, n in walk(node) if _is_operation(n)]
    safe = all(t.is_float or _fits(n, t, types) for n, t in computed)
    applicable(safe, "integers may overflow where they are not wanted", e)
    value = _both(node.cond, node.then, node.other)
    ready(rw, evaluation.no_more(tree, _statement(e), (node,), value), e)
    return value


def _without_branch(rw: Rewrite, branch: IfCursor) -> None:
    """A statement in place of an `if` around it, and of one like it in the else branch."""
    tree, path, node = rw.proc.tree, branch.path, branch.node
    first, *more = node.body
    applicable(not more and len(node.orelse) < 2, "an `if` that holds one statement is needed: `fission` it", branch)
    if not isinstance(first, Assign | Reduce):
        refuse(NotApplicable("the `if` must hold an assignment or a reduction", place=branch))
    types, place = types_at(tree, path), Read(first.sym, first.idx)
    if node.orelse:
        what = "the else branch must write the same place in the same way"
        second = of_kind(node.orelse[0], type(first), what, branch)
        alike = second.sym == first.sym and getattr(second, "op", "=") == getattr(first, "op", "=")
        applicable(alike, what, branch)
        for x, y in zip(first.idx, second.idx, strict=True):
            require(safety.equal_at(tree, path, x, y, "both branches write one place"), branch)
        other = second.rhs
    elif isinstance(first, Reduce) and first.op in NEUTRAL:
        other = b.data(NEUTRAL[first.op])
    else:  # for a minimum or maximum no number is neutral, but what is there is
        other = place
    stored = element(types[first.sym])
    own = {concrete(t) for side in (first.rhs, other) if (t := precision(side, types)) is not None}
    sides = [converted(side, stored, types) if len(own) > 1 else side for side in (first.rhs, other)]
    held = own.pop() if len(own) == 1 else concrete(stored)
    value = _evaluated(rw, branch, Select(node.cond, *sides), held)
    if isinstance(first, Reduce) or not node.orelse:
        ready(rw, evaluation.has_value(tree, span_of(path), place), branch)
    chosen: Path = (*path, ("body", 0), ("rhs", None))
    rw.replace(chosen, value)
    rw.carry((*path, ("cond", None)), chosen)
    if node.orelse:
        rw.carry((*path, ("orelse", 0)), chosen)
        rw.delete(Span(path, "orelse", 0, 1))
    rw.unwrap(path)


def _compares_data(c: Expr) -> bool:
    """Whether a condition is made of comparisons of data only."""
    match c:
        case Unary(arg=a):
            return _compares_data(a)
        case Binary(op=op, lhs=a, rhs=b) if op in LOGICAL:
            return _compares_data(a) and _compares_data(b)
        case Binary(lhs=a):
            return not is_control(a)
        case _:
            return False


def _comparisons(c: Expr) -> Iterator[Expr]:
    """The comparisons that a condition is made of."""
    if isinstance(c, Unary):
        yield from _comparisons(c.arg)
    elif isinstance(c, Binary) and c.op in LOGICAL:
        yield from _comparisons(c.lhs)
        yield from _comparisons(c.rhs)
    else:
        yield c


def _is_at(c: Expr, held: Scalar, types: Mapping[Sym, Type]) -> bool:
    """Whether a comparison is at a precision. Literals among themselves are compared as they are, so at one that holds
    them."""
    own = precision(c, types)
    if own is not None:
        return concrete(own) == held
    most = 1 << BITS.get(held.name, BITS["f64"])
    whole = (float(n.value).is_integer() and abs(n.value) <= most for _, n in walk(c) if isinstance(n, Const))
    return held == f64 or all(whole)


def _is_operation(n: Node) -> bool:
    """Whether a part of a value is an operation on data."""
    return isinstance(n, Binary | Unary | ExternCall) and not is_control(n)


def _fits(n: Node, t: Scalar, types: Mapping[Sym, Type]) -> bool:
    """Whether an operation comes to an integer of a precision, whatever numbers of theirs its operands are."""
    if not isinstance(n, ExternCall):
        return False
    if not n.f.converts:
        return n.f in (select, fmax, fmin, bitand, bitor, bitxor, shr)
    own = None if is_control(n.args[0]) else precision(n.args[0], types)
    return own is not None and includes(t, concrete(own))


def _both(c: Expr, a: Expr, b: Expr) -> Expr:
    """`a if c else b` by calls of `select`."""
    match c:
        case Unary(arg=d):
            return _both(d, b, a)
        case Binary(op="and", lhs=one, rhs=two):
            return _both(one, _both(two, a, b), b)
        case Binary(op="or", lhs=one, rhs=two):
            return _both(one, a, _both(two, a, b))
        case Binary(op="<", lhs=x, rhs=y):
            return ExternCall(select, pvector((x, y, a, b)))
        case Binary(op=">", lhs=x, rhs=y):
            return ExternCall(select, pvector((y, x, a, b)))
        case Binary(op=">=", lhs=x, rhs=y):
            return ExternCall(select, pvector((x, y, b, a)))
        case Binary(op="<=", lhs=x, rhs=y):
            return ExternCall(select, pvector((y, x, b, a)))
        case Binary(op="==", lhs=x, rhs=y):
            return ExternCall(select, pvector((x, y, b, ExternCall(select, pvector((y, x, b, a))))))
        case Binary(op="!=", lhs=x, rhs=y):
            return ExternCall(select, pvector((x, y, a, ExternCall(select, pvector((y, x, a, b))))))
        case _:
            raise TypeError(f"{c} is no condition on data")
