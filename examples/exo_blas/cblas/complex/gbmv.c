// y := alpha op(A) x + beta y, where A is a band
#include "general.h"

void CBLAS(gbmv)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, CBLAS_INT m, CBLAS_INT n, CBLAS_INT kl, CBLAS_INT ku,
    const void *alpha, const void *a, CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y,
    CBLAS_INT incy) {
    REQUIRE(IS_LAYOUT(layout), 1, gbmv);
    REQUIRE(IS_TRANSPOSE(trans), 2, gbmv);
    REQUIRE(m >= 0, 3, gbmv);
    REQUIRE(n >= 0, 4, gbmv);
    REQUIRE(kl >= 0, 5, gbmv);
    REQUIRE(ku >= 0, 6, gbmv);
    REQUIRE(lda > (int64_t)kl + ku, 9, gbmv);
    REQUIRE(incx != 0, 11, gbmv);
    REQUIRE(incy != 0, 14, gbmv);
    const Rows rows = ROW_MAJOR(layout) ? band(m, n, kl, ku, a, lda) : band(n, m, ku, kl, a, lda);
    general(&rows, BY_ROWS(layout, trans), trans == CblasConjTrans, number(alpha), x, incx, number(beta), y, incy);
}
