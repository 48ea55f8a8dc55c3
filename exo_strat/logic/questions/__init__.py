"""What primitives may ask, each question with the statement that its answer stands for.

`safety` has the questions that most ask; `privatization`, `speculation`, `recomputation`, `storage_sharing`,
`evaluation`, `branches` and `races` the rest; `unification` finds a procedure's body in code; `normal` has normal
forms of expressions. Primitives import this room and `forms`, so what they need of the others stands here, too.
"""

from ..effects.accesses import Access, accesses, effects, in_loops, index_of, reads_of, resolve, windows_at
from ..effects.config_data import held_at, held_in, stored
from ..effects.config_state import asks_config, conditions_at, depends_on_fields, field_facts, values_at, written_fields
from ..effects.context import (
    Facts,
    asked_first,
    env_of,
    facts_after,
    facts_at,
    facts_given,
    facts_inside,
    flatten,
    prove_at,
)
from ..effects.dependence import (
    Clash,
    Given,
    Readiness,
    Safe,
    Undecided,
    Verdict,
    clash,
    if_reached,
    prime,
    same_place,
    show,
)
from ..effects.liveness import may_last, unread_after
from ..solver.answers import Proved, Sat
from ..solver.proofs import prove, satisfiable
from .normal import affine_normal, difference, known_truth, normalize_expr, to_expr
from .races import new_race, races
from .safety import equal_at, holds_everywhere, parallel
from .storage_sharing import Sharing, undisturbed
from .unification import Unified, Unifier, View, fresh_callee, skeleton

__all__ = [
    "Access",
    "Clash",
    "Facts",
    "Given",
    "Proved",
    "Readiness",
    "Safe",
    "Sat",
    "Sharing",
    "Undecided",
    "Unified",
    "Unifier",
    "Verdict",
    "View",
    "accesses",
    "affine_normal",
    "asked_first",
    "asks_config",
    "clash",
    "conditions_at",
    "known_truth",
    "depends_on_fields",
    "difference",
    "effects",
    "env_of",
    "equal_at",
    "facts_after",
    "facts_at",
    "facts_given",
    "facts_inside",
    "field_facts",
    "flatten",
    "fresh_callee",
    "held_at",
    "held_in",
    "prove_at",
    "holds_everywhere",
    "if_reached",
    "in_loops",
    "index_of",
    "may_last",
    "normalize_expr",
    "parallel",
    "prime",
    "prove",
    "new_race",
    "races",
    "reads_of",
    "resolve",
    "same_place",
    "satisfiable",
    "show",
    "skeleton",
    "stored",
    "to_expr",
    "undisturbed",
    "unread_after",
    "values_at",
    "windows_at",
    "written_fields",
]
