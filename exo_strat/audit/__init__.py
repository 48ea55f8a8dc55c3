"""An independent check of what was proved: a Proc's history replayed, its proof obligations written as SMT-LIB
and put to a second solver.

What is trusted here is the translation of formulas to text (`smtlib`), which shares nothing with the
kernel's own engines; how obligations come about (`logic`, the primitives) is tested elsewhere.
"""

from __future__ import annotations

from .check import Finding, NoSecondSolverError, Outcome, SecondSolver, cvc5, recheck
from .obligations import Obligation, distinct, write
from .replay import Replayed, ReplayError, replay
from .smtlib import canonical, expected, script

__all__ = [
    "Finding",
    "NoSecondSolverError",
    "Obligation",
    "Outcome",
    "ReplayError",
    "Replayed",
    "SecondSolver",
    "canonical",
    "cvc5",
    "distinct",
    "expected",
    "recheck",
    "replay",
    "script",
    "write",
]
