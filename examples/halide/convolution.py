"""A layer of a neural network: 3x3 convolutions of many channels, a bias, and what is negative becomes zero. Imports
`exo_strat`, `backends.targets`, `strategies.halide` and `strategies.std`."""

from __future__ import annotations

from backends.targets import PLAIN_C
from exo_strat import *
from strategies import std
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


def tiles(
    machine: Machine = PLAIN_C,
    channels: int = hole("channels", (2, 4, 6), default=4),
    vectors: int = hole("vectors", (1, 2, 3, 4), default=3),
) -> Op:
    """Tiles of so many channels and vectors of a row, the sums of each in registers while all channels that come in
    pass. Rows are outermost: what comes in for one stays in the second cache for all channels. Of a row's end a vector
    with a mask, on machines that have such."""
    return in_registers(machine, channels, vectors)


@strategy
def in_registers(p: Proc, c: Cursor, machine: Machine, channels: int, vectors: int) -> Script:
    """`tiles` with numbers. Returns the procedure."""
    t = std.Tile(machine, "f32", rows=1, vectors=1)
    p, _ = yield pipeline(
        _out.split("k", "k", "ki", channels).split("x", "x", "xi", t.width).reorder("xi", "ki", "x", "k", "y"),
        _conv.compute_at(_out, "x").reorder("xi", "ki", "dx", "dy", "c").store_in(DRAM_STACK),
        _out.parallel("y").partition("x").partition("k"),
    )
    whole, last = p.find_loop("x"), p.find_loop("xt")
    p, _ = yield on(whole, by_instructions(t))
    p, _ = yield on(last, by_instructions(std.Tile(machine, "f32", 1, 1, masked=True)))
    yield on(p.forward(whole), std.unroll_and_jam(vectors))
    return p.root()


@strategy
def by_instructions(p: Proc, c: ForCursor, t: std.Tile) -> Script:
    """The vectors of a tile, its sums held in registers. Focus: the loop over tiles, which is returned."""
    sums = next(s for s in c.statements() if isinstance(s, AllocCursor))
    p, _ = yield on(sums, divide_dim(2, t.width), set_memory(t.registers))
    if not t.masked:  # a vector of what comes in is loaded once, and not for each channel
        window = f"inp[c, y + dy, {t.width} * x + dx:{t.width} * x + dx + {t.width}]"
        p, _ = yield on(p.forward(c).find_loop("dx"), nav(moves.body), stage_mem(window, "near"))
        p, _ = yield on(p.forward(c).find_loop("dx").find_alloc("near"), set_memory(t.registers))
    for x in p.forward(c).find_all("for xi in _: _"):
        p, _ = yield on(x, std.by_vectors(t))
    p, _ = yield on(p.forward(c), std.to_instructions(t, (std.fma_rule,)))
    for k in p.forward(c).find_all("for ki in _: _"):
        p, _ = yield on(k, unroll_loop())
    return p.forward(c)


SCHEDULES = {"channels": channels(), "rows": rows(), "tiles": tiles()}
