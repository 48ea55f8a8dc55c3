// x := op(A) x, where A is triangular and a band
#include "triangle_product.h"
#include "../checks.h"

void CBLAS(tbmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    CBLAS_INT k, const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx) {
    CHECK_TBMV(tbmv);
    const Rows rows = triangle_band(LOWER(layout, uplo), n, k, a, lda);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
