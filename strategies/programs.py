"""The naive programs that the schedules of this package start from.

Object code: Python reads it as annotations and calls that it never makes.
"""

from __future__ import annotations

from exo_strat import f32, proc, size


@proc
def sgemm(m: size, n: size, k: size, a: f32[m, k], b: f32[k, n], c: f32[m, n]):
    for j in seq(0, n):
        for i in seq(0, m):
            for p in seq(0, k):
                c[i, j] += a[i, p] * b[p, j]


@proc
def sgemm_tile(m: size, n: size, k: size, a: [f32][m, k], b: [f32][k, n], c: [f32][m, n]):
    assert stride(a, 1) == 1
    assert stride(b, 1) == 1
    assert stride(c, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            t: f32
            t = 0.0
            for p in seq(0, k):
                t += a[i, p] * b[p, j]
            c[i, j] += t


@proc
def sgemv(M: size, N: size, A: f32[M, N], x: f32[N], y: f32[M]):
    for i in seq(0, M):
        for j in seq(0, N):
            y[i] += A[i, j] * x[j]


@proc
def sgemv_trans(M: size, N: size, A: f32[M, N], x: f32[M], y: f32[N]):
    for i in seq(0, M):
        for j in seq(0, N):
            y[j] += A[i, j] * x[i]


@proc
def saxpy(N: size, a: f32, x: f32[N], y: f32[N]):
    for i in seq(0, N):
        y[i] += a * x[i]


@proc
def convolution(h: size, w: size, k: f32[3, 3], x: f32[h + 2, w + 2], y: f32[h, w]):
    for i in seq(0, h):
        for j in seq(0, w):
            for r in seq(0, 3):
                for c in seq(0, 3):
                    y[i, j] += k[r, c] * x[i + r, j + c]


@proc
def sdot(N: size, x: f32[N], y: f32[N], r: f32):
    for i in seq(0, N):
        r += x[i] * y[i]


@proc
def blur(H: size, W: size, inp: f32[H + 2, W + 2], blur_y: f32[H, W]):
    blur_x: f32[H + 2, W]
    for y in seq(0, H + 2):
        for x in seq(0, W):
            blur_x[y, x] = (inp[y, x] + inp[y, x + 1] + inp[y, x + 2]) * 0.3333333
    for y in seq(0, H):
        for x in seq(0, W):
            blur_y[y, x] = (blur_x[y, x] + blur_x[y + 1, x] + blur_x[y + 2, x]) * 0.3333333
