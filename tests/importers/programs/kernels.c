/* Whole kernels, as people write them. Programs of our own, for tests/importers/test_programs.py. */
#include <math.h>
#include <string.h>
#define MOST 20

/* n=1 m=1; n=5 m=3; n=20 m=20 */
void rank_update(int n, int m, double alpha, double c[MOST][MOST], const double a[MOST][MOST]) {
    int i, j, k;
    for (i = 0; i < n; i++)
        for (j = 0; j <= i; j++) {
            c[i][j] *= alpha;
            for (k = 0; k < m; k++) c[i][j] += alpha * a[i][k] * a[j][k];
        }
}

void lower_solve(int n, const double *l, const double *b, double *x) {
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++) x[i] -= l[i * n + j] * x[j];
        x[i] /= l[i * n + i] + 3;
    }
}

void normalised_rows(int n, int m, const float *in, float *out) {
    for (int i = 0; i < n; i++) {
        const float *x = in + i * m;
        float *y = out + i * m;
        float top = x[0], sum = 0.0f;
        for (int j = 1; j < m; j++)
            if (x[j] > top) top = x[j];
        for (int j = 0; j < m; j++) {
            y[j] = expf(x[j] - top);
            sum += y[j];
        }
        for (int j = 0; j < m; j++) y[j] /= sum;
    }
}

/* n=2 m=1 k=3; n=1 m=4 k=5 */
void centred(float *out, float *mean, const float *in, const float *scale, int n, int m, int k) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            const float *x = in + i * m * k + j * k;
            float *o = out + (i * m + j) * k;
            float s = 0.0f, v = 0.0f;
            for (int l = 0; l < k; l++) s += x[l];
            for (int l = 0; l < k; l++) v += (x[l] - s) * (x[l] - s);
            for (int l = 0; l < k; l++) o[l] = (x[l] - s) / sqrtf(v + 1e-5f) * scale[l];
            mean[i * m + j] = s;
        }
}

/* h=4 w=5 r=2 s=3; h=3 w=3 r=3 s=1 */
void correlated(int h, int w, int r, int s, const float *in, const float *ker, float *out) {
    for (int y = 0; y < h - r + 1; y++)
        for (int x = 0; x < w - s + 1; x++) {
            float sum = 0;
            for (int i = 0; i < r; i++)
                for (int j = 0; j < s; j++) sum += in[(y + i) * w + x + j] * ker[i * s + j];
            out[y * (w - s + 1) + x] = sum;
        }
}

void filter(int n, int m, const float *x, const float *c, float *y) {
    for (int i = 0; i < n; i++) {
        float acc = 0;
        for (int t = 0; t < m; t++) acc += c[t] * x[i + m - 1 - t];
        y[i] = acc;
    }
}

void unrolled(int n, const float *x, float *y) {
    int m = n % 4;
    for (int i = 0; i < m; i++) y[i] = x[i];
    for (int i = m; i < n; i += 4) {
        y[i] = x[i];
        y[i + 1] = x[i + 1];
        y[i + 2] = x[i + 2];
        y[i + 3] = x[i + 3];
    }
}

void sweep(int k, int n, double a[n][n]) {
    for (int t = 0; t <= k - 1; t++)
        for (int i = 1; i <= n - 2; i++)
            for (int j = 1; j <= n - 2; j++)
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i + 1][j + 1]) / 5.0;
}

/* interpret */
void shortest(int n, int *d) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                d[i * n + j] = d[i * n + j] < d[i * n + k] + d[k * n + j] ? d[i * n + j] : d[i * n + k] + d[k * n + j];
}

/* interpret */
void grey(int n, const unsigned char *rgb, unsigned char *out) {
    for (int i = 0; i < n; i++) {
        int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        out[i] = (77 * r + 150 * g + 29 * b) >> 8;
    }
}

void squared(double a[3][3], const double b[3][3]) {
    double t[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            t[i][j] = 0;
            for (int k = 0; k < 3; ++k) t[i][j] += a[i][k] * b[k][j];
        }
    memcpy(a, t, sizeof(t));
}

void activated(float *out, const float *in, int n) {
    for (int i = 0; i < n; i++) {
        float x = in[i];
        float cube = 0.0447f * x * x * x;
        out[i] = 0.5f * x * (1.0f + tanhf(sqrtf(2.0f / M_PI) * (x + cube)));
    }
}

void strided(int n, double a, const double *x, int inc, double *y, int s) {
    int ix = 0, iy = 0;
    if (n <= 0) return;
    for (int i = 0; i < n; i++) {
        y[iy] += a * x[ix];
        ix += inc;
        iy += s;
    }
}

/* interpret */
void pairs_sorted(int n, int *x) {
    for (int pass = 0; pass < n; pass++)
        for (int i = pass & 1; i + 1 < n; i += 2)
            if (x[i] > x[i + 1]) {
                int t = x[i];
                x[i] = x[i + 1];
                x[i + 1] = t;
            }
}

double variance(int n, const double *x) {
    double mean = 0, m2 = 0, seen = 0;
    for (int i = 0; i < n; i++) {
        seen += 1;
        double d = x[i] - mean;
        mean += d / seen;
        m2 += d * (x[i] - mean);
    }
    return m2 / seen;
}

/* n=1 m=1 k=1 lda=1 ldb=1 ldc=1; n=4 m=3 k=5 lda=6 ldb=3 ldc=4 */
void gemm_rows_ld(int n, int m, int k, int lda, int ldb, int ldc, const float *A, const float *B, float *C) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int l = 0; l < k; l++)
                C[i * ldc + j] += A[i * lda + l] * B[l * ldb + j];
}

/* n=1 m=1 k=1 lda=1 ldb=1 ldc=1; n=4 m=3 k=5 lda=6 ldb=5 ldc=4 */
void gemm_columns_ld(int n, int m, int k, int lda, int ldb, int ldc, const double *A, const double *B, double *C) {
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            for (int l = 0; l < k; l++)
                C[i + j * ldc] += A[i + l * lda] * B[l + j * ldb];
}
