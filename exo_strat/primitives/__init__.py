"""The primitive rewrites, one module a section of the paper's appendix A. Imports everything below.

Each is a function from its parameters to an `Op`; see `framework`.
"""

from .annotations import parallelize_loop, rename, set_memory, set_precision, set_window
from .buffers import delete_buffer, lift_alloc, sink_alloc
from .code import commute_expr, reorder_stmts
from .dims import divide_dim, expand_dim, rearrange_dim
from .framework import PRIMITIVES, Primitive, PrimitiveForm
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
from .scopes import fuse, lift_scope
from .simplify import eliminate_dead_code, rewrite_expr, simplify
from .staging import bind_expr, stage_mem
from .writes import merge_writes

__all__ = [
    "PRIMITIVES",
    "Primitive",
    "PrimitiveForm",
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
