"""The 3x3 box blur in tiles, as in Figure 11 of the paper."""

from __future__ import annotations

from exo_strat import Machine, Op, Proc, schedule

from .halide import Func, pipeline
from .programs import blur
from .std.tiles import LANES

HEIGHT, WIDTH = 32, 256
"""Rows and columns of a tile, as in the paper. Measured by `exo-strat demo blur`."""


def schedule_blur(machine: Machine) -> Proc:
    """The blur in tiles. Raises `SchedulingError` if a step fails."""
    return schedule(tiles(machine), blur)


def tiles(machine: Machine) -> Op:
    """The blur with the first stage computed for each tile of the second, for images of any size."""
    lanes = machine.vec_widths.get("f32", LANES)
    x, y = Func("blur_x"), Func("blur_y")
    out = y.tile("y", "x", "yi", "xi", HEIGHT, WIDTH).vectorize("xi", lanes).parallel("y")
    return pipeline(out, x.compute_at(y, "x").vectorize("xi", lanes))
