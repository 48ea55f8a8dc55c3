// y := alpha A x + beta y, where A is Hermitian and a band
#include "hermitian.h"

void CBLAS(hbmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a,
    CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    REQUIRE(IS_LAYOUT(layout), 1, hbmv);
    REQUIRE(IS_UPLO(uplo), 2, hbmv);
    REQUIRE(n >= 0, 3, hbmv);
    REQUIRE(k >= 0, 4, hbmv);
    REQUIRE(lda > k, 7, hbmv);
    REQUIRE(incx != 0, 9, hbmv);
    REQUIRE(incy != 0, 12, hbmv);
    const Rows rows = triangle_band(LOWER(layout, uplo), n, k, a, lda);
    hermitian(&rows, !ROW_MAJOR(layout), number(alpha), x, incx, number(beta), y, incy);
}
