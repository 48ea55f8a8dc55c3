"""Whether C compilers agree on a procedure: gcc, clang, and little optimisation.

They all have the same C text. Where they differ, one of them is wrong, or the text has no meaning in C.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

import numpy as np

from .kernel import Machine, Proc
from .native import UNFUSED, JitFunction, jit

COMPILERS = ("gcc", "clang")
LEVELS = (("-O3",), ("-O3", "-fno-inline"), ("-O1",))
"""How they optimise: a procedure that is a part of its caller has lost `restrict`, and one that is exported has not."""


def ways(proc: Proc, machine: Machine | None = None) -> dict[str, JitFunction]:
    """A procedure compiled in each way that this system has, by a name such as `clang -O3`.

    Raises what `jit` raises.
    """
    found = {c: shutil.which(c) for c in COMPILERS}
    return {
        # compilers fuse products with sums as they like, which drops a rounding here and there
        f"{name} {' '.join(level)}": jit(proc, machine, (*level, UNFUSED), (path,))
        for name, path in found.items()
        if path is not None
        for level in LEVELS
    }


def disagreements(proc: Proc, args: Sequence[Any], machine: Machine | None = None) -> tuple[str, ...]:
    """Which arrays differ after calls on copies of `args`, a sentence each; none if all ways agree, bit for bit.

    NaN agrees with any NaN. Raises what `jit` and the calls raise.
    """
    results = {name: _run(f, args) for name, f in ways(proc, machine).items()}
    (first, want), *others = results.items()
    names = [a.sym.name for a in proc.tree.args]
    return tuple(
        f"{proc.name()}: {names[i]} is {a[i]} by {name}, and {want[i]} by {first}"
        for name, a in others
        for i in want
        if not np.array_equal(a[i], want[i], equal_nan=a[i].dtype.kind == "f")
    )


def _run(f: JitFunction, args: Sequence[Any]) -> dict[int, np.ndarray[Any, np.dtype[Any]]]:
    """The arrays among the arguments, by position, as a call leaves them."""
    own = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    f(*own)
    return {i: a for i, a in enumerate(own) if isinstance(a, np.ndarray)}
