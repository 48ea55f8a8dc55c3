"""How hypothesis runs: the same examples every time, without deadlines; more and other ones in `make soak`."""

from __future__ import annotations

import os

from hypothesis import settings

SOAK = os.environ.get("EXO_STRAT_EXAMPLES")

settings.register_profile("exo_strat", deadline=None, derandomize=SOAK is None, max_examples=int(SOAK or 100))
settings.load_profile("exo_strat")
