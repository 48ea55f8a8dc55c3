// y := alpha op(A) x + beta y, where A is dense or a band, of rows and columns as they lie
#include "rows.h"

#define GENERAL(kl, ku, enough, ...)                                                     \
    const int by_rows = BY_ROWS(layout, trans), across = !ROW_MAJOR(layout);             \
    const int64_t rows = across ? n : m, columns = across ? m : n;                       \
    const int64_t below = across ? ku : kl, above = across ? kl : ku;                    \
    const struct EXO_IN3 matrix = __VA_ARGS__;                                           \
    if (rows > 0 && columns > 0)                                                         \
        (by_rows ? KERNEL(gemv_rows) : KERNEL(gemv_columns))(rows, columns, below, above, \
            enough, SIGN(trans == CblasConjTrans), IN(alpha, 1), matrix,                 \
            IN_VECTOR(x, by_rows ? columns : rows, incx), IN(beta, 1),                   \
            OUT_VECTOR(y, by_rows ? rows : columns, incy))

DEFINE(gemv, GENERAL(m, n, 1, DENSE(a, lda)))
DEFINE(gbmv, GENERAL(kl, ku, CHOICE(complex_together), BAND(a, lda, below)))
