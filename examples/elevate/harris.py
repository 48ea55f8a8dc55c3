"""Harris corner detection: five passes over the image become one by strips of 32 rows. Imports `exo_strat` and
`strategies.elevate`.

In a strip, rows of the grey image and of the two gradients live in circular buffers of three rows; the sums over
a 3x3 window are held in scalars. ELEVATE's `circularBuffer` starts with a prologue, and so does this.
"""

from __future__ import annotations

from exo_strat import *
from strategies.elevate import isMap, outermost, parallel


@proc
def harris(H: size, W: size, inp: f32[3, H + 4, W + 4], out: f32[H, W]):
    assert H % 32 == 0
    g: f32[H + 4, W + 4]
    ix: f32[H + 2, W + 2]
    iy: f32[H + 2, W + 2]
    xx: f32[H, W]
    xy: f32[H, W]
    yy: f32[H, W]
    for y in seq(0, H + 4):
        for x in seq(0, W + 4):
            g[y, x] = 0.299 * inp[0, y, x] + 0.587 * inp[1, y, x] + 0.114 * inp[2, y, x]
    for y in seq(0, H + 2):
        for x in seq(0, W + 2):
            ix[y, x] = (
                g[y, x + 2] - g[y, x] + 2.0 * (g[y + 1, x + 2] - g[y + 1, x]) + g[y + 2, x + 2] - g[y + 2, x]
            ) / 12.0
    for y in seq(0, H + 2):
        for x in seq(0, W + 2):
            iy[y, x] = (
                g[y + 2, x] - g[y, x] + 2.0 * (g[y + 2, x + 1] - g[y, x + 1]) + g[y + 2, x + 2] - g[y, x + 2]
            ) / 12.0
    for y in seq(0, H):
        for x in seq(0, W):
            xx[y, x] = 0.0
            xy[y, x] = 0.0
            yy[y, x] = 0.0
            for dy in seq(0, 3):
                for dx in seq(0, 3):
                    xx[y, x] += ix[y + dy, x + dx] * ix[y + dy, x + dx]
                    xy[y, x] += ix[y + dy, x + dx] * iy[y + dy, x + dx]
                    yy[y, x] += iy[y + dy, x + dx] * iy[y + dy, x + dx]
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = xx[y, x] * yy[y, x] - xy[y, x] * xy[y, x] - 0.04 * (xx[y, x] + yy[y, x]) * (xx[y, x] + yy[y, x])


STRIP = 32
"""Rows of a strip, which divide the height."""


def loop(name: str, n: int) -> str:
    """The n-th loop of a name, from 0."""
    return f"for {name} in _: _ #{n}"


@strategy
def fuse_images(p: Proc, c: ForCursor, second: str) -> Script:
    """`for y: for x: s1; for y: for x: s2  ~>  for y: for x: s1; s2`. Focus: the first of the outer loops."""
    p, rows = yield fuse(second)
    first, other = rows.body()
    yield on(first, fuse(other))


@strategy
def in_scalar(p: Proc, c: BlockCursor, buffer: str, name: str) -> Script:
    """`s; s[a[y, x]]  ~>  t: f32; s[a[y, x] -> t]`, and no more a. Focus: the body of the loops over y and x."""
    yield stage_mem(f"{buffer}[y, x]", name)
    yield at(moves.root >> moves.find_alloc(buffer), delete_buffer())


# as many passes as there are images to keep: g; ix and iy; the result
passes = seq(
    at(loop("y", 1), fuse_images(loop("y", 2))),
    at(loop("y", 2), fuse_images(loop("y", 3))),
    *[at(moves.find(loop("x", 2)) >> moves.body, in_scalar(a, f"s{a}")) for a in ("xx", "xy", "yy")],
)

# strips: a pass makes the rows that the next one needs, some of them again in the next strip
strips = seq(
    *[at(loop("y", 0), divide_with_recompute(f"H / {STRIP}", STRIP, ("s", "r"))) for _ in range(2)],
    at(loop("y", 0), divide_loop(STRIP, ("s", "r"), tail="perfect")),
    simplify(),
    at(loop("s", 0), repeat_n(fuse(loop("s", 1)), 2)),
    *[
        at(f"{a}: _", sink_alloc() >> resize_dim(0, STRIP + rows, f"{STRIP} * s"))
        for a, rows in (("g", 4), ("ix", 2), ("iy", 2))
    ],
    simplify(),
)

# one loop over the rows of a strip: each pass two rows after the one before
rows_together = seq(
    at(loop("r", 1), shift_loop(2)),
    at(loop("r", 2), shift_loop(4)),
    at(loop("r", 0), cut_loop(2)),
    at(loop("r", 1), fuse(loop("r", 2)) >> cut_loop(4)),
    at(loop("r", 2), fuse(loop("r", 3))),
    simplify(),
)

circular = seq(*[at(f"{a}: _", resize_dim(0, 3, 0, fold=True)) for a in ("g", "ix", "iy")], simplify())

strips_of_rows = passes >> strips
line_buffers = strips_of_rows >> rows_together >> circular >> parallel @ outermost(isMap)

VERSIONS = {
    "five passes": identity,
    "three passes": passes,
    "strips": strips_of_rows,
    "line buffers": line_buffers,
}
