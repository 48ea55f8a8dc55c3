// x := op(A)^-1 x, where A is triangular and packed
#include "triangle_solution.h"

void CBLAS(tpsv)(PARAMETERS(tpsv)) {
    CHECK(tpsv);
    const Rows rows = packed(LOWER(layout, uplo), n, ap);
    in_place(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, diag == CblasUnit, x, incx);
}
