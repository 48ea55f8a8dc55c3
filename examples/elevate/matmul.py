"""A matrix product in ELEVATE's seven versions, each made from the one before. Imports `exo_strat` and
`strategies.elevate`.

Where ELEVATE brings the program into a normal form, finds a pattern of maps and reductions in it, and rewrites that,
the same strategy here finds loops and rewrites them. All additions of an element of C stay in their order, so all
versions give the same bits.
"""

from __future__ import annotations

from exo_strat import *
from strategies.elevate import (
    allInnermost,
    allOutermost,
    fmap,
    fuseReduceMap,
    innermost,
    isMap,
    isReduce,
    mapNest,
    outermost,
    parallel,
    reduceMapFission,
    reorder,
    split,
    storeInMemory,
    tile,
    topDown,
    unroll,
    vectorize,
)


@proc
def mm(M: size, N: size, K: size, A: f32[M, K], B: f32[K, N], C: f32[M, N]):
    """`zip |> map(*) |> reduce(+)(0)`, for each row of A and column of B."""
    for i in seq(0, M):
        for j in seq(0, N):
            t: f32[K]
            for k in seq(0, K):
                t[k] = A[i, k] * B[k, j]
            C[i, j] = 0.0
            for k in seq(0, K):
                C[i, j] += t[k]


BLOCK, DEPTH = 32, 4
"""Those of ELEVATE's case study, which this one follows."""

baseline = fuseReduceMap() @ topDown

blocking = (
    baseline
    >> tile(BLOCK, BLOCK) @ outermost(mapNest(2))
    >> reduceMapFission(2) @ outermost(isReduce)
    >> split(DEPTH) @ innermost(isReduce)
    >> reorder(1, 2, 5, 6, 3, 4) @ outermost(mapNest(2))
)

vectorization = blocking >> vectorize(BLOCK) @ allInnermost(isMap)

loop_permutation = vectorization >> reorder(1, 2, 3, 5, 4, 6) @ outermost(mapNest(2))

# B in panels as wide as a block, each contiguous
pack_b = storeInMemory(
    "B",
    "Bp",
    layout=divide_dim(1, BLOCK) >> rearrange_dim((1, 0, 2)),
    copy=split(BLOCK) @ innermost(isMap) >> reorder(2, 1, 3) >> parallel >> vectorize(BLOCK) @ innermost(isMap),
)
array_packing = loop_permutation >> at(moves.body, pack_b) >> simplify()

# a block of C in a buffer of its own until it is complete
hold_c = storeInMemory("C", "acc", copy=vectorize(BLOCK) @ innermost(isMap))
cache_blocks = (
    array_packing
    >> fmap(at(moves.body, hold_c)) @ outermost(mapNest(2))
    >> unroll @ innermost(isReduce)
    >> simplify()
)

parallelized = cache_blocks >> parallel @ allOutermost(isMap)

VERSIONS = {
    "baseline": baseline,
    "blocking": blocking,
    "vectorization": vectorization,
    "loop permutation": loop_permutation,
    "array packing": array_packing,
    "cache blocks": cache_blocks,
    "parallel": parallelized,
}
