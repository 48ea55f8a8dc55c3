"""Python source of Ops and of what they are made of.

What is printed rebuilds the value under `from exo_strat import *`, with procedures, memories and the like bound
to the names that they print as.
"""

from __future__ import annotations

from .layout import brief, layout
from .show import Pieces, call, holds_lambda, show
from .text import Text

__all__ = ["Pieces", "Text", "brief", "call", "holds_lambda", "layout", "show"]
