// y := alpha A x + beta y, where A is Hermitian
#include "hermitian.h"
#include "../checks.h"

void CBLAS(hemv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda,
    const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    CHECK_SYMV(hemv);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    hermitian(&rows, !ROW_MAJOR(layout), number(alpha), x, incx, number(beta), y, incy);
}
