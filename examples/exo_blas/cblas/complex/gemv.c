// y := alpha op(A) x + beta y
#include "general.h"

void CBLAS(gemv)(PARAMETERS(gemv)) {
    CHECK(gemv);
    const Rows rows = ROW_MAJOR(layout) ? dense(m, n, a, lda) : dense(n, m, a, lda);
    general(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, number(alpha), x, incx, number(beta), y, incy);
}
