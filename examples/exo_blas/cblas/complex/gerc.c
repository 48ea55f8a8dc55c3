// A := alpha x y^T + A, with y conjugated
#include "ger.h"
#include "../checks.h"

void CBLAS(gerc)(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda) {
    CHECK_GER(gerc);
    update(ROW_MAJOR(layout), 1, m, n, number(alpha), x, incx, y, incy, a, lda);
}
