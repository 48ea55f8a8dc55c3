// Every function of the library with random arguments, beside its definition in double precision, and whether it writes
// what it must not. Ends with 1 if something is wrong. `check SEED CASES` tries others, or more.
#include "exo_blas.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 70, ROOM = 3 * MOST * MOST };

static uint64_t state = 1;
static int faults, calls;

static uint32_t bits(void) { return (uint32_t)((state = state * 6364136223846793005u + 1442695040888963407u) >> 33); }
static int below(int n) { return (int)(bits() % (uint32_t)n); }
static double number(void) { return (double)bits() / 1073741824.0 - 1.0; }
static int pick(int a, int b) { return bits() & 1 ? a : b; }

// A matrix as it is meant, with what is not stored: op(A) of a dense, triangular, symmetric, banded or packed one.
typedef struct {
    int m, n;
    double at[MOST][MOST];
} Full;

static Full transposed(const Full *a) {
    static Full t;
    t.m = a->n, t.n = a->m;
    for (int i = 0; i < t.m; i++)
        for (int j = 0; j < t.n; j++) t.at[i][j] = a->at[j][i];
    return t;
}

static void times(const Full *a, const Full *b, Full *c) {
    c->m = a->m, c->n = b->n;
    for (int i = 0; i < c->m; i++)
        for (int j = 0; j < c->n; j++) {
            double sum = 0;
            for (int k = 0; k < a->n; k++) sum += a->at[i][k] * b->at[k][j];
            c->at[i][j] = sum;
        }
}

// Where element (i, j) of a matrix is: dense, of a band with kl and ku diagonals, or of a packed triangle of n rows.
static long dense(int rows, int ld, int i, int j) { return rows ? (long)i * ld + j : (long)j * ld + i; }
static long banded(int rows, int ld, int kl, int ku, int i, int j) {
    return rows ? (long)i * ld + kl + j - i : (long)j * ld + ku + i - j;
}
static long packed(int rows, int upper, int n, int i, int j) {
    if (!rows) {  // the columns of one triangle are the rows of the other
        int t = i;
        i = j, j = t, upper = !upper;
    }
    return upper ? (long)i * n - (long)i * (i - 1) / 2 + j - i : (long)i * (i + 1) / 2 + j;
}

enum { DENSE, SYMMETRIC, TRIANGLE };
typedef struct {
    int kind, rows, upper, unit, packed, band, m, n, kl, ku, ld;
} Shape;

static int stored(const Shape *s, int i, int j) {
    if (s->band && (j - i > s->ku || i - j > s->kl)) return 0;
    return s->kind == DENSE || i == j || (j > i) == s->upper;
}
static long at(const Shape *s, int i, int j) {
    if (s->packed) return packed(s->rows, s->upper, s->n, i, j);
    return s->band ? banded(s->rows, s->ld, s->kl, s->ku, i, j) : dense(s->rows, s->ld, i, j);
}
#define LAYOUT(s) ((s).rows ? CblasRowMajor : CblasColMajor)
#define UPLO(s) ((s).upper ? CblasUpper : CblasLower)
#define DIAG(s) ((s).unit ? CblasUnit : CblasNonUnit)
#define TRANS(t) ((t) ? pick(CblasTrans, CblasConjTrans) : CblasNoTrans)

static void wrong(const char *routine, double found, double wanted) {
    if (faults++ < 20) printf("%s: %.17g, not %.17g\n", routine, found, wanted);
}

#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define LETTER s
#define T float
#define EPSILON 1.2e-7
#include "check_precision.h"
#undef LETTER
#undef T
#undef EPSILON
#define LETTER d
#define T double
#define EPSILON 2.3e-16
#include "check_precision.h"

int main(int count, char **words) {
    const char *wanted = getenv("EXO_BLAS_ISA");
    if (wanted && strcmp(wanted, exo_blas_isa())) {
        printf("%s: this processor has none\n", wanted);
        return 0;
    }
    if (count > 1) state = strtoull(words[1], NULL, 10);
    const int cases = count > 2 ? atoi(words[2]) : 300;
    for (int k = 0; k < cases; k++) {
        sall();
        dall();
    }
    float x[2] = {3, 4}, y[2] = {1, 2};
    if (cblas_dsdot(2, x, 1, y, 1) != 11) wrong("dsdot", cblas_dsdot(2, x, 1, y, 1), 11);
    if (cblas_sdsdot(2, 1, x, 1, y, 1) != 12) wrong("sdsdot", cblas_sdsdot(2, 1, x, 1, y, 1), 12);
    printf("%s, %d-bit integers: %d calls, %d wrong results\n", exo_blas_isa(), (int)sizeof(CBLAS_INT) * 8, calls, faults);
    return faults > 0;
}
