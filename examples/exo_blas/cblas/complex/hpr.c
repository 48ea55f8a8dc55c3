// A := alpha x x^H + A, where A is Hermitian and packed
#include "hermitian_updates.h"
#include "../checks.h"

void CBLAS(hpr)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const void *x, CBLAS_INT incx,
    void *ap) {
    CHECK_SPR(hpr);
    const Rows rows = packed(LOWER(layout, uplo), n, ap);
    update(&rows, ROW_MAJOR(layout), alpha, x, incx, ap);
}
