// x := op(A) x, where A is triangular
#include "triangle_product.h"
#include "../checks.h"

void CBLAS(trmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx) {
    CHECK_TRMV(trmv);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
