// y := alpha op(A) x + beta y, where A is dense or a band, of rows and columns as they lie
#include "rows.h"

#define SIZES const int64_t rows = ROW_MAJOR(layout) ? m : n, columns = ROW_MAJOR(layout) ? n : m
#define GENERAL(few_by_rows, long_by_rows, for_sums, few_by_columns, long_by_columns, for_updates, matrix, ...)    \
    if (rows > 0 && columns > 0 && BY_ROWS(layout, trans)) {                                                   \
        BY_LENGTH(for_sums, few_by_rows, long_by_rows, rows, columns, __VA_ARGS__                              \
            SIGN(trans == CblasConjTrans), IN(alpha, 1), matrix, IN_VECTOR(x, columns, incx), IN(beta, 1),     \
            OUT_VECTOR(y, rows, incy));                                                                        \
    } else if (rows > 0 && columns > 0)                                                                        \
        BY_LENGTH(for_updates, few_by_columns, long_by_columns, rows, columns, __VA_ARGS__                     \
            SIGN(trans == CblasConjTrans), IN(alpha, 1), matrix, IN_VECTOR(x, rows, incx), IN(beta, 1),        \
            OUT_VECTOR(y, columns, incy))

DEFINE(gemv, SIZES; GENERAL(KERNEL(gemv_rows), KERNEL(gemv_rows_long), columns, KERNEL(gemv_columns),
    KERNEL(gemv_columns_long), columns, IN2(a, 2 * (int64_t)lda, 1), ))
// Rows of a band begin anywhere: so sums gain later by long vectors than updates, of which more waits for memory.
DEFINE(gbmv, SIZES; const int64_t below = ROW_MAJOR(layout) ? kl : ku, above = ROW_MAJOR(layout) ? ku : kl;
    GENERAL(KERNEL(gbmv_rows), KERNEL(gbmv_rows_long), (below + above) / 4, KERNEL(gbmv_columns),
        KERNEL(gbmv_columns_long), below + above, (struct EXO_IN3)BANDED(a, lda, below), below, above,
        CHOICE(complex_together), ))
