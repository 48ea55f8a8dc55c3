// y := alpha A x + beta y, where A is Hermitian: dense, a band, or packed
#include "rows.h"

#define HERMITIAN(k, ...)                                                             \
    const int lower = LOWER(layout, uplo);                                            \
    const struct EXO_IN3 matrix = __VA_ARGS__;                                        \
    if (n > 0)                                                                        \
        KERNEL(hermitian)(n, lower ? k : 0, lower ? 0 : k, SIGN(!ROW_MAJOR(layout)),  \
            IN(alpha, 1), matrix, IN_VECTOR(x, n, incx), IN(beta, 1), OUT_VECTOR(y, n, incy))

DEFINE(hemv, HERMITIAN(n, DENSE(a, lda)))
DEFINE(hbmv, HERMITIAN(k, BANDED(a, lda, lower ? k : 0)))
DEFINE(hpmv, HERMITIAN(n, PACKED(ap, n, lower)))
