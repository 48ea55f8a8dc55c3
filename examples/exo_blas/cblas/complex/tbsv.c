// x := op(A)^-1 x, where A is triangular and a band
#include "triangle_solution.h"
#include "../checks.h"

void CBLAS(tbsv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    CBLAS_INT k, const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx) {
    CHECK_TBMV(tbsv);
    const Rows rows = triangle_band(LOWER(layout, uplo), n, k, a, lda);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
