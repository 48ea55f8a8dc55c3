"""The 3x3 box blur of Halide's paper, as one stage for rows and one for columns. Imports `exo_strat`,
`backends.targets` and `strategies.halide`.

`blur` is the naive program; its schedules are for images of any size.
"""

from __future__ import annotations

from backends.targets import PLAIN_C
from exo_strat import *
from strategies.halide import *


@proc
def blur(H: size, W: size, inp: f32[H + 2, W + 2], blur_y: f32[H, W]):
    blur_x: f32[H + 2, W]
    for y in seq(0, H + 2):
        for x in seq(0, W):
            blur_x[y, x] = (inp[y, x] + inp[y, x + 1] + inp[y, x + 2]) * 0.3333333
    for y in seq(0, H):
        for x in seq(0, W):
            blur_y[y, x] = (blur_x[y, x] + blur_x[y + 1, x] + blur_x[y + 2, x]) * 0.3333333


def paper(height: int = 32, width: int = 256, lanes: int = 16) -> Op:
    """The steps of the paper's Figure 12."""
    return seq(
        H_tile("blur_y", "y", "x", "yi", "xi", height, width),
        H_compute_store_at("blur_x", "blur_y", "x"),
        H_parallel("blur_y", "y"),
        H_vectorize("blur_x", "xi", lanes),
        H_vectorize("blur_y", "xi", lanes),
        H_store_in("blur_x", DRAM_STACK),
    )


_x, _y = Func("blur_x"), Func("blur_y")


def figure_11(height: int = 32, width: int = 256, lanes: int = 16) -> Op:
    """Halide's own words for the same."""
    return pipeline(
        _y.tile("y", "x", "yi", "xi", height, width).vectorize("xi", lanes).parallel("y"),
        _x.compute_at(_y, "x").vectorize("xi", lanes),
    )


def rows(strip: int = hole("strip", (16, 32, 64, 128), default=64)) -> Op:
    """Each row of the image is read once, in strips that run in parallel; three rows of the first stage are kept."""
    return pipeline(
        _y.split("y", "y", "yi", strip).parallel("y"),
        _x.store_at(_y, "y").compute_at(_y, "yi").vectorize("x"),
        _y.vectorize("x"),
    )


def root() -> Op:
    """The same without strips."""
    return pipeline(_x.store_root().compute_at(_y, "y").vectorize("x"), _y.vectorize("x"))


def streamed(strip: int = hole("strip", (16, 32, 64, 128), default=64), machine: Machine = PLAIN_C) -> Op:
    """As `rows`, but both stages of some pixels at once, and on a machine with stores that pass the caches, the result
    does so: for images that the caches near to a core don't hold."""
    return pipeline(
        _y.split("y", "y", "yi", strip).parallel("y"),
        _x.store_at(_y, "y").compute_at(_y, "x").vectorize("x"),
        _y.stream("x", machine) if machine.streams else _y.vectorize("x"),
    )


def groups(n: int = hole("rows", (4, 6, 8, 12, 16), default=6)) -> Op:
    """So many rows at a time, without a buffer: what they share of the first stage is in registers."""
    return pipeline(
        _x.compute_inline(),
        _y.split("y", "y", "yi", n, "cut").reorder("yi", "x", "y").unroll("yi").parallel("y").vectorize("x"),
    )


SCHEDULES = {
    "paper": paper(),
    "Figure 11": figure_11(),
    "rows": rows(),
    "root": root(),
    "streamed": streamed(),
    "groups": groups(),
}
