// y := alpha A x + beta y, where A is Hermitian
#include "hermitian.h"

void CBLAS(hemv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda,
    const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    REQUIRE(IS_LAYOUT(layout), 1, hemv);
    REQUIRE(IS_UPLO(uplo), 2, hemv);
    REQUIRE(n >= 0, 3, hemv);
    REQUIRE(lda >= AT_LEAST_1(n), 6, hemv);
    REQUIRE(incx != 0, 8, hemv);
    REQUIRE(incy != 0, 11, hemv);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    hermitian(&rows, !ROW_MAJOR(layout), number(alpha), x, incx, number(beta), y, incy);
}
