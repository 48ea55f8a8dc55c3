// A := alpha x y^H + conj(alpha) y x^H + A, where A is Hermitian
#include "hermitian_updates.h"
#include "../checks.h"

void CBLAS(her2)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x,
    CBLAS_INT incx, const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda) {
    CHECK_SYR2(her2);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    update2(&rows, ROW_MAJOR(layout), number(alpha), x, incx, y, incy, a);
}
