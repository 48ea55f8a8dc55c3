"""Whether a formula holds: `prove`, `satisfiable`, with a model that was verified where it does not.

`problem` splits a question into small ones, `omega` (the Omega test) decides most of them, `z3engine` the rest;
`lemmas`, `facts` and `witnesses` give them what they don't find: products, what is known already, values of quantified
variables. `proofs` puts all this together, `answers` says what comes out.
"""

from .answers import Proved, Question, Refuted, Sat, Unsat, Words, listening, spelled
from .proofs import prove, satisfiable

__all__ = [
    "Proved",
    "Question",
    "Refuted",
    "Sat",
    "Unsat",
    "Words",
    "listening",
    "prove",
    "satisfiable",
    "spelled",
]
