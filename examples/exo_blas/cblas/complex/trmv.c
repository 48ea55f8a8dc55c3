// x := op(A) x, where A is triangular
#include "triangle_product.h"

void CBLAS(trmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx) {
    CHECK_TRIANGLE(trmv);
    REQUIRE(lda >= AT_LEAST_1(n), 7, trmv);
    REQUIRE(incx != 0, 9, trmv);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
