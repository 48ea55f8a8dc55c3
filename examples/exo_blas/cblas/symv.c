// y := alpha A x + beta y, where A is symmetric
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "checks.h"

void CBLAS(symv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *a, CBLAS_INT lda, const T *x,
    CBLAS_INT incx, T beta, T *y, CBLAS_INT incy) {
    CHECK_SYMV(symv);
    if (n == 0) return;
    KERNEL(symv)(LOWER(layout, uplo), n, &alpha, IN2(a, lda, 1), IN(FIRST(x, n, incx), incx), &beta,
        OUT(FIRST(y, n, incy), incy));
}
