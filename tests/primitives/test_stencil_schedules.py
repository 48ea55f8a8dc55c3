"""Schedules of stencils from end to end, each step checked: a binomial filter, strips of a corner detector, and a blur
in tiles that need not fit the image.
"""

from __future__ import annotations

from collections.abc import Callable

from exo_strat import Proc, proc_from_source
from exo_strat.direct import (
    cut_loop,
    divide_loop,
    divide_with_recompute,
    expand_dim,
    fission,
    fuse,
    lift_alloc,
    lift_scope,
    merge_recompute,
    parallelize_loop,
    reorder_stmts,
    resize_dim,
    rotate_buffer,
    shift_loop,
    simplify,
    sink_alloc,
    specialize,
)

Same = Callable[..., None]
Body = Callable[[Proc], str]

# -- binomial filter ----------------------------------------------------------------------------------

FACTORISED = proc_from_source("""
def binomial(H: size, W: size, inp: f32[H + 2, W + 2], wv: f32[3], wh: f32[3], out: f32[H, W]):
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = 0.0
            for dx in seq(0, 3):
                v: f32
                v = 0.0
                for dy in seq(0, 3):
                    v += wv[dy] * inp[y + dy, x + dx]
                out[y, x] += wh[dx] * v
""")


def vertical_sums_apart(extent: str, index: str) -> Proc:
    """The vertical sums of a pixel, held in a buffer, in a loop of their own that comes first."""
    p = expand_dim(FACTORISED, "v", extent, index)
    p = lift_alloc(p, "v", n_lifts=2)
    p = fission(p, p.find("v[_] += _").parent().after())  # type: ignore[union-attr]
    return reorder_stmts(p, "out[_] = 0.0", "dx")


def test_factorised_to_scanline_by_merging_what_is_computed_again(same: Same, body: Body) -> None:
    p = vertical_sums_apart("W + 2", "x + dx")
    p = fission(p, p.find_loop("dx").after())
    p = merge_recompute(p, "x", "u")
    assert body(p) == """
for y in seq(0, H):
    v: f32[W + 2] @ DRAM
    for u in seq(0, W + 2):
        v[u] = 0.0
        for dy in seq(0, 3):
            v[u] += wv[dy] * inp[y + dy, u]
    for x in seq(0, W):
        out[y, x] = 0.0
        for dx in seq(0, 3):
            out[y, x] += wh[dx] * v[x + dx]
""".strip()
    same(FACTORISED, p, H=2, W=4)
    same(FACTORISED, parallelize_loop(p, "y"), H=3, W=1)


def test_factorised_to_rotating_registers(same: Same, body: Body) -> None:
    p = rotate_buffer(vertical_sums_apart("3", "dx"), "dx")
    assert body(p) == """
for y in seq(0, H):
    v: f32[3] @ DRAM
    for dx in seq(0, 2):
        v[dx + 1] = 0.0
        for dy in seq(0, 3):
            v[dx + 1] += wv[dy] * inp[y + dy, dx]
    for x in seq(0, W):
        for dx in seq(0, 2):
            v[dx] = v[dx + 1]
        v[2] = 0.0
        for dy in seq(0, 3):
            v[2] += wv[dy] * inp[y + dy, x + 2]
        out[y, x] = 0.0
        for dx in seq(0, 3):
            out[y, x] += wh[dx] * v[dx]
""".strip()
    same(FACTORISED, p, H=2, W=4)
    same(FACTORISED, p, H=2, W=1)


# -- corner detection ---------------------------------------------------------------------------------

HARRIS = proc_from_source("""
def harris(H: size, W: size, inp: f32[3, H + 4, W + 4], out: f32[H, W]):
    assert H % 4 == 0
    g: f32[H + 4, W + 4]
    ix: f32[H + 2, W + 2]
    iy: f32[H + 2, W + 2]
    for r in seq(0, H + 4):
        for x in seq(0, W + 4):
            g[r, x] = 0.299 * inp[0, r, x] + 0.587 * inp[1, r, x] + 0.114 * inp[2, r, x]
    for r in seq(0, H + 2):
        for x in seq(0, W + 2):
            ix[r, x] = (g[r, x + 2] - g[r, x] + 2.0 * (g[r + 1, x + 2] - g[r + 1, x]) + g[r + 2, x + 2]) / 12.0
    for r in seq(0, H + 2):
        for x in seq(0, W + 2):
            iy[r, x] = (g[r + 2, x] - g[r, x] + 2.0 * (g[r + 2, x + 1] - g[r, x + 1]) + g[r + 2, x + 2]) / 12.0
    for r in seq(0, H):
        for x in seq(0, W):
            sxx: f32
            sxy: f32
            syy: f32
            sxx = 0.0
            sxy = 0.0
            syy = 0.0
            for dy in seq(0, 3):
                for dx in seq(0, 3):
                    sxx += ix[r + dy, x + dx] * ix[r + dy, x + dx]
                    sxy += ix[r + dy, x + dx] * iy[r + dy, x + dx]
                    syy += iy[r + dy, x + dx] * iy[r + dy, x + dx]
            out[r, x] = sxx * syy - sxy * sxy - 0.04 * (sxx + syy) * (sxx + syy)
""")


