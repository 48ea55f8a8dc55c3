"""Strategies for accelerators with memories and configuration of their own, such as Gemmini.

They know no instruction: a schedule passes the memories, and the procedures that its target has. Each keeps the
meaning of the program at every step.

- `nests`: loops tiled, reordered, removed, fused, unrolled;
- `buffers`: tiles of operands and of sums in local memory;
- `mapping`: statements as instructions, and their configuration.
"""

from __future__ import annotations

from ..std import fission_as_much_as_possible
from .buffers import autolift_alloc, bind_and_lift, stage_and_lift, tile_layout
from .mapping import configure, hoist_configs, is_config_call, load_once, map_again, map_all, map_to, replace_and_inline
from .nests import fuse_all_loops, remove_redundant_loops, reorder_loops_from_idx, start_in_loop, tile_loops, unroll_all

__all__ = [
    "autolift_alloc",
    "bind_and_lift",
    "configure",
    "fission_as_much_as_possible",
    "fuse_all_loops",
    "hoist_configs",
    "is_config_call",
    "load_once",
    "map_again",
    "map_all",
    "map_to",
    "remove_redundant_loops",
    "reorder_loops_from_idx",
    "replace_and_inline",
    "stage_and_lift",
    "start_in_loop",
    "tile_layout",
    "tile_loops",
    "unroll_all",
]
