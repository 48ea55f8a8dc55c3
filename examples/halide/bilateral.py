"""A filter that smooths an image and keeps its edges, by a bilateral grid. Imports `exo_strat` and `strategies.halide`.

As in Halide's app: of each cell of 8 x 8 pixels, a histogram over 16 brightnesses holds the sum of the pixels and how
many there are; the grid is blurred by weights 1 4 6 4 1 along brightness, columns and rows; and each pixel is read
between the eight nearest cells. The indices of both ends come from data, and are clamped: brightnesses are from 0 to 1.
Sum and number of a brightness lie side by side, so the last dimension of the grid is twice as long.

The image comes with twenty pixels before its first one, and as many after the last as its last cell reaches.
"""

from __future__ import annotations

from exo_strat import *
from strategies.halide import *


@proc
def bilateral_grid(H: size, W: size, inp: f32[8 * ((H + 7) / 8) + 40, 8 * ((W + 7) / 8) + 40], out: f32[H, W]):
    level: i32[8 * ((H + 7) / 8) + 40, 8 * ((W + 7) / 8) + 40]
    grid: f32[(H + 7) / 8 + 5, (W + 7) / 8 + 5, 32]
    along_z: f32[(H + 7) / 8 + 5, (W + 7) / 8 + 5, 24]
    along_x: f32[(H + 7) / 8 + 5, (W + 7) / 8 + 1, 24]
    along_y: f32[(H + 7) / 8 + 1, (W + 7) / 8 + 1, 24]
    rows: f32[H, (W + 7) / 8 + 1, 24]
    floor: i32[H, W]
    near: f32[H, W, 4]
    value: f32[H, W, 2]
    # the histogram of each cell
    for y in seq(0, 8 * ((H + 7) / 8) + 40):
        for x in seq(0, 8 * ((W + 7) / 8) + 40):
            level[y, x] = rint(10.0 * inp[y, x] + 2.0)
    for y in seq(0, (H + 7) / 8 + 5):
        for x in seq(0, (W + 7) / 8 + 5):
            for z in seq(0, 32):
                grid[y, x, z] = 0.0
            for dy in seq(0, 8):
                for dx in seq(0, 8):
                    grid[y, x, 2 * min(max(level[8 * y + dy, 8 * x + dx], 0), 15)] += inp[8 * y + dy, 8 * x + dx]
                    grid[y, x, 2 * min(max(level[8 * y + dy, 8 * x + dx], 0), 15) + 1] += 1.0
    # blurred
    for y in seq(0, (H + 7) / 8 + 5):
        for x in seq(0, (W + 7) / 8 + 5):
            for z in seq(0, 24):
                along_z[y, x, z] = (
                    (grid[y, x, z] + grid[y, x, z + 8])
                    + 4.0 * (grid[y, x, z + 2] + grid[y, x, z + 6])
                    + 6.0 * grid[y, x, z + 4]
                )
    for y in seq(0, (H + 7) / 8 + 5):
        for x in seq(0, (W + 7) / 8 + 1):
            for z in seq(0, 24):
                along_x[y, x, z] = (
                    (along_z[y, x, z] + along_z[y, x + 4, z])
                    + 4.0 * (along_z[y, x + 1, z] + along_z[y, x + 3, z])
                    + 6.0 * along_z[y, x + 2, z]
                )
    for y in seq(0, (H + 7) / 8 + 1):
        for x in seq(0, (W + 7) / 8 + 1):
            for z in seq(0, 24):
                along_y[y, x, z] = (
                    (along_x[y, x, z] + along_x[y + 4, x, z])
                    + 4.0 * (along_x[y + 1, x, z] + along_x[y + 3, x, z])
                    + 6.0 * along_x[y + 2, x, z]
                )
    # between two cells of a column; of these, between the two nearest of a row, at the two nearest brightnesses (for
    # one that a cell has, `floor` may be the next lower, with the same result)
    for y in seq(0, H):
        for x in seq(0, (W + 7) / 8 + 1):
            for z in seq(0, 24):
                rows[y, x, z] = (1.0 - 0.125 * f32(y % 8)) * along_y[y / 8, x, z] + (
                    0.125 * f32(y % 8)
                ) * along_y[y / 8 + 1, x, z]
    for y in seq(0, H):
        for x in seq(0, W):
            floor[y, x] = rint(10.0 * inp[y + 20, x + 20] - 0.5)
    for y in seq(0, H):
        for x in seq(0, W):
            for z in seq(0, 4):
                near[y, x, z] = (1.0 - 0.125 * f32(x % 8)) * rows[y, x / 8, 2 * min(max(floor[y, x], 0), 10) + z] + (
                    0.125 * f32(x % 8)
                ) * rows[y, x / 8 + 1, 2 * min(max(floor[y, x], 0), 10) + z]
    for y in seq(0, H):
        for x in seq(0, W):
            for z in seq(0, 2):
                value[y, x, z] = (1.0 - (10.0 * inp[y + 20, x + 20] - f32(floor[y, x]))) * near[y, x, z] + (
                    10.0 * inp[y + 20, x + 20] - f32(floor[y, x])
                ) * near[y, x, z + 2]
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = value[y, x, 0] / value[y, x, 1]


_level, _grid, _z, _x, _y = map(Func, ("level", "grid", "along_z", "along_x", "along_y"))
_rows, _floor, _near, _value, _out = map(Func, ("rows", "floor", "near", "value", "out"))


def strips() -> Op:
    """A row of cells at a time: its histogram in parallel, and its pixels with the rows between two rows of cells."""
    return pipeline(
        _out.split("y", "y", "yi", 8).parallel("y"),
        _value.compute_at(_out, "yi"),
        _near.compute_at(_value, "x").store_in(DRAM_STACK),
        _floor.compute_at(_out, "yi").vectorize("x"),
        _rows.compute_at(_out, "yi").vectorize("z"),
        _y.compute_at(_out, "y").vectorize("z"),
        _x.parallel("y").vectorize("z"),
        _z.compute_at(_x, "y").vectorize("z"),
        _grid.parallel("y"),
        _level.compute_at(_grid, "y").vectorize("x"),
        _value.split("x", "x", "xi", 8, "cut"),
        _near.vectorize("z"),
        _value.vectorize("z").unroll("xi"),
        _out.vectorize("x"),
    )


SCHEDULES = {"strips": strips()}
