// x := op(A) x, where A is triangular and packed
#include "triangle_product.h"

void CBLAS(tpmv)(PARAMETERS(tpmv)) {
    CHECK(tpmv);
    const Rows rows = packed(LOWER(layout, uplo), n, ap);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
