// y := alpha A x + beta y, where A is symmetric and a band
#include "checks.h"

void CBLAS(sbmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, T alpha, const T *a, CBLAS_INT lda,
    const T *x, CBLAS_INT incx, T beta, T *y, CBLAS_INT incy) {
    CHECK_SBMV(sbmv);
    if (LOWER(layout, uplo)) a += k;
    if (n > 0)
        KERNEL(sbmv)(LOWER(layout, uplo), n, k, &alpha, BAND(a, lda), INPUT(x, n, incx), &beta, OUTPUT(y, n, incy));
}
