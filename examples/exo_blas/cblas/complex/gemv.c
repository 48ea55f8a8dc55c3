// y := alpha op(A) x + beta y
#include "general.h"
#include "../checks.h"

void CBLAS(gemv)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, const void *alpha,
    const void *a, CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    CHECK_GEMV(gemv);
    const Rows rows = ROW_MAJOR(layout) ? dense(m, n, a, lda) : dense(n, m, a, lda);
    general(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, number(alpha), x, incx, number(beta), y, incy);
}
