// A := alpha x y^T + alpha y x^T + A, where A is symmetric
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "checks.h"

void CBLAS(syr2)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, const T *y,
    CBLAS_INT incy, T *a, CBLAS_INT lda) {
    CHECK_SYR2(syr2);
    if (n == 0 || alpha == 0) return;
    KERNEL(syr2)(LOWER(layout, uplo), n, &alpha, IN(FIRST(x, n, incx), incx), IN(FIRST(y, n, incy), incy),
        OUT2(a, lda, 1));
}
