"""Local Laplacian filtering of a grey image, in three levels of a pyramid. Imports `exo_strat` and `strategies.halide`.

As in Halide's app: the image is remapped around four brightnesses, each remapped image becomes a pyramid, and what
comes out is put together from their Laplacian levels, at each pixel between the two whose brightnesses are nearest to
its own. Data cannot be an index here, so the two are chosen by weights, of which the others are zero; and the curve of
the remapping is `d * relu(1 - d * d)`.

The image comes with nine pixels before its first one, and as many after the last as the coarsest level reaches.
"""

from __future__ import annotations

from exo_strat import *
from strategies.halide import *


# four remapped images, and their Gaussian pyramids
@proc
def remapped(
    H: size,
    W: size,
    inp: f32[4 * ((H + 15) / 4) + 3, 4 * ((W + 15) / 4) + 3],
    level: f32[4],
    strength: f32,
    g0: f32[4, 4 * ((H + 15) / 4) + 3, 4 * ((W + 15) / 4) + 3],
    d1: f32[4, 2 * ((H + 15) / 4) + 1, 4 * ((W + 15) / 4) + 3],
    g1: f32[4, 2 * ((H + 15) / 4) + 1, 2 * ((W + 15) / 4) + 1],
    d2: f32[4, (H + 15) / 4, 2 * ((W + 15) / 4) + 1],
    g2: f32[4, (H + 15) / 4, (W + 15) / 4],
):
    for k in seq(0, 4):
        for y in seq(0, 4 * ((H + 15) / 4) + 3):
            for x in seq(0, 4 * ((W + 15) / 4) + 3):
                g0[k, y, x] = inp[y, x] + strength * (inp[y, x] - level[k]) * relu(
                    1.0 - (inp[y, x] - level[k]) * (inp[y, x] - level[k])
                )
    for k in seq(0, 4):
        for y in seq(0, 2 * ((H + 15) / 4) + 1):
            for x in seq(0, 4 * ((W + 15) / 4) + 3):
                d1[k, y, x] = 0.25 * g0[k, 2 * y, x] + 0.5 * g0[k, 2 * y + 1, x] + 0.25 * g0[k, 2 * y + 2, x]
    for k in seq(0, 4):
        for y in seq(0, 2 * ((H + 15) / 4) + 1):
            for x in seq(0, 2 * ((W + 15) / 4) + 1):
                g1[k, y, x] = 0.25 * d1[k, y, 2 * x] + 0.5 * d1[k, y, 2 * x + 1] + 0.25 * d1[k, y, 2 * x + 2]
    for k in seq(0, 4):
        for y in seq(0, (H + 15) / 4):
            for x in seq(0, 2 * ((W + 15) / 4) + 1):
                d2[k, y, x] = 0.25 * g1[k, 2 * y, x] + 0.5 * g1[k, 2 * y + 1, x] + 0.25 * g1[k, 2 * y + 2, x]
    for k in seq(0, 4):
        for y in seq(0, (H + 15) / 4):
            for x in seq(0, (W + 15) / 4):
                g2[k, y, x] = 0.25 * d2[k, y, 2 * x] + 0.5 * d2[k, y, 2 * x + 1] + 0.25 * d2[k, y, 2 * x + 2]


# the image's own Gaussian pyramid
@proc
def pyramid(
    H: size,
    W: size,
    inp: f32[4 * ((H + 15) / 4) + 3, 4 * ((W + 15) / 4) + 3],
    e1: f32[2 * ((H + 15) / 4) + 1, 4 * ((W + 15) / 4) + 3],
    i1: f32[2 * ((H + 15) / 4) + 1, 2 * ((W + 15) / 4) + 1],
    e2: f32[(H + 15) / 4, 2 * ((W + 15) / 4) + 1],
    i2: f32[(H + 15) / 4, (W + 15) / 4],
):
    for y in seq(0, 2 * ((H + 15) / 4) + 1):
        for x in seq(0, 4 * ((W + 15) / 4) + 3):
            e1[y, x] = 0.25 * inp[2 * y, x] + 0.5 * inp[2 * y + 1, x] + 0.25 * inp[2 * y + 2, x]
    for y in seq(0, 2 * ((H + 15) / 4) + 1):
        for x in seq(0, 2 * ((W + 15) / 4) + 1):
            i1[y, x] = 0.25 * e1[y, 2 * x] + 0.5 * e1[y, 2 * x + 1] + 0.25 * e1[y, 2 * x + 2]
    for y in seq(0, (H + 15) / 4):
        for x in seq(0, 2 * ((W + 15) / 4) + 1):
            e2[y, x] = 0.25 * i1[2 * y, x] + 0.5 * i1[2 * y + 1, x] + 0.25 * i1[2 * y + 2, x]
    for y in seq(0, (H + 15) / 4):
        for x in seq(0, (W + 15) / 4):
            i2[y, x] = 0.25 * e2[y, 2 * x] + 0.5 * e2[y, 2 * x + 1] + 0.25 * e2[y, 2 * x + 2]


