// y := alpha op(A) x + beta y, where A is dense or a band
#include "rows.h"
#include "../checks.h"

// Of rows and columns as they lie, so many of which are below and above the diagonal
#define GENERAL(rows, columns, below, above, enough, ...)                                                       \
    const struct EXO_IN3 matrix = __VA_ARGS__;                                                           \
    if ((rows) == 0 || (columns) == 0) return;                                                           \
    if (BY_ROWS(layout, trans))                                                                          \
        KERNEL(gemv_rows)(rows, columns, below, above, enough, SIGN(trans == CblasConjTrans), IN(alpha, 1), matrix, \
            IN_VECTOR(x, columns, incx), IN(beta, 1), OUT_VECTOR(y, rows, incy));                        \
    else                                                                                                 \
        KERNEL(gemv_columns)(rows, columns, below, above, enough, SIGN(trans == CblasConjTrans), IN(alpha, 1), matrix, \
            IN_VECTOR(x, rows, incx), IN(beta, 1), OUT_VECTOR(y, columns, incy))

void CBLAS(gemv)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, const void *alpha,
    const void *a, CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    CHECK_GEMV(gemv);
    const int64_t rows = ROW_MAJOR(layout) ? m : n, columns = ROW_MAJOR(layout) ? n : m;
    GENERAL(rows, columns, rows, columns, 1, DENSE(a, lda));
}

void CBLAS(gbmv)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, CBLAS_INT kl, CBLAS_INT ku,
    const void *alpha, const void *a, CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y,
    CBLAS_INT incy) {
    CHECK_GBMV(gbmv);
    const int64_t rows = ROW_MAJOR(layout) ? m : n, columns = ROW_MAJOR(layout) ? n : m;
    const int64_t below = ROW_MAJOR(layout) ? kl : ku, above = ROW_MAJOR(layout) ? ku : kl;
    GENERAL(rows, columns, below, above, CHOICE(complex_together), BAND(a, lda, below));
}
