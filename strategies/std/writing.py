"""How strategies are written: for a kind of focus; expressions and names in object code."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, get_args, get_type_hints

from exo_strat import (
    AssignCursor,
    Cursor,
    ExprCursor,
    ForCursor,
    Op,
    Proc,
    ReduceCursor,
    Script,
    fail,
    moves,
    names_at,
    nodes,
)
from exo_strat import strategy as _strategy

INSIDE = moves.body >> moves.nth(0)
"""To the first statement of a loop."""


def strategy(fn: Callable[..., Script]) -> Callable[..., Op]:
    """`exo_strat.strategy`, but where the focus is not of the kind that the function's `c` is declared to be, it fails.

    >>> from exo_strat import proc_from_source, unroll_loop
    >>> @strategy
    ... def unroll(p: Proc, c: ForCursor) -> Script:
    ...     p, c = yield unroll_loop()
    ...     return c
    >>> unroll()(proc_from_source("def foo(x: f32): x = 0.0")).failure().message
    'this acts on a ForCursor, but the focus is a ProcCursor'
    """

    @wraps(fn)
    def script(p: Proc, c: Cursor, *args: Any, **kwargs: Any) -> Script:
        kind = focus_of(fn)
        if not isinstance(c, kind):
            kinds = " or ".join(map(_a, get_args(kind) or (kind,)))
            yield fail(f"this acts on {kinds}, but the focus is {_a(type(c))}")
        return (yield from fn(p, c, *args, **kwargs))

    return _strategy(script)


def _a(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'AEIU' else 'a'} {kind.__name__}"


@cache
def focus_of(fn: Callable[..., Script]) -> Any:
    """The type of a strategy's focus, its second parameter."""
    return get_type_hints(fn)[list(inspect.signature(fn).parameters)[1]]


def text(c: Any) -> str:
    """The object code of an expression, whose cursor is known to be one."""
    assert isinstance(c, ExprCursor)
    return c.text()


def element(s: AssignCursor | ReduceCursor) -> str:
    """What a statement writes, as object code."""
    return f"{_name(s)}[{', '.join(map(text, s.idx()))}]" if s.idx() else _name(s)


def _name(s: AssignCursor | ReduceCursor) -> str:
    return names_at(s.proc.tree)[s.sym]


def counter(loop: ForCursor) -> nodes.Var:
    """A loop's iterator as an expression, whatever else may have its name."""
    return nodes.Var(loop.sym)


def halves(loop: ForCursor) -> tuple[str, str]:
    """Names for the outer and the inner part of a loop that is divided."""
    return f"{loop.name()}o", f"{loop.name()}i"
