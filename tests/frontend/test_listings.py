"""Programs in every style of the paper's listings and of Exo's documentation parse as they are written.

A file of object code needs two imports, those below; memories, instructions and configs are ordinary
Python values of the file. Each program is also printed and parsed again.
"""

# ruff: noqa: RUF016, F841, E712, E741, SIM102, SIM108  (of object code, which isn't Python)

from __future__ import annotations

import pytest

from exo_strat import *
from exo_strat.frontend.words import fmaxf, par, stride, ui8, vec
from exo_strat.ir.types import Control
from exo_strat.ir.walk import alpha_normal

AVX512 = Memory("AVX512")
VEC_AVX2 = Memory("VEC_AVX2")
SCRATCH = Memory("SCRATCH")
ACCUM = Memory("ACCUM")


# -- products, with every spacing of annotations ------------------------------------------------------


@proc
def matvec(M: size, N: size,
           A: f32[M, N] @DRAM,
           x: f32[N] @DRAM,
           y: f32[M] @DRAM):
  assert M % 8 == 0
  assert N % 8 == 0
  for i in seq(0, M):
    for j in seq(0, N):
      y[i] += A[i, j] * x[j]


@proc
def matvec_tiled(M: size, N: size, A: f32[M, N], x: f32[N], y: f32[M]):
    assert M % 8 == 0 and N % 8 == 0
    for io in seq(0, M/8):
        for jo in seq(0, N/8):
            for ii in seq(0, 8):
                for ji in seq(0, 8):
                    y[8*io+ii] += A[8*io+ii, 8*jo+ji] * x[8*jo+ji]


@proc
def outer_product(M: size, N: size, K: size,
                  A: f32[M, K], B: f32[K, N],
                  C: f32[M, N]):
    """C += A B, one column of A at a time."""
    for k in seq(0, K):  # a comment
        for i in seq(0, M):
            for j in seq(0, N):
                C[i, j] += A[i, k] * B[k, j]


# -- windows as arguments, padded buffers, guards ------------------------------------------------------


@proc
def skinny_n(M:size,N:size,A:[f32][M,N],
             x: [f32][N], y: [f32][M]):
  assert N <= 88
  wide: f32[(7 + N) / 8, 8] @ VEC_AVX2
  for i0 in seq(0, (7 + N) / 8 * 8):
    if i0 < N:
      wide[i0 / 8, i0 % 8] = x[i0]
  for i in seq(0, M):
    for j in seq(0, (7+N)/8*8):
      if j < N:
        y[i] += wide[j/8, j%8] * A[i, j]


@proc
def skinny_t(M:size,N:size,A:[f64][M,N],
             x: [f64][M], y: [f64][N]):
  assert N <= 44
  part: f64[(3 + N) / 4, 4] @ VEC_AVX2
  for i0 in seq(0, (3 + N) / 4 * 4):
    if i0 < N:
      part[i0 / 4, i0 % 4] = y[i0]
  for i in seq(0, M):
    for j in seq(0, (3 + N) / 4 * 4):
      if j < N:
        part[j/4, j%4] += x[i] * A[i, j]
  for i0 in seq(0, (3 + N) / 4 * 4):
    if i0 < N:
      y[i0] = part[i0 / 4, i0 % 4]


# -- instructions, and a kernel made of them -----------------------------------------------------------


@instr("{dst_data} = _mm512_loadu_ps(&{src_data});")
def load16(dst: [f32][16] @ AVX512, src: [f32][16] @ DRAM):
    assert stride(src, 0) == 1
    assert stride(dst, 0) == 1

    for i in seq(0, 16):
        dst[i] = src[i]


@instr("_mm512_storeu_ps(&{dst_data}, {src_data});")
def store16(dst: [f32][16] @ DRAM, src: [f32][16] @ AVX512):
    assert stride(dst, 0) == 1
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]


