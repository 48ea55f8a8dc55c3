"""NumPy functions as object code.

    from importers.numpy import from_numpy
    print(from_numpy(smooth, a="f64[n, m]", steps="int"))

The way: the text of the function (`source`), what its arguments are (`types`), and a translation that runs the function
on symbols instead of numbers (`translate`): arrays stand for loops that compute their elements (`values`), and a
statement writes them to a buffer (`storing.assign`). The ordinary front end checks the result.
"""

from __future__ import annotations

from ..report import ImportRefusedError, Place, Problem
from .convert import from_file, from_numpy
from .decorator import Compiled, CompiledWarning, compiled

__all__ = [
    "Compiled",
    "CompiledWarning",
    "ImportRefusedError",
    "Place",
    "Problem",
    "compiled",
    "from_file",
    "from_numpy",
]