def strips(p: Proc) -> Proc:
    """Both derivatives together, in parallel strips of four rows that compute their halo again."""
    p = fuse(p, "r #1", "r #2")
    p = fuse(p, "x #1", "x #2")
    p = divide_loop(p, "r #2", 4, ["s", "r"], perfect=True)
    p = divide_with_recompute(p, "r #1", "H / 4", 4, ["s", "r"])
    p = divide_with_recompute(p, "r #0", "H / 4", 4, ["s", "r"])
    p = fuse(p, "s #0", "s #1")
    p = fuse(p, "s #0", "s #1")
    for a, rows in (("g", 8), ("ix", 6), ("iy", 6)):
        p = resize_dim(sink_alloc(p, a), a, 0, rows, "4 * s")
    return parallelize_loop(simplify(p), "s")


def rings(p: Proc) -> Proc:
    """The stages of a strip row by row, each two rows after the one before, in circular buffers of three rows."""
    p = shift_loop(p, "r #1", 2)
    p = shift_loop(p, "r #2", 4)
    p = fuse(cut_loop(p, "r #0", 2), "r #1", "r #2")
    p = fuse(cut_loop(p, "r #1", 4), "r #2", "r #3")
    for a in ("g", "ix", "iy"):
        p = resize_dim(p, a, 0, 3, 0, fold=True)
    return p


def test_strips_of_a_corner_detector_in_circular_buffers(same: Same) -> None:
    p = strips(HARRIS)
    assert "for s in par(0, H / 4):\n        iy: f32[6, W + 2]" in str(p)
    q = rings(p)
    assert "g: f32[3, W + 4]" in str(q) and "for r in seq(4, 8):" in str(q)
    same(HARRIS, q, H=8, W=1)


# -- tiles that need not fit --------------------------------------------------------------------------

BLUR = proc_from_source("""
def blur(H: size, W: size, inp: f32[H + 2, W + 2], out: f32[H, W]):
    b: f32[H + 2, W]
    for y in seq(0, H + 2):
        for x in seq(0, W):
            b[y, x] = inp[y, x] + inp[y, x + 1] + inp[y, x + 2]
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = b[y, x] + b[y + 1, x] + b[y + 2, x]
""")


def test_tiles_with_guards_compute_what_the_image_has(same: Same, body: Body) -> None:
    p = divide_loop(BLUR, "y #1", 4, ["yo", "yi"], tail="guard")
    p = divide_loop(p, "x #1", 8, ["xo", "xi"], tail="guard")
    p = lift_scope(lift_scope(p, "xo"), "xo")
    p = divide_with_recompute(p, "y", "(H + 3) / 4", 4, ["yo", "yi"], width=6)
    p = divide_loop(p, "x", 8, ["xo", "xi"], tail="guard")
    p = lift_scope(lift_scope(p, "xo"), "xo")
    p = fuse(fuse(p, "yo", "yo #1"), "xo", "xo #1")
    p = sink_alloc(sink_alloc(p, "b"), "b")
    p = resize_dim(resize_dim(p, "b", 0, 6, "4 * yo"), "b", 1, 8, "8 * xo")
    p = parallelize_loop(simplify(p), "yo")
    assert body(p) == """
for yo in par(0, (H + 3) / 4):
    for xo in seq(0, (W + 7) / 8):
        b: f32[6, 8] @ DRAM
        for yi in seq(0, 6):
            if 4 * yo + yi < H + 2:
                for xi in seq(0, 8):
                    if 8 * xo + xi < W:
                        b[yi, xi] = inp[4 * yo + yi, 8 * xo + xi] + inp[4 * yo + yi, 8 * xo + xi + 1] + \
inp[4 * yo + yi, 8 * xo + xi + 2]
        for yi in seq(0, 4):
            if 4 * yo + yi < H:
                for xi in seq(0, 8):
                    if 8 * xo + xi < W:
                        out[4 * yo + yi, 8 * xo + xi] = b[yi, xi] + b[yi + 1, xi] + b[yi + 2, xi]
""".strip()
    for h, w in ((1, 1), (4, 8), (5, 9)):
        same(BLUR, p, H=h, W=w)


def test_full_tiles_and_the_rest(same: Same) -> None:
    """Where there is no full tile the image is computed as before: without it, there would be no tile for the rows
    that the rest needs."""
    p = specialize(BLUR, BLUR.body()[1:], "H >= 4")
    p = divide_loop(p, "y #1", 4, ["yo", "yi"], tail="cut")
    p = cut_loop(p, "y", "4 * (H / 4) + 2")
    p = reorder_stmts(p, "y #1", "yo")
    p = divide_with_recompute(p, "y", "H / 4", 4, ["yo", "yi"])
    p = fuse(p, "yo", "yo #1")
    for h in (3, 4, 9):
        same(BLUR, p, H=h, W=2)
