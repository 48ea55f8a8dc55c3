"""Arrays of list comprehensions: `np.array([f(x[i]) for i in range(n)])`, `sum(v * v for v in x)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..control import number, of
from ..report import stop
from .context import Context
from .elementwise import array, as_type
from .expressions import value
from .program import Frame
from .source import place
from .storing import assign
from .values import Along, Array, Member, Value, of_view

LISTED = ("array", "asarray", "sum", "mean", "max", "min", "prod", "any", "all", "std", "var")
"""Functions of NumPy that make an array of a list."""
ADDED = ("builtins.sum", "builtins.max", "builtins.min")
"""Functions of Python that are the same of a list and of an array of NumPy's numbers."""


def arguments(ctx: Context, f: Value, args: Sequence[ast.expr]) -> list[Value]:
    """The first argument of a call, if it is a comprehension that the function makes an array of."""
    path = f.path if isinstance(f, Member) and f.of is None else ""
    match args:
        case [ast.ListComp() as e, *_] if path.partition(".")[0] == "numpy" and path.partition(".")[2] in LISTED:
            return [comprehended(ctx, e)]
        case [ast.ListComp() | ast.GeneratorExp() as e] if path in ADDED:
            found = comprehended(ctx, e, weak=True)
            if found.kind.weak or found.ndim != 1:
                raise stop(place(e), path.partition(".")[2], "it is of Python's numbers, or of arrays", "write a loop")
            return [found]
        case _:
            return []


def comprehended(ctx: Context, e: ast.ListComp | ast.GeneratorExp, weak: bool = False) -> Array:
    """The elements of a comprehension side by side. With `weak`, Python's numbers stay such. Its variables are its own:
    those of the same names around it stay as they are, also where they are kept."""
    before, slots = dict(ctx.env), ctx.slots[-1]
    own = {n.id for g in e.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    ctx.slots[-1] = {n: v for n, v in slots.items() if n not in own}
    try:
        return _filled(ctx, e, weak)
    finally:
        ctx.slots[-1] = slots
        ctx.env.clear()
        ctx.env.update(before)


def _filled(ctx: Context, e: ast.ListComp | ast.GeneratorExp, weak: bool) -> Array:
    from .loops import iterated

    if len(e.generators) != 1 or e.generators[0].ifs or e.generators[0].is_async:
        raise stop(place(e), "a comprehension", "it has an `if`, or several `for`", "write loops")
    g = e.generators[0]
    loop = ast.copy_location(ast.For(g.target, g.iter, [], []), e)
    (lo, hi, step), start, name = iterated(ctx, loop, g.iter, g.target.id if isinstance(g.target, ast.Name) else "")
    if step < 0:
        raise stop(place(e), "a comprehension", "it counts downwards", "count upwards")
    f = Frame(ctx.symbol(name), lo, hi, step)
    i = of(f.symbol)

    def element() -> Array:
        start(i)
        inner = comprehended(ctx, e.elt) if isinstance(e.elt, ast.ListComp) else array(ctx, value(ctx, e.elt))
        ctx.place = place(e)
        return inner

    with ctx.trial(asserted=ctx.trials > 0), ctx.loop(f):
        one = element()
    if any(f.symbol in x.symbols() for x in one.shape):
        raise stop(place(e), "a comprehension", "its items have several shapes", "write loops")
    count = (hi - lo + (step - 1)).over(step)
    kind = one.kind if weak else one.kind.strong
    out = ctx.buffer("t", kind, (count, *one.shape))
    here = (Along((i - lo).over(step)), *(Along(number(0), k) for k in range(one.ndim)))
    with ctx.loop(f):
        v = element()
        assign(ctx, out.after(here, v.shape), as_type(ctx, v, kind))
    return of_view(out)
