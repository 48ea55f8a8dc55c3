"""The paper's direct form of every primitive: `(Proc, reference, *params) -> Proc`.

Names and argument orders follow the paper's appendix A, so that its schedules port line by line. A
reference is a cursor, a pattern or a name. Raises `SchedulingError` where the Op fails, and
`InvalidCursorError` where a reference leads nowhere. Made from the Ops: nothing is defined here.

>>> from exo_strat import proc_from_source
>>> p = proc_from_source('''
... def copy(n: size, x: f32[n], y: f32[n]):
...     assert n % 8 == 0
...     for i in seq(0, n):
...         y[i] = x[i]
... ''')
>>> print(divide_loop(p, "i", 8, ["io", "ii"], perfect=True))
def copy(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):
    assert n % 8 == 0
    for io in seq(0, n / 8):
        for ii in seq(0, 8):
            y[8 * io + ii] = x[8 * io + ii]
"""

from __future__ import annotations

from .cursors.proc import InvalidCursorError
from .ops.failure import SchedulingError
from .primitives import PRIMITIVES

__all__ = ["InvalidCursorError", "SchedulingError", *PRIMITIVES]

globals().update({name: form.direct for name, form in PRIMITIVES.items()})
