// y := alpha op(A) x + beta y, where A is a band
#include "general.h"

void CBLAS(gbmv)(PARAMETERS(gbmv)) {
    CHECK(gbmv);
    const Rows rows = ROW_MAJOR(layout) ? band(m, n, kl, ku, a, lda) : band(n, m, ku, kl, a, lda);
    general(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, number(alpha), x, incx, number(beta), y, incy);
}
