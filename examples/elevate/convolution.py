"""Convolutions: in one dimension by tiles with a halo, and of 5x5 Gauss weights. Imports `exo_strat` and
`strategies.elevate`."""

from __future__ import annotations

from exo_strat import *
from strategies.elevate import (
    allInnermost,
    fuseReduceMap,
    isMap,
    isReduce,
    normalize,
    outermost,
    parallel,
    split,
    storeInMemory,
    unroll,
    vectorize,
)

# -- one dimension ------------------------------------------------------------------------------------


@proc
def convolution(N: size, w: f32[3], inp: f32[N + 2], out: f32[N]):
    assert N % 32 == 0
    for x in seq(0, N):
        out[x] = 0.0
        for d in seq(0, 3):
            out[x] += w[d] * inp[x + d]


# `slide(34)(32) >> mapGlobal(slide(3)(1) >> mapSeq(dot)) >> join`
halo_tiles = seq(
    split(32) @ outermost(isMap),
    at(moves.body, storeInMemory("inp", "tile")) @ outermost(isMap),
    simplify(),
    parallel @ outermost(isMap),
)
halo_unrolled = halo_tiles >> unroll @ outermost(isReduce) >> simplify()

TILED = {"base": identity, "halo tiles": halo_tiles, "unrolled": halo_unrolled}

# -- two dimensions -----------------------------------------------------------------------------------


@proc
def gauss(H: size, W: size, w: f32[5, 5], inp: f32[H + 4, W + 4], out: f32[H, W]):
    """`slide2D |> map(map(join >> zip(w) >> map(*) >> reduce(+)(0) >> (/ 159)))`."""
    assert W % 32 == 0
    for y in seq(0, H):
        for x in seq(0, W):
            acc: f32
            t: f32[25]
            for d in seq(0, 25):
                t[d] = w[d / 5, d % 5] * inp[y + d / 5, x + d % 5]
            acc = 0.0
            for d in seq(0, 25):
                acc += t[d]
            out[y, x] = acc / 159.0


fused = normalize(fuseReduceMap())
unrolled = fused >> unroll @ outermost(isReduce) >> simplify()
gauss_vectorized = unrolled >> vectorize(32) @ allInnermost(isMap) >> parallel @ outermost(isMap)

GAUSS = {"base": identity, "fused": fused, "unrolled": unrolled, "vectorized": gauss_vectorized}
