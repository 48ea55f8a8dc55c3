// y := alpha A x + beta y, where A is Hermitian and packed
#include "hermitian.h"

void CBLAS(hpmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *ap,
    const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    REQUIRE(IS_LAYOUT(layout), 1, hpmv);
    REQUIRE(IS_UPLO(uplo), 2, hpmv);
    REQUIRE(n >= 0, 3, hpmv);
    REQUIRE(incx != 0, 7, hpmv);
    REQUIRE(incy != 0, 10, hpmv);
    const Rows rows = packed(LOWER(layout, uplo), n, ap);
    hermitian(&rows, !ROW_MAJOR(layout), number(alpha), x, incx, number(beta), y, incy);
}
