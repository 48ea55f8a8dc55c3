// y := alpha A x + beta y, where A is Hermitian and a band
#include "hermitian.h"

void CBLAS(hbmv)(PARAMETERS(hbmv)) {
    CHECK(hbmv);
    const Rows rows = triangle_band(LOWER(layout, uplo), n, k, a, lda);
    hermitian(&rows, !ROW_MAJOR(layout), number(alpha), x, incx, number(beta), y, incy);
}
