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

from . import primitives as _ops
from .cursors.proc import InvalidCursorError
from .ops.failure import SchedulingError

add_assertion = _ops.add_assertion.direct
add_loop = _ops.add_loop.direct
bind_config = _ops.bind_config.direct
bind_expr = _ops.bind_expr.direct
call_eqv = _ops.call_eqv.direct
commute_expr = _ops.commute_expr.direct
cut_loop = _ops.cut_loop.direct
delete_buffer = _ops.delete_buffer.direct
delete_config = _ops.delete_config.direct
delete_pass = _ops.delete_pass.direct
divide_dim = _ops.divide_dim.direct
divide_loop = _ops.divide_loop.direct
divide_with_recompute = _ops.divide_with_recompute.direct
drop_guard = _ops.drop_guard.direct
eliminate_dead_code = _ops.eliminate_dead_code.direct
expand_dim = _ops.expand_dim.direct
extract_subproc = _ops.extract_subproc.direct
fission = _ops.fission.direct
fold_into_reduce = _ops.fold_into_reduce.direct
fuse = _ops.fuse.direct
guard_first = _ops.guard_first.direct
inline = _ops.inline.direct
inline_assign = _ops.inline_assign.direct
inline_window = _ops.inline_window.direct
insert_noop_call = _ops.insert_noop_call.direct
insert_pass = _ops.insert_pass.direct
join_loops = _ops.join_loops.direct
left_reassociate_expr = _ops.left_reassociate_expr.direct
lift_alloc = _ops.lift_alloc.direct
lift_reduce_constant = _ops.lift_reduce_constant.direct
lift_scope = _ops.lift_scope.direct
make_instr = _ops.make_instr.direct
merge_recompute = _ops.merge_recompute.direct
merge_writes = _ops.merge_writes.direct
mult_dim = _ops.mult_dim.direct
mult_loops = _ops.mult_loops.direct
parallelize_loop = _ops.parallelize_loop.direct
partial_eval = _ops.partial_eval.direct
rearrange_dim = _ops.rearrange_dim.direct
remove_loop = _ops.remove_loop.direct
rename = _ops.rename.direct
rename_variable = _ops.rename_variable.direct
reorder_loops = _ops.reorder_loops.direct
reorder_stmts = _ops.reorder_stmts.direct
replace = _ops.replace.direct
resize_dim = _ops.resize_dim.direct
reuse_buffer = _ops.reuse_buffer.direct
rewrite_expr = _ops.rewrite_expr.direct
rotate_buffer = _ops.rotate_buffer.direct
set_memory = _ops.set_memory.direct
set_precision = _ops.set_precision.direct
set_window = _ops.set_window.direct
shift_loop = _ops.shift_loop.direct
simplify = _ops.simplify.direct
sink_alloc = _ops.sink_alloc.direct
specialize = _ops.specialize.direct
split_write = _ops.split_write.direct
stage_mem = _ops.stage_mem.direct
transpose = _ops.transpose.direct
unroll_buffer = _ops.unroll_buffer.direct
unroll_loop = _ops.unroll_loop.direct
vectorize_loop = _ops.vectorize_loop.direct
write_config = _ops.write_config.direct

__all__ = [
    "InvalidCursorError",
    "SchedulingError",
    "add_assertion",
    "add_loop",
    "bind_config",
    "bind_expr",
    "call_eqv",
    "commute_expr",
    "cut_loop",
    "delete_buffer",
    "delete_config",
    "delete_pass",
    "divide_dim",
    "divide_loop",
    "divide_with_recompute",
    "drop_guard",
    "eliminate_dead_code",
    "expand_dim",
    "extract_subproc",
    "fission",
    "fold_into_reduce",
    "fuse",
    "guard_first",
    "inline",
    "inline_assign",
    "inline_window",
    "insert_noop_call",
    "insert_pass",
    "join_loops",
    "left_reassociate_expr",
    "lift_alloc",
    "lift_reduce_constant",
    "lift_scope",
    "make_instr",
    "merge_recompute",
    "merge_writes",
    "mult_dim",
    "mult_loops",
    "parallelize_loop",
    "partial_eval",
    "rearrange_dim",
    "remove_loop",
    "rename",
    "rename_variable",
    "reorder_loops",
    "reorder_stmts",
    "replace",
    "resize_dim",
    "reuse_buffer",
    "rewrite_expr",
    "rotate_buffer",
    "set_memory",
    "set_precision",
    "set_window",
    "shift_loop",
    "simplify",
    "sink_alloc",
    "specialize",
    "split_write",
    "stage_mem",
    "transpose",
    "unroll_buffer",
    "unroll_loop",
    "vectorize_loop",
    "write_config",
]
