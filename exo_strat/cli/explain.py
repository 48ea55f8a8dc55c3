"""`exo-strat explain` and `exo-strat lint`: looking at strategies.

What is printed is in colour on a terminal, unless NO_COLOR is set, and bare text in a pipe.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from rich.console import Console
from rich.text import Text

from ..cursors.proc import Proc
from ..ops.explain import HEADER, Change, Row, changes, lines, rows, summary
from ..ops.failure import Failure
from ..ops.lint import lint
from ..ops.strategy import Op
from ..ops.tracing import Trace, trace
from .hints import focus_hint

DIFF: Final = {"+": "green", "-": "red", "@": "cyan"}


def run_explain(op: Op, p: Proc, console: Console, steps: bool, everything: bool, prefix: str) -> bool:
    """Apply a strategy to a procedure; print its derivation, or with `steps` what each rewrite changed. Whether
    it succeeded. `prefix` is what stands before a strategy on the command line."""
    _, t = trace(op, p)
    shown = _steps(t) if steps else chain([Text(HEADER, "dim")], *map(_row, rows(t, everything)))
    hint = focus_hint(t.failure, p, op, prefix) if t.failure is not None else ""
    why = [Text(f"because: {_last(t.failure).reason().splitlines()[0]}")] if t.failure is not None else []
    for line in chain(shown, [Text(summary(t), "bold")], why, [Text(hint)] if hint else []):
        console.print(line, soft_wrap=True)
    return t.failure is None


def _last(failure: Failure) -> Failure:
    """What a failure rests on: the last of its causes, at whatever depth."""
    return failure.grounds()[-1][0] if failure.causes else failure


def _row(row: Row) -> Iterator[Text]:
    first, *rest = lines(row)
    mark, colour = ("ok", "green") if row.reason is None else ("refused", "red")
    text = Text(first)
    text.stylize(colour, 0, len(mark))
    text.stylize("dim", len(mark), len(HEADER))
    if row.place:
        text.stylize("dim", first.rindex("  # "))
    yield text
    yield from (Text(reason, "dim" if row.reason is None else "red") for reason in rest)


def _steps(t: Trace) -> Iterator[Text]:
    """Each rewrite with a diff of the object code; last why the strategy was refused, if it was."""
    for n, change in enumerate(changes(t), 1):
        yield from _step(n, change)
    if t.failure is not None:
        yield Text(str(t.failure), "red")


def _step(n: int, change: Change) -> Iterator[Text]:
    yield Text.assemble((f"{n}. {change.op}", "bold"), (f"  # {change.place}" if change.place else "", "dim"))
    yield from (Text(line, DIFF.get(line[:1], "")) for line in change.diff)
    yield Text("" if change.diff else "(the object code reads the same)\n")


def run_lint(op: Op, console: Console) -> bool:
    """Print the faults of a strategy. Whether there are none."""
    faults = lint(op)
    for fault in faults:
        head, *rest = str(fault).splitlines()
        console.print(Text.assemble((head, "bold"), *(f"\n{line}" for line in rest)), soft_wrap=True)
    n = len(faults)
    console.print(Text("no faults found" if not n else f"{n} fault{'' if n == 1 else 's'}", "bold"))
    return not faults
