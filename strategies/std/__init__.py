"""The standard strategies: tiles, vectors, loops apart and together, values staged, shared and moved.

Each is an Op that keeps the meaning of the program, or fails; its docstring says what becomes of what as an equation.
It is made of the primitives and combinators that `exo_strat` exports, and of other strategies.

- `tiling`, `tiles`: loop nests in tiles; tiles in registers;
- `loops`: loops unrolled, jammed, interleaved, rounded;
- `splitting`: loops taken apart;
- `guards`: lanes computed that nobody needs, and values chosen;
- `hoisting`: code moved out of loops;
- `staging`, `values`: memory and values in buffers of their own, once; and what needs no code at all;
- `reductions`, `compute`, `instructions`, `vectorize`: vector code;
- `streaming`, `prefetching`: stores that pass the caches, lines that come to them early.
"""

from __future__ import annotations

from .compute import Rule, abs_rule, broadcast_rule, fma_rule, negated_fma_rule, stage_compute
from .guards import branchless, unguard
from .hoisting import hoist, if_it_runs, leave_loop, licm, remove_parent_loop, reorder_before
from .instructions import as_call, replace_all
from .lanes import NoInstructionWarning, check_lanes
from .loops import interleave_loop, jam, round_loop, unroll_and_jam, unroll_loops
from .prefetching import prefetch
from .reductions import parallelize_reductions
from .splitting import (
    expand_alloc,
    fission_after,
    fission_as_much_as_possible,
    fission_before,
    fission_into_singles,
    fission_where_possible,
)
from .staging import auto_stage_mem, locals_in, share_sums
from .streaming import stream_stores
from .tiles import Tile, by_vectors, to_instructions, transposed
from .tiling import in_blocks, rise_into, tile, tile_bottom_up
from .values import cleanup, cse, dce, share, specialize_sizes, stage_expr
from .vectorize import vectorize, vectorize_for

__all__ = [
    "NoInstructionWarning",
    "check_lanes",
    "abs_rule",
    "as_call",
    "auto_stage_mem",
    "branchless",
    "broadcast_rule",
    "by_vectors",
    "cleanup",
    "cse",
    "dce",
    "expand_alloc",
    "fission_after",
    "fission_as_much_as_possible",
    "fission_before",
    "fission_into_singles",
    "fission_where_possible",
    "fma_rule",
    "hoist",
    "if_it_runs",
    "in_blocks",
    "interleave_loop",
    "jam",
    "leave_loop",
    "licm",
    "locals_in",
    "negated_fma_rule",
    "parallelize_reductions",
    "prefetch",
    "remove_parent_loop",
    "reorder_before",
    "replace_all",
    "rise_into",
    "round_loop",
    "Rule",
    "share",
    "share_sums",
    "specialize_sizes",
    "stage_compute",
    "stage_expr",
    "stream_stores",
    "Tile",
    "tile",
    "tile_bottom_up",
    "to_instructions",
    "transposed",
    "unguard",
    "unroll_and_jam",
    "unroll_loops",
    "vectorize",
    "vectorize_for",
]
