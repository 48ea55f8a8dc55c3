// x := op(A)^-1 x, where A is triangular
#include "triangle_solution.h"

void CBLAS(trsv)(PARAMETERS(trsv)) {
    CHECK(trsv);
    const Rows rows = triangle(LOWER(layout, uplo), n, a, lda);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
