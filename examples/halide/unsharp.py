"""Unsharp masking of a colour image, as in Halide's repository. Imports `exo_strat`, `backends.targets` and
`strategies.halide`.

What a Gaussian filter takes away of the brightness is added once more, and each colour scaled by how much brighter
its pixel becomes. The image comes with three pixels around it.
"""

from __future__ import annotations

from backends.targets import PLAIN_C
from exo_strat import *
from strategies.halide import *


@proc
def unsharp(H: size, W: size, inp: f32[3, H + 6, W + 6], out: f32[3, H, W]):
    gray: f32[H + 6, W + 6]
    blur_y: f32[H, W + 6]
    blur_x: f32[H, W]
    sharpen: f32[H, W]
    ratio: f32[H, W]
    for y in seq(0, H + 6):
        for x in seq(0, W + 6):
            gray[y, x] = 0.299 * inp[0, y, x] + 0.587 * inp[1, y, x] + 0.114 * inp[2, y, x]
    for y in seq(0, H):
        for x in seq(0, W + 6):
            blur_y[y, x] = (
                0.2659615 * gray[y + 3, x]
                + 0.2129653 * (gray[y + 2, x] + gray[y + 4, x])
                + 0.1093400 * (gray[y + 1, x] + gray[y + 5, x])
                + 0.0359940 * (gray[y, x] + gray[y + 6, x])
            )
    for y in seq(0, H):
        for x in seq(0, W):
            blur_x[y, x] = (
                0.2659615 * blur_y[y, x + 3]
                + 0.2129653 * (blur_y[y, x + 2] + blur_y[y, x + 4])
                + 0.1093400 * (blur_y[y, x + 1] + blur_y[y, x + 5])
                + 0.0359940 * (blur_y[y, x] + blur_y[y, x + 6])
            )
    for y in seq(0, H):
        for x in seq(0, W):
            sharpen[y, x] = 2.0 * gray[y + 3, x + 3] - blur_x[y, x]
    for y in seq(0, H):
        for x in seq(0, W):
            ratio[y, x] = sharpen[y, x] / gray[y + 3, x + 3]
    for c in seq(0, 3):
        for y in seq(0, H):
            for x in seq(0, W):
                out[c, y, x] = ratio[y, x] * inp[c, y + 3, x + 3]


_gray, _blur_y, _blur_x, _sharpen, _ratio, _out = map(Func, ("gray", "blur_y", "blur_x", "sharpen", "ratio", "out"))


def rows(strip: int = 32) -> Op:
    """Row by row in parallel strips; seven rows of brightness are kept, and one of the other stages."""
    return pipeline(
        _sharpen.compute_inline(),
        _blur_x.compute_inline(),
        _out.reorder("x", "c", "y").split("y", "y", "yi", strip).parallel("y").vectorize("x"),
        _ratio.compute_at(_out, "yi"),
        _ratio.vectorize("x"),
        _blur_y.compute_at(_out, "yi").vectorize("x"),
        _gray.store_at(_out, "y").compute_at(_out, "yi").vectorize("x"),
    )


def pixels() -> Op:
    """Row by row in one thread, the three colours of a pixel together, and its ratio in a register."""
    return pipeline(
        _sharpen.compute_inline(),
        _blur_x.compute_inline(),
        _out.reorder("c", "x", "y"),
        _ratio.compute_at(_out, "x").store_in(DRAM_STACK),
        _blur_y.compute_at(_out, "y").vectorize("x"),
        _gray.store_root().compute_at(_out, "y").vectorize("x"),
        _out.unroll("c").vectorize("x"),
    )


def groups(
    n: int = hole("rows", (4, 6, 8, 12), default=8),
    strip: int = hole("groups", (4, 8, 16), default=8),
    machine: Machine = PLAIN_C,
    least: int = hole("least", (1024, 2048, 1 << 16), default=2048),
) -> Op:
    """Groups of rows, so many in each of the strips that run in parallel: of a column, what the rows of a group share
    of the brightness is read once. Where a group is whole, nothing asks for the image's end. On a machine with stores
    that pass the caches, rows of at least so many pixels do so."""
    return pipeline(
        _sharpen.compute_inline(),
        _blur_x.compute_inline(),
        _ratio.compute_inline(),
        _out.split("y", "y", "yi", n).split("y", "ys", "y", strip).reorder("c", "x", "yi", "y", "ys").parallel("ys"),
        _blur_y.compute_at(_out, "y").reorder("yi", "x"),
        _gray.store_at(_out, "ys").compute_at(_out, "y").vectorize("x"),
        _last(_out.partition("y").unroll("c"), machine, least),
        _blur_y.unroll("yi").vectorize("x"),
    )


def _last(out: Func, machine: Machine, least: int) -> Func:
    """How the pixels of a row are computed."""
    return out.stream("x", machine, least) if machine.streams else out.vectorize("x")


SCHEDULES = {"rows": rows(), "pixels": pixels(), "groups": groups()}
