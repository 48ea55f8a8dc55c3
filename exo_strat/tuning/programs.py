"""What a strategy made of a procedure with some values of its holes, for several searches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..cursors.proc import Proc
from ..ops.holes import Decision
from .apart import Ended
from .search import Values

Run = tuple[tuple[str, type, Any], ...]


@dataclass(frozen=True)
class Program:
    """The decisions of a run, and the Proc that came of it, or why there is none."""

    decisions: tuple[Decision, ...]
    made: Proc | Ended


@dataclass(frozen=True)
class Programs:
    """Programs by the holes that their runs came to: all others with the same values of these are the same run. They
    are of one strategy and one procedure. Searches at several sizes that share them schedule each once."""

    runs: dict[tuple[str, ...], dict[Run, Program]] = field(default_factory=dict)

    def find(self, values: Values, defaults: Mapping[str, Any]) -> Program | None:
        """What is known to come of an assignment; a hole without a value has its default."""
        complete = {**defaults, **values}
        return next((r[key] for names, r in self.runs.items() if (key := _run(names, complete)) in r), None)

    def add(self, program: Program) -> None:
        """One more."""
        met = {d.name: d.value for d in program.decisions}
        names = tuple(sorted(met))
        self.runs.setdefault(names, {})[_run(names, met)] = program


def _run(names: tuple[str, ...], values: Mapping[str, Any]) -> Run:
    return tuple((n, type(values.get(n)), values.get(n)) for n in names)  # True is 1, but another candidate
