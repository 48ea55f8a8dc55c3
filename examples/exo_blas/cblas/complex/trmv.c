// x := op(A) x, where A is triangular
#include "triangle_product.h"

void CBLAS(trmv)(PARAMETERS(trmv)) {
    CHECK(trmv);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
