"""A primitive of one's own: a loop that runs backwards. docs/new-primitive.md explains it line by line."""

from __future__ import annotations

from exo_strat.cursors.kinds import ForCursor
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.ir import build as b
from exo_strat.logic.forms import is_opaque
from exo_strat.logic.questions import safety
from exo_strat.primitives.framework import Trial, Where, primitive
from exo_strat.primitives.helpers.refusing import applicable, require
from exo_strat.primitives.helpers.scoping import body_span


@primitive(
    cursors={"values inside": "stay, first copy, replaced, gone"},
    again=True,
    trial=Trial(programs="nest independent accumulation"),
)
def run_backwards(rw: Rewrite, loop: ForCursor) -> Where:
    """`for i in (lo, hi): s  ~>  for i in (lo, hi): s[i -> lo + hi - 1 - i]`. Returns the loop.

    Right if no iteration touches what another one writes: then their order does not matter. Fails with `Unsafe` if one
    may, and with `NotApplicable` if a bound reads a config field, which the body may set.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def foo(x: f32[8]):\\n    for i in seq(0, 8):\\n        x[i] = 0.0")
    >>> print(run_backwards.direct(p, "i"))
    def foo(x: f32[8] @ DRAM):
        for i in seq(0, 8):
            x[7 - i] = 0.0
    """
    tree, path, old = rw.proc.tree, loop.path, loop.node
    applicable(not is_opaque(old.lo) and not is_opaque(old.hi), "a bound reads a config field", loop)
    require(safety.parallel(tree, path), loop)
    mirrored = b.sub(b.sub(b.add(old.lo, old.hi), b.ONE), b.var(old.iter))
    rw.substitute_in(body_span(rw, path), old.iter, mirrored)
    return path
