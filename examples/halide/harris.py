"""Harris corner detection: brightness, its two derivatives, and how much both vary around a pixel. Imports `exo_strat`
and `strategies.halide`."""

from __future__ import annotations

from exo_strat import *
from strategies.halide import *


@proc
def harris(H: size, W: size, inp: f32[3, H + 4, W + 4], out: f32[H, W]):
    gray: f32[H + 4, W + 4]
    ix: f32[H + 2, W + 2]
    iy: f32[H + 2, W + 2]
    for y in seq(0, H + 4):
        for x in seq(0, W + 4):
            gray[y, x] = 0.299 * inp[0, y, x] + 0.587 * inp[1, y, x] + 0.114 * inp[2, y, x]
    for y in seq(0, H + 2):
        for x in seq(0, W + 2):
            ix[y, x] = 0.0833333 * (
                (gray[y, x + 2] - gray[y, x])
                + 2.0 * (gray[y + 1, x + 2] - gray[y + 1, x])
                + (gray[y + 2, x + 2] - gray[y + 2, x])
            )
    for y in seq(0, H + 2):
        for x in seq(0, W + 2):
            iy[y, x] = 0.0833333 * (
                (gray[y + 2, x] - gray[y, x])
                + 2.0 * (gray[y + 2, x + 1] - gray[y, x + 1])
                + (gray[y + 2, x + 2] - gray[y, x + 2])
            )
    for y in seq(0, H):
        for x in seq(0, W):
            sxx: f32
            sxy: f32
            syy: f32
            sxx = 0.0
            sxy = 0.0
            syy = 0.0
            for dy in seq(0, 3):
                for dx in seq(0, 3):
                    sxx += ix[y + dy, x + dx] * ix[y + dy, x + dx]
                    sxy += ix[y + dy, x + dx] * iy[y + dy, x + dx]
                    syy += iy[y + dy, x + dx] * iy[y + dy, x + dx]
            out[y, x] = sxx * syy - sxy * sxy - 0.04 * (sxx + syy) * (sxx + syy)


_gray, _ix, _iy, _out = map(Func, ("gray", "ix", "iy", "out"))


def rows(strip: int = 32) -> Op:
    """Row by row in strips that run in parallel; of each stage the last three rows are kept."""
    return pipeline(
        _out.split("y", "y", "yi", strip).parallel("y"),
        _iy.store_at(_out, "y").compute_at(_out, "yi").vectorize("x"),
        _ix.store_at(_out, "y").compute_at(_out, "yi").vectorize("x"),
        _gray.store_at(_out, "y").compute_at(_out, "yi").vectorize("x"),
        Func("sxx").unroll("dx").unroll("dy").store_in(DRAM_STACK),
        Func("sxy").store_in(DRAM_STACK),
        Func("syy").store_in(DRAM_STACK),
        _out.vectorize("x"),
    )


_sums = [Func(name).store_in(DRAM_STACK) for name in ("sxx", "sxy", "syy")]


def groups(
    n: int = hole("rows", (4, 6, 8, 12), default=8), strip: int = hole("groups", (4, 8, 16, 32), default=8)
) -> Op:
    """Groups of rows, so many in each of the strips that run in parallel: of a column, what the rows of a group share
    of the derivatives is read once. Brightness and derivatives are computed once in a strip, the two of a pixel at
    once."""
    return pipeline(
        _sums[0].unroll("dx").unroll("dy"),
        *_sums[1:],
        _out.split("y", "y", "yi", n).split("y", "ys", "y", strip).reorder("yi", "x", "y", "ys").parallel("ys"),
        _iy.store_at(_out, "ys").compute_at(_out, "y"),
        _ix.store_at(_out, "ys").compute_at(_out, "y").compute_with(_iy, "x"),
        _gray.store_at(_out, "ys").compute_at(_out, "y").vectorize("x"),
        _ix.vectorize("x"),
        _out.partition("y").unroll("yi").vectorize("x"),
    )


SCHEDULES = {"rows": rows(), "groups": groups()}
