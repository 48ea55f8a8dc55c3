"""Two nested loops as one, whose sizes need not be known."""

from __future__ import annotations

from ..cursors.kinds import ForCursor
from ..cursors.rewrite import Rewrite
from ..ir import build as b
from ..ir.cells import has_cells
from ..ir.nodes import Binary, Expr
from ..ir.walk import mentions, subst
from ..logic.forms import is_opaque, lin
from ..logic.questions import safety, to_expr
from .framework import Trial, Where, primitive
from .helpers.arguments import NewName
from .helpers.references import name_arg
from .helpers.refusing import applicable, of_kind, require
from .helpers.scoping import into_one, known_count, loop_at, nest, start_stays

__all__ = ["collapse_loops"]


@primitive(
    same_values=True,
    cursors={"inside": "stay, gone", "values inside": "stay, first copy, replaced, gone, lost"},
    trial=Trial(programs="rectangle rectangle nest counted drifting", at=(("a nest", 70),)),
)
def collapse_loops(rw: Rewrite, loop: ForCursor, name: NewName) -> Where:
    """`for i in (lo, hi): for j in (l, l+m): s  ~>  for k in (0, (hi-lo)*m): s[i -> lo + k/m, j -> l + k%m]`.

    The target is the outer loop. The inner loop is all of its body. It runs m times in each iteration of the outer one,
    where m is a literal or made of control arguments, and at least 1 for all arguments that meet the assertions; l may
    depend on i. The new loop is parallel if both were. Returns the new loop.

    Fails with `NotApplicable` if the loops do not have this form, and with `Unsafe` if the inner loop may be empty or
    run a different number of times, or if lo or l reads a config field that the body may change.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, m]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, m):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(collapse_loops.direct(p, "i j", "k"))
    def foo(n: size, m: size, x: f32[n, m] @ DRAM):
        for k in seq(0, n * m):
            x[k / m, k % m] = 0.0

    Refused: the rows of a triangle have different lengths.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, i + 1):
    ...             x[i, j] = 0.0
    ... ''')
    >>> print(collapse_loops("k")(q, q.find_loop("i")).failure())
    collapse_loops('k'): not true: the inner loop runs as often in each iteration as in the first
    for instance with i = 1, n = 2
        def foo(n: size, x: f32[n, n] @ DRAM):
    -->     for i in seq(0, n):
                for j in seq(0, i + 1):
                    x[i, j] = 0.0
    """
    path = loop.path
    nest(loop_at(rw.proc.tree, path))
    inner = of_kind(loop.body()[0], ForCursor, "the loop's body must be a loop")
    count = _count(rw, loop, inner)
    start_stays(rw, loop)
    start_stays(rw, inner)
    into_one(rw, path, rw.fresh(name_arg(name)), count)
    return path


def _count(rw: Rewrite, loop: ForCursor, inner: ForCursor) -> Expr:
    """How often the inner one of two nested loops runs in each iteration of the outer one. That is at least 1 also
    where the outer one is empty: a product of two negative numbers is none."""
    tree = rw.proc.tree
    old, nested = loop_at(tree, loop.path), loop_at(tree, inner.path)
    number = known_count(tree, inner.path)
    if number is None:
        what = "how often the inner loop runs depends on data or on a config field"
        applicable(not any(map(is_opaque, (nested.lo, nested.hi))), what, loop)
        count = to_expr(lin(nested.hi) - lin(nested.lo))
        applicable(not has_cells(count), what, loop)
        if old.iter in mentions(count):
            applicable(not is_opaque(old.lo), "the outer loop starts where data or a config field says", loop)
            first = subst(count, {old.iter: old.lo})
            what = "the inner loop runs as often in each iteration as in the first"
            require(safety.holds(tree, inner.path, Binary("==", count, first), what), loop)
            count = first
    else:
        count = b.num(number)
    require(safety.holds(tree, loop.path, Binary("<=", b.ONE, count), "the inner loop runs at least once"), loop)
    return count
