/* Types, conversions and literals. Programs of our own, for tests/importers/test_programs.py. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void mixed(int n, float *x, const double *y) {
    for (int i = 0; i < n; i++) x[i] += y[i];
}

void product_first(int n, double *s, const float *x, const float *y) {
    for (int i = 0; i < n; i++) s[i] = s[i] + x[i] * y[i];
}

void widened_first(int n, double *s, const float *x, const float *y) {
    for (int i = 0; i < n; i++) s[i] += (double)x[i] * y[i];
}

void double_literal(int n, float *x) {
    for (int i = 0; i < n; i++) x[i] = x[i] * 0.1 + 0.3;
}

void float_literal(int n, float *x, double *y) {
    for (int i = 0; i < n; i++) {
        x[i] = x[i] * 0.1f + 0.3f;
        y[i] = y[i] * 0.1f;
    }
}

void one_operation(int n, float *x) {
    for (int i = 0; i < n; i++) x[i] = x[i] * 0.5;
}

void two_operations(int n, float *x, const float *y) {
    for (int i = 0; i < n; i++) x[i] = x[i] * 0.7 * y[i];
}

void thirds(int n, float *x, double *y) {
    for (int i = 0; i < n; i++) {
        x[i] = 1.0 / 3.0;
        y[i] = 1.0f / 3.0f;
        x[i] += 1 / 2 + 7 / 2 + 7 % 3;
    }
}

void from_double(int n, float *x, const double *y) {
    for (int i = 0; i < n; i++) x[i] = y[i];
}

void through_float(int n, double *y) {
    for (int i = 0; i < n; i++) y[i] = (float)y[i] * 3;
}

void roots(int n, float *x, double *y) {
    for (int i = 0; i < n; i++) {
        x[i] = sqrt(fabs(x[i]));
        y[i] = sqrtf(fabs(y[i])) + sqrt(y[i] * y[i]);
        x[i] = sqrt(x[i]) + sqrtf(x[i]);
    }
}

void functions(int n, float *x, double *y) {
    for (int i = 0; i < n; i++) {
        y[i] = exp(y[i]) + sin(y[i]) * cos(y[i]) + pow(fabs(y[i]), 1.5) + tanh(y[i]);
        x[i] = expf(x[i]) + sinf(x[i]) - floorf(x[i] * 3) + ceilf(x[i]) + tanhf(x[i]) + powf(2.0f, x[i]);
        y[i] += log(1.0 + fabs(y[i])) + fmax(y[i], x[i]) - fmin(x[i], 0.5f);
    }
}

void compound(int n, float *x, double *y) {
    for (int i = 0; i < n; i++) {
        x[i] -= y[i];
        x[i] *= 1.1;
        x[i] /= 3;
        y[i] -= x[i];
        y[i] /= 7;
        y[i] *= x[i];
    }
}

/* interpret */
void bytes(int n, const uint8_t *a, const uint8_t *b, uint8_t *c) {
    for (int i = 0; i < n; i++) c[i] = (a[i] + b[i]) / 2;
}

/* interpret */
void weighted(int n, const uint8_t *a, const uint8_t *b, uint8_t *c) {
    for (int i = 0; i < n; i++) c[i] = (3 * a[i] + b[i] + 2) >> 2;
}

/* interpret */
void widened(int n, const int8_t *a, const int8_t *b, int32_t *s) {
    for (int i = 0; i < n; i++) s[i] += a[i] * b[i];
}

/* interpret */
void to_long(int n, const int *a, long *s) {
    for (int i = 0; i < n; i++) s[i] = (long)a[i] * a[i] - 7;
}

/* interpret */
void quotients(int n, int *a, int *b) {
    for (int i = 0; i < n; i++) {
        a[i] = a[i] / 3 + b[i] % 5;
        b[i] = -b[i] / 4;
    }
}

/* interpret */
void bits(int n, int *a, const unsigned char *b) {
    for (int i = 0; i < n; i++) a[i] = ((a[i] & 12) | (b[i] ^ 5)) + (b[i] >> 1) + (b[i] << 3);
}

void from_int(int n, const int *a, double *x, float *y) {
    for (int i = 0; i < n; i++) {
        x[i] = a[i] / 2.0 + a[i];
        y[i] = a[i] * 0.3f + a[i] / 7;
    }
}

void truncated(int n, const double *x, const float *y, int *a) {
    for (int i = 0; i < n; i++) a[i] = (int)(x[i] * 10) + (int)y[i];
}

void absolute(int n, int *a, double *x) {
    for (int i = 0; i < n; i++) {
        a[i] = abs(a[i]) - 1;
        x[i] = fabs(-x[i]) - 0x1p-3 + 'a';
    }
}

