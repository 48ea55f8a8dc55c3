/* Loops of every form that is taken. Programs of our own, for tests/importers/test_programs.py. */
#include <stddef.h>

void up(int n, double *x) {
    for (int i = 0; i < n; i++) x[i] = x[i] + 1.0;
}

void upto(int n, int *x) {
    int i;
    for (i = 1; i <= n; ++i) x[i - 1] = x[i - 1] + i % 1;
}

void down(int n, double *x) {
    for (int i = n - 1; i >= 0; i--) x[i + 1] = x[i] * 0.5;
}

void falling(int n, float *x) {
    for (int i = n; i > 0; --i) x[i] = x[i - 1];
}

void strided(int n, double *x) {
    for (int i = 0; i < n; i += 3) x[i] = -x[i];
}

void odd(int n, double *x) {
    for (int i = 1; i <= 2 * n; i += 2) x[i] = x[i - 1];
}

void backstep(int n, double *x) {
    for (int i = n - 1; i >= 0; i -= 2) x[i] = x[i] * x[n - 1];
}

void turned(int n, double *x) {
    for (int i = 0; n > i; i = i + 1) x[i] += 1;
}

void counted(int n, double *x) {
    while (n-- > 0) x[n] = x[n] * 2;
}

void counted_before(int n, double *x) {
    while (--n >= 0) x[n] = x[n] * 2;
}

void counted_unsigned(unsigned long n, double *x) {
    while (n-- > 0) x[n] *= 3;
}

void counted_true(unsigned n, double *x) {
    while (n--) x[n] *= 3;
}

void walking(int n, double *p, const double *q) {
    while (n-- > 0) *p++ = *q++ + 1;
}

void walking_back(int n, double *p) {
    double *e = p + n;
    while (e > p) {
        --e;
        *e = *e * 0.25;
    }
}

void walking_to(int n, double *p) {
    double *e = p + n;
    for (; p < e; p++) *p = 1 - *p;
}

void walking_on(int n, double *p) {
    double *e = p + n;
    while (p != e) *p++ += 1;
}

void prefix(int n, double *x) {
    for (int i = 1; i < n; i++) x[i] += x[i - 1];
}

void outside(int n, double *x) {
    int i = 0;
    while (i < n) {
        x[i] = 2;
        i++;
    }
    x[i] = 5;
}

void after(int n, double *x) {
    int i;
    for (i = 0; i < n; i += 2) x[i] = 1;
    x[i] = 7;
}

void two(int n, double *x) {
    int i = 0, j = n - 1;
    while (i < j) {
        double t = x[i];
        x[i] = x[j];
        x[j] = t;
        i++;
        j--;
    }
}

void beside(int n, double *x, double *y) {
    int j = 0;
    for (int i = 0; i < n; i++) {
        y[j] = x[i];
        j += 2;
    }
}

void closed(int n, double *x, double *y) {
    int j = -1;
    for (int i = 0; i < n; i++) {
        j++;
        y[j + 1] = x[j];
    }
}

void copied(int n, double *x) {
    int k;
    for (int i = 0; i < n; i++) {
        k = 2 * i + 1;
        x[k] = x[k - 1];
    }
}

void wrapped(int n, double *x) {
    int before = -1;
    for (int i = 0; i < n; i++) {
        x[before + 1] += 1;
        before = i;
    }
}

void nested(int n, double *x) {
    for (int i = 0; i < n; i++) for (int j = i; j < n; j++) x[j] += x[i];
}

void triangle(int n, double a[n][n]) {
    for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) a[i][j] = a[j][i];
}

void block(int n, double *x) {
    {
        int i;
        for (i = 0; i < n; i++) {
            {
                x[i] = 1;
            }
        }
    }
}

void empty_body(int n, double *x) {
    int i;
    for (i = 0; i < n; i++);
    x[i] = 3;
}

void comma(int n, double *x) {
    int i, j;
    for (i = 0, j = n - 1; i < n; i++, j--) x[i] += x[j];
}

void long_step(long n, double *x) {
    for (long i = 0; i + 4 <= n; i += 4) {
        x[i] += 1;
        x[i + 3] += 2;
    }
}

void tail(int n, double *x) {
    int i = 0;
    for (; i + 4 <= n; i += 4) x[i] += 1;
    for (; i < n; i++) x[i] += 2;
}

void by_size_t(size_t n, double *x) {
    for (size_t i = 0; i < n; i++) x[i] = 1;
}

void unsigned_down(size_t n, double *x) {
    for (size_t i = n; i-- > 0; ) x[i + 1] = x[i];
}

void half(int n, double *x) {
    for (int i = 0; i < n / 2; i++) x[i] = x[n - 1 - i];
}

void shifted(int n, double *x) {
    for (int i = 0; i < (n >> 1); i++) x[2 * i + (n & 1)] = 4;
}

void tiles(int n, double *x) {
    for (int t = 0; t < n; t += 8) for (int i = t; i < t + 8; i++) x[i] += 1;
}

void masked(int n, double *x) {
    int whole = n & ~3;
    for (int i = 0; i < whole; i++) x[i] = 0;
}

void changed_bound(int n, double *x) {
    int m = n;
    for (int i = 0; i < m; i++) x[i] = 1;
    m = 0;
}

void triangle_with_counters_at_the_top(int n, double a[n][n]) {
    int i, j, k;
    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            for (k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[k][j];
            a[i][j] /= a[j][j] + 9.0;
        }
        for (j = i; j < n; j++)
            for (k = 0; k < i; k++)
                a[i][j] -= a[i][k] * a[k][j];
    }
}

/* n=1; n=9 */
void negative_quotients(int n, double x[n], int *y) {
    for (int i = 0; i < n; i++) {
        y[i] = -(i / 4);
        for (int j = -(i / 2); j <= 0; j++) x[i + j] += 1 + j;
    }
}
