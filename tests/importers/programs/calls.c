/* Functions that call others of the file. Programs of our own, for tests/importers/test_programs.py. */
#include <stdint.h>
#include <math.h>

static double dot_of(int n, const double *x, const double *y) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

static void scale_of(int n, float a, float *x) {
    a *= 2;
    for (int i = 0; i < n; i++) x[i] *= a;
}

static double square(double x) {
    return x * x;
}

static inline float blend(float a, float b, float t) {
    if (t > 0.5f) return a;
    return a + (b - a) * t;
}

double norm(int n, const double *x) {
    return sqrt(dot_of(n, x, x)) + square(x[0]);
}

void matvec(int n, int m, double a[n][m], const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] = 2 * dot_of(m, a[i], x);
}

void scaled(int n, float *x, double b) {
    scale_of(n, b, x);
    scale_of(1, 0.5, x + n - 1);
}

void blended(int n, const float *x, const float *y, float *z) {
    for (int i = 0; i < n; i++) z[i] = blend(x[i], y[i] + 1, 0.25 + x[i]);
}

void squares(int n, double *x) {
    for (int i = 0; i < n; i++) x[i] = square(x[i]) + square(square(x[i]) - 1);
}

double shared[6];
static const double half[2] = {0.5, 0.25};

static void add_shared(int n, double *x) {
    static double calls[1];
    for (int i = 0; i < 6; i++) shared[i] += x[n - 1] * half[i % 2];
}

void use_shared(int n, double *x) {
    add_shared(n, x);
    shared[0] -= x[0];
    if (n > 2) add_shared(2, x + 1);
}

/* n=1; n=4; n=9 */
void inner_counts(int n, double x[40]) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        x[k] += 1;
        for (int j = 2; j < 6; j++) {
            x[k] += j % 2 == 0 ? 1 : 2;
            k++;
        }
    }
}

static int16_t saturated(int v) {
    if (v > 32767) return 32767;
    if (v < -32768) return -32768;
    return v;
}

static inline uint32_t rotated(uint32_t x, int r) { return (x << r) | (x >> (32 - r)); }

void of_products(int n, const int16_t *a, const int16_t *b, int16_t *c) {
    for (int i = 0; i < n; i++) c[i] = saturated((a[i] * b[i] * 90 + 64) >> 4);
}

uint32_t of_bits(int n, const uint8_t *p) {
    uint32_t h = 0x9747b28c;
    for (int i = 0; i < n; i++) h = rotated(h ^ p[i] * 0xcc9e2d51u, 13) * 5;
    return h;
}
