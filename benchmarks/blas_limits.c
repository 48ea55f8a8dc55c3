// What the processor can do at most: multiply-adds on registers of so many BYTES, and passes over memory of the kinds that
// routines make.
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define VECTORS 12  // as many chains as hide the latency
typedef float f32v __attribute__((vector_size(BYTES)));
typedef double f64v __attribute__((vector_size(BYTES)));

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

#define PEAK(name, V, E)                                                                     \
    double name(int64_t steps, E *out) {                                                     \
        V c[VECTORS], a = {0}, b = {0};                                                      \
        a += out[0], b += out[1];                                                            \
        for (int v = 0; v < VECTORS; v++) c[v] = a + (E)v;                                   \
        const double start = now();                                                          \
        for (int64_t k = 0; k < steps; k++)                                                  \
            _Pragma("GCC unroll 12") for (int v = 0; v < VECTORS; v++) c[v] = c[v] * a + b;  \
        const double taken = now() - start;                                                  \
        for (int v = 0; v < VECTORS; v++) out[2] += c[v][0];                                 \
        return 2.0 * steps * VECTORS * (sizeof(V) / sizeof(E)) / taken;                      \
    }
PEAK(peak_f32, f32v, float)
PEAK(peak_f64, f64v, double)

// A pass over x and y, of n bytes together, `times` times. Returns seconds.
#define PASS(name, together, each)                                                           \
    __attribute__((optimize("O3", "fast-math"))) double name(int64_t times, int64_t n, float *restrict x, float *restrict y) { \
        const int64_t m = n / (4 * together);                                                \
        volatile float sink = 0;                                                             \
        const double start = now();                                                          \
        for (int64_t k = 0; k < times; k++) {                                                \
            float t = 0;                                                                     \
            each                                                                             \
            sink = t;                                                                        \
            __asm__ volatile("" ::"r"(x), "r"(y) : "memory");                                \
        }                                                                                    \
        return now() - start;                                                                \
    }
#define CHAINS(e) f32v s[8] = {0}; \
    for (int64_t i = 0; i + 64 <= m; i += 64) { _Pragma("GCC unroll 8") for (int v = 0; v < 8; v++) s[v] += e; } \
    for (int v = 0; v < 8; v++) t += s[v][0];
typedef float f32u __attribute__((vector_size(BYTES), aligned(4)));
PASS(pass_read, 1, CHAINS(*(f32u *)(x + i + 8 * v)))
PASS(pass_scale, 1, for (int64_t i = 0; i < m; i++) x[i] *= 1.0001f;)
PASS(pass_copy, 2, for (int64_t i = 0; i < m; i++) y[i] = x[i] + 1.0f;)
PASS(pass_update, 2, for (int64_t i = 0; i < m; i++) y[i] += 0.0001f * x[i];)
