"""Property tests for strategies: random programs, inputs and rewrites, and whether two programs compute the same.

    from exo_strat.testing import check_strategy
    check_strategy(my_strategy())

Needs hypothesis; `import exo_strat` alone does not import this.
"""

from __future__ import annotations

from .applications import cursors, ops
from .commuting import Commutation, commutes
from .equivalence import Malformed, Miscompiled, assert_equivalent, assert_lawful
from .harness import Tally, check_op, check_primitive, check_strategy, every, examples
from .inputs import Inputs, inputs, samples
from .instructions import WrongInstructionError, check_instructions
from .knockouts import Condition, conditions, without
from .programs import procs, sources
from .shapes import SHAPES

__all__ = [
    "Commutation",
    "Condition",
    "Inputs",
    "Malformed",
    "Miscompiled",
    "SHAPES",
    "Tally",
    "WrongInstructionError",
    "assert_equivalent",
    "assert_lawful",
    "check_instructions",
    "check_op",
    "check_primitive",
    "check_strategy",
    "commutes",
    "conditions",
    "cursors",
    "every",
    "examples",
    "inputs",
    "ops",
    "procs",
    "samples",
    "sources",
    "without",
]
