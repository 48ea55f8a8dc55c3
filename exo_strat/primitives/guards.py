"""Guards that only keep away what nobody would notice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from ..cursors.kinds import IfCursor
from ..cursors.rewrite import Rewrite
from ..frontend.scope import declarations
from ..ir import build as b
from ..ir.nodes import Assign, Stmt
from ..ir.span import Span
from ..ir.walk import walk
from ..logic.questions import speculation as idle
from .framework import Trial, Where, primitive
from .helpers.arguments import Kind
from .helpers.refusing import applicable, of_kind, require
from .helpers.scoping import no_new_races, ready
from .helpers.wellformed import well_formed_at

__all__ = ["drop_guard"]


@primitive(
    same_values=True,
    cursors={"target": "stay, gone", "values inside": "stay, first copy, gone"},
    trial=Trial(programs="lanes lanes lanes temporary"),
)
def drop_guard(
    rw: Rewrite,
    guard: IfCursor,
    fill: Annotated[float | None, Kind("a number, or none", (None, 0.0, None, 2.0))] = None,
) -> Where:
    """`if e: s  ~>  s`, where nobody reads what s does while e is false.

    With a number `fill`, `if e: x = a  ~>  if e: x = a else: x = fill`. So the lanes that are left over are
    computed like the others, and loaded as zeros. Beyond the paper. Returns s, or with `fill` the `if`.

    Right if four things hold while e is false. The code s (or the new assignment) writes only to buffers that are
    allocated in the procedure, and there only elements that no code reads as long as the buffer lives. What it
    reads of such buffers was surely written before. It is in bounds and surely runs to its end, with floating-point
    numbers only. Iterations of a parallel loop do not share what it writes.

    Fails with `NotApplicable` if there is an else branch, or if s is to be filled in and is not one assignment;
    with `Unsafe` if one of the four does not hold.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     assert n <= 8
    ...     a: f32[8]
    ...     for i in seq(0, 8):
    ...         if i < n:
    ...             a[i] = x[i]
    ...     for i in seq(0, n):
    ...         x[i] = a[i] + 1.0
    ... ''')
    >>> print(drop_guard.direct(p, "if _: _", 0.0))
    def foo(n: size, x: f32[n] @ DRAM):
        assert n <= 8
        a: f32[8] @ DRAM
        for i in seq(0, 8):
            if i < n:
                a[i] = x[i]
            else:
                a[i] = 0.0
        for i in seq(0, n):
            x[i] = a[i] + 1.0

    Nobody reads what the lanes that are left over compute, so a guard around that may go:

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     assert n <= 8
    ...     a: f32[8]
    ...     for i in seq(0, 8):
    ...         if i < n:
    ...             a[i] = 2.0
    ...     for i in seq(0, n):
    ...         x[i] = a[i]
    ... ''')
    >>> print(drop_guard.direct(q, "if _: _"))
    def foo(n: size, x: f32[n] @ DRAM):
        assert n <= 8
        a: f32[8] @ DRAM
        for i in seq(0, 8):
            a[i] = 2.0
        for i in seq(0, n):
            x[i] = a[i]

    Refused: `x` is an argument: the caller would see that all of it is 0.0.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         if i < 8:
    ...             x[i] = 0.0
    ... ''')
    >>> print(drop_guard()(q, q.find("if _: _")).failure())
    drop_guard(): not provable: only local buffers are written where the condition is false
    it writes x[i]
        def foo(n: size, x: f32[n] @ DRAM):
            for i in seq(0, n):
    -->         if i < 8:
                    x[i] = 0.0
    """
    tree, path = rw.proc.tree, guard.path
    cond = guard.node
    applicable(not cond.orelse, "the `if` must have no else branch", guard)
    added: Sequence[Stmt] = cond.body
    if fill is not None:
        first = cond.body[0]
        what = "there must be one assignment to fill in"
        applicable(len(cond.body) == 1, what, guard)
        first = of_kind(first, Assign, what, guard)
        added = [Assign(first.sym, first.idx, b.data(fill))]
    new = rw.unwrap(path) if fill is None else Span(path, "orelse", 0, 1)
    if fill is not None:
        rw.insert(new._replace(hi=0), *added)
    statements = [new.path(k) for k in range(len(added))]
    for at, n in (found for p in statements for found in walk(rw.node(p), p)):
        if isinstance(n, Stmt):
            well_formed_at(rw, at)
    require(idle.may_idle(tree, path, added, declarations(tree)), guard, "new code")
    ready(rw, idle.idle_needs(tree, path, added), guard, "new code")
    for at in statements:
        no_new_races(rw, at)
    return new if fill is None else path
