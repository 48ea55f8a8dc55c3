// y := alpha A x + beta y, where A is symmetric and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "checks.h"

void CBLAS(spmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *ap, const T *x, CBLAS_INT incx,
    T beta, T *y, CBLAS_INT incy) {
    CHECK_SPMV(spmv);
    if (n > 0)
        KERNEL(spmv)(LOWER(layout, uplo), n, &alpha, ap, INPUT(x, n, incx), &beta, OUTPUT(y, n, incy));
}
