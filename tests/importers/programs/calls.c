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

/* Helpers that take indices from what their caller writes, or from its own arrays. */

static void count_of(const uint8_t *img, int n, int *h) {
    for (int i = 0; i < 256; i++) h[i] = 0;
    for (int i = 0; i < n; i++) h[img[i]]++;
}

static void placed_by(int n, const int *at, const float *x, float *y) {
    for (int i = 0; i < n; i++) y[at[i]] = x[i];
}

static void placed_through(int n, const int *at, const float *x, float *y) {
    placed_by(n, at, x, y);
}

int order[3];
static void placed_in_order(const float *x, float *y) {
    for (int i = 0; i < 3; i++) y[order[i]] = x[i];
}

/* y_size=5 */
void in_order(const float *x, float *y) {
    placed_in_order(x, y);
}

static int is_positive(const float *x, const int *at) { return x[*at] > 0; }

void flattened(uint8_t *img, int n) {
    int h[256];
    uint8_t lut[256];
    count_of(img, n, h);
    for (int i = 0; i < 256; i++) lut[i] = h[i] > 255 ? 255 : h[i];
    for (int i = 0; i < n; i++) img[i] = lut[img[i]];
}

void backwards(int n, const float *x, float y[n]) {
    int at[n];
    for (int i = 0; i < n; i++) at[i] = n - 1 - i;
    placed_through(n, at, x, y);
}

/* y_size=5 n=1; y_size=5 n=3; y_size=5 n=5 */
void by_what_is_given(int n, const int *at, const float *x, float *y) {
    placed_through(n, at, x, y);
}

int last_is_positive(int n, const float x[n]) {
    int k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 1) k = i;
    return is_positive(x, &k);
}

static void from_the_other(float *a, const float *b) {
    *a = *b;
    a[1] = 3;
}

void walked(int n, float *x, const float *y) {
    for (int i = 0; i < n; i++) from_the_other(x++, y++);
}

static int doubled_or_less(int a) {
    a *= 2;
    if (a > 3) return a;
    int b = a + 1;
    return -b;
}

void of_each(int n, const int *x, int *y) {
    for (int i = 0; i < n; i++) y[i] = doubled_or_less(x[i]);
}
