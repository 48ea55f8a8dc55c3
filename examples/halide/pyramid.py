"""A level of a Gaussian pyramid: an image at half the resolution, by weights 1 2 1 along columns and rows. Imports
`exo_strat` and `strategies.halide`."""

from __future__ import annotations

from exo_strat import *
from strategies.halide import *


@proc
def pyramid(H: size, W: size, inp: f32[2 * H + 1, 2 * W + 1], low: f32[H, W]):
    down_y: f32[H, 2 * W + 1]
    for y in seq(0, H):
        for x in seq(0, 2 * W + 1):
            down_y[y, x] = 0.25 * inp[2 * y, x] + 0.5 * inp[2 * y + 1, x] + 0.25 * inp[2 * y + 2, x]
    for y in seq(0, H):
        for x in seq(0, W):
            low[y, x] = 0.25 * down_y[y, 2 * x] + 0.5 * down_y[y, 2 * x + 1] + 0.25 * down_y[y, 2 * x + 2]


_down_y, _low = Func("down_y"), Func("low")


def rows() -> Op:
    """Row by row in parallel."""
    return pipeline(
        _low.parallel("y").vectorize("x"),
        _down_y.compute_at(_low, "y").vectorize("x"),
    )


def tiles(height: int = 32, width: int = 128, lanes: int = 8) -> Op:
    """Tiles in parallel: of the first stage, each computes twice as many columns and one."""
    return pipeline(
        _low.tile("y", "x", "yi", "xi", height, width).vectorize("xi", lanes).parallel("y"),
        _down_y.compute_at(_low, "x").vectorize("xi", lanes),
    )


SCHEDULES = {"rows": rows(), "tiles": tiles()}
