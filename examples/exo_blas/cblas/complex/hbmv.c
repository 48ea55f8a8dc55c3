// y := alpha A x + beta y, where A is Hermitian and a band
#include "hermitian.h"
#include "../checks.h"

void CBLAS(hbmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a,
    CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    CHECK_SBMV(hbmv);
    const Rows rows = triangle_band(LOWER(layout, uplo), n, k, a, lda);
    hermitian(&rows, !ROW_MAJOR(layout), number(alpha), x, incx, number(beta), y, incy);
}
