// y := alpha A x + beta y, where A is Hermitian and packed
#include "hermitian.h"
#include "../checks.h"

void CBLAS(hpmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *ap,
    const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    CHECK_SPMV(hpmv);
    const Rows rows = packed(LOWER(layout, uplo), n, ap);
    hermitian(&rows, !ROW_MAJOR(layout), number(alpha), x, incx, number(beta), y, incy);
}
