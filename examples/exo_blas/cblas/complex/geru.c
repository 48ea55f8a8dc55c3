// A := alpha x y^T + A
#include "ger.h"
#include "../checks.h"

void CBLAS(geru)(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda) {
    CHECK_GER(geru);
    update(ROW_MAJOR(layout), 0, m, n, number(alpha), x, incx, y, incy, a, lda);
}
