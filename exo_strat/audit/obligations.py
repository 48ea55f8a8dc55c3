"""The distinct questions of a replay, each a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..logic.solver import Question
from .replay import Replayed
from .smtlib import Status, canonical, expected, script

HEADING = "exo-strat audit:"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Obligation:
    """A question that the solver answered, and the first step that asked it; `times` counts them all."""

    name: str
    step: Replayed
    question: Question
    expected: Status
    times: int

    @property
    def claim(self) -> str:
        """What was asked, in words."""
        return self.question.obligation or "the goal follows from the facts"

    @property
    def text(self) -> str:
        """The question as SMT-LIB, with what it is about above it."""
        said = "proved" if self.expected == "unsat" else "refuted by the values asserted last"
        return script(
            self.question,
            [
                f"{HEADING} {self.step}",
                f"obligation: {self.claim}",
                f"expected: {self.expected}, as this was {said}",
                f"asked: {'once' if self.times == 1 else f'{self.times} times, first here'}",
            ],
        )


def distinct(steps: Iterable[Replayed]) -> tuple[Obligation, ...]:
    """The questions of `steps` that the solver answered, each once up to names, in order.

    Questions on which it gave up are left out: no rewrite that was accepted rests on one.
    """
    first: dict[str, tuple[Replayed, Question, Status]] = {}
    times: dict[str, int] = {}
    for step in steps:
        for q in step.questions:
            status = expected(q)
            if status is not None:
                key = canonical(q)
                first.setdefault(key, (step, q, status))
                times[key] = times.get(key, 0) + 1
    width = len(str(len(first)))
    return tuple(
        Obligation(f"{k:0{width}}-{_stem(step)}.smt2", step, q, status, times[key])
        for k, (key, (step, q, status)) in enumerate(first.items(), 1)
    )


def _stem(step: Replayed) -> str:
    word = _WORD.match(step.op)
    return f"{step.proc}-{word[0] if word else 'definition'}"


def write(obligations: Sequence[Obligation], folder: Path) -> tuple[Path, ...]:
    """Writes each obligation to a file of `folder`, which is made if missing. Files that an earlier audit left
    there are removed; others stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in sorted(folder.glob("*.smt2")):
        with old.open() as f:
            ours = f.readline().startswith(f"; {HEADING}")
        if ours:
            old.unlink()
    files = tuple(folder / o.name for o in obligations)
    for file, o in zip(files, obligations, strict=True):
        file.write_text(o.text)
    return files
