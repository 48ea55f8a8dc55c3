"""Values that are chosen by a condition: `a if c else b`."""

from __future__ import annotations

from collections.abc import Iterator

from pyrsistent import pvector

from ..cursors.kinds import SelectCursor
from ..cursors.rewrite import Rewrite
from ..frontend.precisions import precision_at
from ..frontend.scope import types_at
from ..ir.externs import select
from ..ir.nodes import Binary, Expr, ExternCall, Node, Unary
from ..ir.precisions import concrete, precision
from ..ir.types import f32
from ..ir.walk import LOGICAL, is_control, walk
from ..logic.questions import evaluation
from .framework import Trial, Where, primitive
from .helpers.refusing import applicable
from .helpers.scoping import no_new_races, ready
from .helpers.wellformed import well_formed_at

__all__ = ["evaluate_both"]


@primitive(
    same_values=True,
    cursors={"target": "replaced", "values inside": "stay, first copy, gone"},
    trial=Trial(programs="choices choices choices neighbours", at=(("a choice by data", 90),)),
)
def evaluate_both(rw: Rewrite, e: SelectCursor) -> Where:
    """`a if x < y else b  ~>  select(x, y, a, b)`: both sides are evaluated, whatever the condition says.

    Vector instructions choose between two values that are both there. The condition compares data; `>` exchanges its
    operands, `>=` and `<=` exchange a and b, and `==`, `!=`, `not`, `and` and `or` make a call within a call. It is
    numbers that are compared: with a NaN, which is none, `<=` and `>=` choose the other side than in C. Returns the
    call.

    Fails with `NotApplicable` if the condition asks for control values, if what is compared has another precision than
    the sides, or if integers are computed, which may overflow where they are not wanted; with `Unsafe` if a side may
    divide by zero, or read what was never written, where it is not chosen, or if another iteration of a parallel loop
    may write what it reads.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = x[i] if x[i] > 0.0 else 2.0 * x[i]
    ... ''')
    >>> print(evaluate_both.direct(p, "_ if _ else _"))
    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
        for i in seq(0, n):
            y[i] = select(0.0, x[i], x[i], 2.0 * x[i])

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
    tree, node = rw.proc.tree, e.node
    applicable(_compares_data(node.cond), "the condition asks for control values: `select` compares data", e)
    held = concrete(precision_at(tree, e.path))
    types = types_at(tree, e.path)
    for c in _comparisons(node.cond):
        applicable(concrete(precision(c, types) or f32) == held, f"a comparison is not at {held}, as the value is", e)
    computed = (precision(n, types) or held for _, n in walk(node) if _is_operation(n))
    applicable(all(t.is_float for t in computed), "integers may overflow where they are not wanted", e)
    value = _both(node.cond, node.then, node.other)
    ready(rw, evaluation.no_more(tree, e.stmt().path, (node,), value), e)
    rw.replace(e.path, value)
    well_formed_at(rw, e.stmt().path)
    no_new_races(rw, e.path)
    return e.path


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


def _is_operation(n: Node) -> bool:
    """Whether a part of a value is an operation on data."""
    return isinstance(n, Binary | Unary | ExternCall) and not is_control(n)


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
