/* Indices that are computed from data. Programs of our own, for tests/importers/test_programs.py. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void histogram_of_bytes(int n, const unsigned char *img, int *h) {
    for (int i = 0; i < 256; i++) h[i] = 0;
    for (int i = 0; i < n; i++) h[255 - img[i]]++;
}

int greatest_at(int n, const float *x) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best]) best = i;
    return best;
}

void sorted_in(int n, double *a) {
    for (int i = 1; i < n; i++) {
        double key = a[i];
        int j = i - 1;
        while (j >= 0 && a[j] > key) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = key;
    }
}

void bubbles(int n, int *a) {
    int swapped = 1;
    for (int i = 0; i < n - 1 && swapped; i++) {
        swapped = 0;
        for (int j = 0; j < n - 1 - i; j++)
            if (a[j] > a[j + 1]) {
                int t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
                swapped = 1;
            }
    }
}

void equalized(int n, unsigned char *img) {
    int hist[256], cdf[256];
    memset(hist, 0, sizeof(hist));
    for (int i = 0; i < n; i++) hist[img[i]]++;
    cdf[0] = hist[0];
    for (int i = 1; i < 256; i++) cdf[i] = cdf[i - 1] + hist[i];
    for (int i = 0; i < n; i++) img[i] = (unsigned char)(255L * cdf[img[i]] / n);
}

void in_hex(int n, const uint8_t *in_1, char *out) {
    static const char digits[] = "0123456789abcdef";
    const char *upper = "ABC\n";
    for (int i = 0; i < n; i++) {
        out[3 * i] = digits[in_1[i] >> 4];
        out[3 * i + 1] = digits[in_1[i] & 15];
        out[3 * i + 2] = upper[in_1[i] & 3];
    }
}

uint32_t checked(const uint32_t table[256], const uint8_t *p, size_t n) {
    uint32_t crc = ~0u;
    while (n--) crc = (crc >> 8) ^ table[(crc ^ *p++) & 0xff];
    return crc ^ ~0u;
}

static const int cx[5] = {0, 1, 0, -1, 0};
static const int cy[5] = {0, 0, 1, 0, -1};
/* n=3 m=3; n=4 m=7 */
void streamed(int n, int m, const double *f, double *g) {
    for (int q = 0; q < 5; q++)
        for (int x = 1; x < n - 1; x++)
            for (int y = 1; y < m - 1; y++) g[(q * n + x + cx[q]) * m + y + cy[q]] = f[(q * n + x) * m + y];
}

/* n=4 m=5 h=7 w=6 src_size=20; n=2 m=2 h=3 w=1 src_size=4 */
void resized(const float *src, int n, int m, float *dst, int h, int w) {
    for (int y = 0; y < h; y++) {
        float fy = (float)y * (n - 1) / h;
        int y0 = (int)fy;
        for (int x = 0; x < w; x++) {
            float fx = (float)x * (m - 1) / w;
            int x0 = (int)fx;
            float a = src[y0 * m + x0], b = src[y0 * m + x0 + 1];
            float c = src[(y0 + 1) * m + x0], d = src[(y0 + 1) * m + x0 + 1];
            dst[y * w + x] = (1 - fy + y0) * (a + (fx - x0) * (b - a)) + (fy - y0) * (c + (fx - x0) * (d - c));
        }
    }
}

/* n=1 out_size=9; n=9 out_size=9; n=20 out_size=30 */
int positives(int n, const double *x, const int *idx, double *out) {
    int k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0) out[k++] = x[i] + idx[i];
    return k;
}

/* n=1 x_size=9 y_size=9 incx=1 incy=1; n=5 x_size=9 y_size=21 incx=-2 incy=5; n=6 x_size=6 y_size=6 incx=-1 incy=-1 */
void added(int n, double a, const double *x, int incx, double *y, int incy) {
    int ix = 0, iy = 0;
    if (incx < 0) ix = (1 - n) * incx;
    if (incy < 0) iy = (1 - n) * incy;
    for (int i = 0; i < n; i++) {
        y[iy] += a * x[ix];
        ix += incx;
        iy += incy;
    }
}

/* n=1 k=1; n=9 k=4 */
void wrapped_around(int n, int k, const unsigned char *cur, unsigned char *next) {
    for (int y = 0; y < n; y++)
        for (int x = 0; x < k; x++) {
            int left = (x + k - 1) % k;
            next[y * k + x] = cur[((y + 1) % n) * k + x] + cur[y * k + left];
        }
}