void negated(int n, float *x, signed char *a) {
    for (int i = 0; i < n; i++) {
        x[i] = -x[i] + +x[i] * -2.0f;
        a[i] = -(a[i] / 2);
    }
}

void scalars(int n, float a, double b, int c, double *x) {
    for (int i = 0; i < n; i++) x[i] = a * x[i] + b * c;
}

void changed_scalar(int n, double a, double *x) {
    for (int i = 0; i < n; i++) {
        x[i] *= a;
        a = a * 0.5 + 1;
    }
}

double returned(int n, const double *x) {
    double s = 0, t = 1;
    for (int i = 0; i < n; i++) s += x[i], t *= x[i];
    return s - t;
}

float returned_float(int n, const float *x) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += x[i];
    return s / 3;
}

/* interpret */
long count(int n, const int *x) {
    long c = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 10 && x[i] != 40) c++;
    return c;
}

/* interpret */
int truths(int n, const int *x, const int *y) {
    int s = 0;
    for (int i = 0; i < n; i++) s += (x[i] > y[i]) - (x[i] < y[i]) + !x[i] + (x[i] && y[i]);
    return s;
}

int constant(int n, double *x) {
    for (int i = 0; i < n; i++) x[i] = 0;
    return 3 - 4;
}

void chained(int n, double *x, float *y, double *z) {
    for (int i = 0; i < n; i++) {
        x[i] = y[i] = z[i] = z[i] * 1.1;
        x[i] += y[i] *= 3;
    }
}

void carried(int n, double *x) {
    double before = 0;
    for (int i = 0; i < n; i++) {
        double now = x[i];
        x[i] = now - before;
        before = now;
    }
}

/* interpret */
void carried_whole(int n, int *x) {
    int a = 0, b = 1;
    for (int i = 0; i < n; i++) {
        int t = (a + b) % 97;
        a = b;
        b = t;
        x[i] += a;
    }
}

/* interpret */
void signs(int n, int *x) {
    int sign = 1;
    for (int i = 0; i < n; i++) {
        x[i] *= sign;
        sign = -sign;
    }
}

double compared(int n, const float *x, const double *y) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0.1) s += 1;
        if (x[i] > y[i]) s += 2;
        if (x[i] == 0.5 || y[i] >= 1) s += 4;
        if (!(y[i] <= x[i])) s -= 1.5;
        if (x[i]) s += 0.25;
    }
    return s;
}

void powers(int n, float *x, double *y) {
    for (int i = 0; i < n; i++) {
        x[i] = x[i] * x[i] * x[i] - 1.0 / (1.0 + x[i] * x[i]);
        y[i] = (y[i] - 1.0f) * (2 - y[i]) / (4 + (y[i] + 1) * 2);
    }
}

void minus_minus(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        x[i] = -(-x[i]) - -y[i];
        y[i] = - -1.5 * -(x[i] - -(-y[i]));
        y[i] -= -x[i] / -3;
    }
}

void constant_calls(int n, float *x, double *y) {
    for (int i = 0; i < n; i++) {
        y[i] = sqrtf(2.0f) + y[i] * sqrtf(3);
        x[i] = x[i] * sqrt(2) + expf(0.1f) - exp(0.1);
        y[i] += powf(0.3f, 2) + fmaxf(0.1f, 0.2f) + abs(-3) + fabs(-0.1f);
        x[i] = sqrt(0.1);
    }
}

void sizes_of(float x[5][4], double *y) {
    float t[3][4];
    for (int i = 0; i < (int)(sizeof x[0] / sizeof x[0][0]); i++)
        x[1][i] = i < (int)sizeof(t) / 8 ? 1 : 2;
    for (int i = 0; i < (int)(sizeof t / sizeof *t); i++)
        for (int j = 0; j < (int)sizeof *y; j++)
            y[i * 8 + j] += 1;
}

static const float zeros[3] = {-0.0f, 0, -0.0};

void signed_zeros(double *x, float *y) {
    x[0] = -0.0f;
    x[1] = 0.0 * -1;
    x[2] = -0.0;
    x[3] = (double)-0.0f;
    x[4] = -0.0f + (x[4] - x[4]) * -1;
    x[5] = x[5] * -0.0f;
    x[6] = -0.0 + 0.0;
    x[7] = -0.0 - 0;
    x[8] = 0 / -3.0;
    x[9] = -1e-200 * 1e-200;
    x[10] = -0;
    x[11] = (int)-0.5;
    for (int i = 0; i < 3; i++)
        x[12 + i] = zeros[i];
    y[0] = -0.0;
    y[1] = -(double)0.0f;
    y[2] = (float)-0.0;
    y[3] = -1e-30f * 1e-30f;
    y[4] = -1e-60;
    y[5] = y[5] * -0.0 ;
    y[6] -= y[6] - -0.0f;
    y[7] = 1.0f - 1.0f;
    y[8] = y[8] > 0 ? -0.0f : 0.0;
}

