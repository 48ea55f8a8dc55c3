/* What is done behind ?:, && and ||. Programs of our own, for tests/importers/test_programs.py. */
#include <math.h>
#include <stddef.h>

static float mean(int n, const float *x) {
    float s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    return s / n;
}

static int digits(int v) {
    int count = 1;
    for (int i = 0; i < 10; i++)
        if (v > 9) {
            v /= 10;
            count++;
        }
    return count;
}

/* n=1 a_size=1 b_size=1; n=7 a_size=7 b_size=8 */
void taken_in_turn(int n, const float *a, const float *b, const unsigned char *c, float *out) {
    int i = 0, j = 0;
    for (int k = 0; k < n; k++) out[k] = c[k] % 2 ? a[i++] : b[j++];
}

/* n=1 m=1 a_size=1 b_size=1; n=7 m=5 a_size=7 b_size=5 */
void merged(int n, int m, const float *a, const float *b, float *out) {
    int i = 0, j = 0;
    for (int k = 0; k < n + m; k++) out[k] = j >= m || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}

/* n=1 out_size=1; n=9 out_size=9 */
int packed(int n, const float *x, float *out) {
    int k = 0;
    for (int i = 0; i < n; i++) x[i] > 0 && (out[k++] = x[i]);
    return k;
}

/* n=1 out_size=1; n=9 out_size=9 */
int packed_others(int n, const float *x, float *out) {
    int k = 0;
    for (int i = 0; i < n; i++) x[i] > 0 || (out[k++] = x[i]);
    return k;
}

void counted(int n, const int *x, int *neg, int *pos) {
    int p = 0, q = 0;
    for (int i = 0; i < n; i++) x[i] < 0 ? q++ : p++;
    *neg = q;
    *pos = p;
}

/* n=1 a_size=1 b_size=1; n=7 a_size=7 b_size=7 */
double of_two_types(int n, const int *a, const double *b, const float *c) {
    int i = 0, j = 0;
    double s = 0;
    for (int k = 0; k < n; k++) {
        float v = c[k] > 0 ? a[i++] : b[j++];
        s += v + (c[k] < 1 ? ++i / 2 : 0.5f);
        i -= c[k] < 1;
    }
    return s;
}

int tries(int n, const int *x, int *last) {
    int hits = 0, tried = 0;
    for (int k = 0; k < n; k++)
        if (x[k] > 0 && ++tried > 2 && x[k] % 2) hits++;
    *last = tried;
    return hits;
}

int tries_or_not(int n, const int *x, int *last) {
    int hits = 0, tried = 0;
    for (int k = 0; k < n; k++) {
        if (x[k] > 50 || (x[k] > 0 && tried++ > 1)) hits++;
        else hits -= 2;
    }
    *last = tried;
    return hits;
}

/* n=1; n=2; n=5 */
int returned(int n, int *x) { return n > 2 ? x[0]++ : --x[0]; }

void called(int n, const float *x, float *y) {
    for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? mean(i + 1, x) : -1.0f;
}

void called_behind(int n, const float *x, float *y) {
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        if (x[i] > 0 && mean(n, x) < 0.1f) y[i] = 1;
        if (x[i] < -1 || mean(i + 1, x) < x[i]) y[i] += 2;
        else y[i] -= x[i] > 0 ? mean(n, x) : x[i] > -0.5f ? mean(1, x) : 3;
    }
}

void called_in_choices(int n, const int *x, int *y) {
    for (int i = 0; i < n; i++) y[i] = x[i] > 20 ? digits(x[i]) : x[i] < 0 && digits(-x[i]) == 2 ? 7 : !digits(3);
}

/* n=1 m=2 t_size=2; n=9 m=2 t_size=2 */
void table_behind(int n, int m, const float *t, const float *x, float *y) {
    for (int i = 0; i < n; i++) y[i] = x[i] >= 0 && x[i] < m ? t[(int)x[i]] : -1.0f;
}

/* n=1 m=2 t_size=2; n=9 m=30 t_size=30 */
void half_behind(int n, int m, const float *t, const int *x, float *y) {
    for (int i = 0; i < n; i++)
        if (x[i] >= 0 && x[i] / 2 < m && t[x[i] / 2] > 0) y[i] = t[x[i] / 2];
}

int left_behind(int n, const int *x, int *last) {
    int k = 0, i;
    for (i = 0; i < n && (x[i] > 0 || k++ < 2); i++) {
        if (x[i] > 90 && ++k > 1) break;
        k += x[i] % 2 ? 1 : 0;
    }
    *last = k;
    return i;
}

/* n=1 m=2 t_size=2; n=9 m=2 t_size=2 */
int index_behind(int n, int m, const double *t, const double *p) {
    int found = 0;
    for (int i = 0; i < n; i++)
        if (p[i] >= 0 && p[i] < m && t[(int)p[i]] > 0) found++;
    return found;
}
