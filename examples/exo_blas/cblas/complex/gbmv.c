// y := alpha op(A) x + beta y, where A is a band
#include "general.h"
#include "../checks.h"

void CBLAS(gbmv)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, CBLAS_INT kl, CBLAS_INT ku,
    const void *alpha, const void *a, CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y,
    CBLAS_INT incy) {
    CHECK_GBMV(gbmv);
    const Rows rows = ROW_MAJOR(layout) ? band(m, n, kl, ku, a, lda) : band(n, m, ku, kl, a, lda);
    general(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, number(alpha), x, incx, number(beta), y, incy);
}
