// x := op(A)^-1 x, where A is triangular
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "triangle_vector.h"

DECLARE(trsv);

// Of a large triangle and neighbours: for some rows at a time, the small triangle and the rectangle beside it
APART void blocks(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int lower, int dots,
    int64_t n, const T *a, int64_t lda, T *x) {
    const int64_t block = CHOICE(triangle_block), count = (n + block - 1) / block;
    for (int64_t b = 0; b < count; b++) {
        const int64_t i = (lower == dots ? b : count - 1 - b) * block, rows = n - i < block ? n - i : block;
        const int64_t from = lower ? 0 : i + rows, columns = lower ? i : n - from;
        const T *row = a + i * lda;
        if (columns > 0 && dots) DOTS(rows, columns, -1, row + from, lda, x + from, x + i, 1);
        CBLAS(trsv)(layout, uplo, trans, diag, rows, row + i, lda, x + i, 1);
        if (columns > 0 && !dots) ADDS(rows, columns, -1, row + from, lda, x + i, 1, x + from);
    }
}

APART void by_ut(int64_t n, const T *a, int64_t lda, T *x) { KERNEL(trsv_ut)(n, IN2(a, lda, 1), OUT(x, 1)); }
APART void by_ut_unit(int64_t n, const T *a, int64_t lda, T *x) { KERNEL(trsv_ut_unit)(n, IN2(a, lda, 1), OUT(x, 1)); }
APART void by_un(int64_t n, const T *a, int64_t lda, T *x) { KERNEL(trsv_un)(n, IN2(a, lda, 1), OUT(x, 1)); }
APART void by_un_unit(int64_t n, const T *a, int64_t lda, T *x) { KERNEL(trsv_un_unit)(n, IN2(a, lda, 1), OUT(x, 1)); }
APART void by_lt(int64_t n, const T *a, int64_t lda, T *x) { KERNEL(trsv_lt)(n, IN2(a, lda, 1), OUT(x, 1)); }
APART void by_lt_unit(int64_t n, const T *a, int64_t lda, T *x) { KERNEL(trsv_lt_unit)(n, IN2(a, lda, 1), OUT(x, 1)); }
APART void by_ln(int64_t n, const T *a, int64_t lda, T *x) { KERNEL(trsv_ln)(n, IN2(a, lda, 1), OUT(x, 1)); }
APART void by_ln_unit(int64_t n, const T *a, int64_t lda, T *x) { KERNEL(trsv_ln_unit)(n, IN2(a, lda, 1), OUT(x, 1)); }

APART void copied(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n, const T *a,
    int64_t lda, T *x, int64_t incx) {
    ROOM(u, n, trsv);
    exo_copy(n, x, incx, u, 1);
    CBLAS(trsv)(layout, uplo, trans, diag, n, a, lda, u, 1);
    exo_copy(n, u, 1, x, incx);
    RELEASE(u);
}

void CBLAS(trsv)(PARAMETERS(trsv)) {
    CHECK(trsv);
    if (n == 0) return;
    const int lower = LOWER(layout, uplo), dots = BY_ROWS(layout, trans);
    if (RARE(incx != 1)) copied(layout, uplo, trans, diag, n, a, lda, FIRST(x, n, incx), incx);
    else if (RARE(n > CHOICE(triangle_block) && FROM_MEMORY((int64_t)n * n / 2, lda)))
        blocks(layout, uplo, trans, diag, lower, dots, n, a, lda, x);
    else BY_TRIANGLE(lower, dots, diag == CblasUnit, n, a, lda, x);
}
