"""A layer of a neural network: 3x3 convolutions of many channels, a bias, and what is negative becomes zero. Imports
`exo_strat` and `strategies.halide`."""

from __future__ import annotations

from exo_strat import *
from strategies.halide import *


@proc
def layer(
    H: size, W: size, C: size, K: size, inp: f32[C, H + 2, W + 2], w: f32[K, C, 3, 3], bias: f32[K], out: f32[K, H, W]
):
    conv: f32[K, H, W]
    for k in seq(0, K):
        for y in seq(0, H):
            for x in seq(0, W):
                conv[k, y, x] = bias[k]
                for c in seq(0, C):
                    for dy in seq(0, 3):
                        for dx in seq(0, 3):
                            conv[k, y, x] += w[k, c, dy, dx] * inp[c, y + dy, x + dx]
    for k in seq(0, K):
        for y in seq(0, H):
            for x in seq(0, W):
                out[k, y, x] = relu(conv[k, y, x])


_conv, _out = Func("conv"), Func("out")


def channels() -> Op:
    """Channels in parallel, each sum in a register until it is clipped."""
    return pipeline(_out.parallel("k"), _conv.compute_at(_out, "x").store_in(DRAM_STACK).unroll("dy").unroll("dx"))


def rows() -> Op:
    """Channels in parallel, a row of sums at a time; vectors take all weights of an input channel together."""
    return pipeline(
        _out.parallel("k"),
        _conv.compute_at(_out, "y"),
        _conv.reorder("dx", "dy", "x", "c").unroll("dx").unroll("dy").vectorize("x"),
        _out.vectorize("x"),
    )


SCHEDULES = {"channels": channels(), "rows": rows()}
