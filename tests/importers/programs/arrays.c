/* Arrays and pointers of every kind. Programs of our own, for tests/importers/test_programs.py. */
#include <stddef.h>
#include <string.h>
#define ROWS 5
#define COLS (ROWS + 2)
enum { TAPS = 3 };
static const double taps[TAPS] = {0.25, 0.5, 0.25};
const float grid[2][3] = {{1, 2, 3}, {4}};
static const int STEP = 2;
double state[ROWS];
float total = 1.5f;

void fixed(double a[ROWS][COLS], double b[COLS][ROWS]) {
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) b[j][i] = a[i][j];
}

/* n=1; n=5; n=8 */
void bounded(int n, double a[8]) {
    for (int i = 0; i < n; i++) a[i] += 1;
}

void variable(int n, int m, double a[n][m], double x[m], double y[n]) {
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < m; j++) y[i] += a[i][j] * x[j];
    }
}

void open_first(int n, double a[][4], double (*b)[4]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++) a[i][j] = b[i + 1][j];
}

void flat(int n, int m, double *a, const double *b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) a[i * m + j] += b[j * n + i];
}

/* n=1 m=1 lda=1; n=3 m=2 lda=5; n=4 m=7 lda=7 */
void flat_rows(int n, int m, int lda, double *a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) a[i * lda + j] *= 2;
}

void cube(int n, int m, int k, float *a, const float *b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int l = 0; l < k; l++) a[(i * m + j) * k + l] = b[(i * m + j) * k + l] * a[i * m * k + j * k];
}

void pixels(int h, int w, unsigned char *out, const unsigned char *in) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int c = 0; c < 3; c++) out[(y * w + x) * 3 + c] = 255 - in[(y * w + x) * 3 + 2 - c];
}

void flat_back(int n, int m, double *a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) a[i * m + m - 1 - j] += a[(n - 1 - i) * m + j];
}

void flat_next(int n, int m, double *a) {
    for (int i = 0; i + 1 < n; i++)
        for (int j = 0; j < m; j++) a[(i + 1) * m + j] = a[i * m + j];
}

void row_pointer(int n, int m, double *a, double *s) {
    for (int i = 0; i < n; i++) {
        double *row = a + i * m;
        for (int j = 0; j < m; j++) s[i] += row[j];
    }
}

void row_walk(int n, int m, const double *a, double *s) {
    const double *p = a;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) s[j] += p[j];
        p += m;
    }
}

void all_walk(int n, int m, double *a) {
    double *p = a;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) *p++ += 1;
}

void matrix_row(int n, int m, double a[n][m], double *s) {
    for (int i = 0; i < n; i++) {
        double *row = a[i];
        double *last = &a[i][m - 1];
        for (int j = 0; j < m; j++) s[i] += row[j] * *last;
    }
}

void whole_matrix(int n, int m, double a[n][m]) {
    double *p = &a[0][0];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) p[i * m + j] = -p[i * m + j];
}

/* n=3 off=0; n=1 off=4; n=5 off=2 */
void offset(int n, int off, double *x) {
    for (int i = 0; i < n; i++) x[i + off] = 1;
}

/* n=1 r=1; n=6 r=2; n=9 r=1 */
void radius(int n, int r, const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = -r; k <= r; k++) y[i] += x[i + k + r];
    }
}

void two_arrays(int n, double *restrict x, const double *restrict y) {
    x[0] = y[0];
    for (int i = 1; i < n; i++) x[i] = y[i] - y[i - 1];
}

void only_some(int n, double *x) {
    for (int i = 1; i < n - 1; i++) x[i] = 4;
}

void with_local(int n, double *x) {
    double t[n], u[4] = {1, 2};
    for (int i = 0; i < n; i++) t[i] = x[n - 1 - i] + u[1] + u[3];
    for (int i = 0; i < n; i++) x[i] = t[i];
}