# the coarsest level, blended
@proc
def coarsest(
    H: size,
    W: size,
    level: f32[4],
    g2: f32[4, (H + 15) / 4, (W + 15) / 4],
    i2: f32[(H + 15) / 4, (W + 15) / 4],
    o2: f32[(H + 15) / 4, (W + 15) / 4],
):
    for y in seq(0, (H + 15) / 4):
        for x in seq(0, (W + 15) / 4):
            o2[y, x] = 0.0
            for k in seq(0, 4):
                o2[y, x] += relu(1.0 - abs(3.0 * (i2[y, x] - level[k]))) * g2[k, y, x]


# the middle level: what is below, upsampled, and the blended Laplacians
@proc
def middle(
    H: size,
    W: size,
    level: f32[4],
    g1: f32[4, 2 * ((H + 15) / 4) + 1, 2 * ((W + 15) / 4) + 1],
    g2: f32[4, (H + 15) / 4, (W + 15) / 4],
    i1: f32[2 * ((H + 15) / 4) + 1, 2 * ((W + 15) / 4) + 1],
    o2: f32[(H + 15) / 4, (W + 15) / 4],
    p2: f32[(H + 5) / 2, (W + 15) / 4],
    q2: f32[4, (H + 5) / 2, (W + 15) / 4],
    o1: f32[(H + 5) / 2, (W + 5) / 2],
):
    for y in seq(0, (H + 5) / 2):
        for x in seq(0, (W + 15) / 4):
            p2[y, x] = 0.75 * o2[y / 2 + 1, x] + 0.25 * o2[y / 2 + 2 * (y % 2), x]
    for k in seq(0, 4):
        for y in seq(0, (H + 5) / 2):
            for x in seq(0, (W + 15) / 4):
                q2[k, y, x] = 0.75 * g2[k, y / 2 + 1, x] + 0.25 * g2[k, y / 2 + 2 * (y % 2), x]
    for y in seq(0, (H + 5) / 2):
        for x in seq(0, (W + 5) / 2):
            o1[y, x] = 0.75 * p2[y, x / 2 + 1] + 0.25 * p2[y, x / 2 + 2 * (x % 2)]
            for k in seq(0, 4):
                o1[y, x] += relu(1.0 - abs(3.0 * (i1[y + 3, x + 3] - level[k]))) * (
                    g1[k, y + 3, x + 3] - (0.75 * q2[k, y, x / 2 + 1] + 0.25 * q2[k, y, x / 2 + 2 * (x % 2)])
                )


# the finest level
@proc
def finest(
    H: size,
    W: size,
    inp: f32[4 * ((H + 15) / 4) + 3, 4 * ((W + 15) / 4) + 3],
    level: f32[4],
    strength: f32,
    g1: f32[4, 2 * ((H + 15) / 4) + 1, 2 * ((W + 15) / 4) + 1],
    o1: f32[(H + 5) / 2, (W + 5) / 2],
    r0: f32[4, H, W],
    p1: f32[H, (W + 5) / 2],
    q1: f32[4, H, (W + 5) / 2],
    out: f32[H, W],
):
    for k in seq(0, 4):
        for y in seq(0, H):
            for x in seq(0, W):
                r0[k, y, x] = inp[y + 9, x + 9] + strength * (inp[y + 9, x + 9] - level[k]) * relu(
                    1.0 - (inp[y + 9, x + 9] - level[k]) * (inp[y + 9, x + 9] - level[k])
                )
    for y in seq(0, H):
        for x in seq(0, (W + 5) / 2):
            p1[y, x] = 0.75 * o1[y / 2 + 1, x] + 0.25 * o1[y / 2 + 2 * (y % 2), x]
    for k in seq(0, 4):
        for y in seq(0, H):
            for x in seq(0, (W + 5) / 2):
                q1[k, y, x] = 0.75 * g1[k, y / 2 + 4, x + 3] + 0.25 * g1[k, y / 2 + 2 * (y % 2) + 3, x + 3]
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = 0.75 * p1[y, x / 2 + 1] + 0.25 * p1[y, x / 2 + 2 * (x % 2)]
            for k in seq(0, 4):
                out[y, x] += relu(1.0 - abs(3.0 * (inp[y + 9, x + 9] - level[k]))) * (
                    r0[k, y, x] - (0.75 * q1[k, y, x / 2 + 1] + 0.25 * q1[k, y, x / 2 + 2 * (x % 2)])
                )


