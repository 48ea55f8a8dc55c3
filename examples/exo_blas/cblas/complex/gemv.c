// y := alpha op(A) x + beta y, where A is dense or a band, of rows and columns as they lie
#include "rows.h"

#define GENERAL(by_rows, by_columns, matrix, ...)                                          \
    const int64_t rows = ROW_MAJOR(layout) ? m : n, columns = ROW_MAJOR(layout) ? n : m;   \
    if (rows > 0 && columns > 0 && BY_ROWS(layout, trans))                                 \
        by_rows(rows, columns, __VA_ARGS__ SIGN(trans == CblasConjTrans), IN(alpha, 1),    \
            matrix, IN_VECTOR(x, columns, incx), IN(beta, 1), OUT_VECTOR(y, rows, incy));  \
    else if (rows > 0 && columns > 0)                                                      \
        by_columns(rows, columns, __VA_ARGS__ SIGN(trans == CblasConjTrans), IN(alpha, 1), \
            matrix, IN_VECTOR(x, rows, incx), IN(beta, 1), OUT_VECTOR(y, columns, incy))

DEFINE(gemv, GENERAL(KERNEL(gemv_rows), KERNEL(gemv_columns), IN2(a, 2 * (int64_t)lda, 1), ))
DEFINE(gbmv, const int64_t below = ROW_MAJOR(layout) ? kl : ku, above = ROW_MAJOR(layout) ? ku : kl;
    GENERAL(KERNEL(gbmv_rows), KERNEL(gbmv_columns), (struct EXO_IN3)BANDED(a, lda, below),
        below, above, CHOICE(complex_together), ))
