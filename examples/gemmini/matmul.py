"""A quantized matrix product of any size on Gemmini, with or without bias: int8 operands, int32 sums, int8 result.

The plan. The sums of a block of C are in the accumulator while k runs, so blocks of A and B pass through the
scratchpad; if a panel of B fits as a whole, it is loaded once and stays. `blocking` chooses what loads the least.
Sizes that are no multiples of 16 leave smaller tiles at the edges. At every step the program computes what the naive
one does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.gemmini import (
    BLOCK,
    DIM,
    GEMM_ACCUM,
    GEMM_SCRATCH,
    INSTRUCTIONS,
    clamp_i8,
    config_ex,
    config_ld,
    config_st,
    mul_f32,
    round_even,
)
from exo_strat import (
    Op,
    Proc,
    ProcCursor,
    Script,
    at,
    attempt,
    cut_loop,
    hole,
    identity,
    moves,
    named,
    nav,
    proc_from_source,
    rename_variable,
    reorder_loops,
    schedule,
    seq,
    set_memory,
    shift_loop,
    simplify,
    strategy,
)
from strategies import gemmini

from .kernels import Case

CANDIDATES = 12
"""Blockings that a search may choose from: those that load the least."""


def largest_divisor(n: int, most: int) -> int:
    """The largest divisor of n that is at most `most`.

    >>> largest_divisor(12, 5)
    4
    """
    return next(d for d in range(most, 0, -1) if n % d == 0)


@dataclass(frozen=True)
class Product:
    """How large a product is, and where its sums begin: "none" (0), "column" (a number for each column), "full"."""

    n: int
    m: int
    k: int
    bias: str = "none"


BIAS = {"none": ("", "0.0"), "column": (" D: i32[{m}],", "D[j]"), "full": (" D: i32[{n}, {m}],", "D[i, j]")}
"""The argument, and the value that a sum begins with."""


def matmul(s: Product) -> Proc:
    """`C = relu?(clamp(scale * (D + A B)))`, for A of n rows and k columns and B of m columns."""
    argument, first = BIAS[s.bias]
    return proc_from_source(
        f"""
        def matmul(scale: f32, act: bool,{argument.format(n=s.n, m=s.m)}
                   A: i8[{s.n}, {s.k}], B: i8[{s.k}, {s.m}], C: i8[{s.n}, {s.m}]):
            for i in seq(0, {s.n}):
                for j in seq(0, {s.m}):
                    res: i32
                    res = {first}
                    for k in seq(0, {s.k}):
                        a: i32
                        b: i32
                        a = A[i, k]
                        b = B[k, j]
                        res += a * b
                    t: f32
                    r: i8
                    t = res
                    r = clamp_i8(round_even(mul_f32(t, scale)))
                    if act == True:
                        r = relu(r)
                    C[i, j] = r
        """,
        {"mul_f32": mul_f32, "round_even": round_even, "clamp_i8": clamp_i8},
    )


# -- what stays where ---------------------------------------------------------------------------------


def up(x: int, by: int = DIM) -> int:
    """How many parts of a size cover this."""
    return -(-x // by)


@dataclass(frozen=True)
class Blocking:
    """What is where. The sums of a block of C, so many rows and columns, are in the accumulator. Of the columns of B
    that it needs, a panel, what is below row `deep` and right of column `wide` passes by for each block; the rest
    stays in the scratchpad for the next block below. So B stays if `deep` is all its rows, and passes by with 0 and 0.
    Between these, what passes by is a rectangle of up to four tiles side by side."""

    rows: int
    columns: int
    deep: int
    wide: int = 0

    def partial(self, s: Product) -> bool:
        """Whether some of a panel stays, but not all."""
        return 0 < self.deep < s.k

    def fits(self, s: Product) -> bool:
        """Whether the sums fit, and the operands."""
        rows, columns, k = up(min(self.rows, s.n)), up(min(self.columns, s.m)), up(s.k)
        deep, wide = up(self.deep), up(self.wide)
        passing = (k - deep) * (columns - wide)
        operands = rows * min(k, BLOCK) + columns * (k if self.deep else min(k, BLOCK))
        if self.partial(s):
            operands = columns * k - passing + max(rows * min(deep, BLOCK), rows + columns - wide)
        return rows * columns * DIM <= GEMM_ACCUM.capacity and operands * DIM <= GEMM_SCRATCH.capacity

    def loaded(self, s: Product) -> int:
        """Bytes of A and B that are loaded."""
        panels, again = up(s.m, self.columns), up(s.n, self.rows) - 1
        return s.k * (s.n * panels + s.m) + again * (s.k - self.deep) * (s.m - panels * self.wide)

    def loads(self, s: Product) -> int:
        """About how many instructions that takes."""
        panels, blocks, k = up(s.m, self.columns), up(s.n, self.rows), up(s.k)
        apart = k - up(self.deep) if self.partial(s) else 0
        over_a = up(s.n) * (up(k - apart, BLOCK) + apart) * panels
        over_b = k * up(min(self.columns, s.m), BLOCK * DIM) * (1 if self.deep else blocks)
        return over_a + panels * (over_b + apart * blocks)

    def nests(self, s: Product) -> int:
        """How many kinds of blocks there are: fewer are less code."""
        return (1 + (s.n % self.rows > 0)) * (1 + (s.m % self.columns > 0))


def in_part(s: Product, rows: int, columns: int) -> list[Blocking]:
    """Blockings in which as much of B stays as fits, if that is some of it. All panels are alike."""
    if s.m % columns and s.m > columns:
        return []
    found: list[Blocking] = []
    across, k = up(min(columns, s.m)), up(s.k)
    for wide in range(1, min(BLOCK, across) + 1):
        beside = max(up(min(rows, s.n)) * BLOCK, up(min(rows, s.n)) + wide)
        apart = up(across * k + beside - GEMM_SCRATCH.capacity // DIM, wide)
        if k - s.k // DIM < apart < k:
            found.append(Blocking(rows, columns, DIM * (k - apart), DIM * (across - wide)))
    return found


def blockings(s: Product) -> list[Blocking]:
    """All blockings that fit, those first that load the least, then those with the fewest instructions."""
    most = GEMM_ACCUM.capacity // DIM
    heights, widths = (range(1, min(most, up(x)) + 1) for x in (s.n, s.m))
    sizes = [(DIM * r, DIM * c) for r, c in product(heights, widths) if r * c <= most]
    found = [b for r, c in sizes for b in (Blocking(r, c, s.k), Blocking(r, c, 0), *in_part(s, r, c))]
    fits = [b for b in found if b.fits(s)]
    return sorted(fits, key=lambda b: (b.loaded(s), b.loads(s), b.nests(s), b.deep, -b.rows, -b.columns))


def blocking(s: Product) -> Blocking:
    """The first of these: what is done unless said.

    >>> blocking(Product(256, 256, 512))
    Blocking(rows=64, columns=256, deep=512, wide=0)
    >>> blocking(Product(512, 512, 512))
    Blocking(rows=32, columns=512, deep=480, wide=448)
    >>> blocking(Product(128, 128, 10000))
    Blocking(rows=128, columns=128, deep=0, wide=0)
    """
    return blockings(s)[0]


# -- the schedule -------------------------------------------------------------------------------------


@named
def load(matrix: str, window: str | None = None) -> Op:
    """What code uses of a matrix, or a window of it, in the scratchpad. Focus: a loop; the code is all of its body."""
    tiles = gemmini.load_tiles(matrix, f"{matrix.lower()}_tmp", GEMM_SCRATCH, along=BLOCK, window=window)
    return nav(moves.body) >> tiles


def blocks(s: Product, b: Blocking) -> tuple[Op, ...]:
    """The first steps: blocks of C, for each of which the sums begin, grow along k outside of it, and are stored."""
    return (
        at("for i in _: _", reorder_loops()),
        at("for j in _: _", gemmini.block_loop(b.columns)),
        gemmini.each("for i in _: _", gemmini.rise_over("ji")),
        gemmini.each("for i in _: _", gemmini.block_loop(b.rows)) >> simplify(),
        gemmini.each("for jo in _: _", load("B")) if b.deep == s.k else identity,
        gemmini.each("res: _", gemmini.autolift_alloc(GEMM_ACCUM.capacity * DIM, n_lifts=2)),
        gemmini.each("for k in _: _", gemmini.split_off(2)),
        gemmini.each("for k in _: _", gemmini.block_loop(DIM)),
        gemmini.each("for ko in _: _", gemmini.split_off(2)),
        gemmini.each("for ko in _: _", gemmini.rise_over("ii", "ji")) >> simplify(),
    )


def parts(s: Product, b: Blocking) -> tuple[Op, ...]:
    """If some of B stays: code that uses what passes by apart, with one tile of k at a time; what stays is loaded."""
    width = min(b.columns, s.m)
    first = f"{width} * jo"
    beside = load("B", f"B[{b.deep}:{s.k}, {first}:{first} + {b.wide}]") if b.wide else identity
    above = load("B", f"B[0:{b.deep}, {first}:{first} + {width}]")
    right = gemmini.cut_nest(b.wide) if b.wide else identity
    tail = shift_loop(0) >> rename_variable("koo") >> nav(moves.find("for ji in _: _")) >> right
    passing = tail >> nav(moves.parent) >> gemmini.load_tiles("B", "b_tmp", GEMM_SCRATCH, along=BLOCK)
    return (
        gemmini.each("for io in _: _", at("for ko in _: _", cut_loop(b.deep // DIM))),
        *(gemmini.each("for io in _: _", at("for ko in _: _ #1", passing)) for _ in range(1 + (s.k % DIM > 0))),
        *(gemmini.each("for jo in _: _", part) >> simplify() for part in (beside, above)),
    )


SCALED = ("stride(C, 0)", "act", "scale")
SETTINGS = (
    (config_ld[1], ("stride(A, 0)", "False", "False", "16")),
    (config_ld[2], ("stride(B, 0)", "False", "False", "16")),
    (config_ex, ("True", "False", "0", "1", "1", "False", "False")),
    (config_st, SCALED),
)
"""What the registers hold all the time, beside that for the bias."""
FOR_BIAS = {
    "none": (),
    "column": ((config_ld[0], ("0", "False", "False", "16")),),
    "full": ((config_ld[0], ("4 * stride(D, 0)", "False", "False", "16")),),
}
MAPPED = (
    *("do_st_acc_i8_block", "do_st_acc_i8", "do_matmul_i8", "do_matmul_acc_i8"),
    *("do_ld_i8_block_id1", "do_ld_i8_id1", "do_ld_i8_block_id2", "do_ld_i8_id2"),
    *("do_ld_acc_i32_vector_id0", "do_ld_acc_i32_id0"),
)


def steps(s: Product, b: Blocking) -> tuple[Op, ...]:
    """The schedule, step by step."""
    begun = s.bias != "none"
    return (
        *blocks(s, b),
        *(parts(s, b) if b.partial(s) else ()),
        identity if begun else gemmini.each("for io in _: _", at("for ii in _: _", gemmini.start_in_loop())),
        gemmini.each("for ko in _: _", gemmini.block_loop(BLOCK)),
        gemmini.each("for koo in _: _", load("A")),
        identity if b.deep else gemmini.each("for koo in _: _", load("B")),
        gemmini.each("res: _", set_memory(GEMM_ACCUM) >> gemmini.as_tiles()),
        gemmini.unroll_single("koi"),
        gemmini.each("res[_] += _", gemmini.tile_nest("ii")),
        gemmini.each("res[_] = D[_]", gemmini.tile_nest("ii")) if begun else identity,
        gemmini.each("C[_] = _", gemmini.tile_nest("ii", along=BLOCK)),
        gemmini.tile_ragged("r", DIM) >> gemmini.tile_ragged("ii", DIM),
        seq(*(at("for jo in _: _", gemmini.configure(r, *values)) for r, values in (*FOR_BIAS[s.bias], *SETTINGS))),
        gemmini.each("for jo in _: _", gemmini.read_registers(config_st, *SCALED)),
        seq(*(attempt(gemmini.map_every(INSTRUCTIONS[name])) for name in MAPPED)),
        gemmini.unroll_single(),
    )


@strategy
def blocked(p: Proc, c: ProcCursor, s: Product) -> Script:
    """The schedule, where the `blocking` is a hole. Focus: the naive program. Returns the procedure.

    >>> from exo_strat import space
    >>> s = Product(16, 16, 32)
    >>> print(space(blocked(s), matmul(s)))
    blocked.blocking: Blocking(rows=16, columns=16, deep=0, wide=0), Blocking(rows=16, columns=16, deep=32, wide=0) \
