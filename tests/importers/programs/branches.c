/* Branches and choices. Programs of our own, for tests/importers/test_programs.py. */
#include <math.h>
#include <stddef.h>

void clamp(int n, double *x) {
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) x[i] = 0;
        else if (x[i] > 1) x[i] = 1;
    }
}

void chosen(int n, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : 0.1 * x[i];
}

void chosen_twice(int n, const double *x, float *y) {
    for (int i = 0; i < n; i++) y[i] = x[i] < -1 ? -1 : x[i] > 1 ? 1.0f : x[i];
}

void chosen_inside(int n, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] = 1 + (x[i] > y[i] ? x[i] : y[i]) * (i == 0 ? 2.0 : 3.0);
}

void edges(int n, const double *x, double *y) {
    for (int i = 0; i < n; i++) {
        if (i > 0 && i < n - 1) y[i] = x[i - 1] + x[i + 1];
        else y[i] = x[i];
    }
}

void short_circuit(int n, const double *x, double *y) {
    for (int i = 0; i < n; i++)
        if (i > 0 && x[i - 1] > 0) y[i] = 1;
        else if (i == 0 || x[i - 1] < -1) y[i] = 2;
}

void parity(int n, double *x) {
    for (int i = 0; i < n; i++) {
        if (i % 2 == 0) x[i] += 1;
        else x[i] -= 1;
        if ((i & 3) == 3) x[i] = 0;
        if (i % 3) x[i] *= 2;
    }
}

void unswitched(int n, int off, double *x) {
    for (int i = 0; i < n; i++)
        if (off > 2) x[i] = off > 3 ? 1 : 2;
        else x[i] = 3;
}

void early(int n, double *x) {
    if (n < 3) return;
    x[2] = 1;
    if (x[0] > 0) {
        x[1] = 2;
        return;
    }
    x[0] = 3;
}

double early_value(int n, const double *x) {
    if (n == 1) return x[0];
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    if (s < 0) return -s;
    else return s;
}

void nothing(int n, double *x) {
    if (n <= 0) return;
    for (int i = 0; i < n; i++) x[i] = 1;
}

int largest(int n, const double *x) {
    double m = x[0];
    for (int i = 1; i < n; i++) m = m < x[i] ? x[i] : m;
    return m > 1.5;
}

void else_only(int n, double *x) {
    for (int i = 0; i < n; i++) {
        if (x[i] > 0) {
        } else
            x[i] = -x[i];
    }
}

void unsigned_test(size_t n, double *x) {
    for (size_t i = 0; i < n; i++)
        if (i >= 1 && i - 1 < n / 2) x[i - 1] = x[i];
}

void dead(int n, double *x) {
    for (int i = 0; i < n; i++)
        if (sizeof(int) == 4) x[i] = 1;
        else x[i + 1] = 2;
}

void not_a_number(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        double t = (x[i] - x[i]) / (y[i] - y[i]);
        if (!(t < 1)) x[i] = 5;
        if (t < 1 || t != t) y[i] = 6;
    }
}

void filtered(int n, int m, double x[n][m], double y[m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            if (i != j && x[i][j] > 0.5) y[j] += x[i][j];
        }
}

void skipped(int n, double *x) {
    for (int i = 0; i < n; i++) {
        if (x[i] > 1) continue;
        x[i] += 1;
        if (i == 2) {
            x[i] = 0;
            continue;
        } else if (x[i] < 0)
            continue;
        for (int j = 0; j < i; j++) {
            if (j == 1) continue;
            x[j] *= 0.5;
        }
        x[i] -= 3;
    }
}

#define TWICE(a) do { (a) *= 2; } while (0)

void switched(int n, int k, double *x, const int *y) {
    for (int i = 0; i < n; i++) {
        switch (k) {
        case 1: x[i] = 1; break;
        case 4:
        case 5: {
            double t = x[i];
            x[i] = t * t;
            break;
        }
        default: x[i] += 3; break;
        }
        TWICE(x[i]);
        int kind = y[i] % 3;
        switch (kind) {
        case 0: x[i] = 0; break;
        case -1:
        case 1: x[i] -= 1; continue;
        }
        x[i] += 0.5;
    }
}

/* n=1; n=7 */
void once(int n, double *x) {
    do {
        for (int i = 0; i < n; i++) {
            if (x[i] > 0)
                continue;
            x[i] += 1;
        }
    } while (0);
}

/* n=1;n=2;n=7 */
double literals_chosen(int n, const float *x, double *y, int *b) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i] == 0.1 ? 1 : 0.1f;
        s -= -(x[i] > 0 ? 0.1f : 0.3f);
        s += (x[i] > 1 ? 0.1f : x[i] > 0 ? 0.7f : 3) * 3;
        y[i] *= x[i] > 0 ? 0.1f : 0.7f;
        b[i] = (x[i] > 0 ? 0.1f : 1) == 0.1;
        b[i] += 2 * ((x[i] > 0 ? 0.1f : 1) == 0.1f);
        b[i] += 4 * ((x[i] > 0 ? 16777217 : 5) == 16777216);
    }
    return s;
}
