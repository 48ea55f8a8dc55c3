/* What everyday programs have beside loops and arrays. Programs of our own, for tests/importers/test_programs.py. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* n=1;n=2;n=7 interpret */
void product_of_counters(int n, double x[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) x[i][j] = (double)(i * j + 1) / n;
}

/* n=1;n=2;n=7 interpret */
void remainder_by_a_size(int n, double x[n][n]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) x[i][j] = (double)((i * (j - 3) + 1) % n) / n;
}

/* n=1;n=2;n=7 interpret */
void products_in_closed_form(int n, int *x) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int q = i * n - (j + 2) * (j - i), r = -(i * j);
            x[i] += q;
            x[j] ^= r;
        }
}

/* n=1;n=3;n=70000 */
void products_that_wrap(unsigned n, unsigned *x, uint64_t *y) {
    for (unsigned i = 0; i < n; i++) {
        unsigned q = i * n * 77777u;
        x[i] = q;
        y[i] = i * n * 65537u + 1;
    }
}

/* n=1;n=2;n=7 interpret */
int counted_up_beside(int n, int *x) {
    int k = 0;
    for (int i = 0; i < n; i++, k += 2) x[i] = k * i;
    return k * k;
}

void half_away_from_zero(int n, double *x, float *y, const int *a) {
    for (int i = 0; i < n; i++) {
        x[i] = round(x[i]) + round(a[i] / 2.0) + nearbyint(a[i] / 2.0);
        y[i] = roundf(y[i]) + roundf(a[i] / 2.0f);
    }
}

void signs(int n, double *x, float *y) {
    for (int i = 0; i < n; i++) {
        x[i] = copysign(x[i], y[i]);
        y[i] = copysignf(1.5f, y[i]);
    }
}

/* interpret */
int least_of_none(int n, const int *x, double *r) {
    int lo = INT_MAX, hi = INT_MIN;
    r[0] = -DBL_MAX;
    for (int i = 0; i < n; i++) {
        if (x[i] < lo) lo = x[i];
        if (x[i] > hi) hi = x[i];
        r[0] = fmax(r[0], x[i]);
    }
    return hi / 2 - lo / 2;
}

/* n=1;n=2;n=7 */
void truths_and_choices(int n, const float *x, const int *a, float *y, int *b) {
    for (int i = 0; i < n; i++) {
        b[i] = (x[i] > 0) - (x[i] < 0);
        y[i] = i > 0 && x[i - 1] > x[i] ? 0.1 : a[i] > 3 ? x[i] * 0.5 : -x[i];
        y[i] += i > 0 ? y[i - 1] : 0;
        b[i] += a[i] < 0 ? 0 : a[i] > 50 ? 50 : a[i];
    }
}

void extremes(int n, const float *x, float lo, float *y, int *best) {
    float least = x[0], most = x[0];
    for (int i = 1; i < n; i++) {
        if (x[i] < least) least = x[i];
        if (most < x[i] * x[i]) most = x[i] * x[i];
        if (best[0] > i % 3) best[0] = i % 3;
        y[i] = y[i] < lo ? lo : y[i];
        if (y[i] >= most) y[i] = most;
    }
    y[0] = most - least;
}
