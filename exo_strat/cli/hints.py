"""What to try after a refusal, said on the command line only: there a strategy begins at the whole procedure."""

from __future__ import annotations

from ..cursors.cursor import ProcCursor
from ..cursors.kinds import ForCursor
from ..cursors.proc import Proc
from ..ops.failure import Failure
from ..ops.strategy import ACTS_ON


def focus_hint(failure: Failure, p: Proc, expression: str) -> str:
    """How to give a strategy the place that it acts on, if it was refused because it began at the whole procedure; else
    nothing.

    >>> from exo_strat import proc_from_source, unroll_loop
    >>> p = proc_from_source("def zero(x: f32[8]):\\n    for i in seq(0, 8):\\n        x[i] = 0.0")
    >>> print(focus_hint(unroll_loop()(p).failure(), p, "unroll_loop()"))
    unroll_loop() was applied to the whole procedure: give it a place, "at('for i in _: _', unroll_loop())"
    """
    reasons = [failure, *(cause for cause, _ in failure.grounds())]
    if not any(_began_at_all(reason, p) for reason in reasons):
        return ""
    loops = [c.name() for c in p.root().descendants() if isinstance(c, ForCursor)]
    pattern = f"for {loops[0] if loops else '_'} in _: _"
    return f'{expression} was applied to the whole procedure: give it a place, "at({pattern!r}, {expression})"'


def _began_at_all(failure: Failure, p: Proc) -> bool:
    """Whether an Op met the procedure as it was given, and acts on something in it."""
    where = failure.place
    return failure.message.startswith(ACTS_ON) and isinstance(where, ProcCursor) and where.proc is p
