// x := op(A)^-1 x, where A is triangular and a band
#include "triangle_solution.h"

void CBLAS(tbsv)(PARAMETERS(tbsv)) {
    CHECK(tbsv);
    const Rows rows = triangle_band(LOWER(layout, uplo), n, k, a, lda);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
