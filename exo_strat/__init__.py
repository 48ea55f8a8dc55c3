"""exo_strat: loop programs made fast by rewriting strategies that are values.

A `Proc` is a loop program; an `Op` rewrites one at a `Cursor`, or returns a `Failure` that says why
not; combinators make Ops of Ops. Object code is written with `@proc` and everything that it names is
exported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import exports, primitives
from .exports import *
from .primitives import *

if not TYPE_CHECKING:  # type checkers follow the `*` themselves
    __all__ = [*exports.__all__, *primitives.__all__]
