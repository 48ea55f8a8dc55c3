// y := alpha op(A) x + beta y
#include "general.h"

void CBLAS(gemv)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, const void *alpha,
    const void *a, CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    REQUIRE(IS_LAYOUT(layout), 1, gemv);
    REQUIRE(IS_TRANSPOSE(trans), 2, gemv);
    REQUIRE(m >= 0, 3, gemv);
    REQUIRE(n >= 0, 4, gemv);
    REQUIRE(lda >= AT_LEAST_1(ROW_MAJOR(layout) ? n : m), 7, gemv);
    REQUIRE(incx != 0, 9, gemv);
    REQUIRE(incy != 0, 12, gemv);
    const Rows rows = ROW_MAJOR(layout) ? dense(m, n, a, lda) : dense(n, m, a, lda);
    general(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, number(alpha), x, incx, number(beta), y, incy);
}
