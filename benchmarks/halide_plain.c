// The pipelines of examples/halide as one would write them by hand: row by row, with the rows that are needed again.
// Each thread computes one run of rows.
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void Part(int64_t H, int64_t W, const float *restrict inp, float *restrict out, int64_t first, int64_t end);

static const float third = 0.3333333f;

static float *rows(int64_t n, int64_t width) { return aligned_alloc(64, (n * width * sizeof(float) + 63) / 64 * 64); }

void threads(int n) { omp_set_num_threads(n); }

// Rows `first` to `end` by each thread.
static inline void in_parts(Part part, int64_t H, int64_t W, const float *inp, float *out) {
    #pragma omp parallel
    {
        int64_t n = omp_get_num_threads(), t = omp_get_thread_num();
        part(H, W, inp, out, H * t / n, H * (t + 1) / n);
    }
}

// Both stages in loops of their own over a row; three rows of the first stage.
static void rows_of_blur(
    int64_t H, int64_t W, const float *restrict inp, float *restrict out, int64_t first, int64_t end
) {
    float *restrict b = rows(3, W);
    for (int64_t y = first; y < end + 2; y++) {
        const float *i = inp + y * (W + 2);
        float *r = b + y % 3 * W;
        for (int64_t x = 0; x < W; x++) r[x] = (i[x] + i[x + 1] + i[x + 2]) * third;
        if (y >= first + 2)
            for (int64_t x = 0; x < W; x++) out[(y - 2) * W + x] = (b[x] + b[W + x] + b[2 * W + x]) * third;
    }
    free(b);
}

void blur_rows(int64_t H, int64_t W, const float *inp, float *out) { in_parts(rows_of_blur, H, W, inp, out); }

// Both stages in one loop, all nine pixels read.
static void fused_blur(
    int64_t H, int64_t W, const float *restrict inp, float *restrict out, int64_t first, int64_t end
) {
    for (int64_t y = first; y < end; y++) {
        const float *a = inp + y * (W + 2), *b = a + W + 2, *c = b + W + 2;
        for (int64_t x = 0; x < W; x++)
            out[y * W + x] = ((a[x] + a[x + 1] + a[x + 2]) + (b[x] + b[x + 1] + b[x + 2]) + (c[x] + c[x + 1] + c[x + 2]))
                             * (third * third);
    }
}

void blur_fused(int64_t H, int64_t W, const float *inp, float *out) { in_parts(fused_blur, H, W, inp, out); }

static void gray_row(int64_t W, int64_t plane, const float *restrict inp, float *restrict gray) {
    for (int64_t x = 0; x < W; x++) gray[x] = 0.299f * inp[x] + 0.587f * inp[plane + x] + 0.114f * inp[2 * plane + x];
}

static void rows_of_unsharp(
    int64_t H, int64_t W, const float *restrict inp, float *restrict out, int64_t first, int64_t end
) {
    const float k0 = 0.2659615f, k1 = 0.2129653f, k2 = 0.1093400f, k3 = 0.0359940f;
    const int64_t V = W + 6, plane = V * (H + 6);
    float *ring = rows(7, V), *restrict v = rows(1, V);
    for (int64_t y = first; y < first + 6; y++) gray_row(V, plane, inp + y * V, ring + y % 7 * V);
    for (int64_t y = first; y < end; y++) {
        gray_row(V, plane, inp + (y + 6) * V, ring + (y + 6) % 7 * V);
        const float *restrict g[7];
        for (int d = 0; d < 7; d++) g[d] = ring + (y + d) % 7 * V;
        for (int64_t x = 0; x < V; x++)
            v[x] = k0 * g[3][x] + k1 * (g[2][x] + g[4][x]) + k2 * (g[1][x] + g[5][x]) + k3 * (g[0][x] + g[6][x]);
        const float *i = inp + (y + 3) * V + 3;
        float *o = out + y * W;
        for (int64_t x = 0; x < W; x++) {
            float b = k0 * v[x + 3] + k1 * (v[x + 2] + v[x + 4]) + k2 * (v[x + 1] + v[x + 5]) + k3 * (v[x] + v[x + 6]);
            float ratio = (2.0f * g[3][x + 3] - b) / g[3][x + 3];
            o[x] = ratio * i[x];
            o[H * W + x] = ratio * i[plane + x];
            o[2 * H * W + x] = ratio * i[2 * plane + x];
        }
    }
    free(ring), free(v);
}

void unsharp_rows(int64_t H, int64_t W, const float *inp, float *out) { in_parts(rows_of_unsharp, H, W, inp, out); }

// As many floats as H rows of W have: what an image costs that only passes.
static void copied(int64_t H, int64_t W, const float *restrict inp, float *restrict out, int64_t first, int64_t end) {
    memcpy(out + first * W, inp + first * W, (end - first) * W * sizeof(float));
}

void copy(int64_t H, int64_t W, const float *inp, float *out) { in_parts(copied, H, W, inp, out); }