@instr("{dst_data} = _mm512_set1_ps(*{src_data});")
def set16(dst: [f32][16] @ AVX512, src: [f32][1] @ DRAM):
    assert stride(dst, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[0]


@instr("{C_data} = _mm512_fmadd_ps({A_data}, {B_data}, {C_data});")
def fmadd16(A: [f32][16] @ AVX512, B: [f32][16] @ AVX512, C: [f32][16] @ AVX512):
    assert stride(A, 0) == 1
    assert stride(B, 0) == 1
    assert stride(C, 0) == 1
    for i in seq(0, 16):
        C[i] += A[i] * B[i]


@instr(
    "{dst_data} = _mm512_maskz_loadu_ps(((1 << {n}) - 1), &{src_data});",
    c_global="#include <immintrin.h>",
)
def masked_load16(n: size, dst: [f32][16] @ AVX512, src: [f32][n] @ DRAM):
    assert n <= 16
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        if i < n:
            dst[i] = src[i]


@proc
def kernel_6x2(K: size, A: [f32][6, K] @ DRAM,
     B: [f32][K, 32] @ DRAM, C: [f32][6, 32] @ DRAM):
  assert K >= 1
  assert stride(A, 1) == 1
  assert stride(B, 1) == 1
  assert stride(C, 1) == 1
  C_reg: f32[6, 2, 16] @ AVX512
  for i0 in seq(0, 6):
    load16(C_reg[i0, 0, 0:16], C[i0, 0:16])
    load16(C_reg[i0, 1, 0:16], C[i0, 16:32])
  for k in seq(0, K):
    for i in seq(0, 6):
      var0: f32[16] @ AVX512
      set16(var0[0:16], A[i, k:1 + k])
      var1: f32[16] @ AVX512
      load16(var1[0:16], B[k, 0:16])
      fmadd16(var0[0:16], var1[0:16],
                              C_reg[i, 0, 0:16])
      var1_1: f32[16] @ AVX512
      load16(var1_1[0:16], B[k, 16:32])
      fmadd16(var0[0:16], var1_1[0:16],
                              C_reg[i, 1, 0:16])
  for i0 in seq(0, 6):
    store16(C[i0, 0:16], C_reg[i0, 0, 0:16])
    store16(C[i0, 16:32],C_reg[i0, 1, 0:16])


# -- an accelerator: configs, narrow integers, out-parameters ------------------------------------------


@config
class ConfigLoad:
    src_stride: stride
    ready: bool


@config
class ConfigStore:
    scale : f32
    dst_stride : stride
    act : bool
    rows : size


@instr("config_ld({s});\n")
def config_load(s: stride):
    ConfigLoad.src_stride = s
    ConfigLoad.ready = True


@instr("config_st({scale}, {dst}, {act});\n")
def config_store(scale: f32, dst: stride, act: bool):
    ConfigStore.scale = scale
    ConfigStore.dst_stride = dst
    ConfigStore.act = act


@instr("zero({n}, {m}, {res});\n")
def zero_tile(n: size, m: size, res: [i32][n, 16] @ ACCUM):
    assert n <= 16
    assert m <= 16
    for i in seq(0, n):
        for j in seq(0, m):
            res[i, j] = 0.0


@instr("mvin({src}, {dst});\n")
def do_load_block(n: size, m: size, src: [i8][n, 16 * m] @ DRAM, dst: [i8][m, n, 16] @ SCRATCH):
    assert n <= 16
    assert m <= 4
    assert stride(src, 1) == 1
    for i in seq(0, n):
        for j in seq(0, m):
            for k in seq(0, 16):
                dst[j, i, k] = src[i, 16 * j + k]


@proc
def scale_result(src: i32, dst: f32, scale: f32):
    tmp: f32 @ DRAM
    tmp = src
    dst = tmp * scale


@proc
def clamp(src: f32, dst: i8):
    l: f32
    h: f32
    l = -128.0
    h = 127.0
    dst = select(h, src, h, src)
    dst = select(src, l, l, dst)


@proc
def accelerated(N: size, M: size, scale: f32,
    act:bool, A:i8[N,512], B:i8[512,M], C:i8[N,M]):
  assert N % 256 == 0
  assert M % 256 == 0
  for i in seq(0, N):
    for j in seq(0, M):
      res: i32 @ DRAM
      res = 0.0
      for k in seq(0, 512):
        a2: i32 @ DRAM
        b2: i32 @ DRAM
        a2 = A[i, k]
        b2 = B[k, j]
        res += a2 * b2
      src_tmp: i32 @ DRAM
      src_tmp = res
      tmp_res1: f32 @ DRAM
      scale_result(src_tmp, tmp_res1, scale)
      tmp_res2: i8 @ DRAM
      clamp(tmp_res1, tmp_res2)
      if act == True:
        tmp_res2 = relu(tmp_res2)
      C[i, j] = tmp_res2


@proc
def accelerated_blocks(N: size, M: size, scale: f32, act:bool, A:i8[N,512], C:i8[N,M]):
  assert N % 256 == 0
  config_store(scale, stride(C, 0), act)
  config_load(stride(A, 0))
  res: i32[16, 16, 16] @ ACCUM
  A_tmp: i8[16, 32, 16, 16] @ SCRATCH
  for ioo in seq(0, N / 256):
    for ioi in seq(0, 16):
      for j in seq(0, 4):
        zero_tile(16, 16,
                   res[j+4*(ioi%4), 0:16, 0:16])
      for koo in seq(0, 8):
        if ioo == 0:
          if ioi > 0:
            do_load_block(16, 4,
             A[16*ioi+256*ioo:16+16*ioi+256*ioo,
                              64*koo:64+64*koo],
             A_tmp[ioi,4*koo:4+4*koo,0:16,0:16])


# -- stencils, window statements, loops from any bound, par and vec -----------------------------------


@proc
def blur(H: size, W: size, out: ui16[H, W] @ DRAM, inp: ui16[H+2, W+2] @ DRAM):
    assert H % 32 == 0
    assert W % 256 == 0
    blur_x: ui16[H+2, W] @ DRAM
    for y in seq(0, H+2):
        for x in seq(0, W):
            blur_x[y, x] = (inp[y, x] + inp[y, x+1] + inp[y, x+2]) / 3.0
    for y in seq(0, H/32):
     for x in seq(0, W/256):
      for yi in seq(0, 32):
       for xi in seq(0, 256):
        out[32*y+yi, 256*x+xi] = (blur_x[32*y+yi, 256*x+xi]
                                  + blur_x[32*y+yi+1, 256*x+xi]
                                  + blur_x[32*y+yi+2, 256*x+xi]) / 3.0


@proc
def views(n: size, m: index, x: R[n, 16], flag: bool, k: int):
    assert n > 4
    assert m >= 0 and m < n - 1 and k != 3
    row = x[m, :]
    column = x[1:, 3]
    inner = x[m:m + 2, 4:8]
    corner = inner[0:1, :]
    for i in par(1, n - 1):
        column[i] = row[0] - (-2.5e-1)
    for j in vec(m, n):
        x[j, 0] = 0
    if flag and not (m == 0 or n < 8):
        corner[0, 1] += abs(row[3]) + fmaxf(row[4], 1)
    elif 1 < n < 7:
        pass
    else:
        inner[1, 3] = sin(row[5]) * expf(row[6]) + sqrt(row[7])


# -- Python around the object code ---------------------------------------------------------------------

IC, OC, N, W = 4, 16, 10, 4


@proc
def convolution(
    data: i32[IC, N] @ DRAM,
    kernels: i32[OC, IC, W] @ DRAM,
    out: i32[OC, N] @ DRAM,
):
    for i in seq(0, OC):
        for j in seq(0, N):
            out[i, j] = 0.0
            for c in seq(0, IC):
                for r in seq(0, W):
                    y: i32
                    if j + r < N:
                        y = data[c, j + r]
                    else:
                        y = 0
                    out[i, j] += kernels[i, c, r] * y


def micro_kernel(rows: int, lanes: int, memory: Memory) -> Proc:
    @proc
    def micro(K: size, C: f32[rows, 2 * lanes] @ DRAM):
        acc: f32[rows, 2 * lanes] @ memory
        for i in seq(0, rows):
            for j in seq(0, lanes * 2):
                acc[i, j] = C[i, j]

    return micro


twice = extern("twice", 1, lambda x: 2 * x, "(2 * ({0}))")


@proc
def doubled(x: f32):
    x = twice(x) * 3.0


LISTINGS = [value for value in list(globals().values()) if isinstance(value, Proc)]


@pytest.mark.parametrize("p", LISTINGS, ids=Proc.name)
def test_a_listing_prints_as_it_was_meant(p: Proc) -> None:
    again = proc_from_source(str(p), reparse_env(p.tree))
    assert alpha_normal(again.tree) == alpha_normal(p.tree)
    assert str(again) == str(p)


def test_all_listings_are_there() -> None:
    assert len(LISTINGS) == 23


def test_what_listings_mean() -> None:
    assert str(matvec) == """def matvec(M: size, N: size, A: f32[M, N] @ DRAM, x: f32[N] @ DRAM, y: f32[M] @ DRAM):
    assert M % 8 == 0
    assert N % 8 == 0
    for i in seq(0, M):
        for j in seq(0, N):
            y[i] += A[i, j] * x[j]"""
    assert masked_load16.is_instr() and masked_load16.tree.instr.c_global == "#include <immintrin.h>"
    assert str(masked_load16).startswith("@instr('{dst_data} = _mm512_maskz_loadu_ps(")
    kinds = {"scale": "f32", "dst_stride": "stride", "act": "bool", "rows": "size"}
    assert {f: str(t) for f, t in ConfigStore.fields.items()} == kinds
    assert "row = x[m, 0:16]\n    column = x[1:n, 3]\n" in str(views)
    assert "y = 0.0" in str(convolution) and "data: i32[4, 10]" in str(convolution)


def test_python_values_are_looked_up_where_the_procedure_stands() -> None:
    p = micro_kernel(6, 16, AVX512)
    assert "C: f32[6, 32] @ DRAM" in str(p) and "acc: f32[6, 32] @ AVX512" in str(p)
    assert "for j in seq(0, 32)" in str(p)
    assert micro_kernel(6, 16, DRAM) != p and micro_kernel(6, 16, AVX512) == p


def test_an_annotation_may_be_quoted() -> None:
    assert proc_from_source("def f(n: 'size', x: 'f32[n] @ DRAM'):\n    pass") == proc_from_source(
        "def f(n: size, x: f32[n]):\n    pass"
    )


def test_a_config_may_also_be_written_with_values() -> None:
    class Load:
        pass

    Load.__annotations__ = {"row": stride, "scale": f32, "deep": bool, "n": int, "narrow": ui8}
    assert {k: str(t) for k, t in config(Load).fields.items()} == {
        "row": "stride", "scale": "f32", "deep": "bool", "n": "int", "narrow": "u8",
    }  # fmt: skip


def test_words_are_python_values_that_are_not_called() -> None:
    assert [repr(w) for w in (par, vec, stride)] == ["par", "vec", "stride"]
    with pytest.raises(TypeError, match="inside a @proc"):
        par(0, 4)
    with pytest.raises(TypeError, match="inside a @proc"):
        relu(1.0)
    with pytest.raises(TypeError, match="call it inside a @proc"):
        matvec(1, 2)


@pytest.mark.parametrize("name", ["f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "ui8", "ui16", "R"])
def test_every_data_type_has_its_name(name: str) -> None:
    p = proc_from_source(f"def f(x: {name}[4]):\n    y: {name}\n    y = x[0]")
    assert str(p.args()[0].type().base) == name.replace("ui", "u")


@pytest.mark.parametrize("name", ["size", "index", "int", "bool", "stride"])
def test_every_control_type_has_its_name(name: str) -> None:
    assert proc_from_source(f"def f(x: {name}):\n    pass").args()[0].type() == Control(name)