/* interpret */
void low_bits(int n, const uint8_t *a, const uint8_t *b, uint8_t *c, const int *d, int16_t *e) {
    for (int i = 0; i < n; i++) {
        c[i] = a[i] * b[i] + 200;
        e[i] = d[i] * d[i] * 31;
    }
}

/* interpret */
unsigned hashed(int n, const unsigned char *s) {
    unsigned h = 2166136261u;
    for (int i = 0; i < n; i++) {
        h ^= s[i];
        h *= 16777619u;
        h = (h << 5) | (h >> 27);
    }
    return ~h - 7;
}

/* interpret */
void unsigned_differences(int n, const unsigned *a, const unsigned *b, unsigned *c, int *d) {
    for (int i = 0; i < n; i++) {
        c[i] = a[i] - b[i];
        d[i] = -a[i] < b[i] ? 1 : ~d[i];
    }
}

/* interpret */
void signed_beside_unsigned(int n, int *x, const unsigned *y) {
    for (int i = 0; i < n; i++)
        if (x[i] < y[i]) x[i] = x[i] + y[i];
}

/* interpret */
void saturated(int n, const int16_t *a, uint8_t *c, uint8_t *d) {
    for (int i = 0; i < n; i++) {
        int v = a[i] * 5;
        if (v < 0) v = 0;
        if (v > 255) v = 255;
        c[i] = v;
        d[i] = a[i] < 0 ? 0 : a[i] > 9 ? 9 : a[i];
    }
}

/* interpret */
void shifted_by_data(int n, int *a, const unsigned char *b) {
    for (int i = 0; i < n; i++) a[i] = (1 << (b[i] & 7)) | (a[i] & ~1) ^ 3 + 2;
}

int any_above(int n, const double *x) {
    bool found = false;
    for (int i = 0; i < n; i++)
        if (x[i] > 1.5) found = true;
    return found;
}

void flags(int n, const double *x, _Bool *b, double *y) {
    for (int i = 0; i < n; i++) {
        b[i] = x[i] > 0;
        if (b[i] || isnan(x[i])) y[i] = 1;
    }
}

void narrow_counters(double *x) {
    for (uint8_t i = 0; i < 10; i++)
        for (short j = 9; j >= 0; j--) x[i] += j;
}

/* interpret */
void chosen_numbers(int n, const int *a, float *x, float *y, int *b) {
    for (int i = 0; i < n; i++) {
        x[i] = -(a[i] > 5);
        y[i] = (a[i] > 0 ? 0.1 : 0.2) * 3.0;
        x[i] += (a[i] > 3 ? 16777217 : 0) + 1;
        b[i] = (a[i] > 3 ? 1.75 : -1.75);
    }
}

/* n=4, m=3; n=300, m=5 */
void counters_with_fewer_bits(int n, uint8_t *a, int8_t *b, unsigned m, uint32_t *u, uint64_t *w) {
    for (int i = 0; i < n; i++) {
        a[i] = (uint8_t)i + 1;
        unsigned char k = i * 3;
        b[i] = k - 7;
    }
    for (unsigned j = 0; j < m; j++) u[j] = 4 * j - 8;
    for (size_t j = m; j-- > 0;) w[j] = j / 4 + j - 2;
}

enum { RED = 1, GREEN = RED << 1, BLUE = 4, WHITE = RED | GREEN | BLUE, LAST = ~WHITE & 0xff, NEXT, LESS = -7 / 2 };

void by_flags(int n, const unsigned char *x, int *y) {
    for (int i = 0; i < n; i++) {
        y[i] = x[i] & RED ? 10 : x[i] & (GREEN | BLUE) ? -3 : 0;
        if ((x[i] & WHITE) == WHITE) y[i] = LAST + 2 * NEXT + LESS;
    }
}

/* interpret */
void conversions_of_counters(int n, long *x, double *y) {
    for (unsigned i = 0; i < n; i++) {
        x[i] = (4 * i - 8) / 4L + ((i - 3) & ~7L) + (2 * i - 6) % 2L;
        x[i] += (int)(i * 1000000000L) + (i * 2654435761u >> 16);
        y[i] = i + 4294967290u;
    }
    for (int i = 0; i < n; i++) x[i] += (i - 3L) & (0u - 8);
}

/* interpret */
void truths_of_numbers(int n, const int *a, const double *y, _Bool *b, int *c) {
    _Bool one = 4;
    for (int i = 0; i < n; i++) {
        b[i] = a[i];
        c[i] = one + (_Bool)y[i] + (_Bool)0.5;
        c[i] += (_Bool)(i - 1);
        switch (i + 4294967296L) { case 0: c[i] += 100; break; case 4294967297L: c[i] += 10; }
    }
}
