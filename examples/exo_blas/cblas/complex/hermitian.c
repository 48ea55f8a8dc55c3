// y := alpha A x + beta y, where A is Hermitian: dense, a band, or packed
#include "rows.h"

// Rows of a band, and short ones, are taken one by one, others two at a time.
#define GIVEN SIGN(!ROW_MAJOR(layout)), IN(alpha, 1), matrix, IN_VECTOR(x, n, incx), IN(beta, 1), OUT_VECTOR(y, n, incy)
#define HERMITIAN(k, ...)                                                                         \
    const int lower = LOWER(layout, uplo);                                                        \
    const struct EXO_IN3 matrix = __VA_ARGS__;                                                    \
    if (n > 0 && (k < n - 1 || !IS_LONG(n)))                                                      \
        KERNEL(hermitian)(n, lower ? k : 0, lower ? 0 : k, GIVEN);                                \
    else if (n > 0)                                                                               \
        BY_LENGTH(n, KERNEL(hermitian_whole), KERNEL(hermitian_whole_long))(n, lower, GIVEN)

DEFINE(hemv, HERMITIAN(n, DENSE(a, lda)))
DEFINE(hbmv, HERMITIAN(k, BANDED(a, lda, lower ? k : 0)))
DEFINE(hpmv, HERMITIAN(n, PACKED(ap, n, lower)))
