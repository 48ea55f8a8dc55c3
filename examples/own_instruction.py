"""An instruction set of one's own: a memory, an instruction, and the C that comes out.

    python examples/own_instruction.py
"""

from __future__ import annotations

from backends import c
from exo_strat import *


@instr("memcpy(&{dst_data}, &{src_data}, 64 * sizeof(float));", "#include <string.h>")
def copy64(dst: [f32][64] @ DRAM, src: [f32][64] @ DRAM):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 64):
        dst[i] = src[i]


@proc
def gather(n: size, x: f32[n, 64], y: f32[64 * n]):
    for r in seq(0, n):
        for j in seq(0, 64):
            y[64 * r + j] = x[r, j]


if __name__ == "__main__":
    # What the instruction asserts is proved at the call: the strides here are known to be 1.
    fast = schedule(at("for j in _: _", replace(copy64)), gather)
    print(fast)
    print(c.compile([fast], "gather").source)
