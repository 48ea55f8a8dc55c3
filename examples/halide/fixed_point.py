"""The 3x3 box blur on integers, as in Halide's repository. Imports `exo_strat` and `strategies.halide`.

`//` is the exact floor of the quotient. `blur16` divides in each pass, and its values must stay below 2**16 / 3, as in
Halide's app. `blur8` widens to 16 bits and divides once, so that any image is right.
"""

from __future__ import annotations

from exo_strat import *
from strategies.halide import *


@proc
def blur16(H: size, W: size, inp: u16[H + 2, W + 2], blur_y: u16[H, W]):
    blur_x: u16[H + 2, W]
    for y in seq(0, H + 2):
        for x in seq(0, W):
            blur_x[y, x] = (inp[y, x] + inp[y, x + 1] + inp[y, x + 2]) // 3
    for y in seq(0, H):
        for x in seq(0, W):
            blur_y[y, x] = (blur_x[y, x] + blur_x[y + 1, x] + blur_x[y + 2, x]) // 3


@proc
def blur8(H: size, W: size, inp: u8[H + 2, W + 2], blur_y: u8[H, W]):
    blur_x: u16[H + 2, W]
    for y in seq(0, H + 2):
        for x in seq(0, W):
            blur_x[y, x] = u16(inp[y, x]) + u16(inp[y, x + 1]) + u16(inp[y, x + 2])
    for y in seq(0, H):
        for x in seq(0, W):
            blur_y[y, x] = (blur_x[y, x] + blur_x[y + 1, x] + blur_x[y + 2, x]) // 9


_x, _y = Func("blur_x"), Func("blur_y")


def tiles(height: int = 32, width: int = 256, lanes: int = 16) -> Op:
    """The tiles of the paper's Figure 11."""
    return pipeline(
        _y.tile("y", "x", "yi", "xi", height, width).vectorize("xi", lanes).parallel("y"),
        _x.compute_at(_y, "x").vectorize("xi", lanes).store_in(DRAM_STACK),
    )


def rows(strip: int = 64) -> Op:
    """Strips of rows in parallel; three rows of the first stage are kept."""
    return pipeline(
        _y.split("y", "y", "yi", strip).parallel("y"),
        _x.store_at(_y, "y").compute_at(_y, "x").vectorize("x"),
        _y.vectorize("x"),
    )


def groups(n: int = 8) -> Op:
    """So many rows at a time, without a buffer: what they share of the first stage is in registers."""
    return pipeline(
        _x.compute_inline(),
        _y.split("y", "y", "yi", n, "cut").reorder("yi", "x", "y").unroll("yi").vectorize("x"),
    )


SCHEDULES = {"tiles": tiles(), "rows": rows(), "groups": groups()}
