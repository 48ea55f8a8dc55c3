"""Levels of pyramids. Imports `exo_strat` and `strategies.halide`.

`pyramid` is a level of a Gaussian pyramid: an image at half the resolution, by weights 1 2 1 along columns and rows.
`residual` is one of a Laplacian pyramid: what is left of an image without that level, brought back to the size of the
image by weights 3 1 of the two nearest pixels. Its input has three pixels before the first one, and two to four after
the last.
"""

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


@proc
def residual(H: size, W: size, inp: f32[2 * ((H + 5) / 2) + 1, 2 * ((W + 5) / 2) + 1], out: f32[H, W]):
    down_y: f32[(H + 5) / 2, 2 * ((W + 5) / 2) + 1]
    low: f32[(H + 5) / 2, (W + 5) / 2]
    up_y: f32[H, (W + 5) / 2]
    for y in seq(0, (H + 5) / 2):
        for x in seq(0, 2 * ((W + 5) / 2) + 1):
            down_y[y, x] = 0.25 * inp[2 * y, x] + 0.5 * inp[2 * y + 1, x] + 0.25 * inp[2 * y + 2, x]
    for y in seq(0, (H + 5) / 2):
        for x in seq(0, (W + 5) / 2):
            low[y, x] = 0.25 * down_y[y, 2 * x] + 0.5 * down_y[y, 2 * x + 1] + 0.25 * down_y[y, 2 * x + 2]
    for y in seq(0, H):
        for x in seq(0, (W + 5) / 2):
            up_y[y, x] = 0.75 * low[y / 2 + 1, x] + 0.25 * low[y / 2 + 2 * (y % 2), x]
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = inp[y + 3, x + 3] - (0.75 * up_y[y, x / 2 + 1] + 0.25 * up_y[y, x / 2 + 2 * (x % 2)])


_up_y, _out = Func("up_y"), Func("out")


def residual_rows(strip: int = 32) -> Op:
    """Strips of rows in parallel. Two neighbours at a time, of which each is nearest to the same two of the level."""
    return pipeline(
        _out.split("y", "y", "yi", strip).parallel("y"),
        _up_y.compute_at(_out, "yi").vectorize("x"),
        _low.compute_at(_out, "y").vectorize("x"),
        _down_y.compute_at(_low, "yi").vectorize("x"),
        _out.split("x", "x", "xi", 2, "cut").unroll("xi").vectorize("x"),
    )


def residual_tiles(height: int = 32, width: int = 128) -> Op:
    """Tiles in parallel, each stage in each tile; by `partition`, only the last tile of a row has guards along it."""
    return pipeline(
        _out.tile("y", "x", "yi", "xi", height, width).parallel("y"),
        _up_y.compute_at(_out, "x").store_in(DRAM_STACK),
        _low.compute_at(_out, "x").store_in(DRAM_STACK),
        _down_y.compute_at(_out, "x").store_in(DRAM_STACK),
        _out.split("xi", "xi", "xii", 2).unroll("xii").partition("x").vectorize("xi"),
        _up_y.vectorize("xi"),
        _low.vectorize("xi"),
        _down_y.vectorize("xi"),
    )


def residual_pairs() -> Op:
    """Two rows at a time: of the level, the last three rows are kept."""
    return pipeline(
        _out.split("y", "y", "yi", 2),
        _up_y.compute_at(_out, "y").vectorize("x"),
        _low.store_root().compute_at(_out, "y").vectorize("x"),
        _down_y.store_root().compute_at(_low, "y").vectorize("x"),
        _out.split("x", "x", "xi", 2, "cut").unroll("xi").vectorize("x"),
    )


RESIDUAL = {"rows": residual_rows(), "tiles": residual_tiles(), "pairs": residual_pairs()}
