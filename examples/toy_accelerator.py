"""A target of one's own in one file: an accelerator with two instructions, a scratchpad and a configuration register.

    python examples/toy_accelerator.py

docs/new-target.md shows this file piece by piece, and says why each piece is so.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import ClassVar

import numpy as np

from backends import jit
from backends.c import Objection, PlacedMemory
from exo_strat import *
from strategies import gemmini

# -- the hardware, as a model in C --------------------------------------------------------------------

LANES, ROWS = 8, 64

MODEL = """
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
enum { TOY_LANES = 8, TOY_ROWS = 64 };
static float toy_pad[TOY_ROWS * TOY_LANES];
static struct { bool loaded[TOY_ROWS], configured; int64_t pitch, loads, products; const char *fault; } toy;

// What Python calls: jit hides all other functions of the library that it builds.
#pragma GCC visibility push(default)
void toy_reset(void) { memset(&toy, 0, sizeof toy); }
const char *toy_fault(void) { return toy.fault; }
int64_t toy_loads(void) { return toy.loads; }
int64_t toy_products(void) { return toy.products; }
#pragma GCC visibility pop

// Notes the first fault; after it, instructions do nothing.
static bool toy_check(bool fine, const char *text) {
    if (!fine && !toy.fault) toy.fault = text;
    return !toy.fault;
}

// Whether so many rows from here on are in the scratchpad, and a tile.
static bool toy_tile(const float *at, int64_t n) {
    const int64_t first = at - toy_pad;
    return toy_check(n >= 1 && n <= TOY_LANES, "a tile has 1 to 8 rows")
        && toy_check(first >= 0 && first % TOY_LANES == 0, "a tile begins with a row")
        && toy_check(first / TOY_LANES + n <= TOY_ROWS, "a tile ends outside of the scratchpad");
}

// Whether they were all loaded, too.
static bool toy_loaded(const float *at, int64_t n) {
    if (!toy_tile(at, n)) return false;
    for (int64_t i = 0; i < n; i++)
        if (!toy_check(toy.loaded[(at - toy_pad) / TOY_LANES + i], "a row is used that was never loaded")) return false;
    return true;
}

static void toy_set_pitch(int64_t pitch) {
    if (!toy_check(pitch >= TOY_LANES, "rows overlap: the pitch is less than 8")) return;
    toy.configured = true;
    toy.pitch = pitch;
}

static void toy_load(float *to, const float *from, int64_t n) {
    if (!toy_check(toy.configured, "load: the pitch was never set") || !toy_tile(to, n)) return;
    toy.loads++;
    for (int64_t i = 0; i < n; i++) {
        memcpy(to + i * TOY_LANES, from + i * toy.pitch, TOY_LANES * sizeof(float));
        toy.loaded[(to - toy_pad) / TOY_LANES + i] = true;
    }
}

static void toy_dots(float *c, int64_t stride, const float *a, int64_t n, const float *b, int64_t m) {
    if (!toy_loaded(a, n) || !toy_loaded(b, m)) return;
    toy.products++;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t k = 0; k < TOY_LANES; k++) c[i * stride + j] += a[i * TOY_LANES + k] * b[j * TOY_LANES + k];
}
"""

# -- the memory ---------------------------------------------------------------------------------------


class Scratchpad(PlacedMemory):
    """64 rows of 8 floats."""

    capacity: ClassVar[int] = ROWS
    unit: ClassVar[str] = "rows"

    def prelude(self) -> str:
        return MODEL

    def units(self, scalar: Scalar, shape: tuple[int, ...]) -> int:
        if scalar != f32 or shape[-1:] != (LANES,):
            raise Objection(f"{self} holds rows of {LANES} f32")
        return prod(shape[:-1])

    def place(self, name: str, at: int) -> str:
        return f"float *const {name} = toy_pad + {at} * TOY_LANES;"


PAD = Scratchpad("PAD")

# -- the configuration register -----------------------------------------------------------------------


@config
class Toy:
    pitch: index


@instr("toy_set_pitch({pitch});", MODEL)
def set_pitch(pitch: index):
    assert pitch >= 8
    Toy.pitch = pitch


# -- the instructions ---------------------------------------------------------------------------------


@instr("toy_load({dst}, {src}, {n});", MODEL)
def load(n: size, dst: [f32][n, 8] @ PAD, src: [f32][n, 8] @ DRAM):
    assert n <= 8
    assert stride(dst, 0) == 8
    assert stride(dst, 1) == 1
    assert stride(src, 1) == 1
    assert Toy.pitch == stride(src, 0)
    for i in seq(0, n):
        for j in seq(0, 8):
            dst[i, j] = src[i, j]


@instr("toy_dots({c}, {c_stride_0}, {a}, {n}, {b}, {m});", MODEL)
def dots(n: size, m: size, c: [f32][n, m] @ DRAM, a: [f32][n, 8] @ PAD, b: [f32][m, 8] @ PAD):
    assert n <= 8
    assert m <= 8
    assert stride(a, 0) == 8
    assert stride(a, 1) == 1
    assert stride(b, 0) == 8
    assert stride(b, 1) == 1
    assert stride(c, 1) == 1
    for i in seq(0, n):
        for j in seq(0, m):
            for k in seq(0, 8):
                c[i, j] += a[i, k] * b[j, k]


# -- a program and its schedule -----------------------------------------------------------------------


@proc
def products(M: size, N: size, K: size, A: f32[M, K], B: f32[N, K], C: f32[M, N]):
    assert M % 8 == 0
    assert N % 8 == 0
    assert K % 8 == 0
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += A[i, k] * B[j, k]


STEPS = (
    at("for i in _: _", gemmini.tile_loops([("i", 8), ("k", 8), ("j", 8)])) >> simplify(),
    at("for jo in _: _", gemmini.stage_and_lift("A", "a", PAD, 64)),
    at("for ii in _: _", gemmini.stage_and_lift("B", "b", PAD, 64)),
    at("for io in _: _", gemmini.configure(set_pitch, "K")),
    at("a[_] = _", gemmini.map_again(load)),
    at("b[_] = _", gemmini.map_again(load)),
    at("C[_] += _", gemmini.map_again(dots)),
)

# -- runs on the model --------------------------------------------------------------------------------


class ToyFault(RuntimeError):
    """The program asked for something that the hardware doesn't do."""


def simulate(p: Proc, *args: object) -> tuple[int, int]:
    """Run a procedure on the model; how many loads and products it took."""
    function = jit(p)
    library = ctypes.CDLL(str(function.library))
    library.toy_fault.restype = ctypes.c_char_p
    library.toy_reset()
    function(*args)
    if library.toy_fault():
        raise ToyFault(library.toy_fault().decode())
    return library.toy_loads(), library.toy_products()


if __name__ == "__main__":
    fast = schedule(seq(*STEPS), products)
    print(fast)
    A, B = np.arange(16 * 24, dtype=np.float32).reshape(16, 24) % 7, np.eye(40, 24, dtype=np.float32)
    C = np.zeros((16, 40), np.float32)
    loads, multiplications = simulate(fast, 16, 40, 24, A, B, C)
    print("same as NumPy:", np.array_equal(C, A @ B.T), "-", loads, "loads,", multiplications, "products")
