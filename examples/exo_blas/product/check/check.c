// Every function of the library with random arguments, beside its definition in double precision, and whether it writes
// what it must not. Ends with 1 if something is wrong. `check SEED CASES` tries others, or more.
#include "exo_blas.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 70, ROOM = MOST * (MOST + 10) };

static uint64_t state = 1;
static int faults, calls;
static char letter;  // of the functions that are called

static uint32_t bits(void) { return (uint32_t)((state = state * 6364136223846793005u + 1442695040888963407u) >> 33); }
static int below(int n) { return (int)(bits() % (uint32_t)n); }
static double number(void) { return (double)bits() / 1073741824.0 - 1.0; }
static int pick(int a, int b) { return bits() & 1 ? a : b; }
static int transposition(void) { return CblasNoTrans + below(3); }
static int step(void) {
    const int steps[] = {1, 1, -1, 2, -3, 5};
    return steps[below(6)];
}

// A number; of a real one, im is 0
typedef struct {
    double re, im;
} Number;
#define NOTHING ((Number){NAN, NAN})

static double rest(void) { return pick(0, 1) ? (double)NAN : number(); }
static Number any(void) { return (Number){number(), number()}; }
static Number real(double re) { return (Number){re, 0}; }
static Number conjugate(Number a) { return (Number){a.re, -a.im}; }
static Number plus(Number a, Number b) { return (Number){a.re + b.re, a.im + b.im}; }
static Number multiply(Number a, Number b) { return (Number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static int is(Number a, double re) { return a.re == re && a.im == 0; }

// A matrix as it is meant, with what is not stored: op(A) of a dense, triangular, symmetric, banded or packed one.
typedef struct {
    int m, n;
    Number at[MOST][MOST];
} Full;

static Full op(int trans, const Full *a) {
    static Full t;
    if (trans == CblasNoTrans) return *a;
    t.m = a->n, t.n = a->m;
    for (int i = 0; i < t.m; i++)
        for (int j = 0; j < t.n; j++) t.at[i][j] = trans == CblasConjTrans ? conjugate(a->at[j][i]) : a->at[j][i];
    return t;
}

static void times(const Full *a, const Full *b, Full *c) {
    c->m = a->m, c->n = b->n;
    for (int i = 0; i < c->m; i++)
        for (int j = 0; j < c->n; j++) {
            double re = 0, im = 0;
            for (int k = 0; k < a->n; k++) {
                const Number u = a->at[i][k], v = b->at[k][j];
                re += u.re * v.re - u.im * v.im, im += u.re * v.im + u.im * v.re;
            }
            c->at[i][j] = (Number){re, im};
        }
}

// a := alpha a, and a := alpha a + beta b
static void scale(Number alpha, Full *a) {
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++) a->at[i][j] = multiply(alpha, a->at[i][j]);
}
static void combine(Number alpha, Full *a, Number beta, const Full *b) {
    scale(alpha, a);
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++) a->at[i][j] = plus(a->at[i][j], multiply(beta, b->at[i][j]));
}

// x, y := c x + s y, c y - s x
static void rotate(Full *x, Full *y, double c, double s) {
    const Full before = *x;
    combine(real(c), x, real(s), y), combine(real(c), y, real(-s), &before);
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

// Where element i of a vector with an increment is: 7 elements are before it.
static long place(int n, int inc, int i) { return 7 + (inc < 0 ? (long)(i - n + 1) * inc : (long)i * inc); }

enum { DENSE, TRIANGLE, SYMMETRIC, HERMITIAN };
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

static void wrong(const char *routine, double found, double wanted) {
    if (faults++ < 20) printf("%c: %s: %.17g, not %.17g\n", letter, routine, found, wanted);
}

#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define IN(name) JOIN(LETTER, name)
#define B(name) JOIN(JOIN(cblas_, LETTER), name)
// What makes real numbers of complex ones has two letters (scasum), and so has what takes both (csscal).
#define TO_REAL(name) JOIN(JOIN(cblas_, OF(LETTER, JOIN(REAL, LETTER))), name)
#define WITH_REAL(name) B(OF(name, JOIN(REAL, name)))
// A scalar is handed over by value, or its address.
#define BY(scalar) OF(*(scalar), scalar)

#define T float
#define REAL s
#define EPSILON 1.2e-7
#define LETTER s
#include "check_real.h"
#define LETTER c
#include "check_complex.h"
#undef T
#undef REAL
#undef EPSILON
#define T double
#define REAL d
#define EPSILON 2.3e-16
#define LETTER d
#include "check_real.h"
#define LETTER z
#include "check_complex.h"

int main(int count, char **words) {
    const char *wanted = getenv("EXO_BLAS_ISA");
    if (wanted && strcmp(wanted, exo_blas_isa())) {
        printf("%s: this processor has none\n", wanted);
        return 0;
    }
    if (count > 1) state = strtoull(words[1], NULL, 10);
    const int cases = count > 2 ? atoi(words[2]) : 300;
    for (int k = 0; k < cases; k++) {
        letter = 's', scheck();
        letter = 'd', dcheck();
        letter = 'c', ccheck();
        letter = 'z', zcheck();
    }
    letter = 's';
    float x[2] = {3, 4}, y[2] = {1, 2};
    if (cblas_dsdot(2, x, 1, y, 1) != 11) wrong("dsdot", cblas_dsdot(2, x, 1, y, 1), 11);
    if (cblas_sdsdot(2, 1, x, 1, y, 1) != 12) wrong("sdsdot", cblas_sdsdot(2, 1, x, 1, y, 1), 12);
    const int size = (int)sizeof(CBLAS_INT) * 8;
    printf("%s, %d-bit integers: %d calls, %d wrong results\n", exo_blas_isa(), size, calls, faults);
    return faults > 0;
}
