// A := alpha x y^H + conj(alpha) y x^H + A, where A is Hermitian and packed
#include "hermitian_updates.h"
#include "../checks.h"

void CBLAS(hpr2)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x,
    CBLAS_INT incx, const void *y, CBLAS_INT incy, void *ap) {
    CHECK_SPR2(hpr2);
    const Rows rows = packed(LOWER(layout, uplo), n, ap);
    update2(&rows, ROW_MAJOR(layout), number(alpha), x, incx, y, incy, ap);
}