@proc
def parts(
    H: size,
    W: size,
    inp: f32[4 * ((H + 15) / 4) + 3, 4 * ((W + 15) / 4) + 3],
    level: f32[4],
    strength: f32,
    out: f32[H, W],
):
    g0: f32[4, 4 * ((H + 15) / 4) + 3, 4 * ((W + 15) / 4) + 3]
    d1: f32[4, 2 * ((H + 15) / 4) + 1, 4 * ((W + 15) / 4) + 3]
    g1: f32[4, 2 * ((H + 15) / 4) + 1, 2 * ((W + 15) / 4) + 1]
    d2: f32[4, (H + 15) / 4, 2 * ((W + 15) / 4) + 1]
    g2: f32[4, (H + 15) / 4, (W + 15) / 4]
    e1: f32[2 * ((H + 15) / 4) + 1, 4 * ((W + 15) / 4) + 3]
    i1: f32[2 * ((H + 15) / 4) + 1, 2 * ((W + 15) / 4) + 1]
    e2: f32[(H + 15) / 4, 2 * ((W + 15) / 4) + 1]
    i2: f32[(H + 15) / 4, (W + 15) / 4]
    o2: f32[(H + 15) / 4, (W + 15) / 4]
    p2: f32[(H + 5) / 2, (W + 15) / 4]
    q2: f32[4, (H + 5) / 2, (W + 15) / 4]
    o1: f32[(H + 5) / 2, (W + 5) / 2]
    r0: f32[4, H, W]
    p1: f32[H, (W + 5) / 2]
    q1: f32[4, H, (W + 5) / 2]
    remapped(H, W, inp, level, strength, g0, d1, g1, d2, g2)
    pyramid(H, W, inp, e1, i1, e2, i2)
    coarsest(H, W, level, g2, i2, o2)
    middle(H, W, level, g1, g2, i1, o2, p2, q2, o1)
    finest(H, W, inp, level, strength, g1, o1, r0, p1, q1, out)


CALLS = ("remapped", "pyramid", "coarsest", "middle", "finest")

local_laplacian = schedule(seq(*(at(f"{name}(_)", inline()) for name in CALLS), rename("local_laplacian")), parts)
"""All stages in one procedure, as schedules want them."""


_names = ("g0", "d1", "g1", "d2", "g2", "e1", "i1", "e2", "i2", "o2", "p2", "q2", "o1", "r0", "p1", "q1", "out")
_g0, _d1, _g1, _d2, _g2, _e1, _i1, _e2, _i2, _o2, _p2, _q2, _o1, _r0, _p1, _q1, _out = map(Func, _names)


def _up(strip: int) -> Op:
    """The finer levels of the result in strips of the image, what two neighbours share in registers; each remapped
    pixel where it is used, so no row of these goes through the caches."""
    return pipeline(
        *(stage.compute_inline() for stage in (_g0, _r0, _d1, _d2, _e1, _e2)),
        _out.split("x", "x", "xi", 2),
        _q1.compute_at(_out, "x").unroll("xi").unroll("k").store_in(DRAM_STACK),
        _p1.compute_at(_out, "x").unroll("xi").store_in(DRAM_STACK),
        _out.split("y", "ys", "y", strip).parallel("ys"),
        _o1.compute_at(_out, "ys"),
        _out.unroll("xi").unroll("k").partition("x").vectorize("x"),
        _q2.compute_at(_o1, "y").vectorize("x"),
        _p2.compute_at(_o1, "y").vectorize("x"),
        _o1.split("x", "x", "xi", 2, "cut").unroll("xi").unroll("k").vectorize("x"),
        _g1.reorder("k", "x", "y"),
    )


def levels(strip: int = hole("strip", (32, 64, 128, 256), default=64)) -> Op:
    """Both pyramids level by level, the first level of both at once, for all brightnesses."""
    return seq(
        _up(strip),
        pipeline(
            _g1.compute_with(_i1, "x").unroll("k").vectorize("x").parallel("y"),
            _g2.compute_root().vectorize("x"),
            _i2.compute_root().vectorize("x"),
            _o2.compute_root().unroll("k").vectorize("x"),
        ),
    )


def strips(strip: int = hole("strip", (32, 64, 128, 256), default=64)) -> Op:
    """All that a strip of the image needs is computed for it, and stays in the caches near to the core; what two
    strips share is computed twice."""
    return seq(
        _up(strip),
        pipeline(
            _o2.compute_at(_out, "ys").unroll("k").vectorize("x"),
            _i2.compute_at(_out, "ys").vectorize("x"),
            _g2.compute_at(_out, "ys").vectorize("x"),
            _i1.compute_at(_out, "ys"),
            _g1.compute_at(_out, "ys").compute_with(_i1, "x").unroll("k").vectorize("x"),
        ),
    )


SCHEDULES = {"levels": levels(), "strips": strips()}