/* n=1 out_size=1; n=20 out_size=20 */
void counted(int n, const unsigned char *x, unsigned char *out) {
    int *count = calloc(257, sizeof(int));
    if (!count) return;
    for (int i = 0; i < n; i++) count[x[i] + 1]++;
    for (int v = 0; v < 256; v++) count[v + 1] += count[v];
    for (int i = 0; i < n; i++) out[count[x[i]]++] = x[i];
    free(count);
}

/* n=1 m=1; n=4 m=5 */
void periodic(int n, int m, const double *u, double *v) {
    for (int i = 0; i < n; i++) {
        int up = i == 0 ? n - 1 : i - 1;
        int down = (i + 1) % n;
        for (int j = 0; j < m; j++) v[i * m + j] = u[up * m + j] + u[down * m + j] + u[i * m + (j + m - 1) % m];
    }
}

void by_bits_of_an_index(int n, const uint8_t *code, short *out) {
    static const signed char moves[16] = {-1, -1, -1, -1, 2, 4, 6, 8, -1, -1, -1, -1, 2, 4, 6, 8};
    int value = 0, at = 0;
    for (int i = 0; i < n; i++) {
        int c = code[i] & 15, by = 8 + at;
        if (c & 4) value += by >> 1;
        value += c & 8 ? -by : by;
        at += moves[c];
        at = at < 0 ? 0 : at > 63 ? 63 : at;
        out[i] = value;
    }
}

/* n=1, x_size=9, out_size=9; n=6, x_size=6, out_size=9 */
size_t kept_positive(size_t n, const int *x, int *out) {
    size_t k = 0, best = 0, i;
    for (i = 0; i < n; i++) {
        if (x[i] > 0) out[k++] = x[i];
        if (x[i] > x[best]) best = i;
    }
    for (i = 0; i < n; i++)
        if (x[i] < -50) break;
    if (i < n) out[i] = best;
    return i;
}

int where;
/* where=62 n=1; where=62 n=70 */
void in_a_ring(float buf[64], int n, const float *x, float *y) {
    for (int i = 0; i < n; i++) {
        y[i] = buf[where];
        buf[where++] = x[i];
        where %= 64;
    }
}

unsigned state;
/* k=3 n=9 */
int steps_inside(int n, const float *x, int *y) {
    int t, many = 0;
    for (int i = 0; i < n; i++) {
        if ((t = 100 * x[i]) > 30) many += t;
        y[i] = (state = state * 1664525u + 1013904223u) >> 16;
        if (++y[i] > 7 && many > 3) y[i] += many++ % 5;
    }
    return many;
}

/* n=1;n=2;n=7 */
void nearest_neighbours(int n, const float *x, float *y) {
    for (int i = 0; i < n; i++) {
        y[i] = x[i > 0 ? i - 1 : i] + x[i < n - 1 ? i + 1 : i];
        y[i] -= x[i + 1 >= n ? i : i + 1];
    }
}

/* n=1;n=2;n=7 */
void neighbours_on_a_ring(int n, const float *x, float *y, float *z) {
    for (int i = 0; i < n; i++) {
        int next = i + 1 < n ? i + 1 : 0;
        y[i] = x[next] - x[i == 0 ? n - 1 : i - 1];
        z[i] = x[i + 2 < n ? i + 2 : i];
    }
}

/* h=1 w=1;h=1 w=2;h=2 w=5;h=4 w=3 */
void twice_as_large(int h, int w, const float *a, float *b) {
    for (int y = 0; y < 2 * h; y++)
        for (int x = 0; x < 2 * w; x++) {
            int y0 = y / 2, x0 = x / 2;
            int y1 = y0 + 1 < h ? y0 + 1 : y0, x1 = x0 + 1 < w ? x0 + 1 : x0;
            float p = y % 2 * 0.5f, q = x % 2 * 0.5f;
            float upper = (1 - q) * a[y0 * w + x0] + q * a[y0 * w + x1];
            b[y * 2 * w + x] = (1 - p) * upper + p * ((1 - q) * a[y1 * w + x0] + q * a[y1 * w + x1]);
        }
}

/* n=1 m=1;n=5 m=1;n=9 m=4 */
void inside_by_one_comparison(int n, const int *idx, int m, float *h) {
    for (int i = 0; i < n; i++)
        if ((unsigned)idx[i] < (unsigned)m) h[idx[i]] += 1.0f;
}

/* n=1 r=0;n=5 r=1;n=4 r=9 */
void padded_by_one_comparison(int n, int r, const float *x, float *y, float *z) {
    for (int i = 0; i < n; i++) {
        float s = 0, t = 0;
        for (int k = -r; k <= r; k++) {
            if ((unsigned)(i + k) < (unsigned)n) s += x[i + k];
            if ((size_t)(i + k) >= n) continue;
            t += x[i + k];
        }
        y[i] = s;
        z[i] = t;
    }
}
