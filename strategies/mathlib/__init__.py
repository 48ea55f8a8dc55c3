"""Elementary functions as vector code: steps of object code in place of calls.

- `functions`: what is computed;
- `coefficients`: the polynomials in it, which `benchmarks.minimax` finds;
- `plans`: the strategy that puts it into programs.

docs/mathlib.md has the errors and the times.
"""

from __future__ import annotations

from .functions import function
from .plans import NAMES, NoStepsWarning, approximate_all, by_steps

__all__ = ["NAMES", "NoStepsWarning", "approximate_all", "by_steps", "function"]
