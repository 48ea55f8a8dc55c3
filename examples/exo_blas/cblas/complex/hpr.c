// A := alpha x x^H + A, where A is Hermitian and packed
#include "hermitian_updates.h"

void CBLAS(hpr)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const void *x, CBLAS_INT incx,
    void *ap) {
    REQUIRE(IS_LAYOUT(layout), 1, hpr);
    REQUIRE(IS_UPLO(uplo), 2, hpr);
    REQUIRE(n >= 0, 3, hpr);
    REQUIRE(incx != 0, 6, hpr);
    const Rows rows = packed(LOWER(layout, uplo), n, ap);
    update(&rows, ROW_MAJOR(layout), alpha, x, incx, ap);
}
