"""Functions computed by object code, up to a small error."""

from __future__ import annotations

from typing import Annotated

from pyrsistent import pvector

from ..cursors.kinds import ExternCursor
from ..cursors.proc import Proc
from ..cursors.rewrite import Rewrite
from ..frontend.precisions import precision_at
from ..frontend.scope import declarations
from ..ir.cells import written_args
from ..ir.externs import ExternFn
from ..ir.memory import DRAM
from ..ir.nodes import Alloc, Call, Read, ReadConfig, WriteConfig
from ..ir.precisions import concrete, precision
from ..ir.span import Span, span_of
from ..ir.types import Scalar
from ..ir.walk import children, walk
from ..logic.questions import evaluation, safety
from .framework import Trial, Where, primitive
from .helpers.arguments import Kind
from .helpers.refusing import MAYBE_SKIPPED, applicable, argument

__all__ = ["approximate"]


@primitive(
    cursors={"target": "replaced"},
    by_form=True,
    trial=Trial(programs="sums", at=(("a call of a function", 85),), chains="seldom"),
)
def approximate(rw: Rewrite, e: ExternCursor, by: Annotated[Proc, Kind("what computes a function")]) -> Where:
    """`s[f(e1, e2)]  ~>  t: T; by(e1, e2, t); s[t]`, for an extern function f. Returns the call. Beyond the paper.

    `by` is a procedure that takes as many numbers as f, of the precision of these, and sets one more, its last
    argument. That it comes near f is not proved: how near is the affair of whoever wrote it, as with the C function
    that f stands for otherwise. So the result is not interchangeable with the original (`call_eqv`). Where f has a
    value, `by` may have none, if it calls functions that have none for some numbers. All else that could go wrong is
    looked at here: `by` changes nothing but its last argument, and that in any case; it reads nothing that it did not
    write or was handed, calls no procedure and asserts nothing.

    Fails with `BadArgument` if `by` is no such procedure; with `NotApplicable` on conversions, on a call that may be
    skipped (the second part of an `and` or `or`, a side of `a if c else b`), and on other precisions.

    >>> from exo_strat import proc_from_source
    >>> near = proc_from_source('''
    ... def near_sin(x: f32, y: f32):
    ...     y = x - x * x * x / 6.0
    ... ''')
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 2.0 * sin(x[i])
    ... ''')
    >>> print(approximate.direct(p, "sin(_)", near))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            t: f32 @ DRAM
            near_sin(x[i], t)
            x[i] = 2.0 * t

    Refused: the procedure is one for other numbers.

    >>> q = proc_from_source('''
    ... def foo(x: f64):
    ...     x = sin(x)
    ... ''')
    >>> print(approximate(near)(q, q.find("sin(_)")).failure())
    approximate(near_sin): near_sin computes with f32, and this is f64
        def foo(x: f64 @ DRAM):
    -->     x = sin(x)
    """
    tree, call, stmt = rw.proc.tree, e.node, e.stmt().path
    applicable(call.f.result is None, "a conversion is no function", e)
    applicable(not evaluation.maybe_skipped(tree, stmt, e.path), MAYBE_SKIPPED, e)
    held = _check(by, call.f)
    types, at = declarations(tree), precision_at(tree, e.path)
    for given in [at, *(precision(a, types) for a in call.args)]:
        fits = given is None or concrete(given) == held
        applicable(fits, f"{by.name()} computes with {held}, and this is {given}", e)
    of_literals = call.f.sized and precision(call, types) is None
    applicable(not of_literals, f"{by.name()} computes with {held}, and literals alone are shifted as at 64 bits", e)
    t = rw.fresh("t")
    made = Call(by, pvector([*call.args, Read(t, pvector())]))
    rw.add_part(stmt, Alloc(t, held, DRAM), made, before=True)
    here = span_of(stmt).path(1)
    for step, _ in children(call):
        rw.carry((*rw.now(e.path), step), (*here, step))
    rw.replace(rw.now(e.path), Read(t, pvector()))
    return here


def _check(by: Proc, f: ExternFn) -> Scalar:
    """Owed by what takes the place of a function; returns its precision."""
    tree, name = by.tree, by.name()
    count = len(tree.args)
    argument(count == f.arity + 1, f"{name} takes {count} arguments: {f.arity} and a result are needed")
    held = {concrete(a.type) for a in tree.args if isinstance(a.type, Scalar)}
    alike = len(held) == 1 and all(isinstance(a.type, Scalar) for a in tree.args)
    argument(alike, f"the arguments of {name} are to be numbers of one precision")
    out, body = tree.args[-1].sym, Span((), "body", 0, len(tree.body))
    argument(written_args(tree) == {out}, f"{name} is to write its last argument and no other")
    outside = any(isinstance(n, Call | ReadConfig | WriteConfig) for _, n in walk(tree))
    argument(not outside and not tree.preds, f"{name} is to call no procedure, use no config field and assert nothing")
    argument(bool(safety.fully_written(tree, body, out, ())), f"{name} may leave its last argument as it was")
    argument(bool(safety.covered(tree, body, out)), f"{name} may read its last argument before it writes it")
    argument(evaluation.reads_own(tree), f"{name} may read a buffer before it is written")
    return held.pop()
