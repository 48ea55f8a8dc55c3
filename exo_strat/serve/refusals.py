"""Why an Op did not apply, as data."""

from __future__ import annotations

from typing import Any, Final

from ..cursors.cursor import Cursor
from ..ops.explain import line_of
from ..ops.failure import Failure, Unsafe
from ..source import brief, show
from .places import spelled

KINDS: Final = ("Unsafe", "Unknown", "NotApplicable", "InvalidCursor", "BadArgument", "Exhausted", "Failure")
"""The kinds of failures: see `exo_strat.ops.failure`."""


def refusal(f: Failure) -> dict[str, Any]:
    """A failure as JSON: its kind, the obligation that does not hold, the counterexample, the place, the first causes.

    >>> from exo_strat import divide_loop, proc_from_source
    >>> p = proc_from_source('''
    ... def zero(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> why = refusal(divide_loop(4, ("io", "ii"), tail="perfect")(p, p.find_loop("i")).failure())
    >>> why["kind"], why["obligation"], why["counterexample"]
    ('Unsafe', "4 divides the loop's number of iterations", {'n': 1})
    >>> why["place"]
    {'at': 'body[0]', 'line': 'for i in seq(0, n):'}
    """
    told = _own(f)
    causes = [_own(cause) | {"times": times} for cause, times in f.grounds()]
    return told | ({"causes": causes} if causes else {})


def _own(f: Failure) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": type(f).__name__, "message": f.reason(), "obligation": f.message}
    if f.op is not None:
        told["op"] = brief(show(f.op))
    if f.place is not None and f.place.is_valid:
        told["place"] = place(f.place)
    if isinstance(f, Unsafe):
        told["about"] = f.about
        told["counterexample"] = None if f.counterexample is None else dict(sorted(f.counterexample.items()))
        told |= {"details": f.details} if f.details else {}
    return told


def place(c: Cursor) -> dict[str, str]:
    """A place of a procedure, with the line of object code that shows it."""
    return {"at": spelled(c), "line": line_of(c.proc, c.place()) or str(c.proc).partition("\n")[0]}
