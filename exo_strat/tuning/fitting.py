"""Whether the arguments of a measurement fit the memory that is free."""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import prod
from typing import Final

from ..cursors.proc import Proc
from ..forms import Lin, affine
from ..ir.types import Tensor

BYTES: Final = 24
"""Memory for an element of an argument: it is made as a number of 8 bytes, and there are copies for runs."""


def too_large(p: Proc, sizes: Mapping[str, int]) -> str:
    """Why no call of a procedure with these sizes should be tried, as the system would end who makes the arguments; no
    text if there is room.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def f(n: size, x: f32[n, n]):\\n    x[0, 0] = 1.0")
    >>> too_large(p, {"n": 10}), too_large(p, {"n": 10**9})[:40]
    ('', 'the arguments would take 24000000000.0 G')
    """
    values = {a.node.sym: Lin(sizes.get(str(a.node.sym), 0), ()) for a in p.args()}
    types = [a.node.type for a in p.args()]
    extents = [[affine(e, values) for e in t.shape] for t in types if isinstance(t, Tensor)]
    wanted = sum(prod(max(x.const, 0) for x in shape if x is not None) * BYTES for shape in extents)
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"the arguments would take {wanted / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free" if wanted > free else ""
