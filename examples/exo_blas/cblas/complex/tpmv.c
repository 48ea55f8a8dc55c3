// x := op(A) x, where A is triangular and packed
#include "triangle_product.h"
#include "../checks.h"

void CBLAS(tpmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *ap, void *x, CBLAS_INT incx) {
    CHECK_TPMV(tpmv);
    const Rows rows = packed(LOWER(layout, uplo), n, ap);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
