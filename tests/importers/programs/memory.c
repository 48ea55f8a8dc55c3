/* Memory of the heap, addresses, pointers that change places, arrays of structs. Programs of our own, for
tests/importers/test_programs.py. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* n=1 k=1; n=9 k=4 */
int relaxed(int n, const double *A, const double *b, double *x, int k) {
    double *next = (double *)malloc(n * sizeof(double));
    if (next == NULL) return -1;
    for (int it = 0; it < k; it++) {
        for (int i = 0; i < n; i++) {
            double s = b[i];
            for (int j = 0; j < n; j++)
                if (j != i) s -= A[i * n + j] * x[j];
            next[i] = s / (A[i * n + i] + 9);
        }
        memcpy(x, next, n * sizeof(double));
    }
    free(next);
    return 0;
}

/* n=3 m=3 k=2; n=8 m=6 k=3 */
void heated(double *u, int n, int m, int k) {
    double *un = malloc(sizeof *un * n * m);
    float *zero = calloc(n * m, sizeof(float));
    if (!un || !zero) return;
    for (int t = 0; t < k; t++) {
        for (int i = 0; i < n * m; i++) un[i] = u[i] + zero[i];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = un[i * m + j] + 0.1 * (un[(i - 1) * m + j] + un[(i + 1) * m + j] - 2 * un[i * m + j]);
    }
    free(zero);
    free(un);
}

/* n=1 m=1; n=4 m=7 */
void flat(int n, int m, const unsigned char *rgb, float *x, int *row, int *column) {
    int size = n * m;
    for (int k = 0; k < size; k++) {
        x[k] = (rgb[3 * k] + rgb[3 * k + 1] + rgb[3 * k + 2]) / 3.0f;
        row[k] = k / m;
        column[k] = k % m;
    }
}

static void sums(const float *x, int n, float *s, float *t, int *count) {
    *s = *t = 0;
    for (int i = 0; i < n; i++) {
        *s += x[i];
        *t += x[i] * x[i];
        (*count)++;
    }
}
void moments(int n, const float *x, float *mean, float *var) {
    float s, t[2];
    int count = 0;
    sums(x, n, &s, &t[1], &count);
    sums(x, n, mean, t, &count);
    *mean = s / n;
    *var = t[1] / count - *mean * *mean + t[0];
}

/* n=3 k=1; n=9 k=2; n=12 k=7 */
void waves(int n, int k, double c, double *prev, double *cur, double *next) {
    for (int s = 0; s < k; s++) {
        for (int i = 1; i < n - 1; i++)
            next[i] = 2 * cur[i] - prev[i] + c * c * (cur[i + 1] - 2 * cur[i] + cur[i - 1]);
        double *t = prev;
        prev = cur;
        cur = next;
        next = t;
    }
}

/* n=3; n=9 */
void to_and_fro(int n, float *a, float *b) {
    for (int s = 0; s < 5; s++) {
        for (int i = 1; i < n; i++) b[i] = a[i - 1] + s;
        float *t = a;
        a = b;
        b = t;
    }
    a[0] = 7;
}

typedef struct { float x, y, v[2]; } Particle;
void moved(int n, Particle *p, float dt, const Particle *wind) {
    for (int i = 0; i < n; i++) {
        Particle *q = &p[i];
        q->x += dt * q->v[0];
        p[i].y += dt * (p[i].v[1] + wind->v[1]);
        if (p[i].x < 0) p[i].v[0] = -p[i].v[0];
    }
}

typedef struct { double re, im; } cplx;
void products(int n, const cplx *a, const cplx *b, cplx *c) {
    for (int i = 0; i < n; i++) {
        cplx x = a[i];
        c[i].re = x.re * b[i].re - x.im * b[i].im;
        c[i].im = x.re * b[i].im + x.im * b[i].re;
    }
}

/* n=1 m=1; n=9 m=4 */
void delayed(int m, const double *h, double *state, const double *x, double *out, int n) {
    for (int i = 0; i < n; i++) {
        memmove(state + 1, state, (m - 1) * sizeof(double));
        state[0] = x[i];
        out[i] = 0;
        for (int k = 0; k < m; k++) out[i] += h[k] * state[k];
    }
}

void filled(int n, unsigned char *a, int *b, short *c) {
    memset(a, 200, n);
    memset(b, -1, n * sizeof(int));
    memset(c, 1, n * sizeof *c);
    memmove(a, a + 1, n - 1);
}

static int clamped(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }
static inline int flipped(int i, int n) {
    if (i < n / 2) return i;
    return n - 1 - i;
}
/* n=1 m=2 r=0; n=5 m=7 r=2 */
void blurred(const unsigned char *src, int *dst, int n, int m, int r) {
    int area = (2 * r + 1) * (2 * r + 1);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < m; x++) {
            int sum = 0;
            for (int dy = -r; dy <= r; dy++)
                for (int dx = -r; dx <= r; dx++) sum += src[clamped(y + dy, 0, n - 1) * m + clamped(x + dx, 0, m - 1)];
            dst[y * m + x] = (sum + area / 2) / area + flipped(x, m);
        }
}

/* n=1 h=2 w=2; n=2 h=4 w=6 */
void pooled(int n, int h, int w, const float *in_1, float *out) {
    for (int k = 0; k < n; k++)
        for (int y = 0; y < h / 2; y++)
            for (int x = 0; x < w / 2; x++) {
                float m = -1e30f;
                for (int dy = 0; dy < 2; dy++)
                    for (int dx = 0; dx < 2; dx++) {
                        float v = in_1[(k * h + 2 * y + dy) * w + 2 * x + dx];
                        if (v > m) m = v;
                    }
                out[(k * (h / 2) + y) * (w / 2) + x] = m;
            }
}

/* n=3 m=4 k=2; n=5 m=3 k=1 */
void copied(float *u, int n, int m, int k) {
    float *v = malloc(n * m * sizeof(float));
    memcpy(v, u, n * m * sizeof(float));
    for (int t = 0; t < k; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) v[i * m + j] = u[(i - 1) * m + j] + u[i * m + j + 1];
        memcpy(u, v, sizeof(float) * n * m);
    }
    free(v);
}

/* n=1 m=1; n=4 m=7 */
void transposed(int n, int m, const int *x, int *y, int *z) {
    for (int k = 0; k < n * m; k++) {
        y[(k % m) * n + k / m] = x[k];
        z[k] = y[(k % m) * n + k / m] + k;
        if (z[k] > 90) break;
    }
}

static void times(const double *A, const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
    }
}
void iterated(const double *A, double *x, double *tmp, int n) {
    for (int it = 0; it < 3; it++) {
        times(A, x, tmp, n);
        for (int i = 0; i < n; i++) x[i] = tmp[i] / n;
    }
}
