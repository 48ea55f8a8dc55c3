// x := op(A)^-1 x, where A is triangular
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "checks.h"

void CBLAS(trsv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const T *a,
    CBLAS_INT lda, T *x, CBLAS_INT incx) {
    CHECK_TRMV(trsv);
    if (n == 0) return;
    const int lower = LOWER(layout, uplo), dots = BY_ROWS(layout, trans), unit = diag == CblasUnit;
    x = FIRST(x, n, incx);
    if (RARE(IS_LARGE_TRIANGLE(n, lda)))
        KERNEL(trsv_far)(lower, dots, unit, n, CHOICE(triangle_block), IN2(a, lda, 1), OUT(x, incx));
    else KERNEL(trsv)(lower, dots, unit, n, IN2(a, lda, 1), OUT(x, incx));
}
