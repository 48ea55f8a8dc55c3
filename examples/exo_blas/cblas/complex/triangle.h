// What trmm and trsm have in common: B := alpha op(A) B or alpha B op(A), where op(A) is a triangle or its inverse. Who
// includes it says which (SOLVES) and defines `small`: from the left, of at most SMALL rows.
//
// A is halved until it is small. One half of B gets a product of the other: before the other is changed, or, of an
// inverse, when it is known.
#include "views.h"

#define SMALL 16
#define TURNED 64  // rows that are turned at a time, to come from the left

static void small(int upper, int unit, int64_t m, int64_t n, View a, T *b, int64_t ldb);

// As `small`, but from the right and of at most SMALL columns
static void small_right(int upper, int unit, int64_t m, int64_t n, View a, T *b, int64_t ldb) {
    T turned[2 * SMALL * TURNED];
    for (int64_t i = 0; i < m; i += TURNED) {
        const int64_t rows = m - i < TURNED ? m - i : TURNED;
        T *const some = b + 2 * i * ldb;
        for (int64_t j = 0; j < n; j++)
            KERNEL(copied_strided)(rows, &one, PAIRS(some + 2 * j, ldb), PAIRS_OUT(turned + 2 * j * TURNED, 1));
        small(!upper, unit, n, rows, transposed(a), turned, TURNED);
        for (int64_t j = 0; j < n; j++)
            KERNEL(copied_strided)(rows, &one, PAIRS(turned + 2 * j * TURNED, 1), PAIRS_OUT(some + 2 * j, ldb));
    }
}

static void left(int upper, int unit, int64_t m, int64_t n, View a, T *b, int64_t ldb) {
    if (m <= SMALL) {
        small(upper, unit, m, n, a, b, ldb);
        return;
    }
    const int64_t h = HALF(m, SMALL);
    T *const low = b + 2 * h * ldb;
    const int top_first = upper != SOLVES;
    if (top_first) left(upper, unit, h, n, a, b, ldb);
    else left(upper, unit, m - h, n, from(a, h, h), low, ldb);
    const Number by = {SOLVES ? -1 : 1, 0};
    if (upper) COMPLEX_PRODUCT(WHOLE, h, n, m - h, by, from(a, 0, h), view(low, ldb, 0, 0), b, ldb);
    else COMPLEX_PRODUCT(WHOLE, m - h, n, h, by, from(a, h, 0), view(b, ldb, 0, 0), low, ldb);
    if (top_first) left(upper, unit, m - h, n, from(a, h, h), low, ldb);
    else left(upper, unit, h, n, a, b, ldb);
}

static void right(int upper, int unit, int64_t m, int64_t n, View a, T *b, int64_t ldb) {
    if (n <= SMALL) {
        small_right(upper, unit, m, n, a, b, ldb);
        return;
    }
    const int64_t h = HALF(n, SMALL);
    T *const low = b + 2 * h;
    const int top_first = upper == SOLVES;
    if (top_first) right(upper, unit, m, h, a, b, ldb);
    else right(upper, unit, m, n - h, from(a, h, h), low, ldb);
    const Number by = {SOLVES ? -1 : 1, 0};
    if (upper) COMPLEX_PRODUCT(WHOLE, m, n - h, h, by, view(b, ldb, 0, 0), from(a, 0, h), low, ldb);
    else COMPLEX_PRODUCT(WHOLE, m, h, n - h, by, view(low, ldb, 0, 0), from(a, h, 0), b, ldb);
    if (top_first) right(upper, unit, m, n - h, from(a, h, h), low, ldb);
    else right(upper, unit, m, h, a, b, ldb);
}

// row += t other
static inline void add_times(int64_t n, Number t, const T *other, T *row) {
    KERNEL(axpy_pairs)(n, &t.re, &t.im, IN(other, 1), OUT(row, 1));
}

static inline Number element(View a, int64_t i, int64_t j) { return conjugated(number(pair_of(a, i, j)), a.conj); }

// The routine, of arguments that are right
static void triangular(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag,
    int64_t m, int64_t n, Number alpha, const T *a, int64_t lda, T *b, int64_t ldb) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans;
    if (m == 0 || n == 0) return;
    const int64_t height = rows ? m : n, width = rows ? n : m;  // columns are the rows of the transposed
    scale_rows(height, width, alpha, b, ldb);
    if (is_zero(alpha)) return;
    const int upper = ((uplo == CblasUpper) != turned) == rows;
    ((side == CblasLeft) == rows ? left : right)(upper, diag == CblasUnit, height, width,
        view(a, lda, turned, trans == CblasConjTrans), b, ldb);
}
