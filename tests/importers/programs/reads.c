/* Indices and bounds that are read from memory. Programs of our own, for tests/importers/test_programs.py. */
#include <stddef.h>

/* n=6 x_size=4; n=1 x_size=1 */
void gathered(int n, const double *x, const int *idx, double *y) {
    for (int i = 0; i < n; i++) y[i] = x[idx[i]];
}

/* n=6 x_size=4; n=1 x_size=2 interpret */
void scattered(int n, int *x, const int *idx, const int *y) {
    for (int i = 0; i < n; i++) x[idx[i] + 1] += y[i];
}

/* n=5 x_size=9 col_size=7 v_size=7; n=1 x_size=1 col_size=1 v_size=1 */
void sparse_rows(int n, const int *ptr, const int *col, const double *v, const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = ptr[i]; k < ptr[i + 1]; k++) s += v[k] * x[col[k]];
        y[i] = s;
    }
}

/* n=30 h_size=5; n=1 h_size=1 */
void histogram(int n, const unsigned char *u, int *h) {
    for (int i = 0; i < n; i++) h[u[i]]++;
}

/* n=3 m=2 k=4 table_rows=5; n=1 m=1 k=1 table_rows=1 */
void rows_of_a_table(int n, int m, int k, const int *which, const float *table, float *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int row = which[i * m + j];
            const float *from = table + row * k;
            for (int l = 0; l < k; l++) out[i * m * k + j * k + l] = from[l];
        }
}

/* n=3 m=2 k=4 */
void chosen_element(int n, int m, int k, const float *p, const int *which, float *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            const float *row = p + i * m * k + j * k;
            for (int l = 0; l < k; l++) out[i * m + j] += row[l];
            out[i * m + j] -= row[which[i * m + j]];
        }
}

void by_table(int n, const double x[256], const unsigned char *idx, double *y) {
    for (int i = 0; i < n; i++) y[i] = x[idx[i]];
}

void from_the_end(int n, const double x[20], const int *idx, double *y) {
    for (int i = 0; i < n; i++) y[i] = x[19 - idx[i]] + x[idx[i] / 2];
}

void also_as_numbers(int n, const double x[9], const int *idx, double *y) {
    for (int i = 0; i < n; i++) {
        int k = idx[i];
        if (idx[i] > 3) y[i] = x[k] * k;
    }
}

/* n=6 heads=3 n_over_heads=2; n=4 heads=1 n_over_heads=4 */
void parts(int n, int heads, const float *x, float *out) {
    int each = n / heads;
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < each; i++) out[h * each + i] = 2 * x[h * each + i];
}

void tiles_of_eight(int n, double *x) {
    for (int t = 0; t < n; t += 8) {
        int end = t + 8 < n ? t + 8 : n;
        for (int i = t; i < end; i++) x[i] += i - t;
    }
}

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* h=1 w=1; h=4 w=6 */
void clamped(int h, int w, const float *in, float *out) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float s = 0;
            for (int k = -2; k <= 2; k++) {
                int at = x + k, row = MIN(MAX(y + k, 0), h - 1);
                if (at < 0) at = 0;
                if (at >= w) at = w - 1;
                s += in[row * w + at];
            }
            out[y * w + x] = s;
        }
}

void to_the_smaller(int n, int m, double *x, const double *y) {
    for (int i = 0; i < n && i < m; i++) x[i] += y[i];
}

/* n=1 m=1; n=40 m=60 */
void scattered_inside(int n, int m, const int *idx, const double *w, double *out) {
    for (int i = 0; i < n; i++)
        if (idx[i] >= 0 && idx[i] < m) out[idx[i]] += w[i];
}

/* n=40 m=60 */
void passed_over(int n, size_t m, const int *idx, const double *w, double *out) {
    for (int i = 0; i < n; i++) {
        int k = idx[i];
        if (k < 0 || (size_t)k >= m) continue;
        out[k] += w[i];
    }
}

/* n=40 out_size=30 */
void not_below(int n, const short *idx, const double *w, double *out) {
    for (int i = 0; i < n; i++)
        if (idx[i] >= 0) out[idx[i]] = w[i];
}

/* n=20 x_size=5 */
void or_none(int n, const int *idx, const double *x, double *out) {
    for (int i = 0; i < n; i++) out[i] = idx[i] == -1 ? 0 : x[idx[i]];
}

/* n=40 m=60 */
void around(int n, int m, const int *idx, double *out) {
    for (int i = 0; i < n; i++)
        for (int k = -1; k < 2; k++) {
            int j = idx[i] + k;
            if (j >= 0 && j < m) out[j] += 1;
        }
}

/* n=40 h=20 w=30 */
void drawn_points(int n, int h, int w, const int *x, const int *y, float *image) {
    for (int i = 0; i < n; i++)
        if (x[i] >= 0 && y[i] >= 0 && x[i] < w && y[i] < h) image[y[i] * w + x[i]] += 1;
}