(default Blocking(rows=16, columns=16, deep=0, wide=0))
    """
    b = yield hole("blocking", list(dict.fromkeys(blockings(s)))[:CANDIDATES])
    yield seq(*steps(s, b))
    return None


def scheduled(s: Product, b: Blocking | None = None) -> Proc:
    """The product for Gemmini."""
    return schedule(seq(*steps(s, b or blocking(s))), matmul(s))


# -- what it costs ------------------------------------------------------------------------------------


def arguments(s: Product, rng: np.random.Generator) -> dict[str, Any]:
    """Operands at random: all int8 values, ReLU, a scale with which about a third of the results are clamped."""
    a, b, c = (rng.integers(-128, 128, shape, dtype=np.int8) for shape in ((s.n, s.k), (s.k, s.m), (s.n, s.m)))
    shapes = {"column": (s.m,), "full": (s.n, s.m)}
    bias = {"D": rng.integers(-100_000, 100_000, shapes[s.bias], dtype=np.int32)} if s.bias in shapes else {}
    return {"scale": 1 / (43 * s.k**0.5), "act": True, **bias, "A": a, "B": b, "C": c}


def expected(given: Mapping[str, Any]) -> NDArray[np.int8]:
    """The product by NumPy: int32 sums, scaled in float32, rounded to even, clamped."""
    sums = given["A"].astype(np.int32) @ given["B"].astype(np.int32) + given.get("D", np.int32(0))
    rounded = np.clip(np.rint(sums.astype(np.float32) * np.float32(given["scale"])), -128, 127)
    result: NDArray[np.int8] = (np.maximum(rounded, 0) if given["act"] else rounded).astype(np.int8)
    return result


def case(s: Product, plan: tuple[Op, ...] | None = None, by: str = "") -> Case:
    """A product, to be measured; by a schedule of its own, or the one above."""
    chosen = [op for op in (steps(s, blocking(s)) if plan is None else plan) if op is not identity]
    n, m, k = map(up, (s.n, s.m, s.k))
    bias = {"none": "", "column": " + bias", "full": " + D"}[s.bias]
    return Case(
        name=f"{s.n}x{s.m}x{s.k}{bias}{by}",
        naive=lambda: matmul(s),
        plan=lambda: seq(*chosen),
        arguments=lambda rng: arguments(s, rng),
        expected=expected,
        output="C",
        naive_instructions=4 * n * m * k + 2 * n * m,
        least_in=(s.n + s.m) * s.k + {"none": 0, "column": 4 * s.m, "full": 4 * s.n * s.m}[s.bias],
        lines=len(chosen),
    )


SIZES = (
    Product(64, 64, 64),
    Product(256, 256, 512),
    Product(512, 512, 512),
    Product(1024, 16, 4096),
    Product(128, 128, 16384),
    Product(256, 256, 512, "column"),
    Product(100, 200, 300),
)
CASES = tuple(map(case, SIZES))
