"""What to try after a refusal, said on the command line only: there a strategy begins at the whole procedure."""

from __future__ import annotations

import re
import shlex

from ..cursors.cursor import ProcCursor
from ..cursors.kinds import ForCursor, kind_name
from ..cursors.proc import Proc
from ..ops.failure import Failure
from ..ops.strategy import ACTS_ON, Op


def focus_hint(failure: Failure, p: Proc, op: Op, prefix: str = "") -> str:
    """How to give a strategy the loop that it acts on, if it was refused because it began at the whole procedure; else
    nothing. `prefix` is what stands before a strategy on the command line.

    >>> from exo_strat import proc_from_source, unroll_loop
    >>> p = proc_from_source("def zero(x: f32[8]):\\n    for i in seq(0, 8):\\n        x[i] = 0.0")
    >>> print(focus_hint(unroll_loop()(p).failure(), p, unroll_loop()))
    unroll_loop() was applied to the whole procedure: give it a place, "at('for i in _: _', unroll_loop())"
    """
    reasons = [failure, *(cause for cause, _ in failure.grounds())]
    began = [reason for reason in reasons if _began_at_all(reason, p)]
    if not began:
        return ""
    loops = [c.name() for c in p.root().descendants() if isinstance(c, ForCursor)]
    if not loops or not any(kind_name(ForCursor) in reason.message for reason in began):
        return f"{op} was applied to the whole procedure: give it a place, at(PATTERN, {op})"
    text = f"{prefix}at({f'for {loops[0]} in _: _'!r}, {op})"
    quoted = shlex.quote(text) if re.search(r'["$`\\\\!]', text) else f'"{text}"'
    return f"{op} was applied to the whole procedure: give it a place, {quoted}"


def _began_at_all(failure: Failure, p: Proc) -> bool:
    """Whether an Op met the procedure as it was given, and acts on something in it."""
    where = failure.place
    return failure.message.startswith(ACTS_ON) and isinstance(where, ProcCursor) and where.proc is p
