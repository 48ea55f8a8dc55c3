// x := op(A)^-1 x, where A is triangular
#include "triangle_solution.h"
#include "../checks.h"

void CBLAS(trsv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx) {
    CHECK_TRMV(trsv);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
