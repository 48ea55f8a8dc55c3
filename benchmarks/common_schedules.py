"""Schedules that run line by line in exo_strat and in exo-lang, and a worker that times them.

    python common_schedules.py NAME...        prints seconds and what came out, one line a schedule

Which of the two systems it runs is that of the environment: exo-lang, if it is installed there. This file
imports nothing of `benchmarks`, as exo-lang's environment has no more than that.
"""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec

if find_spec("exo"):
    from exo import proc
    from exo.platforms.x86 import AVX512, mm512_fmadd_ps, mm512_loadu_ps, mm512_set1_ps, mm512_storeu_ps
    from exo.stdlib import scheduling as s

    def bind(p, pattern, name):
        return s.bind_expr(p, [p.find(pattern)], name)

else:
    from backends.x86_avx512 import AVX512, mm512_fmadd_ps, mm512_loadu_ps, mm512_set1_ps, mm512_storeu_ps
    from exo_strat import direct as s
    from exo_strat import proc

    def bind(p, pattern, name):
        return s.bind_expr(p, pattern, name)


@proc
def micro_kernel(K: size, A: [f32][6, K], B: [f32][K, 64], C: [f32][6, 64]):
    assert stride(A, 1) == 1
    assert stride(B, 1) == 1
    assert stride(C, 1) == 1
    for k in seq(0, K):
        for i in seq(0, 6):
            for j in seq(0, 64):
                C[i, j] += A[i, k] * B[k, j]


@proc
def gemv(M: size, N: size, A: f32[M, N], x: f32[N], y: f32[M]):
    assert M % 8 == 0
    assert N % 16 == 0
    for j in seq(0, N):
        for i in seq(0, M):
            y[i] += A[i, j] * x[j]


def in_register(p, pattern, name, lane, lifts):
    """An operand of every lane as a vector register, filled by a loop of its own."""
    p = bind(p, pattern, name)
    p = s.set_precision(p, name, "f32")
    p = s.expand_dim(p, name, 16, lane)
    p = s.lift_alloc(p, name, n_lifts=1)
    p = s.set_memory(p, name, AVX512)
    p = s.fission(p, p.find(f"{name}[_] = _").after(), n_lifts=1)
    return s.lift_alloc(p, name, n_lifts=lifts) if lifts else p


def sgemm(p=micro_kernel):
    """A 6 x 64 tile of C in registers while k runs; vectorised and unrolled."""
    p = s.stage_mem(p, "for k in _: _", "C[0:6, 0:64]", "c")
    p = s.simplify(p)
    p = s.divide_dim(p, "c", 1, 16)
    p = s.set_memory(p, "c", AVX512)
    for loop in ("i1", "j", "i1"):
        p = s.divide_loop(p, loop, 16, ["v", "l"], perfect=True)
    p = s.simplify(p)
    p = in_register(p, "A[_]", "a", "l", 0)
    p = in_register(p, "B[_]", "b", "l", 0)
    for instruction, lane in (
        (mm512_loadu_ps, "c[_] = _"),
        (mm512_set1_ps, "a[_] = _"),
        (mm512_loadu_ps, "b[_] = _"),
        (mm512_fmadd_ps, "c[_] += _"),
        (mm512_storeu_ps, "C[_] = _"),
    ):
        p = s.replace(p, p.find(lane).parent(), instruction)
    for _ in range(3):
        p = s.unroll_loop(p, "v")
    for loop in ("i0", "i", "i0"):
        p = s.unroll_loop(p, loop)
    return s.simplify(p)


def gemv_tiled(p=gemv):
    """Eight rows a time, partial sums in the lanes of a tile of y; x broadcast, vectorised over rows of A."""
    p = s.divide_loop(p, "j", 16, ["jo", "ji"], perfect=True)
    p = s.divide_loop(p, "i", 8, ["io", "ii"], perfect=True)
    p = s.reorder_loops(p, "ji io")
    p = s.reorder_loops(p, "jo io")
    p = s.stage_mem(p, "for jo in _: _", "y[8*io:8*io+8]", "t")
    p = s.stage_mem(p, "for ji in _: _", "x[16*jo:16*jo+16]", "xs")
    p = s.stage_mem(p, "for ji in _: _", "A[8*io:8*io+8, 16*jo:16*jo+16]", "tile")
    p = s.simplify(p)
    p = s.set_memory(p, "xs", AVX512)
    p = s.replace(p, p.find("xs[_] = _").parent(), mm512_loadu_ps)
    p = s.reorder_loops(p, "ji ii")
    for loop in ("i0", "ii", "i0"):
        p = s.unroll_loop(p, loop)
    return s.simplify(p)


SCHEDULES = {"sgemm": sgemm, "gemv": gemv_tiled}

if __name__ == "__main__":
    for name in sys.argv[1:]:
        start = time.perf_counter()
        done = SCHEDULES[name]()
        print(name, time.perf_counter() - start, len(str(done).splitlines()), flush=True)
        if "-v" in sys.argv:
            print(done)
