// A := alpha x y^T + alpha y x^T + A, where A is symmetric and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "checks.h"

void CBLAS(spr2)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, const T *y,
    CBLAS_INT incy, T *ap) {
    CHECK_SPR2(spr2);
    if (n > 0)
        KERNEL(spr2)(LOWER(layout, uplo), n, &alpha, INPUT(x, n, incx), INPUT(y, n, incy), ap);
}