void with_tables(int n, const double *x, double *y, float *z) {
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = 0; k < TAPS; k++) y[i] += taps[k] * x[i + k];
        for (int k = 0; k < 3; k++) z[STEP * i] += grid[0][k] - grid[1][k];
    }
}

void with_state(int n, double *x) {
    for (int i = 0; i < ROWS; i++) state[i] = state[i] * 0.5 + x[i * n];
    total += x[0];
}

void cleared(int n, int m, double a[n][m], double *x, float y[4]) {
    memset(a, 0, sizeof(double) * n * m);
    memset(x, 0, n * sizeof(*x));
    memset(y, 0, sizeof(float) * 4);
}

void copied_rows(int n, int m, double a[n][m], const double b[n][m], double *x) {
    memcpy(a, b, n * m * sizeof(double));
    memcpy(x, a[n - 1], m * sizeof(double));
    memcpy(x + m, b[0], m * sizeof(double));
}

void swapped(int n, double *a, double *b) {
    for (int i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[n - 1 - i];
        b[n - 1 - i] = t;
    }
}

/* in_1=3 size_1=2; in_1=1 size_1=1 */
void python_words(int in, int size, double *lambda, double seq[size][in]) {
    for (int def = 0; def < size; def++)
        for (int is = 0; is < in; is++) seq[def][is] = lambda[is];
}

void shadowed(int n, double *x) {
    double t = 1;
    for (int i = 0; i < n; i++) {
        double t = x[i];
        {
            int i = 0;
            double n = 2;
            x[i] += t * n;
        }
        x[i] += t;
    }
    x[0] += t;
}

void negative_index(int n, double *x) {
    double *p = x + 1;
    for (int i = 0; i < n; i++) p[i - 1] = p[i];
}

void halves(int n, double *x) {
    double *upper = x + n;
    for (int i = 0; i < n; i++) {
        double a = x[i], b = upper[i];
        x[i] = a + b;
        upper[i] = a - b;
    }
}

void stencil(int n, int m, double a[n][m], double b[n][m]) {
    for (int t = 0; t < 2; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++)
                b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < m - 1; j++) a[i][j] = b[i][j];
    }
}

void shrunk(int n, int m, double a[n][m], double *x) {
    double t[n];
    while (n-- > 1) {
        t[n] = a[n][0];
        x[n] = t[n];
        m = n;
    }
}

void chained_walk(int n, double *x, double *y, double *z) {
    for (int i = 0; i < n; i++) *x++ = *y++ = z[i] * 2;
}

void unsigned_index(unsigned n, double *x) {
    for (unsigned i = 1; i < n; i++) {
        unsigned before = i - 1;
        x[before] = x[i] + x[n - i];
    }
}

void strided_walk(int n, int inc, const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        *y++ = *x;
        x += inc;
    }
}

void transposed(int n, int m, const float *restrict a, float *restrict b) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) b[j * n + i] = a[i * m + j];
}

void band(int n, int k, double *a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= k; j++) a[i * (k + 1) + j] *= 0.5;
}

void in_place(int n, double a[n][n]) {
    for (int j = 0; j < n; j++) {
        for (int i = j + 1; i < n; i++) {
            a[i][j] /= a[j][j] + 10;
            for (int l = j + 1; l < n; l++) a[i][l] -= a[i][j] * a[j][l];
        }
    }
}

void guarded_edges(int n, const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = -2; k <= 2; k++)
            if (i + k >= 0 && i + k < n) y[i] += x[i + k];
    }
}

/* n=1 m=1 lda=1; n=3 m=4 lda=4; n=2 m=3 lda=5 */
void guarded_rows(int n, int m, int lda, const float *x, float *y) {
    for (int i = 0; i < n; i++)
        for (int j = m - 1; j >= 0; j--)
            y[i * m + j] = (j + 1 < m ? x[i * lda + j + 1] : 0) + (j > 0 ? x[i * lda + j - 1] : 1);
}
