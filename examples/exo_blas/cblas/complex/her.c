// A := alpha x x^H + A, where A is Hermitian
#include "hermitian_updates.h"

void CBLAS(her)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const void *x, CBLAS_INT incx, void *a,
    CBLAS_INT lda) {
    REQUIRE(IS_LAYOUT(layout), 1, her);
    REQUIRE(IS_UPLO(uplo), 2, her);
    REQUIRE(n >= 0, 3, her);
    REQUIRE(incx != 0, 6, her);
    REQUIRE(lda >= AT_LEAST_1(n), 8, her);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    update(&rows, ROW_MAJOR(layout), alpha, x, incx, a);
}
