// y := alpha op(A) x + beta y, where A is dense or a band, of rows and columns as they lie
#include "rows.h"

#define SIZES const int64_t rows = ROW_MAJOR(layout) ? m : n, columns = ROW_MAJOR(layout) ? n : m
#define GENERAL(by_rows, by_columns, matrix, ...)                                          \
    if (rows > 0 && columns > 0 && BY_ROWS(layout, trans))                                 \
        by_rows(rows, columns, __VA_ARGS__ SIGN(trans == CblasConjTrans), IN(alpha, 1),    \
            matrix, IN_VECTOR(x, columns, incx), IN(beta, 1), OUT_VECTOR(y, rows, incy));  \
    else if (rows > 0 && columns > 0)                                                      \
        by_columns(rows, columns, __VA_ARGS__ SIGN(trans == CblasConjTrans), IN(alpha, 1), \
            matrix, IN_VECTOR(x, rows, incx), IN(beta, 1), OUT_VECTOR(y, columns, incy))

DEFINE(gemv, SIZES; GENERAL(BY_LENGTH(columns, KERNEL(gemv_rows), KERNEL(gemv_rows_long)),
    BY_LENGTH(columns, KERNEL(gemv_columns), KERNEL(gemv_columns_long)), IN2(a, 2 * (int64_t)lda, 1), ))
// Rows of a band begin anywhere: so sums gain later by long vectors than updates, of which more waits for memory.
DEFINE(gbmv, SIZES; const int64_t below = ROW_MAJOR(layout) ? kl : ku, above = ROW_MAJOR(layout) ? ku : kl;
    GENERAL(BY_LENGTH((below + above) / 4, KERNEL(gbmv_rows), KERNEL(gbmv_rows_long)),
        BY_LENGTH(below + above, KERNEL(gbmv_columns), KERNEL(gbmv_columns_long)),
        (struct EXO_IN3)BANDED(a, lda, below), below, above, CHOICE(complex_together), ))
