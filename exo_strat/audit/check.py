"""The second solver: cvc5, if it is installed.

cvc5 reads the text of each file, in a process of ours but a solver of its own for each. A limit on its
steps, not on time, makes the same questions end the same way on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from .obligations import Obligation

Outcome: TypeAlias = Literal["confirmed", "unknown", "disagrees"]
Progress: TypeAlias = Callable[[int, int], None]

STEPS = 200_000
"""What cvc5 may spend on one question, in its own units."""


class NoSecondSolverError(Exception):
    """cvc5 is not installed, or cannot be loaded."""


class SecondSolver(Protocol):
    """Something that reads SMT-LIB."""

    @property
    def name(self) -> str: ...
    def answer(self, text: str) -> str:
        """What it prints for a script with one `check-sat`; an error's text if it cannot read it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the second solver said of an obligation."""

    obligation: Obligation
    said: str

    @property
    def outcome(self) -> Outcome:
        """Whether it confirms what was expected. What is neither the answer expected nor `unknown`, such as
        an error message, disagrees."""
        if self.said == self.obligation.expected:
            return "confirmed"
        return "unknown" if self.said == "unknown" else "disagrees"


@dataclass(frozen=True, slots=True)
class Cvc5:
    """cvc5 through its Python bindings."""

    name: str

    def answer(self, text: str) -> str:
        import cvc5

        solver = cvc5.Solver(cvc5.TermManager())
        solver.setOption("rlimit-per", str(STEPS))
        parser = cvc5.InputParser(solver)
        said: list[str] = []
        try:
            parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
            command = parser.nextCommand()
            while not command.isNull():
                said.append(command.invoke(solver, parser.getSymbolManager()).strip())
                command = parser.nextCommand()
        except RuntimeError as e:
            return f"error: {e}"
        return "\n".join(line for line in said if line)


def cvc5() -> SecondSolver:
    """The installed cvc5. Raises `NoSecondSolverError` if there is none."""
    try:
        import cvc5
    except ImportError as e:
        raise NoSecondSolverError(
            f"cvc5 is not installed ({e}), so nothing was re-checked: pip install 'exo-strat[audit]', "
            "or put the files to another SMT solver"
        ) from e
    return Cvc5(f"cvc5 {cvc5.__version__}")


def recheck(
    obligations: Sequence[Obligation], solver: SecondSolver, progress: Progress | None = None
) -> tuple[Finding, ...]:
    """What `solver` says of each obligation; `progress` is called with how many of how many are done."""
    found: list[Finding] = []
    for k, o in enumerate(obligations, 1):
        found.append(Finding(o, solver.answer(o.text)))
        if progress is not None:
            progress(k, len(obligations))
    return tuple(found)
