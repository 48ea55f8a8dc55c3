"""A quantized 3x3 convolution on Gemmini: int8 images and weights, int32 bias and sums, scale, clamp, ReLU.

Images are padded by a ring of zeros, stride 1: the naive program leaves out what lies outside. So does the schedule,
by the ranges of its loops: nothing is padded in memory. The plan. A panel of the weights stays in the scratchpad, and
so does the image, or all of them. The sums of a line of the image, for up to 64 channels, are in the accumulator. For
each place of the 3x3 window, they take a product for each tile of up to 16 pixels. At every step the program computes
what the naive one does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.gemmini import (
    BLOCK,
    DIM,
    GEMM_ACCUM,
    GEMM_SCRATCH,
    clamp_i8,
    config_ex,
    config_ld,
    config_st,
    do_ld_acc_i32_vector_id0,
    do_ld_i8_apart_id1,
    do_ld_i8_block_id2,
    do_matmul_acc_i8,
    do_st_acc_i8_block,
    mul_f32,
    round_even,
)
from exo_strat import (
    Op,
    Proc,
    ProcCursor,
    Script,
    at,
    cut_loop,
    divide_dim,
    divide_loop,
    expand_dim,
    hole,
    identity,
    lift_alloc,
    moves,
    named,
    nav,
    proc_from_source,
    rearrange_dim,
    reorder_loops,
    resize_dim,
    schedule,
    seq,
    set_memory,
    simplify,
    strategy,
    unroll_loop,
)
from strategies import gemmini

from .kernels import Case
from .matmul import largest_divisor

TAPS = 9
"""Weights for a channel of the input and one of the output."""


@dataclass(frozen=True)
class Layer:
    """How large a convolution is: images, their height and width, channels of input and output."""

    batch: int
    height: int
    width: int
    inputs: int
    outputs: int

    @property
    def image(self) -> int:
        """Elements of an image of the input."""
        return self.height * self.width * self.inputs


def convolution(s: Layer) -> Proc:
    """`Y = relu?(clamp(scale * (bias + W * X)))`, where `*` puts weights of 3x3 places on images with zeros around."""
    return proc_from_source(
        f"""
        def convolution(scale: f32, act: bool, W: i8[3, 3, {s.inputs}, {s.outputs}], bias: i32[{s.outputs}],
                        X: i8[{s.batch}, {s.height}, {s.width}, {s.inputs}],
                        Y: i8[{s.batch}, {s.height}, {s.width}, {s.outputs}]):
            for b in seq(0, {s.batch}):
                for y in seq(0, {s.height}):
                    for x in seq(0, {s.width}):
                        for o in seq(0, {s.outputs}):
                            res: i32
                            res = bias[o]
                            for ky in seq(0, 3):
                                if 0 <= y + ky - 1 and y + ky - 1 < {s.height}:
                                    for kx in seq(0, 3):
                                        if 0 <= x + kx - 1 and x + kx - 1 < {s.width}:
                                            for c in seq(0, {s.inputs}):
                                                v: i32
                                                w: i32
                                                v = X[b, y + ky - 1, x + kx - 1, c]
                                                w = W[ky, kx, c, o]
                                                res += v * w
                            t: f32
                            r: i8
                            t = res
                            r = clamp_i8(round_even(mul_f32(t, scale)))
                            if act == True:
                                r = relu(r)
                            Y[b, y, x, o] = r
        """,
        {"mul_f32": mul_f32, "round_even": round_even, "clamp_i8": clamp_i8},
    )


# -- what stays where ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Blocking:
    """How large the parts of a convolution are: output channels in a panel of the weights, and tiles of them whose sums
    are made at once; tiles of input channels that are loaded at once; elements of the images in the scratchpad at
    most. Without `resident`, these are of one line, which is loaded for each that needs it. `turns` buffers of sums are
    used in turns, so that those of a line can be stored while the next ones are made."""

    panel: int
    along_o: int
    along_c: int
    elements: int
    resident: bool = True
    turns: int = 2

    def loaded(self, s: Layer) -> int:
        """Bytes of weights and images that are loaded. Every weight is loaded once."""
        times = 1 if self.elements >= s.batch * s.image else s.outputs // self.panel
        if not self.resident:
            times = 3 * s.outputs // (DIM * self.along_o)
        return times * s.batch * s.image + TAPS * s.inputs * s.outputs


def blocking(s: Layer) -> Blocking:
    """The blocking that loads the least: what is done unless said.

    >>> blocking(Layer(4, 56, 56, 64, 64))
    Blocking(panel=64, along_o=4, along_c=4, elements=225280, resident=True, turns=2)
    >>> blocking(Layer(4, 14, 14, 256, 256))
    Blocking(panel=16, along_o=1, along_c=4, elements=225280, resident=True, turns=2)
    """
    return blockings(s)[0]


def blockings(s: Layer) -> list[Blocking]:
    """A blocking for each panel of the weights that fits, those first that load the least, for channels that are
    multiples of 16.

    Raises `ValueError` for other channels, for images of less than 2x2 pixels, and where not even a line and the
    weights for 16 channels fit.
    """
    if s.inputs % DIM or s.outputs % DIM:
        raise ValueError(f"channels are multiples of {DIM}; here are {s.inputs} and {s.outputs}")
    if s.height < 2 or s.width < 2:
        raise ValueError(f"an image has at least 2 rows and columns; here are {s.height} and {s.width}")
    widest = GEMM_ACCUM.capacity // (DIM * -(-s.width // DIM))
    line = s.width * s.inputs
    found: list[Blocking] = []
    for panel in (d for d in range(s.outputs, 0, -DIM) if s.outputs % d == 0):
        room = GEMM_SCRATCH.capacity * DIM - TAPS * s.inputs * panel
        if room >= line and widest:
            along_o = largest_divisor(panel // DIM, min(BLOCK, widest))
            resident = room >= s.image
            along_c = largest_divisor(s.inputs // DIM, BLOCK)
            turns = 2 if 2 * along_o <= widest else 1
            found.append(Blocking(panel, along_o, along_c, room if resident else line, resident, turns))
    if not found:
        raise ValueError(f"a line of {s.width} pixels with {s.inputs} channels, and weights for it, don't fit")
    return sorted(found, key=lambda b: b.loaded(s))


# -- the schedule -------------------------------------------------------------------------------------


@named
def stage_weights(b: Blocking) -> Op:
    """A panel of the weights as tiles in the scratchpad. Focus: the code that uses it."""
    load = gemmini.stage_and_lift("W", "w_tmp", GEMM_SCRATCH, TAPS * DIM * DIM)
    return load >> gemmini.tile_layout(height=DIM, block=b.along_o)


@named
def stage_pixels(b: Blocking) -> Op:
    """Lines of images in the scratchpad, tiles of 16 channels, 16 pixels a load. Focus: the code that uses them."""
    load = gemmini.stage_and_lift("X", "x_tmp", GEMM_SCRATCH, b.elements)
    if b.resident:
        load = load >> nav(moves.body >> moves.nth(0)) >> gemmini.load_once()
    return load >> gemmini.tile_layout(block=b.along_c) >> gemmini.tile_ragged("i1" if b.resident else "i0", DIM)


def nests(b: Blocking) -> tuple[Op, ...]:
    """The first steps: channels in panels and tiles, sums of a line in a buffer, and the nests that begin, make and
    store them apart; of the sums the loops over tiles and places outside."""
    over_pixels = gemmini.rise_over("oc", "x", "ot")
    return (
        at("for o in _: _", divide_loop(b.panel, ("op", "o"), tail="perfect") >> gemmini.rise_over("b", "y", "x")),
        at("for o in _: _", divide_loop(DIM * b.along_o, ("og", "o"), tail="perfect") >> gemmini.rise_over("x")),
        at("for o in _: _", divide_loop(DIM, ("ot", "oc"), tail="perfect") >> gemmini.rise_over("x")) >> simplify(),
        at("res: _", gemmini.autolift_alloc(GEMM_ACCUM.capacity * DIM, n_lifts=3)),
        at("for ky in _: _", gemmini.fission_as_much_as_possible()),
        at("for ky in _: _", over_pixels >> nav(moves.find("if _: _")) >> over_pixels),
        at("for kx in _: _", over_pixels >> nav(moves.find("if _: _")) >> gemmini.rise_over("oc")),
        at("for c in _: _", divide_loop(DIM, ("ct", "c"), tail="perfect") >> over_pixels) >> simplify(),
    )


def local(s: Layer, b: Blocking) -> tuple[Op, ...]:
    """Then buffers: weights, images, and sums in tiles of 16 pixels; loops over pixels without those outside."""
    across = -(-s.width // DIM)
    tiles = resize_dim(1, DIM * across, 0) >> divide_dim(1, DIM) >> rearrange_dim([1, 0, 2, 3])
    turn = "og" if b.panel // (DIM * b.along_o) % 2 == 0 else "y + og"
    turns = expand_dim(b.turns, f"({turn}) % {b.turns}") >> lift_alloc(4)
    return (
        at("for b in _: _", stage_weights(b)),
        at("for y in _: _" if b.resident else "for kx in _: _", stage_pixels(b)),
        at("res: _", set_memory(GEMM_ACCUM) >> tiles >> turns),
        at("for kx in _: _", unroll_loop()),
        at("for x in _: _ #3", cut_loop(s.width - 1)),
        at("for x in _: _ #1", cut_loop(1)) >> simplify(),
        at("for ot in _: _ #4", reorder_loops()),
    )


STORE = ("stride(Y, 2)", "act", "scale")
SETTINGS = (
    (config_ld[0], ("0", "False", "False", "16")),
    (config_ld[2], ("stride(W, 2)", "False", "False", "16")),
    (config_ex, ("True", "False", "0", "1", "1", "False", "False")),
    (config_st, STORE),
)
"""What the registers hold all the time, beside that for images, which is about their width."""
INSTRUCTIONS = (
    do_st_acc_i8_block,
    do_matmul_acc_i8,
    do_ld_i8_block_id2,
    do_ld_i8_apart_id1,
    do_ld_acc_i32_vector_id0,
)


def steps(s: Layer, b: Blocking) -> tuple[Op, ...]:
    """The schedule, step by step."""
    settings = ((config_ld[1], ("stride(X, 2)", "False", "False", str(s.width))), *SETTINGS)
    return (
        *nests(b),
        *local(s, b),
        at("for op in _: _", seq(*(gemmini.configure(setting, *values) for setting, values in settings))),
        at("for op in _: _", gemmini.read_registers(config_st, *STORE)),
        gemmini.tile_ragged("x", DIM),
        *map(gemmini.map_every, INSTRUCTIONS),
        at("for b in _: _", nav(moves.body >> moves.nth(0)) >> gemmini.load_ahead()) if b.resident else identity,
        gemmini.unroll_single(),
    )


@strategy
def blocked(p: Proc, c: ProcCursor, s: Layer) -> Script:
    """The schedule, where the `blocking` is a hole. Focus: the naive program. Returns the procedure."""
    b = yield hole("blocking", blockings(s))
    yield seq(*steps(s, b))
    return None


def scheduled(s: Layer, b: Blocking | None = None) -> Proc:
    """The convolution for Gemmini."""
    return schedule(seq(*steps(s, b or blocking(s))), convolution(s))


# -- what it costs ------------------------------------------------------------------------------------


def arguments(s: Layer, rng: np.random.Generator) -> dict[str, Any]:
    """Operands at random: all int8 values, ReLU, a scale with which about a third of the results are clamped."""
    weights, x, y = (
        rng.integers(-128, 128, shape, dtype=np.int8)
        for shape in (
            (3, 3, s.inputs, s.outputs),
            (s.batch, s.height, s.width, s.inputs),
            (s.batch, s.height, s.width, s.outputs),
        )
    )
    bias = rng.integers(-100_000, 100_000, s.outputs, dtype=np.int32)
    scale = 1 / (3 * 43 * s.inputs**0.5)
    return {"scale": scale, "act": True, "W": weights, "bias": bias, "X": x, "Y": y}


def expected(given: Mapping[str, Any]) -> NDArray[np.int8]:
    """The convolution by NumPy: exact sums, scaled in float32, rounded to even, clamped."""
    x, weights = given["X"], given["W"].astype(np.float64)
    height, width = x.shape[1:3]
    padded = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0)))
    # the sums are far below 2**53, so float64 is exact, and its product is fast
    places = ((ky, kx) for ky in range(3) for kx in range(3))
    sums = sum(padded[:, ky : ky + height, kx : kx + width] @ weights[ky, kx] for ky, kx in places) + given["bias"]
    rounded = np.clip(np.rint(sums.astype(np.float32) * np.float32(given["scale"])), -128, 127)
    result: NDArray[np.int8] = (np.maximum(rounded, 0) if given["act"] else rounded).astype(np.int8)
    return result


def naive_instructions(s: Layer) -> int:
    """Of a direct mapping: each product of tiles loads both of them, each tile of sums its bias, and is stored."""
    across = 2 * -(-s.width // DIM) + -(-(s.width - 1) // DIM)
    products = s.batch * (3 * s.height - 2) * across * (s.inputs // DIM) * (s.outputs // DIM)
    return 4 * products + 2 * s.batch * s.height * -(-s.width // DIM) * (s.outputs // DIM)


def case(s: Layer) -> Case:
    """A layer, to be measured."""
    plan = steps(s, blocking(s))
    return Case(
        name=f"3x3 {s.batch}x{s.height}x{s.width}x{s.inputs}-{s.outputs}",
        naive=lambda: convolution(s),
        plan=lambda: seq(*plan),
        arguments=lambda rng: arguments(s, rng),
        expected=expected,
        output="Y",
        naive_instructions=naive_instructions(s),
        least_in=s.batch * s.image + TAPS * s.inputs * s.outputs + 4 * s.outputs,
        lines=len(plan),
    )


LAYERS = (Layer(4, 56, 56, 64, 64), Layer(4, 28, 28, 128, 128), Layer(4, 14, 14, 256, 256))
"""Those of ResNet-50 that have a 3x3 window and keep the size."""
CASES = tuple(map(case, LAYERS))
