"""The primitive rewrites, one module a section of the paper's appendix A.

Each is a function from its parameters to an `Op`; see `framework`.
"""

from .annotations import (
    parallelize_loop,
    rename,
    rename_variable,
    set_memory,
    set_precision,
    set_window,
    vectorize_loop,
)
from .arithmetic import fold_into_reduce, left_reassociate_expr, lift_reduce_constant, split_write
from .buffers import delete_buffer, lift_alloc, sink_alloc
from .code import commute_expr, reorder_stmts
from .configs import bind_config, delete_config, write_config
from .dims import divide_dim, expand_dim, rearrange_dim
from .framework import PRIMITIVES, Primitive, PrimitiveForm
from .guards import drop_guard
from .inlining import inline_assign, inline_window
from .loops import (
    add_loop,
    cut_loop,
    divide_loop,
    fission,
    mult_loops,
    remove_loop,
    reorder_loops,
    shift_loop,
    unroll_loop,
)
from .procs import call_eqv, inline, replace
from .recompute import divide_with_recompute, guard_first, join_loops, merge_recompute
from .resize import mult_dim, resize_dim
from .reuse import reuse_buffer, unroll_buffer
from .rotate import rotate_buffer
from .scopes import fuse, lift_scope
from .simplify import eliminate_dead_code, rewrite_expr, simplify
from .specialize import specialize
from .staging import bind_expr, stage_mem
from .stubs import delete_pass, insert_noop_call, insert_pass
from .subprocs import add_assertion, extract_subproc, make_instr, partial_eval, transpose
from .writes import merge_writes

__all__ = [
    "PRIMITIVES",
    "Primitive",
    "PrimitiveForm",
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
