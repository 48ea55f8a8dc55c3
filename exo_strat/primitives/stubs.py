"""Statements that do nothing: `pass`, and calls such as a prefetch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from ..cursors.cursor import GapCursor, NodeCursor, ProcCursor
from ..cursors.proc import Proc
from ..cursors.rewrite import Rewrite
from ..frontend.parser import parse_call
from ..frontend.scope import scope_at, types_at
from ..ir.nodes import Call, Expr, Pass, Read, WindowExpr
from ..ir.precisions import concrete, element
from ..ir.printing import names_at, print_expr
from ..ir.span import Span
from ..ir.walk import Path, get, get_as, statements
from ..logic.questions import Clash, evaluation, if_reached, safety, show
from ..ops.failure import BadArgument, unsafe
from .framework import Trial, Where, primitive
from .helpers.arguments import Kind
from .helpers.references import in_scope_at, node_now
from .helpers.refusing import argument, refuse, require
from .helpers.scoping import ready, rest_of_block, stays_race_free
from .helpers.wellformed import call_error

__all__ = ["delete_pass", "insert_noop_call", "insert_pass"]


@primitive(same_values=True, by_form=True, trial=Trial(chains="seldom"))
def insert_pass(rw: Rewrite, gap: GapCursor) -> Where:
    """`s1; s2  ~>  s1; pass; s2`. Exo's documentation. Returns the `pass`. Never fails.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32):
    ...     x = 1.0
    ... ''')
    >>> print(insert_pass.direct(p, p.body()[0].before()))
    def foo(x: f32 @ DRAM):
        pass
        x = 1.0
    """
    rw.insert(gap.span, Pass())
    return gap.span.path()


@primitive(
    same_values=True,
    cursors={"elsewhere": "stay, gone"},
    by_form=True,
    total=True,
    again=True,
    trial=Trial(after=(("insert_pass", 80), ("insert_pass", 50)), chains="seldom"),
)
def delete_pass(rw: Rewrite, root: ProcCursor) -> Where:
    """Deletes every `pass` that no block needs: a loop or branch keeps one if it has nothing else.

    An else branch that does nothing goes. Exo's documentation. Returns the procedure. Never fails.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32):
    ...     pass
    ...     x = 1.0
    ... ''')
    >>> print(delete_pass.direct(p))
    def foo(x: f32 @ DRAM):
        x = 1.0
    """
    tree = rw.proc.tree
    found = [path for path, n in statements(tree) if isinstance(n, Pass)]
    for path in reversed(found):  # from the end, so that those still to go keep their places
        parent, (label, k) = path[:-1], path[-1]
        assert k is not None
        first = (*parent, (label, 0))
        if label == "body" and path == first and all(isinstance(s, Pass) for s in getattr(get(tree, parent), label)):
            continue
        rw.delete(Span(parent, label, k, k + 1))
    return ()


@primitive(same_values=True)
def insert_noop_call(
    rw: Rewrite,
    gap: GapCursor,
    instr: Annotated[Proc, Kind("what changes nothing")],
    args: Annotated[Sequence[str | int | NodeCursor], Kind("arguments of a call")],
) -> Where:
    """`s1; s2  ~>  s1; foo(args); s2`, for a procedure or instruction that changes nothing, such as a prefetch.

    Here `args` are object code, numbers or cursors, one for each argument of the callee. The callee must not write
    an argument or config field, and must surely run to its end. What it asserts is proved, and windows must lie in
    their buffers. Exo's documentation. Returns the call.

    Fails with `BadArgument` if the arguments do not fit, and with `Unsafe` if one of the other conditions does not
    hold.

    >>> from exo_strat import proc_from_source
    >>> prefetch = proc_from_source('''
    ... @instr("__builtin_prefetch(&{x_data});")
    ... def prefetch(x: [f32][1]):
    ...     pass
    ... ''')
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 2.0 * x[i]
    ... ''')
    >>> print(insert_noop_call.direct(p, p.find("x[_] = _").before(), prefetch, ["x[i:i + 1]"]))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            prefetch(x[i:i + 1])
            x[i] = 2.0 * x[i]

    Refused: the call would write `x`.

    >>> zero = proc_from_source('''
    ... def zero(y: f32[8]):
    ...     y[0] = 0.0
    ... ''')
    >>> q = proc_from_source('''
    ... def foo(x: f32[8]):
    ...     x[1] = 2.0
    ... ''')
    >>> print(insert_noop_call(zero, ["x"])(q, q.find("x[_] = _").after()).failure())
    insert_noop_call(zero, ('x',)): not provable: zero changes nothing
    it writes x in a call of zero
        def foo(x: f32[8] @ DRAM):
    -->     x[1] = 2.0
    """
    path = gap.span.path()
    rw.insert(gap.span, Pass())
    texts = [_text(rw, a, path) for a in args]
    n = len(instr.tree.args)
    argument(len(texts) == n, f"{instr.name()} takes {n} arguments, not {len(texts)}")
    call, types = parse_call(instr, texts, scope_at(rw.tree, path)), types_at(rw.tree, path)
    for formal, actual in zip(instr.tree.args, call.args, strict=True):
        if isinstance(actual, Read | WindowExpr):
            want, own = element(formal.type), element(types[actual.sym])
            what = f"{formal.sym} of {instr.name()} is {want}, {actual.sym} is {own}"
            argument(concrete(want) == concrete(own), what)
    rw.replace(path, call)
    _does_nothing(rw, path, instr)
    for k in range(1, len(gap.span.parent) + 1):
        stays_race_free(rw, gap.span.parent[:k], new_code=True)
    return path


def _text(rw: Rewrite, a: str | int | NodeCursor, path: Path) -> str:
    """An argument of the call at `path` as object code."""
    if not isinstance(a, NodeCursor):
        argument(isinstance(a, str | int), f"an argument is object code, a number or a cursor, not {a!r}")
        return str(a)
    node = node_now(rw, a)
    if not isinstance(node, Expr):
        refuse(BadArgument(f"{a} is no expression"))
    in_scope_at(rw, node, path, a)
    return print_expr(node, names_at(rw.tree))


def _does_nothing(rw: Rewrite, path: Path, instr: Proc) -> None:
    """Owed of the call at `path` of the new tree: it may stand here, what it evaluates has a value, it changes nothing
    and surely ends."""
    tree, call = rw.tree, get_as(rw.tree, path, Call)
    label, k = path[-1]
    assert k is not None
    written = next((a for a in safety.effects(tree, Span(path[:-1], label, k, k + 1)) if a.writes), None)
    if written is not None:
        refuse(unsafe(f"{instr.name()} changes nothing", details=f"it {show(tree, written)}"))
    error = call_error(tree, path, call)
    if error is not None:
        require(if_reached(tree, path, Clash(error.message, error.counterexample)))
    here = rest_of_block(rw.proc.tree, path)
    ready(rw, evaluation.has_value(rw.proc.tree, here, call), about="new code")
    ready(rw, evaluation.runs(rw.proc.tree, here, call))
