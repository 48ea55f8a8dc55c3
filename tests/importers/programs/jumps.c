/* Jumps out of loops, to labels, and between cases. Programs of our own, for tests/importers/test_programs.py. */
#include <stddef.h>

int first_above(int n, const double *x) {
    int i;
    for (i = 0; i < n; i++)
        if (x[i] > 1) break;
    return i;
}

int position(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (x[i] < -1) return i;
    return -1;
}

double sum_to_negative(int n, const double *x) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] < -1.5) break;
        s += x[i];
        if (s > 3) return -s;
    }
    return s;
}

int place_in_rows(int n, int m, double x[n][m]) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            if (x[i][j] > 1.8) return 100 * i + j;
            if (x[i][j] < -1.8) goto bad;
        }
    return -1;
bad:
    x[0][0] = 7;
    return -2;
}

void next_row(int n, int m, double x[n][m]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (x[i][j] > 1) break;
            x[i][j] += 1;
        }
        x[i][m - 1] = 0;
    }
}

void while_positive(int n, double *x) {
    int i = 0;
    while (i < n && x[i] > -1) {
        x[i] = 0;
        i++;
    }
}

void data_first(int n, double x[n + 1]) {
    for (int i = 0; x[i] > -1 && i < n; i++) x[i] = 0;
}

int length(int n, const double *x) {
    int i = 0;
    while (i < n && x[i] > -1) i++;
    return i * 2 + 1;
}

void two_bounds(int n, int m, double *x, double *y) {
    for (int i = 0, j = n; i < m && j > 2; i++, j--) x[i] += y[j];
}

void forever(int n, double *x) {
    int i = 0;
    for (;;) {
        if (i >= n) break;
        x[i] = 1;
        i += 2;
    }
}

void while_one(int n, double *x) {
    while (1) {
        if (n == 0) break;
        n--;
        x[n] *= 2;
    }
}

void at_least_once(int n, double *x) {
    int i = 0;
    do {
        x[i] = i;
        i++;
    } while (i < n);
}

void either(int n, double *x) {
    for (int i = 0; i < n; i++) {
        if (x[i] < 0) goto low;
        x[i] = 1;
        goto both;
    low:
        x[i] = 2;
    both:
        x[i] += 1;
    }
}

void skipped(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        if (x[i] > 0) {
            if (y[i] > 0) goto next;
            y[i] = x[i];
        }
        x[i] = 0;
    next:;
    }
}

int cleaned(int n, double *x) {
    int status = 1;
    if (x[0] < 0) goto done;
    for (int i = 0; i < n; i++) {
        if (x[i] > 1.5) goto done;
        x[i] = 1;
    }
    status = 0;
done:
    x[0] = 9;
    return status;
}

/* interpret */
void falling_through(int n, int *x, const unsigned char *c) {
    for (int i = 0; i < n; i++)
        switch (c[i] % 6) {
        case 0:
            x[i] = 1;
        case 1:
            x[i] += 2;
            break;
        default:
            x[i] = 7;
            break;
        case 3:
        case 4:
            if (x[i] > 1) continue;
            x[i] = 3;
        }
}

int chosen(int k, double *x) {
    switch (k) {
    case 1: return 5;
    case 2: x[0] = 1; break;
    default: return 6;
    }
    x[1] = 2;
    return 7;
}

void ring(int n, const double *x, double *y) {
    int before = n - 1;
    for (int i = 0; i < n; i++) {
        y[i] = x[i] - x[before];
        before = i;
    }
}

/* n=2; n=3; n=8 */
void ring_of_three(int n, const double x[n], double y[n]) {
    int last = n - 1, other = n - 1;
    for (int i = 0; i < n; i++) {
        y[i] = x[i] + x[last] * x[other];
        other = last;
        last = i;
    }
}

void ring_inside(int n, const double *x, double *y) {
    for (int j = 0; j < n; j++) {
        int before = 0;
        for (int i = j; i < n; i++) {
            y[i] += x[before];
            before = i;
        }
    }
}

/* n=1; n=7 */
int first_difference(size_t n, const unsigned char *a, const unsigned char *b) {
    while (n--) {
        if (*a != *b) return *a - *b;
        a++, b++;
    }
    return 0;
}

/* n=1;n=2;n=9 interpret */
int read_in_the_condition(int n, const int *x) {
    int i = 0, c = 7, s = 0;
    while (i < n && (c = x[i]) > -50) {
        s += c / 2;
        i++;
    }
    return 1000 * i + s + c % 7;
}
