// x := op(A) x, where A is triangular and a band
#include "triangle_product.h"

void CBLAS(tbmv)(PARAMETERS(tbmv)) {
    CHECK(tbmv);
    const Rows rows = triangle_band(LOWER(layout, uplo), n, k, a, lda);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
