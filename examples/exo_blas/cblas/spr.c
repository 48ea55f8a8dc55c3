// A := alpha x x^T + A, where A is symmetric and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "checks.h"

void CBLAS(spr)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, T *ap) {
    CHECK_SPR(spr);
    if (n > 0) KERNEL(spr)(LOWER(layout, uplo), n, &alpha, INPUT(x, n, incx), ap);
}
