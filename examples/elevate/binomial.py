"""The 3x3 binomial filter in ELEVATE's five forms. Imports `exo_strat` and `strategies.elevate`.

The weights are an outer product, `w2d[dy, dx] = wv[dy] * wh[dx]`, which `base` has written out. So the separation,
an axiom in ELEVATE, is arithmetic here, and all forms come from `base`:

    base -> factorised -> scanline -> separated -> scanline again
                       -> register rotation
"""

from __future__ import annotations

from exo_strat import *
from strategies.elevate import isMap, normalize, outermost, parallel, topDown, unroll


@proc
def binomial(H: size, W: size, wv: f32[3], wh: f32[3], inp: f32[H + 2, W + 2], out: f32[H, W]):
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = 0.0
            for dy in seq(0, 3):
                for dx in seq(0, 3):
                    out[y, x] += wv[dy] * wh[dx] * inp[y + dy, x + dx]


def after(loop: str) -> moves.Move:
    """The place after the first loop of a name."""
    return moves.find_loop(loop) >> moves.after


# `sum(wv * wh * inp)` as `sum(wh * sum(inp * wv))`
separate = seq(
    at("_ * inp[_]", commute_expr() >> left_reassociate_expr() >> commute_expr()),
    at("for dy in _: _", reorder_loops()),
    at("for dy in _: _", stage_mem("out[y, x]", "v", accum=True)),
    at(moves.find_loop("dy") >> moves.expand(1, 0), lift_reduce_constant()),
    at("v = _ * v", inline_assign()),
)
factorised = separate

# each sum of a column, made for up to three windows, in a place of its own
share = seq(
    at(after("dy"), fission()),
    at(moves.find("out[_] = 0.0") >> moves.expand(0, 1), reorder_stmts()),
)
line_buffer = seq(
    at("v: _", expand_dim("W + 2", "x + dx") >> lift_alloc(2)),
    share,
    at(after("dx"), fission()),
    at("for x in _: _", merge_recompute("u")),
)
scanline = factorised >> line_buffer >> parallel @ outermost(isMap)

separated = seq(
    factorised,
    line_buffer,
    at("v: _", expand_dim("H", "y") >> lift_alloc()),
    at(after("u"), fission()),
)

# the way back: one line of v is enough
one_line = seq(
    at("for y in _: _", fuse("for y in _: _ #1")),
    at("v: _", sink_alloc() >> resize_dim(0, 1, "y")),
    simplify(),
)
scanline_again = separated >> one_line >> parallel @ outermost(isMap)

sums = seq(
    normalize(unroll @ topDown),
    simplify(),
    normalize(nav(moves.expand(0, 1)) >> merge_writes()),
    simplify(),
)
register_rotation = seq(
    factorised,
    at("v: _", expand_dim(3, "dx") >> lift_alloc(2)),
    share,
    at("for dx in _: _", rotate_buffer()),
    sums,
    parallel @ outermost(isMap),
)

VERSIONS = {
    "base": identity,
    "factorised": factorised,
    "scanline": scanline,
    "separated": separated,
    "scanline again": scanline_again,
    "register rotation": register_rotation,
}
