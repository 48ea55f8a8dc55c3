// x := op(A) x and x := op(A)^-1 x, where A is triangular: dense, a band, or packed
// flags: -fno-tree-vectorize: in vectors, which product of a pair is fused depends on the code around
#include "rows.h"

// With `less` columns on the diagonal's other side, -1 if it is not used
#define IN_PLACE(by_rows, by_columns, less, k, ...)                                         \
    const int lower = LOWER(layout, uplo);                                                  \
    const struct EXO_IN3 matrix = __VA_ARGS__;                                              \
    if (n > 0)                                                                              \
        (BY_ROWS(layout, trans) ? by_rows : by_columns)(n, lower ? k : less, lower ? less : k,    \
            CHOICE(complex_together), diag == CblasUnit, SIGN(trans == CblasConjTrans), matrix, OUT_VECTOR(x, n, incx))
#define TIMES(length, k, ...) IN_PLACE(BY_LENGTH(length, KERNEL(trmv_rows), KERNEL(trmv_rows_long)), \
    BY_LENGTH(length, KERNEL(trmv_columns), KERNEL(trmv_columns_long)), -(diag == CblasUnit), k, __VA_ARGS__)
#define SOLVED(length, k, ...) IN_PLACE(BY_LENGTH(length, KERNEL(trsv_rows), KERNEL(trsv_rows_long)), \
    BY_LENGTH(length, KERNEL(trsv_columns), KERNEL(trsv_columns_long)), 0, k, __VA_ARGS__)

DEFINE(trmv, TIMES(n, n, DENSE(a, lda)))
DEFINE(trsv, SOLVED(n, n, DENSE(a, lda)))
DEFINE(tbmv, TIMES(k / 2, k, BANDED(a, lda, lower ? k : 0)))
DEFINE(tbsv, SOLVED(k / 2, k, BANDED(a, lda, lower ? k : 0)))
DEFINE(tpmv, TIMES(n, n, PACKED(ap, n, lower)))
DEFINE(tpsv, SOLVED(n, n, PACKED(ap, n, lower)))
