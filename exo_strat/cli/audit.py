"""`exo-strat audit`: a Proc's proof obligations as files, and a second solver's opinion of them.

Files are written before anything is re-checked, so they are there whether or not cvc5 is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from ..audit import Finding, Obligation, Replayed, cvc5, distinct, expected, recheck, replay, write
from ..cursors.proc import Proc

OUTCOMES = ("confirmed", "unknown", "disagrees")


def run_audit(proc: Proc, folder: Path, console: Console) -> tuple[Finding, ...]:
    """Replay what a Proc rests on, write its obligations to `folder`, re-check them with cvc5, print the counts.

    Returns what cvc5 disagrees with. Raises `ReplayError` if the history does not give the Proc again, and
    `NoSecondSolverError`, after the files are written, if cvc5 is not installed.
    """
    with _bar(console, "replaying") as progress:
        steps = replay(proc, progress)
    obligations = distinct(steps)
    write(obligations, folder)
    _print(console, "replayed", _replayed(steps))
    _print(console, "obligations", _counted(steps, obligations))
    _print(console, "wrote", f"{_many(len(obligations), 'file')} to {folder}")
    solver = cvc5()
    with _bar(console, "re-checking") as progress:
        findings = recheck(obligations, solver, progress)
    count = Counter(f.outcome for f in findings)
    _print(console, solver.name, f"{count['confirmed']} confirmed, {count['unknown']} unknown, "
                                 f"{count['disagrees']} disagreeing")  # fmt: skip
    for f in findings:
        if f.outcome == "unknown":
            _print(console, "unknown", f"{folder / f.obligation.name}: {f.obligation.claim}")
    return tuple(f for f in findings if f.outcome == "disagrees")


def objections(findings: Sequence[Finding], folder: Path) -> str:
    """What to say of obligations that the second solver disagrees with."""
    lines = ["the second solver disagrees; please report this as a bug"]
    for f in findings:
        o = f.obligation
        lines.append(f"{folder / o.name}: expected {o.expected}, it says {f.said}; {o.claim}; {o.step}")
    return "\n".join(lines)


def _replayed(steps: Sequence[Replayed]) -> str:
    rewrites = sum(1 for s in steps if s.number)
    return f"{_many(rewrites, 'rewrite')}, {_many(len(steps) - rewrites, 'definition')}"


def _counted(steps: Sequence[Replayed], obligations: Sequence[Obligation]) -> str:
    asked = [q for s in steps for q in s.questions]
    proofs = sum(1 for o in obligations if o.expected == "unsat")
    text = f"{_many(len(asked), 'question')}, {len(obligations)} of them different: "
    text += f"{_many(proofs, 'proof')}, {_many(len(obligations) - proofs, 'counterexample')}"
    left = sum(1 for q in asked if expected(q) is None)
    return text + (f"; {left} on which our solver gave up, so that nothing rests on them" if left else "")


def _many(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _print(console: Console, label: str, value: str) -> None:
    console.print(Text.assemble((f"  {label:18}", "dim"), value), soft_wrap=True)


@contextmanager
def _bar(console: Console, what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal, nothing elsewhere."""
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
