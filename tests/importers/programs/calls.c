/* Functions that call others of the file. Programs of our own, for tests/importers/test_programs.py. */
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
