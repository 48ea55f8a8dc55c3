// A := alpha x x^T + A, where A is symmetric
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "checks.h"

void CBLAS(syr)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, T *a,
    CBLAS_INT lda) {
    CHECK_SYR(syr);
    if (n == 0 || alpha == 0) return;
    KERNEL(syr)(LOWER(layout, uplo), n, &alpha, IN(FIRST(x, n, incx), incx), OUT2(a, lda, 1));
}
