"""The paper's direct form of every primitive: `(Proc, reference, *params) -> Proc`. Imports `primitives`.

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

from . import primitives as _ops
from .cursors.proc import InvalidCursorError
from .failure import SchedulingError

add_loop = _ops.add_loop.direct
bind_expr = _ops.bind_expr.direct
call_eqv = _ops.call_eqv.direct
commute_expr = _ops.commute_expr.direct
cut_loop = _ops.cut_loop.direct
delete_buffer = _ops.delete_buffer.direct
divide_dim = _ops.divide_dim.direct
divide_loop = _ops.divide_loop.direct
eliminate_dead_code = _ops.eliminate_dead_code.direct
expand_dim = _ops.expand_dim.direct
fission = _ops.fission.direct
fuse = _ops.fuse.direct
inline = _ops.inline.direct
lift_alloc = _ops.lift_alloc.direct
lift_scope = _ops.lift_scope.direct
merge_writes = _ops.merge_writes.direct
mult_loops = _ops.mult_loops.direct
parallelize_loop = _ops.parallelize_loop.direct
rearrange_dim = _ops.rearrange_dim.direct
remove_loop = _ops.remove_loop.direct
rename = _ops.rename.direct
reorder_loops = _ops.reorder_loops.direct
reorder_stmts = _ops.reorder_stmts.direct
replace = _ops.replace.direct
rewrite_expr = _ops.rewrite_expr.direct
set_memory = _ops.set_memory.direct
set_precision = _ops.set_precision.direct
set_window = _ops.set_window.direct
shift_loop = _ops.shift_loop.direct
simplify = _ops.simplify.direct
sink_alloc = _ops.sink_alloc.direct
stage_mem = _ops.stage_mem.direct
unroll_loop = _ops.unroll_loop.direct

__all__ = [
    "InvalidCursorError",
    "SchedulingError",
    "add_loop",
    "bind_expr",
    "call_eqv",
    "commute_expr",
    "cut_loop",
    "delete_buffer",
    "divide_dim",
    "divide_loop",
    "eliminate_dead_code",
    "expand_dim",
    "fission",
    "fuse",
    "inline",
    "lift_alloc",
    "lift_scope",
    "merge_writes",
    "mult_loops",
    "parallelize_loop",
    "rearrange_dim",
    "remove_loop",
    "rename",
    "reorder_loops",
    "reorder_stmts",
    "replace",
    "rewrite_expr",
    "set_memory",
    "set_precision",
    "set_window",
    "shift_loop",
    "simplify",
    "sink_alloc",
    "stage_mem",
    "unroll_loop",
]
