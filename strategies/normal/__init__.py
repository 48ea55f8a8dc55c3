"""Normal forms: what a program looks like before strategies that match its form.

Each is a strategy with its recogniser: `loop_nf()` and `is_loop_nf(p)`. It acts on the whole procedure, wherever the
focus is, and never fails; the focus stays, or becomes the root if its code is gone. It is idempotent: what has the
form already comes back as it is. `seq_nf` puts one between the steps of a strategy. Nothing normalises by itself, so
that an explanation shows every rewrite.
"""

from __future__ import annotations

from .exhaust import applies_nowhere, exhaust, seq_nf
from .fission_and_fusion import fission_nf, fuse_nf, is_fission_nf, is_fuse_nf, is_nest_nf, nest_nf
from .loops import is_loop_nf, loop_nf
from .names import index_nf, is_index_nf, is_name_nf, name_nf
from .statements import is_statement_nf, statement_nf
from .sums import sum_in_place
from .tidying import is_tidy, tidy

__all__ = [
    "applies_nowhere",
    "exhaust",
    "fission_nf",
    "fuse_nf",
    "index_nf",
    "is_fission_nf",
    "is_fuse_nf",
    "is_index_nf",
    "is_loop_nf",
    "is_name_nf",
    "is_nest_nf",
    "is_statement_nf",
    "is_tidy",
    "loop_nf",
    "name_nf",
    "nest_nf",
    "seq_nf",
    "statement_nf",
    "sum_in_place",
    "tidy",
]
