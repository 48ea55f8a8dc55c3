"""Strategies for accelerators with memories and configuration of their own, such as Gemmini.

They know no instruction: a schedule passes the memories, and the procedures that its target has. Each keeps the
meaning of the program at every step.

- `loops`: loops tiled, reordered, removed, fused, unrolled;
- `buffers`: tiles of operands and of sums in local memory;
- `tiles`: the same where sizes are no multiples of a tile;
- `mapping`: statements as instructions, and their configuration.
"""

from __future__ import annotations

from ..std import fission_as_much_as_possible
from .buffers import as_tiles, autolift_alloc, bind_and_lift, stage_and_lift, tile_layout
from .loops import (
    fuse_all_loops,
    load_ahead,
    remove_redundant_loops,
    reorder_loops_from_idx,
    rise_over,
    start_in_loop,
    tile_loops,
    tile_ragged,
    unroll_all,
)
from .mapping import (
    configure,
    hoist_configs,
    is_config_call,
    load_once,
    map_again,
    map_all,
    map_every,
    map_to,
    read_registers,
    replace_and_inline,
)
from .tiles import block_loop, cut_nest, each, load_tiles, split_off, tile_nest, unroll_single

__all__ = [
    "as_tiles",
    "autolift_alloc",
    "bind_and_lift",
    "block_loop",
    "configure",
    "cut_nest",
    "each",
    "fission_as_much_as_possible",
    "fuse_all_loops",
    "hoist_configs",
    "is_config_call",
    "load_ahead",
    "load_once",
    "load_tiles",
    "map_again",
    "map_all",
    "map_every",
    "map_to",
    "read_registers",
    "remove_redundant_loops",
    "reorder_loops_from_idx",
    "replace_and_inline",
    "rise_over",
    "split_off",
    "stage_and_lift",
    "start_in_loop",
    "tile_layout",
    "tile_loops",
    "tile_nest",
    "tile_ragged",
    "unroll_all",
    "unroll_single",
]
